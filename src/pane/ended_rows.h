/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ended processes as rows among the processes: one for each command, with the CPU time that no sample saw
 * while they were alive.
 */
#ifndef PANETOP_PANE_ENDED_ROWS_H
#define PANETOP_PANE_ENDED_ROWS_H

#include "core/arena.h"
#include "model/frame.h"
#include "screen/context.h"

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

/* For struct pane, prepare, update, origin and close: of one whose state begins with them. */
void ended_rows_prepare(struct pane_context *context, const struct frame *frame);
void ended_rows_update(struct pane_context *context);
const void *ended_rows_origin_of(const struct pane_context *context, const void *row,
				 const struct schema **schema);
void ended_rows_free(void *state);

#endif
