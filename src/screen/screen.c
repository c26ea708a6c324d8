/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen's life: taking frames from the source, events from the loop, and giving all back. */
#include <config.h>

#include "screen/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/i18n.h"
#include "screen/state.h"
#include "sys/env.h"

#define MESSAGE_NS UINT64_C(6000000000)
#define WARMING_NS UINT64_C(250000000)
#define AT_ONCE_NS UINT64_C(1000000)

static void take_message(struct screen *screen, bool of_all, const char *format, va_list list)
{
	vsnprintf(screen->message, sizeof(screen->message), format, list);
	screen->message_of_all = of_all;
	screen->message_until_ns = env_mono_ns() + MESSAGE_NS;
	loop_wake_in(&screen->loop, MESSAGE_NS);
}

void screen_say(struct screen *screen, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	take_message(screen, false, format, list);
	va_end(list);
}

void screen_tell(struct screen *screen, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	take_message(screen, true, format, list);
	va_end(list);
}

void screen_set_delay(struct screen *screen, double seconds)
{
	screen->delay_seconds = seconds;
	screen->pace = (struct pace){ 0 };
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		screen->contexts[p].delay_seconds = seconds;
	if (screen->n_soon == 0)
		loop_set_tick(&screen->loop, (uint64_t)(seconds * 1e9));
}

/* Never two samples closer than that: rates of what is sampled already would be too coarse. */
void screen_hasten(struct screen *screen)
{
	uint64_t last_ns = screen->frames[screen->latest].mono_ns, now_ns = env_mono_ns();
	uint64_t age_ns = now_ns > last_ns ? now_ns - last_ns : 0;

	if (screen->delay_seconds * 1e9 <= (double)WARMING_NS)
		return;
	screen->n_soon = 2;
	loop_set_tick(&screen->loop, age_ns < WARMING_NS ? WARMING_NS - age_ns : AT_ONCE_NS);
}

void screen_choose_delay(struct screen *screen, double seconds)
{
	screen->usual_seconds = seconds;
	screen->delay_chosen = true;
	screen_set_delay(screen, seconds);
}

void screen_follow_delay(struct screen *screen)
{
	double preferred = screen_context(screen)->preferred_seconds;
	double wanted = preferred > 0 && !screen->delay_chosen ? preferred : screen->usual_seconds;

	if (wanted < screen->delay_seconds || wanted > screen->delay_seconds)
		screen_set_delay(screen, wanted);
}

void screen_prefer_delay(struct pane_context *context, double seconds)
{
	struct screen *screen = context->screen;

	context->preferred_seconds = seconds;
	if (!screen->setup->source->seek && context == screen_context(screen))
		screen_follow_delay(screen);
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

/* Tells why there is no new frame. */
static void tell_end(struct screen *screen, int got)
{
	if (got < 0 && got != -EAGAIN)
		screen_tell(screen, "%s", strerror(-got));
	else if (got == 0)
		screen_tell(screen, "%s", screen->shown < 0 ? _("the recording holds no sample")
							    : _("this is the end of the recording"));
}

/* What costs more than a tenth of the time, drawing included, is done less often, and this is said. */
static void keep_pace(struct screen *screen, uint64_t cost_ns)
{
	bool changed;
	uint64_t delay_ns =
		pace_delay(&screen->pace, cost_ns, (uint64_t)(screen->delay_seconds * 1e9), &changed);

	if (!changed)
		return;
	loop_set_tick(&screen->loop, delay_ns);
	if (screen->delay_seconds < screen->usual_seconds)
		return; /* nobody asked for this delay: the headline tells what became of it */
	screen_tell(screen, _("a sample costs %.3f s of CPU time; there will be one every %.1f s"),
		    (double)cost_ns / 1e9, (double)delay_ns / 1e9);
}

/* A recording need not hold the pane that one would begin with: then the first one it holds is shown. */
static void choose_recorded_pane(struct screen *screen)
{
	if (context_is_sampled(screen_context(screen)))
		return;
	if (screen->setup->first_asked_for)
		screen_tell(screen, "%s: %s", screen_context(screen)->pane->name,
			    _("it holds none of the tables that were asked for"));
	for (unsigned i = 0; i < screen->setup->n_panes; i++) {
		if (context_is_sampled(&screen->contexts[i])) {
			screen_choose_pane(screen, i);
			return;
		}
	}
}

/* As screen_sample(); samples that only come soon, for rates, are none of those that were asked for. */
static int take_sample(struct screen *screen)
{
	bool first = screen->shown < 0;
	int got = screen_sample(screen);

	player_took(screen, got);
	tell_end(screen, got);
	if (got == 1 && first && screen->setup->source->seek)
		choose_recorded_pane(screen);
	if (got == 1 && !first && screen->n_soon == 0)
		screen->n_counted++;
	return got;
}

static void draw_or_stop(struct screen *screen)
{
	if (screen->setup->count > 0 && screen->n_counted >= screen->setup->count)
		loop_stop(&screen->loop);
	else
		screen_draw(screen);
}

static void on_tick(void *state)
{
	struct screen *screen = state;
	bool live = !screen->setup->source->seek, soon = screen->n_soon > 0;
	uint64_t cpu_ns = env_self_cpu_ns();

	if (live || player_wants_frame(screen))
		take_sample(screen);
	if (soon && --screen->n_soon > 0)
		loop_set_tick(&screen->loop, WARMING_NS);
	else if (soon)
		screen_set_delay(screen, screen->delay_seconds);
	draw_or_stop(screen);
	if (live && !soon)
		keep_pace(screen, env_self_cpu_ns() - cpu_ns);
}

static void on_wake(void *state)
{
	screen_draw(state); /* without the message */
}

/* More of a recording that is still being written: it is shown at once by a screen that had caught up. */
static void on_more(void *state, uint32_t events)
{
	struct screen *screen = state;
	const struct source *source = screen->setup->source;
	bool open = source->pull(source->state);
	int got = 1;

	(void)events;
	if (!open)
		loop_unwatch(&screen->loop, screen->follow_fd);
	if (!player_follows(screen))
		return;
	while (got == 1)
		got = take_sample(screen);
	draw_or_stop(screen);
}

static void on_signal(void *state, int number, bool of_terminal)
{
	struct screen *screen = state;

	(void)of_terminal;
	if (screen->loop.stopped)
		return;
	if (number == SIGTSTP)
		terminal_suspend();
	if (number == SIGWINCH) {
		terminal_resize();
	} else if (number == SIGTSTP || number == SIGCONT) {
		if (!terminal_resume())
			return;
	} else {
		terminal_hurry(number);
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

	while (!screen->loop.stopped && terminal_read(&input)) {
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

static int open_loop(struct screen *screen)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT, 0 };
	const struct source *source = screen->setup->source;
	int error = loop_open(&screen->loop, signals);

	if (error)
		return error;
	screen->loop.tick = on_tick;
	screen->loop.wake = on_wake;
	screen->loop.signal = on_signal;
	screen->loop.context = screen;
	error = loop_watch(&screen->loop, screen->terminal.input_fd, EPOLLIN, on_input, screen);
	if (!error && screen->setup->worker)
		error = loop_watch(&screen->loop, worker_fd(screen->setup->worker), EPOLLIN, on_worker,
				   screen);
	if (!error && source->poll)
		error = loop_watch(&screen->loop, source->poll_fd, EPOLLIN, source->poll, source->state);
	if (!error && screen->follow_fd >= 0)
		error = loop_watch(&screen->loop, screen->follow_fd, EPOLLIN, on_more, screen);
	return error;
}

static void free_texts(struct screen *screen)
{
	buffer_free(&screen->prompt.label);
	buffer_free(&screen->prompt.text);
	buffer_free(&screen->prompt.place.key);
	buffer_free(&screen->question.text);
	buffer_free(&screen->pager.text);
	buffer_free(&screen->search);
}

static int run(struct screen *screen)
{
	int error;

	contexts_open(screen);
	take_sample(screen);
	screen_follow_delay(screen);
	if (!screen->setup->source->seek && screen->delay_seconds * 1e9 > (double)WARMING_NS) {
		screen->n_soon = 1;
		loop_set_tick(&screen->loop, WARMING_NS);
	}
	screen_draw(screen);
	error = loop_run(&screen->loop);
	contexts_close(screen);
	free_texts(screen);
	return error;
}

int screen_run(const struct screen_setup *setup)
{
	const struct source *source = setup->source;
	struct screen screen = {
		.setup = setup,
		.latest = -1,
		.shown = -1,
		.unit = setup->unit,
		.glyphs = setup->glyphs,
		.usual_seconds = setup->delay_seconds,
		.delay_chosen = setup->delay_chosen || source->seek,
		.follow_fd = source->wait_fd ? source->wait_fd(source->state) : -1,
	};
	int error = terminal_open(&screen.terminal, setup->color, setup->ascii);

	if (error)
		return error;
	screen.playing = screen.follow_fd >= 0;
	error = open_loop(&screen);
	if (!error)
		error = run(&screen);
	loop_close(&screen.loop);
	terminal_close(&screen.terminal);
	return error;
}
