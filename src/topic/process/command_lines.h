/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command lines of the tasks, asked for by turns: of those that moved first, then of all others. */
#ifndef PANETOP_TOPIC_PROCESS_COMMAND_LINES_H
#define PANETOP_TOPIC_PROCESS_COMMAND_LINES_H

#include "sys/env.h"

struct commands;
struct tasks;

struct commands *commands_open(struct env *env);
void commands_close(struct commands *commands);

/*
 * Has the command lines read that are wanted next: of those that moved, then, if the tasks
 * want them, of all others, some at a time.
 * Waits for them a moment, so that they are normally there at once, but never for one that is stuck.
 */
void commands_update(struct commands *commands, struct tasks *tasks, struct env *env);

/* The process whose command line has kept the worker for seconds; 0: none. */
uint32_t commands_stuck(const struct commands *commands);

#endif
