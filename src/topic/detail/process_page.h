/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected process as the kernel describes it; its last texts stay when it has exited. */
#ifndef PANETOP_TOPIC_DETAIL_PROCESS_PAGE_H
#define PANETOP_TOPIC_DETAIL_PROCESS_PAGE_H

#include "core/buffer.h"
#include "topic/process/target.h"
#include "topic/topic.h"

enum page_item {
	PAGE_STATUS,
	PAGE_LIMITS,
	PAGE_CGROUP,
	PAGE_IO,
	PAGE_WAIT_CHANNEL,
	PAGE_SYSCALL,
	PAGE_OOM_SCORE,
	PAGE_OOM_ADJUSTMENT,
	PAGE_AUTOGROUP,
	PAGE_EXECUTABLE,
	PAGE_DIRECTORY,
	PAGE_ROOT,
	N_PAGE_ITEMS
};

struct page_text {
	struct buffer text;
	uint64_t tick; /* of the last attempt */
	int error;     /* of it: 0 or -errno */
};

struct process_page {
	struct env *env; /* borrowed */
	struct target *target;
	uint64_t generation; /* of the target */
	struct page_text texts[N_PAGE_ITEMS];
	int exit_watch; /* descriptor; -1: none */
	bool exit_known;
	int exit_status;       /* as of wait(2) */
	uint64_t gone_wall_ns; /* when its exit was seen; 0: it lives */
	uint64_t notices_tick; /* notices are added once per tick */
};

/* Privileges that the topics over it use. */
#define PROCESS_PAGE_USES                                                                                    \
	(PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_MAPS) |    \
	 PRIVILEGE_BIT(PRIVILEGE_HIDDEN))

extern const struct source_spec process_page_sources[];

/* Follows the process, and adds the notices about it to the frame. */
extern const struct reader process_page_reader;

/* Is there a process, alive or exited? */
bool process_page_has_process(const struct process_page *page);
bool process_page_is_alive(const struct process_page *page);

/* As of this tick, or of the last one in which it could be read; empty if it never could. */
struct span process_page_text(struct process_page *page, enum page_item item);

/* Adds the notice that files of the process are hidden from this user, once per tick. */
void process_page_denied(struct process_page *page, struct sample *sample);

/* Start time, for the KEY columns. */
double process_page_start(const struct process_page *page);

struct slow_text;

/* proc/PID/NAME, at most most bytes of it. */
struct slow_text *slow_text_open(struct env *env, const char *name, size_t most);
void slow_text_close(struct slow_text *slow);

/*
 * What was read of this process last, waiting a moment for it; it stays after its exit. Empty: nothing was
 * readable yet.
 */
struct span slow_text_get(struct slow_text *slow, const struct target *target);

/* 0, or -errno of the last reading. */
int slow_text_error(const struct slow_text *slow);

/* Is it longer than most? */
bool slow_text_is_cut(const struct slow_text *slow);

#endif
