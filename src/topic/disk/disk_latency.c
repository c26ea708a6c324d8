/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "disk_latency" and "disk_latency_bucket": how long requests wait to be sent, and for the device. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "core/histogram.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "topic/disk/disk_list.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

/* Room for the kinds of requests of each disk, and of disks that come. */
#define OPERATIONS_OF_DISK 4
#define DISKS_MORE 12

enum phase {
	PHASE_QUEUED = BPF_PHASE_FIRST,
	PHASE_DEVICE = BPF_PHASE_SECOND,
	N_PHASES = N_BPF_PHASES,
	PHASE_BOTH = N_PHASES,
};

#define REQUEST                                                                                              \
	{                                                                                                    \
		.is = BPF_PART_ARGUMENT, .bytes = 8                                                          \
	}

/* The low byte of cmd_flags: enum req_op of linux/blk_types.h. */
#define OPERATION_SHIFT 32

enum { STOP, START };

/*
 * A request that the kernel itself times (QUEUE_FLAG_STATS) knows when it was sent to the device; not where
 * the kernel reads the clock once for all requests that it plugs, since Linux 6.9. START is for all others.
 */
static const struct bpf_program programs[] = {
	[STOP] = { .name = N_("time of disk requests"),
		   .tracepoint = "block_rq_complete",
		   .does = &bpf_stop_phases,
		   .typed = true,
		   .begun = REQUEST,
		   .value = { .is = BPF_PART_MEMBER, .name = "request.start_time_ns" },
		   .middle = { .is = BPF_PART_MEMBER,
			       .name = "request.io_start_time_ns",
			       .absent_with = "blk_plug.cur_ktime" },
		   .done = { .is = BPF_PART_ARGUMENT, .argument = 2, .bytes = 4 },
		   .whole = { .is = BPF_PART_MEMBER, .name = "request.__data_len" },
		   .keys = { { .is = BPF_PART_MEMBER, .name = "request.q.disk.part0.bd_dev" },
			     { .is = BPF_PART_MEMBER,
			       .name = "request.cmd_flags",
			       .bytes = 1,
			       .joins = true,
			       .shift = OPERATION_SHIFT } },
		   .n_keys = 2 },
	[START] = { .name = N_("start of disk requests"),
		    .tracepoint = "block_rq_issue",
		    .does = &bpf_start_phases,
		    .typed = true,
		    .keys = { REQUEST },
		    .n_keys = 1 },
};

const struct trace_plan trace_plan_disk_latency = {
	.topic = "disk_latency",
	TRACE_PROGRAMS(programs),
	.n_words = 1,
	.slots = true,
};

/* Requests of one kind, since counting began. */
struct times {
	uint64_t disk, operation;
	struct histogram *phases; /* owned; N_PHASES */
};

/* Shared by the two topics. */
struct disk_times {
	struct env *env;
	struct disk_list *disks;
	struct trace_plan plan; /* with room for the disks that there are */
	struct trace_set trace;
	bool opened, counted;
	bool starts; /* some disk needs it */
	struct times *all; /* owned */
	size_t n_all, capacity;
};

static int compare(const void *one, const void *other)
{
	const struct times *a = one, *b = other;

	return a->disk != b->disk             ? (a->disk > b->disk ? 1 : -1)
	       : a->operation != b->operation ? (a->operation > b->operation ? 1 : -1)
					      : 0;
}

static struct times *times_of(struct disk_times *times, uint64_t disk, uint64_t operation)
{
	struct times *added;

	for (size_t i = 0; i < times->n_all; i++)
		if (times->all[i].disk == disk && times->all[i].operation == operation)
			return &times->all[i];
	added = VECTOR_ADD(times->all, times->n_all, times->capacity);
	*added = (struct times){ .disk = disk,
				 .operation = operation,
				 .phases = alloc_zeroed(N_PHASES, sizeof(struct histogram)) };
	return added;
}

static void take_phase(struct times *times, const struct bpf_phases *counted, enum phase phase)
{
	struct histogram *histogram = &times->phases[phase];

	histogram_clear(histogram, 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram->buckets[i] = counted->buckets[phase][i];
		histogram->count += counted->buckets[phase][i];
	}
	histogram->sum_ns = counted->sum[phase];
	histogram->max_ns = counted->most[phase];
}

static void take_entries(struct disk_times *times)
{
	size_t n_before = times->n_all;

	for (size_t i = 0; i < times->trace.n_entries; i++) {
		uint64_t key = *trace_key(&times->trace, i);
		const struct bpf_phases *counted = trace_phases(&times->trace, i);

		for (enum phase phase = PHASE_QUEUED; counted && phase < N_PHASES; phase++)
			take_phase(times_of(times, (uint32_t)key, key >> OPERATION_SHIFT), counted, phase);
	}
	if (times->n_all != n_before)
		qsort(times->all, times->n_all, sizeof(times->all[0]), compare);
}

/* It does while the kernel throttles writes. A device without requests takes none. */
static bool times_itself(struct env *env, const struct disk *disk)
{
	uint64_t aim = disk_attribute(env, disk->name, "queue/wbt_lat_usec");

	return (aim != U64_UNKNOWN && aim > 0) ||
	       disk_attribute(env, disk->name, "queue/nr_requests") == U64_UNKNOWN;
}

static void start_where_needed(struct disk_times *times)
{
	times->starts = times->trace.lacks;
	for (size_t i = 0; !times->starts && i < times->disks->count; i++)
		times->starts =
			times->disks->disks[i].used && !times_itself(times->env, &times->disks->disks[i]);
	if (times->starts)
		trace_add(&times->trace, &programs[START]);
}

static int update(void *state, const struct sample *sample)
{
	struct disk_times *times = state;

	times->env = sample->env;
	if (!times->opened) {
		times->opened = true;
		times->plan = trace_plan_disk_latency;
		times->plan.n_programs = START; /* which is added where some disk needs it */
		times->plan.n_entries_max = (unsigned)(times->disks->count + DISKS_MORE) * OPERATIONS_OF_DISK;
		trace_open(&times->trace, sample->env, sample->request, &times->plan);
	}
	if (!times->starts && !times->trace.error)
		start_where_needed(times);
	times->counted = trace_read(&times->trace);
	if (times->counted)
		take_entries(times);
	return 0;
}

static void close_times(void *state)
{
	struct disk_times *times = state;

	trace_close(&times->trace);
	for (size_t i = 0; i < times->n_all; i++)
		free(times->all[i].phases);
	free(times->all);
}

static const struct reader times_reader = {
	.name = "latencies of block devices",
	.state_size = sizeof(struct disk_times),
	.reads = READINGS(READING(struct disk_times, disks, &disk_reader)),
	.update = update,
	.close = close_times,
};

struct disk_latency_row {
	const char *device, *operation, *phase, *how;
	uint64_t requests;
	double seconds, requests_per_second, mean_seconds;
	double p50_seconds, p90_seconds, p99_seconds, p99_9_seconds, max_seconds;
};

#define ROW(field, ...) COLUMN(struct disk_latency_row, field, __VA_ARGS__)

#define PERCENTILE(field, number, column_rank)                                                               \
	ROW(field##_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = number, .width = 7,        \
	    .rank = (column_rank), /* xgettext:no-c-format */                                                \
	    .help = N_("time that this percentage of the requests did not exceed since counting began "      \
		       "(rounded up by at most 1 %)"),                                                       \
	    .source = "disk_latency_bucket, upper end of the bucket that reaches this percentage")

#define DEVICE_HELP N_("block device without its partitions")
#define OPERATION_HELP N_("read, write, discard (TRIM), flush of its cache, or other")
#define PHASE_HELP                                                                                           \
	N_("queued: in the kernel, until the request is sent to the device; device: until it is completed; " \
	   "both: where only their sum is known")

#define LATENCY_COL(field, ...) COLUMN_OF(struct disk_latency_row, field, __VA_ARGS__)

static const struct column columns[] = {
	LATENCY_COL(device, KEY, NONE, N_("device"), 10, DEVICE_HELP, "/proc/diskstats"),
	LATENCY_COL(operation, KEY, NONE, N_("operation"), 9, OPERATION_HELP, "struct request cmd_flags",
		    .words = true),
	LATENCY_COL(phase, KEY, NONE, N_("phase"), 6, PHASE_HELP,
		    "struct request start_time_ns, io_start_time_ns or block_rq_issue, block_rq_complete",
		    .words = true),
	LATENCY_COL(requests_per_second, RATE, PER_SECOND, N_("per s"), 7,
		    N_("requests in the last interval"), "growth of requests / time",
		    .rate_of = offsetof(struct disk_latency_row, requests)),
	LATENCY_COL(mean_seconds, RATE, SECONDS, N_("mean"), 7, N_("mean time in the last interval"),
		    "growth of seconds / growth of requests", .rank = 1,
		    .rate_of = offsetof(struct disk_latency_row, seconds),
		    .rate_over = offsetof(struct disk_latency_row, requests)),
	PERCENTILE(p50, "50%", 0),
	PERCENTILE(p90, "90%", 3),
	PERCENTILE(p99, "99%", 0),
	PERCENTILE(p99_9, "99.9%", 2),
	LATENCY_COL(max_seconds, GAUGE, SECONDS, N_("max"), 7, N_("longest time since counting began"),
		    "exact", .rank = 1),
	LATENCY_COL(requests, COUNTER, COUNT, N_("requests"), 9, N_("requests since counting began"),
		    "BPF at block_rq_complete; else /proc/diskstats", .rank = 1),
	LATENCY_COL(seconds, COUNTER, SECONDS, N_("sum"), 8, N_("sum of their times"),
		    "BPF at block_rq_complete; else /proc/diskstats", .hidden = true),
	LATENCY_COL(how, LABEL, NONE, N_("how"), 4,
		    N_("bpf: each request is measured in the kernel; proc: means of /proc/diskstats, since "
		       "boot, without percentiles"), "panetop", .rank = 4),
};

static const struct schema schema = {
	.name = "disk_latency",
	.is_public = true,
	.help = N_("how long disk requests take, by device, operation and phase"),
	.none = N_("no request was completed"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct disk_latency_row, columns),
};

static const struct source_spec sources[] = {
	TRACE_GIVES(N_("percentiles of the time of disk requests"), TRACE_REMEDIES,
		    { ENODATA, N_("this kernel has other structures of block devices: Linux 5.15 or newer "
				  "has these") }),
	{ .path = "proc/diskstats",
	  .gives = N_("mean times of disk requests"),
	  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container hides them") } } },
	{ 0 },
};

static const char *operation_name(uint64_t operation)
{
	static const char *const names[] = { N_("read"), N_("write"), N_("flush"), N_("discard") };

	return operation < sizeof(names) / sizeof(names[0]) ? names[operation] : N_("other");
}

static const char *phase_name(uint64_t phase)
{
	static const char *const names[] = { N_("queued"), N_("device"), N_("both") };

	return names[phase < PHASE_BOTH ? phase : PHASE_BOTH];
}

static const char *device_name(const struct disk_times *times, struct frame *frame, uint64_t number)
{
	const struct disk *disk = disk_list_find(times->disks, number);

	return disk ? frame_text(frame, disk->name) : NULL;
}

static double percentile(const struct histogram *histogram, double percent)
{
	return histogram_percentile(histogram, percent) / 1e9;
}

static void add_counted(struct sample *sample, const struct disk_times *times, const struct times *one,
			enum phase phase)
{
	const struct histogram *histogram = &one->phases[phase];
	const char *device = device_name(times, sample->frame, one->disk);
	struct disk_latency_row *row;

	if (!device || histogram->count == 0)
		return;
	row = table_add(sample->table);
	row->device = device;
	row->operation = operation_name(one->operation);
	row->phase = phase_name(phase);
	row->requests = histogram->count;
	row->seconds = (double)histogram->sum_ns / 1e9;
	row->p50_seconds = percentile(histogram, 50);
	row->p90_seconds = percentile(histogram, 90);
	row->p99_seconds = percentile(histogram, 99);
	row->p99_9_seconds = percentile(histogram, 99.9);
	row->max_seconds = (double)histogram->max_ns / 1e9;
	row->how = "bpf";
}

static void add_mean(struct sample *sample, const struct disk *disk, const char *operation, uint64_t requests,
		     uint64_t milliseconds)
{
	struct disk_latency_row *row;

	if (requests == 0 || requests == U64_UNKNOWN)
		return;
	row = table_add(sample->table);
	row->device = frame_text(sample->frame, disk->name);
	row->operation = operation;
	row->phase = phase_name(PHASE_BOTH);
	row->requests = requests;
	row->seconds = u64_number(milliseconds) / 1e3;
	row->how = "proc";
}

static void add_means(struct sample *sample, const struct disk *disk)
{
	const struct disk_stats *stats = &disk->total;

	add_mean(sample, disk, N_("read"), stats->reads.completed, stats->reads.milliseconds);
	add_mean(sample, disk, N_("write"), stats->writes.completed, stats->writes.milliseconds);
	add_mean(sample, disk, N_("flush"), stats->flushes, stats->flush_ms);
	add_mean(sample, disk, N_("discard"), stats->discards.completed, stats->discards.milliseconds);
}

static int sample_latency(struct sample *sample)
{
	struct disk_times *times = sample->state;

	trace_notice(&times->trace, sample->frame, _("only mean times of requests are known"));
	for (size_t i = 0; times->counted && i < times->n_all; i++)
		for (enum phase phase = PHASE_QUEUED; phase < N_PHASES; phase++)
			add_counted(sample, times, &times->all[i], phase);
	for (size_t i = 0; !times->counted && i < times->disks->count; i++)
		if (times->disks->disks[i].used)
			add_means(sample, &times->disks->disks[i]);
	return 0;
}

const struct topic topic_disk_latency = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.reads = READING_ONE(&times_reader),
	.sample = sample_latency,
};

struct bucket_row {
	const char *device, *operation, *phase;
	double from_seconds, to_seconds, requests_per_second;
	uint64_t requests;
};

#define BUCKET_COL(field, ...) COLUMN_OF(struct bucket_row, field, __VA_ARGS__)

static const struct column bucket_columns[] = {
	BUCKET_COL(device, KEY, NONE, N_("device"), 10, DEVICE_HELP, "/proc/diskstats"),
	BUCKET_COL(operation, KEY, NONE, N_("operation"), 9, OPERATION_HELP, "struct request cmd_flags",
		   .words = true),
	BUCKET_COL(phase, KEY, NONE, N_("phase"), 6, PHASE_HELP,
		   "struct request start_time_ns, io_start_time_ns or block_rq_issue, block_rq_complete",
		   .words = true),
	BUCKET_COL(from_seconds, KEY, SECONDS, N_("from"), 9, N_("lower limit of the bucket"), "panetop"),
	BUCKET_COL(to_seconds, BOUND, SECONDS, N_("to"), 9, N_("upper limit, exclusive; -: no limit"),
		   "panetop; less than 1 % wide"),
	BUCKET_COL(requests, COUNTER, COUNT, N_("requests"), 9, N_("requests that took this long"),
		   "BPF at block_rq_complete"),
	BUCKET_COL(requests_per_second, RATE, PER_SECOND, N_("per s"), 7,
		   N_("requests in the last interval that took this long"), "growth of requests / time",
		   .rate_of = offsetof(struct bucket_row, requests)),
};

static const struct schema bucket_schema = {
	.name = "disk_latency_bucket",
	.is_public = true,
	.help = N_("histograms of the time of disk requests"),
	.none = N_("nothing is measured, or no request was completed"),
	.shape = SHAPE_HISTOGRAM,
	.from_zero = true,
	.of_run = true,
	.sparse = true,
	.histogram = "disk_request",
	SCHEMA_ROWS(struct bucket_row, bucket_columns),
};

static void add_buckets(struct sample *sample, const struct disk_times *times, const struct times *one,
			enum phase phase)
{
	const struct histogram *histogram = &one->phases[phase];
	const char *device = device_name(times, sample->frame, one->disk);

	for (unsigned i = 0; device && i < HISTOGRAM_BUCKETS; i++) {
		struct bucket_row *row;

		if (histogram->buckets[i] == 0)
			continue;
		row = table_add(sample->table);
		row->device = device;
		row->operation = operation_name(one->operation);
		row->phase = phase_name(phase);
		row->from_seconds = (double)histogram_from_ns(0, i) / 1e9;
		if (i + 1 < HISTOGRAM_BUCKETS)
			row->to_seconds = (double)histogram_to_ns(0, i) / 1e9;
		row->requests = histogram->buckets[i];
	}
}

static int sample_buckets(struct sample *sample)
{
	struct disk_times *times = sample->state;

	for (size_t i = 0; times->counted && i < times->n_all; i++)
		for (enum phase phase = PHASE_QUEUED; phase < N_PHASES; phase++)
			add_buckets(sample, times, &times->all[i], phase);
	return 0;
}

const struct topic topic_disk_latency_bucket = {
	.schema = &bucket_schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.reads = READING_ONE(&times_reader),
	.sample = sample_buckets,
};
