/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the machine slept, and by how much its clock was set, since the last look at its clocks. */
#ifndef PANETOP_TOPIC_SLEEP_SLEEP_H
#define PANETOP_TOPIC_SLEEP_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/env.h"

struct clock_reading {
	uint64_t mono_ns, boot_ns, wall_ns;
	uint64_t apart_ns; /* the time within which all were read */
};

/* All zero: no look so far. */
struct clock_watch {
	bool begun;
	int64_t boot_ahead_ns; /* of CLOCK_MONOTONIC, as far as it was reported */
	int64_t wall_ahead_ns; /* of CLOCK_BOOTTIME, the same */
	uint64_t apart_ns;     /* both may be off by this much */
	struct clock_reading last;
};

/* How long the machine slept since the last look, which was another one of these. */
uint64_t clock_watch_slept_ns(struct clock_watch *watch, const struct env *env);

#endif
