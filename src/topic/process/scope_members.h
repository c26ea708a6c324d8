/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a scope with the processes of the machine. */
#ifndef PANETOP_TOPIC_PROCESS_SCOPE_MEMBERS_H
#define PANETOP_TOPIC_PROCESS_SCOPE_MEMBERS_H

#include "model/scope.h"
#include "topic/process/process_entry.h"

/* Looks at all processes, and notes which of them are outside. */
void scope_members_find(struct scope *scope, const struct env *env, struct process *const *all, size_t n_all);

#endif
