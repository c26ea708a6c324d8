/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The block devices, with counters that go on where the kernel's wrap. Shared by topics. */
#ifndef PANETOP_TOPIC_DISK_DISK_LIST_H
#define PANETOP_TOPIC_DISK_DISK_LIST_H

#include "kernel/diskstats.h"
#include "topic/reader.h"

struct disk {
	char *name;
	uint64_t number;         /* as the kernel has it: its major number in the upper 12 of 32 bits */
	const char *kind;        /* "ssd", "nvme", "dm" … */
	char *model;             /* or what is behind it: a file, a volume; NULL: unknown */
	uint64_t block_bytes;    /* physical_block_size; U64_UNKNOWN */
	bool stacked;            /* other devices store its data, or memory */
	bool used;               /* there was a request */
	bool doubtful;           /* this reading went back: raw and total are those of the last one */
	bool described;          /* kind, model and block_bytes are read */
	struct disk_stats raw;   /* as read last; without name */
	struct disk_stats total; /* the same, not wrapped */
	uint64_t tick;           /* when it was last in the file */
};

struct disk_list {
	struct env *env; /* borrowed */
	struct disk *disks;
	size_t count, capacity;
	bool doubtful;          /* so is the sum */
	struct disk_stats gone; /* of devices that were removed, and that are no stacked ones */
};

/* Disks are without partitions, in the order of the kernel, used or not. */
extern const struct reader disk_reader;

/* The disk with this number; NULL: there is none. */
const struct disk *disk_list_find(const struct disk_list *list, uint64_t number);

/* A number from sys/block/NAME, such as "queue/rotational"; U64_UNKNOWN. */
uint64_t disk_attribute(struct env *env, const char *name, const char *attribute);

/* What all devices did that store data themselves, also those that are gone. */
struct disk_stats disk_list_sum(const struct disk_list *list);

#endif
