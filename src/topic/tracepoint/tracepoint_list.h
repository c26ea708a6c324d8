/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracepoints of the running kernel: their names, and the format of each. */
#ifndef PANETOP_TOPIC_TRACEPOINT_TRACEPOINT_LIST_H
#define PANETOP_TOPIC_TRACEPOINT_TRACEPOINT_LIST_H

#include "core/span.h"
#include "sys/env.h"

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

#endif
