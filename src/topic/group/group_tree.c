/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds control groups by listing directories whose number of links has changed, and what is left of their
 * numbers without the groups below, or when they go.
 */
#include <config.h>

#include "topic/group/group_tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "model/frame.h"
#include "sys/attribute.h"

void group_clear(struct group *group)
{
	const uint64_t none = U64_UNKNOWN;

	group->counters = GROUP_COUNTS_NOTHING;
	group->levels = (struct group_levels){ none, none, none, none, none };
	group->limits = (struct group_limits){ NAN, none, none, none, none, none };
	group->kills = (struct group_kills){ .failed = none,
					     .own_failed = none,
					     .last_kills = none,
					     .last_failed = none,
					     .last_own_failed = none };
	group->caches = group->swap = group->own_oom_kills = group->own_tasks = none;
	group->own = group->counters;
	group->own_levels = group->levels;
	for (unsigned i = 0; i < 3; i++)
		group->stalled[i] = NAN;
}

static void move(uint64_t *from, uint64_t *to)
{
	if (*from != U64_UNKNOWN)
		*to += *from;
	*from = U64_UNKNOWN;
}

void group_restart(struct group *group, enum group_controller what)
{
	struct group_counters *counters = &group->counters;
	struct group_counters *to = group->parent ? &group->parent->gone : &group->gone;

	switch (what) {
	case GROUP_CPUACCT:
		move(&counters->cpu_ns, &to->cpu_ns);
		group->gone.cpu_ns = 0;
		break;
	case GROUP_MEMORY:
		move(&counters->refaults, &to->refaults);
		move(&counters->oom_kills, &to->oom_kills);
		group->gone.refaults = group->gone.oom_kills = 0;
		group->kills.last_kills = group->kills.last_failed = group->kills.last_own_failed =
			U64_UNKNOWN;
		group->kills.counted_before = true;
		break;
	case GROUP_BLKIO:
		move(&counters->read_bytes, &to->read_bytes);
		move(&counters->write_bytes, &to->write_bytes);
		group->gone.read_bytes = group->gone.write_bytes = 0;
		break;
	default:
		break;
	}
	group->own = GROUP_COUNTS_NOTHING;
}

static void group_free(struct group *group, struct env *env)
{
	attribute_close(&group->cpu_file, env);
	attribute_close(&group->memory_file, env);
	free(group->io);
	free(group->path);
	free(group->name);
	free(group);
}

#define LINKS_OF_EMPTY 2 /* of a directory without directories, where the file system counts them */

static const char *const controller_names[N_GROUP_CONTROLLERS] = {
	[GROUP_CPUACCT] = "cpuacct", [GROUP_CPU] = "cpu",   [GROUP_MEMORY] = "memory",
	[GROUP_BLKIO] = "blkio",     [GROUP_PIDS] = "pids", [GROUP_NAMED] = "name=systemd",
	[GROUP_PRESSURE] = NULL,     [GROUP_TASKS] = NULL,
};

static unsigned controllers_of(const struct cgroup_mount *mount)
{
	unsigned controllers = 0;

	for (unsigned i = 0; mount->version == 1 && i < N_GROUP_CONTROLLERS; i++)
		if (controller_names[i] && cgroup_mount_has(mount, controller_names[i]))
			controllers |= 1U << i;
	return controllers;
}

/* Of several mounts of a hierarchy the first counts. */
static bool is_wanted(const struct group_tree *tree, const struct cgroup_mount *mount, unsigned controllers)
{
	unsigned known = 0;

	for (unsigned h = 0; h < tree->n_hierarchies; h++) {
		if (mount->version == 2 && tree->hierarchies[h].version == 2)
			return false;
		known |= tree->hierarchies[h].controllers;
	}
	return tree->n_hierarchies < GROUP_HIERARCHIES_MAX && (mount->version == 2 || (controllers & ~known));
}

static bool has_file(struct group_tree *tree, unsigned hierarchy, const char *file)
{
	return env_exists(tree->env, group_tree_path(tree, tree->top, hierarchy, file));
}

/* Before anything is allocated: where there is no hierarchy, each sample looks for one. */
static int read_mounts(struct env *env, struct span *mounts)
{
	static const char form[] = " - cgroup";
	int error = env_read(env, env_file(env, "proc/self/mountinfo"), mounts);

	if (error)
		return error;
	return memmem(mounts->at, span_length(*mounts), form, strlen(form)) ? 0 : -ENODEV;
}

static int find_hierarchies(struct group_tree *tree, struct span mounts)
{
	struct cgroup_mount *mount = alloc_zeroed(1, sizeof(*mount));

	while (cgroup_mount_next(&mounts, mount)) {
		unsigned controllers = controllers_of(mount), h = tree->n_hierarchies;

		if (!is_wanted(tree, mount, controllers))
			continue;
		tree->hierarchies[h] = (struct hierarchy){ .point = alloc_text(mount->point),
							   .version = mount->version,
							   .controllers = controllers };
		tree->top->in |= 1U << tree->n_hierarchies++;
		/* a container sees a group of its own at the top: only the real one has, or lacks, these */
		tree->hierarchies[h].whole = mount->version == 1
						     ? has_file(tree, h, "release_agent")
						     : has_file(tree, h, "cgroup.procs") &&
							       !has_file(tree, h, "cgroup.type");
	}
	free(mount);
	return tree->n_hierarchies > 0 ? 0 : -ENODEV;
}

/* The hierarchy of version 1 with this controller, else that of version 2. */
static int find_source(const struct group_tree *tree, enum group_controller what)
{
	int source = -1;

	for (unsigned h = 0; h < tree->n_hierarchies; h++) {
		if (tree->hierarchies[h].controllers >> what & 1)
			return (int)h;
		if (tree->hierarchies[h].version == 2)
			source = (int)h;
	}
	return source;
}

static bool has_groups(struct group_tree *tree, int hierarchy)
{
	uint64_t inode, n_links;

	return hierarchy >= 0 &&
	       listing_look(tree->env, group_tree_path(tree, tree->top, (unsigned)hierarchy, ""), &inode,
			    &n_links) == 0 &&
	       n_links != LINKS_OF_EMPTY;
}

/*
 * Every task is in a group of each hierarchy, so that one of them is taken for all: where pids has no groups,
 * another one that has some, else the tasks of all groups would be those of the rest, too.
 */
static int find_tasks(struct group_tree *tree)
{
	static const enum group_controller places[] = { GROUP_PIDS,    GROUP_NAMED, GROUP_MEMORY,
							GROUP_CPUACCT, GROUP_BLKIO, GROUP_PRESSURE,
							GROUP_CPU };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (has_groups(tree, tree->sources[places[i]]))
			return tree->sources[places[i]];
	return tree->sources[GROUP_PIDS] < 0 ? 0 : tree->sources[GROUP_PIDS];
}

/*
 * Version 2 counts CPU time even where its controllers are of version 1, and a task is in both. One of the
 * two is taken for all groups, so that none counts twice.
 */
static void choose_sources(struct group_tree *tree)
{
	for (unsigned what = 0; what < N_GROUP_CONTROLLERS; what++)
		tree->sources[what] = find_source(tree, what);
	if (!has_groups(tree, tree->sources[GROUP_CPUACCT]) &&
	    has_groups(tree, tree->sources[GROUP_PRESSURE]))
		tree->sources[GROUP_CPUACCT] = tree->sources[GROUP_PRESSURE];
	tree->sources[GROUP_TASKS] = find_tasks(tree);
}

static struct group *new_group(struct group_tree *tree, struct group *parent, const char *name)
{
	struct group *group = alloc_zeroed(1, sizeof(*group));
	size_t above = parent && parent->parent ? strlen(parent->path) : 0;
	struct cgroup_name named;

	group->parent = parent;
	group->path = alloc_zeroed(above + strlen(name) + 2, 1);
	memcpy(group->path, above ? parent->path : "", above);
	group->path[above] = '/';
	strcpy(group->path + above + 1, name);
	group->last = group->path + above + 1;
	cgroup_name_parse(span_text(group->path), &named);
	group->name = alloc_text(named.name);
	group->kind = named.kind;
	group->engine = named.engine;
	if (named.kind == CGROUP_CONTAINER && span_length(named.id) < sizeof(group->id))
		memcpy(group->id, named.id.at, span_length(named.id));
	group->serial = ++tree->n_found;
	group_clear(group);
	return group;
}

/* Without recursion: a hierarchy may be deep. */
static void free_all_below(struct group_tree *tree, struct group *top)
{
	struct group *group = top;

	while (group != top || top->first) {
		struct group *parent = group->parent;

		if (group->first) {
			group = group->first;
			continue;
		}
		parent->first = group->next;
		group_free(group, tree->env);
		group = parent;
	}
}

int group_tree_open(struct group_tree *tree, struct env *env)
{
	struct span mounts;
	int error;

	*tree = (struct group_tree){ .env = env };
	error = read_mounts(env, &mounts);
	if (error)
		return error;
	tree->top = new_group(tree, NULL, "");
	error = find_hierarchies(tree, mounts);
	if (error)
		group_tree_close(tree);
	else
		choose_sources(tree);
	return error;
}

void group_tree_close(struct group_tree *tree)
{
	free_all_below(tree, tree->top);
	group_free(tree->top, tree->env);
	for (unsigned h = 0; h < tree->n_hierarchies; h++)
		free(tree->hierarchies[h].point);
	free(tree->all);
	free(tree->sorted);
	buffer_free(&tree->names);
}

const char *group_tree_path(struct group_tree *tree, const struct group *group, unsigned hierarchy,
			    const char *file)
{
	snprintf(tree->path, sizeof(tree->path), "%s%s%s%s", tree->hierarchies[hierarchy].point,
		 group->parent ? group->path : "", *file ? "/" : "", file);
	return tree->path;
}

int group_tree_hierarchy(const struct group_tree *tree, const struct group *group, enum group_controller what)
{
	int source = tree->sources[what];

	return source >= 0 && (group->in >> source & 1) ? source : -1;
}

struct group *group_tree_next(const struct group *group)
{
	if (group->first && !group->removed)
		return group->first;
	while (group && !group->next)
		group = group->parent;
	return group ? group->next : NULL;
}

static void collect(void *context, const char *name)
{
	struct group_tree *tree = context;

	buffer_add(&tree->names, name, strlen(name) + 1);
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static int read_names(struct group_tree *tree, const struct group *group, unsigned hierarchy)
{
	int error;

	buffer_empty(&tree->names);
	tree->n_sorted = 0;
	error = listing_each_directory(tree->env, group_tree_path(tree, group, hierarchy, ""), collect, tree);
	if (error)
		return error;
	for (size_t at = 0; at < tree->names.length; at += strlen(tree->names.bytes + at) + 1)
		*VECTOR_ADD(tree->sorted, tree->n_sorted, tree->sorted_capacity) = tree->names.bytes + at;
	if (tree->n_sorted > 0)
		qsort(tree->sorted, tree->n_sorted, sizeof(*tree->sorted), compare);
	return 0;
}

/* What it counted there was of a group that is gone. */
static void restart(const struct group_tree *tree, struct group *group, unsigned hierarchy)
{
	for (unsigned what = 0; what < N_GROUP_CONTROLLERS; what++) {
		if (group_tree_hierarchy(tree, group, what) != (int)hierarchy)
			continue;
		group_restart(group, what);
		if (what == GROUP_CPUACCT)
			attribute_close(&group->cpu_file, tree->env);
		else if (what == GROUP_MEMORY)
			attribute_close(&group->memory_file, tree->env);
	}
}

static void leave(const struct group_tree *tree, struct group *group, unsigned hierarchy)
{
	if (!(group->in >> hierarchy & 1))
		return;
	restart(tree, group, hierarchy);
	group->in &= ~(1U << hierarchy);
	group->directories[hierarchy] = (struct group_directory){ 0 };
	group->removed = group->in == 0 && group->parent;
}

/* Both lists are sorted. */
static void merge(struct group_tree *tree, struct group *group, unsigned hierarchy)
{
	struct group **at = &group->first;

	for (size_t i = 0; i < tree->n_sorted; i++) {
		int order = -1;

		while (*at && (order = strcmp((*at)->last, tree->sorted[i])) < 0) {
			leave(tree, *at, hierarchy);
			at = &(*at)->next;
		}
		if (!*at || order > 0) {
			struct group *child;

			/* a path of the kernel is no longer; one in a made-up tree is left out */
			if (strlen(group->path) + strlen(tree->sorted[i]) + 2 > CGROUP_PATH_MAX)
				continue;
			child = new_group(tree, group, tree->sorted[i]);
			child->next = *at;
			*at = child;
		}
		(*at)->in |= 1U << hierarchy;
		(*at)->removed = false;
		at = &(*at)->next;
	}
	for (; *at; at = &(*at)->next)
		leave(tree, *at, hierarchy);
}

static void look_at(struct group_tree *tree, struct group *group, unsigned hierarchy)
{
	struct hierarchy *place = &tree->hierarchies[hierarchy];
	struct group_directory *last = &group->directories[hierarchy];
	struct group_directory now;

	if (listing_look(tree->env, group_tree_path(tree, group, hierarchy, ""), &now.inode, &now.n_links)) {
		leave(tree, group, hierarchy);
		return;
	}
	if (last->inode == 0 && tree->begun && now.inode <= place->newest_inode)
		group->old = true;
	if (last->inode != 0 && last->inode != now.inode) { /* another group with the same path */
		restart(tree, group, hierarchy);
		group->old = true;
	}
	if (last->inode == now.inode && last->n_links == now.n_links && now.n_links >= LINKS_OF_EMPTY)
		return;
	tree->n_sorted = 0;
	if (now.n_links == LINKS_OF_EMPTY || read_names(tree, group, hierarchy) == 0)
		merge(tree, group, hierarchy);
	*last = now;
}

void group_tree_look(struct group_tree *tree, struct group *group)
{
	for (unsigned h = 0; h < tree->n_hierarchies; h++)
		if (group->in >> h & 1)
			look_at(tree, group, h);
}

void group_tree_glance(struct group_tree *tree, struct group *group)
{
	int cpu = group_tree_hierarchy(tree, group, GROUP_CPUACCT);
	int memory = group_tree_hierarchy(tree, group, GROUP_MEMORY);

	if (cpu >= 0)
		look_at(tree, group, (unsigned)cpu);
	if (memory >= 0 && memory != cpu && !group->removed)
		look_at(tree, group, (unsigned)memory);
}

/* Their directories are listed again: a new one may have come in the place of the removed one. */
static void forget_removed(struct group_tree *tree, struct group *group)
{
	struct group **at = &group->first;

	while (*at) {
		struct group *child = *at;

		if (!child->removed) {
			at = &child->next;
			continue;
		}
		*at = child->next;
		free_all_below(tree, child);
		group_free(child, tree->env);
		for (unsigned h = 0; h < tree->n_hierarchies; h++)
			group->directories[h].n_links = 0;
	}
}

void group_tree_finish(struct group_tree *tree)
{
	tree->n_all = 0;
	for (struct group *group = tree->top; group; group = group_tree_next(group)) {
		forget_removed(tree, group);
		for (unsigned h = 0; h < tree->n_hierarchies; h++)
			if (group->directories[h].inode > tree->hierarchies[h].newest_inode)
				tree->hierarchies[h].newest_inode = group->directories[h].inode;
		*VECTOR_ADD(tree->all, tree->n_all, tree->capacity) = group;
	}
	tree->begun = true;
}

#define N_COUNTERS (sizeof(struct group_counters) / sizeof(uint64_t))
#define N_LEVELS (sizeof(struct group_levels) / sizeof(uint64_t))

/*
 * Own numbers are differences of numbers that were read one after the other: counters never go back by that.
 * The fields of these structs are numbers of one type.
 */
union counters {
	struct group_counters named;
	uint64_t numbers[N_COUNTERS];
};

union levels {
	struct group_levels named;
	uint64_t numbers[N_LEVELS];
};

static uint64_t known_or_0(uint64_t number)
{
	return number >= U64_BLANK ? 0 : number;
}

static uint64_t difference(uint64_t total, uint64_t below)
{
	return total >= U64_BLANK ? U64_UNKNOWN : total > below ? total - below : 0;
}

static void sum_own(struct group *group)
{
	const uint64_t oom_kills = group->own_oom_kills + group->below.oom_kills + group->gone.oom_kills;
	const uint64_t tasks = group->own_tasks + group->below_levels.tasks;

	if (group->own_oom_kills != U64_UNKNOWN)
		group->counters.oom_kills = group->below_waits ? U64_UNKNOWN : oom_kills;
	if (group->own_tasks != U64_UNKNOWN)
		group->levels.tasks = group->below_waits ? U64_UNKNOWN : tasks;
}

static void find_own(struct group *group)
{
	union counters total = { group->counters }, below = { group->below }, gone = { group->gone },
		       own = { group->own };
	union levels level = { group->levels }, below_level = { group->below_levels }, own_level;

	for (size_t i = 0; i < N_COUNTERS; i++) {
		uint64_t now = difference(total.numbers[i], below.numbers[i] + gone.numbers[i]);

		if (own.numbers[i] == U64_UNKNOWN || now == U64_UNKNOWN || now > own.numbers[i])
			own.numbers[i] = now;
	}
	for (size_t i = 0; i < N_LEVELS; i++)
		own_level.numbers[i] = difference(level.numbers[i], below_level.numbers[i]);
	group->own = own.named;
	group->own_levels = own_level.named;
	if (!group->below_waits)
		return;
	group->own = GROUP_COUNTS_NOTHING;
	group->own.cpu_ns = own.named.cpu_ns; /* it is read of those that wait, too */
	group->own_levels =
		(struct group_levels){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
}

static void add_to_parent(const struct group *group)
{
	union counters total = { group->counters }, below = { group->parent->below };
	union levels level = { group->levels }, below_level = { group->parent->below_levels };

	for (size_t i = 0; i < N_COUNTERS; i++)
		below.numbers[i] += known_or_0(total.numbers[i]);
	if (group->tasks_apart != group->parent->tasks_apart)
		level.named.tasks = 0;
	for (size_t i = 0; i < N_LEVELS; i++)
		below_level.numbers[i] += known_or_0(level.numbers[i]);
	group->parent->below = below.named;
	group->parent->below_levels = below_level.named;
	group->parent->below_waits |= group->waits || group->below_waits;
}

static void close_top(struct group *top)
{
	union counters total = { top->counters }, below = { top->below }, gone = { top->gone },
		       own = { top->own };

	for (size_t i = 0; i < N_COUNTERS; i++)
		if (total.numbers[i] != U64_UNKNOWN && own.numbers[i] != U64_UNKNOWN)
			total.numbers[i] = below.numbers[i] + gone.numbers[i] + own.numbers[i];
	top->counters = total.named;
}

void group_sum(struct group *const *groups, size_t n_groups)
{
	for (size_t i = 0; i < n_groups; i++) {
		groups[i]->below = (struct group_counters){ 0 };
		groups[i]->below_levels = (struct group_levels){ 0 };
		groups[i]->below_waits = false;
	}
	for (size_t i = n_groups; i-- > 0;) {
		sum_own(groups[i]);
		find_own(groups[i]);
		if (groups[i]->parent)
			add_to_parent(groups[i]);
	}
	if (n_groups > 0)
		close_top(groups[0]);
}
