/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes, finds and frees what the lists hold; which file of a process has its memory, and how fast it grew.
 */
#include <config.h>

#include "topic/process/process_entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/process_pattern.h"
#include "core/vector.h"
#include "sys/pids.h"

#define GROWTH_NS UINT64_C(10000000000)      /* between the sizes that are kept */
#define GROWTH_LEAST_NS UINT64_C(3000000000) /* programs grow when they start: less says nothing */

struct process *process_in_list(struct process *const *list, size_t n_list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, n_list, list[at]->pid < pid);
	return at < n_list && list[at]->pid == pid ? list[at] : NULL;
}

struct process *process_new(struct pool *pool, uint32_t pid)
{
	struct process *process = pool_take(pool);

	process->pid = pid;
	process->name = process->usual_name;
	process->uid = UINT32_MAX;
	process->start_ticks = process->virtual_pages = process->shared_pages = U64_UNKNOWN;
	process->proportional_bytes = U64_UNKNOWN;
	process->outside_tick = (uint32_t)ENV_NEVER;
	process->stat_file = process->statm_file = -1;
	return process;
}

const char *process_memory_file(const struct process *process, const char *name, char path[PROCESS_FILE_MAX])
{
	if (!process->living_tid)
		return name;
	snprintf(path, PROCESS_FILE_MAX, "task/%u/%s", process->living_tid, name);
	return path;
}

void process_release_files(struct env *env, struct process *process)
{
	pids_release(env, &process->stat_file);
	pids_release(env, &process->statm_file);
	if (process->io)
		pids_release(env, &process->io->file);
	for (size_t i = 0; process->wait && i < process->wait->n_threads; i++)
		pids_release(env, &process->wait->threads[i].file);
}

static void free_name(struct process *process)
{
	if (process->name != process->usual_name)
		free((char *)process->name);
	process->name = process->usual_name;
}

void process_set_name(struct process *process, struct span name)
{
	size_t length = span_length(name);
	char *copy = process->usual_name;

	free_name(process);
	if (length >= PROCESS_NAME_USUAL)
		process->name = copy = alloc_resize(NULL, length + 1, 1);
	memcpy(copy, name.at, length);
	copy[length] = '\0';
}

void process_set_stat(struct process *process, const struct pid_stat *stat)
{
	process->stat = (struct process_stat){
		.minor_faults = stat->minor_faults,
		.major_faults = stat->major_faults,
		.children_minor_faults = stat->children_minor_faults,
		.user_ticks = stat->user_ticks,
		.system_ticks = stat->system_ticks,
		.children_ticks = stat->children_user_ticks + stat->children_system_ticks,
		.resident_pages = stat->resident_pages,
		.parent_pid = stat->parent_pid,
		.threads = stat->threads,
		.processor = stat->processor < UINT32_MAX ? (uint32_t)stat->processor : UINT32_MAX,
		.terminal = stat->terminal,
		.priority = stat->priority,
		.nice = stat->nice,
		.state = pid_stat_goes_on(stat) ? '\0' : stat->state,
		.kernel_thread = stat->flags & PID_FLAG_KERNEL_THREAD,
	};
}

void process_free(struct pool *pool, struct process *process)
{
	free_name(process);
	free(process->command);
	free(process->io);
	if (process->wait)
		free(process->wait->threads);
	free(process->wait);
	free(process->group);
	pool_give(pool, process);
}

bool process_matches(const struct process *process, struct span list)
{
	struct span program = process->command ? span_of(process->command, process->program_length)
					       : span_text("");

	return process_pattern_matches(list, process->pid, span_text(process->name), program);
}

double process_growth(struct process *process, uint64_t bytes, uint64_t now_ns)
{
	const struct process_size now = { bytes, now_ns };

	if (bytes == U64_UNKNOWN)
		return NAN;
	if (process->older.mono_ns == 0)
		process->older = process->newer = now;
	if (now_ns - process->newer.mono_ns >= GROWTH_NS) {
		process->older = process->newer;
		process->newer = now;
	}
	if (now_ns - process->older.mono_ns < GROWTH_LEAST_NS)
		return NAN;
	return ((double)bytes - (double)process->older.bytes) * 1e9 /
	       (double)(now_ns - process->older.mono_ns);
}
