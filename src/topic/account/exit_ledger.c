/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit records joined with the processes that were seen alive, so that nothing is counted twice. */
#include <config.h>

#include "topic/account/exit_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "model/column.h"
#include "topic/account/child_cpu_share.h"
#include "topic/account/exit_reader.h"
#include "topic/event/event_reader.h"
#include "topic/process/cgroup_cpu_time.h"

#define OTHERS "(others)"
#define KTHREADD 2 /* pid of the parent of kernel threads: who sees it sees the whole machine */
#define EXIT_KIB 256 /* ending without any memory costs as much as freeing so much */

static const char key;

static void *open_exited(struct env *env)
{
	struct exited *exited = alloc_zeroed(1, sizeof(*exited));

	exited->tasks = tasks_open(env);
	exited->tick = ENV_NEVER;
	exited->reader = exit_reader_open(env, &exited->reader_error);
	exited->commands = alloc_zeroed(EXITED_COMMANDS_MAX, sizeof(*exited->commands));
	return exited;
}

static void close_exited(void *state)
{
	struct exited *exited = state;

	exit_reader_close(exited->reader);
	if (exited->events)
		event_reader_close(exited->events, exited->tasks->env);
	event_ended_free(&exited->event_ended);
	tasks_close(exited->tasks);
	free(exited->shares);
	free(exited->commands);
	free(exited->ended);
	free(exited);
}

struct exited *exited_open(struct env *env, const struct settings *settings)
{
	struct exited *exited = env_share(env, &key, open_exited, close_exited);

	if (exited->reader || exited->events || !env->live || env->foreign_pids)
		return exited;
	exited->events = event_reader_open(env, settings);
	exited->shares = alloc_zeroed(1, sizeof(*exited->shares));
	return exited;
}

void exited_close(struct exited *exited)
{
	env_unshare(exited->tasks->env, &key);
}

/* Those of this name, or all that have no room of their own. */
static struct exited_command *find_or_add(struct exited *exited, const char *name)
{
	struct exited_command *command;

	for (size_t i = 0; i < exited->n_commands; i++)
		if (strcmp(exited->commands[i].name, name) == 0)
			return &exited->commands[i];
	if (exited->n_commands + 1 >= EXITED_COMMANDS_MAX && strcmp(name, OTHERS) != 0)
		return find_or_add(exited, OTHERS);
	command = &exited->commands[exited->n_commands++];
	strcpy(command->name, name);
	return command;
}

static void count(struct exited_command *command, uint64_t uncounted_ns, uint64_t exits, uint64_t left_kib)
{
	command->told_ns += uncounted_ns;
	command->exits = u64_sum(command->exits, exits);
	command->left_kib += left_kib;
}

static void count_exit(struct exited *exited, const char *name, uint64_t uncounted_ns, uint64_t exits,
		       uint64_t left_kib)
{
	char process[TASK_NAME_MAX + sizeof(TASK_NOT_A_SUM)];

	if (strcmp(name, OTHERS) == 0 || strcmp(name, EXITED_UNTOLD) == 0) {
		snprintf(process, sizeof(process), TASK_NOT_A_SUM, name);
		name = process;
	}
	count(find_or_add(exited, name), uncounted_ns, exits, left_kib);
}

/*
 * What a thread ran whose run time is not known to its end: one that never slept ran all the time that it did
 * not wait for a CPU; of others the ticks may know more than the scheduler did at its last look.
 */
static uint64_t estimate_ns(const struct exit_record *record)
{
	uint64_t most_ns = U64_UNKNOWN, ns = record->cpu_ns == U64_UNKNOWN ? 0 : record->cpu_ns;

	if (record->queued_ns <= record->elapsed_ns && record->elapsed_ns != U64_UNKNOWN)
		most_ns = record->elapsed_ns - record->queued_ns;
	if (most_ns != U64_UNKNOWN && record->sleeps == 0)
		return most_ns;
	if (ns > most_ns)
		ns = most_ns;
	return record->run_ns != U64_UNKNOWN && record->run_ns > ns ? record->run_ns : ns;
}

static void keep_record(void *context, const struct exit_record *record)
{
	struct exited *exited = context;
	struct ended *ended;

	if (exited->n_ended == exited->ended_capacity) {
		exited->ended_capacity = exited->ended_capacity ? 2 * exited->ended_capacity : 256;
		exited->ended = alloc_resize(exited->ended, exited->ended_capacity, sizeof(*exited->ended));
	}
	ended = &exited->ended[exited->n_ended];
	*ended = (struct ended){
		.tgid = record->tgid ? record->tgid : record->tid,
		.number = (uint32_t)exited->n_ended++,
		.first = record->tgid == 0 || record->tgid == record->tid,
		.cpu_ns = estimate_ns(record),
		.peak_kib = record->peak_kib == U64_UNKNOWN ? 0 : record->peak_kib,
		.run_ns = record->run_ns == U64_UNKNOWN ? 0 : record->run_ns,
	};
	strcpy(ended->name, record->comm);
}

static int compare_ended(const void *one, const void *other)
{
	const struct ended *a = one, *b = other;

	return a->tgid != b->tgid ? (a->tgid > b->tgid) - (a->tgid < b->tgid)
				  : (a->number > b->number) - (a->number < b->number);
}

/*
 * The threads of one process that ended in this tick. One that was seen alive is compared with its own clock,
 * so that the scheduler's time counts.
 */
static void count_process(struct exited *exited, const struct ended *threads, size_t n_threads)
{
	struct task *gone = tasks_find_gone(exited->tasks, threads->tgid);
	struct task *alive = tasks_find(exited->tasks, threads->tgid);
	const struct ended *first = &threads[n_threads - 1];
	uint64_t cpu_ns = 0, run_ns = 0, exits = 0;

	for (size_t i = 0; i < n_threads; i++) {
		cpu_ns += threads[i].cpu_ns;
		run_ns += threads[i].run_ns;
		exits += threads[i].first;
		if (threads[i].first)
			first = &threads[i];
	}
	if (gone)
		gone->dead_ns += run_ns; /* see count_gone() */
	else if (alive)
		alive->dead_ns += run_ns; /* its own clock has it; or it ended after its clock was read */
	else
		count_exit(exited, first->name, cpu_ns, exits, EXIT_KIB + first->peak_kib);
}

static void count_records(struct exited *exited)
{
	size_t start = 0;

	exited->n_ended = 0;
	exit_reader_drain(exited->reader, keep_record, exited);
	if (exited->n_ended == 0)
		return;
	qsort(exited->ended, exited->n_ended, sizeof(*exited->ended), compare_ended);
	for (size_t i = 1; i <= exited->n_ended; i++) {
		if (i < exited->n_ended && exited->ended[i].tgid == exited->ended[start].tgid)
			continue;
		count_process(exited, exited->ended + start, i - start);
		start = i;
	}
}

/* What they used after they were seen last. Threads that ended before we began to watch are in no record. */
static void count_gone(struct exited *exited)
{
	const struct tasks *tasks = exited->tasks;

	for (size_t i = 0; i < tasks->n_gone; i++) {
		const struct task *task = tasks->gone[i];
		uint64_t pages = task->stat.resident_pages == U64_UNKNOWN ? 0 : task->stat.resident_pages;

		count_exit(exited, task->name,
			   task->dead_ns > task->cpu_ns ? task->dead_ns - task->cpu_ns : 0, 1,
			   EXIT_KIB + pages * (tasks->env->page_bytes / 1024));
	}
}

static uint64_t children_ns(const struct exited *exited, const struct task *task)
{
	return (task->stat.children_user_ticks + task->stat.children_system_ticks) *
	       (UINT64_C(1000000000) / exited->tasks->env->ticks_per_second);
}

/* What those that ended were seen to use, themselves and what they were told, comes to their heirs. */
static void expect_known(struct exited *exited)
{
	const struct tasks *tasks = exited->tasks;

	for (size_t i = 0; i < tasks->n_gone; i++) {
		const struct task *task = tasks->gone[i];
		struct task *heir = child_heir(tasks, (uint32_t)task->stat.parent_pid);

		if (heir)
			heir->known_children_ns +=
				task->cpu_ns + children_ns(exited, task) + task->known_children_ns;
	}
}

static void give_share(void *context, const char *name, uint64_t ns)
{
	count_exit(context, name, ns, 0, 0);
}

/* Who ended, as far as events tell. */
static void count_events(struct exited *exited)
{
	event_reader_take_ended(exited->events, &exited->event_ended);
	child_shares_take(exited->shares, exited->tasks, &exited->event_ended);
	for (size_t i = 0; i < exited->event_ended.count; i++)
		if (*exited->event_ended.list[i].comm)
			count_exit(exited, exited->event_ended.list[i].comm, 0, 1, EXIT_KIB);
}

static void count_grown(struct exited *exited, const struct task *parent, uint64_t ns)
{
	char name[TASK_NAME_MAX];

	if (exited->events &&
	    child_shares_split(exited->shares, exited->tasks, parent->pid, ns, give_share, exited))
		return;
	snprintf(name, sizeof(name), "%.40s's children", parent->name);
	count_exit(exited, name, ns, U64_UNKNOWN, 0);
}

/* Without records: what parents were told of children they waited for, less what those were seen to use. */
static void count_children(struct exited *exited)
{
	const struct tasks *tasks = exited->tasks;

	expect_known(exited);
	for (size_t i = 0; i < tasks->n_all; i++) {
		struct task *task = tasks->all[i];
		uint64_t now = children_ns(exited, task), grown, known;

		if (now <= task->children_ns)
			continue;
		grown = now - task->children_ns;
		task->children_ns = now;
		known = grown < task->known_children_ns ? grown : task->known_children_ns;
		task->known_children_ns -= known;
		if (tasks->updates > 1)
			count_grown(exited, task, grown - known);
	}
}

/*
 * Gives every name its part of what ended processes ran. More than was told: processes free their memory
 * after their records were written, and so the rest is shared out by that; without a record, or when some
 * were lost, it is not known whose it is. Less: what was told is an estimate, and was too much.
 */
static void share_out(struct exited *exited, uint64_t ended_ns)
{
	uint64_t lost = exited->reader ? exit_reader_lost(exited->reader) : 0;
	uint64_t told_ns = 0, left_kib = 0, untold_ns;
	double told_scale;

	for (size_t i = 0; i < exited->n_commands; i++) {
		told_ns += exited->commands[i].told_ns;
		left_kib += exited->commands[i].left_kib;
	}
	untold_ns = ended_ns > told_ns ? ended_ns - told_ns : 0;
	told_scale = ended_ns < told_ns ? (double)ended_ns / (double)told_ns : 1;
	if (untold_ns > 0 && (left_kib == 0 || lost > exited->lost)) {
		count(find_or_add(exited, EXITED_UNTOLD), untold_ns, U64_UNKNOWN, 0);
		untold_ns = 0;
	}
	for (size_t i = 0; i < exited->n_commands; i++) {
		struct exited_command *command = &exited->commands[i];

		command->cpu_ns += (uint64_t)((double)command->told_ns * told_scale);
		if (untold_ns > 0)
			command->cpu_ns += (uint64_t)((double)command->left_kib / (double)left_kib *
						      (double)untold_ns);
		command->told_ns = command->left_kib = 0;
	}
	exited->lost = lost;
}

/* In the root of version 2, which has no sum of its own, there must be no processes that end unseen. */
static bool check_root(struct tasks *tasks)
{
	struct span text, line;
	uint64_t pid;

	if (cgroup_cpu_time_root_pids(tasks->cpu_sum, &text) < 0)
		return false;
	while (span_line(&text, &line)) {
		struct task *task = span_u64(&line, &pid) && pid <= UINT32_MAX
					    ? tasks_find(tasks, (uint32_t)pid)
					    : NULL;

		if (task && !task_is_kernel(task))
			return false;
		if (task)
			task->outside_tick = tasks->tick;
	}
	return true;
}

/*
 * Looks which of the tasks are outside of the sum. False when it is no use: processes that end outside of it,
 * or processes that we cannot see inside of it.
 */
static bool check_sum(struct tasks *tasks)
{
	const struct task *kthreadd = tasks_find(tasks, KTHREADD);

	return kthreadd && task_is_kernel(kthreadd) && tasks->n_missing + tasks->n_appeared == 0 &&
	       (cgroup_cpu_time_version(tasks->cpu_sum) == 1 || check_root(tasks));
}

static bool is_in_sum(const struct tasks *tasks, const struct task *task)
{
	return cgroup_cpu_time_version(tasks->cpu_sum) == 1 || task->outside_tick != tasks->tick;
}

/* Those that live, in the sum of what all ran. */
static uint64_t seen_ns(const struct exited *exited)
{
	const struct tasks *tasks = exited->tasks;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < tasks->n_all; i++)
		if (tasks->all[i]->used_ns != U64_UNKNOWN && is_in_sum(tasks, tasks->all[i]))
			sum_ns += tasks->all[i]->used_ns;
	return sum_ns;
}

/* What all ran less what those that live were seen to run, where that is to be had; else what was told. */
static void count_ended(struct exited *exited)
{
	struct tasks *tasks = exited->tasks;
	uint64_t ended_ns = 0;

	exited->by_cpu_sum = tasks->run_ns != U64_UNKNOWN && check_sum(tasks);
	if (exited->by_cpu_sum) {
		exited->ahead_ns += seen_ns(exited);
		if (tasks->run_ns > exited->ahead_ns)
			ended_ns = tasks->run_ns - exited->ahead_ns;
		exited->ahead_ns -= tasks->run_ns - ended_ns;
	} else {
		for (size_t i = 0; i < exited->n_commands; i++)
			ended_ns += exited->commands[i].told_ns;
	}
	exited->ended_ns += ended_ns;
	share_out(exited, ended_ns);
}

int exited_update(struct exited *exited)
{
	struct tasks *tasks = exited->tasks;

	if (exited->tick == tasks->env->tick)
		return exited->error;
	exited->tick = tasks->env->tick;
	exited->error = tasks_update(tasks);
	if (exited->error)
		return exited->error;
	for (size_t i = 0; i < tasks->n_all; i++)
		if (tasks->all[i]->used_ns != U64_UNKNOWN)
			exited->tasks_ns += tasks->all[i]->used_ns;
	if (exited->reader) {
		count_records(exited);
		count_gone(exited);
	} else {
		if (exited->events)
			count_events(exited);
		count_children(exited);
	}
	count_ended(exited);
	return 0;
}
