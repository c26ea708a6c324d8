/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control groups of the machine: one tree of paths over all mounted hierarchies. */
#ifndef PANETOP_TOPIC_GROUP_GROUP_TREE_H
#define PANETOP_TOPIC_GROUP_GROUP_TREE_H

#include "core/buffer.h"
#include "kernel/cgroup.h"
#include "topic/group/group_entry.h"

struct hierarchy {
	char *point; /* where it is mounted, without a leading slash; owned */
	int version;
	unsigned controllers;  /* bits of enum group_controller, of version 1 */
	bool whole;            /* its top is the whole machine, not a container's group */
	uint64_t newest_inode; /* of its groups in the last sample; later ones have higher numbers */
};

struct group_tree {
	struct env *env; /* borrowed */
	struct hierarchy hierarchies[GROUP_HIERARCHIES_MAX];
	unsigned n_hierarchies;
	int sources[N_GROUP_CONTROLLERS]; /* the hierarchy that counts it; -1: none */
	struct group *top;
	struct group **all; /* each before those below it */
	size_t n_all, capacity;
	uint64_t n_found; /* so far */
	bool begun;       /* there was a sample */
	struct buffer names;
	const char **sorted; /* names of a directory */
	size_t n_sorted, sorted_capacity;
	char path[2 * CGROUP_PATH_MAX + CGROUP_NAME_MAX];
};

/* 0; -ENODEV: no hierarchy is mounted; -errno. */
int group_tree_open(struct group_tree *tree, struct env *env);
void group_tree_close(struct group_tree *tree);

/*
 * Looks at the directories of a group: lists those whose links have changed, adds the groups below it, and
 * marks those that are removed, or the group itself.
 */
void group_tree_look(struct group_tree *tree, struct group *group);

/* The same in the hierarchies of CPU time and memory alone, in which most groups are made. */
void group_tree_glance(struct group_tree *tree, struct group *group);

/* The next group, with those below it after each; NULL after the last. */
struct group *group_tree_next(const struct group *group);

/* Forgets the removed groups, and makes the list of all. */
void group_tree_finish(struct group_tree *tree);

/* The hierarchy that counts this, if the group is in it; -1: it is not, or there is none. */
int group_tree_hierarchy(const struct group_tree *tree, const struct group *group,
			 enum group_controller what);

/* The path of a file of the group, valid until the next call. */
const char *group_tree_path(struct group_tree *tree, const struct group *group, unsigned hierarchy,
			    const char *file);

#endif
