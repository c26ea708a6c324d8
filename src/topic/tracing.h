/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mount point of tracefs. */
#ifndef PANETOP_TOPIC_TRACING_H
#define PANETOP_TOPIC_TRACING_H

#include "sys/env.h"

#define TRACING_MAX 256

/* The mount point of tracefs, relative to the root. False: it is not mounted, and path is the usual place. */
bool tracing_find(struct env *env, char path[TRACING_MAX]);

#endif
