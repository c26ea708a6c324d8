/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of control groups by version, and where the machine's totals come from. */
#include <config.h>

#include "topic/group/group_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/vector.h"
#include "kernel/cgroup.h"
#include "kernel/meminfo.h"
#include "kernel/system.h"
#include "model/frame.h"
#include "topic/process/process_entry.h"

#define TASKS_BYTES_MAX ((size_t)4 * 1024 * 1024)
#define WAITING_MAX 64 /* tasks of which the state is read */
#define WAITING_BYTES_MAX ((size_t)4096)
#define NEARLY_ALL 0.8 /* of the time a limit is in use: its tasks may wait for it */

enum group_file {
	FILE_MEMORY_STAT,
	FILE_MEMORY_LIMIT,
	FILE_KERNEL,
	FILE_SWAP,
	FILE_OOM,
	FILE_FAILED,
	FILE_CPU_STAT,
	FILE_QUOTA,
	FILE_PERIOD,
	FILE_IO,
	FILE_OWN_BYTES,
	FILE_OWN_REQUESTS,
	FILE_IO_LIMIT, /* and of the other kinds of limits */
	FILE_IO_LIMIT_LAST = FILE_IO_LIMIT + N_CGROUP_IO_KINDS - 1,
	FILE_TASKS,
	FILE_TASKS_LIMIT,
	FILE_TASK_LIST,
	FILE_CPU_PRESSURE,
	FILE_MEMORY_PRESSURE,
	FILE_IO_PRESSURE,
	N_GROUP_FILES,
};

/* NULL: this version has no such file. */
static const struct {
	enum group_controller of;
	const char *names[2]; /* of version 1 and 2 */
} files[N_GROUP_FILES] = {
	[FILE_MEMORY_STAT] = { GROUP_MEMORY, { "memory.stat", "memory.stat" } },
	[FILE_MEMORY_LIMIT] = { GROUP_MEMORY, { "memory.limit_in_bytes", "memory.max" } },
	[FILE_KERNEL] = { GROUP_MEMORY, { "memory.kmem.usage_in_bytes", NULL } },
	[FILE_SWAP] = { GROUP_MEMORY, { NULL, "memory.swap.current" } },
	[FILE_OOM] = { GROUP_MEMORY, { "memory.oom_control", "memory.events" } },
	[FILE_FAILED] = { GROUP_MEMORY, { "memory.failcnt", "memory.events.local" } },
	[FILE_CPU_STAT] = { GROUP_CPU, { "cpu.stat", "cpu.stat" } },
	[FILE_QUOTA] = { GROUP_CPU, { "cpu.cfs_quota_us", "cpu.max" } },
	[FILE_PERIOD] = { GROUP_CPU, { "cpu.cfs_period_us", NULL } },
	[FILE_IO] = { GROUP_BLKIO, { "blkio.throttle.io_service_bytes_recursive", "io.stat" } },
	[FILE_OWN_BYTES] = { GROUP_BLKIO, { "blkio.throttle.io_service_bytes", "io.stat" } },
	[FILE_OWN_REQUESTS] = { GROUP_BLKIO, { "blkio.throttle.io_serviced", "io.stat" } },
	[FILE_IO_LIMIT + CGROUP_READ_BYTES] = { GROUP_BLKIO,
						{ "blkio.throttle.read_bps_device", "io.max" } },
	[FILE_IO_LIMIT + CGROUP_WRITE_BYTES] = { GROUP_BLKIO, { "blkio.throttle.write_bps_device", NULL } },
	[FILE_IO_LIMIT + CGROUP_READS] = { GROUP_BLKIO, { "blkio.throttle.read_iops_device", NULL } },
	[FILE_IO_LIMIT + CGROUP_WRITES] = { GROUP_BLKIO, { "blkio.throttle.write_iops_device", NULL } },
	[FILE_TASKS] = { GROUP_TASKS, { "pids.current", "pids.current" } },
	[FILE_TASKS_LIMIT] = { GROUP_PIDS, { "pids.max", "pids.max" } },
	[FILE_TASK_LIST] = { GROUP_TASKS, { "tasks", "cgroup.threads" } },
	[FILE_CPU_PRESSURE] = { GROUP_PRESSURE, { NULL, "cpu.pressure" } },
	[FILE_MEMORY_PRESSURE] = { GROUP_PRESSURE, { NULL, "memory.pressure" } },
	[FILE_IO_PRESSURE] = { GROUP_PRESSURE, { NULL, "io.pressure" } },
};

/* A counter that was set back, as by a new group with the same path, starts again. */
static void count(uint64_t *counter, uint64_t *gone, uint64_t now)
{
	if (gone && *counter != U64_UNKNOWN && now < *counter)
		*gone += *counter;
	*counter = now;
}

#define GROUP_COUNT(group, field, now)                                                                       \
	count(&(group)->counters.field, (group)->parent ? &(group)->parent->gone.field : NULL, now)

static int version_of(const struct group_reader *reader, const struct group *group,
		      enum group_controller what)
{
	int hierarchy = group_tree_hierarchy(reader->tree, group, what);

	return hierarchy < 0 ? 0 : reader->tree->hierarchies[hierarchy].version;
}

bool group_is_machine(const struct group_reader *reader, const struct group *group,
		      enum group_controller what)
{
	int source = reader->tree->sources[what];

	return !group->parent && (source < 0 || reader->tree->hierarchies[source].whole);
}

static void close_directory(struct group_reader *reader)
{
	if (reader->open.group)
		close(reader->open.fd);
	reader->open.group = NULL;
}

/* Most of the time of a read is the walk along the path. */
static int open_directory(struct group_reader *reader, const struct group *group, int hierarchy)
{
	struct group_open_directory *open = &reader->open;
	const char *path;

	if (open->group == group && open->hierarchy == hierarchy)
		return open->fd;
	close_directory(reader);
	path = group_tree_path(reader->tree, group, (unsigned)hierarchy, "");
	open->fd = root_open_at(&reader->tree->env->root, path, O_PATH | O_DIRECTORY);
	if (open->fd < 0)
		return -errno;
	open->group = group;
	open->hierarchy = hierarchy;
	return open->fd;
}

/* 0; -ENOENT: the group does not have the file; another -errno: it may be gone by now. */
static int read_file(struct group_reader *reader, struct group *group, enum group_file file,
		     struct span *text)
{
	int hierarchy = group_tree_hierarchy(reader->tree, group, files[file].of), directory;
	const char *name =
		hierarchy < 0 ? NULL : files[file].names[reader->tree->hierarchies[hierarchy].version - 1];
	long length = -ENOENT;

	if (name && !(group->absent >> file & 1)) {
		directory = open_directory(reader, group, hierarchy);
		length = directory < 0 ? -ENODEV
				       : attribute_in(reader->tree->env, directory, name, reader->text,
						      sizeof(reader->text));
	}
	if (length == -EOPNOTSUPP)
		length = -ENOENT;
	if (length == -ENOENT)
		group->absent |= 1U << file;
	if (length < 0)
		return (int)length;
	*text = span_of(reader->text, (size_t)length);
	return 0;
}

/* Levels of a group that was removed meanwhile stay as they were, counters too: they are still in the sums
 * above. */
static void read_u64(struct group_reader *reader, struct group *group, enum group_file file, uint64_t *value)
{
	struct span text;
	int error = read_file(reader, group, file, &text);
	uint64_t number;

	if (error == -ENOENT)
		*value = U64_UNKNOWN;
	else if (!error && span_is_u64(text, &number))
		*value = number;
}

static void read_limit(struct group_reader *reader, struct group *group, enum group_file file,
		       uint64_t *value)
{
	struct span text;
	int error = read_file(reader, group, file, &text);
	uint64_t limit;

	if (error == -ENOENT)
		*value = U64_UNKNOWN;
	else if (!error && cgroup_limit_parse(text, &limit))
		*value = limit == CGROUP_NO_LIMIT ? U64_BLANK : limit;
}

static void read_memory_stat(struct group_reader *reader, struct group *group)
{
	int version = version_of(reader, group, GROUP_MEMORY);
	struct cgroup_memory_stat stat;
	struct span text;
	int error = read_file(reader, group, FILE_MEMORY_STAT, &text);

	if (error == -ENOENT) {
		group_restart(group, GROUP_MEMORY);
		group->levels.memory = group->levels.anonymous = group->levels.file = group->levels.kernel =
			U64_UNKNOWN;
		group->caches = group->swap = U64_UNKNOWN;
	}
	if (error)
		return;
	cgroup_memory_stat_parse(text, version, &stat);
	group->levels.anonymous = stat.anonymous;
	group->levels.file = stat.file;
	group->caches = stat.caches;
	GROUP_COUNT(group, refaults, stat.refaults);
	if (version == 1) {
		group->swap = stat.swap;
		read_u64(reader, group, FILE_KERNEL, &group->levels.kernel);
	} else {
		group->levels.kernel = stat.kernel;
		read_u64(reader, group, FILE_SWAP, &group->swap);
	}
}

/* Before Linux 5.2 those at limits of the groups below it are among them. */
static void read_failed(struct group_reader *reader, struct group *group)
{
	struct span text;

	if (group->limits.memory >= U64_BLANK)
		return;
	if (version_of(reader, group, GROUP_MEMORY) == 1)
		read_u64(reader, group, FILE_FAILED, &group->kills.own_failed);
	else if (read_file(reader, group, FILE_FAILED, &text) < 0 ||
		 !cgroup_value_parse(text, "oom", &group->kills.own_failed))
		group->kills.own_failed = group->kills.failed;
}

/* Version 1 counts the kills of each group alone. */
static void read_oom_kills(struct group_reader *reader, struct group *group)
{
	bool alone = version_of(reader, group, GROUP_MEMORY) == 1;
	uint64_t kills;
	struct span text;

	if (read_file(reader, group, FILE_OOM, &text) < 0 || !cgroup_value_parse(text, "oom_kill", &kills))
		return;
	if (alone)
		group->own_oom_kills = kills;
	else
		GROUP_COUNT(group, oom_kills, kills);
	if (!alone)
		cgroup_value_parse(text, "oom", &group->kills.failed);
	read_failed(reader, group);
}

void group_read_kills(struct group_reader *reader, struct group *group)
{
	if (!group_is_machine(reader, group, GROUP_MEMORY))
		read_oom_kills(reader, group);
	close_directory(reader);
}

static void read_cpu_limit(struct group_reader *reader, struct group *group)
{
	char quota_text[64];
	struct span text, quota;
	double cpus = 0;

	if (read_file(reader, group, FILE_QUOTA, &text) < 0 || !span_word(&text, &quota))
		return;
	if (version_of(reader, group, GROUP_CPU) == 1) {
		size_t length = span_length(quota);

		if (length > sizeof(quota_text))
			return;
		memcpy(quota_text, quota.at, length);
		quota = span_of(quota_text, length);
		if (read_file(reader, group, FILE_PERIOD, &text) < 0)
			return;
	}
	if (cgroup_quota_parse(quota, text, &cpus))
		group->limits.cpus = cpus > 0 ? cpus : NAN;
}

static void read_throttling(struct group_reader *reader, struct group *group)
{
	struct cgroup_cpu_stat stat;
	struct span text;

	if (read_file(reader, group, FILE_CPU_STAT, &text) < 0)
		return;
	cgroup_cpu_stat_parse(text, &stat);
	group->limits.periods = stat.periods;
	group->limits.throttled_periods = stat.throttled_periods;
	group->limits.throttled_ns = stat.throttled_ns;
}

static void read_io(struct group_reader *reader, struct group *group)
{
	uint64_t read_bytes = 0, write_bytes = 0;
	struct cgroup_io io;
	struct span text;
	int error;

	if (!reader->counts_io)
		return;
	error = read_file(reader, group, FILE_IO, &text);
	if (error == -ENOENT)
		group_restart(group, GROUP_BLKIO);
	if (error)
		return;
	while (cgroup_io_next(&text, &io)) {
		const struct disk *disk =
			disk_list_find(reader->disks, io.major << DISK_MINOR_BITS | io.minor);

		if (!disk || !disk_counts_for_groups(disk))
			continue;
		read_bytes += io.read_bytes;
		write_bytes += io.write_bytes;
	}
	GROUP_COUNT(group, read_bytes, read_bytes);
	GROUP_COUNT(group, write_bytes, write_bytes);
}

/* It goes on with what was seen of the same limit before. */
static void add_io_limit(struct group_io *io, const struct group_io *before, uint64_t device,
			 enum cgroup_io_kind kind, uint64_t each_second)
{
	struct group_io_limit limit = { device, kind, each_second, .seen = U64_UNKNOWN };

	if (each_second == 0 || io->n_limits == GROUP_IO_LIMITS_MAX)
		return;
	for (unsigned i = 0; i < before->n_limits; i++)
		if (before->limits[i].device == device && before->limits[i].kind == kind &&
		    before->limits[i].each_second == each_second)
			limit = before->limits[i];
	io->limits[io->n_limits++] = limit;
}

/* In version 1 each kind of limits has a file; limits there are of the group alone. */
static void read_io_limits(struct group_reader *reader, struct group *group)
{
	struct group_io before = { .used_seconds = NAN, .waiting = U64_UNKNOWN }, io;
	struct cgroup_io_limits limits;
	struct span text;

	if (group->io)
		before = *group->io;
	io = before;
	io.n_limits = 0;
	for (unsigned file = 0; file < N_CGROUP_IO_KINDS; file++) {
		if (read_file(reader, group, FILE_IO_LIMIT + file, &text) < 0)
			continue;
		while (cgroup_io_limits_next(&text, file, &limits))
			for (unsigned kind = 0; kind < N_CGROUP_IO_KINDS; kind++)
				add_io_limit(&io, &before, limits.major << DISK_MINOR_BITS | limits.minor,
					     kind, limits.each_second[kind]);
	}
	if (io.n_limits == 0 && !group->io)
		return;
	if (!group->io)
		group->io = alloc_zeroed(1, sizeof(*group->io));
	if (io.n_limits == 0)
		io.used_seconds = NAN;
	else if (isnan(io.used_seconds))
		io.used_seconds = 0;
	io.nearest = io.nearest < io.n_limits ? io.nearest : 0;
	*group->io = io;
}

/* What counts towards the limit, in a line of a file of either version; of version 1 it has one direction. */
static uint64_t counted_for(const struct cgroup_io *io, enum cgroup_io_kind kind, int version)
{
	switch (kind) {
	case CGROUP_READ_BYTES:
		return io->read_bytes;
	case CGROUP_WRITE_BYTES:
		return io->write_bytes;
	case CGROUP_READS:
		return version == 1 ? io->read_bytes : io->reads;
	default:
		return version == 1 ? io->write_bytes : io->writes;
	}
}

/* The counter of a limit; a device that was not used has no line. */
static bool read_io_counter(struct group_reader *reader, struct group *group,
			    const struct group_io_limit *limit, uint64_t *counter)
{
	bool requests = limit->kind >= CGROUP_READS;
	int version = version_of(reader, group, GROUP_BLKIO);
	struct cgroup_io io;
	struct span text;

	*counter = 0;
	if (read_file(reader, group, requests ? FILE_OWN_REQUESTS : FILE_OWN_BYTES, &text) < 0)
		return false;
	while (cgroup_io_next(&text, &io))
		if ((io.major << DISK_MINOR_BITS | io.minor) == limit->device)
			*counter += counted_for(&io, limit->kind, version);
	return true;
}

/* The part of these seconds in which the limit was in use; NaN: not known. */
static double use_io_limit(struct group_io_limit *limit, uint64_t counter, double seconds)
{
	bool known = limit->seen != U64_UNKNOWN && counter >= limit->seen && !isnan(seconds);
	double used;

	if (!known)
		limit->queued_seconds = 0;
	else
		limit->queued_seconds += (double)(counter - limit->seen) / (double)limit->each_second;
	limit->seen = counter;
	used = limit->queued_seconds < seconds ? limit->queued_seconds : seconds;
	limit->queued_seconds -= known ? used : 0;
	return known ? used : NAN;
}

/* Own tasks of the group that wait for a disk now: where its pressure is not known. */
static uint64_t count_waiting(struct group_reader *reader, struct group *group)
{
	int hierarchy = group_tree_hierarchy(reader->tree, group, GROUP_BLKIO);
	struct env *env = reader->tree->env;
	uint64_t n_waiting = 0, tid;
	struct span rest, line;
	const char *path;

	if (hierarchy < 0)
		return U64_UNKNOWN;
	path = group_tree_path(reader->tree, group, (unsigned)hierarchy,
			       files[FILE_TASK_LIST].names[version_of(reader, group, GROUP_BLKIO) - 1]);
	buffer_empty(&reader->tasks);
	if (attribute_text(env, path, WAITING_BYTES_MAX, &reader->tasks) < 0)
		return U64_UNKNOWN;
	rest = span_of(reader->tasks.bytes, reader->tasks.length);
	for (unsigned i = 0; i < WAITING_MAX && span_line(&rest, &line); i++) {
		char bytes[PROCESS_STAT_MAX];
		struct pid_stat stat;

		if (span_is_u64(line, &tid) && tid <= INT32_MAX &&
		    process_read_stat(env, (uint32_t)tid, bytes, &stat))
			n_waiting += stat.state == 'D';
	}
	return n_waiting;
}

static void read_io_use(struct group_reader *reader, struct group *group)
{
	struct group_io *io = group->io;
	double seconds, most = 0;

	if (!io || io->n_limits == 0)
		return;
	seconds = io->read_ns ? (double)(reader->now_ns - io->read_ns) / 1e9 : NAN;
	for (unsigned i = 0; i < io->n_limits; i++) {
		uint64_t counter;
		double used;

		if (!read_io_counter(reader, group, &io->limits[i], &counter))
			continue;
		used = use_io_limit(&io->limits[i], counter, seconds);
		if (used <= most || isnan(used))
			continue;
		most = used;
		io->nearest = i;
	}
	io->read_ns = reader->now_ns;
	io->used_seconds += most;
	io->waiting = isnan(group->stalled[2]) && most >= NEARLY_ALL * seconds ? count_waiting(reader, group)
									     : U64_UNKNOWN;
}

static void list_tasks(struct group_reader *reader, struct group *group)
{
	int counted = group_tree_hierarchy(reader->tree, group, GROUP_TASKS);
	const char *name, *path;
	unsigned hierarchy;

	if (group->in == 0) /* no hierarchy can be read */
		return;
	/* else any of version 1: one without the controller pids has the same tasks */
	hierarchy = counted >= 0 ? (unsigned)counted : (unsigned)__builtin_ctz(group->in);
	name = files[FILE_TASK_LIST].names[reader->tree->hierarchies[hierarchy].version - 1];
	path = group_tree_path(reader->tree, group, hierarchy, name);
	buffer_empty(&reader->tasks);
	if (attribute_text(reader->tree->env, path, TASKS_BYTES_MAX, &reader->tasks) < 0)
		return;
	group->own_tasks = 0;
	for (size_t i = 0; i < reader->tasks.length; i++)
		group->own_tasks += reader->tasks.bytes[i] == '\n';
}

static void read_tasks(struct group_reader *reader, struct group *group)
{
	group->tasks_apart = group_tree_hierarchy(reader->tree, group, GROUP_TASKS) < 0;
	read_u64(reader, group, FILE_TASKS, &group->levels.tasks);
	if (group->levels.tasks == U64_UNKNOWN)
		list_tasks(reader, group);
	else
		group->own_tasks = U64_UNKNOWN;
}

/* Seconds in which some task waited. */
static bool parse_pressure(struct span text, double *seconds)
{
	struct pressure_line line;

	while (pressure_next(&text, &line)) {
		if (!span_is(line.kind, "some"))
			continue;
		*seconds = (double)line.total_us / 1e6;
		return true;
	}
	return false;
}

static void read_pressure(struct group_reader *reader, struct group *group)
{
	struct span text;

	for (unsigned i = 0; i < 3; i++)
		if (read_file(reader, group, FILE_CPU_PRESSURE + i, &text) == 0 &&
		    parse_pressure(text, &group->stalled[i]))
			reader->has_pressure = true;
}

/* The attribute stays open; another hierarchy, or another group with the path, opens it again. */
static long read_attribute(struct group_reader *reader, struct group *group, struct attribute *file,
			   enum group_controller what, const char *const names[2])
{
	int hierarchy = group_tree_hierarchy(reader->tree, group, what);
	struct env *env = reader->tree->env;

	if (hierarchy < 0) {
		attribute_close(file, env);
		return -ENOENT;
	}
	if (!file->path)
		attribute_open(file,
			       group_tree_path(reader->tree, group, (unsigned)hierarchy,
					       names[reader->tree->hierarchies[hierarchy].version - 1]));
	return attribute_read(file, env, reader->text, sizeof(reader->text));
}

static long read_cpu(struct group_reader *reader, struct group *group)
{
	static const char *const names[2] = { "cpuacct.usage", "cpu.stat" };
	long length = read_attribute(reader, group, &group->cpu_file, GROUP_CPUACCT, names);
	struct cgroup_cpu_stat stat;
	struct span text;
	uint64_t used_ns;

	if (length < 0)
		return length;
	text = span_of(reader->text, (size_t)length);
	if (version_of(reader, group, GROUP_CPUACCT) == 2) {
		cgroup_cpu_stat_parse(text, &stat);
		used_ns = stat.used_ns;
	} else if (!span_is_u64(text, &used_ns)) {
		used_ns = U64_UNKNOWN;
	}
	if (used_ns == U64_UNKNOWN)
		return -EBADMSG;
	if (group->counters.cpu_ns != U64_UNKNOWN && used_ns < group->counters.cpu_ns)
		return -ESTALE;
	group->active = used_ns != group->counters.cpu_ns;
	group->counters.cpu_ns = used_ns;
	return 0;
}

static long read_memory(struct group_reader *reader, struct group *group)
{
	static const char *const names[2] = { "memory.usage_in_bytes", "memory.current" };
	long length = read_attribute(reader, group, &group->memory_file, GROUP_MEMORY, names);
	uint64_t bytes;

	if (length < 0)
		return length;
	if (!span_is_u64(span_of(reader->text, (size_t)length), &bytes))
		return -EBADMSG;
	group->active = bytes != group->levels.memory;
	group->levels.memory = bytes;
	return 0;
}

/* Without CPU time of the group above it there is none of this one; both are counted in one hierarchy. */
static bool is_idle_with_parent(const struct group *group)
{
	const struct group *above = group->parent;

	return group->read_ns != 0 && above && !above->active && above->cpu_file.path &&
	       group->cpu_file.path && above->counters.cpu_ns != U64_UNKNOWN;
}

bool group_read_activity(struct group_reader *reader, struct group *group)
{
	bool has_cpu = group_tree_hierarchy(reader->tree, group, GROUP_CPUACCT) >= 0;
	long (*read_it)(struct group_reader * reader, struct group * group) =
		has_cpu ? read_cpu : read_memory;
	long error;

	group->active = false;
	if (is_idle_with_parent(group) ||
	    (!has_cpu && group_tree_hierarchy(reader->tree, group, GROUP_MEMORY) < 0))
		return false;
	error = read_it(reader, group);
	if (error == -ENODEV || error == -ENOENT || error == -ESTALE) {
		/* it is gone, or another group with the same path, or its counter was set back */
		group_tree_look(reader->tree, group);
		if (error == -ESTALE && group->counters.cpu_ns != U64_UNKNOWN) {
			group_restart(group, GROUP_CPUACCT);
			group->old = true;
		}
		if (!group->removed)
			read_it(reader, group);
	}
	return group->active;
}

static void read_memory_files(struct group_reader *reader, struct group *group)
{
	bool active = group->active;

	if (read_memory(reader, group) == -ENODEV) {
		group_tree_look(reader->tree, group);
		read_memory(reader, group);
	}
	group->active = active;
	read_memory_stat(reader, group);
	read_oom_kills(reader, group);
}

void group_read_use(struct group_reader *reader, struct group *group)
{
	if (!group_is_machine(reader, group, GROUP_MEMORY))
		read_memory_files(reader, group);
	if (!isnan(group->limits.cpus)) /* nothing else throttles it */
		read_throttling(reader, group);
	if (!group_is_machine(reader, group, GROUP_BLKIO))
		read_io(reader, group);
	if (!group_is_machine(reader, group, GROUP_TASKS))
		read_tasks(reader, group);
	if (!group_is_machine(reader, group, GROUP_PRESSURE))
		read_pressure(reader, group);
	read_io_use(reader, group);
	close_directory(reader);
}

bool group_has_limit(const struct group *group)
{
	return !isnan(group->limits.cpus) || group->limits.memory < U64_BLANK ||
	       (group->io && group->io->n_limits > 0);
}

bool group_read_limits(struct group_reader *reader, struct group *group)
{
	read_cpu_limit(reader, group);
	read_limit(reader, group, FILE_MEMORY_LIMIT, &group->limits.memory);
	close_directory(reader);
	return group_has_limit(group);
}

void group_read_all(struct group_reader *reader, struct group *group)
{
	group->absent = 0;
	if (!group_is_machine(reader, group, GROUP_PIDS))
		read_limit(reader, group, FILE_TASKS_LIMIT, &group->limits.tasks);
	if (!group_is_machine(reader, group, GROUP_CPU)) {
		read_cpu_limit(reader, group);
		read_throttling(reader, group);
	}
	if (!group_is_machine(reader, group, GROUP_MEMORY))
		read_limit(reader, group, FILE_MEMORY_LIMIT, &group->limits.memory);
	if (!group_is_machine(reader, group, GROUP_BLKIO))
		read_io_limits(reader, group);
	group_read_use(reader, group);
}

static int read_proc(struct group_reader *reader, const char *path, struct span *text)
{
	return env_read(reader->tree->env, env_file(reader->tree->env, path), text);
}

/* As version 2 counts the memory of groups. */
static void read_machine_memory(struct group_reader *reader, struct group *top)
{
	struct meminfo meminfo;
	struct span text;

	if (read_proc(reader, "proc/meminfo", &text) == 0) {
		meminfo_parse(text, &meminfo);
		top->levels.memory = u64_less(meminfo.total, meminfo.free);
		top->levels.anonymous = meminfo.anon_pages;
		top->levels.file = u64_sum(u64_sum(meminfo.cached, meminfo.buffers),
					   meminfo_or_zero(meminfo.swap_cached));
		top->levels.kernel = u64_sum(u64_sum(meminfo.slab, meminfo.kernel_stack),
					     u64_sum(meminfo.page_tables, meminfo_or_zero(meminfo.percpu)));
		top->caches = u64_sum(u64_sum(meminfo.active_file, meminfo.inactive_file),
				      meminfo_or_zero(meminfo.reclaimable_slab));
		top->swap = u64_less(meminfo.swap_total, meminfo.swap_free);
	}
}

static void read_machine_events(struct group_reader *reader, struct group *top)
{
	static const char *const names[] = { "oom_kill", "workingset_refault", "workingset_refault_anon",
					     "workingset_refault_file" };
	uint64_t values[4], before = reader->machine_kills;
	struct span text;

	reader->any_killed = false;
	if (read_proc(reader, "proc/vmstat", &text) < 0)
		return;
	vmstat_parse(text, names, 4, values);
	reader->machine_kills = values[0];
	reader->any_killed = values[0] != before;
	if (!group_is_machine(reader, top, GROUP_MEMORY))
		return;
	top->counters.oom_kills = values[0];
	top->counters.refaults = values[2] == U64_UNKNOWN ? values[1] : u64_sum(values[2], values[3]);
}

static void read_machine_io(struct group_reader *reader, struct group *top)
{
	const struct disk_list *disks = reader->disks;

	if (!group_is_machine(reader, top, GROUP_BLKIO) || disks->count == 0)
		return;
	top->counters.read_bytes = top->counters.write_bytes = U64_UNKNOWN;
	if (disks->doubtful)
		return;
	top->counters.read_bytes = disks->sum.reads.sectors * DISK_SECTOR_BYTES;
	top->counters.write_bytes = disks->sum.writes.sectors * DISK_SECTOR_BYTES;
}

/* Since Linux 6.9, version 1 counts nothing on a device for which no group ever had a limit. */
static bool counts_io(struct group_reader *reader, struct group *top)
{
	bool counts = true;
	struct cgroup_io io;
	struct span text;

	if (version_of(reader, top, GROUP_BLKIO) == 1)
		counts = read_file(reader, top, FILE_IO, &text) == 0 && cgroup_io_next(&text, &io);
	close_directory(reader);
	return counts;
}

static void read_machine_pressure(struct group_reader *reader, struct group *top)
{
	static const char *const paths[] = { "proc/pressure/cpu", "proc/pressure/memory",
					     "proc/pressure/io" };
	struct span text;

	for (unsigned i = 0; i < 3; i++)
		if (read_proc(reader, paths[i], &text) == 0)
			parse_pressure(text, &top->stalled[i]);
}

/* Where the top group has no file for it: in ticks. */
static void read_machine_cpu(struct group_reader *reader, struct group *top)
{
	double ticks_per_second = (double)reader->tree->env->ticks_per_second;
	struct cpu_times times;
	struct span text;

	if (read_proc(reader, "proc/stat", &text) == 0 && cpu_times_next(&text, &times) &&
	    times.cpu == CPU_ALL)
		top->counters.cpu_ns = (uint64_t)(cpu_times_busy(&times) / ticks_per_second * 1e9);
	top->active = true;
}

void group_read_machine(struct group_reader *reader)
{
	struct group *top = reader->tree->top;
	struct loadavg loadavg;
	struct span text;

	reader->has_pressure = false;
	if (group_is_machine(reader, top, GROUP_MEMORY))
		read_machine_memory(reader, top);
	read_machine_events(reader, top);
	read_machine_io(reader, top);
	reader->counts_io = counts_io(reader, top);
	if (group_is_machine(reader, top, GROUP_TASKS) && read_proc(reader, "proc/loadavg", &text) == 0 &&
	    loadavg_parse(text, &loadavg))
		top->levels.tasks = loadavg.threads;
	if (group_is_machine(reader, top, GROUP_PRESSURE))
		read_machine_pressure(reader, top);
	if (read_cpu(reader, top) < 0 && group_is_machine(reader, top, GROUP_CPUACCT))
		read_machine_cpu(reader, top);
}

void group_reader_close(struct group_reader *reader)
{
	buffer_free(&reader->tasks);
}
