/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of the kernel on which panetop runs. */
#include <config.h>

#include "sys/machine_clock.h"

#include <stdatomic.h>

static bool read_clock(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	struct timespec now;

	(void)clock;
	if (clock_gettime(which, &now) < 0)
		return false;
	*ns = clock_timespec_ns(now);
	return true;
}

static void pause_for(const struct machine_clock *clock, uint64_t ns)
{
	struct timespec left = clock_timespec(ns);

	(void)clock;
	nanosleep(&left, NULL);
}

const struct machine_clock real_clock = { read_clock, pause_for };

static _Atomic uint64_t stepped_ns; /* CLOCK_MONOTONIC as of the last step; 0: there was none */

void stepped_clock_step(uint64_t ns)
{
	uint64_t before_ns = atomic_load(&stepped_ns);

	atomic_store(&stepped_ns, (before_ns > 0 ? before_ns : real_mono_ns()) + ns);
}

/* The others are as far from CLOCK_MONOTONIC as the kernel's: one may be set, and the machine may sleep. */
static bool read_stepped(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	uint64_t mono_ns = atomic_load(&stepped_ns);

	if (!read_clock(clock, which, ns))
		return false;
	if (mono_ns > 0 && which == CLOCK_MONOTONIC)
		*ns = mono_ns;
	else if (mono_ns > 0 && (which == CLOCK_REALTIME || which == CLOCK_BOOTTIME))
		*ns += mono_ns - real_mono_ns();
	return true;
}

const struct machine_clock stepped_clock = { read_stepped, pause_for };
