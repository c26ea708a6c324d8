/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of processes that only some columns need: io, schedstat and smaps_rollup. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_IO_H
#define PANETOP_TOPIC_PROCESS_PROCESS_IO_H

#include "topic/process/process_list.h"

/*
 * Reads, once per tick, the io files of processes that moved since theirs was read, for the first time in
 * turns. How many processes may not be read; 0 until each had its turn.
 */
size_t process_io_update(struct process_list *list);

/* The same without turns, for sums. */
size_t process_io_update_all(struct process_list *list);

/* NULL: not known in this tick. */
const struct process_io *process_io_of(const struct process *process);

/* Reads, once per tick, the schedstat files of the threads of processes that moved since the last time. */
void process_wait_update(struct process_list *list);
const struct process_wait *process_wait_of(const struct process *process);

struct proportional;

/* Proportional memory: slow to read, so that a helper does it, for few processes. */
struct proportional *proportional_open(struct env *env);
void proportional_close(struct proportional *reader); /* NULL is fine */

/*
 * Once per tick: stores what has come in as proportional_bytes of these processes, and asks for the next
 * ones: those on the screen, or with all those that --pid selects; then it waits until they are there.
 */
void proportional_update(struct proportional *reader, struct process_list *list,
			 const struct sample_request *request, bool all);

#endif
