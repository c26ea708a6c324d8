/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts of system calls, added up by process and call; and in which threads are when they
 * are looked at, where the kernel does not count them.
 */
#ifndef PANETOP_TOPIC_CALL_CALL_COUNTS_H
#define PANETOP_TOPIC_CALL_CALL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/i18n.h"
#include "model/settings.h"
#include "topic/process/process_list.h"
#include "topic/trace/trace_scope.h"

#define CALL_NAME_BYTES 32

struct call_count {
	uint64_t word; /* BPF_CALL_… of sys/bpf/program.h */
	uint64_t count, sum_ns, most_ns;
	double more;       /* of bursts: estimated for the time without one, beside count … */
	uint64_t in_burst; /* … from this part of count */
};

/* A process and a call of it: neighbours among counts in the order of their words. */
struct call_sum {
	uint32_t pid, number;            /* number: as in the word, with BPF_CALL_FOREIGN */
	uint64_t calls, errors;          /* errors: of the calls, with those that a signal interrupted; … */
	uint64_t in_burst;               /* … with what is estimated, here without */
	uint64_t timed, sum_ns, most_ns; /* timed: calls whose time is known */
	const struct call_count *counts; /* borrowed */
	size_t n;
};

/* Puts them in order, and adds up those that have the same word: how many there are then. */
size_t call_counts_sort(struct call_count *counts, size_t n);

/* The count with this word of those in order; NULL: none. */
const struct call_count *call_counts_find(const struct call_count *counts, size_t n, uint64_t word);

/* The sum that begins at *at, which goes on to the next one. False: there are no more. */
bool call_counts_next(const struct call_count *counts, size_t n, size_t *at, struct call_sum *sum);

/* Seconds that percent of the timed calls did not exceed, rounded up by at most 7 %; NaN: none is timed. */
double call_sum_percentile(const struct call_sum *sum, double percent);

/* "EAGAIN 12, ENOENT 3", the most first, cut at room. */
void call_sum_errors(const struct call_sum *sum, char *text, size_t room);

/* "read", "i386:3", "512" where the C library has no name for it, or "(sigreturn)". */
void call_name(uint32_t number, char name[CALL_NAME_BYTES]);

struct call_looks;

/* A thread that looks begins; NULL: it could not. */
struct call_looks *call_looks_open(struct env *env);
void call_looks_close(struct call_looks *looks); /* NULL: nothing */

/*
 * From now on it looks at the threads of this process, by its pid; 0: at those of the scope. Where that is
 * refused they are left out. How many there is no room for.
 */
size_t call_looks_follow(struct call_looks *looks, const struct process_list *processes, uint32_t process);

/*
 * Sets the caller's vector to what was seen so far, one of each process and call: count is how often a thread
 * was in it, sum_ns the time between looks that this stands for. None while the thread hangs.
 */
size_t call_looks_counts(struct call_looks *looks, struct call_count **counts, size_t *capacity);

#define CALL_TARGET_REMEDY _("select one process (Enter) or a scope (@) with fewer calls")

#define CALL_RETURNS "sys_exit" /* the tracepoint at which all of them count */

/* Of the source TRACE_SOURCE. */
#define CALL_NEEDS N_("this needs Linux 5.14 with BTF, on x86 or arm64")
#define CALL_REMEDIES                                                                                        \
	TRACE_REMEDIES, TRACE_REMEDY_PIDS, { ENOENT, CALL_NEEDS },                                           \
	{                                                                                                    \
		ENODATA, CALL_NEEDS                                                                          \
	}

/* All zero: none is known. */
struct call_target {
	bool is_known, of_scope;
	uint32_t process; /* only this one; 0: the scope, or all */
	unsigned epoch;   /* of the scope */
};

/* What the request wants now. True: that is another one than before. */
bool call_target_update(struct call_target *target, const struct sample_request *request);

struct opened_file {
	uint64_t time_ns; /* CLOCK_MONOTONIC of the kernel */
	uint32_t pid, tid;
	int32_t result;            /* a descriptor, or a negative error */
	struct span command, path; /* path: empty: it could not be read */
	bool is_unread;
};

/* What a sample of a ring holds; false: it is malformed. */
bool opened_file_parse(struct span raw, struct opened_file *file);

#endif
