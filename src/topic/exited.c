/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit records joined with the processes that were seen alive, so that nothing is counted twice. */
#include <config.h>

#include "topic/exited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "topic/exit_reader.h"

#define OTHERS "(others)"

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
	tasks_close(exited->tasks);
	free(exited->commands);
	free(exited->ended);
	free(exited);
}

struct exited *exited_open(struct env *env)
{
	return env_share(env, &key, open_exited, close_exited);
}

void exited_close(struct exited *exited)
{
	env_unshare(exited->tasks->env, &key);
}

static struct exited_command *command_of(struct exited *exited, const char *name)
{
	struct exited_command *command;

	for (size_t i = 0; i < exited->n_commands; i++)
		if (strcmp(exited->commands[i].name, name) == 0)
			return &exited->commands[i];
	if (exited->n_commands + 1 >= EXITED_COMMANDS_MAX && strcmp(name, OTHERS) != 0)
		return command_of(exited, OTHERS);
	command = &exited->commands[exited->n_commands++];
	strcpy(command->name, name);
	return command;
}

static void add_time(struct exited_command *sum, uint64_t uncounted_ns, uint64_t exits)
{
	sum->cpu_ns += uncounted_ns;
	sum->exits = exits == U64_UNKNOWN ? U64_UNKNOWN : sum->exits + exits;
}

static void count_exit(struct exited *exited, const char *name, uint64_t uncounted_ns, uint64_t exits)
{
	add_time(command_of(exited, name), uncounted_ns, exits);
	add_time(&exited->all, uncounted_ns, exits);
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
		.cpu_ns = record->cpu_ns == U64_UNKNOWN ? 0 : record->cpu_ns,
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
 * so that the scheduler's time counts; for those that nobody saw ticks are right in the sum over many.
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
		count_exit(exited, first->name, cpu_ns, exits);
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

		count_exit(exited, task->name,
			   task->dead_ns > task->cpu_ns ? task->dead_ns - task->cpu_ns : 0, 1);
	}
}

static uint64_t children_ns(const struct exited *exited, const struct task *task)
{
	return (task->stat.children_user_ticks + task->stat.children_system_ticks) *
	       (UINT64_C(1000000000) / exited->tasks->env->ticks_per_second);
}

/* Who is told by wait() in the end: the nearest ancestor that lives, or, where the chain is broken, init. */
static struct task *heir_of(const struct tasks *tasks, const struct task *task)
{
	for (size_t steps = 0; steps <= tasks->n_gone; steps++) {
		struct task *parent = tasks_find(tasks, (uint32_t)task->stat.parent_pid);

		if (parent)
			return parent;
		task = tasks_find_gone(tasks, (uint32_t)task->stat.parent_pid);
		if (!task)
			break;
	}
	return tasks_find(tasks, 1);
}

/* What those that ended were seen to use, themselves and what they were told, comes to their heirs. */
static void expect_known(struct exited *exited)
{
	const struct tasks *tasks = exited->tasks;

	for (size_t i = 0; i < tasks->n_gone; i++) {
		const struct task *task = tasks->gone[i];
		struct task *heir = heir_of(tasks, task);

		if (heir)
			heir->known_children_ns +=
				task->cpu_ns + children_ns(exited, task) + task->known_children_ns;
	}
}

/* Without records: what parents were told of children they waited for, less what those were seen to use. */
static void count_children(struct exited *exited)
{
	const struct tasks *tasks = exited->tasks;

	expect_known(exited);
	for (size_t i = 0; i < tasks->n_all; i++) {
		struct task *task = tasks->all[i];
		uint64_t now = children_ns(exited, task), grown, known;
		char name[TASK_NAME_MAX];

		if (now <= task->children_ns)
			continue;
		grown = now - task->children_ns;
		task->children_ns = now;
		known = grown < task->known_children_ns ? grown : task->known_children_ns;
		task->known_children_ns -= known;
		snprintf(name, sizeof(name), "%.40s's children", task->name);
		if (tasks->updates > 1)
			count_exit(exited, name, grown - known, U64_UNKNOWN);
	}
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
		count_children(exited);
	}
	return 0;
}
