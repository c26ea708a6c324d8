/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events in words: what happened, to whom, on which terminal, with which result. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_TEXT_H
#define PANETOP_TOPIC_EVENT_EVENT_TEXT_H

#include "core/arena.h"
#include "topic/event/event_batch.h"

const char *event_kind_text(enum event_kind kind); /* "fork", as of --events */

/* One character that tells kinds apart, and ends that failed from others. */
const char *event_mark(const struct event *event);

/* "child", "code 0", "SIGSEGV core", "attach 17350" …; texts are those of its batch. */
const char *event_info(struct arena *arena, const struct event *event, const char *texts);

/* "pts/3", "" without one, NULL when it is not known. */
const char *event_terminal(struct arena *arena, int64_t device);

/* Of an exit_code as wait() has it: the code, or the signal's number; U64_UNKNOWN where it is the other. */
uint64_t event_exit_code(uint32_t exit_code);
uint64_t event_exit_signal(uint32_t exit_code);

#endif
