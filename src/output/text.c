/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people: tables with headings, right-aligned numbers, nothing that could harm a terminal. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/statistics.h"
#include "output/sink.h"

#define TIME_CELLS 8
#define HEADINGS_EVERY 20 /* lines, if the output is not a terminal */
#define CELLS_MAX 32
#define LABEL_CELLS 12
#define LABEL_BYTES 128

/* A printed column: a number of one row. */
struct cell {
	const struct summary_column *plan;
	const struct column *column;               /* NULL: there is no such topic */
	char row[LABEL_BYTES], title[LABEL_BYTES]; /* "": those of the plan */
	struct statistics statistics;
};

static const struct {
	const char *name;
	double (*of)(const struct statistics *statistics);
} summary_rows[] = {
	{ N_("mean"), statistics_mean },        { N_("geomean"), statistics_geometric_mean },
	{ N_("stddev"), statistics_deviation }, { N_("min"), statistics_minimum },
	{ N_("max"), statistics_maximum },
};

#define N_ROWS (sizeof(summary_rows) / sizeof(summary_rows[0]))

struct summary_line {
	int name_width; /* depends on the language */
	struct cell cells[CELLS_MAX];
	unsigned n_cells;
};

static void add_right(struct sink *sink, const char *text, int width)
{
	buffer_char(&sink->buffer, ' ');
	utf8_padded_left(&sink->buffer, text, width, sink->print->ascii);
}

static const char *title_of(const struct cell *cell)
{
	if (*cell->title)
		return cell->title;
	return cell->plan->title ? _(cell->plan->title) : cell->column ? column_title(cell->column) : "";
}

static int width_of(const struct cell *cell, bool ascii)
{
	int title = utf8_cells(title_of(cell), ascii);

	return title > cell->plan->width ? title : cell->plan->width;
}

static void add_name(struct sink *sink, const char *name)
{
	utf8_padded(&sink->buffer, name, sink->summary->name_width, sink->print->ascii);
}

static void add_headings(struct sink *sink)
{
	const struct summary_line *line = sink->summary;

	add_name(sink, _("time"));
	for (unsigned i = 0; i < line->n_cells; i++)
		add_right(sink, title_of(&line->cells[i]), width_of(&line->cells[i], sink->print->ascii));
	buffer_char(&sink->buffer, '\n');
}

/* Once per screenful, without the prompt line and the headings themselves. */
static bool headings_are_due(const struct sink *sink)
{
	struct winsize size;
	unsigned long every = HEADINGS_EVERY;

	if (ioctl(sink->fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 4)
		every = size.ws_row - 2U;
	return sink->frames % every == 0;
}

static struct cell *take_cell(struct summary_line *line, const struct summary_column *plan,
			      const struct table *table)
{
	struct cell *cell;

	if (line->n_cells == CELLS_MAX)
		return NULL;
	cell = &line->cells[line->n_cells++];
	cell->plan = plan;
	cell->column = table ? schema_find(table->schema, plan->series.column) : NULL;
	return cell;
}

/* A heading without blanks, so that programs can count columns. */
static void set_title(struct cell *cell, const char *label, bool ascii)
{
	struct buffer title = { 0 };

	utf8_clean(&title, label, LABEL_CELLS, ascii);
	for (size_t i = 0; i < title.length && i + 1 < LABEL_BYTES; i++)
		cell->title[i] = title.bytes[i] == ' ' ? '_' : title.bytes[i];
	buffer_free(&title);
}

/* Adds the summary_rows of the first sample, named by columns[0]. */
static void add_row_cells(struct sink *sink, const struct summary_column *plan, const struct table *table)
{
	for (size_t i = 0; i < table->n_rows && i < plan->rows; i++) {
		const void *row = table_row(table, i);
		const char *label = table_text(table, row, "label");
		const char *name = table_text(table, row, table->schema->columns[0].key);
		struct cell *cell = strlen(name) < LABEL_BYTES ? take_cell(sink->summary, plan, table) : NULL;

		if (!cell)
			continue;
		strcpy(cell->row, name);
		set_title(cell, *label ? label : name, sink->print->ascii);
	}
}

static int name_width(bool ascii)
{
	int width = utf8_cells(_("time"), ascii);

	width = width > TIME_CELLS ? width : TIME_CELLS;
	for (size_t row = 0; row < N_ROWS; row++) {
		int cells = utf8_cells(_(summary_rows[row].name), ascii);

		width = cells > width ? cells : width;
	}
	return width;
}

static void find_cells(struct sink *sink, const struct frame *frame)
{
	sink->summary = alloc_zeroed(1, sizeof(*sink->summary));
	sink->summary->name_width = name_width(sink->print->ascii);
	for (const struct summary_column *plan = sink->print->summary; plan->series.topic; plan++) {
		const struct table *table = frame_slot(frame, plan->series.topic);

		if (plan->rows > 0 && table && table->n_rows > 0)
			add_row_cells(sink, plan, table);
		else
			take_cell(sink->summary, plan, table);
	}
}

static void add_number(struct sink *sink, const struct cell *cell, double value)
{
	char text[VALUE_TEXT_MAX];

	add_right(sink, cell->column ? number_text(text, cell->column, value, sink->print->ascii) : "-",
		  width_of(cell, sink->print->ascii));
}

/* For a sink whose plan has a summary line. Both return the result of sink_flush(). */
static int summary_line_frame(struct sink *sink, const struct frame *frame)
{
	char time[CLOCK_TEXT_MAX];

	if (!sink->summary)
		find_cells(sink, frame);
	if (headings_are_due(sink))
		add_headings(sink);
	add_name(sink, clock_local(time, frame->wall_ns, "%H:%M:%S"));
	for (unsigned i = 0; i < sink->summary->n_cells; i++) {
		struct cell *cell = &sink->summary->cells[i];
		const struct series *series = &cell->plan->series;
		double value = frame_number(frame, series->topic, *cell->row ? cell->row : series->row,
					    series->column);

		statistics_add(&cell->statistics, value, (double)frame->interval_ns);
		add_number(sink, cell, value);
	}
	buffer_char(&sink->buffer, '\n');
	return sink_flush(sink);
}

static int summary_line_end(struct sink *sink)
{
	if (!sink->summary || sink->frames < 2)
		return 0;
	buffer_char(&sink->buffer, '\n');
	add_headings(sink);
	for (size_t row = 0; row < N_ROWS; row++) {
		add_name(sink, _(summary_rows[row].name));
		for (unsigned i = 0; i < sink->summary->n_cells; i++)
			add_number(sink, &sink->summary->cells[i],
				   summary_rows[row].of(&sink->summary->cells[i].statistics));
		buffer_char(&sink->buffer, '\n');
	}
	return sink_flush(sink);
}

#define PROSE_INDENT 4

static const struct column *column_of(const struct view *view, unsigned index)
{
	return &view->schema->columns[view->columns[index]];
}

static void add_cell(struct sink *sink, const char *text, int width, bool left, bool last)
{
	struct buffer *out = &sink->buffer;

	if (!left)
		utf8_padded_left(out, text, width, sink->print->ascii);
	else
		utf8_padded(out, text, last ? 0 : width, sink->print->ascii);
	if (!last)
		buffer_char(out, ' ');
}

/* How a table is printed. */
struct layout {
	const struct view *view;
	struct value_format format;
	int *widths;
	unsigned shown[VIEW_COLUMNS_MAX], n_shown;
};

/* Widths only grow from sample to sample, so that columns stay where they are. */
static void measure(struct sink *sink, const struct layout *layout)
{
	const struct view *view = layout->view;
	char number[VALUE_TEXT_MAX];

	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);
		int title = utf8_cells(column_title(column), sink->print->ascii), *width = &layout->widths[c];

		*width = *width > column->width ? *width : column->width;
		*width = *width > title ? *width : title;
		for (size_t r = 0; r < view->n_rows && !sink_breaks_off(sink); r++) {
			const char *text =
				value_text(number, view->schema, column, view->rows[r], &layout->format);
			int cells = utf8_cells(text, sink->print->ascii);

			*width = *width > cells ? *width : cells;
		}
	}
}

static void trim_line(struct buffer *out)
{
	while (out->length > 0 && out->bytes[out->length - 1] == ' ')
		out->length--;
	buffer_char(out, '\n');
}

static void add_heading(struct sink *sink, const struct layout *layout)
{
	for (unsigned i = 0; i < layout->n_shown; i++) {
		const struct column *column = column_of(layout->view, layout->shown[i]);

		add_cell(sink, column_title(column), layout->widths[layout->shown[i]], column_is_left(column),
			 false);
	}
	buffer_print(&sink->buffer, " %s", size_unit_heading(layout->view->schema, layout->format.unit));
	trim_line(&sink->buffer);
}

/* The sentences of a row, each with its heading, below the row. */
static void add_prose(struct sink *sink, const struct view *view, const void *row)
{
	struct buffer *out = &sink->buffer;
	bool ascii = sink->print->ascii;

	for (unsigned c = 0; c < view->n_columns; c++) {
		const struct column *column = column_of(view, c);
		const char *text = row_text(row, column);
		int at;

		if (!column->prose || !text || !*text)
			continue;
		buffer_print(out, "%*s%s: ", PROSE_INDENT, "", column_title(column));
		at = PROSE_INDENT + utf8_cells(column_title(column), ascii) + 2;
		utf8_wrapped(out, text, at, 2 * PROSE_INDENT, sink->print->wrap_cells, ascii);
		trim_line(out);
	}
}

static void add_rows(struct sink *sink, const struct layout *layout)
{
	const struct view *view = layout->view;
	char number[VALUE_TEXT_MAX];
	int wrap_cells = view->schema->shape == SHAPE_EVENTS ? 0 : sink->print->wrap_cells;

	for (size_t r = 0; r < view->n_rows && !sink_breaks_off(sink); r++) {
		int at = 0;

		for (unsigned i = 0; i < layout->n_shown; i++) {
			const struct column *column = column_of(view, layout->shown[i]);
			const char *text =
				value_text(number, view->schema, column, view->rows[r], &layout->format);
			int width = layout->widths[layout->shown[i]];
			bool last = i + 1 == layout->n_shown;

			if (last && wrap_cells > 0)
				utf8_wrapped(&sink->buffer, text, at, at, wrap_cells, sink->print->ascii);
			else
				add_cell(sink, text, width, column_is_left(column), last);
			at += width + 1;
		}
		trim_line(&sink->buffer);
		if (wrap_cells > 0)
			add_prose(sink, view, view->rows[r]);
	}
}

static void add_table(struct sink *sink, struct view *view, const struct frame *frame,
		      const struct table *table, int *widths)
{
	struct layout layout = { .view = view,
				 .format = { .unit = size_unit_of_table(table, sink->print->unit),
					     .ascii = sink->print->ascii,
					     .cpus = view_cpus(view, frame) },
				 .widths = widths };
	bool wrapped = sink->print->wrap_cells > 0;

	view_apply(view, table);
	for (unsigned c = 0; c < view->n_columns; c++)
		if (view_shows(view, column_of(view, c)) && !(wrapped && column_of(view, c)->prose))
			layout.shown[layout.n_shown++] = c;
	measure(sink, &layout);
	add_heading(sink, &layout);
	add_rows(sink, &layout);
	for (unsigned i = 0; i < layout.n_shown; i++) { /* explains the marks in its headings */
		const struct column *column = column_of(view, layout.shown[i]);

		if (column->mark)
			buffer_print(&sink->buffer, "%s\n", _(column->mark));
	}
}

/* Events are lines of one endless table: all columns in their own width, with one heading. */
static struct layout event_layout(const struct sink *sink, const struct view *view, int *widths)
{
	struct layout layout = { .view = view,
				 .format = { .unit = sink->print->unit, .ascii = sink->print->ascii },
				 .widths = widths,
				 .n_shown = view->n_columns };

	for (unsigned c = 0; c < view->n_columns; c++)
		layout.shown[c] = c;
	return layout;
}

static void add_clock(struct buffer *out, uint64_t wall_ns)
{
	char text[CLOCK_TEXT_MAX];

	buffer_print(out, "%s.%03u ", clock_local(text, wall_ns, "%Y-%m-%d %H:%M:%S"),
		     (unsigned)(wall_ns / 1000000 % 1000));
}

/* "B - A": both times and the span. */
static void add_span(struct sink *sink, const struct frame *difference)
{
	char span[VALUE_TEXT_MAX];

	add_clock(&sink->buffer, difference->wall_ns);
	buffer_text(&sink->buffer, "- ");
	add_clock(&sink->buffer, difference->since_ns);
	if (difference->interval_ns > 0)
		buffer_print(&sink->buffer, "(%s) ",
			     duration_text(span, (double)difference->interval_ns / 1e9, sink->print->ascii));
}

static void add_time(struct sink *sink, const struct frame *frame)
{
	if (frame->since_ns)
		add_span(sink, frame);
	else
		add_clock(&sink->buffer, frame->wall_ns);
	utf8_clean(&sink->buffer, frame->host ? frame->host : "", -1, sink->print->ascii);
	buffer_char(&sink->buffer, '\n');
}

static int *widths_of(const struct sink *sink, unsigned index)
{
	return sink->widths + (size_t)index * VIEW_COLUMNS_MAX;
}

static int begin(struct sink *sink)
{
	const struct print_plan *print = sink->print;

	if (!sink->widths)
		sink->widths = alloc_zeroed((size_t)print->n_views * VIEW_COLUMNS_MAX, sizeof(*sink->widths));
	for (unsigned i = 0; i < print->n_views; i++) {
		const struct layout layout = event_layout(sink, &print->views[i], widths_of(sink, i));

		if (print->views[i].schema->shape != SHAPE_EVENTS)
			continue;
		measure(sink, &layout);
		add_heading(sink, &layout);
	}
	sink->streaming = sink->buffer.length > 0;
	return sink_flush(sink);
}

/* A blank line before each part of a sample, and its time before the first one. */
static void begin_part(struct sink *sink, const struct frame *frame, bool first)
{
	if (!first || sink->frames > 0 || sink->streaming)
		buffer_char(&sink->buffer, '\n');
	if (first && (sink->print->repeated || frame->since_ns))
		add_time(sink, frame);
}

/* That there is nothing, where that is the news: what follows from other tables was looked for. */
static bool says_none(const struct table *table)
{
	return table->n_rows == 0 && table->schema->derived && table->schema->none;
}

static bool add_view(struct sink *sink, unsigned index, const struct frame *frame, bool first)
{
	struct view *view = &sink->print->views[index];
	const struct table *table = frame_table(frame, view->schema->name);
	const struct notice *lack;

	if (!table || view->schema->shape == SHAPE_EVENTS || !print_wants(sink->print, view, frame) ||
	    (table->n_rows == 0 && !says_none(table)))
		return false;
	lack = frame_newest_notice(frame, table->schema->name);
	begin_part(sink, frame, first);
	if (says_none(table)) /* or why it is not known */
		buffer_print(&sink->buffer, "%s\n", lack ? lack->text : _(table->schema->none));
	else
		add_table(sink, view, frame, table, widths_of(sink, index));
	return true;
}

/* The tables of a sample follow a line with its time, after a blank line. */
static void add_tables(struct sink *sink, const struct frame *frame)
{
	const struct print_plan *print = sink->print;
	bool any = false;

	for (unsigned i = 0; i < print->n_views; i++) {
		if (print->lines && i == print->n_above) {
			begin_part(sink, frame, !any);
			print->lines(frame, print->ascii, &sink->buffer);
			any = true;
		}
		any |= add_view(sink, i, frame, !any);
	}
	sink->streaming = sink->streaming && !any;
}

static void add_stream(struct sink *sink, const struct frame *frame)
{
	const struct print_plan *print = sink->print;

	for (unsigned i = 0; i < print->n_views; i++) {
		struct view *view = &print->views[i];
		struct layout layout;
		const struct table *table = frame_table(frame, view->schema->name);

		if (!table || table->n_rows == 0 || view->schema->shape != SHAPE_EVENTS ||
		    !print_wants(print, view, frame))
			continue;
		if (!sink->streaming)
			buffer_char(&sink->buffer, '\n');
		sink->streaming = true;
		layout = event_layout(sink, view, widths_of(sink, i));
		view_apply(view, table);
		add_rows(sink, &layout);
	}
}

static int frame(struct sink *sink, const struct frame *frame)
{
	if (sink->print->summary)
		return summary_line_frame(sink, frame);
	add_stream(sink, frame);
	add_tables(sink, frame);
	return sink_flush(sink);
}

static int end(struct sink *sink)
{
	return sink->print->summary ? summary_line_end(sink) : 0;
}

const struct sink_format sink_text = {
	.name = "text",
	.streams = true,
	.begin = begin,
	.frame = frame,
	.end = end,
};
