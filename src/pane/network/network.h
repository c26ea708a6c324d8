/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the network pane. */
#ifndef PANETOP_PANE_NETWORK_NETWORK_H
#define PANETOP_PANE_NETWORK_NETWORK_H

#include "pane/followed_rows.h"
#include "screen/context.h"

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

/* network_draw.c */
extern const char *const network_graph_columns[N_NETWORK_GRAPHS]; /* of the table interface */
void network_draw(const struct pane_context *context, struct canvas *canvas);
void network_draw_losses(const struct pane_context *context, struct canvas *canvas);

#endif
