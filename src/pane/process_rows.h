/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of processes that are on the screen. */
#ifndef PANETOP_PANE_PROCESS_ROWS_H
#define PANETOP_PANE_PROCESS_ROWS_H

#include "screen/context.h"

/*
 * Requests that the processes on the page of this table, as last drawn, are read again in the next sample
 * although they may not have run. Adds to the request.
 */
void process_rows_request(struct pane_context *context, unsigned table);

/*
 * Where there is no room for a table: a line for each process, with the value that write makes of the number
 * in this column, and its name.
 */
void process_rows_draw_short(const struct pane_context *context, const struct canvas *canvas, unsigned table,
			     const char *column, char *(*write)(char *out, double number));

#endif
