/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that the user has tagged, by their keys, to act on all of them. */
#ifndef PANETOP_SCREEN_ROW_TAGS_H
#define PANETOP_SCREEN_ROW_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

/* All zero is empty. */
struct row_tags {
	uint64_t *keys; /* row_hash_key() of each; owned */
	size_t n, capacity;
};

bool row_tags_has(const struct row_tags *tags, const struct schema *schema, const void *row);
void row_tags_toggle(struct row_tags *tags, const struct schema *schema, const void *row);

/* Removes those that the table no longer has. */
void row_tags_keep(struct row_tags *tags, const struct table *table);
void row_tags_clear(struct row_tags *tags);
void row_tags_free(struct row_tags *tags);

#endif
