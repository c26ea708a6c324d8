/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest events of a topic: the rows of many frames as one table. */
#ifndef PANETOP_MODEL_EVENT_LOG_H
#define PANETOP_MODEL_EVENT_LOG_H

#include "core/intern.h"
#include "model/frame.h"

#define EVENT_LOG_ROWS ((size_t)100000)
#define EVENT_LOG_TEXT_BYTES ((size_t)64 << 20)

/*
 * Rows lie in one block that never moves, so that pointers to them stay good while it grows. When it is full
 * the oldest are taken away and the others move down: the newest limit rows are always there, and up to a
 * quarter more. Very long texts make it hold fewer rows.
 */
struct event_log {
	struct table shown;    /* what is to be seen: all rows, or those when it was frozen */
	size_t n_rows;         /* of shown.rows, the newer ones of a frozen log too */
	size_t limit;          /* rows */
	size_t text_limit;     /* bytes */
	uint64_t n_skipped;    /* rows between the frozen ones and the newer ones that were taken away */
	struct intern texts, spare;
	size_t text_bytes;     /* that the rows had in all when texts were copied last */
};

void event_log_open(struct event_log *log, const struct schema *schema, size_t limit, size_t text_limit);
void event_log_close(struct event_log *log);
void event_log_clear(struct event_log *log);

/* Adds the rows of a frame's table, whose texts are copied. */
void event_log_add(struct event_log *log, const struct table *table);

/* Takes away the rows that table added, as the last one that was added. */
void event_log_undo(struct event_log *log, const struct table *table);

/* Freezes what is shown, or shows everything again. shown.n_pending counts the rows that came meanwhile. */
void event_log_freeze(struct event_log *log, bool frozen);

#endif
