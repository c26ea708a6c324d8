/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process whose accessed bits are cleared and read later: a helper does both, since each walks all of its
 * page tables.
 */
#ifndef PANETOP_TOPIC_PAGES_TOUCH_LOOK_H
#define PANETOP_TOPIC_PAGES_TOUCH_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/span.h"
#include "sys/device_poll.h"

#define TOUCH_CLEAR_REFS "proc/PID/clear_refs"
#define TOUCH_SMAPS "proc/PID/smaps"

struct touch_region {
	uint64_t start, end;
	uint64_t resident_bytes, touched_bytes, huge_bytes;
	uint64_t seen_ns;    /* of the last reading that found it touched; 0: none has */
	uint64_t seen_bytes; /* … and how much it found */
	char permissions[5];
	size_t path, path_length; /* in the buffer of paths */
};

/* What a reading found. */
struct touch_report {
	uint64_t read_ns;      /* CLOCK_MONOTONIC when it began; 0: there is none */
	double window_seconds; /* from the end of the clearing to then */
	uint64_t resident_bytes, touched_bytes, huge_bytes;
	uint64_t file_touched_bytes;  /* in regions of files; U64_UNKNOWN without regions */
	struct touch_region *regions; /* ascending; those without resident pages are left out */
	size_t n_regions, capacity;
	struct buffer paths;
};

enum touch_state {
	TOUCH_CLEARING,
	TOUCH_OPEN,     /* its window began at cleared_ns */
	TOUCH_DONE,     /* no other window follows */
	TOUCH_REPLACED, /* an exec gave it new memory: touch_look_begin() */
	TOUCH_ENDED,
	TOUCH_FAILED, /* error */
};

struct touch_look {
	struct device_poll poll;
	struct env *env;        /* borrowed */
	uint32_t pid, file_pid; /* file_pid: see memory_pid of struct target */
	uint64_t start_ticks;
	bool by_region;          /* else only the sums are known */
	bool drops_translations; /* to clear soft-dirty bits does only that here */
	bool again;              /* on the screen: one window after the other … */
	double window_wanted_seconds;
	enum touch_state state;
	int error;
	uint64_t cleared_ns, read_ns; /* end of the last clearing; start of the last reading */
	uint64_t begun_ns;            /* end of the first clearing of this memory */
	uint64_t cost_ns;             /* CPU time of the last clearing and the last reading */
	uint64_t wanted_tick;
	unsigned n_windows; /* that are complete */
	struct touch_report report;
	bool replaced; /* the last reading came after an exec */

	/* Of the helper while it is in flight. */
	int smaps, clear_refs; /* descriptors, -1: closed. smaps stays bound to the memory of the process */
	bool reads, clears, ends_window, finished;
	int read_error;
	uint64_t fresh_cleared_ns, read_cpu_ns, clear_cpu_ns;
	struct touch_report fresh;
	struct buffer text;
};

/* start_ticks says which process with this pid. It is freed by touch_look_close(). */
struct touch_look *touch_look_open(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks,
				   bool by_region);
void touch_look_close(struct touch_look *look);

/* Can its files be opened? 0, or -errno and the path of a source: -ESRCH: it has exited. */
int touch_look_try(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks, const char **path);

/* Opens its files and starts the clearing of its accessed bits. A failure is its state. */
void touch_look_begin(struct touch_look *look);

/* Starts a reading of an open window; ends_window: the report is complete, with again another one begins. */
void touch_look_read(struct touch_look *look, bool ends_window);

/* Takes over what a helper has finished. */
void touch_look_take(struct touch_look *look);

#endif
