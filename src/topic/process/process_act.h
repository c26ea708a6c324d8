/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals, nice values, affinity, policy and I/O priority for processes, never for another process that
 * reuses the pid. */
#ifndef PANETOP_TOPIC_PROCESS_PROCESS_ACT_H
#define PANETOP_TOPIC_PROCESS_PROCESS_ACT_H

#include "sys/env.h"

/*
 * action is "signal NUMBER", "nice STEP", "affinity CPUS", "policy NAME PRIORITY" or "io CLASS LEVEL", each
 * with " PID START", where START is its start_seconds. All but nice change every thread. See struct topic.
 * -ESRCH when that process has exited, even if the pid is in use; -EXDEV when it is outside of our pid
 * namespace, or, for all but signals, when proc is of another namespace.
 */
int process_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context);

#endif
