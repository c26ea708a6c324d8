/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The own control group, by /proc/self/cgroup and /proc/self/mountinfo, and files of groups. */
#ifndef PANETOP_KERNEL_CGROUP_H
#define PANETOP_KERNEL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

#define CGROUP_PATH_MAX 4096
#define CGROUP_NO_LIMIT U64_UNKNOWN

/* A group as a directory; both parts without a leading slash. */
struct cgroup_place {
	int version;                  /* 1 or 2 */
	char mount[CGROUP_PATH_MAX];  /* where the hierarchy is mounted: "sys/fs/cgroup/memory" */
	char group[CGROUP_PATH_MAX];  /* below mount; empty: the mount itself */
};

/*
 * The place of the group that limits controller ("memory"): in its version 1 hierarchy if there is one, else
 * in version 2. False when the texts name neither.
 */
bool cgroup_find(struct span cgroups, struct span mounts, const char *controller, struct cgroup_place *place);

/*
 * The next mount of a control group hierarchy, and the place of the group with this path below it. False when
 * there are no more; place->version is 0 where the mount does not show the group.
 */
bool cgroup_next(struct span *mounts, const char *group, struct cgroup_place *place);

/*
 * The path that stands for a process, of the text of /proc/PID/cgroup: the deepest one in the hierarchies of
 * cpu, memory, pids, blkio and systemd of version 1, and in version 2; of equally deep ones the first in this
 * order. Empty: there is none.
 */
struct span cgroup_path(struct span cgroups);

#define CGROUP_PATHS 6

/* The path in one of these hierarchies, by its number below CGROUP_PATHS; false: there is none. */
bool cgroup_path_in(struct span cgroups, unsigned hierarchy, struct span *path);

/* A mounted hierarchy. */
struct cgroup_mount {
	int version;
	struct span options;         /* of version 1: its controllers, and name=… */
	char point[CGROUP_PATH_MAX]; /* without a leading slash */
};

bool cgroup_mount_next(struct span *mounts, struct cgroup_mount *mount);

/* Is this one of its options? */
bool cgroup_mount_has(const struct cgroup_mount *mount, const char *option);

/* A limit file: bytes, or CGROUP_NO_LIMIT for "max" and for nearly 2^63 in version 1. False if malformed. */
bool cgroup_limit_parse(struct span text, uint64_t *bytes);

/* A limit of CPU time, in CPUs: "quota period", 0 without one ("max", or -1). False if malformed. */
bool cgroup_quota_parse(struct span quota, struct span period, double *cpus);

#endif
