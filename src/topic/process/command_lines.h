/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command lines of processes, read by turns: of those that ran first, then of all others. */
#ifndef PANETOP_TOPIC_PROCESS_COMMAND_LINES_H
#define PANETOP_TOPIC_PROCESS_COMMAND_LINES_H

#include "topic/process/process_entry.h"

struct command_lines;

enum command_lines_wanted {
	COMMANDS_OF_ACTIVE, /* only of those that ran */
	COMMANDS_IN_TURN,  /* of all others, too, some at a time */
	COMMANDS_NOW,      /* of all at once */
};

struct command_lines *command_lines_open(struct env *env);
void command_lines_close(struct command_lines *lines);

/*
 * Has those read that are wanted next, for the processes on the list, which is sorted by pid. Waits for them
 * a moment, so that they are normally there at once, but never for one that is stuck.
 */
void command_lines_update(struct command_lines *lines, struct env *env, struct process *const *list,
			  size_t n_list, enum command_lines_wanted wanted);

/* The process whose command line has kept the worker for seconds; 0: none. */
uint32_t command_lines_stuck(const struct command_lines *lines);

#endif
