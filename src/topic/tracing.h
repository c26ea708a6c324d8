/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the tracing file system is. */
#ifndef PANETOP_TOPIC_TRACING_H
#define PANETOP_TOPIC_TRACING_H

#include "sys/env.h"

#define TRACING_MAX 256

/* Where it is mounted, relative to the root. False: nowhere, and then where it is as a rule. */
bool tracing_find(struct env *env, char path[TRACING_MAX]);

#endif
