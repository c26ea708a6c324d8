/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the line of a clock, and refuses offsets that no kernel takes. */
#include <config.h>

#include "kernel/pid/timens.h"

#define SECOND_NS INT64_C(1000000000)
#define CENTURY_SECONDS INT64_C(3155760000)

/* The kernel's nanoseconds count up from the seconds, also where these are negative. */
bool timens_offset(struct span text, const char *clock, int64_t *ahead_ns)
{
	struct span line, name;
	int64_t seconds, ns;

	while (span_line(&text, &line)) {
		if (!span_word(&line, &name) || !span_is(name, clock))
			continue;
		if (!span_i64(&line, &seconds) || !span_i64(&line, &ns) || seconds > CENTURY_SECONDS ||
		    seconds < -CENTURY_SECONDS || ns < 0 || ns >= SECOND_NS)
			return false;
		*ahead_ns = seconds * SECOND_NS + ns;
		return true;
	}
	return false;
}
