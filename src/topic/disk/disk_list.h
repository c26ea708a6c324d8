/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The block devices, with counters that go on where the kernel's wrap. Shared by topics. */
#ifndef PANETOP_TOPIC_DISK_DISK_LIST_H
#define PANETOP_TOPIC_DISK_DISK_LIST_H

#include "core/ledger.h"
#include "kernel/mounts.h"
#include "topic/reader.h"

#define DISK_MINOR_BITS 20

struct disk {
	char *name;
	uint64_t number;         /* as the kernel has it: major << DISK_MINOR_BITS | minor */
	const char *kind;        /* "ssd", "nvme", "dm" … */
	char *model;             /* or what is behind it: a file, a volume; NULL: unknown */
	uint64_t block_bytes;    /* physical_block_size; U64_UNKNOWN */
	bool stacked;            /* other devices store its data, or memory: it is in no sum */
	bool hidden, has_paths;  /* it is a path to a disk; it is such a disk, and lies on its paths */
	bool used;               /* there was a request */
	bool described;          /* kind, model and block_bytes are read */
	struct ledger ledger;    /* of its counters */
	struct disk_stats total; /* these alone, as they go on */
	uint64_t tick;           /* when it was last in the file */
	const char *health;      /* N_(): of its row of disk_health in the tick health_tick */
	uint64_t health_tick;
};

struct disk_list {
	struct env *env; /* borrowed */
	struct disk *disks;
	size_t count, capacity;
	bool changed;           /* devices came or went */
	bool doubtful;          /* the sum lacks what one of them did: it is unknown in this tick */
	struct disk_stats sum;  /* of all that are not stacked, also of those that are gone; counters only */
};

/* Disks are without partitions, in the order of the kernel, used or not. */
extern const struct reader disk_reader;

/* The disk with this number; NULL: there is none. */
const struct disk *disk_list_find(const struct disk_list *list, uint64_t number);

/* A number from sys/block/NAME, such as "queue/rotational"; U64_UNKNOWN. */
uint64_t disk_attribute(struct env *env, const char *name, const char *attribute);

/* Does a control group count its bytes on this device, and not on one below or above it? */
bool disk_counts_for_groups(const struct disk *disk);

#endif
