/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the events pane. */
#ifndef PANETOP_PANE_EVENTS_EVENTS_H
#define PANETOP_PANE_EVENTS_EVENTS_H

#include "screen/context.h"

/* Tables of the topics event, watch and sleep are the log of the whole run. */
enum events_table {
	EVENTS_TABLE_EVENT,
	EVENTS_TABLE_ENDED,  /* of its rows only the ends of processes */
	EVENTS_TABLE_FAILED, /* … only those that failed */
	EVENTS_TABLE_SOURCE,
	EVENTS_TABLE_TOTAL,
	EVENTS_TABLE_PARENT,
	EVENTS_TABLE_LIFETIME,
	EVENTS_TABLE_WATCH,
	EVENTS_TABLE_SLEEP,
	EVENTS_TABLE_SUSPEND,
	EVENTS_TABLE_WAKE_SOURCE,
};

struct events_state {
	uint64_t since_ns; /* wall clock of the first sample with events; 0: none yet */
};

void events_draw(const struct pane_context *context, struct canvas *canvas);
void events_draw_lifetimes(const struct pane_context *context, struct canvas *canvas);
void events_draw_sleep(const struct pane_context *context, struct canvas *canvas);
enum style events_cell_style(const struct findings *findings, const struct schema *schema,
			     const struct column *column, const void *row);

#endif
