/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of lists of CPUs. */
#include <config.h>

#include "kernel/cpu_list.h"

bool cpu_list_next(struct span *list, uint32_t *first, uint32_t *last)
{
	struct span rest = *list;
	uint64_t from, to;

	if (!span_u64(&rest, &from))
		return false;
	to = from;
	if (span_char(&rest, '-') && !span_u64(&rest, &to))
		return false;
	if (from > to || to >= CPU_LIST_MAX)
		return false;
	span_char(&rest, ',');
	*list = rest;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	return true;
}

bool cpu_list_has(struct span list, uint32_t cpu)
{
	uint32_t first, last;

	while (cpu_list_next(&list, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}
