/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine: its clocks, the kernel's in the program, a script in a test; and the root of its files. */
#ifndef PANETOP_SYS_MACHINE_H
#define PANETOP_SYS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Operations; a script embeds the struct. */
struct machine_clock {
	/* A clock of clock_gettime(2). False: there is none, as of a process that has ended. */
	bool (*read)(const struct machine_clock *clock, clockid_t which, uint64_t *ns);

	/* Until so much has passed, or a signal came. */
	void (*pause)(const struct machine_clock *clock, uint64_t ns);
};

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / UINT64_C(1000000000)), (long)(ns % UINT64_C(1000000000)) };
}

static inline uint64_t clock_timespec_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static inline uint64_t clock_now_ns(const struct machine_clock *clock, clockid_t which)
{
	uint64_t ns;

	return clock->read(clock, which, &ns) ? ns : 0;
}

static inline uint64_t clock_mono_ns(const struct machine_clock *clock)
{
	return clock_now_ns(clock, CLOCK_MONOTONIC);
}

static inline uint64_t clock_wall_ns(const struct machine_clock *clock)
{
	return clock_now_ns(clock, CLOCK_REALTIME);
}

static inline uint64_t clock_boot_ns(const struct machine_clock *clock)
{
	return clock_now_ns(clock, CLOCK_BOOTTIME);
}

/* CPU time of this process so far. */
static inline uint64_t clock_self_cpu_ns(const struct machine_clock *clock)
{
	return clock_now_ns(clock, CLOCK_PROCESS_CPUTIME_ID);
}

/* CPU time of the calling thread. */
static inline uint64_t clock_thread_cpu_ns(const struct machine_clock *clock)
{
	return clock_now_ns(clock, CLOCK_THREAD_CPUTIME_ID);
}

/*
 * CPU time of a process since its start, of all its threads, also exited ones; all users may read it. False
 * when no process has this pid in our namespace. The clock of clock_getcpuclockid(3), without its check.
 */
static inline bool clock_process_cpu_ns(const struct machine_clock *clock, uint32_t pid, uint64_t *ns)
{
	return clock->read(clock, (clockid_t)(~pid << 3 | 2), ns);
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

/* The directory below which samplers read: "/", or that of --root, out of which no link leads. */

struct root {
	int fd;         /* owned */
	bool is_tree;   /* not "/": links in it are relative to it, as after chroot(2) */
	bool by_kernel; /* by openat2(2), since Linux 5.6 */
};

/* 0 or -errno. */
int root_open(struct root *root, const char *path);

/*
 * As openat(2), close-on-exec, for reading or with O_PATH. Files of a tree that belong to the user keep their
 * access times.
 */
int root_open_at(const struct root *root, const char *path, int flags);

/* As readlinkat(2). */
ssize_t root_read_link(const struct root *root, const char *path, char *target, size_t room);

#endif
