/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in the ring of a perf event: tasks that start, change their name and end, samples, losses. */
#ifndef PANETOP_KERNEL_PERF_RECORD_H
#define PANETOP_KERNEL_PERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define PERF_COMM_BYTES 16

/* How the events must be opened: what is not a sample ends with thread and time (sample_id_all = 1). */
#define PERF_TASK_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define PERF_EXEC_SAMPLE_TYPE_BARE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define PERF_EXEC_SAMPLE_TYPE \
	(PERF_EXEC_SAMPLE_TYPE_BARE | \
	 (PERF_EXEC_REGISTERS != 0 ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0))

/*
 * sample_regs_user: the stack pointer, as in the machine's asm/perf_regs.h. 0 for machines that are not
 * listed: then sample_stack_user must be 0, too.
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
	PERF_RECORD_KIND_FORK,   /* pid, tid: the new one; parents: who made it */
	PERF_RECORD_KIND_EXIT,
	PERF_RECORD_KIND_COMM,   /* comm; exec: because it became another program */
	PERF_RECORD_KIND_SAMPLE, /* raw, stack */
	PERF_RECORD_KIND_LOST,   /* lost */
	PERF_RECORD_KIND_OTHER,
};

struct perf_record {
	enum perf_record_kind kind;
	uint64_t time_ns;  /* of the clock that was chosen with clockid */
	uint32_t pid, tid; /* process and thread */
	uint32_t parent_pid, parent_tid;
	bool exec;
	char comm[PERF_COMM_BYTES + 1];
	uint64_t lost;     /* records that did not fit since the one before */
	struct span raw;   /* SAMPLE: the fields of the tracepoint, as its format file lays them out */
	bool is_32_bit;    /* SAMPLE: of a program with addresses of 4 bytes */
	uint64_t stack_address; /* SAMPLE: where the stack of the program ends, 0 when it was not taken */
	struct span stack;      /* SAMPLE: the bytes from there on, up to the first page never touched */
};

/*
 * Eats the next record of bytes that lie in one piece, in the byte order of this machine. False at the end,
 * and where what is left is not well-formed: then some bytes are left. Samples are those of
 * PERF_EXEC_SAMPLE_TYPE and PERF_EXEC_REGISTERS, or of PERF_EXEC_SAMPLE_TYPE_BARE.
 */
bool perf_record_next(struct span *bytes, struct perf_record *record);

/*
 * The arguments that a program was started with, from its stack as the kernel laid it out just then: joined
 * by blanks in out, NUL-terminated. As many as lie whole in the stack that was taken; the last is cut where
 * there is no more room. Their length, 0 when there are none; program_length: of the first.
 */
size_t perf_exec_arguments(const struct perf_record *sample, char *out, size_t room, size_t *program_length);

/* Whether the stack holds all arguments: if not, what perf_exec_arguments() gives is the start of more. */
bool perf_exec_arguments_are_whole(const struct perf_record *sample);

#endif
