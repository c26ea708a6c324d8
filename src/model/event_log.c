/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows in a block that never moves, texts stored once; what is shown may freeze while the log goes on. */
#include <config.h>

#include "model/event_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"

/*
 * A text is the number of its copy and how many of its first bytes are left out, as a command without its
 * directories is the end of the command before it. A number that needs more than 31 bits is a text, too.
 */

#define NONE UINT32_MAX /* no text; an unknown number */
#define BLANK (UINT32_MAX - 1)
#define LARGE (UINT32_C(1) << 31) /* with the number of a text */

#define SKIP_BITS 10
#define SKIP_MAX ((UINT32_C(1) << SKIP_BITS) - 1)

static bool is_wide(const struct column *column)
{
	return column->type == VALUE_F64 || column->kind == COLUMN_KEY || column->unit == UNIT_TIME;
}

static uint32_t load(const void *row, const struct column *column)
{
	uint32_t packed;

	memcpy(&packed, row_field(row, column), sizeof(packed));
	return packed;
}

static void store(void *row, const struct column *column, uint32_t packed)
{
	memcpy((char *)row + column->offset, &packed, sizeof(packed));
}

static bool has_text(const void *row, const struct column *column)
{
	uint32_t packed = column->packed ? load(row, column) : NONE;

	return packed < BLANK && (column->type == VALUE_TEXT || packed >= LARGE);
}

uint64_t packed_u64(const void *row, const struct column *column)
{
	uint32_t packed = load(row, column);

	if (packed >= BLANK)
		return packed == NONE ? U64_UNKNOWN : U64_BLANK;
	return packed < LARGE ? packed : strtoull(column->packed->texts[packed - LARGE], NULL, 10);
}

const char *packed_text(const void *row, const struct column *column)
{
	uint32_t packed = load(row, column);

	return packed == NONE ? NULL
			      : column->packed->texts[packed >> SKIP_BITS] + (packed & SKIP_MAX);
}

/* Those of 64 bits come first. */
static void place_columns(struct packed_rows *packed)
{
	size_t offset = 0;

	for (int wide = 1; wide >= 0; wide--) {
		for (unsigned i = 0; i < packed->schema.n_columns; i++) {
			struct column *column = &packed->columns[i];

			if (is_wide(column) != (wide > 0))
				continue;
			column->offset = (uint16_t)offset;
			column->packed = wide ? NULL : &packed->texts;
			offset += wide ? sizeof(uint64_t) : sizeof(uint32_t);
		}
	}
	packed->schema.row_size = (offset + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

struct packed_rows *packed_rows_open(const struct schema *from)
{
	struct packed_rows *packed = alloc_zeroed(1, sizeof(*packed));

	packed->from = from;
	packed->columns = alloc_zeroed(from->n_columns, sizeof(*packed->columns));
	memcpy(packed->columns, from->columns, from->n_columns * sizeof(*packed->columns));
	packed->schema = *from;
	packed->schema.columns = packed->columns;
	place_columns(packed);
	return packed;
}

void packed_rows_close(struct packed_rows *packed)
{
	if (!packed)
		return;
	intern_free(&packed->texts);
	free(packed->columns);
	free(packed);
}

static uint32_t pack_number(struct packed_rows *packed, uint64_t number)
{
	char text[sizeof("18446744073709551615")];

	if (number >= U64_BLANK)
		return number == U64_UNKNOWN ? NONE : BLANK;
	if (number < LARGE)
		return (uint32_t)number;
	snprintf(text, sizeof(text), "%" PRIu64, number);
	return LARGE | intern_number(&packed->texts, text);
}

/* The text before it in the row, and how it is packed. */
struct text_before {
	const char *text;
	uint32_t packed;
};

static bool is_end_of(const char *text, const struct text_before *before)
{
	uintptr_t from = (uintptr_t)before->text, at = (uintptr_t)text;

	return from && at >= from && at - from <= SKIP_MAX - (before->packed & SKIP_MAX) &&
	       at <= from + strlen(before->text);
}

static uint32_t pack_text(struct packed_rows *packed, const char *text, struct text_before *before)
{
	uint32_t result;

	if (!text)
		return NONE;
	result = is_end_of(text, before) ? before->packed + (uint32_t)(text - before->text)
					 : intern_number(&packed->texts, text) << SKIP_BITS;
	*before = (struct text_before){ .text = text, .packed = result };
	return result;
}

void row_pack(struct packed_rows *packed, void *to, const void *row)
{
	struct text_before before = { 0 };

	memset(to, 0, packed->schema.row_size);
	for (unsigned i = 0; i < packed->schema.n_columns; i++) {
		const struct column *column = &packed->columns[i], *from = &packed->from->columns[i];

		if (!column->packed)
			row_set_u64(to, column, row_u64(row, from)); /* also for the bytes of a double */
		else if (column->type == VALUE_TEXT)
			store(to, column, pack_text(packed, row_text(row, from), &before));
		else
			store(to, column, pack_number(packed, row_u64(row, from)));
	}
}

/* Known numbers are those of the new texts by those of the old ones. */
static void renew(struct packed_rows *packed, const struct intern *old, uint32_t *known, void *row,
		  const struct column *column)
{
	uint32_t before = load(row, column), shift = column->type == VALUE_TEXT ? SKIP_BITS : 0;
	uint32_t kept = column->type == VALUE_TEXT ? before & SKIP_MAX : LARGE;
	uint32_t number = (before - kept) >> shift;

	if (known[number] == HASH_NONE)
		known[number] = intern_number(&packed->texts, old->texts[number]);
	store(row, column, known[number] << shift | kept);
}

void packed_rows_renew_texts(struct packed_rows *packed, char *rows, size_t n_rows)
{
	struct intern old = packed->texts;
	uint32_t *known = alloc_resize(NULL, old.n_texts, sizeof(*known));

	packed->texts = (struct intern){ 0 };
	for (size_t i = 0; i < old.n_texts; i++)
		known[i] = HASH_NONE;
	for (size_t i = 0; i < n_rows; i++) {
		char *row = rows + i * packed->schema.row_size;

		for (unsigned c = 0; c < packed->schema.n_columns; c++)
			if (has_text(row, &packed->columns[c]))
				renew(packed, &old, known, row, &packed->columns[c]);
	}
	free(known);
	intern_free(&old);
}

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
	intern_free(&log->packed->texts);
	log->text_bytes = log->n_rows = log->n_marks = 0;
	log->n_skipped = log->n_added = 0;
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

static void renew_texts(struct event_log *log)
{
	packed_rows_renew_texts(log->packed, log->shown.rows, log->n_rows);
	log->text_bytes = log->packed->texts.n_bytes;
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
	if (log->packed->texts.n_bytes <= log->text_bytes + log->text_bytes / 2 + TEXT_SLACK &&
	    log->packed->texts.n_bytes <= log->text_limit)
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
	if (log->n_rows - n_frozen >= most || log->packed->texts.n_bytes > log->text_limit)
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

void event_logs_add(struct event_logs *logs, const struct frame *frame)
{
	for (unsigned i = 0; i < logs->n; i++) {
		const struct table *table = frame_table(frame, logs->logs[i].shown.schema->name);

		if (table)
			event_log_add(&logs->logs[i], table);
		event_log_mark(&logs->logs[i], frame->wall_ns);
	}
}

void event_logs_undo(struct event_logs *logs, const struct frame *frame)
{
	for (unsigned i = 0; i < logs->n; i++) {
		const struct table *table = frame_table(frame, logs->logs[i].shown.schema->name);

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
