/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out mark, subject, sentence and time of each finding, and opens the pane and row that it names. */
#include <config.h>

#include "pane/overview/overview_finding.h"

#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/utf8.h"
#include "model/finding.h"

#define SUBJECT_CELLS_MAX 24
#define SUBJECT_PART 6 /* of a line */
#define TEXT_CELLS_MIN 40 /* with less room only the sentence is drawn */
#define MARK_CELLS 2
#define WATCH_SECONDS 30 /* a rule waits for so long at most for what no kernel keeps */
#define LEAST_SHARE 20   /* lines for each row of findings that stays empty where there are fewer … */
#define MOST_SHARE 5     /* … and for each that they get while none is selected */

static size_t count(const struct pane_context *context, unsigned index)
{
	return context->tables[index].view.n_rows;
}

void overview_finding_why(const struct pane_context *context, const void *row, struct buffer *out)
{
	const struct table *table = frame_table(context->frame, "finding");

	if (strcmp(table_text(table, row, "rule"), FINDING_OF_OPTION) == 0) {
		buffer_print(out, _("A rule of --when, which judges the topic %s\n"),
			     table_text(table, row, "topic"));
		return;
	}
	buffer_print(out,
		     _("Rule: %s, which judges the topic %s; finding.%s = off in the "
		       "configuration silences it\n"),
		     table_text(table, row, "rule"), table_text(table, row, "topic"),
		     table_text(table, row, "rule"));
	findings_describe(context->findings, table_text(table, row, "rule"), out);
}

int overview_findings_height(const struct pane_context *context, unsigned index, size_t n_most,
			     const struct canvas *canvas, int room)
{
	int least = canvas->height / LEAST_SHARE, most = canvas->height / MOST_SHARE, wanted = (int)n_most;

	most = context->focus == index && context->tables[index].place.cursor_on ? room : most;
	wanted = wanted < most ? wanted : most;
	wanted = wanted > least ? wanted : least;
	wanted = wanted < room ? wanted : room;
	return wanted > 1 ? wanted : 1;
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
	*style = strcmp(severity, "warning") == 0 ? STYLE_WARN : STYLE_USAGE_BUSY;
	return strcmp(severity, "warning") == 0 ? "!" : "*";
}

/* "machine: memory" where there is a scope, "host: memory" in a container, and it is not about that. */
static const char *subject_of(const struct pane_context *context, unsigned index, const void *row, char *text,
			      size_t room)
{
	const char *subject = text_of(context, index, row, "subject");
	const char *of = text_of(context, index, row, "of");

	if (strcmp(of, "machine") != 0 && strcmp(of, "host") != 0)
		return subject;
	snprintf(text, room, strcmp(of, "host") == 0 ? _("host: %s") : _("machine: %s"), subject);
	return text;
}

/* The same however long the subjects are, so that the sentences do not move. */
static int subject_width(const struct canvas *canvas)
{
	int cells = canvas->width / SUBJECT_PART;

	return cells < SUBJECT_CELLS_MAX ? cells : SUBJECT_CELLS_MAX;
}

static double ended_seconds(const struct pane_context *context, const struct table *table,
			    const void *row)
{
	uint64_t until_ns = table_u64(table, row, "until_time"), now_ns = context->frame->wall_ns;

	return now_ns > until_ns ? (double)(now_ns - until_ns) / 1e9 : 0;
}

/*
 * "! memory  Memory is short: …  5 min", of which the sentence stays longest. The time is that since it
 * began, or, where it is over, since then.
 */
static void draw_finding(const struct pane_context *context, const struct canvas *line, unsigned index,
			 size_t i, int subject_cells)
{
	const struct table_widget *widget = &context->tables[index];
	const struct table *table = context_table(context, index);
	const void *row = widget->view.rows[i];
	bool selected = context->focus == index && widget->place.cursor_on && widget->place.row == i;
	bool over = schema_row_is_over(table->schema, row);
	char since[VALUE_TEXT_MAX], subject[TEXT_MAX], text[TEXT_MAX];
	int x = MARK_CELLS + 1, end = line->width;
	enum style style = STYLE_DIM;
	const char *mark = over ? "" : mark_of(text_of(context, index, row, "severity"), &style);
	enum style plain = selected ? STYLE_ROW : over ? STYLE_DIM : STYLE_NORMAL;

	canvas_fill(line, 0, 0, plain, ' ', line->width);
	canvas_text(line, 0, 0, style, mark, MARK_CELLS);
	if (line->width >= subject_cells + TEXT_CELLS_MIN) {
		canvas_cut(line, 0, x, selected ? STYLE_ROW : style,
			   subject_of(context, index, row, subject, sizeof(subject)), subject_cells);
		x += subject_cells + CANVAS_GAP;
		stretch_text(since, over ? ended_seconds(context, table, row)
					 : table_number(table, row, "since_seconds"));
		end -= utf8_cells(since, line->ascii);
		canvas_text(line, 0, end, selected ? STYLE_ROW : STYLE_DIM, since, -1);
		end -= CANVAS_GAP;
	}
	snprintf(text, sizeof(text), over ? _("earlier: %s") : "%s", text_of(context, index, row, "text"));
	canvas_cut(line, 0, x, plain, text, end - x);
}

/* Green only once all rules have had the time to speak. */
static void draw_none(const struct pane_context *context, const struct canvas *canvas, unsigned index,
		      double seconds)
{
	bool scoped = scope_is_set(context->request->scope);

	if (seconds < WATCH_SECONDS)
		canvas_print(canvas, 0, 0, STYLE_NORMAL,
			     scoped ? _("machine and scope: nothing out of the ordinary so far "
					"(watched %.0f of %d s)")
				    : _("nothing out of the ordinary so far (watched %.0f of %d s)"),
			     seconds, WATCH_SECONDS);
	else
		canvas_text(canvas, 0, 0, STYLE_OK,
			    scoped ? _("machine and scope: nothing out of the ordinary")
				   : _(context->tables[index].view.schema->none),
			    -1);
}

/* The first one that is shown: they scroll for the selected one. */
static size_t first_row(const struct pane_context *context, unsigned index, size_t page)
{
	const struct table_place *place = &context->tables[index].place;

	return context->focus == index && place->cursor_on && place->row >= page ? place->row - page + 1 : 0;
}

/* Those of the table from first on that are over, or are not. */
static size_t count_over(const struct pane_context *context, unsigned index, size_t first, bool over)
{
	const struct view *view = &context->tables[index].view;
	size_t n = 0;

	for (size_t i = first; i < view->n_rows; i++)
		n += schema_row_is_over(view->schema, view->rows[i]) == over;
	return n;
}

/* "+3 more: disks, CPU, /srv; +2 earlier" in the last row. */
static void draw_more(const struct pane_context *context, const struct canvas *line, unsigned index,
		      size_t first)
{
	size_t n_more = count_over(context, index, first, false);
	size_t n_over = count_over(context, index, first, true);
	char subject[TEXT_MAX];
	int x = MARK_CELLS + 1;

	if (n_more > 0)
		x += canvas_print(line, 0, x, STYLE_STRONG, _("+%zu more:"), n_more);
	for (size_t i = first; i < first + n_more && x < line->width; i++)
		x += canvas_print(line, 0, x, STYLE_NORMAL, i > first ? ", %s" : " %s",
				  subject_of(context, index, context->tables[index].view.rows[i], subject,
					     sizeof(subject)));
	if (n_over > 0)
		canvas_print(line, 0, x, STYLE_DIM, n_more > 0 ? _("; +%zu earlier") : _("+%zu earlier"),
			     n_over);
}

void overview_findings_draw(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			    double watched_seconds)
{
	struct table_widget *widget = &context->tables[index];
	const struct notice *lack = frame_newest_notice(context->frame, "finding");
	size_t n = count(context, index), page = n < (size_t)canvas->height ? n : (size_t)canvas->height;
	int subject_cells = subject_width(canvas);
	struct canvas line;
	size_t first;

	if (n == 0 && lack)
		canvas_text(canvas, 0, 0, STYLE_DIM, lack->text, -1);
	else if (n == 0 && context_table(context, index))
		draw_none(context, canvas, index, watched_seconds);
	if (n == 0)
		return;
	page -= page < n && page > 1; /* the last line is for the others */
	first = first_row(context, index, page);
	/* for its keys and the mouse: a table without a heading */
	widget->heading_y = canvas->top - 1;
	widget->left = canvas->left;
	widget->width = canvas->width;
	widget->page = n < (size_t)canvas->height ? (int)n : canvas->height;
	widget->place.top = first;
	for (size_t i = 0; i < page; i++) {
		line = canvas_rows(canvas, (int)i, 1);
		draw_finding(context, &line, index, first + i, subject_cells);
	}
	line = canvas_rows(canvas, (int)page, 1);
	if (first + page < n && page < (size_t)canvas->height)
		draw_more(context, &line, index, first + page);
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
