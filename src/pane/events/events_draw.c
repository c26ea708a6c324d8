/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the events pane: rates and losses above the events themselves. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/events/events.h"

#define TABLE_LINES_MIN 4

static double sum(const struct table *table, const char *column)
{
	double all = NAN;

	for (size_t i = 0; i < table->n_rows; i++) {
		double value = table_number(table, table_row(table, i), column);

		if (!isnan(value))
			all = isnan(all) ? value : all + value;
	}
	return all;
}

static void list_sources(char *text, size_t room, const struct table *table)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i + 1 < table->n_rows && used < room; i++) {
		const void *row = table_row(table, i);

		if (isnan(table_number(table, row, "received")))
			continue;
		used += (size_t)snprintf(text + used, room - used, "%s%s", used ? " + " : "",
					 table_text(table, row, "source"));
	}
}

static int draw_number(const struct canvas *canvas, int x, enum style style, const char *format,
		       const char *value)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), format, value);
	return canvas_piece(canvas, 0, x, style, text);
}

/* "lost 0  fork 312/s  exec 148/s  exit 309/s  failed 4/s  unnamed 0  from perf + connector" */
static int draw_headline(const struct canvas *canvas, const struct frame *frame)
{
	const struct table *sources = frame_table(frame, "event_source");
	const struct {
		const char *format, *column;
	} rates[] = { { _("fork %s/s"), "forks_per_second" },
		      { _("exec %s/s"), "execs_per_second" },
		      { _("exit %s/s"), "exits_per_second" },
		      { _("failed %s/s"), "failures_per_second" } };
	char value[VALUE_TEXT_MAX], from[64];
	double n_lost;
	int x;

	if (!sources || sources->n_rows == 0)
		return 0;
	n_lost = sum(sources, "lost");
	x = draw_number(canvas, 0, n_lost > 0 ? STYLE_BAD : STYLE_STRONG, _("lost %s"),
			fixed_text(value, n_lost, 0));
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		rate_text(value, frame_number(frame, "event_total", "all", rates[i].column));
		x = draw_number(canvas, x, STYLE_NORMAL, rates[i].format, value);
	}
	x = draw_number(canvas, x, STYLE_NORMAL, _("unnamed %s"),
			fixed_text(value, sum(sources, "unnamed"), 0));
	list_sources(from, sizeof(from), sources);
	draw_number(canvas, x, STYLE_DIM, _("from %s"), from);
	return 1;
}

void events_draw(struct pane_context *context, struct canvas *canvas)
{
	int used = 0;
	struct canvas below;

	if (canvas->height > TABLE_LINES_MIN)
		used = draw_headline(canvas, context->frame);
	below = canvas_rows(canvas, used, canvas->height - used);
	context_draw_table(context, &below, context->focus);
}
