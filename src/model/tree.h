/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a tree: each row after the one that its parent column names. */
#ifndef PANETOP_MODEL_TREE_H
#define PANETOP_MODEL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "model/column.h"

#define TREE_LINES_MAX 64 /* depths with lines */

/* All zero is ready to use. */
struct tree {
	uint16_t *depths;    /* of the rows as last ordered: 0 if the parent is not among them */
	uint64_t *more;      /* bit d: a sibling of the row, or of its ancestor at depth d, follows */
	uint32_t *n_folded;  /* rows below this one that are not shown; 0: it is not folded */
	uint64_t *folds;     /* hashes of the KEY columns of the folded rows; owned, as all of this */
	size_t n_folds, folds_capacity;
	uint32_t *scratch;
	const void **before;
	struct hash index; /* of rows by key */
	size_t capacity;
};

/*
 * Folds a row with this hash of its KEY columns, or unfolds it: effective from the next tree_fold() on.
 * False: it was so already.
 */
bool tree_set_fold(struct tree *tree, uint64_t key_hash, bool folded);

/*
 * Removes the rows below folded ones from rows as tree_order() left them, and finds the lines; returns how
 * many remain.
 */
size_t tree_fold(struct tree *tree, const struct schema *schema, const void **rows, size_t n_rows);

/*
 * Orders rows so that children follow their parents; siblings keep their order. key and parent are two
 * columns of numbers, or of texts. Rows that are their own ancestors, as in a damaged recording, are kept,
 * too.
 */
void tree_order(struct tree *tree, const struct column *key, const struct column *parent, const void **rows,
		size_t n_rows);
void tree_free(struct tree *tree);

#endif
