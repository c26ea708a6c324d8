/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/stat, statm, io, schedstat, sched, status, limits and timens_offsets. */
#ifndef PANETOP_KERNEL_PID_PID_STAT_H
#define PANETOP_KERNEL_PID_PID_STAT_H

#include "core/span.h"
#include "core/unknown.h"

/* /proc/PID/stat, statm, io, schedstat and sched. */
#define PID_FLAG_KERNEL_THREAD UINT32_C(0x00200000) /* PF_KTHREAD of linux/sched.h */

/* Sums over all threads of the process, also exited ones; in a thread's file, of that thread. In USER_HZ. */
struct pid_stat {
	struct span comm;      /* without parentheses; may contain any byte */
	uint64_t minor_faults, major_faults; /* since its start */
	uint64_t children_minor_faults;      /* of children that were waited for */
	uint64_t user_ticks, system_ticks;   /* since its start */
	uint64_t children_user_ticks, children_system_ticks; /* of children that were waited for */
	uint64_t start_ticks;    /* since boot */
	uint64_t resident_pages; /* too few or too many by some on each CPU; U64_UNKNOWN in a shorter line */
	uint64_t processor;      /* CPU that it last ran on; U64_UNKNOWN likewise */
	uint32_t parent_pid, flags;
	int32_t process_group, session; /* -1 once it has exited */
	int32_t terminal; /* device number of the controlling terminal; 0: none */
	int32_t priority; /* 20 + nice; negative: -1 - real-time priority, -101: deadline */
	int32_t nice;
	uint32_t threads;
	char state; /* a letter, as in ps(1) */
};

/*
 * The main thread of a process may end before the others: its stat file then has the state of a zombie and no
 * memory, but still all CPU time and the number of threads, in which the main thread counts.
 */
static inline bool pid_stat_main_ended(const struct pid_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
}

/* … and others go on. */
static inline bool pid_stat_goes_on(const struct pid_stat *stat)
{
	return pid_stat_main_ended(stat) && stat->threads > 1;
}

static inline bool pid_stat_has_ended(const struct pid_stat *stat)
{
	return pid_stat_main_ended(stat) && stat->threads <= 1;
}

/* False unless all fields up to the start time are there. */
bool pid_stat_parse(struct span text, struct pid_stat *stat);

/*
 * The exit status of a zombie, as of wait(2), or the signal that stopped a process until its parent has read
 * that (since Linux 5.17); false when missing. Users without rights get 0.
 */
bool pid_stat_exit_status(struct span text, int *status);

/* The scheduling policy (SCHED_OTHER …) and the ticks that a thread waited for block devices. */
bool pid_stat_late_fields(struct span text, uint64_t *policy, uint64_t *disk_ticks);

/* The letter of a state as a constant text; "?" if unknown. */
const char *pid_state_text(char state);

/* Pages, as VmSize, VmRSS and RssFile + RssShmem in status. */
struct pid_statm {
	uint64_t virtual_pages, resident_pages, shared_pages;
};
bool pid_statm_parse(struct span text, struct pid_statm *statm);

struct pid_io {
	uint64_t read_bytes, write_bytes; /* read from and written to storage since its start */
	uint64_t call_read_bytes, call_write_bytes; /* by system calls, also from the cache and pipes */
};

bool pid_io_parse(struct span text, struct pid_io *io);

/* Of one thread, since its start. */
struct pid_schedstat {
	uint64_t run_ns;  /* on a CPU */
	uint64_t wait_ns; /* ready to run, but not running; counted when the wait is over */
	uint64_t runs;    /* how often it got a CPU */
};

bool pid_schedstat_parse(struct span text, struct pid_schedstat *schedstat);

/*
 * A wait is counted when it is over, however long ago it began. What is known of waits by now, with no more
 * than these threads can have waited in the time since shown_ns was so: the rest comes in the next interval.
 */
static inline uint64_t pid_wait_so_far(uint64_t shown_ns, uint64_t counted_ns, uint64_t threads,
				       uint64_t time_ns)
{
	uint64_t room_ns = threads * time_ns;

	return counted_ns - shown_ns > room_ns ? shown_ns + room_ns : counted_ns;
}

/*
 * From sched (CONFIG_SCHED_DEBUG; all kernels since 6.15): the clock of the tasks of its CPU when it last ran
 * there, in seconds since about boot.
 */
bool pid_sched_parse(struct span text, double *task_clock_seconds);

/* /proc/PID/status: the lines about memory, the user, signals, and others by name. */

/* Bytes; U64_UNKNOWN for a missing line, as of a kernel thread or an older kernel. */
struct pid_status {
	uint64_t vm_peak, vm_size, vm_locked, vm_pinned, vm_resident_peak, vm_resident;
	uint64_t resident_anonymous, resident_file, resident_shared;
	uint64_t vm_data, vm_stack, vm_program, vm_library, vm_page_tables, vm_swap;
	uint64_t huge_pages; /* HugetlbPages */
};

void pid_status_parse(struct span text, struct pid_status *status);

/* The UIDs in the text of /proc/PID/status; false when missing. */
bool pid_status_uids(struct span text, uint32_t *real, uint32_t *effective);

/* The value of the line with this name, without blanks before it; false when missing. */
bool pid_status_line(struct span text, const char *name, struct span *value);

/* Sets of signals: bit N - 1 for signal N. */
struct pid_signals {
	uint64_t thread_pending, pending; /* of the main thread, and of the process */
	uint64_t blocked, ignored, caught;
	uint64_t queued, queued_max; /* of all processes of the user, and its limit; U64_UNKNOWN */
};

/* False unless all sets are there. */
bool pid_status_signals(struct span text, struct pid_signals *signals);

/* /proc/PID/limits: a line for each resource limit. */
#define PID_UNLIMITED (UINT64_MAX - 1)

struct pid_limit {
	struct span name;    /* as the kernel spells it: "Max open files" */
	struct span unit;    /* "files"; empty: none */
	uint64_t soft, hard; /* PID_UNLIMITED */
};

/* The next limit of the text; skips the heading and lines that are none. False after the last. */
bool pid_limits_next(struct span *text, struct pid_limit *limit);

/* /proc/PID/timens_offsets: how far the clocks of a time namespace are ahead of the kernel's. */

/* The offset of this clock, "monotonic" or "boottime". False: it is not listed, or not within a century. */
bool timens_offset(struct span text, const char *clock, int64_t *ahead_ns);

#endif
