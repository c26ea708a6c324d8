/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows in a block that never moves, texts stored once; what is shown may freeze while the log goes on. */
#include <config.h>

#include "model/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

#define TEXT_SLACK ((size_t)1 << 20)
#define SLACK 16 /* a part of the limit: rows beyond it, so that the others do not move for each new one */
#define MARKS_MAX ((size_t)8192) /* two hours of a sample each second */

struct event_log_mark {
	uint64_t wall_ns, n_added;
};

void event_log_open(struct event_log *log, const struct schema *schema, size_t limit, size_t text_limit)
{
	*log = (struct event_log){ .limit = limit, .text_limit = text_limit };
	log->packed = packed_rows_open(schema);
	log->shown.schema = &log->packed->schema;
	log->shown.is_log = true;
}

void event_log_close(struct event_log *log)
{
	free(log->shown.rows);
	free(log->marks);
	packed_rows_close(log->packed);
	*log = (struct event_log){ 0 };
}

/* Updates what is shown. */
static void show(struct event_log *log, size_t n_frozen)
{
	log->shown.n_rows = log->shown.frozen ? n_frozen : log->n_rows;
	log->shown.n_pending = log->n_rows - log->shown.n_rows + log->n_skipped;
}

void event_log_clear(struct event_log *log)
{
	packed_rows_forget_texts(log->packed);
	log->text_bytes = 0;
	log->n_rows = 0;
	log->n_skipped = 0;
	log->n_added = 0;
	log->n_marks = 0;
	log->shown.epoch++;
	show(log, 0);
}

/* Removes count rows from this one on. */
static void take_away(struct event_log *log, size_t from, size_t count)
{
	size_t size = log->shown.schema->row_size;

	memmove(log->shown.rows + from * size, log->shown.rows + (from + count) * size,
		(log->n_rows - from - count) * size);
	log->n_rows -= count;
}

static void take_oldest(struct event_log *log, size_t count)
{
	size_t n_frozen = log->shown.frozen ? log->shown.n_rows : 0;

	take_away(log, n_frozen, count);
	if (log->shown.frozen)
		log->n_skipped += count;
	else
		log->shown.n_dropped += count;
	show(log, n_frozen);
}

static size_t text_bytes(const struct event_log *log)
{
	return log->packed->texts.n_bytes;
}

static void renew_texts(struct event_log *log)
{
	packed_rows_renew_texts(log->packed, log->shown.rows, log->n_rows);
	log->text_bytes = text_bytes(log);
}

/*
 * Drops rows beyond the limit, and half of the others when their texts are long. Texts without a row are
 * freed when they may be more than half of the others.
 */
static void compact(struct event_log *log)
{
	size_t n_frozen = log->shown.frozen ? log->shown.n_rows : 0, n_movable = log->n_rows - n_frozen;
	size_t keep = log->limit < n_movable ? log->limit : n_movable;

	take_oldest(log, n_movable - keep);
	if (text_bytes(log) <= log->text_bytes + log->text_bytes / 2 + TEXT_SLACK &&
	    text_bytes(log) <= log->text_limit)
		return;
	renew_texts(log);
	while (log->text_bytes > log->text_limit - log->text_limit / 5 && keep > 0) {
		take_oldest(log, keep - keep / 2);
		keep /= 2;
		renew_texts(log);
	}
}

/* Twice the limit, as the frozen rows stay; the kernel allocates only the pages that are used. */
static void make_room(struct event_log *log)
{
	size_t n_frozen = log->shown.frozen ? log->shown.n_rows : 0, most = log->limit + log->limit / SLACK;

	if (!log->shown.rows) {
		log->shown.capacity = 2 * most;
		log->shown.rows = alloc_zeroed(log->shown.capacity, log->shown.schema->row_size);
	}
	if (log->n_rows - n_frozen >= most || text_bytes(log) > log->text_limit)
		compact(log);
}

void event_log_add(struct event_log *log, const struct table *table)
{
	size_t size = log->shown.schema->row_size, n_frozen = log->shown.n_rows;

	log->shown.present = true;
	log->shown.mono_ns = table->mono_ns;
	for (size_t i = 0; i < table->n_rows; i++) {
		make_room(log);
		row_pack(log->packed, log->shown.rows + log->n_rows++ * size, table_row(table, i));
	}
	log->n_added += table->n_rows;
	show(log, n_frozen);
}

void event_log_undo(struct event_log *log, const struct table *table)
{
	log->n_rows -= table->n_rows < log->n_rows ? table->n_rows : log->n_rows;
	log->n_added -= table->n_rows;
	log->shown.epoch++;
	show(log, log->shown.n_rows < log->n_rows ? log->shown.n_rows : log->n_rows);
}

/* If rows between are missing, the log is full of newer ones: the frozen rows go. */
void event_log_freeze(struct event_log *log, bool frozen)
{
	size_t n_frozen = log->shown.n_rows;

	if (log->shown.frozen && !frozen && log->n_skipped > 0) {
		take_away(log, 0, n_frozen);
		log->shown.n_dropped += n_frozen + log->n_skipped;
		log->n_skipped = 0;
	}
	log->shown.frozen = frozen;
	if (!frozen && log->shown.rows)
		make_room(log);
	show(log, n_frozen);
}

void event_log_mark(struct event_log *log, uint64_t wall_ns)
{
	if (!log->marks) /* at once: the steady state allocates nothing */
		log->marks = alloc_zeroed(MARKS_MAX, sizeof(*log->marks));
	if (log->n_marks == MARKS_MAX) {
		log->n_marks /= 2;
		memmove(log->marks, log->marks + log->n_marks, log->n_marks * sizeof(*log->marks));
	}
	log->marks[log->n_marks++] =
		(struct event_log_mark){ .wall_ns = wall_ns, .n_added = log->n_added };
}

/* False: there is no mark of this time, or its rows are gone. */
static bool find_mark(const struct event_log *log, uint64_t wall_ns, size_t *n_rows)
{
	for (size_t i = log->n_marks; i-- > 0;) {
		uint64_t later = log->n_added - log->marks[i].n_added;

		if (later > log->n_rows)
			return false;
		*n_rows = log->n_rows - later;
		if (log->marks[i].wall_ns == wall_ns)
			return true;
	}
	return false;
}

void event_log_freeze_at(struct event_log *log, const char *time, uint64_t wall_ns)
{
	const struct column *column = schema_find(log->shown.schema, time);
	size_t n_until;

	event_log_freeze(log, false);
	if (!column || !log->shown.rows)
		return;
	if (!find_mark(log, wall_ns, &n_until))
		VECTOR_BOUND(n_until, log->n_rows,
			     row_u64(table_row(&log->shown, n_until), column) <= wall_ns);
	log->shown.frozen = true;
	log->shown.epoch++;
	show(log, n_until);
}

void event_logs_open(struct event_logs *logs, const struct schema *const *schemas, unsigned n_schemas)
{
	*logs = (struct event_logs){ .logs = alloc_zeroed(n_schemas, sizeof(*logs->logs)) };
	for (unsigned i = 0; i < n_schemas; i++)
		if (schemas[i]->shape == SHAPE_EVENTS)
			event_log_open(&logs->logs[logs->n++], schemas[i], EVENT_LOG_ROWS,
				       EVENT_LOG_TEXT_BYTES);
}

void event_logs_close(struct event_logs *logs)
{
	for (unsigned i = 0; i < logs->n; i++)
		event_log_close(&logs->logs[i]);
	free(logs->logs);
}

void event_logs_clear(struct event_logs *logs)
{
	for (unsigned i = 0; i < logs->n; i++)
		event_log_clear(&logs->logs[i]);
}

static const struct table *table_of(const struct event_log *log, const struct frame *frame)
{
	return frame_table(frame, log->shown.schema->name);
}

void event_logs_add(struct event_logs *logs, const struct frame *frame)
{
	for (unsigned i = 0; i < logs->n; i++) {
		const struct table *table = table_of(&logs->logs[i], frame);

		if (table)
			event_log_add(&logs->logs[i], table);
		event_log_mark(&logs->logs[i], frame->wall_ns);
	}
}

void event_logs_undo(struct event_logs *logs, const struct frame *frame)
{
	for (unsigned i = 0; i < logs->n; i++) {
		const struct table *table = table_of(&logs->logs[i], frame);

		if (table)
			event_log_undo(&logs->logs[i], table);
	}
}

void event_logs_freeze(struct event_logs *logs, bool frozen)
{
	for (unsigned i = 0; i < logs->n; i++)
		event_log_freeze(&logs->logs[i], frozen);
}

void event_logs_freeze_at(struct event_logs *logs, uint64_t wall_ns)
{
	for (unsigned i = 0; i < logs->n; i++)
		event_log_freeze_at(&logs->logs[i], "time", wall_ns);
}

const struct event_log *event_logs_find(const struct event_logs *logs, const char *topic)
{
	for (unsigned i = 0; i < logs->n; i++)
		if (strcmp(logs->logs[i].shown.schema->name, topic) == 0)
			return &logs->logs[i];
	return NULL;
}
