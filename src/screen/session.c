/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session behind the screen: frames, panes, logs, the delay, messages, and what is sampled. */
#include <config.h>

#include "screen/session.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/scope_use.h"
#include "screen/past/marked.h"
#include "sys/env.h"

#define HISTORY_SAMPLES 3600
#define MESSAGE_NS UINT64_C(2000000000)
#define WARNING_NS UINT64_C(6000000000)
#define AT_ONCE_NS UINT64_C(1000000)
#define TITLED_LINES_MIN 5  /* of a table below its title */
#define ALSO_FROM_CELLS 40  /* of a screen, to name the hidden column that a filter matches */

struct pane_context *session_context(struct screen *screen)
{
	return &screen->contexts[screen->current];
}

struct table_widget *session_table(struct screen *screen)
{
	struct pane_context *context = session_context(screen);

	return &context->tables[context->focus];
}

const struct frame *session_frame(const struct screen *screen)
{
	return screen->shown < 0 ? NULL : &screen->frames[screen->shown];
}

const struct source *session_recording(const struct screen *screen)
{
	if (screen->in_past)
		return &screen->past_source;
	return screen_is_live(screen) || screen->shown < 0 ? NULL : screen->setup->source;
}

static bool has_events(const struct screen *screen, unsigned index)
{
	return screen->setup->schemas[index]->shape == SHAPE_EVENTS;
}

static void open_logs(struct screen *screen)
{
	screen->logs = alloc_zeroed(screen->setup->n_schemas, sizeof(*screen->logs));
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_open(&screen->logs[i], screen->setup->schemas[i], EVENT_LOG_ROWS,
			       EVENT_LOG_TEXT_BYTES);
}

static void close_logs(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_close(&screen->logs[i]);
	free(screen->logs);
}

static void add_to_logs(struct screen *screen, const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		if (!has_events(screen, i))
			continue;
		if (frame->tables[i].present)
			event_log_add(&screen->logs[i], &frame->tables[i]);
		event_log_mark(&screen->logs[i], frame->wall_ns);
	}
}

void session_clear_logs(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_clear(&screen->logs[i]);
}

void session_undo_logs(struct screen *screen, const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (has_events(screen, i) && frame->tables[i].present)
			event_log_undo(&screen->logs[i], &frame->tables[i]);
}

/* NULL: the topic has no events. */
static const struct event_log *find_log(const struct screen *screen, const char *topic)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		if (has_events(screen, i) && strcmp(screen->setup->schemas[i]->name, topic) == 0)
			return &screen->logs[i];
	return NULL;
}

static void show_message(struct screen *screen, enum message_scope scope, bool warns, const char *format,
			 va_list list)
{
	uint64_t ns = warns ? WARNING_NS : MESSAGE_NS;

	vsnprintf(screen->message, sizeof(screen->message), format, list);
	screen->message_scope = scope;
	screen->message_warns = warns;
	screen->message_until_ns = env_mono_ns() + ns;
	loop_wake_in(&screen->loop, ns);
}

void screen_message(struct screen *screen, enum message_scope scope, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	show_message(screen, scope, false, format, list);
	va_end(list);
}

void screen_warn(struct screen *screen, enum message_scope scope, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	show_message(screen, scope, true, format, list);
	va_end(list);
}

void session_set_delay(struct screen *screen, double seconds)
{
	screen->delay_seconds = seconds;
	screen->rate_limit = (struct rate_limit){ 0 };
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].delay_seconds = seconds;
	if (screen->n_soon == 0)
		loop_set_tick(&screen->loop, (uint64_t)(seconds * 1e9));
}

/* Two samples are never closer than that: rates of the tables sampled so far would be too coarse. */
void session_sample_soon(struct screen *screen)
{
	uint64_t last_ns = screen->frames[screen->latest].mono_ns, now_ns = env_mono_ns();
	uint64_t age_ns = now_ns > last_ns ? now_ns - last_ns : 0;

	if (screen->delay_seconds * 1e9 <= (double)SESSION_WARM_UP_NS)
		return;
	screen->n_soon = 2;
	loop_set_tick(&screen->loop, age_ns < SESSION_WARM_UP_NS ? SESSION_WARM_UP_NS - age_ns : AT_ONCE_NS);
}

void session_choose_delay(struct screen *screen, double seconds)
{
	screen->usual_seconds = seconds;
	screen->delay_chosen = true;
	session_set_delay(screen, seconds);
}

void session_follow_delay(struct screen *screen)
{
	double preferred = session_context(screen)->preferred_seconds;
	double wanted = preferred > 0 && !screen->delay_chosen ? preferred : screen->usual_seconds;

	if (wanted < screen->delay_seconds || wanted > screen->delay_seconds)
		session_set_delay(screen, wanted);
}

void screen_prefer_delay(struct pane_context *context, double seconds)
{
	struct screen *screen = context->screen;

	context->preferred_seconds = seconds;
	if (screen_is_live(screen) && context == session_context(screen))
		session_follow_delay(screen);
}

/* Samples that cost more than a tenth of the time, drawing included, are taken less often, with a message. */
void session_keep_pace(struct screen *screen, uint64_t cost_ns)
{
	bool changed;
	uint64_t delay_ns = rate_limit_delay(&screen->rate_limit, cost_ns,
					     (uint64_t)(screen->delay_seconds * 1e9), &changed);

	if (!changed)
		return;
	loop_set_tick(&screen->loop, delay_ns);
	if ((double)delay_ns <= screen->delay_seconds * 1e9 || screen->delay_seconds < screen->usual_seconds)
		return; /* as wanted; or the pane chose this delay: the headline shows the actual one */
	screen_warn(screen, MESSAGE_SCREEN,
		    _("a sample takes %.3g s of CPU time; sampling every %.3g s instead of %.3g s"),
		    (double)screen->rate_limit.cost_ns / 1e9, (double)delay_ns / 1e9, screen->delay_seconds);
}

const struct table *context_table(const struct pane_context *context, unsigned index)
{
	const char *topic = context->pane->tables[index].topic;
	const struct event_log *log = find_log(context->screen, topic);
	const struct table *own = NULL;

	if (log)
		return log->shown.present ? &log->shown : NULL;
	if (context->screen->compare.on)
		return marked_table(context->screen, topic);
	if (context->frame && context->pane->table)
		own = context->pane->table(context, index);
	return own ? own : context->frame ? frame_table(context->frame, topic) : NULL;
}

void context_draw_table(struct pane_context *context, const struct canvas *canvas, unsigned index)
{
	table_draw(&context->tables[index], canvas, context_table(context, index), context->unit);
}

static size_t count_gone(const struct view *view)
{
	size_t n_gone = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		n_gone += table_row_is_gone(view->schema, view->rows[i]);
	return n_gone;
}

void session_filter_text(const struct table_widget *widget, const struct canvas *canvas, char *text,
			 size_t room)
{
	const char *pattern = widget->filter_text.bytes;
	int most = canvas->width / 4;
	const struct column *hidden;
	struct buffer shown = { 0 };

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

/* Of the scope. */
static size_t count_all(const struct view *view, const struct table *table)
{
	size_t n_all = 0;

	if (!table || table->is_log)
		return table ? table->n_rows : 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		n_all += !table_row_is_gone(view->schema, row) &&
			 view_filter_scopes(&view->filter, view->schema, row);
	}
	return n_all;
}

/*
 * "5 of 94 + 2 ended", and the filter before it. all_known: the rows that the filter leaves out are those of
 * the table.
 */
static void count_text(const struct table_widget *widget, const struct canvas *canvas,
		       const struct table *table, bool all_known, char *text, size_t room)
{
	const struct view *view = &widget->view;
	size_t n_gone = table && table->is_log ? 0 : count_gone(view), n_shown = view->n_matching - n_gone,
	       length;
	size_t n_all = all_known ? count_all(view, table) : n_shown;

	session_filter_text(widget, canvas, text, room);
	length = strlen(text);
	if (n_shown == n_all)
		snprintf(text + length, room - length, "%zu", n_all);
	else
		snprintf(text + length, room - length, _("%zu of %zu"), n_shown, n_all);
	length = strlen(text);
	if (n_gone > 0)
		snprintf(text + length, room - length, _(" + %zu ended"), n_gone);
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

void context_draw_titled(struct pane_context *context, const struct canvas *canvas, unsigned index,
			 const char *title)
{
	const struct table *table = context_table(context, index);
	bool titled = canvas->height >= TITLED_LINES_MIN;
	const struct canvas rest = canvas_rows(canvas, titled, canvas->height - titled);
	char text[TEXT_MAX];

	context_draw_table(context, &rest, index);
	if (!titled)
		return;
	count_text(&context->tables[index], canvas, table, !context->pane->tables[index].only, text,
		   sizeof(text));
	add_order(&context->tables[index], text, sizeof(text)); /* of the headings just drawn */
	context->screen->filter_shown = canvas_rule(canvas, 0, title, text);
}

double context_step_seconds(const struct pane_context *context)
{
	return context->frame->interval_ns > 0 ? (double)context->frame->interval_ns / 1e9
					       : context->delay_seconds;
}

static void want_topic(const struct screen_setup *setup, bool *wanted, const char *topic)
{
	for (unsigned i = 0; i < setup->n_schemas; i++)
		if (strcmp(setup->schemas[i]->name, topic) == 0)
			wanted[i] = true;
}

static bool is_wanted(const struct pane_context *context, unsigned index, bool current)
{
	const struct pane_table *table = &context->pane->tables[index];

	if (table->on_request)
		return context->requested[index];
	return current && (!table->lazy || context->requested[index]) &&
	       (!table->scoped || scope_is_set(context->request->scope));
}

static void collect_wanted(const struct screen *screen, bool *wanted)
{
	const struct screen_setup *setup = screen->setup;

	for (unsigned i = 0; setup->headline_topics[i]; i++)
		want_topic(setup, wanted, setup->headline_topics[i]);
	for (unsigned i = 0; i < setup->n_schemas; i++)
		wanted[i] |= screen->logs[i].shown.present; /* a log must not get gaps */
	for (unsigned p = 0; p < setup->n_panes; p++) {
		const struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; i < context->pane->n_series; i++)
			if (p == screen->current || !context->pane->series[i].while_shown)
				want_topic(setup, wanted, context->pane->series[i].topic);
		for (unsigned i = 0; context->pane->tables[i].topic; i++)
			if (is_wanted(context, i, p == screen->current))
				want_topic(setup, wanted, context->pane->tables[i].topic);
	}
	scope_use_want(setup->request, setup->schemas, setup->n_schemas, wanted);
	findings_want(setup->finding_rules, setup->n_finding_rules, setup->schemas, setup->n_schemas, wanted);
}

/* True if columns are wanted that were not before. */
static bool request_columns(struct screen *screen)
{
	struct sample_request *request = screen->setup->request;
	struct sample_request before = { .n_shown = request->n_shown };
	bool any_new = false;

	memcpy(before.shown, request->shown, sizeof(before.shown));
	request->n_shown = 0;
	request->all_groups = false;
	for (unsigned p = 0; p < screen->setup->n_panes; p++) {
		const struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; context->pane->tables[i].topic; i++) {
			const struct view *view = &context->tables[i].view;
			unsigned long columns =
				view_requested_columns(view) |
				schema_requested_columns(view->schema, context->pane->tables[i].reads);

			if (!is_wanted(context, i, p == screen->current))
				continue;
			request->all_groups |= schema_is_of_groups(view->schema);
			sample_request_add(request, view->schema, columns);
			any_new |= sample_request_add(&before, view->schema, columns);
		}
	}
	if (screen->wanted)
		scope_use_request(request, screen->setup->schemas, screen->setup->n_schemas, screen->wanted);
	return any_new;
}

void session_update_subscriptions(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted, any_new = false;

	if (!setup->source->want)
		return;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	collect_wanted(screen, wanted);
	for (unsigned i = 0; screen->wanted && i < setup->n_schemas; i++)
		any_new |= wanted[i] && !screen->wanted[i];
	free(screen->wanted);
	screen->wanted = wanted;
	any_new |= request_columns(screen);
	setup->source->want(setup->source->state, wanted);
	if (any_new && screen->latest >= 0)
		session_sample_soon(screen);
}

void session_want_only(const struct screen *screen, const struct source *source, const char *topic)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted;

	if (!source->want)
		return;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	for (unsigned i = 0; i < setup->n_schemas; i++)
		wanted[i] = topic ? strcmp(setup->schemas[i]->name, topic) == 0
				  : screen->in_past || screen->wanted[i];
	source->want(source->state, wanted);
	free(wanted);
}

void screen_request(struct pane_context *context, unsigned table, bool wanted)
{
	context->requested[table] = wanted;
	session_update_subscriptions(context->screen);
}

bool screen_replays(const struct pane_context *context)
{
	return !screen_is_live(context->screen) || context->screen->in_past;
}

static void act_done(void *state, int error)
{
	struct screen *screen = state;
	struct pending pending = screen->pending;

	screen->pending = (struct pending){ 0 };
	if (pending.done)
		pending.done(pending.context, error);
	screen->changed = true;
}

int screen_act(struct pane_context *context, const char *topic, const char *action,
	       void (*done)(struct pane_context *context, int error), const char **remedy)
{
	struct screen *screen = context->screen;
	const struct source *source = screen->setup->source;
	int error;

	*remedy = NULL;
	if (!source->act)
		return -ENOTSUP;
	if (screen->pending.done)
		return -EBUSY;
	screen->pending = (struct pending){ .context = context, .done = done };
	error = source->act(source->state, topic, action, done ? act_done : NULL, screen, remedy);
	if (error)
		screen->pending = (struct pending){ 0 };
	return error;
}

void screen_restart(struct pane_context *context, const char *topic)
{
	const struct source *source = context->screen->setup->source;

	if (source->restart)
		source->restart(source->state, topic);
}

void session_show(struct screen *screen, int index)
{
	screen->shown = index;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].frame = &screen->frames[index];
}

/* A frame that is neither shown nor the base of the next one's rates. */
static int spare_frame(const struct screen *screen)
{
	for (int i = 0; i < SCREEN_FRAMES; i++)
		if (i != screen->latest && i != screen->shown)
			return i;
	return 0;
}

/* The history of a hidden pane does not get denser when the shown pane prefers a short delay. */
static bool is_due(const struct pane_context *context, const struct frame *frame)
{
	const struct history *history = &context->history;
	const struct screen *screen = context->screen;
	uint64_t last_ns = history->count > 0 ? history_time(history, history->count - 1) : 0;

	return context == session_context(context->screen) ||
	       (screen->delay_seconds >= screen->usual_seconds && screen->n_soon == 0) ||
	       frame->mono_ns < last_ns ||
	       (double)(frame->mono_ns - last_ns) / 1e9 >= screen->usual_seconds - screen->delay_seconds / 2;
}

void session_prepare(struct screen *screen, const struct frame *frame)
{
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		if (screen->setup->panes[p]->prepare)
			screen->setup->panes[p]->prepare(&screen->contexts[p], frame);
}

static void take_frame(struct pane_context *context, const struct frame *frame)
{
	if (is_due(context, frame))
		history_add(&context->history, frame);
	if (context->pane->sampled)
		context->pane->sampled(context, frame);
}

/* Does the user look for a text? It may be in a command line that was not shown yet. */
static bool looks_for_text(const struct screen *screen)
{
	const struct pane_context *context = &screen->contexts[screen->current];
	bool filtered = false;

	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		filtered |= context->tables[i].has_filter;
	return filtered || screen->search.length > 1;
}

/* The key @ offers the control group of the process under the cursor. */
static void note_selected(struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[context->focus];
	const struct column *pid = schema_find(widget->view.schema, "pid"), *cell;
	const void *row = context->frame && pid && widget->place.cursor_on ? table_cell(widget, &cell) : NULL;

	context->request->group_pid = row && row_is_known(row, pid) ? (uint32_t)row_number(row, pid) : 0;
}

static void keep(void *state, const struct frame *frame)
{
	struct screen *screen = state;

	screen->setup->past->keep(screen->setup->past->state, frame);
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (frame->tables[i].present && !screen->kept_from_ns[i])
			screen->kept_from_ns[i] = frame->wall_ns;
}

int session_sample(struct screen *screen)
{
	struct pane_context *context = session_context(screen);
	int index = spare_frame(screen), got;
	struct frame *frame = &screen->frames[index];

	context->request->all_commands = looks_for_text(screen);
	request_columns(screen);
	if (context->pane->sampling)
		context->pane->sampling(context);
	note_selected(context);
	got = pipeline_next(&screen->pipeline, frame,
			    screen->latest < 0 ? NULL : &screen->frames[screen->latest]);
	if (got != 1)
		return got;
	marks_take(&screen->marks, frame);
	if (!screen_is_live(screen))
		findings_note_lack(screen->pipeline.findings, frame);
	pane_notice_scope(context->pane, context->request->scope, frame);
	session_prepare(screen, frame);
	screen->latest = index;
	add_to_logs(screen, frame);
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		take_frame(&screen->contexts[p], frame);
	if (!screen->frozen || screen->shown < 0)
		session_show(screen, index);
	return 1;
}

void session_freeze(struct screen *screen, bool frozen)
{
	screen->frozen = frozen;
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_freeze(&screen->logs[i], frozen);
	if (!frozen && screen->latest >= 0)
		session_show(screen, screen->latest);
}

static void show_pane(struct screen *screen, unsigned index)
{
	if (index != screen->current && screen->message_scope == MESSAGE_PANE)
		screen->message_until_ns = 0;
	screen->current = index;
	session_update_subscriptions(screen);
	session_follow_delay(screen);
}

void session_choose_pane(struct screen *screen, unsigned index)
{
	if (index >= screen->setup->n_panes)
		return;
	screen->contexts[index].came_from = -1;
	screen->contexts[index].n_before = 0;
	show_pane(screen, index);
}

bool session_has_tab(const struct screen *screen, unsigned index)
{
	return screen->setup->panes[index]->digit || index == screen->current;
}

void session_enter_pane(struct screen *screen, unsigned index)
{
	if (index != screen->current)
		screen->contexts[index].came_from = (int)screen->current;
	show_pane(screen, index);
}

/* The oldest one makes room. */
static void remember_page(struct pane_context *context)
{
	if (context->n_before == PAGES_BEFORE_MAX)
		memmove(context->before, context->before + 1, --context->n_before * sizeof(*context->before));
	context->before[context->n_before++] =
		(struct page_before){ .process = context->request->mapped, .view = context->view };
}

bool session_go_back(struct screen *screen)
{
	struct pane_context *context = session_context(screen);
	int from = context->came_from;

	if (context->n_before > 0) {
		const struct page_before *before = &context->before[--context->n_before];

		context->request->mapped = before->process;
		screen_show_view(context, before->view);
		return true;
	}
	if (from < 0)
		return false;
	context->came_from = -1;
	show_pane(screen, (unsigned)from);
	return true;
}

unsigned session_views(const struct pane_context *context)
{
	const struct pane_view *views = context->pane->views;
	unsigned n = 0;

	while (views && views[n].name)
		n++;
	return n > 0 ? n : 1;
}

unsigned session_home(const struct pane_context *context)
{
	return context->pane->home ? context->pane->home(context) : 0;
}

bool session_lacks_table(const struct pane_context *context)
{
	return context->pane->views && context->pane->views[context->view].no_table;
}

bool screen_was_opened(const struct pane_context *context)
{
	return context->came_from >= 0 || context->n_before > 0;
}

/* Does the view show this table? */
static bool view_has(const struct pane_view *view, unsigned table)
{
	return view->table == table || (view->also >> table & 1);
}

void screen_show_view(struct pane_context *context, unsigned index)
{
	const struct pane *pane = context->pane;

	if (index >= session_views(context) || !pane->views)
		return;
	if (context->screen->message_scope == MESSAGE_PANE)
		context->screen->message_until_ns = 0;
	context->view = index;
	context->focus = pane->views[index].table;
	for (unsigned i = 0; pane->tables[i].topic; i++)
		if (pane->tables[i].lazy)
			context->requested[i] = view_has(&pane->views[index], i);
	if (pane->viewed)
		pane->viewed(context);
	session_update_subscriptions(context->screen);
}

static bool is_sampled(const struct pane_context *context)
{
	return context->frame && context->pane->tables[0].topic &&
	       frame_table(context->frame, context->pane->tables[0].topic) != NULL;
}

/* A recording need not contain the first pane; then the first pane that it contains is shown. */
void session_choose_recorded_pane(struct screen *screen)
{
	if (is_sampled(session_context(screen)))
		return;
	if (screen->setup->first_asked_for)
		screen_warn(screen, MESSAGE_SCREEN, _("the recording holds no tables of the pane %s"),
			    session_context(screen)->pane->name);
	for (unsigned i = 0; i < screen->setup->n_panes; i++) {
		if (is_sampled(&screen->contexts[i])) {
			session_choose_pane(screen, i);
			return;
		}
	}
}

void screen_open(struct pane_context *context, const char *pane, const struct process_choice *process)
{
	struct screen *screen = context->screen;

	for (unsigned i = 0; i < screen->setup->n_panes; i++) {
		if (strcmp(screen->setup->panes[i]->name, pane) != 0)
			continue;
		if (i == screen->current)
			remember_page(context);
		else
			screen->contexts[i].n_before = 0;
		context->request->mapped = *process;
		session_enter_pane(screen, i);
		if (screen->setup->panes[i]->entered)
			screen->setup->panes[i]->entered(session_context(screen));
	}
}

const char *session_table_setting(const struct pane_context *context, unsigned index)
{
	const struct pane_table *table = &context->pane->tables[index];

	return table->setting ? table->setting : table->topic;
}

bool session_owns_table(const struct pane_context *context, unsigned index)
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
	if (context->pane->adjust)
		context->pane->adjust(context->settings, context->request, view);
	if (!table->of_one)
		view_choose_scope(view, context->request->scope);
}

void screen_adjust(struct pane_context *context)
{
	if (context->pane->wants)
		context->pane->wants(context->settings, context->request);
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		adjust(context, i, &context->tables[i].view);
}

void screen_set(struct pane_context *context, const char *name, const char *value, const char *said)
{
	char setting[SETTING_NAME_MAX];

	snprintf(setting, sizeof(setting), "%s.%s", context->pane->name, name);
	settings_set(context->settings, setting, value, 0);
	screen_adjust(context);
	screen_message(context->screen, MESSAGE_PANE, "%s", said);
}

void session_apply_defaults(const struct pane_context *context, unsigned index, struct view *view)
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
static const struct notice *why_empty(const struct pane_context *context, unsigned index)
{
	const struct table *table = context_table(context, index);

	return table && table->n_rows == 0 && !waits_for_rows(context, index)
		       ? frame_newest_notice(context->frame, table->schema->name)
		       : NULL;
}

static uint64_t kept_from_ns(const struct screen *screen, const char *topic)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		if (strcmp(screen->setup->schemas[i]->name, topic) == 0)
			return screen->kept_from_ns[i];
	return 0;
}

/* Why a table is not in the shown frame. */
static void explain_absence(const struct screen *screen, const char *topic, char *text, size_t room)
{
	char from[CLOCK_TEXT_MAX];
	uint64_t from_ns = screen->in_past ? kept_from_ns(screen, topic) : 0;

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
						  : _("not sampled here"));
}

void session_update(struct screen *screen)
{
	struct pane_context *context = session_context(screen);

	marked_update(screen, session_frame(screen));
	context->unit = screen->unit;
	for (unsigned i = 0; context->pane->tables[i].topic; i++) {
		context->tables[i].shown_ns = context->frame ? context->frame->mono_ns : 0;
		table_update(&context->tables[i], context_table(context, i));
		context->tables[i].cpus =
			context->frame ? view_cpus(&context->tables[i].view, context->frame) : 0;
		context->tables[i].why = why_empty(context, i);
		explain_absence(screen, context->pane->tables[i].topic, context->tables[i].absent,
				sizeof(context->tables[i].absent));
		context->tables[i].waits = context->pane->tables[i].waits;
		if (context->tables[i].waits && screen->in_past)
			context->tables[i].waits = N_("none until then");
	}
}

static void open_table(struct pane_context *context, unsigned index)
{
	const struct screen_setup *setup = context->screen->setup;
	const struct pane_table *table = &context->pane->tables[index];
	struct table_widget *widget = &context->tables[index];
	const char *unknown, *columns, *sort;
	char name[128];

	for (unsigned i = 0; i < setup->n_schemas; i++)
		if (strcmp(setup->schemas[i]->name, table->topic) == 0)
			table_open(widget, setup->schemas[i]);
	widget->cell_style = table->cell_style;
	session_apply_defaults(context, index, &widget->view);
	widget->view.limit = setup->limit;
	if (!session_owns_table(context, index))
		return;
	snprintf(name, sizeof(name), "%s.columns", session_table_setting(context, index));
	columns = settings_text(setup->settings, name);
	if (columns && view_choose_columns(&widget->view, columns, &unknown) == 0)
		adjust(context, index, &widget->view);
	snprintf(name, sizeof(name), "%s.sort", session_table_setting(context, index));
	sort = settings_text(setup->settings, name);
	if (sort)
		view_choose_sort(&widget->view, sort); /* an unknown one changes nothing */
}

static void open_context(struct screen *screen, unsigned index)
{
	struct pane_context *context = &screen->contexts[index];
	const struct pane *pane = screen->setup->panes[index];
	unsigned n_tables = 0;

	while (pane->tables[n_tables].topic)
		n_tables++;
	*context = (struct pane_context){
		.pane = pane, .screen = screen, .unit = screen->unit, .came_from = -1
	};
	context->settings = screen->setup->settings;
	context->request = screen->setup->request;
	context->state = alloc_zeroed(1, pane->state_size);
	context->tables = alloc_zeroed(n_tables, sizeof(*context->tables));
	context->requested = alloc_zeroed(n_tables, sizeof(*context->requested));
	history_open(&context->history, pane->series, pane->n_series, pane->n_series ? HISTORY_SAMPLES : 1);
	for (unsigned i = 0; i < n_tables; i++)
		open_table(context, i);
	if (pane->views) {
		context->focus = pane->views[0].table;
		for (unsigned i = 0; i < n_tables; i++)
			context->requested[i] = pane->tables[i].lazy && view_has(&pane->views[0], i);
	}
	if (pane->wants)
		pane->wants(context->settings, context->request);
	if (pane->open)
		pane->open(context);
}

static void close_context(struct pane_context *context)
{
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		table_close(&context->tables[i]);
	free(context->tables);
	free(context->requested);
	if (context->pane->close)
		context->pane->close(context->state);
	free(context->state);
	history_close(&context->history);
}

/*
 * --filter for all tables, --sort and --columns for those of the first topic that have no settings of their
 * own: run_plan_open() has rejected invalid ones.
 */
static void apply_options(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	const struct pane_context *context = &screen->contexts[setup->first_pane];
	const struct pane_table *tables = context->pane->tables;

	for (unsigned i = 0; tables[i].topic; i++) {
		struct table_widget *widget = &context->tables[i];
		bool first = strcmp(tables[i].topic, tables[0].topic) == 0 && !tables[i].setting;
		const char *unknown;

		if (setup->columns && first)
			view_choose_columns(&widget->view, setup->columns, &unknown);
		if (setup->sort && first)
			view_choose_sort(&widget->view, setup->sort);
		if (setup->filter)
			table_set_filter(widget, setup->filter);
	}
}

/* The user named this pane: nothing is left to ask. */
static void request_tables(struct pane_context *context)
{
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		context->requested[i] |= context->pane->tables[i].on_request;
}

/* Live members of the scope are in it in the past, too. */
static void open_pipelines(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	screen->pipeline = (struct pipeline){
		.source = setup->source,
		.scope = setup->request->scope,
		.findings = findings_open(setup->finding_rules, setup->n_finding_rules, setup->settings),
		.keep = setup->past ? keep : NULL,
		.keep_state = screen,
	};
	screen->past_pipeline = (struct pipeline){
		.source = &screen->past_source,
		.scope = setup->request->scope,
		.scope_is_live = true,
		.findings = findings_open(setup->finding_rules, setup->n_finding_rules, setup->settings),
	};
	findings_remember(screen->past_pipeline.findings, screen->pipeline.findings);
}

void session_open(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	open_logs(screen);
	screen->trends.position = SIZE_MAX;
	screen->kept_from_ns = alloc_zeroed(setup->n_schemas, sizeof(*screen->kept_from_ns));
	open_pipelines(screen);
	screen->contexts = alloc_zeroed(setup->n_panes, sizeof(*screen->contexts));
	screen->shown_notices = alloc_zeroed(setup->n_panes, sizeof(*screen->shown_notices));
	for (unsigned i = 0; i < setup->n_panes; i++)
		open_context(screen, i);
	for (int i = 0; i < SCREEN_ALL_FRAMES; i++)
		frame_open(&screen->frames[i], setup->schemas, setup->n_schemas);
	apply_options(screen);
	if (setup->first_asked_for)
		request_tables(&screen->contexts[setup->first_pane]);
	session_choose_pane(screen, setup->first_pane);
}

void session_close(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		close_context(&screen->contexts[i]);
	free(screen->contexts);
	free(screen->shown_notices);
	free(screen->wanted);
	free(screen->kept_from_ns);
	close_logs(screen);
	marked_close(screen);
	findings_close(screen->pipeline.findings);
	findings_close(screen->past_pipeline.findings);
	for (int i = 0; i < SCREEN_ALL_FRAMES; i++)
		frame_close(&screen->frames[i]);
}

/* The table of the present view with this topic. */
static struct table_widget *shown_table(struct pane_context *context, const char *topic)
{
	const struct pane *pane = context->pane;

	if (strcmp(pane->tables[context->focus].topic, topic) == 0)
		return &context->tables[context->focus];
	for (unsigned i = 0; pane->views && pane->tables[i].topic; i++)
		if (view_has(&pane->views[context->view], i) && strcmp(pane->tables[i].topic, topic) == 0)
			return &context->tables[i];
	return NULL;
}

/* Is it the process, or the row with the key? */
static bool is_wished(const struct schema *schema, const void *row, const struct row_wish *wish)
{
	const struct column *pid = schema_find(schema, "pid"), *start = schema_find(schema, "start_seconds");

	if (wish->pid != U64_UNKNOWN)
		return pid && start && row_u64(row, pid) == wish->pid &&
		       fabs(row_f64(row, start) - wish->start_seconds) < 1e-3;
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_KEY && column->type == VALUE_TEXT)
			return row_is_known(row, column) && strcmp(row_text(row, column), wish->key) == 0;
	}
	return false;
}

static void select_wished(struct table_widget *widget, const struct row_wish *wish)
{
	const struct view *view = &widget->view;

	for (size_t i = 0; i < view->n_rows; i++) {
		if (is_wished(view->schema, view->rows[i], wish)) {
			table_select_row(widget, view->rows[i]);
			return;
		}
	}
}

void session_show_row(struct screen *screen, const char *pane, const char *view, const struct row_wish *wish)
{
	struct pane_context *to;
	struct table_widget *widget;

	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		if (strcmp(screen->setup->panes[i]->name, pane) == 0)
			session_enter_pane(screen, i);
	to = session_context(screen);
	for (unsigned v = 0; to->pane->views && to->pane->views[v].name; v++)
		if (strcmp(to->pane->views[v].name, view) == 0)
			screen_show_view(to, v);
	if (!*view)
		screen_show_view(to, session_home(to));
	session_update(screen);
	widget = wish->pid != U64_UNKNOWN || *wish->key ? shown_table(to, wish->topic) : NULL;
	if (widget)
		select_wished(widget, wish);
}

void screen_show_row(struct pane_context *context, const char *pane, const char *view, const char *topic,
		     const char *row)
{
	const struct row_wish wish = { .topic = topic, .key = row, .pid = U64_UNKNOWN };

	if (strcmp(context->pane->name, pane) != 0)
		session_show_row(context->screen, pane, view, &wish);
}
