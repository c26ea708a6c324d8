/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line per sample, and the mean, deviation and range of each number at the end. */
#include <config.h>

#include "output/summary_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/statistics.h"

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
} rows[] = {
	{ N_("mean"), statistics_mean },        { N_("geomean"), statistics_geometric_mean },
	{ N_("stddev"), statistics_deviation }, { N_("min"), statistics_minimum },
	{ N_("max"), statistics_maximum },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

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

static struct cell *add_cell(struct summary_line *line, const struct summary_column *plan,
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

/* Adds the rows of the first sample, named by columns[0]. */
static void add_rows(struct sink *sink, const struct summary_column *plan, const struct table *table)
{
	for (size_t i = 0; i < table->n_rows && i < plan->rows; i++) {
		const void *row = table_row(table, i);
		const char *label = table_text(table, row, "label");
		const char *name = table_text(table, row, table->schema->columns[0].key);
		struct cell *cell = strlen(name) < LABEL_BYTES ? add_cell(sink->summary, plan, table) : NULL;

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
		int cells = utf8_cells(_(rows[row].name), ascii);

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
			add_rows(sink, plan, table);
		else
			add_cell(sink->summary, plan, table);
	}
}

static void add_number(struct sink *sink, const struct cell *cell, double value)
{
	char text[VALUE_TEXT_MAX];

	add_right(sink, cell->column ? number_text(text, cell->column, value, sink->print->ascii) : "-",
		  width_of(cell, sink->print->ascii));
}

int summary_line_frame(struct sink *sink, const struct frame *frame)
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

int summary_line_end(struct sink *sink)
{
	if (!sink->summary || sink->frames < 2)
		return 0;
	buffer_char(&sink->buffer, '\n');
	add_headings(sink);
	for (size_t row = 0; row < N_ROWS; row++) {
		add_name(sink, _(rows[row].name));
		for (unsigned i = 0; i < sink->summary->n_cells; i++)
			add_number(sink, &sink->summary->cells[i],
				   rows[row].of(&sink->summary->cells[i].statistics));
		buffer_char(&sink->buffer, '\n');
	}
	return sink_flush(sink);
}
