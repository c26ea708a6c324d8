/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command lines of processes: of those with rows, then of those that ran, then of all others in turn. */
#ifndef PANETOP_TOPIC_PROCESS_COMMAND_LINES_H
#define PANETOP_TOPIC_PROCESS_COMMAND_LINES_H

#include "topic/process/process_entry.h"

struct command_lines;

enum command_lines_wanted {
	COMMANDS_OF_ACTIVE, /* of processes that ran or have rows */
	COMMANDS_IN_TURN,   /* then of the others, some per tick */
	COMMANDS_NOW,       /* of all others at once, waiting until they are there */
};

struct command_lines *command_lines_open(struct env *env);
void command_lines_close(struct command_lines *lines);

/*
 * Once per tick; list is sorted by pid. Waits a moment for what it requests, so that lines are normally there
 * when it returns, but never for a process that is stuck.
 */
void command_lines_update(struct command_lines *lines, struct env *env, struct process *const *list,
			  size_t n_list, enum command_lines_wanted wanted);

/* Are all that were requested there? Where a process is stuck, some are not known yet. */
bool command_lines_are_read(const struct command_lines *lines);

/* The process whose command line has blocked the reader for seconds; 0: none. */
uint32_t command_lines_stuck(const struct command_lines *lines);

#endif
