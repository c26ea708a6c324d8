/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefs of a machine, wherever it is mounted. */
#ifndef PANETOP_TOPIC_TRACING_H
#define PANETOP_TOPIC_TRACING_H

#include "sys/env.h"

/* Its directory, for tracefs_read(); see tracefs_open(). */
int tracing_open(struct env *env);

#endif
