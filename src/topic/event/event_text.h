/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts for events: kind, mark, info, terminal, exit status. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_TEXT_H
#define PANETOP_TOPIC_EVENT_EVENT_TEXT_H

#include "core/arena.h"
#include "topic/event/event_batch.h"

const char *event_kind_text(enum event_kind kind); /* "fork", as in --events */

/* One character per kind; failed exits have one of their own. */
const char *event_mark(const struct event *event);

/* "code 0", "SIGSEGV core", "attach 17350" …; texts: of its batch. */
const char *event_info(struct arena *arena, const struct event *event, const char *texts);

/* "0", "1", "SIGSEGV core", of an exit_code as in wait(); NULL: not known. */
const char *event_status(struct arena *arena, uint32_t exit_code);

/* Exit code and signal number of an exit_code as in wait(); U64_UNKNOWN if it is the other one. */
uint64_t event_exit_code(uint32_t exit_code);
uint64_t event_exit_signal(uint32_t exit_code);

#endif
