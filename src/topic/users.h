/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users: from the root's etc/passwd, else from the name services, which are not waited for. */
#ifndef PANETOP_TOPIC_USERS_H
#define PANETOP_TOPIC_USERS_H

#include "sys/env.h"

/* The name, the number as text while or when there is no name; valid as long as env. */
const char *users_name(struct env *env, uint32_t uid);

/* Of the user with this name, or number as text; false when there is none. It waits for the name services. */
bool users_number(struct env *env, struct span name, uint32_t *uid);

/*
 * The first on a list of names and numbers, with commas, that is neither a number nor the name of a user;
 * empty when there is none. It waits for the name services.
 */
struct span users_first_unknown(struct env *env, const char *list);

#endif
