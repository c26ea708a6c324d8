/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes in tables of any pane: the list below a table, rows of ended ones, and opening one. */
#ifndef PANETOP_PANE_PROCESSES_H
#define PANETOP_PANE_PROCESSES_H

#include "core/arena.h"
#include "model/frame.h"
#include "screen/context.h"

/* A lazy table of the processes that have at least this in a column, the most of it first. */
#define PROCESSES_BY(column, least_, others)                                                                 \
	{                                                                                                    \
		.topic = "process", .lazy = true, .own_columns = true, .threshold = column,                  \
		.least = (least_), .columns = column "," others, .sort = column                              \
	}

#define PROCESS_BELOW_LINES 8 /* kept for it, with its title and headings */

/* The table of the view that is this list (struct pane_view, below); -1: it is not shown. */
int process_below_table(const struct pane_context *context);

/* Lines that the rest of the pane leaves to it; 0: it is not shown. */
int process_below_lines(const struct pane_context *context, const struct canvas *canvas);

/*
 * For struct pane, key: the cursor goes on from the end of the table of the view to this one, and back. The
 * second: the list is about the row that is selected above it, which stays so.
 */
bool process_below_key(struct pane_context *context, const struct input *input);
bool process_below_key_of_selected(struct pane_context *context, const struct input *input);

/* For struct pane, refuses: why no process is opened while the cursor is elsewhere. */
const char *process_below_refuses(const struct pane_context *context);

/* As the key of ACTION_ACT where a pane has no meaning of its own for it. */
void process_signal(struct pane_context *context);

/* Opens the selected process. */
extern const struct pane_action process_actions[];

/*
 * Requests that the processes on the pages of these tables (bits), as last drawn, and no others, are read
 * again in the next sample although they may not have run.
 */
void process_rows_request(struct pane_context *context, unsigned long tables);

/*
 * Where there is no room for a table: a line for each process, with the value that write makes of the number
 * in this column, and its name.
 */
void process_rows_draw_short(const struct pane_context *context, const struct canvas *canvas, unsigned table,
			     const char *column, char *(*write)(char *out, double number));

/* Shows this pane for the process of a row, by PID, start time and name, so that an exit is reported. */
void process_open(struct pane_context *context, const char *pane, const struct table *processes,
		  const void *row);

/* The selected row of a table of the pane; NULL: none is. */
const void *context_selected_row(const struct pane_context *context, unsigned index);

/* The selected row of the focused table, if need be the first on the screen; NULL: it has none. */
const void *process_select_row(struct pane_context *context, const struct table **table);

/* The process of that row; a message where none is selected or known. */
void process_open_selected(struct pane_context *context);

/* Of a pane about one process: did the user choose it? */
bool process_is_chosen(const struct pane_context *context);

/* For struct pane, above: from a view home, to where it was opened from or to the list of processes. */
int process_above(const struct pane_context *context, unsigned home, unsigned list);

/* The first row of a process with this PID; NULL: none has it. */
const void *table_with_pid(const struct table *table, double pid);

/* The message where an action needs a selected process. */
void process_warn_unselected(const struct pane_context *context);

/* The process of a row of a table of events, by PID and time; false if it names none. */
bool process_open_of_event(struct pane_context *context, const struct table *events, const void *row);

/* Of the rows of the topic ended the last one of this name; NULL: none is known. */
const void *process_last_ended(const struct table *ends, const char *name);

/* Opens the page of the process of such a row. */
void process_open_ended(struct pane_context *context, const struct table *ends, const void *row);

/* All zero is empty. */
struct ended_rows {
	struct table table;   /* the processes of the frame, and behind them, in its memory, the ended ones */
	struct arena texts;   /* of its own rows */
	const void **origins; /* of each of these: the row of the topic exited */
	size_t n_processes, n_origins, capacity;
	const struct schema *origin_schema;
	const struct frame *frame; /* it was made from; … */
	uint64_t mono_ns;          /* … of that moment */
	bool brief;                /* without the number that failed; set by the caller */
};

/* Makes room in a new frame, before any view has rows of it. */
void ended_rows_begin(struct ended_rows *ended, const struct frame *frame);

/* Puts the ended ones behind the processes of this frame, unless that was done last. */
void ended_rows_merge(struct ended_rows *ended, const struct frame *frame);

/* Both, of the frame merged last; the frame's own table where none ended, NULL without one. */
const struct table *ended_rows_table(const struct ended_rows *ended, const struct frame *frame);

/* The row of the topic exited, and its schema; NULL: it is the row of a process. */
const void *ended_rows_origin(const struct ended_rows *ended, const void *row, const struct schema **schema);

/* The name of the processes of which it is a row; NULL: it is the row of a process. */
const char *ended_rows_name(const struct ended_rows *ended, const void *row);

/* For struct pane, prepare, update, origin and close: of one whose state begins with them. */
void ended_rows_prepare(struct pane_context *context, const struct frame *frame);
void ended_rows_update(struct pane_context *context);
const void *ended_rows_origin_of(const struct pane_context *context, const void *row,
				 const struct schema **schema);
void ended_rows_free(void *state);

#endif
