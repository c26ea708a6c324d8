/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins each reading with the one before: wraps, devices that went and came back, and the sum that never
 * shrinks.
 */
#include <config.h>

#include "topic/disk/disk_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "core/wrap.h"
#include "sys/attribute.h"

#define MINOR_BITS 20

#define COUNTER(field) offsetof(struct disk_stats, field)
#define REQUESTS(field)                                                                                      \
	COUNTER(field.completed), COUNTER(field.sectors), COUNTER(field.merged), COUNTER(field.milliseconds)

static const size_t counters[] = {
	REQUESTS(reads),   REQUESTS(writes), REQUESTS(discards), COUNTER(busy_ms),
	COUNTER(queue_ms), COUNTER(flushes), COUNTER(flush_ms),
};

#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

static uint64_t counter(const struct disk_stats *stats, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)stats + counters[i], sizeof(value));
	return value;
}

static void set_counter(struct disk_stats *stats, size_t i, uint64_t value)
{
	memcpy((char *)stats + counters[i], &value, sizeof(value));
}

static void add_stats(struct disk_stats *sum, const struct disk_stats *stats)
{
	for (size_t i = 0; i < N_COUNTERS; i++) {
		uint64_t one = counter(sum, i), other = counter(stats, i);

		set_counter(sum, i, one == U64_UNKNOWN || other == U64_UNKNOWN ? U64_UNKNOWN : one + other);
	}
}

/*
 * Did the device come back with the same name? Then requests and sectors begin again together. A counter
 * that wraps does so alone: times in ms have 32 bits, the others have those of a long.
 */
static bool began_again(const struct disk_stats *before, const struct disk_stats *now)
{
	return (now->reads.completed < before->reads.completed) +
		       (now->reads.sectors < before->reads.sectors) +
		       (now->writes.completed < before->writes.completed) +
		       (now->writes.sectors < before->writes.sectors) >
	       1;
}

/* Alone, and without a wrap, as in a file that was read while it was written. */
static bool went_back(const struct disk_stats *before, const struct disk_stats *now)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (counter(now, i) < counter(before, i) && counter(before, i) != U64_UNKNOWN &&
		    !wrapped(counter(before, i), counter(now, i)))
			return true;
	return false;
}

static uint64_t counter_growth(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now + WRAP_SPAN - before;
}

static void count_up(struct disk *disk, const struct disk_stats *now)
{
	for (size_t i = 0; i < N_COUNTERS; i++) {
		uint64_t before = counter(&disk->raw, i), value = counter(now, i);

		if (before == U64_UNKNOWN || value == U64_UNKNOWN)
			set_counter(&disk->total, i, value);
		else
			set_counter(&disk->total, i,
				    counter(&disk->total, i) + counter_growth(before, value));
	}
	disk->total.in_flight = now->in_flight;
	disk->raw = *now;
	disk->raw.name = (struct span){ 0 }; /* its text goes with the tick */
	disk->total.name = (struct span){ 0 };
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

	*disk = (struct disk){ .name = alloc_zeroed(length + 1, 1),
			       .block_bytes = U64_UNKNOWN,
			       .stacked = disk_is_stacked(stats->name),
			       .raw = *stats,
			       .total = *stats };
	memcpy(disk->name, stats->name.at, length);
	return disk;
}

/* What it did stays in the sum. */
static void retire(struct disk_list *list, const struct disk *disk)
{
	if (!disk->stacked)
		add_stats(&list->gone, &disk->total);
}

/* A reading that went back is left out; where the next one is as low, it counts on from there. */
static void follow(struct disk_list *list, struct disk *disk, const struct disk_stats *stats)
{
	bool again = began_again(&disk->raw, stats), back = !again && went_back(&disk->raw, stats);

	if (again) {
		retire(list, disk);
		disk->raw = disk->total = *stats;
		disk->described = false;
	}
	if (back && disk->doubtful)
		disk->raw = *stats;
	disk->doubtful = back && !disk->doubtful;
	if (!disk->doubtful)
		count_up(disk, stats);
}

static void update_disk(struct disk_list *list, const struct disk_stats *stats, size_t *next)
{
	struct disk *disk = find(list, stats->name, next);
	uint64_t before;

	if (!disk)
		disk = add(list, stats);
	before = disk->total.reads.completed + disk->total.writes.completed;
	follow(list, disk, stats);
	list->doubtful |= disk->doubtful && !disk->stacked;
	disk->tick = list->env->tick;
	disk->number = stats->major << MINOR_BITS | stats->minor;
	disk->used = disk->total.reads.completed + disk->total.writes.completed > 0;
	/* another file may be behind a loop device */
	if (strncmp(disk->name, "loop", 4) == 0 &&
	    disk->total.reads.completed + disk->total.writes.completed != before)
		disk->described = false;
	if (disk->used && !disk->described)
		describe(disk, list->env);
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
		retire(list, &list->disks[i]);
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
	list->doubtful = false;
	while (disk_stats_next(&text, &stats)) {
		if (disk_is_partition(disk, stats.name))
			continue;
		disk = stats.name;
		update_disk(list, &stats, &next);
	}
	forget_missing(list);
	return 0;
}

const struct disk *disk_list_find(const struct disk_list *list, uint64_t number)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->disks[i].number == number)
			return &list->disks[i];
	return NULL;
}

struct disk_stats disk_list_sum(const struct disk_list *list)
{
	struct disk_stats sum = list->gone;

	for (size_t i = 0; i < list->count; i++)
		if (!list->disks[i].stacked)
			add_stats(&sum, &list->disks[i].total);
	return sum;
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
};
