/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses which command lines are read next, and stores them. */
#include <config.h>

#include "topic/process/command_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "topic/process/command_reader.h"

#define AGAIN_TICKS 10 /* a program may change its command line */

struct command_lines {
	struct command_reader *reader;
	size_t next; /* index of the first process whose turn has not come yet */
};

struct command_lines *command_lines_open(struct env *env)
{
	struct command_lines *lines = alloc_zeroed(1, sizeof(*lines));

	lines->reader = command_reader_open(env, COMMAND_READER_LINES);
	return lines;
}

void command_lines_close(struct command_lines *lines)
{
	command_reader_close(lines->reader);
	free(lines);
}

bool command_lines_are_read(const struct command_lines *lines)
{
	return command_reader_is_free(lines->reader);
}

uint32_t command_lines_stuck(const struct command_lines *lines)
{
	return command_reader_stuck(lines->reader);
}

static void set_command(struct process *process, const struct command_line *line)
{
	if (process->command && strcmp(process->command, line->text) == 0)
		return;
	free(process->command);
	process->command = NULL;
	if (line->length == 0)
		return;
	process->command = alloc_text(line->text);
	process->program_length = (uint32_t)line->program_length;
}

static void collect(struct command_lines *lines, struct process *const *list, size_t n_list)
{
	struct command_line line;

	while (command_reader_next(lines->reader, &line)) {
		struct process *process = process_in_list(list, n_list, line.pid);

		if (process && process->start_ticks == line.tag)
			set_command(process, &line);
	}
}

static bool ask(struct command_lines *lines, struct process *process, uint64_t tick)
{
	char path[PROCESS_FILE_MAX];

	if (process_is_kernel_thread(process))
		return true;
	if (!command_reader_ask(lines->reader, process->pid, process_memory_file(process, "cmdline", path),
				process->start_ticks))
		return false;
	process->command_tick = tick;
	return true;
}

/* Requests up to most lines that were never requested before, in turn. How many it requested. */
static size_t ask_others(struct command_lines *lines, struct process *const *list, size_t n_list,
			 uint64_t tick, size_t most)
{
	size_t tried = 0, asked = 0;

	for (; tried < n_list && asked < most; tried++) {
		struct process *process = list[(lines->next + tried) % n_list];

		if (process->command_tick != 0 || process_is_kernel_thread(process))
			continue;
		if (!ask(lines, process, tick))
			break;
		asked++;
	}
	lines->next = n_list > 0 ? (lines->next + tried) % n_list : 0;
	return asked;
}

/* A read can come before the exec ends: what ran since is read again, though it sleeps by now. */
static bool is_due(const struct process *process, uint64_t tick)
{
	if (process->command_tick == 0)
		return process->ran || process->shown;
	return process->ran_tick >= process->command_tick &&
	       tick - process->command_tick >= (process->command ? AGAIN_TICKS : 1);
}

/*
 * Those with rows first: on a large machine there is no room for all that are new in the first tick. How many
 * it requested.
 */
static size_t ask_active(struct command_lines *lines, struct process *const *list, size_t n_list,
			 uint64_t tick)
{
	size_t asked = 0;

	for (int shown = 1; shown >= 0; shown--)
		for (size_t i = 0; i < n_list; i++)
			if (list[i]->shown == shown && is_due(list[i], tick))
				asked += ask(lines, list[i], tick) && list[i]->command_tick == tick;
	return asked;
}

void command_lines_update(struct command_lines *lines, struct env *env, struct process *const *list,
			  size_t n_list, enum command_lines_wanted wanted)
{
	static const size_t others[] = { [COMMANDS_IN_TURN] = COMMAND_READER_MAX / 4,
					 [COMMANDS_NOW] = COMMAND_READER_MAX };
	bool more = true;

	collect(lines, list, n_list);
	while (more && command_reader_is_free(lines->reader)) {
		size_t asked = ask_active(lines, list, n_list, env->tick);

		asked += ask_others(lines, list, n_list, env->tick, others[wanted]);
		more = asked > 0 && wanted == COMMANDS_NOW;
		command_reader_submit(lines->reader);
		if (wanted == COMMANDS_NOW)
			command_reader_wait(lines->reader);
		collect(lines, list, n_list);
	}
}
