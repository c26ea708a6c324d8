/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "group": what each control group uses, and what is left of the machine without them. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "topic/group/container_name.h"
#include "topic/group/group_tree.h"
#include "topic/topic.h"

/*
 * A kill belongs to the lowest group above it at whose own limit an allocation failed. Where one failed at
 * the limit of a group that is gone by now, the group above still has both, in version 2.
 */

/* Since the last sample; what it had counted before it was first seen is not growth. */
static uint64_t growth(const struct group_kills *kills, uint64_t *last, uint64_t now)
{
	uint64_t before = *last;

	if (now == U64_UNKNOWN)
		return 0;
	*last = now;
	if (before == U64_UNKNOWN)
		return kills->counted_before ? 0 : now;
	return now > before ? now - before : 0;
}

/* The kernel counts the failure before the kill, and a sample may be taken between the two. */
static uint64_t with_waiting(uint64_t *waiting, uint64_t failed, uint64_t killed)
{
	uint64_t before = *waiting;

	*waiting = killed > 0 ? 0 : failed;
	return failed + before;
}

static void count(struct group *group, bool is_first)
{
	struct group_kills *kills = &group->kills;
	uint64_t killed, failed, own_failed, at_limits = kills->below;

	kills->counted_before |= group->old || is_first;
	killed = growth(kills, &kills->last_kills, group->counters.oom_kills);
	failed = with_waiting(&kills->waiting, growth(kills, &kills->last_failed, kills->failed), killed);
	own_failed = with_waiting(&kills->own_waiting,
				  growth(kills, &kills->last_own_failed, kills->own_failed), killed);
	if (killed > kills->below && own_failed > 0)
		kills->at_own += killed - kills->below;
	if (killed > kills->below && (own_failed > 0 || failed > kills->failed_below))
		at_limits = killed;
	kills->at_any += at_limits;
	if (group->parent) {
		group->parent->kills.below += at_limits;
		group->parent->kills.failed_below += failed;
	}
}

#define REST "(rest)"
#define ROUND_SECONDS 30.0 /* in which all idle groups are read */
#define FIRST_LEVEL_MAX 64 /* groups below the top that are always read, so that the rest is right */
#define BUSY_MAX 128       /* busy groups that are read in a sample */
#define IDLE_MAX 100       /* idle groups likewise, even where a sample takes seconds */
#define FEW 32             /* groups that are all read */
#define FIRST_MAX 128      /* groups that are all read in the first sample of a screen that shows no groups */
#define NAME_TRIES_MAX 3
#define NS_PER_SECOND 1e9

struct group_row {
	const char *path, *parent, *name, *kind;
	uint64_t tasks, tasks_limit;
	double cpu_ratio, own_cpu_ratio, cpu_limit_ratio, throttled_ratio;
	uint64_t memory_bytes, own_memory_bytes, memory_limit_bytes;
	double memory_limit_used_ratio;
	uint64_t anonymous_bytes, file_bytes, kernel_bytes, swap_bytes;
	double refaults_per_second, read_bytes_per_second, write_bytes_per_second;
	double cpu_pressure_ratio, memory_pressure_ratio, io_pressure_ratio;
	double io_limit_ratio, io_limit_bytes_per_second, io_limit_requests_per_second;
	const char *io_limit_device;
	uint64_t io_waiting_tasks;
	uint64_t oom_kills, limit_oom_kills, all_limit_oom_kills;
	double age_seconds;
	double cpu_seconds, own_cpu_seconds, throttled_seconds;
	uint64_t periods, throttled_periods, refaults, read_bytes, write_bytes;
	double cpu_stalled_seconds, memory_stalled_seconds, io_stalled_seconds, io_limit_seconds;
};

#define RATE(field, of, measure, heading, cells, ...)                                                        \
	COLUMN(struct group_row, field, .kind = COLUMN_RATE, .unit = measure,                                \
	       .rate_of = offsetof(struct group_row, of), .source = "growth of " #of " / time",              \
	       .title = heading, .width = cells, .help = __VA_ARGS__)
#define GAUGE(field, measure, heading, cells, what, ...)                                                     \
	COLUMN(struct group_row, field, .kind = COLUMN_GAUGE, .unit = measure, .title = heading,             \
	       .width = cells, .help = what, .source = __VA_ARGS__)

/* Read with the other files of a group, which idle groups have in turns. */
#define COUNTER(field, measure, heading, cells, what, ...)                                                   \
	COLUMN(struct group_row, field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true,             \
	       .aged_by = offsetof(struct group_row, age_seconds), .title = heading, .width = cells,         \
	       .help = what, .source = __VA_ARGS__)
#define WITH_BELOW N_("with the groups below it")
#define COL(field, ...) COLUMN_OF(struct group_row, field, __VA_ARGS__)

static const struct column columns[] = {
	RATE(cpu_ratio, cpu_seconds, UNIT_RATIO, N_("%CPU"), 6,
	     N_("CPU time of its tasks and of the groups below it; 100 is one CPU; unknown where the group "
		"is not in the hierarchy cpuacct; /: the machine"), .trend = true, .of_cpu = true),
	RATE(own_cpu_ratio, own_cpu_seconds, UNIT_RATIO, N_("%own"), 6,
	     N_("CPU time of its own tasks, without the groups below it"), .additive = true, .hidden = true,
	     .of_cpu = true),
	GAUGE(cpu_limit_ratio, UNIT_RATIO, N_("%limit"), 7,
	      N_("limit of its CPU time; 100 is one CPU; unknown: no limit of its own"),
	      "v2 cpu.max; v1 cpu.cfs_quota_us / cpu.cfs_period_us", .rank = 4, .hidden = true),
	COL(throttled_ratio, RATE, RATIO, N_("%throt"), 6,
	    N_("share of the periods in which it reached its own CPU limit and was throttled"),
	    "growth of throttled_periods / growth of periods", .rank = 3, .high = 0.01,
	    .rate_of = offsetof(struct group_row, throttled_periods),
	    .rate_over = offsetof(struct group_row, periods)),
	GAUGE(memory_bytes, UNIT_BYTES, N_("memory"), 8,
	      N_("memory of the group and the groups below it, page cache included; unknown where the "
		 "group is not in the hierarchy memory; /: used memory of the machine"),
	      "v2 memory.current; v1 memory.usage_in_bytes; /: MemTotal - MemFree"),
	GAUGE(own_memory_bytes, UNIT_BYTES, N_("own"), 8, N_("memory without the groups below it"),
	      "memory_bytes - those of the groups below it", .additive = true, .hidden = true),
	GAUGE(memory_limit_bytes, UNIT_BYTES, N_("limit"), 8,
	      N_("its own memory limit; blank: none; groups above it may have a lower one"),
	      "v2 memory.max; v1 memory.limit_in_bytes", .rank = 4, .hidden = true),
	GAUGE(memory_limit_used_ratio, UNIT_RATIO, N_("%no cache"), 9,
	      N_("share of its memory limit in use, without what can be dropped: page cache and (v2) slab"),
	      "(memory_bytes - active_file - inactive_file - slab_reclaimable) / memory_limit_bytes",
	      .rank = 2, .high = 0.8),
	GAUGE(anonymous_bytes, UNIT_BYTES, N_("anon"), 8, N_("anonymous memory: heaps, stacks"),
	      "memory.stat: v2 anon; v1 total_rss; /: AnonPages", .rank = 5, .hidden = true),
	GAUGE(file_bytes, UNIT_BYTES, N_("file"), 8, N_("page cache, tmpfs and shared memory"),
	      "memory.stat: v2 file; v1 total_cache; /: Cached + Buffers + SwapCached", .rank = 5,
	      .hidden = true),
	GAUGE(kernel_bytes, UNIT_BYTES, N_("kernel"), 8,
	      N_("memory of the kernel for it: slab, stacks, page tables"),
	      "v2 memory.stat kernel; v1 memory.kmem.usage_in_bytes; /: Slab + KernelStack + PageTables + "
	      "Percpu", .rank = 5, .hidden = true),
	GAUGE(swap_bytes, UNIT_BYTES, N_("swap"), 8, N_("swapped memory"),
	      "v2 memory.swap.current; v1 memory.stat total_swap", .rank = 5, .hidden = true),
	RATE(refaults_per_second, refaults, UNIT_PER_SECOND, N_("refault/s"), 9,
	     N_("pages that were reclaimed and are needed again: memory is short"), .rank = 4,
	     .hidden = true),
	RATE(read_bytes_per_second, read_bytes, UNIT_BYTES_PER_SECOND, N_("read/s"), 8,
	     N_("read from disks, without stacked devices such as loop and RAID"), .rank = 3),
	RATE(write_bytes_per_second, write_bytes, UNIT_BYTES_PER_SECOND, N_("write/s"), 8,
	     N_("written to disks; version 1 counts what is written back later for the root"), .rank = 3),
	RATE(cpu_pressure_ratio, cpu_stalled_seconds, UNIT_RATIO, N_("%PSI cpu"), 8,
	     N_("share of the interval in which some of its tasks waited for a CPU (version 2)"),
	     .ceiling = 1, .rank = 6, .hidden = true, .high = 0.1),
	RATE(memory_pressure_ratio, memory_stalled_seconds, UNIT_RATIO, N_("%PSI mem"), 8,
	     N_("share of the interval in which some of its tasks waited for memory (version 2)"),
	     .ceiling = 1, .rank = 5, .hidden = true, .high = 0.05),
	RATE(io_pressure_ratio, io_stalled_seconds, UNIT_RATIO, N_("%PSI io"), 8,
	     N_("share of the interval in which some of its tasks waited for a disk (version 2)"),
	     .ceiling = 1, .rank = 6, .hidden = true, .high = 0.1),
	RATE(io_limit_ratio, io_limit_seconds, UNIT_RATIO, N_("%I/O max"), 8,
	     N_("share of the interval in which a limit of its I/O was in use: what it read or wrote "
		"through what it may; unknown: no limit of its own"), .rank = 6, .hidden = true, .high = 0.8),
	GAUGE(io_limit_bytes_per_second, UNIT_BYTES_PER_SECOND, N_("max/s"), 8,
	      N_("the limit of I/O that is used most, where it is one of bytes"),
	      "v2 io.max; v1 blkio.throttle.read_bps_device, write_bps_device", .rank = 6, .hidden = true),
	GAUGE(io_limit_requests_per_second, UNIT_PER_SECOND, N_("max req/s"), 9,
	      N_("the limit of I/O that is used most, where it is one of requests"),
	      "v2 io.max; v1 blkio.throttle.read_iops_device, write_iops_device", .rank = 6, .hidden = true),
	COL(io_limit_device, LABEL, NONE, N_("max of"), 8,
	    N_("device of that limit; its number, if it has no name"), "the same, /proc/diskstats", .rank = 6,
	    .hidden = true, .fleeting = true),
	GAUGE(io_waiting_tasks, UNIT_COUNT, N_("D"), 4,
	      N_("own tasks, of the first 64, that were seen waiting for a disk (D); read only while a "
		 "limit of I/O is in use and the pressure is not known"),
	      "/proc/PID/stat of the group's tasks", .rank = 6, .hidden = true),
	COL(oom_kills, COUNTER, COUNT, N_("OOM"), 4,
	    N_("processes killed by the OOM killer, at a limit or because the machine ran out, since the "
	       "group was made"),
	    "v2 memory.events oom_kill; v1 memory.oom_control; /: /proc/vmstat oom_kill", .rank = 6,
	    .high = 1, .aged_by = offsetof(struct group_row, age_seconds)),
	COL(limit_oom_kills, COUNTER, COUNT, N_("OOM max"), 7,
	    N_("processes killed because memory was at its own limit, since the first sample; blank: no "
	       "limit"),
	    "growth of oom_kill where that of oom of memory.events.local, v1 memory.failcnt, is not 0",
	    .rank = 6, .hidden = true, .high = 1),
	COL(all_limit_oom_kills, COUNTER, COUNT, N_("OOM all"), 7,
	    N_("the same at limits of the group and of all groups below it; /: of the machine, in a "
	       "container unknown"), "sum of limit_oom_kills, with those of groups that are gone", .rank = 6,
	    .hidden = true),
	GAUGE(tasks, UNIT_COUNT, N_("threads"), 7,
	      N_("threads, with those of the groups below it; of version 1 in the hierarchy "
		 "pids, or if that has no groups in one that has some; of a group that is not in it they "
		 "are among the tasks of other rows, too"),
	      "pids.current, or the lines of tasks, cgroup.threads of any hierarchy that has the group; /: "
	      "/proc/loadavg", .rank = 1),
	GAUGE(tasks_limit, UNIT_COUNT, N_("max"), 6, N_("its own limit of tasks; blank: none"), "pids.max",
	      .rank = 6, .hidden = true),
	GAUGE(age_seconds, UNIT_SECONDS, N_("age"), 5,
	      N_("since its files were read: idle groups are read in turns; CPU time is always of the "
		 "sample"), "panetop", .rank = 6, .hidden = true),
	COL(kind, LABEL, NONE, N_("kind"), 9, N_("unit, slice, scope, container, pod or group, by the path"),
	    "the form of the path", .rank = 4),
	COL(parent, LABEL, NONE, N_("above"), 16, N_("path of the group that it is in"), "the path",
	    .hidden = true),
	COL(name, LABEL, NONE, N_("name"), 20,
	    N_("unit, or name of the container or pod from the files of its engine, else 12 digits of its "
	       "id"),
	    "the path; config.v2.json (Docker), containers.json (Podman), config.json (containerd, CRI-O)",
	    .grouping = "name"),
	COL(path, KEY, NONE, N_("path"), 24,
	    N_("path below the mount; (rest): what is not in a group, or not counted there"),
	    "directories of /sys/fs/cgroup, of all hierarchies", .fleeting = true, .hidden = true),
	COL(cpu_seconds, COUNTER, SECONDS, N_("CPU time"), 9, N_("CPU time since the group was made"),
	    "v1 cpuacct.usage; v2 cpu.stat usage_usec; /: that of the root, else /proc/stat", .hidden = true),
	COL(own_cpu_seconds, COUNTER, SECONDS, N_("own time"), 9,
	    N_("CPU time without the groups that are and were below it"),
	    "cpu_seconds - those of the groups below it", .hidden = true),
	COUNTER(throttled_seconds, UNIT_SECONDS, N_("throttled"), 9,
		N_("time that its tasks were throttled, summed"), "cpu.stat throttled_usec; throttled_time"),
	COUNTER(periods, UNIT_COUNT, N_("periods"), 9, N_("periods in which it ran"), "cpu.stat nr_periods"),
	COUNTER(throttled_periods, UNIT_COUNT, N_("throttled"), 9, N_("periods in which it was throttled"),
		"cpu.stat nr_throttled"),
	COUNTER(refaults, UNIT_COUNT, N_("refaults"), 9,
		N_("pages that were needed again after they were reclaimed"),
		"memory.stat workingset_refault; /: /proc/vmstat"),
	COUNTER(read_bytes, UNIT_BYTES, N_("read"), 9, N_("read from disks"),
		"v2 io.stat; v1 blkio.throttle.io_service_bytes_recursive; /: /proc/diskstats"),
	COUNTER(write_bytes, UNIT_BYTES, N_("written"), 9, N_("written to disks"),
		"v2 io.stat; v1 blkio.throttle.io_service_bytes_recursive; /: /proc/diskstats"),
	COUNTER(cpu_stalled_seconds, UNIT_SECONDS, N_("cpu wait"), 9,
		N_("time in which some of its tasks waited for a CPU"), "cpu.pressure total"),
	COUNTER(memory_stalled_seconds, UNIT_SECONDS, N_("mem wait"), 9,
		N_("time in which some of its tasks waited for memory"), "memory.pressure total"),
	COUNTER(io_stalled_seconds, UNIT_SECONDS, N_("io wait"), 9,
		N_("time in which some of its tasks waited for a disk"), "io.pressure total"),
	COUNTER(io_limit_seconds, UNIT_SECONDS, N_("io max"), 9,
		N_("time in which a limit of its I/O was in use, since the first sample"),
		"growth of v2 io.stat, v1 blkio.throttle.io_service_bytes, io_serviced / limit"),
};

static const struct schema schema = {
	.name = "group",
	.is_public = true,
	.help = N_("control groups: units, containers, pods; each with the groups below it"),
	.none = N_("this machine has no control groups"),
	.from_zero = true,
	.twice_row = "/", /* what is its own is in "(rest)" */
	SCHEMA_ROWS(struct group_row, columns),
};

struct group_state {
	struct group_tree tree;
	struct group_reader reader;
	struct disk_list *disks;
	uint64_t n_samples, last_ns;
	size_t n_busy, n_busy_before; /* in this sample, and in the last one */
};

static int test_groups(struct env *env)
{
	struct group_tree *tree = alloc_zeroed(1, sizeof(*tree));
	int error = group_tree_open(tree, env);

	if (!error)
		group_tree_close(tree);
	free(tree);
	return error;
}

/* Names of pods come with their containers. */
static void name_container(struct group_state *state, struct group *group)
{
	struct container_name found;

	if (!*group->id || group->n_name_tries++ >= NAME_TRIES_MAX ||
	    !container_name_find(&state->tree.env->root, group->engine, group->id, &found))
		return;
	free(group->name);
	group->name = alloc_text(found.name);
	*group->id = '\0';
	if (*found.pod && group->parent && group->parent->kind == CGROUP_POD) {
		free(group->parent->name);
		group->parent->name = alloc_text(found.pod);
	}
}

/* Is it the turn of this group among those of which only some are read in each sample? */
static bool has_turn(const struct group_state *state, const struct group *group, uint64_t every)
{
	return every <= 1 || group->serial % every == state->n_samples % every;
}

/* How many samples a round takes. */
static uint64_t idle_turns(const struct group_state *state, double seconds)
{
	uint64_t samples = seconds > 0 ? (uint64_t)(ROUND_SECONDS / seconds) : 1;
	uint64_t least = state->tree.n_all / IDLE_MAX;

	return samples > least ? samples : least;
}

static bool is_first_level(const struct group_state *state, const struct group *group)
{
	return group->parent == state->tree.top && state->tree.top->serial + FIRST_LEVEL_MAX >= group->serial;
}

/* Looked up once for each scope. */
static bool tops_scope(const struct scope *scope, struct group *group)
{
	if (!scope_is_set(scope) || !scope_is_of_groups(scope))
		return false;
	if (group->scope_epoch != scope->groups_epoch) {
		group->scope_epoch = scope->groups_epoch;
		group->tops_scope = scope_tops_group(scope, group->path);
	}
	return group->tops_scope;
}

static bool wants_all(const struct sample_request *request)
{
	return request->batch || request->all_groups || scope_needs_groups(request->scope);
}

/* Without a limit it is nothing that a finding is about; nor is one in which nothing has run yet. */
static bool may_wait(struct group_state *state, const struct sample_request *request, struct group *group)
{
	if (state->tree.begun || wants_all(request) || group->serial <= FIRST_MAX ||
	    is_first_level(state, group) || group->counters.cpu_ns == U64_UNKNOWN)
		return false;
	return group->counters.cpu_ns == 0 || !group_read_limits(&state->reader, group);
}

static bool has_busy_turn(const struct group_state *state, const struct group *group)
{
	return group->active && has_turn(state, group, (state->n_busy_before + BUSY_MAX - 1) / BUSY_MAX);
}

/* For findings alone: one without a limit is read in its turn; its limits also when it is busy. */
static bool may_skip(struct group_state *state, const struct sample_request *request, struct group *group,
		     double seconds)
{
	if (wants_all(request) || group->read_ns == 0 || group->waits || group_has_limit(group) ||
	    has_turn(state, group, idle_turns(state, seconds)))
		return false;
	return !has_busy_turn(state, group) || !group_read_limits(&state->reader, group);
}

static bool is_read_whole(const struct group_state *state, const struct sample_request *request,
			  struct group *group, double seconds)
{
	bool first = group->waits ? wants_all(request) || has_busy_turn(state, group) : group->read_ns == 0;

	return first || state->tree.n_all <= FEW || tops_scope(request->scope, group) ||
	       has_turn(state, group, idle_turns(state, seconds));
}

static void read_group(struct group_state *state, const struct sample_request *request, struct group *group,
		       uint64_t now_ns, double seconds)
{
	bool whole;

	state->n_busy += group_read_activity(&state->reader, group);
	if (may_wait(state, request, group)) {
		group->waits = true; /* its tree and its name are known; its files are read in its turn */
		group_tree_look(&state->tree, group);
		if (!group->removed)
			name_container(state, group);
		return;
	}
	if (may_skip(state, request, group, seconds)) {
		if (group->active)
			group_tree_glance(&state->tree, group);
		return;
	}
	whole = is_read_whole(state, request, group, seconds);
	if (group->removed || (group->waits && !whole) ||
	    !(whole || is_first_level(state, group) || has_busy_turn(state, group)))
		return;
	(whole ? group_tree_look : group_tree_glance)(&state->tree, group);
	if (group->removed)
		return;
	if (group->old)
		group_read_activity(&state->reader, group);
	(whole ? group_read_all : group_read_use)(&state->reader, group);
	group->read_ns = now_ns;
	group->waits = false;
	if (whole)
		name_container(state, group);
}

static double seconds_of(uint64_t ns)
{
	return u64_number(ns) / NS_PER_SECOND;
}

static void set_counters(struct group_row *row, const struct group_counters *counters)
{
	row->cpu_seconds = seconds_of(counters->cpu_ns);
	row->refaults = counters->refaults;
	row->read_bytes = counters->read_bytes;
	row->write_bytes = counters->write_bytes;
	row->oom_kills = counters->oom_kills;
}

static void set_kills(struct group_row *row, const struct group *group, bool sees_all)
{
	const struct group_kills *kills = &group->kills;

	if (group->limits.memory == U64_BLANK)
		row->limit_oom_kills = U64_BLANK;
	else if (group->limits.memory != U64_UNKNOWN && kills->own_failed != U64_UNKNOWN)
		row->limit_oom_kills = kills->at_own;
	if (group->parent ? group->counters.oom_kills != U64_UNKNOWN : sees_all)
		row->all_limit_oom_kills = kills->at_any;
}

static void set_levels(struct group_row *row, const struct group_levels *levels)
{
	row->tasks = levels->tasks;
	row->memory_bytes = levels->memory;
	row->anonymous_bytes = levels->anonymous;
	row->file_bytes = levels->file;
	row->kernel_bytes = levels->kernel;
}

static void set_limits(struct group_row *row, const struct group *group)
{
	const struct group_limits *limits = &group->limits;
	uint64_t firm = u64_less(group->levels.memory, group->caches);

	row->cpu_limit_ratio = limits->cpus;
	row->memory_limit_bytes = limits->memory;
	row->tasks_limit = limits->tasks;
	if (limits->memory < U64_BLANK && limits->memory > 0 && firm != U64_UNKNOWN)
		row->memory_limit_used_ratio = (double)firm / (double)limits->memory;
	row->periods = limits->periods;
	row->throttled_periods = limits->throttled_periods;
	row->throttled_seconds = seconds_of(limits->throttled_ns);
}

static void set_io_limit(struct sample *sample, struct group_row *row, const struct group_io *io)
{
	const struct group_state *state = sample->state;
	const struct group_io_limit *limit = &io->limits[io->nearest];
	const struct disk *disk;

	if (io->n_limits == 0)
		return;
	disk = disk_list_find(state->disks, limit->device);
	row->io_limit_device = disk ? frame_text(sample->frame, disk->name)
				    : arena_print(&sample->frame->arena, "%" PRIu64 ":%" PRIu64,
						  limit->device >> DISK_MINOR_BITS,
						  limit->device & ((1U << DISK_MINOR_BITS) - 1));
	if (limit->kind >= CGROUP_READS)
		row->io_limit_requests_per_second = (double)limit->each_second;
	else
		row->io_limit_bytes_per_second = (double)limit->each_second;
	row->io_limit_seconds = io->used_seconds;
	row->io_waiting_tasks = io->waiting;
}

static void add_row(struct sample *sample, const struct group *group, uint64_t now_ns)
{
	const struct group_state *state = sample->state;
	bool sees_all = group_is_machine(&state->reader, group, GROUP_MEMORY);
	struct group_row *row = table_add(sample->table);

	row->path = frame_text(sample->frame, group->path);
	row->parent = group->parent ? frame_text(sample->frame, group->parent->path) : "";
	row->name = group->parent ? frame_text(sample->frame, group->name)
		    : sees_all    ? N_("all")
				  : N_("container");
	row->kind = cgroup_kind_name(group->kind);
	row->age_seconds = !group->parent ? 0
			   : group->waits ? NAN
					  : (double)(now_ns - group->read_ns) / NS_PER_SECOND;
	set_levels(row, &group->levels);
	set_limits(row, group);
	set_kills(row, group, sees_all);
	row->own_memory_bytes = group->own_levels.memory;
	row->swap_bytes = group->swap;
	if (group->old)
		return;
	set_counters(row, &group->counters);
	row->own_cpu_seconds = seconds_of(group->own.cpu_ns);
	row->cpu_stalled_seconds = group->stalled[0];
	row->memory_stalled_seconds = group->stalled[1];
	row->io_stalled_seconds = group->stalled[2];
	if (group->io)
		set_io_limit(sample, row, group->io);
}

/* Is some number of it not known, so that it is in the rest of the machine? */
static bool is_uncounted(const struct group *group, bool counts_io)
{
	return !group->waits &&
	       (group->tasks_apart || group->counters.cpu_ns == U64_UNKNOWN ||
		group->levels.memory == U64_UNKNOWN || group->levels.tasks == U64_UNKNOWN ||
		(counts_io && group->counters.read_bytes == U64_UNKNOWN));
}

static void add_rest(struct sample *sample, const struct group *top, bool counts_io)
{
	struct group_row *row = table_add(sample->table);
	const struct group *group = top->first;

	while (group && !is_uncounted(group, counts_io))
		group = group->next;

	row->path = REST;
	row->parent = "/";
	row->name = group ? N_("(not counted in groups)") : N_("(not in a group)");
	row->kind = "rest";
	row->age_seconds = 0;
	set_levels(row, &top->own_levels);
	set_counters(row, &top->own);
	row->own_cpu_seconds = row->cpu_seconds;
	row->own_memory_bytes = row->memory_bytes;
	row->memory_limit_bytes = row->tasks_limit = U64_BLANK;
	if (!counts_io)
		row->read_bytes = row->write_bytes = U64_UNKNOWN;
}

static bool has_group_in(const struct group_tree *tree, enum group_controller what)
{
	for (size_t i = 1; i < tree->n_all; i++)
		if (group_tree_hierarchy(tree, tree->all[i], what) >= 0)
			return true;
	return false;
}

static const char *not_counted(bool cpu, bool memory)
{
	if (cpu && memory)
		return _("No CPU time and memory numbers for %s: cgroup v1 without cpuacct and memory");
	return cpu ? _("No CPU time for %s: cgroup v1 without cpuacct")
		   : _("No memory numbers for %s: cgroup v1 without memory");
}

/* Of version 1: first a group with a quota, or of the scope; of the others that they have no CPU time. */
static void notice_uncounted(struct sample *sample, const struct group_tree *tree)
{
	size_t n_without = 0;

	for (size_t i = 1; i < tree->n_all; i++) {
		const struct group *group = tree->all[i];
		bool cpu = group_tree_hierarchy(tree, group, GROUP_CPUACCT) < 0;
		bool memory = group_tree_hierarchy(tree, group, GROUP_MEMORY) < 0;

		n_without += cpu;
		if ((!cpu && !memory) || (isnan(group->limits.cpus) && !group->tops_scope))
			continue;
		frame_notice(sample->frame, schema.name, N_("make the group in these hierarchies, too"),
			     not_counted(cpu, memory), group->path);
		return;
	}
	if (n_without > 0)
		frame_notice(sample->frame, schema.name, NULL,
			     P_("No CPU time for %zu group: cgroup v1 without cpuacct",
				"No CPU time for %zu groups: cgroup v1 without cpuacct", n_without),
			     n_without);
}

static void notice_missing(struct sample *sample, const struct group_state *state)
{
	notice_uncounted(sample, &state->tree);
	if (!state->reader.counts_io && has_group_in(&state->tree, GROUP_BLKIO))
		frame_notice(sample->frame, schema.name,
			     N_("use control groups of version 2, or set a limit that is never reached in "
				"blkio.throttle.read_bps_device of some group"),
			     _("this kernel counts I/O of groups (version 1) only on disks with a limit"));
	else if (!state->reader.has_pressure && has_group_in(&state->tree, GROUP_PRESSURE))
		frame_notice(sample->frame, schema.name, N_("boot with psi=1"),
			     _("this kernel does not measure the pressure of groups"));
}

/* Where the kernel killed a process, no group waits for its turn. */
static void find_kills(struct group_state *state, uint64_t now_ns)
{
	if (!state->reader.any_killed)
		return;
	for (struct group *group = state->tree.top; group; group = group_tree_next(group))
		if (group->read_ns != now_ns && !group->removed)
			group_read_kills(&state->reader, group);
}

static int sample(struct sample *sample)
{
	struct group_state *state = sample->state;
	struct group_tree *tree = &state->tree;
	uint64_t now_ns = sample->table->mono_ns;
	double seconds = state->last_ns ? (double)(now_ns - state->last_ns) / NS_PER_SECOND : 0;

	state->n_busy_before = state->n_busy;
	state->n_busy = 0;
	reader_update(&disk_reader, sample);
	state->reader.disks = state->disks;
	state->reader.now_ns = now_ns;
	group_read_machine(&state->reader);
	group_tree_look(tree, tree->top);
	group_read_all(&state->reader, tree->top);
	tree->top->read_ns = now_ns;
	for (struct group *group = group_tree_next(tree->top); group; group = group_tree_next(group))
		read_group(state, sample->request, group, now_ns, seconds);
	find_kills(state, now_ns);
	group_tree_finish(tree);
	for (size_t i = 0; i < tree->n_all; i++)
		if (tree->all[i]->old && tree->all[i]->parent) /* it did not grow by what it had */
			tree->all[i]->parent->own = GROUP_COUNTS_NOTHING;
	group_sum(tree->all, tree->n_all);
	for (size_t i = 0; i < tree->n_all; i++)
		tree->all[i]->kills.below = tree->all[i]->kills.failed_below = 0;
	for (size_t i = tree->n_all; i-- > 0;) /* each after those below it */
		count(tree->all[i], state->n_samples == 0);
	for (size_t i = 0; i < tree->n_all; i++) {
		add_row(sample, tree->all[i], now_ns);
		tree->all[i]->old = false;
	}
	add_rest(sample, tree->top, state->reader.counts_io);
	notice_missing(sample, state);
	state->last_ns = now_ns;
	state->n_samples++;
	return 0;
}

static int open_group(struct sample *sample)
{
	struct group_state *state = sample->state;
	int error = group_tree_open(&state->tree, sample->env);

	if (error)
		return error;
	state->reader.tree = &state->tree;
	state->reader.machine_kills = U64_UNKNOWN;
	return 0;
}

static void close_group(struct sample *sample)
{
	struct group_state *state = sample->state;

	group_reader_close(&state->reader);
	group_tree_close(&state->tree);
}

/* Without /proc/diskstats groups have no bytes. */
static const struct reading reads[] = { READING_ON_DEMAND(struct group_state, disks, &disk_reader), { 0 } };

const struct topic topic_group = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "control groups",
		  .gives = N_("what units, containers and pods use"),
		  .test = test_groups,
		  .remedies = { { ENODEV, N_("no hierarchy of control groups is mounted; see cgroups(7)") },
				{ ENOENT, N_("not used here (no control groups)"), .unused = true } } }),
	.reads = reads,
	.state_size = sizeof(struct group_state),
	.open = open_group,
	.sample = sample,
	.close = close_group,
};
