/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "disk": what each block device reads and writes. */
#include <config.h>

#include <errno.h>
#include <math.h>

#include "core/i18n.h"
#include "core/unknown.h"
#include "topic/disk/disk_list.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

struct disk_row {
	const char *device, *model, *kind;
	double read_bytes_per_second, write_bytes_per_second, reads_per_second, writes_per_second;
	double merged_ratio, read_wait_seconds, write_wait_seconds, queue, busy_ratio;
	uint64_t reads, writes, read_bytes, write_bytes, merges, submissions;
	uint64_t discards, discard_bytes, flushes, block_bytes;
	double read_seconds, write_seconds, busy_seconds, queue_seconds, flush_seconds;
	double discards_per_second, discard_bytes_per_second, flushes_per_second, flush_wait_seconds;
	double read_request_bytes, write_request_bytes;
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
	COLUMN(struct disk_row, kind, .kind = COLUMN_LABEL, .title = N_("kind"), .width = 6, .rank = 4,
	       .help = N_(
		       "hdd: it has moving parts, ssd: it has none; virtio, xen: a disk of the host; dm, md: "
		       "mapped onto other devices; loop: a file; ram, zram: memory ..."),
	       .source = "its name, /sys/block/*/queue/rotational"),
	RATE(read_bytes_per_second, read_bytes, UNIT_BYTES_PER_SECOND, .title = N_("read/s"), .width = 8,
	     .help = N_("read from the device")),
	RATE(write_bytes_per_second, write_bytes, UNIT_BYTES_PER_SECOND, .title = N_("write/s"), .width = 8,
	     .help = N_("written to the device")),
	RATE(reads_per_second, reads, UNIT_PER_SECOND, .title = N_("reads/s"), .width = 8, .rank = 1,
	     .help = N_("completed read requests")),
	RATE(writes_per_second, writes, UNIT_PER_SECOND, .title = N_("writes/s"), .width = 8, .rank = 1,
	     .help = N_("completed write requests")),
	OVER(merged_ratio, merges, submissions, UNIT_RATIO, .title = N_("%merge"), .width = 6, .rank = 3,
	     .help = N_("share of the submitted requests that were merged with a neighbour")),
	OVER(read_wait_seconds, read_seconds, reads, UNIT_SECONDS, .title = N_("r wait"), .width = 8,
	     .rank = 2,
	     .help = N_("mean time of a read request, from its submission to its completion; the kernel "
			"counts their sum in ms")),
	OVER(write_wait_seconds, write_seconds, writes, UNIT_SECONDS, .title = N_("w wait"), .width = 8,
	     .rank = 2,
	     .help = N_("mean time of a write request, from its submission to its completion; the kernel "
			"counts their sum in ms")),
	RATE(queue, queue_seconds, UNIT_NONE, .title = N_("queue"), .width = 6, .rank = 2,
	     .help = N_("mean number of requests in flight")),
	RATE(busy_ratio, busy_seconds, UNIT_RATIO, .title = N_("%busy"), .width = 6, .ceiling = 1,
	     .help = N_("share of the time with a request in flight; a device that serves several at once "
			"may do more at 100 %; all: the sum")),
	OVER(read_request_bytes, read_bytes, reads, UNIT_BYTES, .title = N_("r size"), .width = 7, .rank = 4,
	     .help = N_("mean size of a read request")),
	OVER(write_request_bytes, write_bytes, writes, UNIT_BYTES, .title = N_("w size"), .width = 7,
	     .rank = 4, .help = N_("mean size of a write request")),
	RATE(discards_per_second, discards, UNIT_PER_SECOND, .title = N_("discard/s"), .width = 9, .rank = 6,
	     .hidden = true, .help = N_("completed requests that give space back (TRIM); since Linux 4.18")),
	RATE(discard_bytes_per_second, discard_bytes, UNIT_BYTES_PER_SECOND, .title = N_("trim/s"),
	     .width = 8, .rank = 6, .hidden = true, .help = N_("space given back")),
	RATE(flushes_per_second, flushes, UNIT_PER_SECOND, .title = N_("flush/s"), .width = 8, .rank = 5,
	     .hidden = true,
	     .help = N_("completed flushes of the device's own cache, as for fsync(2); since Linux 5.5")),
	OVER(flush_wait_seconds, flush_seconds, flushes, UNIT_SECONDS, .title = N_("f wait"), .width = 8,
	     .rank = 5, .hidden = true, .help = N_("mean time of a flush")),
	COLUMN(struct disk_row, model, .kind = COLUMN_LABEL, .title = N_("model"), .width = 16, .rank = 5,
	       .help = N_("model; of a loop device its file, of a mapped one its volume, of md its level"),
	       .source = "/sys/block/*/device/model, device/name, loop/backing_file, dm/name, md/level"),
	COLUMN(struct disk_row, block_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .hidden = true,
	       .title = N_("block"), .width = 7,
	       .help = N_("physical block: the smallest write that the device does without reading first"),
	       .source = "/sys/block/*/queue/physical_block_size"),
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
	COUNT(discards, UNIT_COUNT, "field 15", .title = N_("discards"), .width = 8,
	      .help = N_("completed discards since boot")),
	COUNT(discard_bytes, UNIT_BYTES, "field 17 * 512", .title = N_("trimmed"), .width = 8,
	      .help = N_("space given back since boot")),
	COUNT(flushes, UNIT_COUNT, "field 19", .title = N_("flushes"), .width = 8,
	      .help = N_("completed flushes since boot")),
	COUNT(flush_seconds, UNIT_SECONDS, "field 20", .title = N_("f time"), .width = 8,
	      .help = N_("sum of the times of flushes since boot")),
};

static const struct schema schema = {
	.name = "disk",
	.is_public = true,
	.help = N_("block devices: data, requests, waiting"),
	.sum_row = "all",
	.goes_on = true,
	.from_zero = true, /* a device without a row had no requests */
	.row_size = sizeof(struct disk_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/diskstats",
	  .gives = N_("data and requests of block devices"),
	  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container hides them") } } },
	{ 0 },
};

static double seconds(uint64_t milliseconds)
{
	return u64_number(milliseconds) / 1e3;
}

static void set_counters(struct disk_row *row, const struct disk_stats *stats)
{
	const struct disk_requests *reads = &stats->reads, *writes = &stats->writes;

	row->reads = reads->completed;
	row->writes = writes->completed;
	row->read_bytes = reads->sectors * DISK_SECTOR_BYTES;
	row->write_bytes = writes->sectors * DISK_SECTOR_BYTES;
	row->merges = reads->merged + writes->merged;
	row->submissions = row->merges + row->reads + row->writes;
	row->read_seconds = seconds(reads->milliseconds);
	row->write_seconds = seconds(writes->milliseconds);
	row->busy_seconds = seconds(stats->busy_ms);
	row->queue_seconds = seconds(stats->queue_ms);
	row->discards = stats->discards.completed;
	if (row->discards != U64_UNKNOWN)
		row->discard_bytes = stats->discards.sectors * DISK_SECTOR_BYTES;
	row->flushes = stats->flushes;
	row->flush_seconds = seconds(stats->flush_ms);
}

static const char *copied(struct frame *frame, const char *text)
{
	return text ? arena_copy(&frame->arena, text, strlen(text)) : NULL;
}

static int sample(struct sample *sample)
{
	struct disk_list *list = sample->state;
	struct disk_row *row = table_add(sample->table);

	served_mounts_tell_host(sample->env, sample->frame, schema.name, "proc/diskstats");
	row->device = "all";
	if (!list->doubtful)
		set_counters(row, &list->sum);
	for (size_t i = 0; i < list->count; i++) {
		const struct disk *disk = &list->disks[i];

		if (!disk->used)
			continue; /* such as most loop devices */
		row = table_add(sample->table);
		row->device = copied(sample->frame, disk->name);
		row->model = copied(sample->frame, disk->model);
		row->kind = disk->kind;
		row->block_bytes = disk->block_bytes;
		if (!disk->ledger.doubtful)
			set_counters(row, &disk->total);
	}
	return 0;
}

const struct topic topic_disk = {
	.schema = &schema, .sources = sources, .reads = READING_ONE(&disk_reader), .sample = sample
};
