/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files of proc, sys and etc a server or a driver answers for, see sys/env.h. */
#ifndef PANETOP_TOPIC_SERVED_MOUNTS_H
#define PANETOP_TOPIC_SERVED_MOUNTS_H

#include "model/frame.h"
#include "sys/env.h"

void served_mounts_find(struct env *env);

/*
 * Is the file about the host, while the memory is a container's? lxcfs serves only some of the files of proc,
 * and what it does not serve is of the whole machine.
 */
bool served_mounts_of_host(struct env *env, const char *path);

/* A notice about this topic where it is so. */
void served_mounts_tell_host(struct env *env, struct frame *frame, const char *topic, const char *path);

/* Its directory, for tracefs_read(); see tracefs_open(). */
int tracing_open(struct env *env);

#endif
