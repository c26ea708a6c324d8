/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offset of our time namespace, read once; 0 where it cannot be known to be ours. */
#include <config.h>

#include "topic/kernel_clock.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/pid/timens.h"
#include "sys/pids.h"

static const char key;

/* The offsets are those of children, which are ours unless a time namespace was made for them only. */
static bool are_ours(struct env *env)
{
	char ours[64] = "", of_children[64] = "";

	return pids_read_link(env, env->own_pid, "ns/time", ours, sizeof(ours)) > 0 &&
	       pids_read_link(env, env->own_pid, "ns/time_for_children", of_children,
			      sizeof(of_children)) > 0 &&
	       strcmp(ours, of_children) == 0;
}

static int64_t *find_lag(struct env *env)
{
	int64_t *ahead_ns = env_state_add(env, &key, sizeof(*ahead_ns), NULL);
	char bytes[512];
	long length = env->live && env->own_pid && are_ours(env)
			      ? pids_read(env, env->own_pid, "timens_offsets", bytes, sizeof(bytes))
			      : 0;

	if (length > 0)
		timens_offset(span_of(bytes, (size_t)length), "monotonic", ahead_ns);
	return ahead_ns;
}

uint64_t kernel_clock_lag_ns(struct env *env)
{
	const int64_t *ahead_ns = env_state(env, &key);

	if (!ahead_ns)
		ahead_ns = find_lag(env);
	return (uint64_t)*ahead_ns;
}
