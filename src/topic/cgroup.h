/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control group that panetop runs in, and those above it: whose limits are ours. */
#ifndef PANETOP_TOPIC_CGROUP_H
#define PANETOP_TOPIC_CGROUP_H

#include "kernel/cgroup.h"
#include "sys/env.h"
#include "topic/topic.h"

/* Finds the group that limits controller. 0; -ENODEV where it is nowhere; -errno of a read. */
int cgroup_own(struct env *env, const char *controller, struct cgroup_place *place);

/* The state of a topic about limits of the own group, and of those above it. */
struct own_cgroup {
	struct cgroup_place place;
	bool found;
};

struct own_cgroup *cgroup_open(struct env *env, const char *controller);
void cgroup_close(struct sample *sample);

/* The source of such a topic, with the result of own_cgroup_find(). */
int cgroup_test(struct env *env, const char *controller);

#define CGROUP_SOURCE(name, test_it, not_mounted)                                                        \
	{                                                                                                    \
		.path = name, .gives = N_("limits of the container or service in which panetop runs"),       \
		.optional = true, .test = test_it,                                                           \
		.remedies = { { ENODEV, not_mounted },                                                       \
			      { ENOENT, N_("this kernel has no control groups: nothing is missing") } }      \
	}

/* The file name of the group: 0 or -errno; see env_read(). */
int cgroup_read(struct env *env, const struct cgroup_place *place, const char *name, struct span *text);

/* Cuts the last name off the group; false at the top of the hierarchy. */
bool cgroup_up(struct cgroup_place *place);

/* Is there a control group with this path in some hierarchy? True also where that cannot be told. */
bool cgroup_may_exist(struct env *env, const char *group);

#endif
