/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the events pane. */
#ifndef PANETOP_PANE_EVENTS_EVENTS_H
#define PANETOP_PANE_EVENTS_EVENTS_H

#include "screen/context.h"

enum events_table {
	EVENTS_TABLE_EVENT,
	EVENTS_TABLE_SOURCE,
	EVENTS_TABLE_TOTAL,
	EVENTS_TABLE_PARENT,
	EVENTS_TABLE_LIFETIME,
	N_EVENTS_TABLES,
};

void events_draw(struct pane_context *context, struct canvas *canvas);

#endif
