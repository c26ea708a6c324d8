/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins each reading with the one before: devices that come, go and lie on others, and their sum. */
#include <config.h>

#include "topic/disk/disk_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "sys/attribute.h"

/* Requests and sectors, which begin again together where a device comes back with the same name. */
#define MAINS 0x55

static void add_counters(uint64_t *sum, const uint64_t *more)
{
	for (size_t i = 0; i < DISK_COUNTERS; i++)
		sum[i] = u64_sum(sum[i], more[i]);
}

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
		add_counters(list->sum.counters, list->disks[i].ledger.grown);
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
