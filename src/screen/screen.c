/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen's life: taking frames from the source, events from the loop, and giving all back. */
#include <config.h>

#include "screen/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/env.h"
#include "core/i18n.h"
#include "model/derive.h"
#include "screen/state.h"

#define HISTORY_SAMPLES 3600
#define MESSAGE_SECONDS 6

struct pane_context *screen_context(struct screen *screen)
{
	return &screen->contexts[screen->current];
}

struct table_widget *screen_table(struct screen *screen)
{
	struct pane_context *context = screen_context(screen);

	return &context->tables[context->focus];
}

const struct frame *screen_frame(const struct screen *screen)
{
	return screen->shown < 0 ? NULL : &screen->frames[screen->shown];
}

const struct table *context_table(const struct pane_context *context, unsigned index)
{
	return context->frame ? frame_table(context->frame, context->pane->tables[index].topic) : NULL;
}

void screen_say(struct screen *screen, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(screen->message, sizeof(screen->message), format, list);
	va_end(list);
	screen->message_until_ns = env_mono_ns() + MESSAGE_SECONDS * UINT64_C(1000000000);
}

static void want_topic(const struct screen_setup *setup, bool *wanted, const char *topic)
{
	for (unsigned i = 0; i < setup->n_schemas; i++)
		if (strcmp(setup->schemas[i]->name, topic) == 0)
			wanted[i] = true;
}

void screen_want(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	bool *wanted;

	if (!setup->source->want)
		return;
	wanted = alloc_zeroed(setup->n_schemas, sizeof(*wanted));
	for (unsigned i = 0; setup->headline_topics[i]; i++)
		want_topic(setup, wanted, setup->headline_topics[i]);
	for (unsigned p = 0; p < setup->n_panes; p++) {
		const struct pane_context *context = &screen->contexts[p];

		for (unsigned i = 0; i < context->pane->n_series; i++)
			want_topic(setup, wanted, context->pane->series[i].topic);
		for (unsigned i = 0; p == screen->current && context->pane->tables[i].topic; i++)
			if (!context->pane->tables[i].on_request || context->requested[i])
				want_topic(setup, wanted, context->pane->tables[i].topic);
	}
	setup->source->want(setup->source->state, wanted);
	free(wanted);
}

void screen_request(struct pane_context *context, unsigned table, bool wanted)
{
	context->requested[table] = wanted;
	screen_want(context->screen);
}

static void show_frame(struct screen *screen, int index)
{
	screen->shown = index;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].frame = &screen->frames[index];
}

/* A frame that is neither shown nor needed to derive the next one's rates. */
static int spare_frame(const struct screen *screen)
{
	for (int i = 0; i < SCREEN_FRAMES; i++)
		if (i != screen->latest && i != screen->shown)
			return i;
	return 0;
}

int screen_sample(struct screen *screen)
{
	const struct source *source = screen->setup->source;
	int index = spare_frame(screen), got;
	struct frame *frame = &screen->frames[index];

	frame_clear(frame);
	got = source->next(source->state, frame);
	if (got != 1)
		return got;
	frame_derive(frame, screen->latest < 0 ? NULL : &screen->frames[screen->latest]);
	screen->latest = index;
	screen->sampled++;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_add(&screen->contexts[p].history, frame);
	if (!screen->frozen || screen->shown < 0)
		show_frame(screen, index);
	return 1;
}

void screen_choose_pane(struct screen *screen, unsigned index)
{
	if (index >= screen->setup->n_panes)
		return;
	screen->current = index;
	screen_want(screen);
}

void screen_set_delay(struct screen *screen, double seconds)
{
	screen->delay_seconds = seconds;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].delay_seconds = seconds;
	loop_set_tick(&screen->loop, (uint64_t)(seconds * 1e9));
}

static void act_done(void *state, int error)
{
	struct screen *screen = state;
	struct pending pending = screen->pending;

	screen->pending = (struct pending){ 0 };
	if (pending.done)
		pending.done(pending.context, error);
	screen_draw(screen);
}

int screen_act(struct pane_context *context, const char *topic, const char *action,
	       void (*done)(struct pane_context *context, int error))
{
	struct screen *screen = context->screen;
	const struct source *source = screen->setup->source;
	int error;

	if (!source->act)
		return -ENOTSUP;
	if (screen->pending.done)
		return -EBUSY;
	screen->pending = (struct pending){ .context = context, .done = done };
	error = source->act(source->state, topic, action, act_done, screen);
	if (error)
		screen->pending = (struct pending){ 0 };
	return error;
}

static void on_tick(void *state, uint64_t late)
{
	struct screen *screen = state;

	(void)late;
	if (!screen->setup->source->seek || screen->playing) {
		int got = screen_sample(screen);

		screen->at_end = got == 0;
		if (got == 0 && screen->setup->source->seek)
			screen->playing = false;
		if (got < 0 && got != -EAGAIN)
			screen_say(screen, "%s", strerror(-got));
	}
	if (screen->setup->count > 0 && screen->sampled > screen->setup->count)
		loop_stop(&screen->loop);
	else
		screen_draw(screen);
}

static void on_signal(void *state, int number)
{
	struct screen *screen = state;

	if (number == SIGWINCH) {
		terminal_resize();
	} else if (number == SIGTSTP) {
		terminal_suspend();
		kill(getpid(), SIGSTOP);
		terminal_resume();
	} else if (number == SIGCONT) {
		terminal_resume();
	} else {
		loop_stop(&screen->loop);
		return;
	}
	screen_draw(screen);
}

static void on_input(void *state, uint32_t events)
{
	struct screen *screen = state;
	struct input input;
	bool any = false;

	while (!screen->loop.stopped && terminal_read(&screen->terminal, &input)) {
		any = true;
		command_key(screen, &input);
	}
	if (!any && (events & (EPOLLHUP | EPOLLERR)))
		loop_stop(&screen->loop); /* the terminal has gone */
	else if (!screen->loop.stopped)
		screen_draw(screen);
}

static void on_worker(void *state, uint32_t events)
{
	struct screen *screen = state;

	(void)events;
	worker_collect(screen->setup->worker);
}

static void open_table(struct screen *screen, struct table_widget *widget, const struct pane_table *table)
{
	const struct screen_setup *setup = screen->setup;
	const char *unknown, *columns, *sort;
	char name[128];

	for (unsigned i = 0; i < setup->n_schemas; i++)
		if (strcmp(setup->schemas[i]->name, table->topic) == 0)
			table_open(widget, setup->schemas[i]);
	snprintf(name, sizeof(name), "%s.columns", table->topic);
	columns = settings_get(setup->settings, name);
	if (!columns || view_choose_columns(&widget->view, columns, &unknown) < 0)
		columns = table->columns;
	if (columns)
		view_choose_columns(&widget->view, columns, &unknown);
	snprintf(name, sizeof(name), "%s.sort", table->topic);
	sort = settings_get(setup->settings, name);
	if (!sort || view_choose_sort(&widget->view, sort) < 0)
		sort = table->sort;
	if (sort)
		view_choose_sort(&widget->view, sort);
	widget->view.limit = setup->limit;
}

static void open_context(struct screen *screen, unsigned index)
{
	struct pane_context *context = &screen->contexts[index];
	const struct pane *pane = screen->setup->panes[index];
	unsigned n_tables = 0;

	while (pane->tables[n_tables].topic)
		n_tables++;
	*context = (struct pane_context){ .pane = pane, .screen = screen, .unit = screen->unit };
	context->state = alloc_zeroed(1, pane->state_size);
	context->tables = alloc_zeroed(n_tables, sizeof(*context->tables));
	context->requested = alloc_zeroed(n_tables, sizeof(*context->requested));
	history_open(&context->history, pane->series, pane->n_series, pane->n_series ? HISTORY_SAMPLES : 1);
	for (unsigned i = 0; i < n_tables; i++)
		open_table(screen, &context->tables[i], &pane->tables[i]);
	if (pane->open)
		pane->open(context->state, screen->setup->settings);
}

static void close_context(struct pane_context *context)
{
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		table_close(&context->tables[i]);
	free(context->tables);
	free(context->requested);
	free(context->state);
	history_close(&context->history);
}

/* --filter, --sort and --columns: they have been checked, so nothing here can fail. */
static void apply_options(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	struct table_widget *widget = &screen->contexts[setup->first_pane].tables[0];
	const char *unknown;

	if (setup->columns)
		view_choose_columns(&widget->view, setup->columns, &unknown);
	if (setup->sort)
		view_choose_sort(&widget->view, setup->sort);
	for (unsigned i = 0; setup->filter && screen->contexts[setup->first_pane].pane->tables[i].topic; i++)
		table_set_filter(&screen->contexts[setup->first_pane].tables[i], setup->filter);
}

static void open_model(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;

	screen->contexts = alloc_zeroed(setup->n_panes, sizeof(*screen->contexts));
	for (unsigned i = 0; i < setup->n_panes; i++)
		open_context(screen, i);
	for (int i = 0; i < SCREEN_FRAMES; i++)
		frame_open(&screen->frames[i], setup->schemas, setup->n_schemas);
	apply_options(screen);
	screen_choose_pane(screen, setup->first_pane);
}

static void close_model(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_panes; i++)
		close_context(&screen->contexts[i]);
	free(screen->contexts);
	for (int i = 0; i < SCREEN_FRAMES; i++)
		frame_close(&screen->frames[i]);
	buffer_free(&screen->prompt.text);
	buffer_free(&screen->question.text);
	buffer_free(&screen->pager.text);
	buffer_free(&screen->search);
}

static int open_loop(struct screen *screen)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT, 0 };
	int error = loop_open(&screen->loop, signals);

	if (error)
		return error;
	screen->loop.tick = on_tick;
	screen->loop.signal = on_signal;
	screen->loop.context = screen;
	error = loop_watch(&screen->loop, screen->terminal.input_fd, EPOLLIN, on_input, screen);
	if (!error && screen->setup->worker)
		error = loop_watch(&screen->loop, worker_fd(screen->setup->worker), EPOLLIN, on_worker, screen);
	return error;
}

int screen_run(const struct screen_setup *setup)
{
	struct screen screen = { .setup = setup, .latest = -1, .shown = -1, .unit = setup->unit, .glyphs = setup->glyphs };
	int error = terminal_open(&screen.terminal, setup->color);

	if (error)
		return error;
	error = open_loop(&screen);
	if (!error) {
		open_model(&screen);
		screen_sample(&screen);
		screen_set_delay(&screen, setup->delay_seconds);
		screen_draw(&screen);
		error = loop_run(&screen.loop);
		close_model(&screen);
	}
	loop_close(&screen.loop);
	terminal_close(&screen.terminal);
	return error;
}
