/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding a process by its pid and its start time, or on a list of pids and names. */
#include <config.h>

#include "topic/process_find.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/pids.h"

#define COMM_MAX 15 /* what the kernel keeps of a name */

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

struct span process_program(struct env *env, uint32_t pid, char *bytes, size_t room)
{
	long length = pids_read(env, pid, "cmdline", bytes, room);
	struct span program = span_of(bytes, length > 0 ? strnlen(bytes, (size_t)length) : 0);
	const char *slash = span_length(program) > 0 ? memrchr(program.at, '/', span_length(program)) : NULL;

	if (slash)
		program.at = slash + 1;
	return program;
}

static bool is_named(struct span word, struct span comm)
{
	size_t length = span_length(word);

	if (length > COMM_MAX && span_length(comm) == COMM_MAX)
		length = COMM_MAX;
	return length > 0 && span_length(comm) == length && memcmp(word.at, comm.at, length) == 0;
}

bool process_is_listed(const char *list, uint32_t pid, struct span name)
{
	struct span rest = span_text(list), word;
	uint64_t number;

	while (span_item(&rest, &word))
		if (span_is_u64(word, &number) ? number == pid : is_named(word, name))
			return true;
	return false;
}

bool process_any_listed(struct env *env, const char *list)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;
	const uint32_t *pids;
	size_t n_pids;

	if (pids_list(env, &pids, &n_pids) < 0)
		return false;
	for (size_t i = 0; i < n_pids; i++)
		if (process_read_stat(env, pids[i], bytes, &stat) &&
		    (process_is_listed(list, pids[i], stat.comm) ||
		     process_is_listed(list, pids[i], process_program(env, pids[i], bytes, sizeof(bytes)))))
			return true;
	return false;
}
