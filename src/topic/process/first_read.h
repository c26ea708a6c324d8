/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a file of a process that only some columns need is read for the first time. */
#ifndef PANETOP_TOPIC_PROCESS_FIRST_READ_H
#define PANETOP_TOPIC_PROCESS_FIRST_READ_H

#include "topic/process/process_list.h"

/*
 * The turns of a tick: on the screen, the files of thousands of processes that have not run since it started
 * would delay it for numbers that stand still. What was not read yet is unknown.
 */
size_t first_read_turns(const struct process_list *list);

/* Now? Takes one of the turns where nothing else asks for it. */
bool first_read_is_due(const struct process_list *list, const struct process *process, size_t *turns);

#endif
