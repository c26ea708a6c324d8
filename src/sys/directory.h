/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories in a directory, and links as of sysfs to others, without allocating anything. */
#ifndef PANETOP_SYS_DIRECTORY_H
#define PANETOP_SYS_DIRECTORY_H

#include "sys/env.h"

/*
 * Calls each with the name of every directory or link in the one at path, which is relative to the root;
 * those whose names begin with a dot are passed over. The name is valid until each returns. 0 or -errno.
 */
int directory_each(struct env *env, const char *path, void (*each)(void *context, const char *name),
		   void *context);

#endif
