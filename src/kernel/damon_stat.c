/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /sys/module/damon_stat/parameters/memory_idle_ms_percentiles. */
#include <config.h>

#include "kernel/damon_stat.h"

bool damon_percentiles_parse(struct span text, int64_t milliseconds[DAMON_PERCENTILES])
{
	struct span line, item;
	unsigned n = 0;

	if (!span_line(&text, &line))
		return false;
	while (n < DAMON_PERCENTILES && span_item(&line, &item)) {
		if (!span_i64(&item, &milliseconds[n]) || span_length(item) > 0)
			return false;
		if (n > 0 && milliseconds[n] < milliseconds[n - 1])
			return false;
		n++;
	}
	return n == DAMON_PERCENTILES && span_length(line) == 0;
}

bool damon_percentiles_are_new(const int64_t milliseconds[DAMON_PERCENTILES])
{
	for (unsigned i = 0; i < DAMON_PERCENTILES; i++)
		if (milliseconds[i] != 0)
			return false;
	return true;
}
