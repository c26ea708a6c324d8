/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in the ring of a perf event: forks, new names, exits, samples, losses. */
#ifndef PANETOP_KERNEL_PERF_RECORD_H
#define PANETOP_KERNEL_PERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

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

#endif
