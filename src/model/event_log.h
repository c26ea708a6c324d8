/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest events of a topic: the rows of many frames as one table. */
#ifndef PANETOP_MODEL_EVENT_LOG_H
#define PANETOP_MODEL_EVENT_LOG_H

#include "core/arena.h"
#include "model/frame.h"

/*
 * Rows of a table in about half their size, for many that are kept: texts, and numbers that are neither keys
 * nor times, take 32 bits. They are read as other rows are, by the columns of the packed schema.
 */

/* Numbers in a packed row are those of texts, so these may be at most about 4 million. */
struct packed_rows {
	const struct schema *from; /* borrowed */
	struct schema schema;      /* the same columns, of packed rows */
	struct column *columns;    /* owned */
	struct intern texts;       /* of all rows, and of some that are gone */
};

/* The owner closes it; until then it must not be moved, since its columns point to its texts. */
struct packed_rows *packed_rows_open(const struct schema *from);
void packed_rows_close(struct packed_rows *packed);

/* Packs a row of the schema from. to: packed->schema.row_size bytes. */
void row_pack(struct packed_rows *packed, void *to, const void *row);

/* Frees the texts that none of these packed rows has. While it works, it has those of the rows twice. */
void packed_rows_renew_texts(struct packed_rows *packed, char *rows, size_t n_rows);

#define EVENT_LOG_ROWS ((size_t)50000)
#define EVENT_LOG_TEXT_BYTES ((size_t)8 << 20)

struct event_log_mark;

/*
 * Rows are in one block that never moves, so pointers to them stay valid while it grows. When it is full the
 * oldest rows are dropped and the others move down: it always holds the newest limit rows, and up to a
 * sixteenth more. Very long texts reduce the number of rows. The rows are packed: views of a log are of
 * shown.schema, not of the schema of the topic.
 */
struct event_log {
	struct table shown;    /* all rows, or those at the time it was frozen */
	size_t n_rows;         /* of shown.rows, including the newer ones of a frozen log */
	size_t limit;          /* rows */
	size_t text_limit;     /* bytes; while they are copied it may be twice as many */
	uint64_t n_skipped;    /* dropped rows between the frozen and the newer ones */
	struct packed_rows *packed; /* owned */
	size_t text_bytes;     /* of all rows when texts were last copied */
	uint64_t n_added;      /* rows since it was opened or cleared */
	struct event_log_mark *marks; /* of the newest samples, in the order of time */
	size_t n_marks;
};

void event_log_open(struct event_log *log, const struct schema *schema, size_t limit, size_t text_limit);
void event_log_close(struct event_log *log);
void event_log_clear(struct event_log *log);

/* Adds the rows of a frame's table and copies their texts. */
void event_log_add(struct event_log *log, const struct table *table);

/* Removes the rows of table, which was added last. */
void event_log_undo(struct event_log *log, const struct table *table);

/* Freezes what is shown, or shows everything again. shown.n_pending counts the rows that came meanwhile. */
void event_log_freeze(struct event_log *log, bool frozen);

/* What it holds now is what the sample of this time shows. */
void event_log_mark(struct event_log *log, uint64_t wall_ns);

/*
 * Freezes it as it was marked for the sample of this time, or else with the rows whose time, in the column
 * of this name, is wall_ns or earlier: events can arrive after the sample that follows them.
 */
void event_log_freeze_at(struct event_log *log, const char *time, uint64_t wall_ns);

/* One for each topic of events. */
struct event_logs {
	struct event_log *logs;
	unsigned n;
};

void event_logs_open(struct event_logs *logs, const struct schema *const *schemas, unsigned n_schemas);
void event_logs_close(struct event_logs *logs);
void event_logs_clear(struct event_logs *logs);

/* The tables of events that a frame has; or takes them back from the frame that was added last. */
void event_logs_add(struct event_logs *logs, const struct frame *frame);
void event_logs_undo(struct event_logs *logs, const struct frame *frame);

void event_logs_freeze(struct event_logs *logs, bool frozen);
void event_logs_freeze_at(struct event_logs *logs, uint64_t wall_ns);

/* NULL: the topic has no events. */
const struct event_log *event_logs_find(const struct event_logs *logs, const char *topic);

#endif
