/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line per sample, and mean, spread and bounds of each of its numbers at the end. */
#include <config.h>

#include "output/line.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/statistics.h"

#define TIME_CELLS 8
#define HEADINGS_EVERY 20 /* lines, where no terminal tells how many it has */
#define CELLS_MAX 32

struct line_state {
	struct statistics statistics[CELLS_MAX];
	const struct column *columns[CELLS_MAX];
};

static void add_right(struct sink *sink, const char *text, int width)
{
	int cells = utf8_cells(text, sink->print->ascii);

	buffer_fill(&sink->buffer, ' ', (size_t)(width > cells ? width - cells : 0) + 1);
	utf8_clean(&sink->buffer, text, -1, sink->print->ascii);
}

static const char *title_of(const struct line_cell *cell, const struct column *column)
{
	return cell->title ? _(cell->title) : column ? column_title(column) : "";
}

static void add_headings(struct sink *sink)
{
	const struct line_cell *cells = sink->print->line;

	buffer_print(&sink->buffer, "%-*s", TIME_CELLS, _("time"));
	for (unsigned i = 0; i < CELLS_MAX && cells[i].series.topic; i++)
		add_right(sink, title_of(&cells[i], sink->line->columns[i]), cells[i].width);
	buffer_char(&sink->buffer, '\n');
}

/* As often as a terminal is full, the line of the shell and the headings themselves left out. */
static bool headings_are_due(const struct sink *sink)
{
	struct winsize size;
	unsigned long every = HEADINGS_EVERY;

	if (ioctl(sink->fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 4)
		every = size.ws_row - 2U;
	return sink->frames % every == 0;
}

static void find_columns(struct sink *sink, const struct frame *frame)
{
	const struct line_cell *cells = sink->print->line;

	sink->line = alloc_zeroed(1, sizeof(*sink->line));
	for (unsigned i = 0; i < CELLS_MAX && cells[i].series.topic; i++) {
		const struct table *table = frame_slot(frame, cells[i].series.topic);

		if (table)
			sink->line->columns[i] = schema_find(table->schema, cells[i].series.column);
	}
}

static void add_number(struct sink *sink, unsigned index, double value)
{
	const struct column *column = sink->line->columns[index];
	char text[VALUE_TEXT_MAX];

	add_right(sink, column ? number_text(text, column, value, sink->print->ascii) : "-",
		  sink->print->line[index].width);
}

int line_frame(struct sink *sink, const struct frame *frame)
{
	const struct line_cell *cells = sink->print->line;
	char time[CLOCK_TEXT_MAX];

	if (!sink->line)
		find_columns(sink, frame);
	if (headings_are_due(sink))
		add_headings(sink);
	buffer_print(&sink->buffer, "%-*s", TIME_CELLS, clock_local(time, frame->wall_ns, "%H:%M:%S"));
	for (unsigned i = 0; i < CELLS_MAX && cells[i].series.topic; i++) {
		double value = frame_number(frame, cells[i].series.topic, cells[i].series.row,
					    cells[i].series.column);

		statistics_add(&sink->line->statistics[i], value, (double)frame->interval_ns);
		add_number(sink, i, value);
	}
	buffer_char(&sink->buffer, '\n');
	return sink_flush(sink);
}

int line_end(struct sink *sink)
{
	static const struct {
		const char *name;
		double (*of)(const struct statistics *statistics);
	} rows[] = {
		{ N_("mean"), statistics_mean },        { N_("geomean"), statistics_geometric_mean },
		{ N_("stddev"), statistics_deviation }, { N_("min"), statistics_minimum },
		{ N_("max"), statistics_maximum },
	};

	if (!sink->line || sink->frames < 2)
		return 0;
	buffer_char(&sink->buffer, '\n');
	add_headings(sink);
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		buffer_print(&sink->buffer, "%-*s", TIME_CELLS, _(rows[row].name));
		for (unsigned i = 0; i < CELLS_MAX && sink->print->line[i].series.topic; i++)
			add_number(sink, i, rows[row].of(&sink->line->statistics[i]));
		buffer_char(&sink->buffer, '\n');
	}
	return sink_flush(sink);
}
