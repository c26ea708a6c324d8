/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 1: cpuacct.usage of the root; version 2: the sum of cpu.stat over the groups below the root. */
#include <config.h>

#include "topic/process/cgroup_cpu_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/cgroup.h"
#include "sys/attribute.h"
#include "topic/cgroup.h"

struct group {
	char *name;
	uint64_t used_ns;
	bool seen; /* in this tick */
};

struct cgroup_cpu_time {
	struct env *env;    /* borrowed */
	struct cgroup_place place;
	bool begun;         /* used_ns or the groups are from the previous call */
	uint64_t used_ns;   /* version 1 */
	uint64_t grown_ns;  /* version 2, while the groups are read */
	struct group *groups;
	size_t n_groups, capacity;
};

static bool exists(const struct cgroup_cpu_time *sum, const char *name)
{
	char path[CGROUP_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", sum->place.mount, name);
	return env_exists(sum->env, path);
}

/* A container sees a group of its own as the root. Only the real root has, or lacks, these files. */
static bool is_top(const struct cgroup_cpu_time *sum)
{
	if (sum->place.version == 1)
		return exists(sum, "cpuacct.usage") && exists(sum, "release_agent");
	return exists(sum, "cgroup.procs") && !exists(sum, "cgroup.type");
}

struct cgroup_cpu_time *cgroup_cpu_time_open(struct env *env)
{
	struct cgroup_cpu_time *sum = alloc_zeroed(1, sizeof(*sum));

	sum->env = env;
	if (cgroup_own(env, "cpuacct", &sum->place) == 0 && is_top(sum))
		return sum;
	cgroup_cpu_time_close(sum);
	return NULL;
}

void cgroup_cpu_time_close(struct cgroup_cpu_time *sum)
{
	if (!sum)
		return;
	for (size_t i = 0; i < sum->n_groups; i++)
		free(sum->groups[i].name);
	free(sum->groups);
	free(sum);
}

static int read_file(const struct cgroup_cpu_time *sum, const char *group, const char *name,
		     struct span *text)
{
	char path[CGROUP_PATH_MAX + 320];

	snprintf(path, sizeof(path), "%s/%s%s%s", sum->place.mount, group, *group ? "/" : "", name);
	return env_read(sum->env, env_file(sum->env, path), text);
}

static struct group *group_of(struct cgroup_cpu_time *sum, const char *name, bool *new)
{
	struct group *group;

	*new = false;
	for (size_t i = 0; i < sum->n_groups; i++)
		if (strcmp(sum->groups[i].name, name) == 0)
			return &sum->groups[i];
	*new = true;
	group = VECTOR_ADD(sum->groups, sum->n_groups, sum->capacity);
	*group = (struct group){ .name = alloc_text(name) };
	return group;
}

/* A group created since the previous call starts at 0. */
static void add_group(void *context, const char *name)
{
	struct cgroup_cpu_time *sum = context;
	struct cgroup_cpu_stat stat;
	struct group *group;
	struct span text;
	bool new;

	if (read_file(sum, name, "cpu.stat", &text) < 0)
		return;
	cgroup_cpu_stat_parse(text, &stat);
	if (stat.used_ns == U64_UNKNOWN)
		return;
	group = group_of(sum, name, &new);
	if (stat.used_ns >= group->used_ns)
		sum->grown_ns += stat.used_ns - group->used_ns;
	group->used_ns = stat.used_ns;
	group->seen = true;
}

static void forget_groups(struct cgroup_cpu_time *sum)
{
	size_t kept = 0;

	for (size_t i = 0; i < sum->n_groups; i++) {
		struct group group = sum->groups[i];

		if (group.seen)
			sum->groups[kept++] = (struct group){ .name = group.name,
								   .used_ns = group.used_ns };
		else
			free(group.name);
	}
	sum->n_groups = kept;
}

static bool read_groups(struct cgroup_cpu_time *sum, uint64_t *grown_ns)
{
	sum->grown_ns = 0;
	if (listing_each_directory(sum->env, sum->place.mount, add_group, sum) < 0)
		return false;
	forget_groups(sum);
	*grown_ns = sum->grown_ns;
	return true;
}

static bool read_root(struct cgroup_cpu_time *sum, uint64_t *grown_ns)
{
	struct span text;
	uint64_t used_ns;

	if (read_file(sum, "", "cpuacct.usage", &text) < 0 || !span_u64(&text, &used_ns) ||
	    used_ns < sum->used_ns)
		return false;
	*grown_ns = used_ns - sum->used_ns;
	sum->used_ns = used_ns;
	return true;
}

int cgroup_cpu_time_version(const struct cgroup_cpu_time *sum)
{
	return sum->place.version;
}

uint64_t cgroup_cpu_time_grown(struct cgroup_cpu_time *sum)
{
	bool begun = sum->begun;
	uint64_t grown_ns = 0;

	sum->begun = sum->place.version == 1 ? read_root(sum, &grown_ns)
						       : read_groups(sum, &grown_ns);
	return begun && sum->begun ? grown_ns : U64_UNKNOWN;
}

int cgroup_cpu_time_root_pids(const struct cgroup_cpu_time *sum, struct span *pids)
{
	return read_file(sum, "", "cgroup.procs", pids);
}
