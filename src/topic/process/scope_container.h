/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of containers for the scope of --in=container=NAME, and names that are near a misspelt one. */
#ifndef PANETOP_TOPIC_PROCESS_SCOPE_CONTAINER_H
#define PANETOP_TOPIC_PROCESS_SCOPE_CONTAINER_H

#include "model/scope.h"
#include "sys/env.h"

struct scope_containers;
struct process;

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

#endif
