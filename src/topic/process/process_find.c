/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads stat of single processes, for those who have no list of them. */
#include <config.h>

#include "topic/process/process_find.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sys/pids.h"

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

bool process_read_stat(struct env *env, uint32_t pid, char *bytes, struct pid_stat *stat)
{
	long length = pids_read(env, pid, "stat", bytes, PROCESS_STAT_MAX);

	return length > 0 && pid_stat_parse(span_of(bytes, (size_t)length), stat);
}

uint32_t process_living_thread(struct env *env, uint32_t pid, struct pid_stat *stat)
{
	const uint32_t *tids;
	size_t n_tids;

	if (!pid_stat_goes_on(stat) || pids_threads(env, pid, &tids, &n_tids) < 0)
		return 0;
	for (size_t i = 0; i < n_tids; i++) {
		char bytes[PROCESS_STAT_MAX], name[48];
		struct pid_stat thread;
		long length;

		snprintf(name, sizeof(name), "task/%u/stat", tids[i]);
		length = pids_read(env, pid, name, bytes, sizeof(bytes));
		if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &thread) ||
		    pid_stat_main_ended(&thread))
			continue;
		stat->state = thread.state;
		stat->processor = thread.processor;
		stat->priority = thread.priority;
		stat->nice = thread.nice;
		stat->resident_pages = thread.resident_pages;
		return tids[i];
	}
	return 0;
}

struct span process_program(struct env *env, uint32_t pid, char *bytes, size_t room)
{
	long length = pids_read(env, pid, "cmdline", bytes, room);

	return span_of(bytes, length > 0 ? strnlen(bytes, (size_t)length) : 0);
}

bool process_any_in_group(struct env *env, uint64_t group)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;
	const uint32_t *pids;
	size_t n_pids;

	if (pids_list(env, &pids, &n_pids) < 0)
		return false;
	for (size_t i = 0; i < n_pids; i++)
		if (process_read_stat(env, pids[i], bytes, &stat) && stat.process_group == (int64_t)group)
			return true;
	return false;
}
