/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds tracefs, in its two usual places or elsewhere. */
#include <config.h>

#include "topic/tracing.h"

#include <stdio.h>

#include "kernel/mounts.h"

bool tracing_find(struct env *env, char path[TRACING_MAX])
{
	static const char usual[] = "sys/kernel/tracing", debugfs[] = "sys/kernel/debug/tracing";
	bool is_usual = env_exists(env, "sys/kernel/tracing/events");
	struct span text, directory;

	snprintf(path, TRACING_MAX, "%s", !is_usual && env_exists(env, debugfs) ? debugfs : usual);
	if (is_usual || env_exists(env, debugfs))
		return true;
	if (env_read(env, env_file(env, "proc/mounts"), &text) < 0 ||
	    !mounts_find(text, "tracefs", &directory) || !span_char(&directory, '/'))
		return false;
	snprintf(path, TRACING_MAX, "%.*s", (int)span_length(directory), directory.at);
	return true;
}
