/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups: the own one, what their paths say about them, their files, and kills by their limits. */
#ifndef PANETOP_KERNEL_CGROUP_H
#define PANETOP_KERNEL_CGROUP_H

#include "core/span.h"
#include "core/unknown.h"

/* Control groups: the own one, what their paths say about them, and their files. */

/* The own control group, by /proc/self/cgroup and /proc/self/mountinfo, and files of groups. */
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

/* What the path of a control group says about it: a unit, a container, a pod, and its name. */
enum cgroup_kind {
	CGROUP_GROUP,
	CGROUP_UNIT, /* of systemd, other than slices and scopes */
	CGROUP_SLICE,
	CGROUP_SCOPE,
	CGROUP_CONTAINER,
	CGROUP_POD,
};

enum container_engine {
	ENGINE_UNKNOWN,
	ENGINE_DOCKER,
	ENGINE_PODMAN,
	ENGINE_CONTAINERD,
	ENGINE_CRIO,
};

#define CGROUP_NAME_MAX 256
#define CONTAINER_ID_LENGTH 64 /* hexadecimal digits at most */

struct cgroup_name {
	enum cgroup_kind kind;
	enum container_engine engine; /* of a container with an id */
	struct span id; /* within the path: of a container its digits, of a pod its uid; else empty */
	char name[CGROUP_NAME_MAX]; /* unit names without escapes; ids as 12 digits */
};

/* Reads the last part of a path: "/system.slice/docker-4f….scope". */
void cgroup_name_parse(struct span path, struct cgroup_name *name);

/* "unit", "slice", "scope", "container", "pod", "group"; marked with N_(). */
const char *cgroup_kind_name(enum cgroup_kind kind);

/* Files of a control group: what it used, by both versions. */

/* memory.stat, of a group and those below it; U64_UNKNOWN for what the kernel does not print. */
struct cgroup_memory_stat {
	uint64_t anonymous, file; /* file: page cache, tmpfs and shared memory */
	uint64_t kernel;          /* version 2 */
	uint64_t swap;            /* version 1 */
	uint64_t caches; /* what can be dropped: active and inactive file; version 2: reclaimable slab, too */
	uint64_t refaults;
};

/* Version 1 prints them twice: the sums begin with "total_". */
void cgroup_memory_stat_parse(struct span text, int version, struct cgroup_memory_stat *stat);

/* cpu.stat: the use of a group and those below it (version 2); how often its own limit throttled it. */
struct cgroup_cpu_stat {
	uint64_t used_ns, periods, throttled_periods, throttled_ns; /* U64_UNKNOWN: missing */
};

void cgroup_cpu_stat_parse(struct span text, struct cgroup_cpu_stat *stat);

/*
 * The next device of io.stat (version 2) or of blkio.throttle.io_service_bytes (version 1, which has a line
 * for each direction); the other direction is then 0. Skips other lines.
 */
struct cgroup_io {
	uint64_t major, minor, read_bytes, write_bytes;
	uint64_t reads, writes; /* requests (version 2) */
};

bool cgroup_io_next(struct span *text, struct cgroup_io *io);

/* A limit of a device in a second: bytes, or requests. */
enum cgroup_io_kind {
	CGROUP_READ_BYTES,
	CGROUP_WRITE_BYTES,
	CGROUP_READS,
	CGROUP_WRITES,
	N_CGROUP_IO_KINDS,
};

/*
 * The next device of io.max (version 2), or of a file of version 1, which has the limits of this kind alone:
 * blkio.throttle.read_bps_device and the like. 0: none. Skips other lines.
 */
struct cgroup_io_limits {
	uint64_t major, minor, each_second[N_CGROUP_IO_KINDS];
};

bool cgroup_io_limits_next(struct span *text, enum cgroup_io_kind kind, struct cgroup_io_limits *limits);

/* The number after a name at the beginning of a line: of memory.events, memory.oom_control. */
bool cgroup_value_parse(struct span text, const char *name, uint64_t *value);

/*
 * What the kernel's log has of processes that were killed for want of memory. Of more than ten in 5 s, only
 * the first ones have the lines of usage and cause.
 */
struct oom_record {
	enum oom_line {
		OOM_USAGE, /* "memory: usage", of a group at its limit: limit_bytes */
		OOM_CAUSE, /* "oom-kill:constraint=", since Linux 5.0, of a group at its limit: limit */
		OOM_KILL,  /* "Killed process", after these: of_machine, command, pid */
	} line;
	uint64_t boot_us;     /* when, by the clock of the log: of other lines, too */
	uint64_t limit_bytes; /* U64_UNKNOWN: none, as where only memory and swap together have one */
	struct span limit;    /* path of the group that was at its limit */
	bool of_machine;      /* the machine ran out, not a group */
	struct span command;  /* name of the process */
	uint64_t pid;         /* in the first pid namespace */
};

/* False where the line is another one, or malformed. Names in it may have any bytes but a newline. */
bool oom_record_parse(struct span line, struct oom_record *record);

#endif
