/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offsets of our time namespace, read once; 0 where they cannot be known to be ours. */
#include <config.h>

#include "topic/kernel_clock.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"

struct lags {
	int64_t mono_ns, boot_ns;
};

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

static const struct lags *lags_of(struct env *env)
{
	struct lags *lags = env_state(env, &key);
	char bytes[512];
	long length = 0;

	if (lags)
		return lags;
	lags = env_state_add(env, &key, sizeof(*lags), NULL);
	if (env->live && env->own_pid && are_ours(env))
		length = pids_read(env, env->own_pid, "timens_offsets", bytes, sizeof(bytes));
	if (length > 0) {
		timens_offset(span_of(bytes, (size_t)length), "monotonic", &lags->mono_ns);
		timens_offset(span_of(bytes, (size_t)length), "boottime", &lags->boot_ns);
	}
	return lags;
}

uint64_t kernel_clock_lag_ns(struct env *env)
{
	return (uint64_t)lags_of(env)->mono_ns;
}

uint64_t kernel_clock_boot_lag_ns(struct env *env)
{
	return (uint64_t)lags_of(env)->boot_ns;
}
