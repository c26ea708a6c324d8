/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A monitoring group of resctrl for one process at the request of the user; it goes when panetop ends. */
#ifndef PANETOP_TOPIC_CACHE_CACHE_MONITOR_H
#define PANETOP_TOPIC_CACHE_CACHE_MONITOR_H

#include <stdint.h>

#include "sys/env.h"

#define CACHE_MONITOR_GROUPS "sys/fs/resctrl/mon_groups"
#define CACHE_MEMBERSHIP "proc/PID/cpu_resctrl_groups" /* as a source: of any process */

/*
 * See act in struct topic. action: "monitor PID START", where START is its start_seconds, in place of the
 * process that was monitored before; "end"; or "tidy", which removes the groups of processes of panetop that
 * were killed. -EBUSY with CACHE_MEMBERSHIP as the failed path if the process is in a monitoring group of
 * another program; -ESRCH if it has exited; -ENOENT if no process is monitored.
 */
int cache_monitor_act(struct env *env, const char *action, void (*done)(void *context, int error),
		      void *context);

/* May groups be made? 0 or -errno, with CACHE_MONITOR_GROUPS as the failed path. */
int cache_monitor_test(struct env *env);

/* Does this kernel say which groups a process is in? As of struct source_spec. */
int cache_membership_test(struct env *env);

struct cache_monitored {
	uint32_t pid;
	char name[64];
	const char *path; /* of its group, as that of struct cache_group */
};

/* False: none is. */
bool cache_monitored(const struct env *env, struct cache_monitored *monitored);

#endif
