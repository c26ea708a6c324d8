/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows each process of the list to the scope, and notes which are outside. */
#include <config.h>

#include "topic/process/scope_members.h"

#include "topic/process/process_find.h"

static double start_of(const struct env *env, const struct process *process)
{
	return process_start_seconds(env, process->start_ticks);
}

static void look(struct scope *scope, const struct env *env, const struct process *process)
{
	scope_look(scope,
		   &(struct scope_process){
			   .pid = process->pid,
			   .parent_pid = process->stat.parent_pid,
			   .start_seconds = start_of(env, process),
			   .uid = process->uid == UINT32_MAX ? U64_UNKNOWN : process->uid,
			   .group = process->group,
			   .name = span_text(process->name),
			   .program = process->command ? span_of(process->command, process->program_length)
						       : span_text(""),
		   });
}

void scope_members_find(struct scope *scope, const struct env *env, struct process *const *all, size_t n_all)
{
	if (scope_is_set(scope)) {
		scope_begin(scope);
		for (size_t i = 0; i < n_all; i++)
			look(scope, env, all[i]);
		scope_end(scope);
	}
	for (size_t i = 0; i < n_all; i++)
		all[i]->outside = !scope_has(scope, all[i]->pid, start_of(env, all[i]));
}
