/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that ended, as the reader of events knew them, for those who account for what they used. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_ENDED_H
#define PANETOP_TOPIC_EVENT_EVENT_ENDED_H

#include "topic/event/event_process.h"

#define EVENT_ENDED_MAX ((size_t)65536) /* what comes on top is forgotten */

struct event_ended {
	uint32_t pid, parent_pid;           /* 0: not known */
	uint64_t start_ns, end_ns;          /* CLOCK_MONOTONIC; U64_UNKNOWN */
	uint64_t children_ns;               /* 0 here: see child_shares_take() */
	char comm[EVENT_COMM_BYTES + 1];    /* empty: nobody told */
};

struct event_ended_list {
	struct event_ended *list; /* owned, in the order of their ends */
	size_t count, capacity;
};

void event_ended_add(struct event_ended_list *ended, const struct event_process *process, uint64_t end_ns);
void event_ended_free(struct event_ended_list *ended);

#endif
