/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lifetimes exclude those of children: a shell that waits for a compiler uses little itself. */
#include <config.h>

#include "topic/process/child_cpu_share.h"

#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/vector.h"

#define LEAST_NS UINT64_C(1000) /* for a process that lived shorter than the clock can show */

struct process *child_reaper(const struct process_list *processes, uint32_t parent_pid)
{
	for (size_t steps = 0; steps <= processes->n_exited; steps++) {
		struct process *parent = process_list_find(processes, parent_pid);

		if (parent)
			return parent;
		parent = process_list_find_exited(processes, parent_pid);
		if (!parent)
			break;
		parent_pid = (uint32_t)parent->stat.parent_pid;
	}
	return process_list_find(processes, 1);
}

static int compare_ended(const void *one, const void *other)
{
	const struct event_ended *a = one, *b = other;

	return a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid)
				: (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* The index of its parent: the first with this pid that had not exited when the child started. */
static size_t parent_of(const struct event_ended_list *ended, const struct event_ended *child)
{
	const struct event_ended parent = {
		.pid = child->parent_pid,
		.end_ns = child->start_ns == U64_UNKNOWN ? 0 : child->start_ns,
	};
	size_t at;

	VECTOR_BOUND(at, ended->count, compare_ended(&ended->list[at], &parent) < 0);
	return at < ended->count && ended->list[at].pid == parent.pid ? at : ended->count;
}

static uint64_t lived_ns(const struct child_shares *shares, const struct event_ended *one)
{
	uint64_t from_ns = one->start_ns;

	if (from_ns == U64_UNKNOWN || from_ns < shares->since_ns)
		from_ns = shares->since_ns ? shares->since_ns : one->end_ns;
	return one->end_ns > from_ns ? one->end_ns - from_ns : 0;
}

static uint32_t reaper_pid_of(const struct process_list *processes, const struct event_ended_list *ended,
			      size_t at)
{
	const struct process *reaper;

	for (size_t steps = 0; steps < ended->count; steps++) {
		size_t parent = parent_of(ended, &ended->list[at]);

		if (parent == ended->count || parent == at)
			break;
		at = parent;
	}
	reaper = child_reaper(processes, ended->list[at].parent_pid);
	return reaper ? reaper->pid : 0;
}

static void add_share(struct child_shares *shares, uint32_t reaper_pid, const char *comm, uint64_t ns)
{
	struct child_share *share;

	for (size_t i = 0; i < shares->count; i++) {
		share = &shares->list[i];
		if (share->reaper_pid == reaper_pid && strcmp(share->comm, comm) == 0) {
			share->lived_ns += ns;
			return;
		}
	}
	if (shares->count == CHILD_SHARES_MAX)
		return;
	share = &shares->list[shares->count++];
	share->reaper_pid = reaper_pid;
	share->lived_ns = ns;
	strcpy(share->comm, comm);
}

/* Removes the shares of this reaper; 0: of all reapers that have exited. */
static void drop(struct child_shares *shares, const struct process_list *processes, uint32_t reaper_pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < shares->count; i++) {
		const struct child_share *share = &shares->list[i];

		if (reaper_pid ? share->reaper_pid != reaper_pid
			       : process_list_find(processes, share->reaper_pid) != NULL)
			shares->list[kept++] = *share;
	}
	shares->count = kept;
}

void child_shares_add(struct child_shares *shares, const struct process_list *processes,
		       struct event_ended_list *ended)
{
	drop(shares, processes, 0);
	if (ended->count > 0)
		qsort(ended->list, ended->count, sizeof(*ended->list), compare_ended);
	for (size_t i = 0; i < ended->count; i++) {
		size_t parent = parent_of(ended, &ended->list[i]);

		if (parent < ended->count)
			ended->list[parent].children_ns += lived_ns(shares, &ended->list[i]);
	}
	for (size_t i = 0; i < ended->count; i++) {
		const struct event_ended *one = &ended->list[i];
		uint64_t ns = lived_ns(shares, one);

		ns = ns > one->children_ns ? ns - one->children_ns : 0;
		if (*one->comm)
			add_share(shares, reaper_pid_of(processes, ended, i), one->comm,
				 ns > LEAST_NS ? ns : LEAST_NS);
	}
	shares->since_ns = processes->mono_ns;
}

bool child_shares_split(struct child_shares *shares, const struct process_list *processes,
			uint32_t reaper_pid, uint64_t ns,
			void (*credit)(void *context, const char *name, uint64_t ns), void *context)
{
	uint64_t all_ns = 0;

	for (size_t i = 0; i < shares->count; i++)
		if (shares->list[i].reaper_pid == reaper_pid)
			all_ns += shares->list[i].lived_ns;
	if (all_ns == 0)
		return false;
	for (size_t i = 0; i < shares->count; i++) {
		const struct child_share *share = &shares->list[i];

		if (share->reaper_pid == reaper_pid)
			credit(context, share->comm,
			     (uint64_t)((double)share->lived_ns / (double)all_ns * (double)ns));
	}
	drop(shares, processes, reaper_pid);
	return true;
}
