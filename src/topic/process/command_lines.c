/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command lines of the processes on the list are read next, and what becomes of them. */
#include <config.h>

#include "topic/process/command_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_list.h"

#define AGAIN_TICKS 10 /* programs may change their command line */

struct commands {
	struct command_reader *reader;
	size_t next; /* index of the task from which on command lines are still asked for */
};

struct commands *commands_open(struct env *env)
{
	struct commands *commands = alloc_zeroed(1, sizeof(*commands));

	commands->reader = command_reader_open(env, env->worker);
	return commands;
}

void commands_close(struct commands *commands)
{
	command_reader_close(commands->reader);
	free(commands);
}

uint32_t commands_stuck(const struct commands *commands)
{
	return command_reader_stuck(commands->reader);
}

static void take_line(struct task *task, const struct command_line *line)
{
	if (task->command && strcmp(task->command, line->text) == 0)
		return;
	free(task->command);
	task->command = NULL;
	if (line->length == 0)
		return;
	task->command = alloc_text(line->text);
	task->program_length = line->program_length;
}

static void take_results(struct commands *commands, struct tasks *tasks)
{
	struct command_line line;

	while (command_reader_next(commands->reader, &line)) {
		struct task *task = tasks_find(tasks, line.pid);

		if (task && task->start_ticks == line.tag)
			take_line(task, &line);
	}
}

static bool ask(struct commands *commands, struct task *task, uint64_t tick)
{
	if (task_is_kernel(task))
		return true;
	if (!command_reader_ask(commands->reader, task->pid, task->start_ticks))
		return false;
	task->command_tick = tick;
	return true;
}

/* Of those that nobody asked for yet, in turn; how many. */
static size_t ask_others(struct commands *commands, const struct tasks *tasks, uint64_t tick, size_t most)
{
	size_t tried = 0, asked = 0;

	for (; tried < tasks->n_all && asked < most; tried++) {
		struct task *task = tasks->all[(commands->next + tried) % tasks->n_all];

		if (task->command_tick != 0 || task_is_kernel(task))
			continue;
		if (!ask(commands, task, tick))
			break;
		asked++;
	}
	commands->next = tasks->n_all > 0 ? (commands->next + tried) % tasks->n_all : 0;
	return asked;
}

/* How many were asked for that nobody asked for before. */
static size_t choose(struct commands *commands, const struct tasks *tasks, uint64_t tick)
{
	for (size_t i = 0; i < tasks->n_all; i++) {
		struct task *task = tasks->all[i];

		if (task->moved && (task->command_tick == 0 || tick - task->command_tick >= AGAIN_TICKS))
			ask(commands, task, tick);
	}
	if (tasks->commands_now)
		return ask_others(commands, tasks, tick, COMMAND_READER_MAX);
	return tasks->all_commands ? ask_others(commands, tasks, tick, COMMAND_READER_MAX / 4) : 0;
}

void commands_update(struct commands *commands, struct tasks *tasks, struct env *env)
{
	bool more = true;

	take_results(commands, tasks);
	while (more && command_reader_is_free(commands->reader)) {
		more = choose(commands, tasks, env->tick) > 0 && tasks->commands_now;
		command_reader_submit(commands->reader, env);
		take_results(commands, tasks);
	}
}
