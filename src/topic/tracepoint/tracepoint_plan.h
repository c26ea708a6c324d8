/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what a user wants to have counted, and the format of the tracepoint, to a program for the kernel. */
#ifndef PANETOP_TOPIC_TRACEPOINT_TRACEPOINT_PLAN_H
#define PANETOP_TOPIC_TRACEPOINT_TRACEPOINT_PLAN_H

#include "core/buffer.h"
#include "core/span.h"
#include "model/rule.h"
#include "sys/env.h"
#include "topic/trace/trace.h"

/* The source of topics that read tracefs. */
#define TRACEPOINT_SOURCE "sys/kernel/tracing/events"
#define TRACEPOINT_REMEDIES                                                                                  \
	{ EACCES, N_("run it as root, or give it the capability cap_dac_read_search") },                     \
		{ EPERM, N_("run it as root, or give it the capability cap_dac_read_search") },              \
		{ ENOENT, N_("mount it: mount -t tracefs tracefs /sys/kernel/tracing") }

struct tracepoint_list {
	int tracefs; /* owned */
	char *names; /* "GROUP:EVENT" in lines, in the order of the kernel; owned; NULL: not read yet */
	size_t length, capacity;
	char *format; /* owned */
};

/* 0 or -errno. */
int tracepoint_list_open(struct tracepoint_list *list, struct env *env);
void tracepoint_list_close(struct tracepoint_list *list);

/* Can it be opened? 0 or -errno. */
int tracepoint_list_test(struct env *env);

/* All names, valid until it is closed. 0 or -errno. */
int tracepoint_list_names(struct tracepoint_list *list, struct span *names);

/* The text of the format of a tracepoint, valid until the next call. 0; -ENOENT: it does not exist; -errno.
 */
int tracepoint_list_format(struct tracepoint_list *list, struct span group, struct span event,
			   struct span *format);

/* Why there is no such tracepoint, and what there is, translated. */
void tracepoint_list_refuse(struct tracepoint_list *list, const char *group, const char *event, char *why,
			    size_t room);

#define TRACEPOINT_ROWS_MAX 8192

enum tracepoint_key_is {
	TRACEPOINT_KEY_NUMBER,
	TRACEPOINT_KEY_DEVICE,  /* as MAJOR:MINOR */
	TRACEPOINT_KEY_POINTER, /* in hexadecimal */
	TRACEPOINT_KEY_GROUP,   /* the number of a control group */
	TRACEPOINT_KEY_TEXT,
};

/* Its parts point to each other: it stays where it was made. */
struct tracepoint_plan {
	struct trace_plan plan;
	struct bpf_program programs[2]; /* of a scope the second follows forks */
	struct bpf_table_parts table;
	char tracepoint[2 * TRACE_NAME_MAX];
	char name[TRACE_SPEC_TEXT_MAX];
	enum tracepoint_key_is keys[TRACE_KEYS_MAX];
	unsigned n_keys;
	bool has_sum, has_most, has_bits;
};

/*
 * format: text of events/GROUP/EVENT/format. of_scope: only of processes that trace_want() names. False: why,
 * translated, is what the tracepoint does not have, and what it has.
 */
bool tracepoint_plan_make(struct tracepoint_plan *plan, const struct trace_spec *spec, struct span format,
			  bool of_scope, char *why, size_t room);

/*
 * The same with what the kernel has: 0; -EINVAL: it has no such tracepoint or field, and why says what there
 * is; -errno: it may not be read.
 */
int tracepoint_plan_find(struct tracepoint_plan *plan, struct tracepoint_list *list,
			 const struct trace_spec *spec, bool of_scope, char *why, size_t room);

/* False: tracefs can be read, and has no such tracepoint or field; why says what there is. */
bool tracepoint_check(struct env *env, const struct trace_spec *spec, char *why, size_t room);

/* What fields are for. */
enum tracepoint_part { TRACEPOINT_NUMBERS, TRACEPOINT_TEXTS, TRACEPOINT_OTHERS, N_TRACEPOINT_PARTS };

/* Adds the names of those of a format, with blanks between them, and a NUL. */
void tracepoint_fields(struct span format, enum tracepoint_part part, struct buffer *out);

#endif
