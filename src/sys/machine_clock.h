/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of a machine: the kernel's in the program, a script in a test. */
#ifndef PANETOP_SYS_MACHINE_CLOCK_H
#define PANETOP_SYS_MACHINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Operations; a script embeds the struct, or keeps its own data in state. */
struct machine_clock {
	uint64_t (*mono_ns)(const struct machine_clock *clock);       /* CLOCK_MONOTONIC */
	uint64_t (*wall_ns)(const struct machine_clock *clock);       /* CLOCK_REALTIME */
	uint64_t (*boot_ns)(const struct machine_clock *clock);       /* CLOCK_BOOTTIME */
	uint64_t (*self_cpu_ns)(const struct machine_clock *clock);   /* CPU time of this process so far */
	uint64_t (*thread_cpu_ns)(const struct machine_clock *clock); /* of the calling thread */

	/*
	 * CPU time of a process since its start, of all its threads, also exited ones; all users may read it.
	 * False when no process has this pid in our namespace.
	 */
	bool (*process_cpu_ns)(const struct machine_clock *clock, uint32_t pid, uint64_t *ns);

	/* Until so much has passed, or a signal came. */
	void (*pause)(const struct machine_clock *clock, uint64_t ns);

	void *state; /* of a script */
};

static inline uint64_t clock_mono_ns(const struct machine_clock *clock)
{
	return clock->mono_ns(clock);
}

static inline uint64_t clock_wall_ns(const struct machine_clock *clock)
{
	return clock->wall_ns(clock);
}

static inline uint64_t clock_boot_ns(const struct machine_clock *clock)
{
	return clock->boot_ns(clock);
}

static inline uint64_t clock_self_cpu_ns(const struct machine_clock *clock)
{
	return clock->self_cpu_ns(clock);
}

static inline uint64_t clock_thread_cpu_ns(const struct machine_clock *clock)
{
	return clock->thread_cpu_ns(clock);
}

static inline bool clock_process_cpu_ns(const struct machine_clock *clock, uint32_t pid, uint64_t *ns)
{
	return clock->process_cpu_ns(clock, pid, ns);
}

static inline void clock_pause(const struct machine_clock *clock, uint64_t ns)
{
	clock->pause(clock, ns);
}

/* Of the kernel on which panetop runs; tests/layers.test lists who may use it, and why. */
extern const struct machine_clock real_clock;

/*
 * The same, until its first step; then it stands still between the steps, for all threads. CPU times and
 * pauses stay the kernel's. For a whole run, so that a test can say how time goes on.
 */
extern const struct machine_clock stepped_clock;
void stepped_clock_step(uint64_t ns);

static inline uint64_t real_mono_ns(void)
{
	return clock_mono_ns(&real_clock);
}

#endif
