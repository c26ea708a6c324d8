/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a table that a pane draws graphs of, each with its series in the history. */
#ifndef PANETOP_PANE_FOLLOWED_ROWS_H
#define PANETOP_PANE_FOLLOWED_ROWS_H

#include "model/frame.h"
#include "model/history.h"

#define FOLLOWED_ROWS_MAX 16
#define FOLLOWED_NAME_MAX 64
#define FOLLOWED_SERIES_MAX 5

struct followed_rows {
	struct followed_row {
		char name[FOLLOWED_NAME_MAX];
		unsigned series[FOLLOWED_SERIES_MAX]; /* in the history, in the order of the columns */
	} rows[FOLLOWED_ROWS_MAX];
	unsigned n_rows;
};

/*
 * Follows the rows of this topic behind the first, which is a sum, as they come, up to FOLLOWED_ROWS_MAX:
 * these columns of each. Rows with a longer name are left out.
 */
void followed_rows_add(struct followed_rows *followed, struct history *history, const struct frame *frame,
		       const char *topic, const char *const *columns, unsigned n_columns);

/* Adds a row to those that are drawn, the highest rank first; one whose rank is 0 is left out. */
void followed_rows_rank(const struct followed_row *shown[FOLLOWED_ROWS_MAX], double ranks[FOLLOWED_ROWS_MAX],
			int *n_shown, const struct followed_row *row, double rank);

/* Lines of the charts of each row, of room for all, of which axis are those of the time. */
int followed_rows_lines(int room, int axis, int n_shown);

/* NULL: it is not followed. */
const struct followed_row *followed_rows_find(const struct followed_rows *followed, const char *name);

#endif
