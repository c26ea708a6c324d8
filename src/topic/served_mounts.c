/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts over files of the kernel: looked for once. */
#include <config.h>

#include "topic/served_mounts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "kernel/mounts.h"
#include "sys/perf_ring.h"

#define DRIVERS "sys/class/drm"

static bool is_server(struct span type)
{
	static const char *const types[] = { "fuse",  "fuseblk", "nfs",  "nfs4",   "cifs", "smb3",
					     "9p",    "ceph",    "afs",  "virtiofs", "coda", "lustre",
					     "vboxsf" };

	if (span_starts(type, "fuse."))
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_is(type, types[i]))
			return true;
	return false;
}

static void add_mount(struct served *served, const char *root, const struct mount_info *info)
{
	static const char *const kept[] = { "proc", "sys", "etc" };
	static const char *const leading[] = { "sys/block", "sys/bus", "sys/class" }; /* by links */
	char *point = mountinfo_text(info->point);
	size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
	const char *below = strncmp(point, root, length) == 0 ? point + length : "";
	bool wanted = served_is_in(root, strcmp(point, "/") == 0 ? "" : point);

	for (size_t i = 0; *below == '/' && i < sizeof(kept) / sizeof(kept[0]); i++)
		wanted |= served_is_in(below + 1, kept[i]);
	below += *below == '/';
	if (wanted)
		served_add(served, below, is_server(info->type), info->device);
	if (wanted && is_server(info->type) && served_is_in(below, "sys/devices"))
		for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++)
			served_add(served, leading[i], true, info->device);
	free(point);
}

/* Of this machine, whatever the root is. */
static void add_mounts(struct served *served, const char *root)
{
	struct mount_info info;
	struct env machine;
	struct span text;

	if (env_open(&machine, "/") < 0)
		return;
	if (env_read(&machine, env_file(&machine, "proc/self/mountinfo"), &text) == 0)
		while (mountinfo_next(&text, &info))
			add_mount(served, root, &info);
	env_close(&machine);
}

void served_mounts_find(struct env *env)
{
	struct served *served = &env->served;
	char own[32], root[PATH_MAX];
	bool any = env->live;
	ssize_t length;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", env->root.fd);
	length = readlink(own, root, sizeof(root) - 1);
	if (length > 0) {
		root[length] = '\0';
		add_mounts(served, root);
	}
	if (env->live)
		served_add(served, DRIVERS, true, SERVED_BY_DRIVER);
	for (size_t i = 0; i < served->n_places; i++)
		any |= served->places[i].by_server;
	if (!any)
		served_free(served);
}

/* In another root, by its own list. */
static bool is_listed(struct env *env, const char *path)
{
	struct mount_info info;
	struct span text;
	bool found = false;

	if (env_read(env, env_file(env, "proc/self/mountinfo"), &text) < 0)
		return false;
	while (!found && mountinfo_next(&text, &info))
		found = is_server(info.type) && *info.point.at == '/' &&
			span_is((struct span){ info.point.at + 1, info.point.end }, path);
	return found;
}

static bool is_served(struct env *env, const char *path)
{
	return served_by_server(&env->served, path) || (!env->live && is_listed(env, path));
}

bool served_mounts_of_host(struct env *env, const char *path)
{
	return is_served(env, "proc/meminfo") && !is_served(env, path);
}

void served_mounts_tell_host(struct env *env, struct frame *frame, const char *topic, const char *path)
{
	if (served_mounts_of_host(env, path))
		frame_notice(frame, topic, NULL, _("/%s is of the host, memory is of this container"), path);
}

/* Finds tracefs, in its two usual places or elsewhere, and opens it. */

#define PATH_BYTES 256

/* The mount point of tracefs, relative to the root; the usual place where it is not mounted. */
static void find(struct env *env, char path[PATH_BYTES])
{
	static const char usual[] = "sys/kernel/tracing", debugfs[] = "sys/kernel/debug/tracing";
	bool is_usual = env_exists(env, "sys/kernel/tracing/events");
	bool is_debugfs = !is_usual && env_exists(env, debugfs);
	struct span text, directory;

	snprintf(path, PATH_BYTES, "%s", is_debugfs ? debugfs : usual);
	if (is_usual || is_debugfs || env_read(env, env_file(env, "proc/mounts"), &text) < 0)
		return;
	if (mounts_find(text, "tracefs", &directory) && span_char(&directory, '/'))
		snprintf(path, PATH_BYTES, "%.*s", (int)span_length(directory), directory.at);
}

int tracing_open(struct env *env)
{
	char path[PATH_BYTES];

	find(env, path);
	return tracefs_open(env, path);
}
