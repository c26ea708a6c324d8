/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/process/process_entry.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/process_pattern.h"

struct task *task_find(struct task *const *list, size_t n_list, uint32_t pid)
{
	size_t low = 0, high = n_list;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n_list && list[low]->pid == pid ? list[low] : NULL;
}

struct task *task_new(uint32_t pid)
{
	struct task *task = alloc_zeroed(1, sizeof(*task));

	task->pid = pid;
	task->uid = UINT32_MAX;
	task->start_ticks = U64_UNKNOWN;
	task->outside_tick = ENV_NEVER;
	task->stat_file = -1;
	return task;
}

void task_free(struct task *task)
{
	free(task->command);
	free(task);
}

bool task_is_listed(const struct task *task, struct span list)
{
	return process_pattern_matches(list, task->pid, span_text(task->name),
			      task->command ? span_of(task->command, task->program_length) : span_text(""));
}
