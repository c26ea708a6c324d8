/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected process of the panes process and pages: found by PID or name, followed until it exits. */
#ifndef PANETOP_TOPIC_PROCESS_TARGET_H
#define PANETOP_TOPIC_PROCESS_TARGET_H

#include "kernel/pid/pid_stat.h"
#include "model/frame.h"
#include "model/settings.h"
#include "topic/reader.h"

#define TARGET_NAME_MAX PROCESS_CHOICE_NAME_MAX

enum target_state {
	TARGET_NONE,   /* none was requested */
	TARGET_SOUGHT, /* no process matches yet */
	TARGET_LIVE,
	TARGET_GONE, /* it exited */
};

struct target {
	struct env *env; /* borrowed, like the request */
	const struct sample_request *request;
	enum target_state state;
	struct process_choice chosen; /* this, list and n_next: copies of the request */
	char *list;                   /* PIDs and names; owned; NULL: none, or chosen is set */
	unsigned n_next;
	uint32_t pid;
	uint32_t memory_pid;        /* whose files show memory and waits: pid, unless the main thread ended */
	uint64_t start_ticks;       /* since boot */
	uint64_t least_ticks;       /* earlier processes do not match; 0: all may match */
	char name[TARGET_NAME_MAX]; /* comm */
	struct pid_stat stat;       /* as last read, without comm; all 0 before */
	uint64_t stat_mono_ns;      /* … when; 0: never */
	size_t n_matches;           /* processes that match the list */
	size_t n_unreadable;        /* of these: their memory is hidden */
	uint64_t searched_ns;       /* CLOCK_MONOTONIC of the last search */
	uint64_t generation;        /* grows with each selected process */
};

/*
 * The process is request->mapped, which is not waited for, or else the newest one that request->processes
 * lists. After it has exited, a change of request->n_next searches for the next process with its name. Fails
 * if the processes cannot be listed.
 */
extern const struct reader target_reader;

/* Does the process still exist, and its PID was not reused? */
bool target_is_same(const struct target *target);

/* Is it a kernel thread or a zombie? */
bool target_has_no_memory(const struct target *target);

/* Adds notices: none found, several found, no memory. */
void target_notices(const struct target *target, struct frame *frame, const char *topic);

#endif
