/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which control group a process is in, where its hierarchy is mounted, and what limits of groups say. */
#include <config.h>

#include "kernel/cgroup.h"

#include <string.h>

#include "kernel/mountinfo.h"

/* Version 1 means "no limit" by the largest multiple of the page size below 2^63. */
#define VERSION_1_NO_LIMIT (UINT64_C(0x7fffffffffffffff) & ~UINT64_C(0xffff))

/* "4:memory:/a/b" or, for version 2, "0::/a/b". */
static bool find_group(struct span cgroups, const char *controller, struct span *group)
{
	struct span line, id, controllers;

	while (span_line(&cgroups, &line)) {
		if (!span_until(&line, ':', &id) || !span_until(&line, ':', &controllers))
			continue;
		if (controller ? span_list_has(controllers, controller) : span_is(id, "0")) {
			*group = line;
			return true;
		}
	}
	return false;
}

/*
 * Is group, which has no escapes, equal to root or below it? Then *rest is what follows root, as the mount
 * shows only what is below it; otherwise all of group.
 */
static bool is_below(struct span root, struct span group, struct span *rest)
{
	struct span at = group;

	*rest = group;
	if (span_length(root) <= 1)
		return true;
	while (span_length(root) > 0)
		if (span_length(at) == 0 || mountinfo_byte(&root) != *at.at++)
			return false;
	if (span_length(at) > 0 && *at.at != '/')
		return false;
	*rest = at;
	return true;
}

static bool is_hierarchy(const struct mount_info *mount)
{
	return span_is(mount->type, "cgroup") || span_is(mount->type, "cgroup2");
}

/* The first mount of the hierarchy that shows the group; otherwise the first mount. */
static bool find_mount(struct span mounts, const char *controller, struct span group,
		       struct mount_info *mount)
{
	struct mount_info candidate;
	struct span rest;
	bool found = false;

	while (mountinfo_next(&mounts, &candidate)) {
		if (!(controller ? span_is(candidate.type, "cgroup") &&
					   span_list_has(candidate.options, controller)
				 : span_is(candidate.type, "cgroup2")))
			continue;
		if (!found)
			*mount = candidate;
		found = true;
		if (is_below(candidate.root, group, &rest)) {
			*mount = candidate;
			break;
		}
	}
	return found;
}

/* Copies without leading and trailing slashes; decodes a path of mountinfo. */
static bool copy_path(struct span path, bool escaped, char *out)
{
	size_t length = 0;

	while (path.at < path.end && *path.at == '/')
		path.at++;
	while (path.at < path.end && path.end[-1] == '/')
		path.end--;
	while (path.at < path.end) {
		if (length + 1 >= CGROUP_PATH_MAX)
			return false;
		out[length++] = escaped ? mountinfo_byte(&path) : *path.at++;
	}
	out[length] = '\0';
	return true;
}

static bool set_place(const struct mount_info *mount, struct span group, struct cgroup_place *place)
{
	return copy_path(mount->point, true, place->mount) && copy_path(group, false, place->group);
}

bool cgroup_find(struct span cgroups, struct span mounts, const char *controller, struct cgroup_place *place)
{
	struct span group, rest;
	struct mount_info mount;

	for (int version = 1; version <= 2; version++) {
		const char *name = version == 1 ? controller : NULL;

		if (!find_group(cgroups, name, &group) || !find_mount(mounts, name, group, &mount))
			continue;
		place->version = version;
		is_below(mount.root, group, &rest);
		return set_place(&mount, rest, place);
	}
	return false;
}

bool cgroup_next(struct span *mounts, const char *group, struct cgroup_place *place)
{
	struct mount_info mount;
	struct span rest;

	while (mountinfo_next(mounts, &mount)) {
		if (!is_hierarchy(&mount))
			continue;
		place->version = span_is(mount.type, "cgroup") ? 1 : 2;
		if (!is_below(mount.root, span_text(group), &rest))
			place->version = 0;
		return set_place(&mount, rest, place);
	}
	return false;
}

static unsigned depth_of(struct span path)
{
	unsigned depth = 0;

	for (const char *at = path.at; at + 1 < path.end; at++)
		depth += at[0] == '/' && at[1] != '/';
	return depth;
}

bool cgroup_path_in(struct span cgroups, unsigned hierarchy, struct span *path)
{
	static const char *const controllers[] = { "cpu", "memory", "pids", "blkio", "name=systemd", NULL };

	if (!find_group(cgroups, controllers[hierarchy], path) || span_length(*path) == 0 || *path->at != '/')
		return false;
	span_take_end(path, PATH_DELETED); /* it was removed below its last process */
	return true;
}

struct span cgroup_path(struct span cgroups)
{
	struct span deepest = span_text(""), path;

	for (unsigned i = 0; i < CGROUP_PATHS; i++)
		if (cgroup_path_in(cgroups, i, &path) &&
		    (span_length(deepest) == 0 || depth_of(path) > depth_of(deepest)))
			deepest = path;
	return deepest;
}

bool cgroup_mount_next(struct span *mounts, struct cgroup_mount *mount)
{
	struct mount_info found;

	while (mountinfo_next(mounts, &found)) {
		if (!is_hierarchy(&found) || !copy_path(found.point, true, mount->point))
			continue;
		mount->options = found.options;
		mount->version = span_is(found.type, "cgroup") ? 1 : 2;
		return true;
	}
	return false;
}

bool cgroup_mount_has(const struct cgroup_mount *mount, const char *option)
{
	return span_list_has(mount->options, option);
}

bool cgroup_quota_parse(struct span quota, struct span period, double *cpus)
{
	uint64_t quota_us, period_us;

	*cpus = 0;
	if (span_starts(quota, "max") || span_starts(quota, "-1"))
		return true;
	if (!span_u64(&quota, &quota_us) || !span_u64(&period, &period_us) || period_us == 0)
		return false;
	*cpus = (double)quota_us / (double)period_us;
	return true;
}

bool cgroup_limit_parse(struct span text, uint64_t *bytes)
{
	struct span line;

	if (!span_line(&text, &line))
		return false;
	if (span_is(line, "max")) {
		*bytes = CGROUP_NO_LIMIT;
		return true;
	}
	if (!span_u64(&line, bytes))
		return false;
	if (*bytes >= VERSION_1_NO_LIMIT)
		*bytes = CGROUP_NO_LIMIT;
	return true;
}
