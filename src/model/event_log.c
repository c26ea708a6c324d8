/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows in a block that never moves, texts stored once; what is shown may freeze while the log goes on. */
#include <config.h>

#include "model/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

#define TEXT_SLACK ((size_t)1 << 20)
#define MARKS_MAX ((size_t)8192) /* two hours of a sample each second */

struct event_log_mark {
	uint64_t wall_ns, n_added;
};

void event_log_open(struct event_log *log, const struct schema *schema, size_t limit, size_t text_limit)
{
	*log = (struct event_log){ .limit = limit, .text_limit = text_limit };
	log->shown.schema = schema;
	log->shown.is_log = true;
}

void event_log_close(struct event_log *log)
{
	free(log->shown.rows);
	free(log->marks);
	intern_free(&log->texts);
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
	intern_free(&log->texts);
	log->text_bytes = 0;
	log->n_rows = 0;
	log->n_skipped = 0;
	log->n_added = 0;
	log->n_marks = 0;
	log->shown.epoch++;
	show(log, 0);
}

/* As a command without its directories is the end of the command. */
static bool is_end_of(const char *text, const char *whole)
{
	uintptr_t from = (uintptr_t)whole, at = (uintptr_t)text;

	return whole && at >= from && at <= from + strlen(whole);
}

/* A text that is the end of the one in the column before it shares its copy. */
static void intern_row(struct intern *texts, const struct schema *schema, void *row)
{
	const char *before = NULL, *copy = NULL;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		const char *text = column->type == VALUE_TEXT ? row_text(row, column) : NULL;

		if (!text)
			continue;
		copy = is_end_of(text, before) ? copy + (text - before) : intern_text(texts, text);
		before = text;
		row_set_text(row, column, copy);
	}
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

static void copy_texts(struct event_log *log)
{
	struct intern old = log->texts;

	log->texts = (struct intern){ 0 };
	for (size_t i = 0; i < log->n_rows; i++)
		intern_row(&log->texts, log->shown.schema, table_row(&log->shown, i));
	log->text_bytes = log->texts.n_bytes;
	intern_free(&old);
}

/*
 * Frees at least a fifth: drops rows beyond the limit, and half of the others when their texts are long.
 * Texts without a row are freed when they may be more than the others.
 */
static void compact(struct event_log *log)
{
	size_t n_frozen = log->shown.frozen ? log->shown.n_rows : 0, n_movable = log->n_rows - n_frozen;
	size_t keep = log->limit < n_movable ? log->limit : n_movable;

	take_oldest(log, n_movable - keep);
	if (log->texts.n_bytes <= 2 * log->text_bytes + TEXT_SLACK && log->texts.n_bytes <= log->text_limit)
		return;
	copy_texts(log);
	while (log->texts.n_bytes > log->text_limit - log->text_limit / 5 && keep > 0) {
		take_oldest(log, keep - keep / 2);
		keep /= 2;
		copy_texts(log);
	}
}

/* Twice the limit, as the frozen rows stay; the kernel allocates only the pages that are used. */
static void make_room(struct event_log *log)
{
	size_t n_frozen = log->shown.frozen ? log->shown.n_rows : 0;

	if (!log->shown.rows) {
		log->shown.capacity = 2 * (log->limit + log->limit / 4);
		log->shown.rows = alloc_zeroed(log->shown.capacity, log->shown.schema->row_size);
	}
	if (log->n_rows - n_frozen >= log->limit + log->limit / 4 || log->texts.n_bytes > log->text_limit)
		compact(log);
}

void event_log_add(struct event_log *log, const struct table *table)
{
	size_t size = log->shown.schema->row_size, n_frozen = log->shown.n_rows;

	log->shown.present = true;
	log->shown.mono_ns = table->mono_ns;
	for (size_t i = 0; i < table->n_rows; i++) {
		void *row;

		make_room(log);
		row = log->shown.rows + log->n_rows++ * size;
		memcpy(row, table_row(table, i), size);
		intern_row(&log->texts, log->shown.schema, row);
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
