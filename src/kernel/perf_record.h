/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events: reads of counts, and records in their rings. */
#ifndef PANETOP_KERNEL_PERF_RECORD_H
#define PANETOP_KERNEL_PERF_RECORD_H

#include <linux/perf_event.h>

#include "core/span.h"
#include "core/unknown.h"

/* Reads of groups of perf events: counts, and how long they were counted. */
struct perf_times {
	uint64_t enabled_ns; /* how long the group was enabled */
	uint64_t running_ns; /* how long it counted: less when events share the counters of the CPU */
};

/*
 * The counts of a group that was read with PERF_READ_FORMAT (see sys/perf_ring.h), in the order in which the
 * events were opened. False, and nothing is set, unless bytes are exactly a group of n_values events.
 */
bool perf_read_parse(struct span bytes, uint64_t *values, size_t n_values, struct perf_times *times);

/*
 * The count scaled to the time enabled: exact when the group ran all of it, else an estimate; U64_UNKNOWN
 * when it never ran.
 */
uint64_t perf_scaled(uint64_t count, struct perf_times times);

/* Records in the ring of a perf event: forks, new names, exits, samples, losses. */
#define PERF_COMM_BYTES 16

/* How events must be opened: records other than samples end with thread and time (sample_id_all = 1). */
#define PERF_TASK_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define PERF_EXEC_SAMPLE_TYPE_BARE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define PERF_EXEC_SAMPLE_TYPE \
	(PERF_EXEC_SAMPLE_TYPE_BARE | \
	 (PERF_EXEC_REGISTERS != 0 ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0))

/*
 * sample_regs_user: the stack pointer, by asm/perf_regs.h of the architecture. 0 for other architectures:
 * sample_stack_user must be 0 there, too.
 */
#if defined(__x86_64__) || defined(__i386__)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 7)
#elif defined(__aarch64__)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 31)
#elif defined(__arm__)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 13)
#elif defined(__riscv)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 2)
#elif defined(__powerpc__)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 1)
#elif defined(__s390__)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 15)
#elif defined(__loongarch__)
#define PERF_EXEC_REGISTERS (UINT64_C(1) << 3)
#else
#define PERF_EXEC_REGISTERS UINT64_C(0)
#endif

enum perf_record_kind {
	PERF_RECORD_KIND_FORK,   /* pid, tid: the new task; parents: its creator */
	PERF_RECORD_KIND_EXIT,
	PERF_RECORD_KIND_COMM,   /* comm; exec: because of an exec */
	PERF_RECORD_KIND_SAMPLE, /* raw, stack */
	PERF_RECORD_KIND_LOST,   /* lost */
	PERF_RECORD_KIND_OTHER,
};

struct perf_record {
	enum perf_record_kind kind;
	uint64_t time_ns;  /* of the clock chosen by clockid */
	uint32_t pid, tid; /* process and thread */
	uint32_t parent_pid, parent_tid;
	bool exec;
	char comm[PERF_COMM_BYTES + 1];
	uint64_t lost;     /* records lost since the last record */
	struct span raw;   /* SAMPLE: the fields of the tracepoint, laid out as in its format file */
	bool is_32_bit;    /* SAMPLE: the program has 4-byte addresses */
	uint64_t stack_address; /* SAMPLE: the stack pointer; 0: no stack was copied */
	struct span stack;      /* SAMPLE: the bytes from there to the first page never touched */
};

/*
 * The next record of contiguous bytes, in the byte order of this machine. False at the end, or with bytes
 * left where the rest is malformed. Samples are those of PERF_EXEC_SAMPLE_TYPE and PERF_EXEC_REGISTERS, or of
 * PERF_EXEC_SAMPLE_TYPE_BARE.
 */
bool perf_record_next(struct span *bytes, struct perf_record *record);

/*
 * The arguments of a program, from the initial stack: joined by blanks in out, NUL-terminated. Only those
 * that lie completely in the copied stack; the last is cut at room. Returns their length, 0 when there are
 * none; program_length: of the first.
 */
size_t perf_exec_arguments(const struct perf_record *sample, char *out, size_t room, size_t *program_length);

/* Does the stack hold all arguments? If not, perf_exec_arguments() gives only the first. */
bool perf_exec_arguments_are_whole(const struct perf_record *sample);

/* Records in the ring of a profile: samples of running code with their stacks, mappings, execs, forks,
 * losses. */

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
