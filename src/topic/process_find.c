/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding a process by its pid and its start time. */
#include <config.h>

#include "topic/process_find.h"

#include <errno.h>
#include <math.h>

#include "core/pids.h"

double process_start_seconds(const struct env *env, uint64_t start_ticks)
{
	return (double)start_ticks / (double)env->ticks_per_second;
}

uint64_t process_start_ticks(const struct env *env, double start_seconds)
{
	return (uint64_t)llround(start_seconds * (double)env->ticks_per_second);
}

int process_find(struct env *env, uint32_t pid, double start_seconds, struct pid_stat *stat)
{
	char bytes[1024];
	long length = pids_read(env, pid, "stat", bytes, sizeof(bytes));
	double start;

	if (length == -ENOENT)
		return -ESRCH;
	if (length < 0)
		return (int)length;
	if (!pid_stat_parse(span_of(bytes, (size_t)length), stat))
		return -ENODATA;
	stat->comm = span_text("");
	start = process_start_seconds(env, stat->start_ticks);
	return fabs(start - start_seconds) < 0.5 / (double)env->ticks_per_second ? 0 : -ESRCH;
}
