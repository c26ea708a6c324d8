/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the network pane: what stands out, the interfaces with their past, and losses. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/units.h"
#include "pane/network/network.h"
#include "pane/network/network_story.h"
#include "pane/process_below.h"
#include "screen/graph.h"

#define GRAPH_SECONDS 300
#define BRIEF_CELLS 110 /* a narrower line of losses is brief */
#define LOW 8 /* lines: no more than the table */
#define STORY_LINES_MAX 4
#define GRAPH_LINES_MIN 2 /* with its title */
#define GRAPH_LINES_GOOD 3 /* from here on there is an axis of time below them */

const char *const network_graph_columns[N_NETWORK_GRAPHS] = {
	[NETWORK_RECEIVED] = "received_bits_per_second",
	[NETWORK_SENT] = "sent_bits_per_second",
};

/* "wire: received 3.5 Mb/s  sent 1.2 Mb/s  errors 0/s  drops 0/s  backlog drops 0/s  socket drops 0/s" */
static int draw_machine(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct {
		const char *loses, *text, *brief; /* brief: NULL: the same */
	} losses[] = {
		{ "interface.all.errors_per_second > 0",
		  N_("[errors {interface.all.errors_per_second:rate}/s]") },
		{ "interface.all.drops_per_second > 0",
		  N_("[drops {interface.all.drops_per_second:rate}/s]") },
		{ "backlog.all.dropped_per_second > 0",
		  N_("[backlog drops {backlog.all.dropped_per_second:rate}/s]"),
		  N_("[backlog {backlog.all.dropped_per_second:rate}/s]") },
		{ "packet_loss.all.per_second > 0",
		  N_("[socket drops {packet_loss.all.per_second:rate}/s]"),
		  N_("[sockets {packet_loss.all.per_second:rate}/s]") },
	};
	const struct row_facts facts = { .facts = { row_fact }, .frame = context->frame };
	char text[TEXT_MAX];
	int x;

	sentence_text(text, _("wire: received {interface.all.received_bits_per_second}  "
			      "sent {interface.all.sent_bits_per_second}"), &facts.facts);
	x = canvas_piece(canvas, 0, 0, STYLE_STRONG, text);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		bool loses = sentence_holds(losses[i].loses, &facts.facts);
		bool brief = losses[i].brief && canvas->width < BRIEF_CELLS;

		if (*sentence_text(text, _(brief ? losses[i].brief : losses[i].text), &facts.facts))
			x = canvas_piece(canvas, 0, x, loses ? STYLE_WARN : STYLE_DIM, text);
	}
	return 1;
}

/* The one whose wire the sentence about payload is for: the selected one, else the busiest that is up. */
static const void *ceiling_row(const struct pane_context *context, const struct table *table)
{
	const struct table_widget *widget = &context->tables[NETWORK_TABLE_INTERFACE];
	const void *busiest = NULL;
	double most = -1;

	if (widget->place.cursor_on && widget->place.row < widget->view.n_rows)
		return widget->view.rows[widget->place.row];
	for (size_t i = 0; i < widget->view.n_rows; i++) {
		const void *row = widget->view.rows[i];
		double use = fmax(table_number(table, row, "received_bits_per_second") +
					  table_number(table, row, "sent_bits_per_second"), 0);

		if (strcmp(table_text(table, row, "state"), "up") != 0 || use <= most ||
		    isnan(table_number(table, row, "payload_ratio")))
			continue;
		most = use;
		busiest = row;
	}
	return busiest;
}

static int draw_story(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	struct canvas lines = canvas_rows(canvas, 0, STORY_LINES_MAX), rest;
	struct buffer story = BUFFER_HERE;
	int y;

	network_story(&story, table, frame_table(context->frame, "packet_loss"));
	y = canvas_wrapped_lines(&lines, 0, STYLE_WARN, span_of(story.bytes, story.length));
	buffer_empty(&story);
	if (table)
		network_ceiling(&story, table, ceiling_row(context, table));
	rest = canvas_below(&lines, y);
	y += canvas_wrapped_lines(&rest, 0, STYLE_NORMAL, span_of(story.bytes, story.length));
	buffer_free(&story);
	return y;
}

static struct graph_line_scale scale_of(const struct pane_context *context, enum network_graph graph)
{
	return (struct graph_line_scale){
		.now_ns = context->frame->mono_ns,
		.span_seconds = GRAPH_SECONDS,
		.step_seconds = context_step_seconds(context),
		.least = 0,
		.most = NAN,
		.style = STYLE_SERIES + (enum style)graph,
	};
}

static void draw_graph(const struct pane_context *context, const struct canvas *canvas,
		       const struct followed_row *interface, enum network_graph graph)
{
	static const char *const names[] = {
		[NETWORK_RECEIVED] = N_("received %s"), [NETWORK_SENT] = N_("sent %s")
	};
	struct canvas plot = canvas_rows(canvas, 1, canvas->height - 1);
	struct graph_line_scale scale = scale_of(context, graph);
	struct graph_range range =
		graph_line_range(&plot, &context->history, interface->series[graph], &scale);
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	double now = frame_number(context->frame, "interface", interface->name, network_graph_columns[graph]);
	char text[TEXT_MAX], value[VALUE_TEXT_MAX];
	int x = 0;

	if (graph == NETWORK_RECEIVED && table) {
		int room = canvas->width / 3;
		int cells = utf8_cells(interface->name, canvas->ascii);

		x = cells < room ? cells : room;
		canvas_cut(canvas, 0, 0, STYLE_STRONG, interface->name, x++);
	}
	snprintf(text, sizeof(text), _(names[graph]), bits_text(value, now));
	x = canvas_piece(canvas, 0, x, STYLE_NORMAL, text);
	if (!isnan(range.most)) {
		snprintf(text, sizeof(text), _("max %s"), bits_text(value, range.most));
		canvas_piece(canvas, 0, x, STYLE_DIM, text);
	}
	graph_line(&plot, &context->history, interface->series[graph], &scale);
}

/* One of the two graphs that stand side by side. */
static struct canvas beside(const struct canvas *canvas, int graph)
{
	int left = graph * canvas->width / N_NETWORK_GRAPHS;
	int right = (graph + 1) * canvas->width / N_NETWORK_GRAPHS;

	return canvas_part(canvas, 0, left, canvas->height, right - left - (graph + 1 < N_NETWORK_GRAPHS));
}

static void draw_interface(const struct pane_context *context, const struct canvas *canvas,
			   const struct followed_row *interface)
{
	for (int i = 0; i < N_NETWORK_GRAPHS; i++) {
		struct canvas part = beside(canvas, i);

		draw_graph(context, &part, interface, (enum network_graph)i);
	}
}

/* Below all graphs, which have the same times. */
static void draw_times(const struct pane_context *context, const struct canvas *line)
{
	for (int i = 0; i < N_NETWORK_GRAPHS; i++) {
		struct canvas part = beside(line, i);
		struct graph_line_scale scale = scale_of(context, (enum network_graph)i);

		graph_time_line(&part, &context->history, &scale);
	}
}

/* What it received and sent a second at most in the span of the graphs. */
static double traffic(const struct pane_context *context, const struct canvas *canvas,
		      const struct followed_row *interface)
{
	double sum = 0;

	for (int i = 0; i < N_NETWORK_GRAPHS; i++) {
		struct graph_line_scale scale = scale_of(context, (enum network_graph)i);

		sum += fmax(graph_line_range(canvas, &context->history, interface->series[i], &scale).most,
			    0);
	}
	return sum;
}

/* Interfaces that did something, the busiest first. */
static int find_used(const struct pane_context *context, const struct canvas *canvas,
		     const struct followed_row *shown[FOLLOWED_ROWS_MAX])
{
	const struct table_widget *widget = &context->tables[NETWORK_TABLE_INTERFACE];
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	const struct network_state *state = context->state;
	double ranks[FOLLOWED_ROWS_MAX];
	int n_shown = 0;

	for (size_t i = 0; table && i < widget->view.n_rows && n_shown < FOLLOWED_ROWS_MAX; i++) {
		const struct followed_row *interface =
			followed_rows_find(&state->interfaces,
					   table_text(table, widget->view.rows[i], "name"));

		if (interface)
			followed_rows_rank(shown, ranks, &n_shown, interface,
					   traffic(context, canvas, interface));
	}
	return n_shown;
}

/* As many as fit. Returns the lines used. */
static int draw_interfaces(const struct pane_context *context, const struct canvas *canvas,
			    const struct followed_row *const *shown, int n_shown)
{
	int lines, axis;

	if (n_shown * GRAPH_LINES_MIN > canvas->height)
		n_shown = canvas->height / GRAPH_LINES_MIN;
	if (n_shown == 0)
		return 0;
	axis = canvas->height >= n_shown * GRAPH_LINES_GOOD + 1;
	lines = followed_rows_lines(canvas->height, axis, n_shown);
	for (int i = 0; i < n_shown; i++) {
		struct canvas part = canvas_rows(canvas, i * lines, lines);

		draw_interface(context, &part, shown[i]);
	}
	if (axis) {
		struct canvas line = canvas_rows(canvas, n_shown * lines, 1);

		draw_times(context, &line);
	}
	return n_shown * lines + axis;
}

/* The table gets half, or what it needs; graphs have the rest, if there are any. Returns the lines used. */
static int draw_wire(const struct pane_context *context, const struct canvas *canvas, bool alone)
{
	int wanted = 2 + table_height(&context->tables[NETWORK_TABLE_INTERFACE]), y, n_shown;
	const struct followed_row *shown[FOLLOWED_ROWS_MAX];
	struct canvas part, rest;
	char title[TEXT_MAX];

	y = draw_machine(context, canvas);
	rest = canvas_below(canvas, y);
	y += draw_story(context, &rest);
	rest = canvas_below(canvas, y);
	context_heading(context, title, sizeof(title));
	n_shown = find_used(context, &rest, shown);
	if (n_shown == 0)
		wanted = alone || wanted > rest.height ? rest.height : wanted;
	else if (wanted > rest.height / 2)
		wanted = rest.height / 2 > 4 ? rest.height / 2 : rest.height;
	part = canvas_rows(&rest, 0, wanted);
	context_draw_titled(context, &part, NETWORK_TABLE_INTERFACE, title);
	rest = canvas_below(&rest, wanted);
	return y + wanted + draw_interfaces(context, &rest, shown, n_shown);
}

/* Below the interfaces stand the processes that use them, on a screen of many lines. */
void network_draw(const struct pane_context *context, struct canvas *canvas)
{
	int below = process_below_lines(context, canvas), y;
	struct canvas part = canvas_rows(canvas, 0, canvas->height - below);

	if (canvas->height < LOW) {
		context_draw_table(context, canvas, NETWORK_TABLE_INTERFACE);
		return;
	}
	y = draw_wire(context, &part, below == 0);
	part = canvas_below(canvas, y);
	if (below > 0)
		context_draw_titled(context, &part, NETWORK_TABLE_BELOW, _("processes by TCP"));
}

#define LEAST 5 /* lines of a table, with its title and headings */

/* Each has what it needs, as far as those below it keep the least. */
void network_draw_losses(const struct pane_context *context, struct canvas *canvas)
{
	char heading[TEXT_MAX];
	const struct {
		enum network_table table;
		const char *title;
	} shown[] = {
		{ NETWORK_TABLE_LOSSES, heading },
		{ NETWORK_TABLE_PACKET_LOSS, _("by protocols and sockets") },
		{ NETWORK_TABLE_BACKLOG, _("received packets by CPU, from driver to protocols") },
	};
	int n_shown = canvas->height / LEAST < 3 ? canvas->height / LEAST : 3;
	struct canvas rest = *canvas;

	context_heading(context, heading, sizeof(heading));
	for (int i = 0; i < n_shown || i == 0; i++) {
		int wanted = 2 + table_height(&context->tables[shown[i].table]);
		int room = rest.height - (n_shown - i - 1) * LEAST;
		struct canvas part = canvas_rows(&rest, 0, wanted < room ? wanted : room);

		context_draw_titled(context, &part, shown[i].table, shown[i].title);
		rest = canvas_below(&rest, part.height);
	}
}
