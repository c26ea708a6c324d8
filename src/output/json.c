/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON: a small streaming writer of it, and the format with one object per sample and line. */
#include <config.h>

#include "output/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/utf8.h"
#include "output/sink.h"

/* A small streaming writer of JSON. */

static void separate(struct json_writer *json)
{
	if (json->need_comma)
		buffer_char(json->out, ',');
	json->need_comma = true;
}

void jsonw_open(struct json_writer *json, char bracket)
{
	separate(json);
	buffer_char(json->out, bracket);
	json->need_comma = false;
}

void jsonw_close(struct json_writer *json, char bracket)
{
	buffer_char(json->out, bracket);
	json->need_comma = true;
}

static void escape(struct buffer *out, uint32_t code)
{
	char bytes[UTF8_BYTES_MAX];

	if (code == UTF8_INVALID)
		buffer_add(out, bytes, utf8_put(bytes, UTF8_REPLACEMENT));
	else if (code == '"' || code == '\\')
		buffer_print(out, "\\%c", (char)code);
	else if (code > 0xffff && utf8_is_harmful(code))
		buffer_print(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			     0xdc00 + ((code - 0x10000) & 0x3ff));
	else if (utf8_is_harmful(code))
		buffer_print(out, "\\u%04x", code);
	else
		buffer_add(out, bytes, utf8_put(bytes, code));
}

static void quote(struct buffer *out, const char *text)
{
	struct span rest = span_text(text);

	buffer_char(out, '"');
	while (rest.at < rest.end)
		escape(out, utf8_next(&rest));
	buffer_char(out, '"');
}

void jsonw_key(struct json_writer *json, const char *key)
{
	separate(json);
	quote(json->out, key);
	buffer_char(json->out, ':');
	json->need_comma = false;
}

void jsonw_text(struct json_writer *json, const char *text)
{
	separate(json);
	if (text)
		quote(json->out, text);
	else
		buffer_text(json->out, "null");
}

void jsonw_key_text(struct json_writer *json, const char *key, const char *text)
{
	jsonw_key(json, key);
	jsonw_text(json, text);
}

void jsonw_key_open(struct json_writer *json, const char *key, char bracket)
{
	jsonw_key(json, key);
	jsonw_open(json, bracket);
}

void jsonw_u64(struct json_writer *json, uint64_t number)
{
	separate(json);
	buffer_print(json->out, "%" PRIu64, number);
}

void jsonw_f64(struct json_writer *json, double number)
{
	separate(json);
	if (isfinite(number))
		buffer_f64(json->out, number);
	else
		buffer_text(json->out, "null");
}

void jsonw_bool(struct json_writer *json, bool value)
{
	separate(json);
	buffer_text(json->out, value ? "true" : "false");
}

void jsonw_null(struct json_writer *json)
{
	separate(json);
	buffer_text(json->out, "null");
}

void jsonw_notice(struct json_writer *json, const struct notice *notice)
{
	jsonw_open(json, '{');
	jsonw_key_text(json, "topic", notice->topic);
	jsonw_key_text(json, "text", notice->text);
	jsonw_key_text(json, "remedy", notice->remedy);
	jsonw_close(json, '}');
}

static void add_value(struct json_writer *json, const struct column *column, const void *row)
{
	char time[CLOCK_TEXT_MAX];

	if (!row_is_known(row, column))
		jsonw_null(json);
	else if (column->type == VALUE_TEXT)
		jsonw_text(json, row_text(row, column));
	else if (column->unit == UNIT_TIME)
		jsonw_text(json, clock_utc(time, row_u64(row, column)));
	else if (column->type == VALUE_U64)
		jsonw_u64(json, row_u64(row, column));
	else
		jsonw_f64(json, row_f64(row, column));
}

/* Returns the number of rows. */
static size_t add_table(struct sink *sink, struct json_writer *json, struct view *view,
			const struct frame *frame)
{
	const struct table *table = frame_table(frame, view->schema->name);

	jsonw_key_open(json, view->schema->name, '[');
	if (table)
		view_apply(view, table);
	for (size_t r = 0; table && r < view->n_rows && !sink_breaks_off(sink); r++) {
		jsonw_open(json, '{');
		for (unsigned c = 0; c < view->n_columns; c++) {
			const struct column *column = &view->schema->columns[view->columns[c]];

			jsonw_key(json, column->key);
			add_value(json, column, view->rows[r]);
		}
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
	return table ? view->n_rows : 0;
}

static size_t add_tables(struct sink *sink, struct json_writer *json, const struct frame *frame)
{
	const struct print_plan *print = sink->print;
	size_t n_rows = 0;

	jsonw_key_open(json, "tables", '{');
	for (unsigned i = 0; i < print->n_views; i++)
		if (print_wants(print, &print->views[i], frame))
			n_rows += add_table(sink, json, &print->views[i], frame);
	jsonw_close(json, '}');
	return n_rows;
}

/* Is it about a printed table, or about the recording itself? A recording has notices of all its tables. */
static bool belongs(const struct print_plan *print, const struct frame *frame, const struct notice *notice)
{
	for (unsigned i = 0; i < print->n_views; i++)
		if (strcmp(print->views[i].schema->name, notice->topic) == 0)
			return true;
	return !frame_slot(frame, notice->topic);
}

static int frame(struct sink *sink, const struct frame *frame)
{
	struct json_writer json = { .out = &sink->buffer };
	const struct print_plan *print = sink->print;
	char time[CLOCK_TEXT_MAX];
	size_t n_rows;

	jsonw_open(&json, '{');
	jsonw_key_text(&json, "time", clock_utc(time, frame->wall_ns));
	if (frame->since_ns) {
		jsonw_key_text(&json, "since", clock_utc(time, frame->since_ns));
	}
	jsonw_key(&json, "interval_seconds");
	if (frame->interval_ns)
		jsonw_f64(&json, (double)frame->interval_ns / 1e9);
	else
		jsonw_null(&json);
	jsonw_key_text(&json, "host", frame->host);
	jsonw_key_text(&json, "version", PACKAGE_VERSION);
	jsonw_key_open(&json, "panes", '[');
	for (unsigned i = 0; i < print->n_panes; i++)
		jsonw_text(&json, print->panes[i]);
	jsonw_close(&json, ']');
	n_rows = add_tables(sink, &json, frame);
	jsonw_key_open(&json, "notices", '[');
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (belongs(print, frame, &frame->notices[i]))
			jsonw_notice(&json, &frame->notices[i]);
	jsonw_close(&json, ']');
	jsonw_close(&json, '}');
	buffer_char(&sink->buffer, '\n');
	if (frame->only_events && n_rows == 0 && frame->n_notices == 0)
		buffer_empty(&sink->buffer); /* the filter left no events, and this is not a whole sample */
	return sink_flush(sink);
}

const struct sink_format sink_json = { .name = "json", .streams = true, .frame = frame };
