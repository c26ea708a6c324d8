/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list that grows up to its most. */
#include <config.h>

#include "topic/event/event_ended.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

void event_ended_add(struct event_ended_list *ended, const struct event_process *process, uint64_t end_ns)
{
	struct event_ended *one;

	if (ended->count == EVENT_ENDED_MAX)
		return;
	if (ended->count == ended->capacity) {
		ended->capacity = ended->capacity ? 2 * ended->capacity : 64;
		ended->list = alloc_resize(ended->list, ended->capacity, sizeof(*ended->list));
	}
	one = &ended->list[ended->count++];
	one->pid = process->pid;
	one->parent_pid = process->parent_pid;
	one->start_ns = process->start_ns;
	one->end_ns = end_ns;
	one->children_ns = 0;
	strcpy(one->comm, process->name->comm);
}

void event_ended_free(struct event_ended_list *ended)
{
	free(ended->list);
}
