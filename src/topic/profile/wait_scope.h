/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of the scope, as programs of a plan of_wanted know them. */
#ifndef PANETOP_TOPIC_PROFILE_WAIT_SCOPE_H
#define PANETOP_TOPIC_PROFILE_WAIT_SCOPE_H

#include "topic/process/process_list.h"
#include "topic/trace/trace.h"

/* All zero: none is known. */
struct wait_scope {
	uint32_t *wanted, *room; /* pids, ascending; the same capacity */
	size_t n_wanted, capacity;
};

/* The only process that the scope names, by its number: to look at that alone costs others less. 0: none. */
uint32_t wait_scope_process(const struct sample_request *request);

/* Has the programs look at those that the scope has now, and no others. */
void wait_scope_update(struct wait_scope *scope, struct trace_set *set, const struct process_list *processes);
void wait_scope_free(struct wait_scope *scope);

#endif
