/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control group that panetop runs in, and those above it: whose limits are ours. */
#ifndef PANETOP_TOPIC_OWN_CGROUP_H
#define PANETOP_TOPIC_OWN_CGROUP_H

#include "core/env.h"
#include "kernel/cgroup.h"

/* Finds the group that limits controller. 0; -ENODEV where it is nowhere; -errno of a read. */
int own_cgroup_find(struct env *env, const char *controller, struct cgroup_place *place);

/* The file name of the group: 0 or -errno; see env_read(). */
int own_cgroup_read(struct env *env, const struct cgroup_place *place, const char *name, struct span *text);

/* Cuts the last name off the group; false at the top of the hierarchy. */
bool own_cgroup_up(struct cgroup_place *place);

/* Is there a control group with this path in some hierarchy? True also where that cannot be told. */
bool cgroup_may_exist(struct env *env, const char *group);

#endif
