/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the own control group is, by /proc/self/cgroup and /proc/self/mountinfo, and files of groups. */
#ifndef PANETOP_KERNEL_CGROUP_H
#define PANETOP_KERNEL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

#define CGROUP_PATH_MAX 4096
#define CGROUP_NO_LIMIT U64_UNKNOWN

/* A group as a directory; both parts are without a leading slash. */
struct cgroup_place {
	int version;                  /* 1 or 2 */
	char mount[CGROUP_PATH_MAX];  /* where the hierarchy is mounted: "sys/fs/cgroup/memory" */
	char group[CGROUP_PATH_MAX];  /* the group below it; empty: the mount itself */
};

/*
 * The place of the group that limits controller ("memory"): its own version 1 hierarchy where it has
 * one, else version 2. False when neither text says where.
 */
bool cgroup_find(struct span cgroups, struct span mounts, const char *controller, struct cgroup_place *place);

/*
 * The next mount of a hierarchy of control groups, and where the group with this path would lie below it.
 * False when there is no more; place->version is 0 where the mount does not reach the group.
 */
bool cgroup_next(struct span *mounts, const char *group, struct cgroup_place *place);

/* A limit file: bytes, or CGROUP_NO_LIMIT for "max" and for version 1's nearly 2^63. False if neither. */
bool cgroup_limit_parse(struct span text, uint64_t *bytes);

/* cpu.stat of version 2: CPU time of a group and those below, in ns. False if it is not there. */
bool cgroup_usage_parse(struct span text, uint64_t *used_ns);

#endif
