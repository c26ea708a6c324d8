/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes read from storage and write to it, without counting the same bytes in two processes. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_IO_H
#define PANETOP_TOPIC_PROCESS_PROCESS_IO_H

#include "topic/process/process_list.h"

/*
 * Reads, once per tick, the io files of processes that moved since theirs was read, for the first time in
 * turns (see first_read.h). How many processes may not be read; 0 until each had its turn.
 */
size_t process_io_update(struct process_list *list);

/* The same without turns, for sums. */
size_t process_io_update_all(struct process_list *list);

/* NULL: not known in this tick. */
const struct process_io *process_io_of(const struct process *process);

#endif
