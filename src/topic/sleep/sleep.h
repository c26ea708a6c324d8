/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the machine slept, and by how much its clock was set, since the last look at its clocks. */
#ifndef PANETOP_TOPIC_SLEEP_SLEEP_H
#define PANETOP_TOPIC_SLEEP_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/env.h"

#define CLOCK_CHANGE_NS UINT64_C(50000000) /* smaller changes wait until they add up to more */

struct clock_reading {
	uint64_t mono_ns, boot_ns, wall_ns;
	uint64_t apart_ns; /* the time within which all were read */
};

/* Again where something came between, a few times at most. */
struct clock_reading clock_reading_take(const struct env *env);

/* All zero: no look so far. */
struct clock_watch {
	bool begun;
	int64_t boot_ahead_ns; /* of CLOCK_MONOTONIC, as far as it was reported */
	int64_t wall_ahead_ns; /* of CLOCK_BOOTTIME, the same */
	uint64_t apart_ns;     /* both may be off by this much */
	struct clock_reading last;
};

struct clock_change {
	uint64_t slept_ns;           /* 0: it did not sleep */
	int64_t set_ns;              /* above 0: forward; 0: the clock was not set */
	struct clock_reading before; /* of the last look */
};

/*
 * CLOCK_MONOTONIC stands still while the machine sleeps and CLOCK_BOOTTIME goes on; only setting the clock
 * moves CLOCK_REALTIME against both, since NTP changes the speed of all three. The first look, which may be
 * in a time namespace with offsets, has no change.
 */
struct clock_change clock_watch_look(struct clock_watch *watch, const struct clock_reading *now);

/* How long the machine slept since the last look, which was another one of these. */
uint64_t clock_watch_slept_ns(struct clock_watch *watch, const struct env *env);

#endif
