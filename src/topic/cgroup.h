/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroup that panetop runs in and its ancestors, whose limits apply to it. */
#ifndef PANETOP_TOPIC_CGROUP_H
#define PANETOP_TOPIC_CGROUP_H

#include "kernel/cgroup.h"
#include "sys/env.h"
#include "topic/topic.h"

/* Finds the cgroup of panetop for this controller. 0; -ENODEV: none is mounted; -errno of a read. */
int cgroup_own(struct env *env, const char *controller, struct cgroup_place *place);

/* The state of a topic about the limits of this cgroup and its ancestors. */
struct own_cgroup {
	struct cgroup_place place;
	bool found;
};

struct own_cgroup *cgroup_open(struct env *env, const char *controller);
void cgroup_close(struct sample *sample);

/* For the source of such a topic: the result of cgroup_own(). */
int cgroup_test(struct env *env, const char *controller);

#define CGROUP_SOURCE(name, test_it, not_mounted)                                                        \
	{                                                                                                    \
		.path = name, .gives = N_("limits of the container or service in which panetop runs"),       \
		.optional = true, .test = test_it,                                                           \
		.remedies = { { ENODEV, not_mounted },                                                       \
			      { ENOENT, N_("not used here (no control groups)"), .unused = true } }          \
	}

/* Reads a file of the cgroup: 0 or -errno; see env_read(). */
int cgroup_read(struct env *env, const struct cgroup_place *place, const char *name, struct span *text);

/* Moves to the parent; false at the top of the hierarchy. */
bool cgroup_up(struct cgroup_place *place);

/* Whether a cgroup with this path exists in some hierarchy; true also where that is unknown. */
bool cgroup_may_exist(struct env *env, const char *group);

#endif
