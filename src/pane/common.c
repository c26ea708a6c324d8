/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences that must read the same in every pane, and those of a table. */
#include <config.h>

#include "pane/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/env.h"

char *failure_text(char text[TEXT_MAX], int error, const char *remedy)
{
	snprintf(text, TEXT_MAX, "%s%s%s",
		 error == -ENOTSUP && !remedy ? _("this is not the live machine")
		 : error == -ESRCH            ? _("the process has ended")
					      : env_error_text(-error),
		 remedy ? "; " : "", remedy ? remedy : "");
	return text;
}

int draw_remarks(const struct canvas *canvas, int y, enum style style, const struct remark *remarks,
		 size_t n_remarks, const struct facts *facts)
{
	struct buffer text = BUFFER_HERE;
	int lines = remarks_say(&text, remarks, n_remarks, facts) < 0
			    ? 0
			    : canvas_wrapped(canvas, y, style, span_of(text.bytes, text.length));

	buffer_free(&text);
	return lines;
}

int draw_text(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	      const struct facts *facts)
{
	char made[TEXT_MAX];

	return canvas_text(canvas, y, x, style, sentence_text(made, _(text), facts), -1);
}

int draw_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	       const struct facts *facts)
{
	char made[TEXT_MAX];

	return canvas_piece(canvas, y, x, style, sentence_text(made, _(text), facts));
}

void cpu_parts_fill(const struct table *table, const void *row, const struct series *series, unsigned first,
		    struct graph_part parts[N_CPU_PARTS])
{
	static const char letters[N_CPU_PARTS] = { 'u', 'n', 's', 'i', 'f', 'x', 'g', 'w' };
	const char *const labels[N_CPU_PARTS] = { _("user"),    _("nice"),  _("sys"),   _("irq"),
						  _("softirq"), _("steal"), _("guest"), _("wait") };

	for (unsigned i = 0; i < N_CPU_PARTS; i++)
		parts[i] = (struct graph_part){ letters[i], i, labels[i], first + i,
						table_number(table, row, series[first + i].column) };
}

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

void command_form_apply(const struct command_settings *settings, struct view *view)
{
	static const char *const commands[] = { "command",      "command_base", "program",
						"program_base", "name",         NULL };
	bool base = settings->directories == 1;

	if (settings->shown == COMMAND_NAME)
		view_choose_form(view, commands, "name");
	else if (settings->shown == COMMAND_PROGRAM)
		view_choose_form(view, commands, base ? "program_base" : "program");
	else
		view_choose_form(view, commands, base ? "command_base" : "command");
}

const char *const command_form_labels[] = { N_("full command line"), N_("program only"), N_("name only") };
const char *const command_directory_labels[] = { N_("shown"), N_("hidden") };
