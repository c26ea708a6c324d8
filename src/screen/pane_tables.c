/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table widgets of the panes: opened, adjusted to settings, updated to the shown frame, titled. */
#include <config.h>

#include "screen/pane_tables.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"

bool marked_exists(const struct screen *screen)
{
	return screen->compare.differences != NULL;
}

static void open_frames(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	struct compare *compare = &screen->compare;

	compare->differences = differences_open(setup->schemas, setup->n_schemas);
	frame_open(&compare->marked, setup->schemas, setup->n_schemas);
	frame_open(&compare->difference, differences_schemas(compare->differences), setup->n_schemas);
}

void marked_take(struct screen *screen, const struct frame *frame)
{
	struct compare *compare = &screen->compare;

	if (!compare->differences)
		open_frames(screen);
	frame_copy(&compare->marked, frame);
	compare->taken = false;
}

void marked_close(struct screen *screen)
{
	struct compare *compare = &screen->compare;

	if (!compare->differences)
		return;
	frame_close(&compare->marked);
	frame_close(&compare->difference);
	differences_close(compare->differences);
	compare->differences = NULL;
}

/* The earlier one of both is A. */
void marked_update(struct screen *screen, const struct frame *shown)
{
	struct compare *compare = &screen->compare;
	const struct frame *marked = &compare->marked;
	bool same_boot = shown->boot == marked->boot;

	if (!compare->on || (compare->taken && compare->shown_ns == shown->mono_ns))
		return;
	compare->taken = true;
	compare->shown_ns = shown->mono_ns;
	if (same_boot ? shown->mono_ns < marked->mono_ns : shown->boot > marked->boot)
		frame_difference(compare->differences, &compare->difference, shown, marked, same_boot);
	else
		frame_difference(compare->differences, &compare->difference, marked, shown, same_boot);
}

const struct table *marked_table(const struct screen *screen, const char *topic)
{
	return frame_table(&screen->compare.difference, topic);
}

#define TITLED_LINES_MIN 5  /* of a table below its title */
#define ALSO_FROM_CELLS 40  /* of a screen, to name the hidden column that a filter matches */

const struct table *context_table(const struct pane_context *context, unsigned index)
{
	const char *topic = context->pane->tables[index].topic;
	const struct event_log *log = event_logs_find(&context->screen->logs, topic);
	const struct table *own = NULL;

	if (log)
		return log->shown.present ? &log->shown : NULL;
	if (context->screen->compare.on)
		return marked_table(context->screen, topic);
	if (context->frame && context->pane->table)
		own = context->pane->table(context, index);
	return own ? own : context->frame ? frame_table(context->frame, topic) : NULL;
}

struct canvas context_above_notice(const struct pane_context *context, const struct canvas *canvas)
{
	int below = context->notice_y > 0 ? canvas->top + canvas->height - context->notice_y : 0;

	return canvas_rows(canvas, 0, canvas->height - (below > 0 ? below : 0));
}

void context_draw_table(const struct pane_context *context, const struct canvas *canvas, unsigned index)
{
	const struct canvas shown = context_above_notice(context, canvas);

	table_draw(&context->tables[index], &shown, context_table(context, index), context->unit);
}

void context_heading(const struct pane_context *context, char *text, size_t room)
{
	double seconds = (double)context->frame->interval_ns / 1e9;

	snprintf(text, room, "%s", _(context->pane->views[context->view].title));
	if (context->frame->interval_ns > 0)
		snprintf(text + strlen(text), room - strlen(text), _(" in the last %.1f s"), seconds);
}

static size_t count_gone(const struct view *view)
{
	size_t n_gone = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		n_gone += table_row_is_gone(view->schema, view->rows[i]);
	return n_gone;
}

void pane_table_filter_text(const struct table_widget *widget, const struct canvas *canvas, char *text,
			    size_t room)
{
	const char *pattern = widget->filter_text.bytes;
	int most = canvas->width / 4;
	const struct column *hidden;
	struct buffer shown = BUFFER_HERE;

	*text = '\0';
	if (!widget->has_filter)
		return; /* without an allocation: it is drawn in every sample */
	hidden = table_hidden_match(widget);
	if (utf8_cells(pattern, canvas->ascii) > most) {
		utf8_clean(&shown, pattern, most - 1, canvas->ascii);
		buffer_print(&shown, "%s", canvas->ascii ? "~" : "…");
	} else {
		utf8_clean(&shown, pattern, -1, canvas->ascii);
	}
	buffer_char(&shown, '\0');
	snprintf(text, room, _("filter %s: "), shown.bytes);
	if (hidden && canvas->width >= ALSO_FROM_CELLS)
		snprintf(text, room, _("filter %s (also in %s): "), shown.bytes, column_name(hidden));
	buffer_free(&shown);
}

/* The column by which kernel threads are hidden; NULL: they are not. */
static const struct column *hides_by(const struct settings *settings, const struct schema *schema)
{
	return settings->kernel_threads ? schema_find(schema, "kernel_thread") : NULL;
}

/* Of the scope; without kernel threads where they are hidden. */
static size_t count_all(const struct pane_context *context, const struct view *view,
			const struct table *table, size_t *n_hidden)
{
	const struct column *kernel_thread = hides_by(context->settings, view->schema);
	size_t n_all = 0;

	*n_hidden = 0;
	if (!table || table->is_log)
		return table ? table->n_rows : 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (table_row_is_gone(view->schema, row) ||
		    !view_filter_scopes(&view->filter, view->schema, row))
			continue;
		if (kernel_thread && row_number(row, kernel_thread) == 1)
			++*n_hidden;
		else
			n_all++;
	}
	return n_all;
}

/* "5 of 94 + 2 ended, hidden: 130", and the filter before it. */
static void count_text(const struct pane_context *context, const struct canvas *canvas, unsigned index,
		       const struct table *table, char *text, size_t room)
{
	const struct table_widget *widget = &context->tables[index];
	const struct view *view = &widget->view;
	size_t n_gone = table && table->is_log ? 0 : count_gone(view), n_shown = view->n_matching - n_gone,
	       length, n_hidden, n_all = count_all(context, view, table, &n_hidden);

	if (context->pane->tables[index].only) /* the filter leaves out others, too */
		n_all = n_shown;

	pane_table_filter_text(widget, canvas, text, room);
	length = strlen(text);
	if (!table) /* which has no count, and not none */
		return;
	if (n_shown == n_all)
		snprintf(text + length, room - length, "%zu", n_all);
	else
		snprintf(text + length, room - length, _("%zu of %zu"), n_shown, n_all);
	length = strlen(text);
	if (n_gone > 0)
		snprintf(text + length, room - length, _(" + %zu ended"), n_gone);
	length = strlen(text);
	if (n_hidden > 0)
		snprintf(text + length, room - length, _(", hidden: %zu"), n_hidden);
}

/* By what the rows are sorted, where no heading shows it. */
static void add_order(const struct table_widget *widget, char *text, size_t room)
{
	const struct view *view = &widget->view;
	size_t length = strlen(text);

	if (widget->n_slots > 0 && view->sort != VIEW_AS_SAMPLED &&
	    !table_draws(widget, (unsigned)view->sort))
		snprintf(text + length, room - length, _(", by %s"),
			 column_name(&view->schema->columns[view->sort]));
}

/* Does it get the keys, and others of the view could? */
static bool is_one_of_several(const struct pane_context *context, unsigned index)
{
	const struct pane_view *view = context->pane->views ? &context->pane->views[context->view] : NULL;

	return view && !context->pane->of_process && (view->also | view->below) && index == context->focus;
}

void context_draw_titled(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			 const char *title)
{
	const struct table *table = context_table(context, index);
	bool titled = canvas->height >= TITLED_LINES_MIN;
	const struct canvas rest = canvas_rows(canvas, titled, canvas->height - titled);
	char text[TEXT_MAX];

	context_draw_table(context, &rest, index);
	if (!titled)
		return;
	count_text(context, canvas, index, table, text, sizeof(text));
	add_order(&context->tables[index], text, sizeof(text)); /* of the headings just drawn */
	context->screen->filter_shown =
		canvas_rule_in(canvas, 0, is_one_of_several(context, index) ? STYLE_HEADING : STYLE_STRONG,
			       title, text);
}

#define BELOW_LINES_MIN 6 /* of a table below another one */

static const char *help_of(const struct pane *pane, unsigned table)
{
	const struct pane_view *view = pane->views;

	while (view->name && view->table != table)
		view++;
	return view->name ? _(view->help) : "";
}

void context_draw_view(const struct pane_context *context, const struct canvas *canvas, const char *title)
{
	const struct pane_view *view = &context->pane->views[context->view];
	struct canvas rest = *canvas, above;
	unsigned table = view->table;

	for (unsigned i = 0; view->below && context->pane->tables[i].topic; i++) {
		int wanted = 2 + table_height(&context->tables[table]);
		const struct table *below = view->below >> i & 1 ? context_table(context, i) : NULL;

		wanted = wanted < TITLED_LINES_MIN ? TITLED_LINES_MIN : wanted;
		if (!below || below->n_rows == 0 || rest.height - wanted < BELOW_LINES_MIN)
			continue;
		above = canvas_rows(&rest, 0, wanted);
		context_draw_titled(context, &above, table, title);
		rest = canvas_below(&rest, wanted);
		table = i;
		title = help_of(context->pane, i);
	}
	context_draw_titled(context, &rest, table, title);
}

const char *pane_table_setting(const struct pane_context *context, unsigned index)
{
	const struct pane_table *table = &context->pane->tables[index];

	return table->setting ? table->setting : table->topic;
}

bool pane_table_is_home(const struct pane_context *context, unsigned index)
{
	const struct screen_setup *setup = context->screen->setup;
	const char *topic = context->pane->tables[index].topic;

	if (context->pane->tables[index].setting)
		return true;
	for (unsigned p = 0; setup->panes[p] != context->pane; p++)
		for (const struct pane_table *table = setup->panes[p]->tables; table->topic; table++)
			if (!table->own_columns && strcmp(table->topic, topic) == 0)
				return false;
	return !context->pane->tables[index].own_columns;
}

static void adjust(const struct pane_context *context, unsigned index, struct view *view)
{
	const struct pane_table *table = &context->pane->tables[index];

	view_clear_choices(view);
	view_choose_tree(view, NULL, NULL);
	if (table->only)
		view_choose_rows(view, table->only, NULL, table->only_column);
	if (table->threshold && !context->screen->compare.on)
		view_set_threshold(view, table->threshold, table->least);
	if (table->without_self && context->request->own_pid)
		view_exclude(view, context->request->own_pid, "pid");
	if (context->pane->adjust)
		context->pane->adjust(context->settings, context->request, view);
	if (hides_by(context->settings, view->schema))
		view_exclude(view, 1, "kernel_thread");
	if (!table->of_one)
		view_choose_scope(view, context->request->scope);
}

void screen_adjust(struct pane_context *context)
{
	if (context->pane->wants)
		context->pane->wants(context->settings, context_request(context));
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		adjust(context, i, &context->tables[i].view);
}

void screen_set(struct pane_context *context, const char *name, const char *value, const char *said)
{
	char setting[SETTING_NAME_MAX];

	snprintf(setting, sizeof(setting), "%s.%s", context->pane->name, name);
	settings_set(context_settings(context), setting, value, 0);
	screen_adjust(context);
	screen_message(context->screen, MESSAGE_PANE, "%s", said);
}

void pane_table_apply_defaults(const struct pane_context *context, unsigned index, struct view *view)
{
	const struct pane_table *table = &context->pane->tables[index];

	view_apply_defaults(view, table->columns, table->sort);
	adjust(context, index, view);
}

/* May it get its first row at any time? Then a notice of its topic is only about what its rows would lack. */
static bool waits_for_rows(const struct pane_context *context, unsigned index)
{
	const struct pane_table *table = &context->pane->tables[index];
	const struct table *sampled = frame_table(context->frame, table->topic);

	return table->waits && sampled && !sampled->failed && !context->frame->named_absent;
}

/* The newest notice about an empty table. */
static const struct notice *notice_of_empty(const struct pane_context *context, unsigned index)
{
	const struct table *table = context_table(context, index);

	return table && table->n_rows == 0 && !waits_for_rows(context, index)
		       ? frame_newest_notice(context->frame, table->schema->name)
		       : NULL;
}

static uint64_t kept_from_ns(const struct screen *screen, const char *topic)
{
	int index = schema_index(screen->setup->schemas, screen->setup->n_schemas, topic);

	return index < 0 ? 0 : screen->kept_from_ns[index];
}

void screen_absence(const struct pane_context *context, const char *topic, char *text, size_t room)
{
	const struct screen *screen = context->screen;
	char from[CLOCK_TEXT_MAX];
	uint64_t from_ns = screen->in_past && !screen->shows_earlier ? kept_from_ns(screen, topic) : 0;

	if (screen->compare.on)
		snprintf(text, room, "%s", _("no difference: one of both samples lacks it"));
	else if (screen->in_past && from_ns > screen->frames[SCREEN_PAST_FRAME].wall_ns)
		snprintf(text, room, _("recorded from %s on; G goes back to now"),
			 clock_local(from, from_ns, "%H:%M:%S"));
	else
		snprintf(text, room, "%s",
			 screen->in_past                  ? _("not sampled then; G goes back to now")
			 : screen->frozen                 ? _("not in the paused sample; Z goes on")
			 : screen_is_live(screen) ? _("not sampled yet")
						  : _("not recorded"));
}

void pane_tables_update(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);

	marked_update(screen, screen_frame(screen));
	if (context->frame && context->pane->update && !screen->compare.on)
		context->pane->update(context);
	context->unit = screen->unit;
	for (unsigned i = 0; context->pane->tables[i].topic; i++) {
		context->tables[i].shown_ns = context->frame ? context->frame->mono_ns : 0;
		context->tables[i].frame = context->frame;
		table_update(&context->tables[i], context_table(context, i));
		context->tables[i].cpus =
			context->frame ? view_cpus(&context->tables[i].view, context->frame) : 0;
		context->tables[i].notice = notice_of_empty(context, i);
		screen_absence(context, context->pane->tables[i].topic, context->tables[i].absent,
			       sizeof(context->tables[i].absent));
		context->tables[i].waits = context->pane->tables[i].waits;
		if (context->tables[i].waits && screen->in_past)
			context->tables[i].waits = N_("none until then");
	}
}

void pane_table_open(struct pane_context *context, unsigned index)
{
	const struct screen_setup *setup = context->screen->setup;
	const struct pane_table *table = &context->pane->tables[index];
	struct table_widget *widget = &context->tables[index];
	const struct event_log *log = event_logs_find(&context->screen->logs, table->topic);
	int schema = schema_index(setup->schemas, setup->n_schemas, table->topic);
	const char *unknown, *columns, *sort;
	char name[128];

	table_open(widget, log ? log->shown.schema : setup->schemas[schema]);
	widget->findings = context->findings;
	widget->cell_style = table->cell_style;
	pane_table_apply_defaults(context, index, &widget->view);
	widget->view.limit = setup->limit;
	if (!pane_table_is_home(context, index))
		return;
	snprintf(name, sizeof(name), "%s.columns", pane_table_setting(context, index));
	columns = settings_text(setup->settings, name);
	if (columns && view_choose_columns(&widget->view, columns, &unknown) == 0)
		adjust(context, index, &widget->view);
	snprintf(name, sizeof(name), "%s.sort", pane_table_setting(context, index));
	sort = settings_text(setup->settings, name);
	if (sort)
		view_choose_sort(&widget->view, sort); /* an unknown one changes nothing */
}
