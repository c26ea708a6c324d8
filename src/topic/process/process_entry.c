/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/process/process_entry.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/process_pattern.h"
#include "core/vector.h"
#include "sys/pids.h"

struct process *process_in_list(struct process *const *list, size_t n_list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, n_list, list[at]->pid < pid);
	return at < n_list && list[at]->pid == pid ? list[at] : NULL;
}

struct process *process_new(uint32_t pid)
{
	struct process *process = alloc_zeroed(1, sizeof(*process));

	process->pid = pid;
	process->uid = UINT32_MAX;
	process->start_ticks = process->virtual_pages = process->shared_pages = U64_UNKNOWN;
	process->outside_tick = ENV_NEVER;
	process->stat_file = process->statm_file = -1;
	return process;
}

void process_release_files(struct env *env, struct process *process)
{
	pids_release(env, &process->stat_file);
	pids_release(env, &process->statm_file);
}

void process_free(struct process *process)
{
	free(process->command);
	free(process);
}

bool process_matches(const struct process *process, struct span list)
{
	struct span program = process->command ? span_of(process->command, process->program_length)
					       : span_text("");

	return process_pattern_matches(list, process->pid, span_text(process->name), program);
}
