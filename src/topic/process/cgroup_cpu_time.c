/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sum of run times: of cpuacct at its root, or of the groups of version 2 just below the root. */
#include <config.h>

#include "topic/process/cgroup_cpu_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "kernel/cgroup.h"
#include "sys/listing.h"
#include "topic/cgroup.h"
#include "topic/process/process_list.h"

#define KTHREADD 2 /* pid of the parent of kernel threads: who sees it sees the whole machine */

struct group {
	char *name;
	uint64_t used_ns;
	bool seen; /* in this tick */
};

struct run_time {
	struct env *env;    /* borrowed */
	struct cgroup_place place;
	bool begun;         /* used_ns or the groups are those of the call before */
	uint64_t used_ns;   /* version 1 */
	uint64_t grown_ns;  /* version 2: the sum while the groups are gone through */
	struct group *groups;
	size_t n_groups;
};

static bool exists(const struct run_time *run_time, const char *name)
{
	char path[CGROUP_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", run_time->place.mount, name);
	return env_exists(run_time->env, path);
}

/* A container sees the top of its own part: only the very top has, or lacks, these files. */
static bool is_top(const struct run_time *run_time)
{
	if (run_time->place.version == 1)
		return exists(run_time, "cpuacct.usage") && exists(run_time, "release_agent");
	return exists(run_time, "cgroup.procs") && !exists(run_time, "cgroup.type");
}

struct run_time *run_time_open(struct env *env)
{
	struct run_time *run_time = alloc_zeroed(1, sizeof(*run_time));

	run_time->env = env;
	if (own_cgroup_find(env, "cpuacct", &run_time->place) == 0 && is_top(run_time))
		return run_time;
	run_time_close(run_time);
	return NULL;
}

void run_time_close(struct run_time *run_time)
{
	if (!run_time)
		return;
	for (size_t i = 0; i < run_time->n_groups; i++)
		free(run_time->groups[i].name);
	free(run_time->groups);
	free(run_time);
}

static int read_file(const struct run_time *run_time, const char *group, const char *name, struct span *text)
{
	char path[CGROUP_PATH_MAX + 320];

	snprintf(path, sizeof(path), "%s/%s%s%s", run_time->place.mount, group, *group ? "/" : "", name);
	return env_read(run_time->env, env_file(run_time->env, path), text);
}

static struct group *group_of(struct run_time *run_time, const char *name, bool *new)
{
	*new = false;
	for (size_t i = 0; i < run_time->n_groups; i++)
		if (strcmp(run_time->groups[i].name, name) == 0)
			return &run_time->groups[i];
	*new = true;
	run_time->groups =
		alloc_resize(run_time->groups, run_time->n_groups + 1, sizeof(*run_time->groups));
	run_time->groups[run_time->n_groups] = (struct group){ .name = alloc_text(name) };
	return &run_time->groups[run_time->n_groups++];
}

/* A group that is new since the call before had used nothing then. */
static void add_group(void *context, const char *name)
{
	struct run_time *run_time = context;
	struct group *group;
	struct span text;
	uint64_t used_ns;
	bool new;

	if (read_file(run_time, name, "cpu.stat", &text) < 0 || !cgroup_usage_parse(text, &used_ns))
		return;
	group = group_of(run_time, name, &new);
	if (used_ns >= group->used_ns)
		run_time->grown_ns += used_ns - group->used_ns;
	group->used_ns = used_ns;
	group->seen = true;
}

static void forget_groups(struct run_time *run_time)
{
	size_t kept = 0;

	for (size_t i = 0; i < run_time->n_groups; i++) {
		struct group group = run_time->groups[i];

		if (group.seen)
			run_time->groups[kept++] = (struct group){ .name = group.name,
								   .used_ns = group.used_ns };
		else
			free(group.name);
	}
	run_time->n_groups = kept;
}

static bool read_groups(struct run_time *run_time, uint64_t *grown_ns)
{
	run_time->grown_ns = 0;
	if (listing_each_directory(run_time->env, run_time->place.mount, add_group, run_time) < 0)
		return false;
	forget_groups(run_time);
	*grown_ns = run_time->grown_ns;
	return true;
}

static bool read_root(struct run_time *run_time, uint64_t *grown_ns)
{
	struct span text;
	uint64_t used_ns;

	if (read_file(run_time, "", "cpuacct.usage", &text) < 0 || !span_u64(&text, &used_ns) ||
	    used_ns < run_time->used_ns)
		return false;
	*grown_ns = used_ns - run_time->used_ns;
	run_time->used_ns = used_ns;
	return true;
}

uint64_t run_time_grown(struct run_time *run_time)
{
	bool begun = run_time->begun;
	uint64_t grown_ns = 0;

	run_time->begun = run_time->place.version == 1 ? read_root(run_time, &grown_ns)
						       : read_groups(run_time, &grown_ns);
	return begun && run_time->begun ? grown_ns : U64_UNKNOWN;
}

/* In the root of version 2, which has no sum of its own, there must be no processes that end unseen. */
static bool check_root(const struct run_time *run_time, const struct tasks *tasks)
{
	struct span text, line;
	uint64_t pid;

	if (read_file(run_time, "", "cgroup.procs", &text) < 0)
		return false;
	while (span_line(&text, &line)) {
		struct task *task = span_u64(&line, &pid) && pid <= UINT32_MAX
					    ? tasks_find(tasks, (uint32_t)pid)
					    : NULL;

		if (task && !task_is_kernel(task))
			return false;
		if (task)
			task->outside_tick = tasks->tick;
	}
	return true;
}

bool run_time_check(struct run_time *run_time, struct tasks *tasks)
{
	const struct task *kthreadd = tasks_find(tasks, KTHREADD);

	return kthreadd && task_is_kernel(kthreadd) && tasks->n_missing + tasks->n_appeared == 0 &&
	       (run_time->place.version == 1 || check_root(run_time, tasks));
}

bool run_time_has(const struct run_time *run_time, const struct task *task)
{
	return run_time->place.version == 1 || task->outside_tick != run_time->env->tick;
}

const char *run_time_source(const struct run_time *run_time)
{
	return run_time->place.version == 1 ? N_("cpuacct.usage less tasks")
					    : N_("cpu.stat of cgroups less tasks");
}
