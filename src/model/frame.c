/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A frame and its tables: memory that is kept from tick to tick. */
#include <config.h>

#include "model/frame.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define FIRST_ROWS ((size_t)8)

void frame_open(struct frame *frame, const struct schema *const *schemas, unsigned n_schemas)
{
	*frame = (struct frame){ .n_tables = n_schemas };
	frame->tables = alloc_zeroed(n_schemas, sizeof(*frame->tables));
	for (unsigned i = 0; i < n_schemas; i++) {
		struct table *table = &frame->tables[i];

		table->schema = schemas[i];
		table->blank = alloc_zeroed(1, schemas[i]->row_size);
		row_clear(table->blank, schemas[i]);
	}
}

void frame_close(struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		free(frame->tables[i].rows);
		free(frame->tables[i].blank);
	}
	free(frame->tables);
	arena_free(&frame->arena);
	*frame = (struct frame){ 0 };
}

void frame_clear(struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		frame->tables[i].n_rows = 0;
		frame->tables[i].present = false;
		frame->tables[i].mono_ns = 0;
	}
	arena_reset(&frame->arena);
	frame->mono_ns = frame->wall_ns = frame->interval_ns = 0;
	frame->host = NULL;
	frame->n_notices = 0;
}

struct table *frame_slot(const struct frame *frame, const char *topic)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (strcmp(frame->tables[i].schema->name, topic) == 0)
			return &frame->tables[i];
	return NULL;
}

struct table *frame_table(const struct frame *frame, const char *topic)
{
	struct table *table = frame_slot(frame, topic);

	return table && table->present ? table : NULL;
}

void *table_add(struct table *table)
{
	size_t size = table->schema->row_size;
	void *row;

	if (table->n_rows == table->capacity) {
		table->capacity = table->capacity ? table->capacity * 2 : FIRST_ROWS;
		table->rows = alloc_resize(table->rows, table->capacity, size);
	}
	row = table_row(table, table->n_rows++);
	memcpy(row, table->blank, size);
	return row;
}

static const struct column *first_key(const struct schema *schema)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY)
			return &schema->columns[i];
	return NULL;
}

const void *table_find(const struct table *table, const char *key)
{
	const struct column *column = first_key(table->schema);

	if (!column || column->type != VALUE_TEXT)
		return NULL;
	for (size_t i = 0; i < table->n_rows; i++) {
		const char *text = row_text(table_row(table, i), column);

		if (text && strcmp(text, key) == 0)
			return table_row(table, i);
	}
	return NULL;
}

double frame_number(const struct frame *frame, const char *topic, const char *row, const char *column)
{
	const struct table *table = frame_table(frame, topic);
	const void *found = NULL;
	int index;

	if (table && row)
		found = table_find(table, row);
	else if (table && table->n_rows > 0)
		found = table_row(table, 0);
	if (!found)
		return NAN;
	index = schema_column(table->schema, column);
	return index < 0 ? NAN : row_number(found, &table->schema->columns[index]);
}

static const char *copy(struct frame *frame, const char *text)
{
	return text ? arena_copy(&frame->arena, text, strlen(text)) : NULL;
}

void frame_notice(struct frame *frame, const char *topic, const char *remedy, const char *format, ...)
{
	char text[512];
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
		.topic = copy(frame, topic),
		.text = copy(frame, text),
		.remedy = copy(frame, remedy),
	};
}
