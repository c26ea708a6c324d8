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
	NETWORK_TABLE_BELOW, /* processes below the interfaces … */
	NETWORK_TABLE_LINKS, /* … and connections below these */
};

enum network_graph { NETWORK_RECEIVED, NETWORK_SENT, N_NETWORK_GRAPHS };

struct network_state {
	struct followed_rows interfaces; /* series by enum network_graph */
};

static const struct remark interface_remarks[] = {
	{ "used_ratio >= 0.9",
	  N_("{name} is full: {used_ratio:%} of its {speed_bits} are used in the busier direction."),
	  .rules = "link_busy" },
	{ "duplex == half",
	  N_("{name} runs half duplex at {speed_bits}: it cannot send while it receives. Most often only one "
	     "side negotiates.") },
	{ "error_ratio >= 0.0001",
	  N_("{name} loses {errors_per_second:rate} packets/s to errors, {error_ratio:.2%} of all: look at "
	     "its cable, port and driver.") },
	{ "sent_drop_ratio >= 0.0001, not received_drops_per_second >= sent_drops_per_second",
	  N_("{name} drops {sent_drops_per_second:rate} packets/s instead of sending them: no room, or "
	     "nowhere to send.") },
	{ "received_drop_ratio >= 0.0001, not sent_drops_per_second > received_drops_per_second",
	  N_("{name} drops {received_drops_per_second:rate} received packets/s: no protocol wants them, or "
	     "there is no room.") },
};

static const struct remark socket_remarks[] = {
	{ "counters == UdpRcvbufErrors + Udp6RcvbufErrors, per_second >= 1",
	  N_("UDP sockets drop {per_second:rate} datagrams/s: their receive buffers are full. Listening "
	     "shows whose."), .rules = "datagrams_lost" },
	{ "counters == TcpExtListenOverflows, per_second >= 1",
	  N_("Listening sockets drop {per_second:rate} connections/s: they are not accepted fast enough. "
	     "Listening shows whose."), .rules = "connections_lost" },
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

void network_story(struct story *story)
{
	struct row_facts facts = { .facts = { interface_fact },
				   .table = frame_table(story->frame, "interface") };

	story_say(story, REMARKS(interface_remarks), &facts, 1);
	facts = (struct row_facts){ .facts = { row_fact },
				    .table = frame_table(story->frame, "packet_loss") };
	story_say(story, REMARKS(socket_remarks), &facts, 0);
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
#define LEAST 5 /* lines of a table, with its title and headings */
#define GRAPH_LINES_MIN 6
#define GRAPH_LINES_GOOD 11
#define GRAPH_CELLS 80
#define GRAPHS_MAX 2
#define NAME_CELLS 8
#define LEAST_TOP 1e5 /* bits per second: what an idle machine does is flat, not mountains */

static const char *const graph_columns[N_NETWORK_GRAPHS] = {
	[NETWORK_RECEIVED] = "received_bits_per_second",
	[NETWORK_SENT] = "sent_bits_per_second",
};

/* "wire: received 3.5Mb/s  sent 1.2Mb/s  errors 0/s  drops 0/s  backlog drops 0/s  socket drops 0/s" */
static int draw_machine(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct {
		const char *loses, *text, *brief; /* brief: NULL: the same */
		const char *rules;                /* NULL: none judges it */
	} losses[] = {
		{ "interface.all.errors_per_second > 0",
		  N_("[errors {interface.all.errors_per_second:rate}/s]") },
		{ "interface.all.drops_per_second > 0",
		  N_("[drops {interface.all.drops_per_second:rate}/s]") },
		{ "backlog.all.dropped_per_second > 0",
		  N_("[backlog drops {backlog.all.dropped_per_second:rate}/s]"),
		  N_("[backlog {backlog.all.dropped_per_second:rate}/s]") },
		{ "packet_loss.all.per_second > 0", N_("[socket drops {packet_loss.all.per_second:rate}/s]"),
		  N_("[sockets {packet_loss.all.per_second:rate}/s]"), RULES_OF_SOCKETS },
	};
	const struct row_facts facts = { .facts = { row_fact }, .frame = context->frame };
	char text[TEXT_MAX];
	int x;

	sentence_text(text, _("wire: received {interface.all.received_bits_per_second:short}  "
			      "sent {interface.all.sent_bits_per_second:short}"), &facts.facts);
	x = canvas_piece(canvas, 0, 0, STYLE_STRONG, text);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		bool loses = sentence_holds(losses[i].loses, &facts.facts);
		enum grade grade = losses[i].rules ? grade_of_rules(context->frame, losses[i].rules, false)
						   : GRADE_CALM;
		bool brief = losses[i].brief && canvas->width < BRIEF_CELLS;

		if (*sentence_text(text, _(brief ? losses[i].brief : losses[i].text), &facts.facts))
			x = canvas_piece(canvas, 0, x,
					 graph_grade_style(grade, loses ? STYLE_STRONG : STYLE_DIM), text);
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

static bool is_loopback(const char *name)
{
	return strcmp(name, "lo") == 0;
}

static int draw_story(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	struct canvas lines = canvas_rows(canvas, 0, STORY_LINES_MAX), rest;
	struct story story = { context->findings, context->frame };
	struct buffer ceiling = BUFFER_HERE;
	int y;

	network_story(&story);
	y = story_draw(&story, &lines);
	if (table)
		network_ceiling(&ceiling, table, ceiling_row(context, table));
	rest = canvas_below(&lines, y);
	y += canvas_wrapped_lines(&rest, 0, STYLE_NORMAL, span_of(ceiling.bytes, ceiling.length));
	buffer_free(&ceiling);
	return y;
}

/* "received 12.0Mb/s  top 15.1Mb/s  total 4.1G" */
static void draw_direction(const struct pane_context *context, const struct canvas *canvas, int x,
			   const struct followed_row *interface, unsigned graph, double top)
{
	static const char *const texts[N_NETWORK_GRAPHS][3] = {
		[NETWORK_RECEIVED] = { N_("received {received_bits_per_second:short}"), N_("top {top:short}"),
				       N_("total {received_bytes:short}") },
		[NETWORK_SENT] = { N_("sent {sent_bits_per_second:short}"), N_("top {top:short}"),
				   N_("total {sent_bytes:short}") },
	};
	const struct table *table = frame_table(context->frame, "interface");
	const struct made_fact made = { "top", number_fact(top, UNIT_BITS_PER_SECOND),
					graph == NETWORK_RECEIVED
						? "the most received_bits_per_second on the graph"
						: "the most sent_bits_per_second on the graph" };
	const void *row = table_find(table, interface->name, NULL);
	const struct row_facts facts = { { row_fact }, table, row, &made, 1 };

	if (canvas->color) {
		graph_key(canvas, 0, x, &(struct graph_part){ .letter = '#', .look = graph });
		x += 2;
	}
	for (unsigned i = 0; i < 3; i++)
		if (i != 1 || !isnan(top))
			x = draw_piece(canvas, 0, x, i == 1 ? STYLE_DIM : STYLE_NORMAL, texts[graph][i],
				       &facts.facts);
	if (graph == NETWORK_RECEIVED && is_loopback(interface->name))
		canvas_piece(canvas, 0, x, STYLE_DIM, _("(not in all)"));
}

static char *bits_label(char *text, double bits_per_second)
{
	return strcat(rate_short(text, bits_per_second), "b");
}

/* What it receives above the graph, what it sends below. */
static void draw_interface(const struct pane_context *context, const struct canvas *canvas,
			   const struct followed_row *interface)
{
	struct canvas plot = canvas_rows(canvas, 1, canvas->height - 2), area = graph_area_plot(&plot), line;
	struct graph_line_scale scale = past_scale(context, NAN, STYLE_NORMAL);
	int name = utf8_cells(interface->name, canvas->ascii), x = name < NAME_CELLS ? NAME_CELLS : name;
	struct graph_half halves[N_NETWORK_GRAPHS];
	double most = 0;

	x = 1 + (x < canvas->width / 3 ? x : canvas->width / 3);
	canvas_cut(canvas, 0, 0, STYLE_STRONG, interface->name, x - 1);
	for (unsigned i = 0; i < N_NETWORK_GRAPHS; i++) {
		double top = graph_line_range(&area, &context->history, interface->series[i], &scale).most;

		halves[i] = (struct graph_half){ interface->series[i], FOLLOWED_STYLE(i) };
		most = fmax(most, top);
		line = canvas_rows(canvas, i == NETWORK_RECEIVED ? 0 : canvas->height - 1, 1);
		draw_direction(context, &line, x, interface, i, top);
	}
	scale.most = axis_end(most, LEAST_TOP, true);
	graph_mirrored(&plot, &context->history, halves, &scale, bits_label);
}

/* Which graph comes first: that of the selected one, then by what they moved lately. */
#define RANK_UP 1e-3
#define RANK_LOOPBACK 1e-4
#define RANK_DOWN 1e-5

static double rank_of(const struct pane_context *context, const struct canvas *canvas, const void *row,
		      const struct followed_row *interface)
{
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	double moved = followed_row_traffic(context, canvas, interface);

	if (row == context_selected_row(context, NETWORK_TABLE_INTERFACE))
		return INFINITY;
	if (is_loopback(interface->name))
		return RANK_LOOPBACK;
	return moved > 0 ? moved : strcmp(table_text(table, row, "state"), "up") == 0 ? RANK_UP : RANK_DOWN;
}

static int choose_interfaces(const struct pane_context *context, const struct canvas *canvas, int most,
			     const struct followed_row **shown)
{
	const struct view *view = &context->tables[NETWORK_TABLE_INTERFACE].view;
	const struct table *table = context_table(context, NETWORK_TABLE_INTERFACE);
	const struct network_state *state = context->state;
	double ranks[FOLLOWED_ROWS_MAX];
	int n = 0;

	for (size_t i = 0; table && i < view->n_rows; i++) {
		const struct followed_row *row =
			followed_rows_find(&state->interfaces, table_text(table, view->rows[i], "name"));

		if (row)
			n = followed_rows_rank(shown, ranks, n, most, row,
					       rank_of(context, canvas, view->rows[i], row));
	}
	return n;
}

static int draw_graphs(const struct pane_context *context, const struct canvas *canvas)
{
	const struct followed_row *shown[GRAPHS_MAX];
	int most = canvas->width / GRAPH_CELLS, n;

	most = most < 1 ? 1 : most < GRAPHS_MAX ? most : GRAPHS_MAX;
	n = choose_interfaces(context, canvas, most, shown);
	for (int i = 0; i < n; i++) {
		struct canvas part = graph_beside(canvas, i, n, CANVAS_GAP);

		draw_interface(context, &part, shown[i]);
	}
	return n > 0 ? canvas->height : 0;
}

/* The table gets half, or what it needs; the graph has the rest, but for lists below it. Returns the lines
 * used. */
static int draw_wire(const struct pane_context *context, const struct canvas *canvas, int lists)
{
	int wanted = 2 + table_height(&context->tables[NETWORK_TABLE_INTERFACE]), y, graph, most;
	struct canvas part, rest;
	char title[TEXT_MAX];

	y = draw_machine(context, canvas);
	rest = canvas_below(canvas, y);
	y += draw_story(context, &rest);
	rest = canvas_below(canvas, y);
	context_heading(context, title, sizeof(title));
	most = (rest.height - lists) / 2;
	wanted = wanted < most ? wanted : most;
	graph = rest.height - lists - wanted;
	if (lists > 0 && graph > GRAPH_LINES_GOOD)
		graph = graph * 3 / 5 > GRAPH_LINES_GOOD ? graph * 3 / 5 : GRAPH_LINES_GOOD;
	if (graph < GRAPH_LINES_MIN || wanted < LEAST) {
		graph = 0;
		wanted = rest.height - lists;
	}
	part = canvas_rows(&rest, 0, wanted);
	context_draw_titled(context, &part, NETWORK_TABLE_INTERFACE, title);
	part = canvas_rows(&rest, wanted, graph);
	return y + wanted + (graph > 0 ? draw_graphs(context, &part) : 0);
}

/* Below the interfaces stand the processes that use them, and connections, on a screen of many lines. */
static void network_draw(const struct pane_context *context, struct canvas *canvas)
{
	int below = process_below_lines(context, canvas), y;
	struct canvas part;

	if (canvas->height < LOW) {
		context_draw_table(context, canvas, NETWORK_TABLE_INTERFACE);
		return;
	}
	y = draw_wire(context, canvas, below);
	part = canvas_rows(canvas, y, below);
	if (below > 0)
		context_draw_titled(context, &part, NETWORK_TABLE_BELOW, _("processes by TCP"));
	part = canvas_below(canvas, y + below);
	if (below > 0 && part.height >= LEAST)
		context_draw_titled(context, &part, NETWORK_TABLE_LINKS, _("connections"));
}

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

#define CONNECTED                                                                                            \
	"established,syn-sent,syn-recv,fin-wait-1,fin-wait-2,closed,close-wait,last-ack,closing,connected"

static const struct pane_table tables[] = {
	[NETWORK_TABLE_INTERFACE] = { .topic = "interface", .headline = true },
	[NETWORK_TABLE_BACKLOG] = { .topic = "backlog", .own_columns = true,
				    .columns = "cpu,processed_per_second,dropped_per_second,"
					       "squeezed_per_second,limited_per_second,waiting",
				    .setting = "network.backlog" },
	[NETWORK_TABLE_TRAFFIC] = { .topic = "traffic", .lazy = true, .recorded = true,
				    .sort = "received_bytes_per_second" },
	[NETWORK_TABLE_CONNECTION] = { .topic = "connection", .lazy = true, .recorded = true,
				       .only_column = "state", .only = CONNECTED,
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
	[NETWORK_TABLE_LINKS] = { .topic = "connection", .lazy = true, .own_columns = true,
				  .only_column = "state", .only = CONNECTED,
				  .sort = "received_bytes_per_second" },
	{ 0 },
};

static const struct pane_view views[] = {
	{ "interfaces", N_("Interfaces"), N_("what each interface receives and sends on the wire"),
	  NETWORK_TABLE_INTERFACE, .below = 1UL << NETWORK_TABLE_BELOW | 1UL << NETWORK_TABLE_LINKS,
	  .actions = process_actions,
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

	followed_rows_add(&state->interfaces, &context->history, frame, "interface", 1, graph_columns,
			  N_NETWORK_GRAPHS);
}

/* Read while the pane is hidden, so that its graphs go on. */
static const struct series series[] = {
	{ "interface", "all", "received_bits_per_second" },
	{ "interface", "all", "sent_bits_per_second" },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_OPEN && context->view == NETWORK_VIEW_INTERFACES &&
			       context->focus != NETWORK_TABLE_LINKS
		       ? process_below_refuses(context)
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
