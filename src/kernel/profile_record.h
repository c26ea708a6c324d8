/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in the ring of a profile: samples of running code with their stacks, mappings, execs, forks,
 * losses. */
#ifndef PANETOP_KERNEL_PROFILE_RECORD_H
#define PANETOP_KERNEL_PROFILE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/* How events must be opened, with sample_id_all = 1: other records end with thread and time. */
#define PROFILE_SAMPLE_TYPE                                                                                  \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |                   \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/*
 * sample_regs_user: all general registers, by asm/perf_regs.h; PROFILE_IP and PROFILE_SP are the places of
 * the instruction and the stack pointer among them. 0 for other architectures: they have no user stacks.
 */
#if defined(__x86_64__)
#define PROFILE_REGISTERS UINT64_C(0xff01ff) /* ax bx cx dx si di bp sp ip, r8 to r15 */
#define PROFILE_N_REGISTERS 17
#define PROFILE_SP 7
#define PROFILE_IP 8
#elif defined(__aarch64__)
#define PROFILE_REGISTERS UINT64_C(0x1ffffffff) /* x0 to x30, sp, pc */
#define PROFILE_N_REGISTERS 33
#define PROFILE_SP 31
#define PROFILE_IP 32
#else
#define PROFILE_REGISTERS UINT64_C(0)
#define PROFILE_N_REGISTERS 1
#define PROFILE_SP 0
#define PROFILE_IP 0
#endif

enum profile_record_kind {
	PROFILE_RECORD_SAMPLE,
	PROFILE_RECORD_MAP,  /* memory that can be executed, of a file or not */
	PROFILE_RECORD_EXEC, /* all that was mapped before is gone */
	PROFILE_RECORD_FORK, /* pid: the new process, parent_pid: whose memory it has a copy of */
	PROFILE_RECORD_EXIT, /* of the process, with its first thread */
	PROFILE_RECORD_LOST,
	PROFILE_RECORD_THROTTLE, /* the kernel sampled too often for its own limit */
	PROFILE_RECORD_OTHER,
};

struct profile_record {
	enum profile_record_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid, parent_pid;
	uint64_t lost; /* LOST: records */

	uint64_t period; /* SAMPLE: cycles, or ns, since the one before: what it stands for */

	/* SAMPLE: of the kernel, the innermost first, 8 bytes each, perhaps not aligned; empty: it ran user
	 * code */
	struct span kernel;
	bool has_user, is_32_bit;
	uint64_t registers[PROFILE_N_REGISTERS];
	struct span stack; /* from the stack pointer on, as far as it was copied */

	/* MAP */
	uint64_t address, bytes, offset; /* offset: of the first byte in the file */
	uint32_t major, minor;
	uint64_t inode;   /* 0: no file */
	struct span path; /* or "//anon", "[vdso]" */
};

/* The next record of contiguous bytes. False at the end, or with bytes left where the rest is malformed. */
bool profile_record_next(struct span *bytes, struct profile_record *record);

/* The frame with this number; false: there are no more. */
bool profile_record_kernel(const struct profile_record *record, size_t number, uint64_t *address);

#endif
