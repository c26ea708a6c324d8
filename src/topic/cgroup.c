/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and reads the cgroup of panetop, and looks up others. */
#include <config.h>

#include "topic/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

int cgroup_own(struct env *env, const char *controller, struct cgroup_place *place)
{
	struct span cgroups, mounts;
	int error = env_read(env, env_file(env, "proc/self/cgroup"), &cgroups);

	if (!error)
		error = env_read(env, env_file(env, "proc/self/mountinfo"), &mounts);
	if (error)
		return error;
	return cgroup_find(cgroups, mounts, controller, place) ? 0 : -ENODEV;
}

struct own_cgroup *cgroup_open(struct env *env, const char *controller)
{
	struct own_cgroup *own = alloc_zeroed(1, sizeof(*own));

	own->found = cgroup_own(env, controller, &own->place) == 0;
	return own;
}

void cgroup_close(struct sample *sample)
{
	free(sample->state);
}

int cgroup_test(struct env *env, const char *controller)
{
	struct cgroup_place place;

	return cgroup_own(env, controller, &place);
}

int cgroup_read(struct env *env, const struct cgroup_place *place, const char *name, struct span *text)
{
	char path[2 * CGROUP_PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s%s%s", place->mount, place->group, *place->group ? "/" : "", name);
	return env_read(env, env_file(env, path), text);
}

bool cgroup_up(struct cgroup_place *place)
{
	char *slash = strrchr(place->group, '/');

	if (*place->group == '\0')
		return false;
	*(slash ? slash : place->group) = '\0';
	return true;
}

bool cgroup_may_exist(struct env *env, const char *group)
{
	char path[2 * CGROUP_PATH_MAX];
	struct cgroup_place place;
	struct span mounts;
	bool seen = false;

	if (env_read(env, env_file(env, "proc/self/mountinfo"), &mounts) < 0)
		return true;
	while (cgroup_next(&mounts, group, &place)) {
		snprintf(path, sizeof(path), "%s/%s", place.mount, place.group);
		if (place.version == 0 || env_exists(env, path))
			return true;
		seen = true;
	}
	return !seen;
}
