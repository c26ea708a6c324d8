/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the panes: their defaults and settings, and what they show of a frame. */
#ifndef PANETOP_SCREEN_PANE_TABLES_H
#define PANETOP_SCREEN_PANE_TABLES_H

#include "screen/state.h"

/* The marked moment, and its difference from the shown one. */
void marked_take(struct screen *screen, const struct frame *frame); /* it replaces the one before */
bool marked_exists(const struct screen *screen);
void marked_close(struct screen *screen);

/* Call it before the tables are updated: another moment may be shown. */
void marked_update(struct screen *screen, const struct frame *shown);

/* The differences of this topic; NULL: the marked moment, or the shown one, lacks it. */
const struct table *marked_table(const struct screen *screen, const char *topic);

/* With the configured columns and order, and without rows. */
void pane_table_open(struct pane_context *context, unsigned index);

/* Updates the tables of the current pane to the shown frame, before they are drawn or get a key. */
void pane_tables_update(struct screen *screen);

/* Gives a view the default columns and order of this table of the pane. */
void pane_table_apply_defaults(const struct pane_context *context, unsigned index, struct view *view);

/* The settings of its columns and order are NAME.columns and NAME.sort. */
const char *pane_table_setting(const struct pane_context *context, unsigned index);

/* Is this the home of the table? Only there the configured columns and order apply and are saved. */
bool pane_table_is_home(const struct pane_context *context, unsigned index);

/* "filter make: ", the expression in at most a quarter of the width; empty without one. */
void pane_table_filter_text(const struct table_widget *widget, const struct canvas *canvas, char *text,
			    size_t room);

#endif
