/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network pane: interfaces, what they lose, and what sockets and processes move. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "pane/common.h"
#include "pane/processes.h"

enum network_table {
	NETWORK_TABLE_INTERFACE,
	NETWORK_TABLE_BACKLOG,
	NETWORK_TABLE_TRAFFIC,
	NETWORK_TABLE_CONNECTION,
	NETWORK_TABLE_LISTENING,
	NETWORK_TABLE_ACCOUNT,
	NETWORK_TABLE_LOSSES, /* the interfaces with other columns */
	NETWORK_TABLE_PACKET_LOSS,
	NETWORK_TABLE_BELOW, /* processes below the interfaces */
};

enum network_graph { NETWORK_RECEIVED, NETWORK_SENT, N_NETWORK_GRAPHS };

struct network_state {
	struct followed_rows interfaces; /* series by enum network_graph */
};

static const struct remark interface_remarks[] = {
	{ "used_ratio >= 0.9",
	  N_("{name} is full: {used_ratio:%} of its {speed_bits} are used in the busier direction.") },
	{ "duplex == half",
	  N_("{name} runs half duplex at {speed_bits}: it cannot send while it receives. Most often only one "
	     "side negotiates.") },
	{ "error_ratio >= 0.0001",
	  N_("{name} loses {errors_per_second:rate} packets/s to errors, {error_ratio:.2%} of all: look at "
	     "its cable, port and driver.") },
	{ "sent_drop_ratio >= 0.0001, not received_drops_per_second >= sent_drops_per_second",
	  N_("{name} drops {sent_drops_per_second:rate} packets/s instead of sending them: its queue is "
	     "full.") },
	{ "received_drop_ratio >= 0.0001, not sent_drops_per_second > received_drops_per_second",
	  N_("{name} drops {received_drops_per_second:rate} received packets/s: no protocol wants them, or "
	     "there is no room.") },
};

static const struct remark socket_remarks[] = {
	{ "counters == UdpRcvbufErrors + Udp6RcvbufErrors, per_second >= 1",
	  N_("UDP sockets drop {per_second:rate} datagrams/s: their receive buffers are full. Listening "
	     "shows whose.") },
	{ "counters == TcpExtListenOverflows, per_second >= 1",
	  N_("Listening sockets drop {per_second:rate} connections/s: they are not accepted fast enough. "
	     "Listening shows whose.") },
};

static const struct remark ceiling_remark = {
	"payload_ratio", N_("TCP over {name} can reach {payload_ratio:.1%} of the line rate (MTU {mtu:.0})"
			    "[: {payload_bits} of {speed_bits}].")
};

static double number(const struct facts *facts, const char *column)
{
	const struct row_facts *of = (const struct row_facts *)facts;

	return table_number(of->table, of->row, column);
}

/* lost: of packets that went well, and those. */
static struct fact share(double lost, double well)
{
	return (struct fact){ .number = lost / (well + lost), .unit = UNIT_RATIO };
}

static struct fact interface_fact(const struct facts *facts, struct span name)
{
	if (span_is(name, "error_ratio"))
		return share(number(facts, "errors_per_second"),
			     fmax(number(facts, "received_packets_per_second"), 0) +
				     fmax(number(facts, "sent_packets_per_second"), 0));
	if (span_is(name, "sent_drop_ratio"))
		return share(number(facts, "sent_drops_per_second"),
			     number(facts, "sent_packets_per_second"));
	if (span_is(name, "received_drop_ratio"))
		return share(number(facts, "received_drops_per_second"),
			     number(facts, "received_packets_per_second"));
	if (span_is(name, "payload_bits"))
		return (struct fact){ .number = number(facts, "payload_ratio") * number(facts, "speed_bits"),
				      .unit = UNIT_BITS };
	return row_fact(facts, name);
}

void network_story(struct buffer *out, const struct table *interfaces, const struct table *losses)
{
	struct row_facts facts = { .facts = { interface_fact }, .table = interfaces };

	remarks_say_rows(out, REMARKS(interface_remarks), &facts, 1);
	facts = (struct row_facts){ .facts = { row_fact }, .table = losses };
	remarks_say_rows(out, REMARKS(socket_remarks), &facts, 0);
}

void network_ceiling(struct buffer *out, const struct table *interfaces, const void *row)
{
	const struct row_facts facts = { .facts = { interface_fact }, .table = interfaces, .row = row };

	if (remark_say(out, &ceiling_remark, &facts.facts))
		buffer_char(out, '\n');
}

#define BRIEF_CELLS 110 /* a narrower line of losses is brief */
#define LOW 8 /* lines: no more than the table */
#define STORY_LINES_MAX 4

static const char *const graph_columns[N_NETWORK_GRAPHS] = {
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
		{ "packet_loss.all.per_second > 0", N_("[socket drops {packet_loss.all.per_second:rate}/s]"),
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
	const struct view *view = &context->tables[NETWORK_TABLE_INTERFACE].view;
	const void *selected = context_selected_row(context, NETWORK_TABLE_INTERFACE);
	const void *busiest = NULL;
	double most = -1;

	if (selected)
		return selected;
	for (size_t i = 0; i < view->n_rows; i++) {
		const void *row = view->rows[i];
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

static void draw_graph(const struct pane_context *context, const struct canvas *canvas,
		       const struct followed_row *interface, unsigned graph)
{
	static const char *const names[] = { [NETWORK_RECEIVED] = N_("received %s"),
					     [NETWORK_SENT] = N_("sent %s") };
	struct canvas plot = canvas_rows(canvas, 1, canvas->height - 1);
	struct graph_line_scale scale = past_scale(context, NAN, FOLLOWED_STYLE(graph));
	struct graph_range range =
		graph_line_range(&plot, &context->history, interface->series[graph], &scale);
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	double now = frame_number(context->frame, "interface", interface->name, graph_columns[graph]);
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

static const struct followed_graphs graphs = {
	.table = NETWORK_TABLE_INTERFACE, .n_graphs = N_NETWORK_GRAPHS, .draw = draw_graph
};

/* The table gets half, or what it needs; graphs have the rest, if there are any. Returns the lines used. */
static int draw_wire(const struct pane_context *context, const struct canvas *canvas, bool alone)
{
	int wanted = 2 + table_height(&context->tables[NETWORK_TABLE_INTERFACE]), y, n_shown;
	const struct network_state *state = context->state;
	const struct followed_row *shown[FOLLOWED_ROWS_MAX];
	struct canvas part, rest;
	char title[TEXT_MAX];

	y = draw_machine(context, canvas);
	rest = canvas_below(canvas, y);
	y += draw_story(context, &rest);
	rest = canvas_below(canvas, y);
	context_heading(context, title, sizeof(title));
	n_shown = followed_rows_choose(&graphs, context, &state->interfaces, &rest, shown);
	if (n_shown == 0)
		wanted = alone || wanted > rest.height ? rest.height : wanted;
	else if (wanted > rest.height / 2)
		wanted = rest.height / 2 > 4 ? rest.height / 2 : rest.height;
	part = canvas_rows(&rest, 0, wanted);
	context_draw_titled(context, &part, NETWORK_TABLE_INTERFACE, title);
	rest = canvas_below(&rest, wanted);
	return y + wanted + followed_graphs_draw(&graphs, context, &rest, shown, n_shown);
}

/* Below the interfaces stand the processes that use them, on a screen of many lines. */
static void network_draw(const struct pane_context *context, struct canvas *canvas)
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
static void network_draw_losses(const struct pane_context *context, struct canvas *canvas)
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

#define NETWORK_VIEW_INTERFACES 0

static const struct pane_table tables[] = {
	[NETWORK_TABLE_INTERFACE] = { .topic = "interface", .headline = true },
	[NETWORK_TABLE_BACKLOG] = { .topic = "backlog", .own_columns = true,
				    .columns = "cpu,processed_per_second,dropped_per_second,"
					       "squeezed_per_second,limited_per_second,waiting",
				    .setting = "network.backlog" },
	[NETWORK_TABLE_TRAFFIC] = { .topic = "traffic", .lazy = true, .recorded = true,
				    .sort = "received_bytes_per_second" },
	[NETWORK_TABLE_CONNECTION] = { .topic = "connection", .lazy = true, .recorded = true,
				       .only_column = "state",
				       .only = "established,syn-sent,syn-recv,fin-wait-1,fin-wait-2,"
					       "closed,close-wait,last-ack,closing,connected",
				       .sort = "received_bytes_per_second" },
	[NETWORK_TABLE_LISTENING] = { .topic = "connection", .lazy = true, .only_column = "state",
				      .only = "listening,open",
				      .columns = "protocol,local,service,accept_queue,accept_queue_max,"
						 "receive_queue_bytes,drops_per_second,dropped,user,"
						 "pid,command", .sort = "+local",
				      .setting = "network.listening" },
	[NETWORK_TABLE_ACCOUNT] = { .topic = "network_account", .lazy = true, .recorded = true },
	[NETWORK_TABLE_LOSSES] = { .topic = "interface", .lazy = true,
				   .columns = "name,errors_per_second,frame_errors_per_second,"
					      "fifo_errors_per_second,carrier_errors_per_second,"
					      "collisions_per_second,received_drops_per_second,"
					      "sent_drops_per_second,queue_drops_per_second,"
					      "queue_bytes,errors,drops", .setting = "network.losses" },
	[NETWORK_TABLE_PACKET_LOSS] = { .topic = "packet_loss", .sort = "per_second" },
	[NETWORK_TABLE_BELOW] = PROCESSES_BY(
		"tcp_bytes_per_second", 1,
		"tcp_received_bytes_per_second,tcp_sent_bytes_per_second,pid,state,user,command"),
	{ 0 },
};

static const struct pane_view views[] = {
	{ "interfaces", N_("Interfaces"), N_("what each interface receives and sends on the wire"),
	  NETWORK_TABLE_INTERFACE, .below = 1UL << NETWORK_TABLE_BELOW, .actions = process_below_actions,
	  .draw = network_draw },
	{ "processes", N_("Processes"), N_("payload that each process receives and sends"),
	  NETWORK_TABLE_TRAFFIC, .actions = process_actions, .heading = context_heading },
	{ "connections", N_("Connections"),
	  N_("sockets with another side: what they move, and whose they are"), NETWORK_TABLE_CONNECTION,
	  .actions = process_actions, .heading = context_heading },
	{ "listening", N_("Listening"), N_("sockets that wait for others, by service and process"),
	  NETWORK_TABLE_LISTENING, .actions = process_actions },
	{ "account", N_("Account"), N_("whose bytes went over the wire, and what is unexplained"),
	  NETWORK_TABLE_ACCOUNT, .heading = context_heading },
	{ "losses", N_("Losses"), N_("what interfaces, CPUs, protocols and sockets dropped, by cause"),
	  NETWORK_TABLE_LOSSES, .draw = network_draw_losses },
	{ 0 },
};

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct network_state *state = context_state(context);

	followed_rows_add(&state->interfaces, &context->history, frame, "interface", graph_columns,
			  N_NETWORK_GRAPHS);
}

/* Read while the pane is hidden, so that its graphs go on. */
static const struct series series[] = {
	{ "interface", "all", "received_bits_per_second" },
	{ "interface", "all", "sent_bits_per_second" },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	bool of_process = action == ACTION_ACT || action == ACTION_OPEN;

	return of_process && context->view == NETWORK_VIEW_INTERFACES ? process_below_refuses(context, action)
								      : NULL;
}

/* The rows that the list of processes shows. */
static void sampling(struct pane_context *context)
{
	process_rows_request(context, 1UL << NETWORK_TABLE_BELOW);
}

const struct pane pane_network = {
	.name = "network",
	.digit = '5',
	.title = N_("Network"),
	.question = N_("How fast, at which layer, by whom, and what was lost?"),
	.unscoped = N_("interfaces and accounts are the machine's: their counters have no process"),
	.tables = tables,
	.series = series,
	.n_series = sizeof(series) / sizeof(series[0]),
	.views = views,
	.state_size = sizeof(struct network_state),
	.refuses = refuses,
	.sampling = sampling,
	.sampled = sampled,
	.key = process_below_key,
};
