/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "disk": what each block device reads and writes. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/diskstats.h"
#include "topic/topic.h"

struct disk_row {
	const char *device;
	double read_bytes_per_second, write_bytes_per_second, reads_per_second, writes_per_second;
	double merged_ratio, read_wait_seconds, write_wait_seconds, queue, busy_ratio;
	uint64_t reads, writes, read_bytes, write_bytes, merges, submissions;
	double read_seconds, write_seconds, busy_seconds, queue_seconds;
};

#define RATE(field, of, per, ...)                                                                            \
	COLUMN(struct disk_row, field, .kind = COLUMN_RATE, .unit = per,                                     \
	       .rate_of = offsetof(struct disk_row, of), .source = "growth of " #of " / time", __VA_ARGS__)

/* A mean, or a share: over the growth of another counter. */
#define OVER(field, of, over, per, ...)                                                                      \
	COLUMN(struct disk_row, field, .kind = COLUMN_RATE, .unit = per,                                     \
	       .rate_of = offsetof(struct disk_row, of), .rate_over = offsetof(struct disk_row, over),       \
	       .source = "growth of " #of " / growth of " #over, __VA_ARGS__)

#define COUNT(field, measure, from, ...)                                                                     \
	COLUMN(struct disk_row, field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true,              \
	       .source = "/proc/diskstats " from, __VA_ARGS__)

static const struct column columns[] = {
	COLUMN(struct disk_row, device, .kind = COLUMN_KEY, .title = N_("device"), .width = 10,
	       .help = N_("block device without its partitions; all: those that store data themselves, "
			  "without loop, RAM, device-mapper and RAID devices"),
	       .source = "/proc/diskstats"),
	RATE(read_bytes_per_second, read_bytes, UNIT_BYTES_PER_SECOND, .title = N_("read/s"), .width = 8,
	     .help = N_("read from the device")),
	RATE(write_bytes_per_second, write_bytes, UNIT_BYTES_PER_SECOND, .title = N_("write/s"), .width = 8,
	     .help = N_("written to the device")),
	RATE(reads_per_second, reads, UNIT_PER_SECOND, .title = N_("reads/s"), .width = 8, .rank = 1,
	     .help = N_("completed read requests")),
	RATE(writes_per_second, writes, UNIT_PER_SECOND, .title = N_("writes/s"), .width = 8, .rank = 1,
	     .help = N_("completed write requests")),
	OVER(merged_ratio, merges, submissions, UNIT_RATIO, .title = N_("merge%"), .width = 6, .rank = 3,
	     .help = N_("share of the submitted requests that were merged with a neighbour")),
	OVER(read_wait_seconds, read_seconds, reads, UNIT_SECONDS, .title = N_("r wait"), .width = 8,
	     .rank = 2, .help = N_("mean time of a read request, from its submission to its completion")),
	OVER(write_wait_seconds, write_seconds, writes, UNIT_SECONDS, .title = N_("w wait"), .width = 8,
	     .rank = 2, .help = N_("mean time of a write request, from its submission to its completion")),
	RATE(queue, queue_seconds, UNIT_NONE, .title = N_("queue"), .width = 6, .rank = 2,
	     .help = N_("mean number of requests in flight")),
	RATE(busy_ratio, busy_seconds, UNIT_RATIO, .title = N_("busy%"), .width = 6,
	     .help = N_("share of the time with a request in flight; a device that serves several at once "
			"may do more at 100 %; all: the sum")),
	COUNT(reads, UNIT_COUNT, "field 4", .title = N_("reads"), .width = 8,
	      .help = N_("completed read requests since boot")),
	COUNT(writes, UNIT_COUNT, "field 8", .title = N_("writes"), .width = 8,
	      .help = N_("completed write requests since boot")),
	COUNT(read_bytes, UNIT_BYTES, "field 6 * 512", .title = N_("read"), .width = 8,
	      .help = N_("read since boot")),
	COUNT(write_bytes, UNIT_BYTES, "field 10 * 512", .title = N_("written"), .width = 8,
	      .help = N_("written since boot")),
	COUNT(merges, UNIT_COUNT, "fields 5 and 9", .title = N_("merges"), .width = 8,
	      .help = N_("requests that were merged with a neighbour since boot")),
	COUNT(submissions, UNIT_COUNT, "fields 4, 5, 8 and 9", .title = N_("submitted"), .width = 9,
	      .help = N_("completed and merged requests since boot")),
	COUNT(read_seconds, UNIT_SECONDS, "field 7", .title = N_("r time"), .width = 8,
	      .help = N_("sum of the times of read requests since boot")),
	COUNT(write_seconds, UNIT_SECONDS, "field 11", .title = N_("w time"), .width = 8,
	      .help = N_("sum of the times of write requests since boot")),
	COUNT(busy_seconds, UNIT_SECONDS, "field 13", .title = N_("busy t"), .width = 8,
	      .help = N_("time with a request in flight since boot")),
	COUNT(queue_seconds, UNIT_SECONDS, "field 14", .title = N_("queue t"), .width = 8,
	      .help = N_("the same, weighted with the number of requests")),
};

static const struct schema schema = {
	.name = "disk",
	.help = N_("block devices: data, requests, waiting"),
	.sum_row = "all",
	.row_size = sizeof(struct disk_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/diskstats",
	  .gives = N_("data and requests of block devices"),
	  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container hides them") } } },
	{ 0 },
};

static void set_counters(struct disk_row *row, const struct disk_stats *stats)
{
	const struct disk_requests *reads = &stats->reads, *writes = &stats->writes;

	row->reads = reads->completed;
	row->writes = writes->completed;
	row->read_bytes = reads->sectors * DISK_SECTOR_BYTES;
	row->write_bytes = writes->sectors * DISK_SECTOR_BYTES;
	row->merges = reads->merged + writes->merged;
	row->submissions = row->merges + row->reads + row->writes;
	row->read_seconds = (double)reads->milliseconds / 1e3;
	row->write_seconds = (double)writes->milliseconds / 1e3;
	row->busy_seconds = (double)stats->busy_ms / 1e3;
	row->queue_seconds = (double)stats->queue_ms / 1e3;
}

static void add(struct disk_stats *sum, const struct disk_stats *stats)
{
	struct disk_requests *to[] = { &sum->reads, &sum->writes };
	const struct disk_requests *from[] = { &stats->reads, &stats->writes };

	for (unsigned i = 0; i < 2; i++) {
		to[i]->completed += from[i]->completed;
		to[i]->merged += from[i]->merged;
		to[i]->sectors += from[i]->sectors;
		to[i]->milliseconds += from[i]->milliseconds;
	}
	sum->busy_ms += stats->busy_ms;
	sum->queue_ms += stats->queue_ms;
}

static int sample(struct sample *sample)
{
	struct disk_stats stats, sum = { 0 };
	struct span text, disk = { 0 };
	struct disk_row *row;
	int error = env_read(sample->env, env_file(sample->env, "proc/diskstats"), &text);

	if (error)
		return error;
	row = table_add(sample->table);
	row->device = "all";
	while (disk_stats_next(&text, &stats)) {
		if (disk_is_partition(disk, stats.name))
			continue;
		disk = stats.name;
		if (!disk_is_stacked(disk))
			add(&sum, &stats);
		if (stats.reads.completed + stats.writes.completed == 0)
			continue; /* a device that was never used, such as most loop devices */
		row = table_add(sample->table);
		row->device = arena_copy(&sample->frame->arena, disk.at, span_length(disk));
		set_counters(row, &stats);
	}
	set_counters(table_row(sample->table, 0), &sum);
	return 0;
}

const struct topic topic_disk = { .schema = &schema, .sources = sources, .sample = sample };
