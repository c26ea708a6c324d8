/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a scope with the processes of the machine, and with the names of their containers. */
#ifndef PANETOP_TOPIC_PROCESS_SCOPE_MEMBERS_H
#define PANETOP_TOPIC_PROCESS_SCOPE_MEMBERS_H

#include "model/scope.h"
#include "sys/env.h"
#include "topic/process/process_entry.h"

struct scope_containers;

/* Lets the scope learn the containers of these processes, by the names that their engines give them. */
void scope_containers_find(struct scope_containers **containers, struct scope *scope, const struct env *env,
			   struct process *const *all, size_t n_all);
void scope_containers_free(struct scope_containers *containers); /* NULL is fine */

/*
 * The container, service or control group of these processes with a name near that of the term; false: none.
 * containers: NULL: none is known.
 */
bool scope_containers_near(const struct scope_containers *containers, const struct scope_term *term,
			   struct process *const *all, size_t n_all, char near[SCOPE_TEXT_MAX]);

/* Looks at all processes, and notes which of them are outside. */
void scope_members_find(struct scope *scope, const struct env *env, struct process *const *all, size_t n_all);

#endif
