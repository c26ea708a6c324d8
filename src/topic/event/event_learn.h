/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells of a process that a source of events spoke of, as far as it is still there. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_LEARN_H
#define PANETOP_TOPIC_EVENT_EVENT_LEARN_H

#include "topic/event/event_join.h"

/* Learns of all processes there are: their names, but not yet their command lines. */
void event_learn_all(struct event_join *join);

/* Another choice: trees and groups are looked up anew. */
void event_learn_choice(struct event_join *join, const struct event_choice *choice);

/* Makes it known, with nothing but its pid when it is gone. */
struct event_process *event_learn(struct event_join *join, uint32_t pid);

/*
 * It became another program: its groups, terminal and users may have changed since its parent made it, and
 * its name has, which is read if it was not told.
 */
void event_learn_again(struct event_join *join, struct event_process *process, bool comm_told);

/* When it was started, in ticks: looked up where it is not known yet, taken from its fork if it is gone. */
void event_learn_start(struct event_join *join, struct event_process *process);

/* The memory of a process that forks, read now and then. */
void event_learn_memory(struct event_join *join, struct event_process *process, uint64_t time_ns);

#endif
