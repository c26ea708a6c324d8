/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a log that a filter accepted, so that each row is examined only once. */
#ifndef PANETOP_MODEL_LOG_FILTER_CACHE_H
#define PANETOP_MODEL_LOG_FILTER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "model/view_filter.h"

struct log_filter_cache {
	const void **rows; /* accepted, as sampled; owned */
	size_t n_rows, capacity;
	uint64_t n_examined; /* rows of the log, including those it has dropped */
	uint64_t n_dropped;  /* as struct table's at the last update */
	unsigned epoch;      /* likewise */
	uint64_t columns_with_values; /* bit per optional column: some accepted row has a value there */
	bool changed; /* since the last update */
};

void log_filter_cache_free(struct log_filter_cache *cache);

/* Call it when the filter has changed. */
void log_filter_cache_reset(struct log_filter_cache *cache);

/*
 * Examines the new rows of the log; true when the accepted rows or their addresses changed. *n_removed is the
 * number of accepted rows that the log has dropped from its front.
 */
bool log_filter_cache_update(struct log_filter_cache *cache, const struct view_filter *filter,
			     const struct table *log, size_t *n_removed);

#endif
