/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which Debian package has the names of the functions of a file. */
#ifndef PANETOP_TOPIC_PROFILE_PROFILE_H
#define PANETOP_TOPIC_PROFILE_PROFILE_H

#include "sys/env.h"

/*
 * Name of the package with debug information for the one that this file is of, by /var/lib/dpkg/info; "": it
 * is not known, or looked for still. It stays as long as env.
 */
const char *package_names_find(struct env *env, const char *path);

#endif
