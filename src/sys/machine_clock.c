/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of the kernel on which panetop runs. */
#include <config.h>

#include "sys/machine_clock.h"

#include <stdatomic.h>
#include <time.h>

static bool read_clock(clockid_t clock, uint64_t *ns)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return false;
	*ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	return true;
}

static uint64_t now_ns(clockid_t clock)
{
	uint64_t ns;

	return read_clock(clock, &ns) ? ns : 0;
}

static uint64_t mono_ns(const struct machine_clock *clock)
{
	(void)clock;
	return now_ns(CLOCK_MONOTONIC);
}

static uint64_t wall_ns(const struct machine_clock *clock)
{
	(void)clock;
	return now_ns(CLOCK_REALTIME);
}

static uint64_t boot_ns(const struct machine_clock *clock)
{
	(void)clock;
	return now_ns(CLOCK_BOOTTIME);
}

static uint64_t self_cpu_ns(const struct machine_clock *clock)
{
	(void)clock;
	return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t thread_cpu_ns(const struct machine_clock *clock)
{
	(void)clock;
	return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The clock of clock_getcpuclockid(3), without its check that the process exists. */
static bool process_cpu_ns(const struct machine_clock *clock, uint32_t pid, uint64_t *ns)
{
	(void)clock;
	return read_clock((clockid_t)(~pid << 3 | 2), ns);
}

static void pause_for(const struct machine_clock *clock, uint64_t ns)
{
	struct timespec left = { (time_t)(ns / UINT64_C(1000000000)), (long)(ns % UINT64_C(1000000000)) };

	(void)clock;
	nanosleep(&left, NULL);
}

const struct machine_clock real_clock = { mono_ns,       wall_ns,        boot_ns,   self_cpu_ns,
					  thread_cpu_ns, process_cpu_ns, pause_for, NULL };

static _Atomic uint64_t stepped_ns; /* CLOCK_MONOTONIC as of the last step; 0: there was none */

void stepped_clock_step(uint64_t ns)
{
	uint64_t before_ns = atomic_load(&stepped_ns);

	atomic_store(&stepped_ns, (before_ns > 0 ? before_ns : now_ns(CLOCK_MONOTONIC)) + ns);
}

static uint64_t stepped_mono_ns(const struct machine_clock *clock)
{
	uint64_t ns = atomic_load(&stepped_ns);

	return ns > 0 ? ns : mono_ns(clock);
}

/* As far from CLOCK_MONOTONIC as the kernel's: it may have been set, and the machine may have slept. */
static uint64_t stepped_from(const struct machine_clock *clock, uint64_t ns)
{
	return stepped_mono_ns(clock) + ns - mono_ns(clock);
}

static uint64_t stepped_wall_ns(const struct machine_clock *clock)
{
	return stepped_from(clock, wall_ns(clock));
}

static uint64_t stepped_boot_ns(const struct machine_clock *clock)
{
	return stepped_from(clock, boot_ns(clock));
}

const struct machine_clock stepped_clock = { stepped_mono_ns, stepped_wall_ns, stepped_boot_ns, self_cpu_ns,
					     thread_cpu_ns,   process_cpu_ns,  pause_for,       NULL };
