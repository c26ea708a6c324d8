/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and priorities for processes, on the user's word, and never for another with the same pid. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_ACT_H
#define PANETOP_TOPIC_PROCESS_PROCESS_ACT_H

#include "sys/env.h"

/*
 * action is "signal NUMBER PID START" or "nice STEP PID START", START being its start_seconds. See struct
 * topic. -ESRCH when that process has ended, whoever has its pid now; -EXDEV when it is not in our pid
 * namespace, or, for nice, when proc is that of another.
 */
int process_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context);

#endif
