/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON: one object per sample and line. */
#include <config.h>

#include "output/json_writer.h"
#include "output/recording.h"
#include "output/sink.h"

static void add_value(struct json_writer *json, const struct column *column, const void *row)
{
	if (!row_is_known(row, column))
		jsonw_null(json);
	else if (column->type == VALUE_TEXT)
		jsonw_text(json, row_text(row, column));
	else if (column->type == VALUE_U64)
		jsonw_u64(json, row_u64(row, column));
	else
		jsonw_f64(json, row_f64(row, column));
}

static void add_table(struct json_writer *json, struct view *view, const struct frame *frame)
{
	const struct table *table = frame_table(frame, view->schema->name);

	jsonw_key(json, view->schema->name);
	jsonw_open(json, '[');
	if (table)
		view_apply(view, table);
	for (size_t r = 0; table && r < view->n_rows; r++) {
		jsonw_open(json, '{');
		for (unsigned c = 0; c < view->n_columns; c++) {
			const struct column *column = &view->schema->columns[view->columns[c]];

			jsonw_key(json, column->key);
			add_value(json, column, view->rows[r]);
		}
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

void jsonw_notices(struct json_writer *json, const struct frame *frame)
{
	jsonw_key(json, "notices");
	jsonw_open(json, '[');
	for (unsigned i = 0; i < frame->n_notices; i++) {
		jsonw_open(json, '{');
		jsonw_key(json, "topic");
		jsonw_text(json, frame->notices[i].topic);
		jsonw_key(json, "text");
		jsonw_text(json, frame->notices[i].text);
		jsonw_key(json, "remedy");
		jsonw_text(json, frame->notices[i].remedy);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

static int frame(struct sink *sink, const struct frame *frame)
{
	struct json_writer json = { .out = &sink->buffer };
	const struct plan *plan = sink->plan;
	char time[TIME_TEXT_MAX];

	jsonw_open(&json, '{');
	jsonw_key(&json, "time");
	jsonw_text(&json, time_utc(time, frame->wall_ns));
	jsonw_key(&json, "interval_seconds");
	if (frame->interval_ns)
		jsonw_f64(&json, (double)frame->interval_ns * 1e-9);
	else
		jsonw_null(&json);
	jsonw_key(&json, "host");
	jsonw_text(&json, frame->host);
	jsonw_key(&json, "panes");
	jsonw_open(&json, '[');
	for (unsigned i = 0; i < plan->n_panes; i++)
		jsonw_text(&json, plan->panes[i]);
	jsonw_close(&json, ']');
	jsonw_key(&json, "tables");
	jsonw_open(&json, '{');
	for (unsigned i = 0; i < plan->n_views; i++)
		add_table(&json, &plan->views[i], frame);
	jsonw_close(&json, '}');
	jsonw_notices(&json, frame);
	jsonw_close(&json, '}');
	buffer_char(&sink->buffer, '\n');
	return buffer_write(&sink->buffer, sink->fd);
}

const struct sink_format sink_json = { .name = "json", .frame = frame };
