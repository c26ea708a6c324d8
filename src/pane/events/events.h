/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the events pane share. */
#ifndef PANETOP_PANE_EVENTS_EVENTS_H
#define PANETOP_PANE_EVENTS_EVENTS_H

#include "screen/context.h"

enum events_table {
	EVENT_TABLE,
	EVENT_SOURCE_TABLE,
	EVENT_TOTAL_TABLE,
	EVENT_PARENT_TABLE,
	EVENT_LIFETIME_TABLE,
	N_EVENTS_TABLES,
};

struct events_state {
	unsigned view; /* the table that fills the pane below the headline */
};

void events_draw(struct pane_context *context, struct canvas *canvas);

#endif
