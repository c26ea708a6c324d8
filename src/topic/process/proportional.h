/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proportional memory of processes: slow to read, so that a helper does it, for few of them. */
#ifndef PANETOP_TOPIC_PROCESS_PROPORTIONAL_H
#define PANETOP_TOPIC_PROCESS_PROPORTIONAL_H

#include "topic/process/process_list.h"

struct proportional;

struct proportional *proportional_open(struct env *env);
void proportional_close(struct proportional *reader); /* NULL is fine */

/*
 * Once per tick: stores what has come in as proportional_bytes of these processes, and asks for the next
 * ones: those on the screen, or with all those that --pid selects; then it waits until they are there.
 */
void proportional_update(struct proportional *reader, struct process_list *list,
			 const struct sample_request *request, bool all);

#endif
