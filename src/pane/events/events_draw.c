/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the events pane: rates and losses above the events themselves. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/events/events.h"
#include "screen/graph.h"
#include "screen/text_flow.h"

#define TABLE_LINES_MIN 4
#define RULE_FROM_LINES 6
#define BOUNDS_CELLS 38 /* bounds, exits and share */
#define BAR_CELLS_MIN 10

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

/* "lost 3  fork 312/s  exec 148/s  exit 309/s  failed 4/s": where they come from is in the view Sources. */
static const struct remark headline[] = {
	{ "lost > 0", N_("lost {lost}"), .level = STYLE_BAD },
	{ .text = N_("fork {forks_per_second}") },
	{ .text = N_("exec {execs_per_second}") },
	{ .text = N_("exit {exits_per_second}") },
	{ "failures_per_second > 0", N_("failed {failures_per_second}"), .level = STYLE_WARN },
	{ "not failures_per_second > 0", N_("failed {failures_per_second}") },
};

static void draw_headline(const struct canvas *canvas, const struct frame *frame,
			  const struct table *sources)
{
	const struct table *totals = frame_table(frame, "event_total");
	struct text_flow flow = text_flow_of_pieces(canvas, 0, 1);
	const struct made_fact lost = {
		"lost", { .number = sum(sources, "lost") },
		"event_source.perf.lost + event_source.connector.lost + event_source.panetop.lost"
	};
	const void *all = totals ? table_find(totals, "all", NULL) : NULL;
	const struct row_facts facts = {
		.facts = { row_fact }, .table = totals, .row = all, .made = &lost, .n_made = 1,
		.frame = frame
	};

	text_flow_say(&flow, REMARKS(headline), &facts.facts);
}

/* Returns what is left below it. */
static struct canvas draw_rates(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *sources = frame_table(context->frame, "event_source");
	bool drawn = canvas->height > TABLE_LINES_MIN && sources && sources->n_rows > 0;

	if (drawn)
		draw_headline(canvas, context->frame, sources);
	return canvas_rows(canvas, drawn, canvas->height - drawn);
}

void events_draw(const struct pane_context *context, struct canvas *canvas)
{
	const struct pane_view *view = &context->pane->views[context->view];
	struct canvas below = draw_rates(context, canvas);
	char title[TEXT_MAX];

	view->heading(context, title, sizeof(title));
	context_draw_titled(context, &below, view->table, title);
}

static bool is_key(const struct column *column, const char *key)
{
	return strcmp(column->key, key) == 0;
}

/* Failed ends show their code in red, forks are dim, execs bold. */
enum style events_cell_style(const struct findings *findings, const struct schema *schema,
			     const struct column *column, const void *row)
{
	const char *mark = row_text(row, schema_known_column(schema, "mark"));
	bool status = is_key(column, "mark") || is_key(column, "status") || is_key(column, "info");

	(void)findings;
	switch (mark ? *mark : ' ') {
	case '!':
	case 'C':
		return status ? STYLE_BAD : is_key(column, "parent") ? STYLE_DIM : STYLE_NORMAL;
	case '+':
		return STYLE_DIM;
	case '>':
		return is_key(column, "event") || strstr(column->key, "command") ||
				       strstr(column->key, "program")
			       ? STYLE_STRONG
			       : STYLE_NORMAL;
	default:
		return is_key(column, "parent") ? STYLE_DIM : STYLE_NORMAL;
	}
}

/* "1 ms", "100 s", "17 min", "2.8 h", "1.2 d". */
static void bound_text(char *out, size_t room, double seconds)
{
	static const struct {
		double from, unit;
		const char *format;
	} units[] = { { 86400, 86400, "%.2g d" },
		      { 3600, 3600, "%.2g h" },
		      { 300, 60, "%.2g min" },
		      { 1, 1, "%.3g s" },
		      { 0, 0.001, "%.3g ms" } };
	unsigned i = 0;

	*out = '\0';
	if (isnan(seconds))
		return;
	if (!(seconds > 0)) {
		snprintf(out, room, "0");
		return;
	}
	while (seconds < units[i].from)
		i++;
	snprintf(out, room, units[i].format, seconds / units[i].unit);
}

/* Over the numbers of the table, which are exact but hard to read. */
static void draw_bounds(const struct table_widget *widget, const struct canvas *canvas, int y,
			const void *row)
{
	bool selected = widget->place.cursor_on && widget->place.row == widget->place.top + (size_t)y - 1;

	for (unsigned i = 0; i < widget->n_slots; i++) {
		const struct table_slot *slot = &widget->slots[i];
		const struct column *column =
			&widget->view.schema->columns[widget->view.columns[slot->column]];
		enum style style = !selected                        ? STYLE_NORMAL
				   : slot->column == widget->column ? STYLE_CELL
								    : STYLE_ROW;
		char text[VALUE_TEXT_MAX];

		if (column->unit != UNIT_SECONDS || !row_is_known(row, column))
			continue;
		bound_text(text, sizeof(text), row_f64(row, column));
		canvas_fill(canvas, y, slot->x, style, ' ', slot->width);
		canvas_right(canvas, y, slot->x, slot->width, style, text);
	}
}

static void draw_bar(const struct canvas *canvas, int y, double exits, double most)
{
	const struct graph_part part = { .letter = '#', .value = exits };
	int x = BOUNDS_CELLS + CANVAS_GAP;

	if (exits > 0)
		graph_bar(canvas, y, x, canvas->width - x, &part, 1, most);
}

void events_draw_lifetimes(const struct pane_context *context, struct canvas *canvas)
{
	struct table_widget *widget = &context->tables[EVENTS_TABLE_LIFETIME];
	struct canvas below = draw_rates(context, canvas);
	bool has_bars = canvas->width >= BOUNDS_CELLS + BAR_CELLS_MIN;
	struct canvas left;
	char title[TEXT_MAX];
	double most = 0;

	if (below.height >= RULE_FROM_LINES) {
		context->pane->views[context->view].heading(context, title, sizeof(title));
		canvas_rule(&below, 0, title, "");
		below = canvas_rows(&below, 1, below.height - 1);
	}
	left = canvas_part(&below, 0, 0, below.height, has_bars ? BOUNDS_CELLS : below.width);
	context_draw_table(context, &left, EVENTS_TABLE_LIFETIME);
	for (size_t i = 0; i < widget->view.n_rows; i++)
		most = fmax(most, row_number(widget->view.rows[i],
					     schema_known_column(widget->view.schema, "exits")));
	for (int y = 1; y <= widget->page && widget->place.top + (size_t)y <= widget->view.n_rows; y++) {
		const void *row = widget->view.rows[widget->place.top + (size_t)y - 1];
		double exits = row_number(row, schema_known_column(widget->view.schema, "exits"));

		draw_bounds(widget, &left, y, row);
		if (has_bars)
			draw_bar(&below, y, exits, most);
	}
}
