/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes whose touched memory is measured, shared by the topics touched and process: in batch those
 * that they want, from sample to sample; on the screen those that the user chose, one window or one after
 * the other.
 */
#ifndef PANETOP_TOPIC_PAGES_TOUCH_LIST_H
#define PANETOP_TOPIC_PAGES_TOUCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "sys/device_poll.h"
#include "topic/reader.h"

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

#define TOUCH_LOOKS_MAX 256

struct touch_list {
	struct env *env; /* borrowed, as the request */
	const struct sample_request *request;
	struct touch_look *looks[TOUCH_LOOKS_MAX];
	size_t n_looks;
	size_t n_left_out; /* in this tick, as there were too many */
	uint64_t tick;     /* of the last step */
};

/* Can its files be opened? 0, or -errno and the path of a source: -ESRCH: it has exited. */
int touch_look_try(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks, const char **path);

/* Used while it is open: nothing of it is updated. It closes with the last topic, and so do all windows. */
extern const struct reader touch_reader;

/*
 * In batch: this process is to be measured from one sample to the next. What is due is started, and
 * touch_list_wait() waits for it. NULL: there are too many.
 */
struct touch_look *touch_list_want(struct touch_list *list, uint32_t pid, uint32_t file_pid,
				   uint64_t start_ticks, bool by_region);
void touch_list_wait(struct touch_list *list);

/* On the screen: goes on with the windows that the user started, once per tick. */
void touch_list_step(struct touch_list *list);

/* NULL: it is not among them. */
struct touch_look *touch_list_find(const struct touch_list *list, uint32_t pid, uint64_t start_ticks);

/* See act in struct topic. "look SECONDS PID START", "watch SECONDS PID START", "stop PID START". */
int touch_list_act(struct env *env, const char *action, void (*done)(void *context, int error),
		   void *context);

#endif
