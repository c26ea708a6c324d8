/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and nice values for processes, never for another process that reuses the pid. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_ACT_H
#define PANETOP_TOPIC_PROCESS_PROCESS_ACT_H

#include "sys/env.h"

/*
 * action is "signal NUMBER PID START" or "nice STEP PID START", where START is its start_seconds. See struct
 * topic. -ESRCH when that process has exited, even if the pid is in use; -EXDEV when it is outside of our pid
 * namespace, or for nice, when proc is of another namespace.
 */
int process_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context);

#endif
