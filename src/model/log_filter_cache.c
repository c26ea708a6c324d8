/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a log that a filter accepted. */
#include <config.h>

#include "model/log_filter_cache.h"

#include <stdlib.h>

#include "core/vector.h"

void log_filter_cache_free(struct log_filter_cache *cache)
{
	free(cache->rows);
	*cache = (struct log_filter_cache){ 0 };
}

void log_filter_cache_reset(struct log_filter_cache *cache)
{
	cache->n_rows = 0;
	cache->n_examined = 0;
	cache->columns_with_values = 0;
	cache->changed = true;
}

/* The log has dropped its first rows and moved the others down. Returns how many accepted rows went. */
static size_t move_rows(struct log_filter_cache *cache, const struct table *log)
{
	size_t size = log->schema->row_size, step = (size_t)(log->n_dropped - cache->n_dropped);
	size_t n_removed = 0;

	while (n_removed < cache->n_rows &&
	       (size_t)((const char *)cache->rows[n_removed] - log->rows) / size < step)
		n_removed++;
	for (size_t i = n_removed; i < cache->n_rows; i++)
		cache->rows[i - n_removed] = (const char *)cache->rows[i] - step * size;
	cache->n_rows -= n_removed;
	cache->changed = true;
	return n_removed;
}

static void note_values(struct log_filter_cache *cache, const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].optional && column_has_value(&schema->columns[i], row))
			cache->columns_with_values |= UINT64_C(1) << i;
}

static void add_row(struct log_filter_cache *cache, const struct schema *schema, const void *row)
{
	*VECTOR_ADD(cache->rows, cache->n_rows, cache->capacity) = row;
	cache->changed = true;
	note_values(cache, schema, row);
}

bool log_filter_cache_update(struct log_filter_cache *cache, const struct view_filter *filter,
			     const struct table *log, size_t *n_removed)
{
	bool changed;

	*n_removed = 0;
	if (cache->epoch != log->epoch)
		log_filter_cache_reset(cache);
	else if (cache->n_dropped != log->n_dropped)
		*n_removed = move_rows(cache, log);
	cache->epoch = log->epoch;
	cache->n_dropped = log->n_dropped;
	if (cache->n_examined < log->n_dropped)
		cache->n_examined = log->n_dropped;
	for (; cache->n_examined < log->n_dropped + log->n_rows; cache->n_examined++) {
		const void *row = table_row(log, (size_t)(cache->n_examined - log->n_dropped));

		if (view_filter_accepts(filter, log->schema, row))
			add_row(cache, log->schema, row);
	}
	changed = cache->changed;
	cache->changed = false;
	return changed;
}
