/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskstats, a generic netlink family of the kernel: what a task used, told when it ends. */
#ifndef PANETOP_KERNEL_TASKSTATS_H
#define PANETOP_KERNEL_TASKSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"
#include "kernel/netlink.h"

#define U32_UNKNOWN UINT32_MAX
#define EXIT_COMM_BYTES 32 /* TS_COMM_LEN */

/* One thread that ended. */
struct exit_record {
	uint32_t tid;
	uint32_t tgid;      /* its process; 0 before version 12 (Linux 5.19) */
	uint32_t uid;       /* real; U32_UNKNOWN */
	/*
	 * Of this thread, as wait() has it; U32_UNKNOWN. Before version 12 the kernel says 0 for all threads
	 * of a process but the first, so a 0 is not believed.
	 */
	uint32_t exit_code;
	/*
	 * U64_UNKNOWN; cpu_ns = user_ns + system_ns. A kernel that counts CPU time by ticks tells whole ones:
	 * often none to a thread shorter than one, right in the sum over many, too little on a crowded CPU.
	 */
	uint64_t cpu_ns;
	/*
	 * By the scheduler's own clock, to the nanosecond, but only up to its last look at the thread: up to
	 * a tick too little, so that short threads seem to have done next to nothing. U64_UNKNOWN.
	 */
	uint64_t run_ns;
	uint64_t user_ns, system_ns;
	uint64_t elapsed_ns; /* from its start to its end; U64_UNKNOWN */
	uint64_t queued_ns;  /* of these it was ready, and waited for a CPU; U64_UNKNOWN */
	uint64_t peak_kib;   /* the most memory that its process held; 0 for kernel threads; U64_UNKNOWN */
	uint64_t sleeps;     /* how often it gave up the CPU of its own accord; U64_UNKNOWN */
	char comm[EXIT_COMM_BYTES + 1]; /* may hold any byte; "" when not known */
	uint16_t version;               /* of struct taskstats */
};

/* The answer to CTRL_CMD_GETFAMILY for TASKSTATS: false when it is something else. */
bool taskstats_family(const struct netlink_message *message, uint16_t *family);

/*
 * The thread that ended; false when it tells of none. The sums over a process (TASKSTATS_TYPE_AGGR_TGID),
 * which may follow its last thread in the same message, are passed over: they hold no times.
 */
bool taskstats_exit(const struct netlink_message *message, uint16_t family, struct exit_record *record);

#endif
