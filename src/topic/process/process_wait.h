/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the threads of processes waited for a CPU, and how often they got one. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_WAIT_H
#define PANETOP_TOPIC_PROCESS_PROCESS_WAIT_H

#include "topic/process/process_list.h"

/* Reads, once per tick, the schedstat files of the threads of processes that moved since the last time. */
void process_wait_update(struct process_list *list);

/* NULL: not known in this tick. */
const struct process_wait *process_wait_of(const struct process *process);

#endif
