/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways between panes, views and rows, and back. */
#ifndef PANETOP_SCREEN_NAVIGATION_H
#define PANETOP_SCREEN_NAVIGATION_H

#include "screen/state.h"

void navigation_choose_pane(struct screen *screen, unsigned index);

/* From the current pane into another one, which Esc leaves again; false: it was not opened from another. */
void navigation_enter_pane(struct screen *screen, unsigned index);

/* The same by its name; does nothing if there is none. */
void navigation_enter_named(struct screen *screen, const char *pane);
bool navigation_go_back(struct screen *screen);

/* A row of a table, by its first key that is a text, or as a process. */
struct row_wish {
	const char *topic, *key; /* key "": none */
	uint64_t pid;            /* U64_UNKNOWN: by the key */
	double start_seconds;
};

/* Enters this view ("": its home) of the pane with this name, and selects the row if it is there. */
void navigation_show_row(struct screen *screen, const char *pane, const char *view,
			 const struct row_wish *wish);

/* Is it in the line of panes? */
bool navigation_has_tab(const struct screen *screen, unsigned index);

/* How many views the pane has; at least 1. */
unsigned navigation_views(const struct pane_context *context);

/* Its home among them. */
unsigned navigation_home(const struct pane_context *context);

/* Has the shown view no table to search, filter or sort? */
bool navigation_lacks_table(const struct pane_context *context);

/* A recording need not contain the first pane; then the first pane that it contains is shown. */
void navigation_choose_recorded_pane(struct screen *screen);

#endif
