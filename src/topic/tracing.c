/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds tracefs, in its two usual places or elsewhere, and opens it. */
#include <config.h>

#include "topic/tracing.h"

#include <stdio.h>

#include "kernel/mounts.h"
#include "sys/perf_ring.h"

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
