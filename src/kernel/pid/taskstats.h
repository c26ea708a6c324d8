/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskstats, a generic netlink family of the kernel: the resources of a task, reported at its exit. */
#ifndef PANETOP_KERNEL_TASKSTATS_H
#define PANETOP_KERNEL_TASKSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"
#include "kernel/net/netlink.h"

#define U32_UNKNOWN UINT32_MAX
#define EXIT_COMM_BYTES 32 /* TS_COMM_LEN */

/* An exited thread. */
struct exit_record {
	uint32_t tid;
	uint32_t tgid;      /* its process; 0 before version 12 (Linux 5.19) */
	bool last;          /* its process ended with it; always false before version 12 */
	uint32_t uid;       /* real; U32_UNKNOWN */
	uint32_t parent_pid; /* of its process, when it exited; U32_UNKNOWN */
	/*
	 * Of this thread, as by wait(2); U32_UNKNOWN. Before version 12 the kernel reports 0 for all threads
	 * of a process but the first, so 0 is unknown there.
	 */
	uint32_t exit_code;
	/*
	 * U64_UNKNOWN; cpu_ns = user_ns + system_ns. A kernel that counts CPU time in ticks reports whole
	 * ticks: often 0 for short threads, correct in the sum over many, too little on a crowded CPU.
	 */
	uint64_t cpu_ns;
	/*
	 * By the scheduler's clock, in nanoseconds, but only up to its last update of the thread: up to a
	 * tick too little, so that short threads seem to have used almost nothing. U64_UNKNOWN.
	 */
	uint64_t run_ns;
	uint64_t user_ns, system_ns;
	uint64_t elapsed_ns; /* from start to exit; U64_UNKNOWN */
	uint64_t queued_ns;  /* part of it: runnable, waiting for a CPU; U64_UNKNOWN */
	uint64_t peak_kib;   /* peak resident memory of its process; 0: kernel thread; U64_UNKNOWN */
	uint64_t sleeps;     /* voluntary context switches; U64_UNKNOWN */
	char comm[EXIT_COMM_BYTES + 1]; /* may contain any byte; "": unknown */
	uint16_t version;               /* of struct taskstats */
};

/* The answer to CTRL_CMD_GETFAMILY for TASKSTATS; false for other messages. */
bool taskstats_family(const struct netlink_message *message, uint16_t *family);

/*
 * The exited thread; false for other messages. Skips the sums of a process (TASKSTATS_TYPE_AGGR_TGID), which
 * may follow its last thread in the same message: they have no times.
 */
bool taskstats_exit(const struct netlink_message *message, uint16_t family, struct exit_record *record);

#endif
