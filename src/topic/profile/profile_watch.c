/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A limit of CPU time, as a busy machine may let it wait; and one of time in which it waits for a disk. */
#include <config.h>

#include "topic/profile/profile_watch.h"

#include <string.h>

#include "sys/child.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
#define SLOWER 5
#else
#define SLOWER 1
#endif
#define LATE_CPU_NS (UINT64_C(600000000) * SLOWER) /* two million names take 300 ms */
#define LATE_DISK_NS (UINT64_C(2000000000) * SLOWER) /* with hardly any CPU time */
#define HARDLY 10                                     /* a tenth */
#define SHUNNED_NS UINT64_C(5000000000)               /* the first time; doubles each time … */
#define SHUNNED_MAX_NS UINT64_C(600000000000)         /* … up to this … */
#define FORGIVEN_NS UINT64_C(3600000000000)           /* … and begins again after this */
#define COUNTED_NS UINT64_C(600000000000)

bool profile_watch_is_late(struct profile_watch *watch, const struct profile_shared *shared, pid_t child,
			   uint64_t now_ns)
{
	uint64_t cpu_ns = child_cpu_ns(child);

	if (shared->pid == 0 || shared->works != watch->works || watch->since_ns == 0) {
		watch->works = shared->works;
		watch->since_ns = now_ns;
		watch->cpu_ns = cpu_ns;
		*watch->command = '\0';
		return false;
	}
	if (!*watch->command) /* while it lives */
		process_name((pid_t)shared->pid, watch->command, sizeof(watch->command));
	if (cpu_ns > watch->cpu_ns + LATE_CPU_NS)
		return true;
	return now_ns > watch->since_ns + LATE_DISK_NS &&
	       cpu_ns < watch->cpu_ns + (now_ns - watch->since_ns) / HARDLY && child_waits_for_disk(child);
}

static void set_clean(char *text, size_t room, const char *from)
{
	size_t length = strnlen(from, room - 1);

	for (size_t i = 0; i < length; i++)
		text[i] = (unsigned char)from[i] < ' ' || from[i] == 0x7f ? '?' : from[i];
	text[length] = '\0';
}

/* The same file, or where it was none the same process; else a new one, where there is no room the oldest. */
static struct profile_culprit *culprit_of(struct profile_watch *watch, uint32_t pid, uint64_t file)
{
	struct profile_culprit *culprit = &watch->list[0];

	for (size_t i = 0; i < watch->n; i++)
		if (watch->list[i].file == file && (file != 0 || watch->list[i].pid == pid))
			return &watch->list[i];
	if (watch->n < PROFILE_CULPRITS_MAX)
		culprit = &watch->list[watch->n++];
	else
		for (size_t i = 1; i < watch->n; i++)
			culprit = watch->list[i].last_ns < culprit->last_ns ? &watch->list[i] : culprit;
	*culprit = (struct profile_culprit){ .file = file };
	return culprit;
}

void profile_watch_blame(struct profile_watch *watch, const struct profile_shared *shared, uint64_t now_ns)
{
	char path[PROFILE_NAME_MAX];
	uint64_t file = shared->pid ? shared->work.file : 0, time_ns;
	struct profile_culprit *culprit = culprit_of(watch, shared->pid, file);

	if (now_ns > culprit->last_ns + FORGIVEN_NS)
		culprit->times = 0;
	time_ns = culprit->times < 8 ? SHUNNED_NS << culprit->times : SHUNNED_MAX_NS;
	culprit->times++;
	culprit->last_ns = now_ns;
	culprit->until_ns = now_ns + (time_ns < SHUNNED_MAX_NS ? time_ns : SHUNNED_MAX_NS);
	culprit->pid = shared->pid;
	if (culprit->pid == 0)
		return;
	if (!*watch->command || shared->works != watch->works)
		process_name((pid_t)culprit->pid, watch->command, sizeof(watch->command));
	set_clean(culprit->command, sizeof(culprit->command), *watch->command ? watch->command : "?");
	memcpy(path, shared->work.path, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	set_clean(culprit->path, sizeof(culprit->path), file ? path : "");
}

size_t profile_watch_shunned(const struct profile_watch *watch,
			     struct code_shunned list[PROFILE_CULPRITS_MAX], uint64_t now_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < watch->n; i++)
		if (watch->list[i].until_ns > now_ns && watch->list[i].pid != 0)
			list[n++] = (struct code_shunned){ .file = watch->list[i].file,
							   .pid = watch->list[i].pid,
							   .until_ns = watch->list[i].until_ns };
	return n;
}

const struct profile_culprit *profile_watch_last(const struct profile_watch *watch, uint64_t now_ns,
						 unsigned *n_ended)
{
	const struct profile_culprit *last = NULL;

	*n_ended = 0;
	for (size_t i = 0; i < watch->n; i++) {
		const struct profile_culprit *culprit = &watch->list[i];

		if (now_ns > culprit->last_ns + COUNTED_NS)
			continue;
		*n_ended += culprit->times;
		last = !last || culprit->last_ns > last->last_ns ? culprit : last;
	}
	return last;
}

void profile_watch_leave(struct profile_watch *watch, pid_t child)
{
	if (watch->n_stuck < PROFILE_STUCK_MAX)
		watch->stuck[watch->n_stuck++] = child;
}

bool profile_watch_reap(struct profile_watch *watch)
{
	for (size_t i = 0; i < watch->n_stuck;)
		if (child_has_ended(watch->stuck[i]))
			watch->stuck[i] = watch->stuck[--watch->n_stuck];
		else
			i++;
	return watch->n_stuck < PROFILE_STUCK_MAX;
}
