/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV (RFC 4180): one table with a header line, time first, numbers in base units, unknown values empty. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "core/utf8.h"
#include "output/sink.h"

/* RFC 4180 allows no control characters; the text is UTF-8 in every locale. */
static void add_field(struct buffer *out, const char *text)
{
	struct span rest = span_text(text);
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	if (quoted)
		buffer_char(out, '"');
	while (rest.at < rest.end) {
		uint32_t code = utf8_next(&rest);

		if (code == '"')
			buffer_char(out, '"');
		utf8_add_harmless(out, code);
	}
	if (quoted)
		buffer_char(out, '"');
}

static void add_value(struct buffer *out, const struct column *column, const void *row)
{
	char time[CLOCK_TEXT_MAX];

	if (!row_is_known(row, column))
		return;
	if (column->type == VALUE_TEXT)
		add_field(out, row_text(row, column));
	else if (column->unit == UNIT_TIME)
		buffer_text(out, clock_utc(time, row_u64(row, column)));
	else if (column->type == VALUE_U64)
		buffer_print(out, "%" PRIu64, row_u64(row, column));
	else
		buffer_f64(out, row_f64(row, column));
}

/* Events have their own times, which replace the sample's; NULL if rows have none. */
static const struct column *own_time(const struct schema *schema)
{
	return schema->shape == SHAPE_EVENTS ? schema_find(schema, "time") : NULL;
}

static int begin(struct sink *sink)
{
	const struct view *view = &sink->print->views[0];
	const struct column *own = own_time(view->schema);

	buffer_text(&sink->buffer, "time");
	for (unsigned i = 0; i < view->n_columns; i++)
		if (&view->schema->columns[view->columns[i]] != own)
			buffer_print(&sink->buffer, ",%s", view->schema->columns[view->columns[i]].key);
	buffer_text(&sink->buffer, "\r\n");
	return sink_flush(sink);
}

static void add_row(struct buffer *out, const struct view *view, const void *row, const char *time)
{
	const struct column *own = own_time(view->schema);

	if (own)
		add_value(out, own, row);
	else
		buffer_text(out, time);
	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = &view->schema->columns[view->columns[c]];

		if (column == own)
			continue;
		buffer_char(out, ',');
		add_value(out, column, row);
	}
	buffer_text(out, "\r\n");
}

static int frame(struct sink *sink, const struct frame *frame)
{
	struct view *view = &sink->print->views[0];
	const struct table *table = frame_table(frame, view->schema->name);
	char time[CLOCK_TEXT_MAX];

	if (!table || !print_wants(sink->print, view, frame))
		return 0;
	view_apply(view, table);
	clock_utc(time, frame->wall_ns);
	for (size_t r = 0; r < view->n_rows && !sink_breaks_off(sink); r++)
		add_row(&sink->buffer, view, view->rows[r], time);
	return sink_flush(sink);
}

const struct sink_format sink_csv = {
	.name = "csv",
	.streams = true,
	.one_table = true,
	.begin = begin,
	.frame = frame,
};
