/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows keep their places, since the history keeps the series of those that have gone. */
#include <config.h>

#include "pane/followed_rows.h"

#include <string.h>

#define CHART_LINES_MAX 8 /* where there is little room */

const struct followed_row *followed_rows_find(const struct followed_rows *followed, const char *name)
{
	for (unsigned i = 0; i < followed->n_rows; i++)
		if (strcmp(followed->rows[i].name, name) == 0)
			return &followed->rows[i];
	return NULL;
}

void followed_rows_add(struct followed_rows *followed, struct history *history, const struct frame *frame,
		       const char *topic, const char *const *columns, unsigned n_columns)
{
	const struct table *table = frame_table(frame, topic);

	for (size_t i = 1; table && i < table->n_rows && followed->n_rows < FOLLOWED_ROWS_MAX; i++) {
		const char *name = table_text(table, table_row(table, i), table->schema->columns[0].key);
		struct followed_row *row = &followed->rows[followed->n_rows];

		if (strlen(name) >= FOLLOWED_NAME_MAX || followed_rows_find(followed, name))
			continue;
		strcpy(row->name, name);
		for (unsigned c = 0; c < n_columns; c++)
			row->series[c] = history_follow(
				history, &(struct series){ topic, name, columns[c] }, frame);
		followed->n_rows++;
	}
}

void followed_rows_rank(const struct followed_row *shown[FOLLOWED_ROWS_MAX], double ranks[FOLLOWED_ROWS_MAX],
			int *n_shown, const struct followed_row *row, double rank)
{
	int at = *n_shown;

	if (!(rank > 0) || *n_shown == FOLLOWED_ROWS_MAX)
		return;
	for (; at > 0 && ranks[at - 1] < rank; at--) {
		shown[at] = shown[at - 1];
		ranks[at] = ranks[at - 1];
	}
	shown[at] = row;
	ranks[at] = rank;
	(*n_shown)++;
}

/* Where there are few, they leave room to the tables below them. */
int followed_rows_lines(int room, int axis, int n_shown)
{
	int lines = (room - axis) / n_shown, most = room * 3 / 5;

	most = most > CHART_LINES_MAX ? most : CHART_LINES_MAX;
	return lines < most ? lines : most;
}
