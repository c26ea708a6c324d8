/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc/self/cgroup, /proc/self/mountinfo, and files of control groups. */
#include <config.h>

#include "kernel/cgroup.h"

#include <string.h>

#define NS_PER_US 1000

/* Version 1 means "no limit" by the largest multiple of the page size below 2^63. */
#define VERSION_1_NO_LIMIT (UINT64_C(0x7fffffffffffffff) & ~UINT64_C(0xffff))

static bool in_list(struct span list, const char *wanted)
{
	struct span item;

	while (span_item(&list, &item))
		if (span_is(item, wanted))
			return true;
	return false;
}

/* "4:memory:/a/b" or, for version 2, "0::/a/b". */
static bool find_group(struct span cgroups, const char *controller, struct span *group)
{
	struct span line, id, controllers;

	while (span_line(&cgroups, &line)) {
		if (!span_until(&line, ':', &id) || !span_until(&line, ':', &controllers))
			continue;
		if (controller ? in_list(controllers, controller) : span_is(id, "0")) {
			*group = line;
			return true;
		}
	}
	return false;
}

struct mount {
	struct span root, point; /* as in mountinfo, with octal escapes */
};

static int octal(char byte)
{
	return byte >= '0' && byte <= '7' ? byte - '0' : -1;
}

/* Takes the next byte of a path of mountinfo, which has "\040" for a blank. */
static char next_byte(struct span *path)
{
	const char *at = path->at;
	bool escaped = span_length(*path) >= 4 && *at == '\\' && octal(at[1]) >= 0 && octal(at[2]) >= 0 &&
		       octal(at[3]) >= 0;

	path->at += escaped ? 4 : 1;
	if (!escaped)
		return *at;
	return (char)(octal(at[1]) << 6 | octal(at[2]) << 3 | octal(at[3]));
}

/* "31 23 0:28 /root /point opts [tags] - type source superopts" */
static bool parse_mount(struct span line, struct mount *mount, struct span *type, struct span *options)
{
	struct span skip;

	for (int i = 0; i < 3; i++)
		if (!span_word(&line, &skip))
			return false;
	if (!span_word(&line, &mount->root) || !span_word(&line, &mount->point))
		return false;
	do {
		if (!span_word(&line, &skip))
			return false;
	} while (!span_is(skip, "-"));
	return span_word(&line, type) && span_word(&line, &skip) && span_word(&line, options);
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
		if (span_length(at) == 0 || next_byte(&root) != *at.at++)
			return false;
	if (span_length(at) > 0 && *at.at != '/')
		return false;
	*rest = at;
	return true;
}

/* The first mount of the hierarchy that shows the group; otherwise the first mount. */
static bool find_mount(struct span mounts, const char *controller, struct span group, struct mount *mount)
{
	struct span line, type, options, rest;
	struct mount candidate;
	bool found = false;

	while (span_line(&mounts, &line)) {
		if (!parse_mount(line, &candidate, &type, &options) ||
		    !(controller ? span_is(type, "cgroup") && in_list(options, controller)
				 : span_is(type, "cgroup2")))
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
		out[length++] = escaped ? next_byte(&path) : *path.at++;
	}
	out[length] = '\0';
	return true;
}

static bool set_place(const struct mount *mount, struct span group, struct cgroup_place *place)
{
	return copy_path(mount->point, true, place->mount) && copy_path(group, false, place->group);
}

bool cgroup_find(struct span cgroups, struct span mounts, const char *controller, struct cgroup_place *place)
{
	struct span group, rest;
	struct mount mount;

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
	struct span line, type, options, rest;
	struct mount mount;

	while (span_line(mounts, &line)) {
		if (!parse_mount(line, &mount, &type, &options) ||
		    !(span_is(type, "cgroup") || span_is(type, "cgroup2")))
			continue;
		place->version = span_is(type, "cgroup") ? 1 : 2;
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

/* The kernel marks the path of a group that was removed below its last process. */
static struct span without_mark(struct span path)
{
	static const char mark[] = " (deleted)";
	size_t length = sizeof(mark) - 1;

	if (span_length(path) > length && memcmp(path.end - length, mark, length) == 0)
		path.end -= length;
	return path;
}

bool cgroup_path_in(struct span cgroups, unsigned hierarchy, struct span *path)
{
	static const char *const controllers[] = { "cpu", "memory", "pids", "blkio", "name=systemd", NULL };

	if (!find_group(cgroups, controllers[hierarchy], path) || span_length(*path) == 0 || *path->at != '/')
		return false;
	*path = without_mark(*path);
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
	struct span line, type;
	struct mount found;

	while (span_line(mounts, &line)) {
		if (!parse_mount(line, &found, &type, &mount->options) ||
		    !(span_is(type, "cgroup") || span_is(type, "cgroup2")) ||
		    !copy_path(found.point, true, mount->point))
			continue;
		mount->version = span_is(type, "cgroup") ? 1 : 2;
		return true;
	}
	return false;
}

bool cgroup_mount_has(const struct cgroup_mount *mount, const char *option)
{
	return in_list(mount->options, option);
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

bool cgroup_usage_parse(struct span text, uint64_t *used_ns)
{
	struct span line, name, rest;
	uint64_t used_us;

	while (span_line(&text, &line)) {
		if (!span_pair_u64(line, &name, &used_us, &rest) || !span_is(name, "usage_usec") ||
		    used_us > UINT64_MAX / NS_PER_US)
			continue;
		*used_ns = used_us * NS_PER_US;
		return true;
	}
	return false;
}
