/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process the topics about pages look at: found by pid or name, followed until it ends. */
#ifndef PANETOP_TOPIC_PAGES_TARGET_H
#define PANETOP_TOPIC_PAGES_TARGET_H

#include "kernel/pid_stat.h"
#include "model/frame.h"
#include "model/sample_request.h"
#include "sys/env.h"

#define TARGET_NAME_MAX PROCESS_CHOICE_NAME_MAX

enum target_state {
	TARGET_NONE,   /* nobody named one */
	TARGET_SOUGHT, /* there is none with this pid or name yet */
	TARGET_LIVE,
	TARGET_GONE, /* it ended */
};

struct target {
	struct env *env; /* borrowed, as the request */
	const struct sample_request *request;
	uint64_t tick; /* of the last update */
	enum target_state state;
	struct process_choice chosen; /* these three: of the request, as they were last */
	char *list;                   /* pids and names; owned; NULL: none, or one was chosen */
	unsigned n_next;
	uint32_t pid;
	uint64_t start_ticks;       /* since boot */
	uint64_t least_ticks;       /* one that started before is not meant; 0: all are */
	char name[TARGET_NAME_MAX]; /* comm */
	struct pid_stat stat;       /* as last read, all 0 before; without comm */
	size_t n_matches;           /* processes that the list names */
	uint64_t searched_ns;       /* CLOCK_MONOTONIC of the last look for it */
	uint64_t generation;        /* grows with each process that is found, or had ended before */
};

/*
 * Shared by all topics of env, until env is closed. The process is request->mapped, which is not waited for,
 * or else the newest one that request->processes lists. After it has exited, a change of request->n_next
 * searches for the next process with its name.
 */
struct target *target_open(struct env *env, const struct sample_request *request);

/* Brings it up to date, once per tick: 0, or -errno when the processes cannot be listed. */
int target_update(struct target *target);

/* Is the process still the one that was found, and not another with its pid? */
bool target_is_same(const struct target *target);

/* A thread of the kernel, or a zombie. */
bool target_has_no_memory(const struct target *target);

/* Notices about it: none found, several found, one that has no memory. */
void target_notices(const struct target *target, struct frame *frame, const char *topic);

#endif
