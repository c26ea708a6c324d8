/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last values of rows: of few rows of each sample, and those that are gone make room. Tags: a list of
 * keys, in the order in which rows were tagged.
 */
#include <config.h>

#include "screen/row_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "screen/graph.h"

#define GAP_SAMPLES 3      /* a longer pause forgets all */
#define SHARE_MIN 0.1      /* the height of a cell is at least this share … */
#define CHANGE_MIN 0.01    /* … and a change of a size at least this part of it */
#define LEVELS 7           /* a full cell would join that of the row above */

static uint32_t find(const struct row_trends *trends, uint64_t key_hash)
{
	uint32_t at;

	HASH_FIND(at, &trends->by_key, key_hash, trends->rows[at].key_hash == key_hash);
	return at;
}

/* Rows without a value left are dropped. */
static void make_room(struct row_trends *trends)
{
	size_t kept = 0;

	hash_clear(&trends->by_key);
	for (size_t i = 0; i < trends->n_rows; i++) {
		if (trends->sample - trends->rows[i].sample >= ROW_TREND_CELLS)
			continue;
		trends->rows[kept] = trends->rows[i];
		hash_add(&trends->by_key, trends->rows[kept].key_hash, (uint32_t)kept);
		kept++;
	}
	trends->n_rows = kept;
}

/* The row's values, moved to the end for the samples that it was not in. */
static void shift(struct row_trend *row, uint64_t sample)
{
	uint64_t missed = sample - row->sample;
	size_t steps = missed < ROW_TREND_CELLS ? (size_t)missed : ROW_TREND_CELLS;

	memmove(row->values, row->values + steps, (ROW_TREND_CELLS - steps) * sizeof(*row->values));
	for (size_t i = ROW_TREND_CELLS - steps; i < ROW_TREND_CELLS; i++)
		row->values[i] = NAN;
	row->sample = sample;
}

static void add_value(struct row_trends *trends, uint64_t key_hash, double value)
{
	uint32_t at = find(trends, key_hash);

	if (at == HASH_NONE && trends->n_rows == trends->capacity)
		make_room(trends);
	if (at == HASH_NONE) {
		at = (uint32_t)trends->n_rows;
		*VECTOR_ADD(trends->rows, trends->n_rows, trends->capacity) =
			(struct row_trend){ .key_hash = key_hash };
		shift(&trends->rows[at], ROW_TREND_CELLS);
		hash_add(&trends->by_key, key_hash, at);
		trends->rows[at].sample = trends->sample;
	}
	shift(&trends->rows[at], trends->sample);
	trends->rows[at].values[ROW_TREND_CELLS - 1] = value;
}

void row_trends_add(struct row_trends *trends, const struct table *table, const struct column *column,
		    const void *const *rows, size_t n_rows)
{
	bool same = column == trends->column;

	if (same && table->mono_ns == trends->mono_ns)
		return;
	if (!same || table->mono_ns < trends->mono_ns ||
	    table->mono_ns - trends->mono_ns > GAP_SAMPLES * table->interval_ns) {
		trends->n_rows = 0;
		hash_clear(&trends->by_key);
	}
	trends->column = column;
	trends->mono_ns = table->mono_ns;
	trends->sample++;
	for (size_t i = 0; i < n_rows && i < ROW_TREND_ROWS_MAX; i++)
		add_value(trends, row_hash_key(table->schema, rows[i]), row_number(rows[i], column));
}

bool row_trends_find(const struct row_trends *trends, uint64_t key_hash, double values[ROW_TREND_CELLS])
{
	uint32_t at = find(trends, key_hash);
	struct row_trend row;

	if (at == HASH_NONE)
		return false;
	row = trends->rows[at];
	shift(&row, trends->sample);
	memcpy(values, row.values, sizeof(row.values));
	return true;
}

void row_trend_levels(const struct column *column, const double values[ROW_TREND_CELLS],
		      unsigned char levels[ROW_TREND_CELLS])
{
	double low = INFINITY, high = 0;

	for (int i = 0; i < ROW_TREND_CELLS; i++) {
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	if (column->kind == COLUMN_RATE || column->unit == UNIT_RATIO) {
		high = levels_top(low, high);
		low = fmin(low, 0);
	}
	if (column->unit == UNIT_RATIO)
		high = fmax(high, SHARE_MIN);
	high = fmax(high, low + fabs(low) * CHANGE_MIN);
	for (int i = 0; i < ROW_TREND_CELLS; i++) {
		double part = high > low ? (values[i] - low) / (high - low) : 0;

		levels[i] = isnan(values[i]) ? 0 : (unsigned char)(1 + floor(part * (LEVELS - 1) + 0.5));
	}
}

void row_trends_free(struct row_trends *trends)
{
	free(trends->rows);
	hash_free(&trends->by_key);
	*trends = (struct row_trends){ 0 };
}

/* Its index; n: it is not tagged. */
static size_t find_tag(const struct row_tags *tags, uint64_t key)
{
	size_t at = 0;

	while (at < tags->n && tags->keys[at] != key)
		at++;
	return at;
}

bool row_tags_has(const struct row_tags *tags, const struct schema *schema, const void *row)
{
	return tags->n > 0 && find_tag(tags, row_hash_key(schema, row)) < tags->n;
}

void row_tags_toggle(struct row_tags *tags, const struct schema *schema, const void *row)
{
	uint64_t key = row_hash_key(schema, row);
	size_t at = find_tag(tags, key);

	if (at < tags->n)
		tags->keys[at] = tags->keys[--tags->n];
	else
		*VECTOR_ADD(tags->keys, tags->n, tags->capacity) = key;
}

/* Moves the tags that it finds to the front. */
void row_tags_keep(struct row_tags *tags, const struct table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->n_rows && kept < tags->n; i++) {
		uint64_t key = row_hash_key(table->schema, table_row(table, i));
		size_t at = find_tag(tags, key);

		if (at == tags->n || at < kept)
			continue;
		tags->keys[at] = tags->keys[kept];
		tags->keys[kept++] = key;
	}
	tags->n = kept;
}

void row_tags_clear(struct row_tags *tags)
{
	tags->n = 0;
}

void row_tags_free(struct row_tags *tags)
{
	free(tags->keys);
	*tags = (struct row_tags){ 0 };
}
