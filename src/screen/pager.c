/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of text over the pane: the help, and the explanation of a number. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "screen/keymap.h"
#include "screen/overlay.h"
#include "screen/session.h"
#include "sys/env.h"

#define KEYS_CELLS 9 /* minimum */

static void draw_pager(struct screen *screen, const struct canvas *canvas)
{
	struct pager *pager = &screen->pager;
	struct canvas page = canvas_rows(canvas, canvas->height >= 6 ? 2 : 0, canvas->height);
	struct span rest = span_of(pager->text.bytes, pager->text.length), line;
	int y = -pager->top;

	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	while (span_line(&rest, &line)) {
		bool heading = span_char(&line, '*');

		canvas_wrapped(&page, y, heading ? STYLE_HEADING : STYLE_NORMAL, line);
		y += canvas_lines(&page, line);
	}
	pager->page = page.height - (page.height > 1 ? 1 : 0); /* the last line shows the keys */
	pager->lines = y + pager->top;
	canvas_fill(canvas, canvas->height - 1, 0, STYLE_NORMAL, ' ', canvas->width);
	canvas_text(canvas, canvas->height - 1, 0, STYLE_KEY,
		    pager->lines > pager->page ? _("arrows scroll, any other key closes")
					       : _("any key closes"),
		    -1);
}

static void scroll(struct pager *pager, int step)
{
	int last = pager->lines > pager->page ? pager->lines - pager->page : 0;

	pager->top += step;
	pager->top = pager->top < 0 ? 0 : pager->top > last ? last : pager->top;
}

static void pager_key(struct screen *screen, const struct input *input)
{
	struct pager *pager = &screen->pager;

	switch (input->key) {
	case K_UP:
	case K_WHEEL_UP:
		scroll(pager, -1);
		break;
	case K_DOWN:
	case K_WHEEL_DOWN:
		scroll(pager, 1);
		break;
	case K_PAGE_UP:
		scroll(pager, -pager->page);
		break;
	case K_PAGE_DOWN:
	case ' ':
		scroll(pager, pager->page);
		break;
	case K_HOME:
		scroll(pager, -pager->lines);
		break;
	case K_END:
		scroll(pager, pager->lines);
		break;
	default:
		screen->overlay = NULL;
	}
}

static struct buffer *open_pager(struct screen *screen)
{
	static const struct overlay overlay = { .draw = draw_pager, .key = pager_key };

	screen->overlay = &overlay;
	screen->pager.top = 0;
	buffer_empty(&screen->pager.text);
	return &screen->pager.text;
}

static void add_key(struct buffer *out, const char *keys, const char *help)
{
	int words = utf8_cells(_("arrows"), false), mouse = utf8_cells(_("mouse"), false);

	words = words > mouse ? words : mouse;
	buffer_text(out, "  ");
	utf8_padded(out, keys, words > KEYS_CELLS ? words : KEYS_CELLS, false);
	buffer_print(out, " %s\n", help);
}

static void add_actions(struct buffer *out, const struct pane_context *context, bool of_pane)
{
	char keys[ACTION_KEYS_TEXT_MAX];

	for (unsigned i = 0; i < N_ACTIONS; i++)
		if ((keymap_bound(context, (enum action)i) != NULL) == of_pane &&
		    keymap_works(context, (enum action)i))
			add_key(out, action_keys_text(keys, (enum action)i),
				keymap_help(context, (enum action)i));
}

static void add_views(struct buffer *out, const struct pane_view *views)
{
	int cells = 0;

	for (const struct pane_view *view = views; view->name; view++) {
		int width = utf8_cells(_(view->title), false);

		cells = width > cells ? width : cells;
	}
	buffer_print(out, "\n*%s\n", _("Views of this pane (Tab, or [ and ])"));
	for (const struct pane_view *view = views; view->name; view++) {
		buffer_text(out, "  ");
		utf8_padded(out, _(view->title), cells, false);
		buffer_print(out, "  %s\n", _(view->help));
	}
}

void pager_help(struct screen *screen)
{
	const struct pane_context *context = session_context(screen);
	const struct pane *pane = context->pane;
	struct buffer *out = open_pager(screen);

	buffer_print(out, "*panetop %s: %s\n%s\n", PACKAGE_VERSION, _(pane->title), _(pane->question));
	if (pane->views)
		add_views(out, pane->views);
	buffer_print(out, "\n*%s\n", _("Keys of this pane"));
	add_actions(out, context, true);
	buffer_print(out, "\n*%s\n", _("Keys everywhere"));
	add_actions(out, context, false);
	for (const struct other_keys *other = other_keys; other->keys; other++)
		add_key(out, _(other->keys), _(other->help));
}

static void add_exact(struct buffer *out, const struct column *column, const void *row)
{
	char time[CLOCK_TEXT_MAX];

	if (column->type == VALUE_TEXT)
		utf8_clean(out,
			   row_is_known(row, column) ? column_words(column, row_text(row, column))
						     : _("unknown"),
			   -1, false);
	else if (row_is_blank(row, column))
		buffer_text(out, _("not applicable to this row"));
	else if (!row_is_known(row, column))
		buffer_text(out, column->kind == COLUMN_RATE
					 ? _("unknown: there is no earlier sample, or the counter was reset")
					 : _("unknown: the source does not report it"));
	else if (column->unit == UNIT_TIME)
		buffer_text(out, clock_utc(time, row_u64(row, column)));
	else if (column->type == VALUE_U64)
		buffer_print(out, "%" PRIu64, row_u64(row, column));
	else
		buffer_print(out, "%.9g", row_f64(row, column));
	if (row_is_known(row, column) && unit_suffix(column->unit))
		buffer_print(out, " %s", unit_suffix(column->unit));
}

/* Of a number that panes draw as a share of its row, too. */
static void add_share(struct buffer *out, const struct schema *schema, const void *row,
		      const struct column *column)
{
	double whole = schema->percent_base && column->unit == UNIT_BYTES ? schema->percent_base(row) : NAN;
	double share = row_number(row, column) / whole;

	if (!isnan(share) && column != &schema->columns[schema->percent_column])
		buffer_print(out, " (%.1f %%)", 100 * share);
}

static void add_row_name(struct buffer *out, const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind != COLUMN_KEY)
			continue;
		buffer_print(out, "  %s ", column->key);
		add_exact(out, column, row);
	}
}

static void add_number(struct buffer *out, const struct schema *schema, const void *row,
		       const struct column *column)
{
	buffer_print(out, "*%s.%s ", schema->name, column->key);
	add_row_name(out, schema, row);
	buffer_text(out, "\n");
	add_exact(out, column, row);
	add_share(out, schema, row, column);
	buffer_print(out, "\n%s: %s\n", _("What"), _(column->help));
	buffer_print(out, "%s: %s\n", _("From"), column->source);
}

/* A row that comes from another topic is explained there, as far as that has the number. */
static void add_selected(struct buffer *out, const struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[context->focus];
	const struct schema *schema = widget->view.schema;
	const struct column *column;
	const void *row = table_cell(widget, &column), *origin = NULL;

	if (!row || !frame_table(context->frame, schema->name))
		return;
	if (context->pane->origin)
		origin = context->pane->origin(context, row, &schema);
	if (origin && schema_find(schema, column->key))
		add_number(out, schema, origin, schema_find(schema, column->key));
	else
		add_number(out, widget->view.schema, row, column);
	if (column->of_cpu && widget->cpus > 0)
		buffer_print(out, P_("Shown: as a share of %.0f CPU\n", "Shown: as a share of %.0f CPUs\n",
				     (unsigned long)widget->cpus),
			     widget->cpus);
}

void explain_number(struct buffer *out, const struct schema *schema, const void *row, const char *key)
{
	const struct column *column = schema_known_column(schema, key);

	if (!row_is_known(row, column))
		return;
	buffer_char(out, '\n');
	add_number(out, schema, row, column);
}

/* A number in every row of its name, such as "some" and "full" of a resource; else in the first row. */
static void add_series(struct buffer *out, const struct table *table, const struct series *series)
{
	size_t n_rows = series->row || table->n_rows == 0 ? table->n_rows : 1;

	for (size_t i = 0; i < n_rows; i++) {
		const void *row = table_row(table, i);

		if (series->row && !table_row_is(table, row, series->row))
			continue;
		buffer_char(out, '\n');
		add_number(out, table->schema, row, schema_known_column(table->schema, series->column));
	}
}

/* The numbers beside the tables, which the cursor cannot reach. */
static void add_explained(struct buffer *out, const struct frame *frame, const struct series *series)
{
	for (; series && series->topic; series++) {
		const struct table *table = frame_table(frame, series->topic);

		if (table)
			add_series(out, table, series);
	}
}

/* Of the number under the cursor at its sample, in seconds. */
static double age_in_sample(const struct frame *frame, const struct table_widget *widget)
{
	const struct column *column;
	const void *row = table_cell(widget, &column);
	double age = 0;

	if (row && frame_table(frame, widget->view.schema->name) && column->aged_by)
		memcpy(&age, (const char *)row + column->aged_by, sizeof(age));
	return age > 0 ? age : 0;
}

static void add_age(struct buffer *out, struct screen *screen, const struct frame *frame)
{
	uint64_t now = env_mono_ns();

	if (!screen->setup->source->seek && now > frame->mono_ns)
		buffer_print(out, _("Age: %.1f s"),
			     (double)(now - frame->mono_ns) / 1e9 +
				     age_in_sample(frame, session_table(screen)));
	else
		buffer_print(out, _("Age: as recorded"));
	if (frame->interval_ns > 0)
		buffer_print(out, _("; rates are over %.3f s"), (double)frame->interval_ns / 1e9);
	buffer_char(out, '\n');
}

void pager_why(struct screen *screen)
{
	struct pane_context *context = session_context(screen);
	const struct frame *frame = session_frame(screen);
	struct buffer *out = open_pager(screen);

	add_selected(out, context);
	add_age(out, screen, frame);
	if (frame->n_notices > 0)
		buffer_print(out, "\n*%s\n", _("Notices"));
	for (unsigned i = frame->n_notices; i-- > 0;) {
		const struct notice *notice = &frame->notices[i];

		buffer_print(out, "%s: %s\n", notice->topic, notice->text);
		if (notice->remedy)
			buffer_print(out, "  %s: %s\n", _("remedy"), notice->remedy);
	}
	if (context->pane->explain)
		context->pane->explain(context, out);
	add_explained(out, frame, context->pane->explained);
}
