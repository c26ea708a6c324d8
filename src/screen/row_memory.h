/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is remembered of rows by their keys: tags, and the last values of one column for a small graph. */
#ifndef PANETOP_SCREEN_ROW_MEMORY_H
#define PANETOP_SCREEN_ROW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "model/frame.h"

/* Rows that the user has tagged, to act on all of them. All zero is empty. */
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

#define ROW_TREND_CELLS 8
#define ROW_TREND_ROWS_MAX ((size_t)512)

/* All zero is empty. */
struct row_trends {
	struct row_trend {
		uint64_t key_hash, sample;      /* sample: the last one that had this row */
		double values[ROW_TREND_CELLS]; /* up to that sample, oldest first; NaN: unknown */
	} *rows; /* owned, as is the hash */
	size_t n_rows, capacity;
	struct hash by_key;
	const struct column *column;
	uint64_t sample, mono_ns; /* the last one */
};

/*
 * Adds the values of rows of this table, of the first ROW_TREND_ROWS_MAX, once for each sample; forgets all
 * when the column changes and when time goes back or has a gap. The last ROW_TREND_CELLS samples alone decide
 * what is kept, so that it is the same when they are read again.
 */
void row_trends_add(struct row_trends *trends, const struct table *table, const struct column *column,
		    const void *const *rows, size_t n_rows);

/* The values up to the last sample; false: unknown row. */
bool row_trends_find(const struct row_trends *trends, uint64_t key_hash, double values[ROW_TREND_CELLS]);

/* Eighths of a cell for each value, from 1; 0: unknown. Shares and rates begin at 0, others at the least. */
void row_trend_levels(const struct column *column, const double values[ROW_TREND_CELLS],
		      unsigned char levels[ROW_TREND_CELLS]);

void row_trends_free(struct row_trends *trends);

#endif
