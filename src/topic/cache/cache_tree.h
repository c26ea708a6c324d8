/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The groups of resctrl as they are kept between samples, and what each gets and uses of the caches. */
#ifndef PANETOP_TOPIC_CACHE_CACHE_TREE_H
#define PANETOP_TOPIC_CACHE_CACHE_TREE_H

#include "kernel/resctrl.h"
#include "sys/attribute.h"

#define CACHE_ROOT "sys/fs/resctrl"   /* the kernel has no other place to mount it */
#define CACHE_INFO CACHE_ROOT "/info" /* is there while it is mounted */
#define CACHE_MONITORS "mon_groups"
#define CACHE_PATH_MAX 1024

enum cache_event { CACHE_OCCUPANCY, CACHE_TOTAL, CACHE_LOCAL, N_CACHE_EVENTS };

#define CACHE_NO_NODE UINT64_MAX

/* What a group gets and uses in one cache, or in the part of an L3 cache that a NUMA node has (SNC). */
struct cache_domain {
	unsigned level; /* of the cache: 2 or 3 */
	uint64_t id;
	uint64_t node;            /* CACHE_NO_NODE: the whole cache */
	uint64_t mask, code_mask; /* ways; U64_UNKNOWN: not divided, or not read */
	uint64_t allocated_bytes; /* of mask */
	uint64_t bandwidth;       /* as schemata has it; U64_UNKNOWN: no limit is possible */
	bool monitored;
	struct attribute files[N_CACHE_EVENTS]; /* of mon_data */
	uint64_t values[N_CACHE_EVENTS];        /* U64_UNKNOWN: not known */
	enum resctrl_reading states[N_CACHE_EVENTS];
	uint64_t tick; /* when it was last found */
};

struct cache_group {
	char *path;     /* below CACHE_ROOT; empty: the default group; owned */
	size_t control; /* index of the control group that it is in; its own: it is one itself */
	uint64_t inode; /* another one with the same path is another group */
	bool is_new;    /* in this sample: what it counts is not of the group that was there before */
	struct cache_domain *domains; /* by level, id and node; owned */
	size_t n_domains, capacity;
	char mode[32]; /* "shareable"; empty: not known */
	struct attribute mode_file;
	uint64_t n_tasks; /* U64_UNKNOWN: not read */
};

/* A cache of the machine. */
struct cache_size {
	unsigned level;
	uint64_t id, bytes;
};

/* What the numbers of MB in schemata mean. */
enum cache_bandwidth { CACHE_PERCENT, CACHE_MIB_PER_SECOND, CACHE_EIGHTHS_OF_GB_PER_SECOND };

struct cache_tree {
	struct env *env;            /* borrowed */
	struct cache_group *groups; /* each control group before its monitoring groups, by name */
	size_t n_groups, capacity;
	struct cache_group *others; /* of the sample before, while the groups are listed */
	size_t n_others, others_capacity;
	struct cache_size *sizes;
	size_t n_sizes, sizes_capacity;
	uint64_t l2_mask, l3_mask; /* all ways; U64_UNKNOWN: not known */
	enum cache_bandwidth bandwidth;
	struct buffer text, names;
	const char **sorted; /* names of a directory */
	size_t n_sorted, sorted_capacity;
	uint64_t *ids; /* of the domains of a group */
	size_t n_ids, ids_capacity;
	bool has_nodes;
	bool begun; /* there was a sample */
};

/* 0; -ENODEV: the machine does not have it; -ENOENT: it is not mounted. CACHE_ROOT is the failed path. */
int cache_mounted(struct env *env);

int cache_tree_open(struct cache_tree *tree, struct env *env);
void cache_tree_close(struct cache_tree *tree);

/* Lists and reads all groups: 0 or -errno. */
int cache_tree_read(struct cache_tree *tree, bool with_tasks);

/* The size of this cache; U64_UNKNOWN: not known. */
uint64_t cache_tree_bytes(const struct cache_tree *tree, unsigned level, uint64_t id);

/* The domain of the group's control group that has its ways and its bandwidth; NULL: there is none. */
const struct cache_domain *cache_tree_share(const struct cache_tree *tree, const struct cache_group *group,
					    const struct cache_domain *domain);

#endif
