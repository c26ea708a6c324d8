/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A frame and its tables; memory is reused from tick to tick. */
#include <config.h>

#include "model/frame.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"

static _Thread_local const struct origins *collected; /* what adds to it is deep below what draws */

void origins_collect(const struct origins *origins)
{
	collected = origins;
}

size_t origins_end(void)
{
	return collected ? collected->out->length : 0;
}

void origins_drop(size_t end)
{
	if (collected)
		collected->out->length = end;
}

bool origin_add(const struct origin *origin)
{
	return collected && collected->add(collected, origin);
}

void frame_open(struct frame *frame, const struct schema *const *schemas, unsigned n_schemas)
{
	*frame = (struct frame){ .n_tables = n_schemas };
	frame->tables = alloc_zeroed(n_schemas, sizeof(*frame->tables));
	for (unsigned i = 0; i < n_schemas; i++) {
		struct table *table = &frame->tables[i];

		table->schema = schemas[i];
		table->blank = alloc_zeroed(1, schemas[i]->row_size);
		row_clear(table->blank, schemas[i]);
		table->arena = &frame->arena;
		if (schemas[i]->apart_size) {
			table->blank_block = alloc_zeroed(1, schemas[i]->apart_size);
			row_clear_block(table->blank_block, schemas[i]);
		}
	}
}

void frame_close(struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		free(frame->tables[i].rows);
		free(frame->tables[i].blank);
		free(frame->tables[i].blank_block);
		free(frame->tables[i].fresh);
		free(frame->tables[i].doubts);
	}
	free(frame->tables);
	arena_free(&frame->arena);
	*frame = (struct frame){ 0 };
}

static void clear_table(struct table *table)
{
	size_t row_size = table->schema->row_size;

	if (recent_use_is_outgrown(&table->recent, table->n_rows * row_size, table->capacity * row_size)) {
		free(table->rows);
		table->rows = NULL;
		table->capacity = 0;
	}
	table->n_rows = table->n_doubts = 0;
	table->present = table->failed = table->partial = table->joined = false;
	table->mono_ns = table->interval_ns = 0;
}

void frame_clear(struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		clear_table(&frame->tables[i]);
	arena_reset(&frame->arena);
	frame->mono_ns = frame->wall_ns = frame->interval_ns = frame->since_ns = 0;
	frame->boot = 0;
	frame->host = NULL;
	frame->only_events = frame->cut = false;
	frame->named_there = frame->named_absent = false;
	frame->n_notices = 0;
}

const struct notice *frame_newest_notice(const struct frame *frame, const char *topic)
{
	for (unsigned i = frame->n_notices; i-- > 0;)
		if (strcmp(frame->notices[i].topic, topic) == 0)
			return &frame->notices[i];
	return NULL;
}

struct table *frame_slot(const struct frame *frame, const char *topic)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		const char *name = frame->tables[i].schema->name;

		if (*name == *topic && strcmp(name, topic) == 0) /* most begin with another letter */
			return &frame->tables[i];
	}
	return NULL;
}

struct table *frame_table(const struct frame *frame, const char *topic)
{
	struct table *table = frame_slot(frame, topic);

	return table && table->present ? table : NULL;
}

void *table_add_bare(struct table *table)
{
	size_t size = table->schema->row_size;
	void *row;

	table->rows = vector_reserve(table->rows, &table->capacity, table->n_rows + 1, size);
	row = table_row(table, table->n_rows++);
	memcpy(row, table->blank, size);
	return row;
}

static void add_block(struct table *table, void *row, const void *copied)
{
	void *block = arena_take(table->arena, table->schema->apart_size);

	memcpy(block, copied, table->schema->apart_size);
	memcpy((char *)row + table->schema->apart, &block, sizeof(block));
}

void *table_add(struct table *table)
{
	void *row = table_add_bare(table);

	if (table->blank_block)
		add_block(table, row, table->blank_block);
	return row;
}

void table_reserve(struct table *table, size_t n_rows)
{
	table->rows = vector_reserve(table->rows, &table->capacity, n_rows, table->schema->row_size);
	VECTOR_RESERVE(table->fresh, n_rows, table->n_fresh);
}

bool table_is_fresh(const struct table *table, const void *row)
{
	size_t index = (size_t)((const char *)row - table->rows) / table->schema->row_size;

	return table->joined && table->fresh[index];
}

/* Are these the row's first KEY columns of text? */
static bool is_named(const struct schema *schema, const void *row, const char *key, const char *other)
{
	const char *wanted[] = { key, other };
	unsigned n_found = 0;

	for (unsigned i = 0; i < schema->n_columns && n_found < 2 && wanted[n_found]; i++) {
		const struct column *column = &schema->columns[i];
		const char *text = column->type == VALUE_TEXT ? row_text(row, column) : NULL;

		if (column->kind != COLUMN_KEY || column->type != VALUE_TEXT)
			continue;
		if (!text || strcmp(text, wanted[n_found++]) != 0)
			return false;
	}
	return n_found == (other ? 2 : 1);
}

const void *table_find(const struct table *table, const char *key, const char *other)
{
	for (size_t i = 0; table && i < table->n_rows; i++)
		if (is_named(table->schema, table_row(table, i), key, other))
			return table_row(table, i);
	return NULL;
}

bool table_row_is(const struct table *table, const void *row, const char *key)
{
	return is_named(table->schema, row, key, NULL);
}

bool table_row_is_sum(const struct table *table, const void *row)
{
	return table->schema->sum_row && table_row_is(table, row, table->schema->sum_row);
}

bool table_row_has_key(const struct table *table, const void *row, const char *key)
{
	const struct schema *schema = table->schema;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_KEY && column->type == VALUE_TEXT && row_text(row, column) &&
		    strcmp(row_text(row, column), key) == 0)
			return true;
	}
	return false;
}

static const struct column *known_column(const struct table *table, const char *key)
{
	return table ? schema_known_column(table->schema, key) : NULL;
}

double table_number(const struct table *table, const void *row, const char *key)
{
	const struct column *column = known_column(table, key);

	return row && column ? row_number(row, column) : NAN;
}

const void *table_most(const struct table *table, const char *key, double least)
{
	const struct column *column = known_column(table, key);
	const void *most = NULL;

	for (size_t i = 0; column && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double number = row_number(row, column);

		if (isnan(number) || number < least || (most && number <= row_number(most, column)) ||
		    table_row_is_sum(table, row))
			continue;
		most = row;
	}
	return most;
}

uint64_t table_u64(const struct table *table, const void *row, const char *key)
{
	const struct column *column = known_column(table, key);

	assert(!column || column->type == VALUE_U64);
	return row && column && row_is_known(row, column) ? row_u64(row, column) : U64_UNKNOWN;
}

const char *table_text(const struct table *table, const void *row, const char *key)
{
	const struct column *column = known_column(table, key);
	const char *text;

	assert(!column || column->type == VALUE_TEXT);
	text = row && column ? row_text(row, column) : NULL;
	return text ? text : "";
}

double frame_number(const struct frame *frame, const char *topic, const char *row, const char *column)
{
	const struct table *table = frame_slot(frame, topic);
	const struct column *found;
	const void *of = NULL;

	assert(table);
	if (!table)
		return NAN;
	if (table->present && table->n_rows > 0)
		of = row ? table_find(table, row, NULL) : table_row(table, 0);
	found = known_column(table, column);
	if (!of || !found)
		return NAN;
	if (row_is_known(of, found))
		origin_add(&(struct origin){ .schema = table->schema, .row = of, .column = found });
	return row_number(of, found);
}

static const char *copy(struct frame *frame, const char *text)
{
	return text ? arena_copy(&frame->arena, text, strlen(text)) : NULL;
}

static void copy_texts(struct frame *to, struct table *table)
{
	for (unsigned c = 0; c < table->schema->n_columns; c++) {
		const struct column *column = &table->schema->columns[c];

		for (size_t i = 0; column->type == VALUE_TEXT && i < table->n_rows; i++) {
			void *row = table_row(table, i);

			row_set_text(row, column, copy(to, row_text(row, column)));
		}
	}
}

static void copy_table(struct frame *to, struct table *table, const struct table *from)
{
	table->present = from->present;
	table->failed = from->failed;
	table->mono_ns = from->mono_ns;
	table->interval_ns = from->interval_ns;
	if (from->joined && from->n_rows > 0 && from->schema->shape != SHAPE_EVENTS) {
		VECTOR_RESERVE(table->fresh, from->n_rows, table->n_fresh);
		memcpy(table->fresh, from->fresh, from->n_rows * sizeof(*table->fresh));
		table->joined = true;
	}
	if (!from->present || from->n_rows == 0 || from->schema->shape == SHAPE_EVENTS)
		return;
	table_reserve(table, from->n_rows);
	memcpy(table->rows, from->rows, from->n_rows * from->schema->row_size);
	table->n_rows = from->n_rows;
	for (size_t i = 0; table->blank_block && i < table->n_rows; i++) {
		const void *block = row_block(table_row(table, i), table->schema->apart);

		if (block)
			add_block(table, table_row(table, i), block);
	}
	copy_texts(to, table);
}

size_t table_append(struct frame *to, struct table *table, const struct table *from)
{
	const struct schema *schema = from->schema;
	size_t first = table->n_rows;

	for (size_t i = 0; i < from->n_rows; i++) {
		const void *row = table_row(from, i);
		bool apart = schema->apart_size > 0 && row_block(row, schema->apart);
		void *added = apart ? table_add(table) : table_add_bare(table);

		row_copy(added, row, schema);
		for (unsigned c = 0; c < schema->n_columns; c++)
			if (schema->columns[c].type == VALUE_TEXT)
				row_set_text(added, &schema->columns[c],
					     copy(to, row_text(row, &schema->columns[c])));
	}
	return first;
}

void frame_copy(struct frame *to, const struct frame *from)
{
	frame_clear(to);
	frame_add(to, from);
}

void frame_add(struct frame *to, const struct frame *from)
{
	to->mono_ns = from->mono_ns;
	to->wall_ns = from->wall_ns;
	to->interval_ns = from->interval_ns;
	to->boot = from->boot;
	to->host = copy(to, from->host);
	for (unsigned i = 0; i < from->n_tables; i++)
		copy_table(to, &to->tables[i], &from->tables[i]);
	for (unsigned i = 0; i < from->n_notices; i++)
		frame_notice(to, from->notices[i].topic, from->notices[i].remedy, "%s",
			     from->notices[i].text);
}

void frame_notice(struct frame *frame, const char *topic, const char *remedy, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strcmp(frame->notices[i].text, text) == 0 && strcmp(frame->notices[i].topic, topic) == 0)
			return;
	if (frame->n_notices == FRAME_NOTICES_MAX)
		return;
	frame->notices[frame->n_notices++] = (struct notice){
		.topic = copy(frame, topic), .text = copy(frame, text), .remedy = copy(frame, remedy)
	};
}
