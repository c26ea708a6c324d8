/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a control group: what it used, by both versions. */
#ifndef PANETOP_KERNEL_CGROUP_STAT_H
#define PANETOP_KERNEL_CGROUP_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* memory.stat, of a group and those below it; U64_UNKNOWN for what the kernel does not print. */
struct cgroup_memory_stat {
	uint64_t anonymous, file; /* file: page cache, tmpfs and shared memory */
	uint64_t kernel;          /* version 2 */
	uint64_t swap;            /* version 1 */
	uint64_t active_file, inactive_file;
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

#endif
