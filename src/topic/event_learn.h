/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells of a process that a source of events spoke of, as far as it is still there. */
#ifndef PANETOP_TOPIC_EVENT_LEARN_H
#define PANETOP_TOPIC_EVENT_LEARN_H

#include "topic/event_join.h"

/* Makes it known, with nothing but its pid when it is gone. */
struct event_process *event_learn(struct event_join *join, uint32_t pid);

/*
 * It became another program: its groups, terminal and users may have changed since its parent made it, and
 * its name has, which is read if it was not told.
 */
void event_learn_again(struct event_join *join, struct event_process *process, bool comm_told);

/* The memory of a process that forks, read now and then. */
void event_learn_memory(struct event_join *join, struct event_process *process, uint64_t time_ns);

#endif
