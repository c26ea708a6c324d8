/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out mark, subject, sentence and time of each finding, and opens the pane and row that it names. */
#include <config.h>

#include "pane/overview/overview_finding.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "pane/text.h"

#define SUBJECT_CELLS_MAX 24
#define TEXT_CELLS_MIN 40 /* with less room only the sentence is drawn */
#define MARK_CELLS 2

static size_t count(const struct pane_context *context, unsigned index)
{
	return context->tables[index].view.n_rows;
}

void overview_finding_why(const struct pane_context *context, const void *row, struct buffer *out)
{
	const struct table *table = frame_table(context->frame, "finding");

	buffer_print(out,
		     _("Rule: %s, which judges the topic %s; finding.%s = off in the "
		       "configuration silences it\n"),
		     table_text(table, row, "rule"), table_text(table, row, "topic"),
		     table_text(table, row, "rule"));
}

int overview_findings_height(const struct pane_context *context, unsigned index)
{
	return count(context, index) > 1 ? (int)count(context, index) : 1;
}

static const char *text_of(const struct pane_context *context, unsigned index, const void *row,
			   const char *column)
{
	return table_text(context_table(context, index), row, column);
}

/* How a severity looks; without colours the mark is left. */
static const char *mark_of(const char *severity, enum style *style)
{
	if (strcmp(severity, "critical") == 0) {
		*style = STYLE_BAD;
		return "!!";
	}
	*style = strcmp(severity, "warning") == 0 ? STYLE_WARN : STYLE_NORMAL;
	return *style == STYLE_WARN ? "!" : "-";
}

/* "machine: memory" where there is a scope and it is not about that. */
static const char *subject_of(const struct pane_context *context, unsigned index, const void *row, char *text,
			      size_t room)
{
	const char *subject = text_of(context, index, row, "subject");

	if (strcmp(text_of(context, index, row, "of"), "machine") != 0)
		return subject;
	snprintf(text, room, _("machine: %s"), subject);
	return text;
}

static int subject_width(const struct pane_context *context, unsigned index, const struct canvas *canvas)
{
	char text[TEXT_MAX];
	int most = 0;

	for (size_t i = 0; i < count(context, index) && i < (size_t)canvas->height; i++) {
		const char *subject =
			subject_of(context, index, context->tables[index].view.rows[i], text, sizeof(text));
		int cells = utf8_cells(subject, canvas->ascii);

		most = cells > most ? cells : most;
	}
	return most < SUBJECT_CELLS_MAX ? most : SUBJECT_CELLS_MAX;
}

/* "! memory  Memory is short: …  5 min", of which the sentence stays longest. */
static void draw_finding(const struct pane_context *context, const struct canvas *line, unsigned index,
			 size_t i, int subject_cells)
{
	const struct table_widget *widget = &context->tables[index];
	const struct table *table = context_table(context, index);
	const void *row = widget->view.rows[i];
	bool selected = context->focus == index && widget->place.cursor_on && widget->place.row == i;
	char since[STRETCH_MAX], subject[TEXT_MAX];
	int x = MARK_CELLS + 1, end = line->width;
	enum style style;
	const char *mark = mark_of(text_of(context, index, row, "severity"), &style);
	enum style plain = selected ? STYLE_ROW : STYLE_NORMAL;

	canvas_fill(line, 0, 0, plain, ' ', line->width);
	canvas_text(line, 0, 0, style, mark, MARK_CELLS);
	if (line->width >= subject_cells + TEXT_CELLS_MIN) {
		canvas_cut(line, 0, x, selected ? STYLE_ROW : style,
			   subject_of(context, index, row, subject, sizeof(subject)), subject_cells);
		x += subject_cells + CANVAS_GAP;
		stretch_text(since, table_number(table, row, "since_seconds"));
		end -= utf8_cells(since, line->ascii);
		canvas_text(line, 0, end, selected ? STYLE_ROW : STYLE_DIM, since, -1);
		end -= CANVAS_GAP;
	}
	canvas_cut(line, 0, x, plain, text_of(context, index, row, "text"), end - x);
}

static const char *none_text(const struct pane_context *context, unsigned index, bool early)
{
	if (scope_is_set(context->request->scope))
		return early ? _("machine and scope: nothing out of the ordinary so far")
			     : _("machine and scope: nothing out of the ordinary");
	return early ? _("nothing out of the ordinary so far")
		     : _(context->tables[index].view.schema->none);
}

void overview_findings_draw(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			    bool early)
{
	struct table_widget *widget = &context->tables[index];
	size_t n = count(context, index);
	int subject_cells = subject_width(context, index, canvas);

	if (n == 0) {
		const struct notice *lack = frame_newest_notice(context->frame, "finding");

		if (lack)
			canvas_text(canvas, 0, 0, STYLE_DIM, lack->text, -1);
		else if (context_table(context, index))
			canvas_text(canvas, 0, 0, STYLE_OK, none_text(context, index, early), -1);
		return;
	}
	/* for its keys and the mouse: a table without a heading */
	widget->heading_y = canvas->top - 1;
	widget->left = canvas->left;
	widget->width = canvas->width;
	widget->page = n < (size_t)canvas->height ? (int)n : canvas->height;
	widget->place.top = 0;
	for (int i = 0; i < widget->page; i++) {
		struct canvas line = canvas_rows(canvas, i, 1);

		draw_finding(context, &line, index, (size_t)i, subject_cells);
	}
}

void overview_finding_open(struct pane_context *context, unsigned index)
{
	const struct table_widget *widget = &context->tables[index];
	const void *row =
		widget->place.row < count(context, index) ? widget->view.rows[widget->place.row] : NULL;

	if (row)
		screen_show_row(context, text_of(context, index, row, "pane"),
				text_of(context, index, row, "view"), text_of(context, index, row, "topic"),
				text_of(context, index, row, "row"));
}
