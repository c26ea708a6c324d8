/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the events and scales that a PMU lists in /sys. */
#include <config.h>

#include "kernel/pmu_event.h"

bool pmu_event_parse(struct span text, uint64_t *event)
{
	struct span line, name;
	uint64_t number;

	if (!span_line(&text, &line) || !span_until(&line, '=', &name) || !span_is(name, "event") ||
	    !span_char(&line, '0') || !span_char(&line, 'x') || !span_hex(&line, &number) ||
	    line.at != line.end)
		return false;
	*event = number;
	return true;
}

bool pmu_scale_parse(struct span text, double *scale)
{
	struct span line;
	double number;

	if (!span_line(&text, &line) || !span_real(&line, &number) || line.at != line.end || !(number > 0))
		return false;
	*scale = number;
	return true;
}
