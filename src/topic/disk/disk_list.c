/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "disk": what each block device reads and writes. Joins each reading with the one before: devices
 * that come, go and lie on others, and their sum.
 */
#include <config.h>

#include "topic/disk/disk_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

/* Requests and sectors, which begin again together where a device comes back with the same name. */
#define MAINS 0x55

static const char *kind_of_name(struct span name)
{
	static const struct {
		const char *prefix, *kind;
	} kinds[] = {
		{ "nvme", "nvme" },  { "vd", "virtio" },     { "xvd", "xen" },   { "loop", "loop" },
		{ "dm-", "dm" },     { "md", "md" },         { "zram", "zram" }, { "ram", "ram" },
		{ "mmcblk", "mmc" }, { "nbd", "nbd" },       { "rbd", "rbd" },   { "sr", "optical" },
		{ "drbd", "drbd" },  { "bcache", "bcache" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (span_starts(name, kinds[i].prefix))
			return kinds[i].kind;
	return NULL;
}

#define PLACE "sys/block/"

/* In sysfs '!' stands for the '/' of names such as "cciss/c0d0". */
static void attribute_path(char *path, size_t room, const char *name, const char *attribute)
{
	snprintf(path, room, PLACE "%.128s", name);
	for (char *at = path + strlen(PLACE); *at; at++)
		if (*at == '/')
			*at = '!';
	snprintf(path + strlen(path), room - strlen(path), "/%s", attribute);
}

uint64_t disk_attribute(struct env *env, const char *name, const char *attribute)
{
	uint64_t value = U64_UNKNOWN;
	char path[256];

	attribute_path(path, sizeof(path), name, attribute);
	attribute_once_u64(env, path, &value);
	return value;
}

static char *text_of(struct env *env, const char *name, const char *attribute)
{
	char path[256], text[ATTRIBUTE_TEXT_MAX];
	long length;

	attribute_path(path, sizeof(path), name, attribute);
	length = attribute_once(env, path, text, sizeof(text));
	while (length > 0 && text[length - 1] == ' ')
		text[--length] = '\0';
	return length > 0 ? alloc_text(text) : NULL;
}

static char *find_model(struct env *env, const char *name)
{
	static const char *const attributes[] = { "device/model", "device/name", "loop/backing_file",
						  "dm/name", "md/level" };
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(attributes) / sizeof(attributes[0]); i++)
		found = text_of(env, name, attributes[i]);
	return found;
}

static void describe(struct disk *disk, struct env *env)
{
	uint64_t rotates = disk_attribute(env, disk->name, "queue/rotational");

	disk->kind = kind_of_name(span_text(disk->name));
	if (!disk->kind)
		disk->kind = rotates == 0 ? "ssd" : rotates == 1 ? "hdd" : NULL;
	disk->block_bytes = disk_attribute(env, disk->name, "queue/physical_block_size");
	free(disk->model);
	disk->model = find_model(env, disk->name);
	disk->described = true;
}

static struct disk *find(struct disk_list *list, struct span name, size_t *next)
{
	for (size_t i = 0; i < list->count; i++) {
		struct disk *disk = &list->disks[(*next + i) % list->count];

		if (span_is(name, disk->name)) {
			*next = (size_t)(disk - list->disks) + 1;
			return disk;
		}
	}
	return NULL;
}

static struct disk *add(struct disk_list *list, const struct disk_stats *stats)
{
	struct disk *disk = VECTOR_ADD(list->disks, list->count, list->capacity);
	size_t length = span_length(stats->name);

	*disk = (struct disk){ .name = alloc_zeroed(length + 1, 1), .block_bytes = U64_UNKNOWN };
	memcpy(disk->name, stats->name.at, length);
	ledger_open(&disk->ledger, stats->counters, DISK_COUNTERS);
	/* all of it: it was not in the file before */
	memcpy(disk->ledger.grown, disk->ledger.total, sizeof(disk->ledger.grown));
	return disk;
}

static uint64_t requests(const struct disk *disk)
{
	return disk->total.reads.completed + disk->total.writes.completed;
}

static void update_disk(struct disk_list *list, const struct disk_stats *stats, size_t *next)
{
	struct disk *disk = find(list, stats->name, next);
	uint64_t before = disk ? requests(disk) : 0;

	if (disk)
		ledger_read(&disk->ledger, stats->counters, DISK_COUNTERS, MAINS);
	else
		disk = add(list, stats);
	list->changed |= disk->tick == 0;
	memcpy(disk->total.counters, disk->ledger.total, sizeof(disk->total.counters));
	disk->tick = list->env->tick;
	disk->number = stats->major << DISK_MINOR_BITS | stats->minor;
	disk->used = requests(disk) > 0;
	/* another file may be behind a loop device */
	if (disk->ledger.again || (strncmp(disk->name, "loop", 4) == 0 && requests(disk) != before))
		disk->described = false;
	if (disk->used && !disk->described)
		describe(disk, list->env);
}

static void note_slave(void *context, const char *name)
{
	(void)name;
	*(bool *)context = true;
}

/* Where the kernel names nothing below it, its name says what it is: a file, memory, a pool. */
static bool lies_on_others(struct disk_list *list, const struct disk *disk)
{
	bool has_slaves = false;
	char path[256];

	attribute_path(path, sizeof(path), disk->name, "slaves");
	listing_each_directory(list->env, path, note_slave, &has_slaves);
	return has_slaves || disk_is_stacked(span_text(disk->name));
}

/*
 * A disk with several paths has a hidden one for each of them, which counts the requests; before Linux 6.5
 * the disk itself counts none. Control groups know the disk only.
 */
static void find_stacked(struct disk_list *list)
{
	char head[DISK_HEAD_MAX];

	for (size_t i = 0; i < list->count; i++)
		list->disks[i].stacked = list->disks[i].has_paths = false;
	for (size_t i = 0; i < list->count; i++) {
		struct disk *disk = &list->disks[i], *above = NULL;
		uint64_t hidden = disk_attribute(list->env, disk->name, "hidden");
		bool is_path = hidden != 0 && disk_path_head(span_text(disk->name), head);
		size_t next = 0;

		if (is_path)
			above = find(list, span_text(head), &next);
		if (above)
			above->stacked = above->has_paths = true;
		disk->hidden = above || hidden == 1;
		disk->stacked |= (hidden == 1 && !is_path) || lies_on_others(list, disk);
	}
}

bool disk_counts_for_groups(const struct disk *disk)
{
	return disk->has_paths || !(disk->stacked || disk->hidden);
}

static void free_disk(struct disk *disk)
{
	free(disk->name);
	free(disk->model);
}

static void forget_missing(struct disk_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->disks[i].tick == list->env->tick) {
			list->disks[count++] = list->disks[i];
			continue;
		}
		list->changed = true;
		free_disk(&list->disks[i]);
	}
	list->count = count;
}

static int update(struct disk_list *list)
{
	struct disk_stats stats;
	struct span text, disk = { 0 };
	size_t next = 0;
	int error = env_read(list->env, env_file(list->env, "proc/diskstats"), &text);

	if (error)
		return error;
	list->changed = list->doubtful = false;
	while (disk_stats_next(&text, &stats)) {
		if (disk_is_partition(disk, stats.name))
			continue;
		disk = stats.name;
		update_disk(list, &stats, &next);
	}
	forget_missing(list);
	if (list->changed)
		find_stacked(list);
	for (size_t i = 0; i < list->count; i++) {
		if (list->disks[i].stacked)
			continue;
		for (size_t k = 0; k < DISK_COUNTERS; k++)
			list->sum.counters[k] =
				u64_sum(list->sum.counters[k], list->disks[i].ledger.grown[k]);
		list->doubtful |= list->disks[i].ledger.doubtful;
	}
	return 0;
}

const struct disk *disk_list_find(const struct disk_list *list, uint64_t number)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->disks[i].number == number)
			return &list->disks[i];
	return NULL;
}

static int open_list(void *state, const struct sample *sample)
{
	struct disk_list *list = state;

	list->env = sample->env;
	return 0;
}

static int update_list(void *state, const struct sample *sample)
{
	(void)sample;
	return update(state);
}

static void close_list(void *state)
{
	struct disk_list *list = state;

	for (size_t i = 0; i < list->count; i++)
		free_disk(&list->disks[i]);
	free(list->disks);
}

const struct reader disk_reader = {
	.name = "block devices",
	.state_size = sizeof(struct disk_list),
	.open = open_list,
	.update = update_list,
	.close = close_list,
	.source = "proc/diskstats",
	.stays = true,
};

struct disk_row {
	const char *device, *model, *kind, *health;
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
#define OVER(field, of, over, per, heading, cells, ...)                                                      \
	COLUMN(struct disk_row, field, .kind = COLUMN_RATE, .unit = per,                                     \
	       .rate_of = offsetof(struct disk_row, of), .rate_over = offsetof(struct disk_row, over),       \
	       .source = "growth of " #of " / growth of " #over, .title = heading, .width = cells,           \
	       .help = __VA_ARGS__)

#define COUNT(field, measure, from, heading, cells, ...)                                                     \
	COLUMN(struct disk_row, field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true,              \
	       .source = "/proc/diskstats " from, .title = heading, .width = cells, .help = __VA_ARGS__)

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
	OVER(merged_ratio, merges, submissions, UNIT_RATIO, N_("%merge"), 6,
	     N_("share of the submitted requests that were merged with a neighbour"), .rank = 3),
	OVER(read_wait_seconds, read_seconds, reads, UNIT_SECONDS, N_("r wait"), 8,
	     N_("mean time of a read request, from its submission to its completion; the kernel counts "
		"their sum in ms"), .rank = 2),
	OVER(write_wait_seconds, write_seconds, writes, UNIT_SECONDS, N_("w wait"), 8,
	     N_("mean time of a write request, from its submission to its completion; the kernel counts "
		"their sum in ms"), .rank = 2),
	RATE(queue, queue_seconds, UNIT_NONE, .title = N_("queue"), .width = 6, .rank = 2,
	     .help = N_("mean number of requests in flight")),
	RATE(busy_ratio, busy_seconds, UNIT_RATIO, .title = N_("%busy"), .width = 6, .ceiling = 1,
	     .help = N_("share of the time with a request in flight; a device that serves several at once "
			"may do more at 100 %; Linux 5.0 to 6.9 count too much for short requests; all: the "
			"sum")),
	COLUMN(struct disk_row, health, .kind = COLUMN_LABEL, .words = true, .title = N_("health"),
	       .width = 7, .rank = 3, .optional = true,
	       .help = N_("good, worn, failing or unknown, where the topic disk_health is shown or recorded"),
	       .source = "disk_health state"),
	OVER(read_request_bytes, read_bytes, reads, UNIT_BYTES, N_("r size"), 7,
	     N_("mean size of a read request"), .rank = 4),
	OVER(write_request_bytes, write_bytes, writes, UNIT_BYTES, N_("w size"), 7,
	     N_("mean size of a write request"), .rank = 4),
	RATE(discards_per_second, discards, UNIT_PER_SECOND, .title = N_("discard/s"), .width = 9, .rank = 6,
	     .hidden = true, .help = N_("completed requests that give space back (TRIM); since Linux 4.18")),
	RATE(discard_bytes_per_second, discard_bytes, UNIT_BYTES_PER_SECOND, .title = N_("trim/s"),
	     .width = 8, .rank = 6, .hidden = true, .help = N_("space given back")),
	RATE(flushes_per_second, flushes, UNIT_PER_SECOND, .title = N_("flush/s"), .width = 8, .rank = 5,
	     .hidden = true,
	     .help = N_("completed flushes of the device's own cache, as for fsync(2); since Linux 5.5")),
	OVER(flush_wait_seconds, flush_seconds, flushes, UNIT_SECONDS, N_("f wait"), 8,
	     N_("mean time of a flush"), .rank = 5, .hidden = true),
	COLUMN(struct disk_row, model, .kind = COLUMN_LABEL, .title = N_("model"), .width = 16, .rank = 5,
	       .help = N_("model; of a loop device its file, of a mapped one its volume, of md its level"),
	       .source = "/sys/block/*/device/model, device/name, loop/backing_file, dm/name, md/level"),
	COLUMN(struct disk_row, block_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .hidden = true,
	       .title = N_("block"), .width = 7,
	       .help = N_("physical block: the smallest write that the device does without reading first"),
	       .source = "/sys/block/*/queue/physical_block_size"),
	COUNT(reads, UNIT_COUNT, "field 4", N_("reads"), 8, N_("completed read requests since boot")),
	COUNT(writes, UNIT_COUNT, "field 8", N_("writes"), 8, N_("completed write requests since boot")),
	COUNT(read_bytes, UNIT_BYTES, "field 6 * 512", N_("read"), 8, N_("read since boot")),
	COUNT(write_bytes, UNIT_BYTES, "field 10 * 512", N_("written"), 8, N_("written since boot")),
	COUNT(merges, UNIT_COUNT, "fields 5 and 9", N_("merges"), 8,
	      N_("requests that were merged with a neighbour since boot")),
	COUNT(submissions, UNIT_COUNT, "fields 4, 5, 8 and 9", N_("submitted"), 9,
	      N_("completed and merged requests since boot")),
	COUNT(read_seconds, UNIT_SECONDS, "field 7", N_("r time"), 8,
	      N_("sum of the times of read requests since boot")),
	COUNT(write_seconds, UNIT_SECONDS, "field 11", N_("w time"), 8,
	      N_("sum of the times of write requests since boot")),
	COUNT(busy_seconds, UNIT_SECONDS, "field 13", N_("busy t"), 8,
	      N_("time with a request in flight since boot")),
	COUNT(queue_seconds, UNIT_SECONDS, "field 14", N_("queue t"), 8,
	      N_("the same, weighted with the number of requests")),
	COUNT(discards, UNIT_COUNT, "field 15", N_("discards"), 8, N_("completed discards since boot")),
	COUNT(discard_bytes, UNIT_BYTES, "field 17 * 512", N_("trimmed"), 8,
	      N_("space given back since boot")),
	COUNT(flushes, UNIT_COUNT, "field 19", N_("flushes"), 8, N_("completed flushes since boot")),
	COUNT(flush_seconds, UNIT_SECONDS, "field 20", N_("f time"), 8,
	      N_("sum of the times of flushes since boot")),
};

static const struct schema schema = {
	.name = "disk",
	.is_public = true,
	.help = N_("block devices: data, requests, waiting"),
	.sum_row = "all",
	.goes_on = true,
	.from_zero = true, /* a device without a row had no requests */
	SCHEMA_ROWS(struct disk_row, columns),
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
		row->device = frame_text(sample->frame, disk->name);
		row->model = frame_text(sample->frame, disk->model);
		row->kind = disk->kind;
		row->health = disk->health_tick == list->env->tick ? disk->health : NULL;
		row->block_bytes = disk->block_bytes;
		if (!disk->ledger.doubtful)
			set_counters(row, &disk->total);
	}
	return 0;
}

const struct topic topic_disk = {
	.schema = &schema, .sources = sources, .reads = READING_ONE(&disk_reader), .sample = sample
};
