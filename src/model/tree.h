/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a tree: each row after the one that its parent column names. */
#ifndef PANETOP_MODEL_TREE_H
#define PANETOP_MODEL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "model/column.h"

/* All zero is ready to use. */
struct tree {
	uint16_t *depths;    /* of the rows as last ordered: 0 if the parent is not among them */
	uint32_t *scratch;   /* all owned */
	const void **before;
	struct hash index; /* of rows by key */
	size_t capacity;
};

/*
 * Orders rows so that children follow their parents; siblings keep their order. key and parent are columns of
 * numbers. Rows that are their own ancestors, as in a damaged recording, are kept, too.
 */
void tree_order(struct tree *tree, const struct column *key, const struct column *parent, const void **rows,
		size_t n_rows);
void tree_free(struct tree *tree);

#endif
