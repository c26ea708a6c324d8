/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User names: from etc/passwd of the root, else from the name services, by a helper; and terminals. */
#ifndef PANETOP_TOPIC_USERS_H
#define PANETOP_TOPIC_USERS_H

#include <stdint.h>

#include "core/arena.h"
#include "sys/env.h"

/* The name; the UID as text until it is known, or if there is none. Valid as long as env. */
const char *users_name(struct env *env, uint32_t uid);

/* The UID of a user name or a number as text; false: unknown. Waits two seconds for the name services. */
bool users_number(struct env *env, struct span name, uint32_t *uid);

/*
 * The first item of a comma-separated list that is neither a user name nor a UID; empty: none. Waits for the
 * name services.
 */
struct span users_first_unknown(struct env *env, const char *list);

/* "pts/3"; "": none; NULL: not known. */
const char *terminal_name(struct arena *arena, int64_t device);

#endif
