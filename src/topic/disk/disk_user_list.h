/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes read from block devices and write to them, counted in the kernel where it is submitted. */
#ifndef PANETOP_TOPIC_DISK_DISK_USER_LIST_H
#define PANETOP_TOPIC_DISK_DISK_USER_LIST_H

#include "core/hash.h"
#include "model/settings.h"
#include "sys/env.h"
#include "topic/disk/disk_list.h"
#include "topic/process/process_list.h"
#include "topic/trace/trace.h"

/* What is submitted, and what diskstats count it as: reads, writes, and blocks of zeros, which are writes. */
enum disk_work { DISK_READS, DISK_WRITES, DISK_ZEROES, N_DISK_WORKS };

enum disk_user_kind {
	DISK_USER_UNKNOWN, /* it ended before it was seen */
	DISK_USER_PROGRAM,
	DISK_USER_WORKER, /* of the kernel: what it writes is written back, of pages that no process is known
			     of */
	DISK_USER_KERNEL, /* another thread of it, such as a journal's */
};

struct disk_bytes {
	uint64_t bytes[N_DISK_WORKS], requests[N_DISK_WORKS];
};

/* A process and a device, since counting began; a later process with its pid goes on in it. */
struct disk_user {
	uint32_t pid;
	uint64_t disk; /* its number */
	uint64_t tick; /* the last one in which it grew */
	enum disk_user_kind kind;
	uint64_t start_ticks;                    /* of the process; 0: not known yet */
	char *name, *command;                    /* owned; NULL: not known yet */
	struct disk_bytes counted, before, base; /* before: a tick ago; base: of processes that had its pid */
};

/* What was done with a device; since counting began. */
struct disk_work_done {
	uint64_t disk;
	uint64_t programs[2]; /* bytes read and written */
	struct {
		uint64_t read, written, requests;
	} workers;
};

/* Processes that ended: what they made dirty is written later. */
#define DISK_ENDED_MAX 256
struct disk_ended {
	uint32_t pid;
	uint64_t start_ticks;
	enum disk_user_kind kind;
	char *name, *command; /* owned */
};

struct disk_user_list {
	struct env *env;
	struct process_list *processes;
	struct disk_list *disks;
	struct trace_set trace;
	bool opened, counted;
	struct disk_user *all; /* owned */
	size_t n_all, capacity;
	struct hash by_key;
	struct disk_work_done *done; /* by device; owned */
	size_t n_done, done_capacity;
	struct disk_ended ended[DISK_ENDED_MAX];
	unsigned next_ended;
};

/* Nothing is counted where list->counted is false, see list->trace.error. */
extern const struct reader disk_user_reader;

/* What was done with the device, NULL: nothing since counting began. */
const struct disk_work_done *disk_user_list_done(const struct disk_user_list *list, uint64_t disk);

/* Bytes read or written, and requests, by the process that has its pid now. */
uint64_t disk_user_bytes(const struct disk_user *user, bool written);
uint64_t disk_user_requests(const struct disk_user *user);

#endif
