/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as JSON lines: the first lists the columns, each of the others is one raw frame. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/json_writer.h"
#include "output/recording.h"
#include "output/sink.h"

bool recording_is_lines(const char *file)
{
	static const char suffix[] = ".jsonl";
	size_t length = strlen(file);

	return length >= sizeof(suffix) && strcmp(file + length - (sizeof(suffix) - 1), suffix) == 0;
}

static void add_schema(struct json_writer *json, const struct schema *schema)
{
	jsonw_key(json, schema->name);
	jsonw_open(json, '{');
	jsonw_key(json, "shape");
	jsonw_text(json, shape_name(schema->shape));
	jsonw_key(json, "columns");
	jsonw_open(json, '[');
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			continue;
		jsonw_open(json, '{');
		jsonw_key(json, "key");
		jsonw_text(json, column->key);
		jsonw_key(json, "type");
		jsonw_text(json, type_name(column->type));
		jsonw_key(json, "kind");
		jsonw_text(json, kind_name(column->kind));
		jsonw_key(json, "unit");
		jsonw_text(json, unit_name(column->unit));
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

static void add_header(struct json_writer *json, const struct frame *frame)
{
	jsonw_open(json, '{');
	jsonw_key(json, "panetop");
	jsonw_text(json, RECORDING_LINES);
	jsonw_key(json, "format");
	jsonw_u64(json, RECORDING_LINES_FORMAT);
	jsonw_key(json, "version");
	jsonw_text(json, PACKAGE_VERSION);
	jsonw_key(json, "topics");
	jsonw_open(json, '{');
	for (unsigned i = 0; i < frame->n_tables; i++)
		add_schema(json, frame->tables[i].schema);
	jsonw_close(json, '}');
	jsonw_close(json, '}');
}

/* Numbers too large for the integers of JSON readers are written as text. */
static void add_value(struct json_writer *json, const struct column *column, const void *row)
{
	char digits[24];

	if (column->type == VALUE_TEXT) {
		jsonw_text(json, row_text(row, column));
	} else if (row_is_blank(row, column)) {
		jsonw_bool(json, false);
	} else if (!row_is_known(row, column)) {
		jsonw_null(json);
	} else if (column->type == VALUE_F64) {
		jsonw_f64(json, row_f64(row, column));
	} else if (row_u64(row, column) > INT64_MAX) {
		snprintf(digits, sizeof(digits), "%" PRIu64, row_u64(row, column));
		jsonw_text(json, digits);
	} else {
		jsonw_u64(json, row_u64(row, column));
	}
}

static void add_table(struct json_writer *json, const struct table *table)
{
	jsonw_key(json, table->schema->name);
	jsonw_open(json, '{');
	jsonw_key(json, "mono_ns");
	jsonw_u64(json, table->mono_ns);
	if (table->failed) {
		jsonw_key(json, "failed");
		jsonw_bool(json, true);
	}
	jsonw_key(json, "rows");
	jsonw_open(json, '[');
	for (size_t r = 0; r < table->n_rows; r++) {
		jsonw_open(json, '[');
		for (unsigned c = 0; c < table->schema->n_columns; c++)
			if (table->schema->columns[c].kind != COLUMN_RATE)
				add_value(json, &table->schema->columns[c], table_row(table, r));
		jsonw_close(json, ']');
	}
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

/* The clock comes first: a seek only reads the start of a line. */
static void add_frame(struct json_writer *json, const struct frame *frame)
{
	jsonw_open(json, '{');
	jsonw_key(json, "wall_ns");
	jsonw_u64(json, frame->wall_ns);
	jsonw_key(json, "mono_ns");
	jsonw_u64(json, frame->mono_ns);
	jsonw_key(json, "host");
	jsonw_text(json, frame->host);
	jsonw_key(json, "tables");
	jsonw_open(json, '{');
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (frame->tables[i].present && !frame->tables[i].schema->derived)
			add_table(json, &frame->tables[i]);
	jsonw_close(json, '}');
	jsonw_key(json, "notices");
	jsonw_open(json, '[');
	for (unsigned i = 0; i < frame->n_notices; i++)
		jsonw_notice(json, &frame->notices[i]);
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

static int frame(struct sink *sink, const struct frame *frame)
{
	struct json_writer json = { .out = &sink->buffer };
	bool written;

	if (sink->good_bytes == 0) {
		add_header(&json, frame);
		buffer_char(&sink->buffer, '\n');
		json.need_comma = false;
	}
	add_frame(&json, frame);
	buffer_char(&sink->buffer, '\n');
	return record_write(sink, 1, &written);
}

const struct sink_format sink_record_lines = {
	.name = "record", .records = true, .frame = frame, .end = record_end
};
