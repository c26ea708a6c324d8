/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the processes of the scope with those of the last tick. */
#include <config.h>

#include "topic/profile/wait_scope.h"

#include <stdlib.h>

#include "core/alloc.h"

static void make_room(struct wait_scope *scope, size_t wanted)
{
	if (wanted <= scope->capacity)
		return;
	scope->capacity = 2 * wanted;
	scope->wanted = alloc_resize(scope->wanted, scope->capacity, sizeof(*scope->wanted));
	scope->room = alloc_resize(scope->room, scope->capacity, sizeof(*scope->room));
}

void wait_scope_update(struct wait_scope *scope, struct trace_set *set, const struct process_list *processes)
{
	size_t n = 0, at = 0, n_before = scope->n_wanted;
	bool is_new = false;
	uint32_t *before;

	make_room(scope, processes->n_all);
	before = scope->wanted;
	for (size_t i = 0; i < processes->n_all; i++) {
		uint32_t pid = processes->all[i]->pid;

		if (processes->all[i]->outside)
			continue;
		for (; at < n_before && before[at] < pid; at++)
			trace_want(set, before[at], false);
		if (at < n_before && before[at] == pid)
			at++;
		else
			is_new |= trace_want(set, pid, true) == 0;
		scope->room[n++] = pid;
	}
	for (; at < n_before; at++)
		trace_want(set, before[at], false);
	scope->wanted = scope->room;
	scope->room = before;
	scope->n_wanted = n;
	if (is_new)
		trace_iterate(set); /* their threads that wait, and have done so for a while */
}

uint32_t wait_scope_process(const struct sample_request *request)
{
	struct span list = span_text(request->processes ? request->processes : "");
	uint64_t pid;

	return request->scope->n_terms == 1 && span_u64(&list, &pid) && span_length(list) == 0 &&
			       pid <= UINT32_MAX
		       ? (uint32_t)pid
		       : 0;
}

void wait_scope_free(struct wait_scope *scope)
{
	free(scope->wanted);
	free(scope->room);
	*scope = (struct wait_scope){ 0 };
}
