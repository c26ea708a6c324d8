/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys m and =: tables get the schemas of differences, and the rows of a frame of differences. */
#include <config.h>

#include "screen/past/compare.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "screen/pane_tables.h"

#define OTHER_LINES_MIN 5 /* of one more table, with its title */

void compare_mark(struct pane_context *context)
{
	struct screen *screen = context->screen;
	char time[CLOCK_TEXT_MAX];

	marked_take(screen, screen_frame(screen));
	marks_add(&screen->marks, screen->compare.marked.wall_ns);
	screen_message(screen, MESSAGE_SCREEN, _("marked: %s; = compares what is shown with it"),
		       clock_local(time, screen->compare.marked.wall_ns, "%H:%M:%S"));
}

/* A growth looks hot and a decrease cool; the sign is in the text, too. */
static enum style style_of_change(const struct findings *findings, const struct schema *schema,
				  const struct column *column, const void *row)
{
	const struct column *change = &schema->columns[schema->n_columns - 1];
	const char *text = row_text(row, change);

	(void)findings;
	if (column->difference)
		return row_number(row, column) > 0   ? STYLE_WARN
		       : row_number(row, column) < 0 ? STYLE_OK
						     : STYLE_NORMAL;
	if (text && strcmp(text, DIFFERENCE_ENDED) == 0)
		return STYLE_ENDED;
	return text && *text ? STYLE_FRESH : STYLE_NORMAL;
}

static const struct schema *schema_of(const struct screen *screen, const char *topic, bool difference)
{
	const struct screen_setup *setup = screen->setup;

	return difference ? differences_schema(screen->compare.differences, topic)
			  : setup->schemas[schema_index(setup->schemas, setup->n_schemas, topic)];
}

/* Columns keep their indexes, so that a view stays as it was chosen. */
static void turn_table(struct screen *screen, struct pane_context *context, unsigned index, bool on)
{
	const struct pane_table *table = &context->pane->tables[index];
	struct table_widget *widget = &context->tables[index];

	if (widget->view.schema->shape == SHAPE_EVENTS)
		return;
	if (!on)
		view_hide_difference(&widget->view);
	widget->view.schema = schema_of(screen, table->topic, on);
	widget->view.n_rows = widget->view.n_matching = 0;
	if (on)
		view_show_difference(&widget->view);
	widget->column = on ? widget->column + 1 : widget->column > 0 ? widget->column - 1 : 0;
	widget->scroll = 0;
	widget->cell_style = on ? style_of_change : table->cell_style;
	table_forget_widths(widget);
}

void compare_turn(struct screen *screen, bool on)
{
	if (on)
		screen->message_until_ns = 0; /* it said how to compare */
	screen->compare.on = on;
	screen->compare.taken = false;
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; context->pane->tables[i].topic; i++)
			turn_table(screen, context, i, on);
		if (!on)
			screen_adjust(context);
	}
	pane_tables_update(screen);
}

/* Is it one more table of the view that has anything to compare? */
static bool is_drawn(const struct pane_context *context, unsigned index, unsigned main)
{
	const struct pane_table *tables = context->pane->tables;
	const struct pane_view *view = context->pane->views ? &context->pane->views[context->view] : NULL;
	bool here = !tables[index].lazy || (view && view->also >> index & 1);
	const struct table *table = here ? context_table(context, index) : NULL;

	if (index == main || !table || table->n_rows == 0 || table->schema->shape == SHAPE_EVENTS)
		return false;
	for (unsigned i = 0; i < index; i++)
		if (strcmp(tables[i].topic, tables[index].topic) == 0)
			return false;
	return strcmp(tables[index].topic, tables[main].topic) != 0;
}

/* With its title. */
static int lines_of(const struct pane_context *context, unsigned index)
{
	int need = table_height(&context->tables[index]) + 1;

	return need < OTHER_LINES_MIN ? OTHER_LINES_MIN : need;
}

/* Of the other tables as a whole: they get at most half of the pane. */
static int lines_of_others(const struct pane_context *context, int height, unsigned main)
{
	int lines = 0;

	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		if (is_drawn(context, i, main) && lines + lines_of(context, i) <= height / 2)
			lines += lines_of(context, i);
	return lines;
}

static int draw_table(const struct pane_context *context, const struct canvas *canvas, int y, unsigned index,
		      int most, const char *title)
{
	int need = lines_of(context, index);
	struct canvas part = canvas_rows(canvas, y, need < most ? need : most);

	context_draw_titled(context, &part, index, title);
	return y + part.height;
}

void compare_draw(const struct pane_context *context, const struct canvas *canvas)
{
	const struct pane *pane = context->pane;
	const struct pane_view *view = pane->views ? &pane->views[context->view] : NULL;
	unsigned main = view ? view->table : 0;
	int y;

	if (!pane->tables[main].topic)
		return;
	y = draw_table(context, canvas, 0, main,
		       canvas->height - lines_of_others(context, canvas->height, main),
		       view ? _(view->title) : _(pane->title));
	for (unsigned i = 0; pane->tables[i].topic; i++)
		if (is_drawn(context, i, main) && lines_of(context, i) <= canvas->height - y)
			y = draw_table(context, canvas, y, i, canvas->height - y,
				       context->tables[i].view.schema->name);
}

void compare_text(const struct screen *screen, bool brief, char *text, size_t room)
{
	const struct frame *difference = &screen->compare.difference;
	double seconds = (double)difference->interval_ns / 1e9;
	char late[CLOCK_TEXT_MAX], early[CLOCK_TEXT_MAX];

	clock_local(late, difference->wall_ns, "%H:%M:%S");
	clock_local(early, difference->since_ns, "%H:%M:%S");
	if (brief)
		snprintf(text, room, "%s-%s", late, early);
	else
		snprintf(text, room, _("%s compared with %s (%.*f s)"), late, early, seconds < 10, seconds);
}

void compare_why(const struct screen *screen, struct buffer *out)
{
	const struct frame *difference = &screen->compare.difference;
	char late[CLOCK_TEXT_MAX], early[CLOCK_TEXT_MAX], span[VALUE_TEXT_MAX];

	buffer_print(out, _("Shown: the difference of two samples, %s less %s, %s apart\n"),
		     clock_local(late, difference->wall_ns, "%H:%M:%S"),
		     clock_local(early, difference->since_ns, "%H:%M:%S"),
		     duration_text(span, (double)difference->interval_ns / 1e9, false));
}
