/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a process by PID or name and follows it until it exits. */
#include <config.h>

#include "topic/process/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "sys/pids.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_scope.h"

#define SEARCH_NS UINT64_C(1000000000) /* between searches through all processes */

static int open_target(void *state, const struct sample *sample)
{
	struct target *target = state;

	target->env = sample->env;
	target->request = sample->request;
	return 0;
}

static void close_target(void *state)
{
	struct target *target = state;

	free(target->list);
}

static void set_process(struct target *target, uint32_t pid, const struct pid_stat *stat)
{
	target->state = TARGET_LIVE;
	target->pid = target->memory_pid = pid;
	target->start_ticks = stat->start_ticks;
	target->stat = *stat;
	target->stat_mono_ns = stat->state ? env_mono_ns(target->env) : 0;
	target->stat.comm = span_text("");
	span_copy(target->name, sizeof(target->name), stat->comm);
}

/* Zombies and panetop itself match only by PID. */
static bool matches(const struct target *target, uint32_t pid, const struct pid_stat *stat,
		    struct span program, const char *list)
{
	uint64_t number;

	if (stat->start_ticks < target->least_ticks ||
	    !process_pattern_matches(span_text(list), pid, stat->comm, program))
		return false;
	return span_is_u64(span_text(list), &number) ||
	       (!pid_stat_has_ended(stat) && pid != target->request->own_pid);
}

static bool may_be_read(struct env *env, uint32_t pid)
{
	int fd = pids_open(env, pid, "maps", O_RDONLY);

	if (fd >= 0)
		close(fd);
	return fd != -EACCES && fd != -EPERM;
}

/*
 * Selects the newest process that list matches by name, with programs also by the program of its command
 * line: of those that may be read, if there are any.
 */
static void search(struct target *target, const uint32_t *pids, size_t n_pids, const char *list,
		   bool programs)
{
	bool readable = false;

	target->n_matches = target->n_unreadable = 0;
	for (size_t i = 0; i < n_pids; i++) {
		char bytes[PROCESS_STAT_MAX], line[PROCESS_STAT_MAX];
		struct pid_stat stat;
		struct span program = span_text("");
		bool better;

		if (!process_read_stat(target->env, pids[i], bytes, &stat))
			continue;
		if (programs)
			program = process_program(target->env, pids[i], line, sizeof(line));
		if (!matches(target, pids[i], &stat, program, list))
			continue;
		better = may_be_read(target->env, pids[i]);
		target->n_unreadable += !better;
		if (target->n_matches++ == 0 || better > readable ||
		    (better == readable && stat.start_ticks >= target->start_ticks)) {
			readable = better;
			set_process(target, pids[i], &stat);
		}
	}
	target->generation += target->n_matches > 0 ? 1 : 0;
}

static int seek(struct target *target)
{
	uint64_t now = env_mono_ns(target->env);
	const char *list = target->least_ticks > 0 ? target->name : target->list;
	char *name = alloc_text(list); /* list may be target->name, which is overwritten */
	const uint32_t *pids;
	size_t n_pids;
	int error = 0;

	if (target->searched_ns == 0 || now - target->searched_ns >= SEARCH_NS) {
		target->searched_ns = now;
		error = pids_list(target->env, &pids, &n_pids);
		if (!error)
			search(target, pids, n_pids, name, false);
		if (!error && target->state == TARGET_SOUGHT)
			search(target, pids, n_pids, name, true);
	}
	free(name);
	return error;
}

static void follow(struct target *target)
{
	uint64_t mono_ns = env_mono_ns(target->env);
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;

	if (!process_read_stat(target->env, target->pid, bytes, &stat) ||
	    stat.start_ticks != target->start_ticks) {
		target->state = TARGET_GONE;
		return;
	}
	if (pid_stat_has_ended(&stat) && !pid_stat_has_ended(&target->stat))
		target->state = TARGET_GONE;
	if (span_length(stat.comm) < TARGET_NAME_MAX) /* an exec may change it */
		span_copy(target->name, sizeof(target->name), stat.comm);
	target->stat = stat;
	target->stat_mono_ns = mono_ns;
	target->stat.comm = span_text("");
}

#define SEEN_SLACK_NS UINT64_C(20000000) /* start times are in ticks */

/* Of an event only the PID and its time are known: a process that started later is another one. */
static bool find_seen(const struct target *target, const struct process_choice *chosen, struct pid_stat *stat)
{
	uint64_t wall_ns = env_wall_ns(target->env), boot_ns = env_boot_ns(target->env);
	double since_boot = (double)boot_ns / 1e9 - (double)(wall_ns - chosen->seen_ns) / 1e9;
	char bytes[PROCESS_STAT_MAX];

	return process_read_stat(target->env, chosen->pid, bytes, stat) &&
	       process_start_seconds(target->env, stat->start_ticks) <= since_boot + SEEN_SLACK_NS / 1e9;
}

/* A process from the list on the screen: it may have exited meanwhile. */
static void set_chosen(struct target *target, const struct process_choice *chosen)
{
	struct pid_stat stat;
	bool known = chosen->start_seconds >= 0;
	bool exists = known ? process_find(target->env, chosen->pid, chosen->start_seconds, &stat) == 0
			    : find_seen(target, chosen, &stat);

	if (!exists)
		stat = (struct pid_stat){
			.start_ticks = known ? process_start_ticks(target->env, chosen->start_seconds) : 0
		};
	stat.comm = span_text(chosen->name);
	set_process(target, chosen->pid, &stat);
	target->state = exists ? TARGET_LIVE : TARGET_GONE;
	target->n_matches = 1;
	target->n_unreadable = 0;
	target->generation++;
}

static void follow_request(struct target *target)
{
	const struct sample_request *request = target->request;
	const char *list = request->mapped.is_set ? NULL : request->processes;
	bool same = list && target->list ? strcmp(list, target->list) == 0 : list == target->list;

	if (!same || !process_choice_is_same(&request->mapped, &target->chosen)) {
		free(target->list);
		target->list = list ? alloc_text(list) : NULL;
		target->chosen = request->mapped;
		target->state = list ? TARGET_SOUGHT : TARGET_NONE;
		target->least_ticks = target->searched_ns = 0;
		if (request->mapped.is_set)
			set_chosen(target, &request->mapped);
	}
	if (request->n_next == target->n_next)
		return;
	target->n_next = request->n_next;
	if (target->state != TARGET_GONE)
		return;
	target->least_ticks = target->start_ticks + 1;
	target->searched_ns = 0;
	target->state = TARGET_SOUGHT;
}

static int update(void *state, const struct sample *sample)
{
	struct target *target = state;
	int error = 0;

	(void)sample;
	follow_request(target);
	if (target->state == TARGET_LIVE)
		follow(target);
	if (target->state == TARGET_SOUGHT)
		error = seek(target);
	if (target->state == TARGET_LIVE) {
		uint32_t living = process_living_thread(target->env, target->pid, &target->stat);

		/* a main thread that has ended shows no memory, and nothing of what the others do */
		target->memory_pid = living ? living : target->pid;
	}
	return error;
}

const struct reader target_reader = {
	.name = "selected process", .state_size = sizeof(struct target), .open = open_target,
	.update = update, .close = close_target, .stays = true,
};

bool target_is_same(const struct target *target)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;

	return target->state == TARGET_LIVE && process_read_stat(target->env, target->pid, bytes, &stat) &&
	       stat.start_ticks == target->start_ticks && !pid_stat_has_ended(&stat);
}

static bool is_kernel(const struct target *target)
{
	return target->stat.flags & PID_FLAG_KERNEL_THREAD;
}

bool target_has_no_memory(const struct target *target)
{
	return is_kernel(target) || pid_stat_has_ended(&target->stat);
}

void target_notices(const struct target *target, struct frame *frame, const char *topic)
{
	if (target->state == TARGET_NONE && target->request->batch)
		frame_notice(frame, topic, _("use --pid=PID or --pid=NAME"), _("no process selected"));
	else if (target->state == TARGET_SOUGHT && target->least_ticks > 0)
		frame_notice(frame, topic, NULL, _("waiting for the next process called %s"), target->name);
	else if (target->state == TARGET_SOUGHT && !scope_is_set(target->request->scope))
		missing_targets_add_process(frame, target->request, topic, target->list);
	if (target->state == TARGET_LIVE || target->state == TARGET_GONE)
		frame->named_there = true;
	if (target->state != TARGET_LIVE)
		return;
	if (is_kernel(target))
		frame_notice(frame, topic, NULL, _("%u %s is a kernel thread: it has no memory of its own"),
			     target->pid, target->name);
	else if (pid_stat_has_ended(&target->stat))
		frame_notice(
			frame, topic, NULL,
			_("%u %s is a zombie: it has exited and has no memory; its parent has not read its "
			  "exit status yet"),
			target->pid, target->name);
	else if (target->n_unreadable > 0 && target->n_unreadable < target->n_matches)
		frame_notice(frame, topic, _("select another by PID"),
			     _("%zu processes match, and %zu of them may be read; showing the newest of "
			       "these, %u"),
			     target->n_matches, target->n_matches - target->n_unreadable, target->pid);
	else if (target->n_matches > 1)
		frame_notice(frame, topic, _("select another by PID"),
			     P_("%zu process matches; showing the newest, %u",
				"%zu processes match; showing the newest, %u", target->n_matches),
			     target->n_matches, target->pid);
}
