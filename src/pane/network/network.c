/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network pane: interfaces and what they lose; network_draw.c draws it. */
#include <config.h>

#include "pane/network/network.h"

#include <string.h>

#include "core/i18n.h"
#include "pane/process/process_open.h"
#include "pane/process_below.h"
#include "pane/process_rows.h"

#define NETWORK_VIEW_INTERFACES 0

static const struct pane_table tables[] = {
	[NETWORK_TABLE_INTERFACE] = { .topic = "interface", .headline = true },
	[NETWORK_TABLE_BACKLOG] = { .topic = "backlog",
				    .own_columns = true,
				    .columns = "cpu,processed_per_second,dropped_per_second,"
					       "squeezed_per_second,limited_per_second,waiting",
				    .setting = "network.backlog" },
	[NETWORK_TABLE_TRAFFIC] = { .topic = "traffic",
				    .lazy = true,
				    .recorded = true,
				    .sort = "received_bytes_per_second" },
	[NETWORK_TABLE_CONNECTION] = { .topic = "connection",
				       .lazy = true,
				       .recorded = true,
				       .only_column = "state",
				       .only = "established,syn-sent,syn-recv,fin-wait-1,fin-wait-2,closed,"
					       "close-wait,last-ack,closing,connected",
				       .sort = "received_bytes_per_second" },
	[NETWORK_TABLE_LISTENING] = { .topic = "connection",
				      .lazy = true,
				      .only_column = "state",
				      .only = "listening,open",
				      .columns = "protocol,local,service,accept_queue,accept_queue_max,"
						 "receive_queue_bytes,drops_per_second,dropped,user,pid,"
						 "command",
				      .sort = "+local",
				      .setting = "network.listening" },
	[NETWORK_TABLE_ACCOUNT] = { .topic = "network_account", .lazy = true, .recorded = true },
	[NETWORK_TABLE_LOSSES] = { .topic = "interface",
				   .lazy = true,
				   .columns = "name,errors_per_second,frame_errors_per_second,"
					      "fifo_errors_per_second,carrier_errors_per_second,"
					      "collisions_per_second,received_drops_per_second,"
					      "sent_drops_per_second,queue_drops_per_second,"
					      "queue_bytes,errors,drops",
				   .setting = "network.losses" },
	[NETWORK_TABLE_PACKET_LOSS] = { .topic = "packet_loss", .sort = "per_second" },
	[NETWORK_TABLE_BELOW] = { .topic = "process",
				  .lazy = true,
				  .own_columns = true,
				  .threshold = "tcp_bytes_per_second",
				  .least = 1,
				  .columns = "tcp_bytes_per_second,tcp_received_bytes_per_second,"
					     "tcp_sent_bytes_per_second,pid,state,user,command",
				  .sort = "tcp_bytes_per_second" },
	{ 0 },
};

static const struct pane_action process_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
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

	followed_rows_add(&state->interfaces, &context->history, frame, "interface", network_graph_columns,
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

	return of_process && context->view == NETWORK_VIEW_INTERFACES
		       ? process_below_refuses(context, action)
		       : NULL;
}

/* The rows that the list of processes shows. */
static void sampling(struct pane_context *context)
{
	context_request(context)->n_visible = 0;
	process_rows_request(context, NETWORK_TABLE_BELOW);
}

static bool key(struct pane_context *context, const struct input *input)
{
	return context->view == NETWORK_VIEW_INTERFACES &&
	       process_below_key(context, input, false);
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
	.key = key,
};
