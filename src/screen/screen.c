/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event loop of the screen. */
#include <config.h>

#include "screen/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/i18n.h"
#include "screen/chrome.h"
#include "screen/delay.h"
#include "screen/keymap.h"
#include "screen/navigation.h"
#include "screen/past/explaining.h"
#include "screen/past/past.h"
#include "screen/past/player.h"
#include "screen/past/replay.h"
#include "screen/past/timeline.h"
#include "screen/session.h"
#include "screen/subscriptions.h"

/* Reports why there is no new frame. */
static void report_end(struct screen *screen, int got)
{
	if (got < 0 && got != -EAGAIN && got != -EINTR)
		screen_warn(screen, MESSAGE_SCREEN, "%s", strerror(-got));
	else if (got == 0)
		screen_message(screen, MESSAGE_SCREEN, "%s",
			       screen->shown < 0 ? _("the recording holds no sample")
						 : _("this is the end of the recording"));
}

/* As session_sample(); an early sample for rates does not count as a requested one. */
static int take_sample(struct screen *screen)
{
	bool first = screen->shown < 0;
	int got = session_sample(screen);

	replay_took(screen, got);
	report_end(screen, got);
	if (got == 1 && first && !screen_is_live(screen))
		navigation_choose_recorded_pane(screen);
	if (got == 1 && !first && screen->n_soon == 0)
		screen->n_counted++;
	return got;
}

static void draw_or_stop(struct screen *screen)
{
	if (screen->setup->count > 0 && screen->n_counted >= screen->setup->count)
		loop_stop(&screen->loop);
	else
		chrome_draw(screen);
}

static void on_tick(void *state)
{
	struct screen *screen = state;
	bool live = screen_is_live(screen), soon = screen->n_soon > 0;
	uint64_t cpu_ns = clock_self_cpu_ns(screen->setup->clock);

	if (live || replay_wants_frame(screen))
		take_sample(screen);
	if (soon && --screen->n_soon > 0)
		loop_set_tick(&screen->loop, DELAY_WARM_UP_NS);
	else if (soon)
		delay_go_on(screen);
	draw_or_stop(screen);
	if (live && !soon)
		delay_keep_pace(screen, clock_self_cpu_ns(screen->setup->clock) - cpu_ns);
}

static void on_wake(void *state)
{
	chrome_draw(state); /* without the message */
}

/* More of a recording that is still being written: shown at once if the screen had caught up. */
static void on_more(void *state, uint32_t events)
{
	struct screen *screen = state;
	const struct source *source = screen->setup->source;
	bool open = source->pull(source->state);
	int got = 1, shown = screen->shown;
	bool caught_up = screen->caught_up;

	(void)events;
	if (!open)
		loop_unwatch(&screen->loop, screen->follow_fd);
	if (!replay_follows(screen))
		return;
	while (got == 1)
		got = take_sample(screen);
	if (screen->shown != shown || screen->caught_up != caught_up)
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
	if (number == SIGWINCH) { /* the size may be the old one again, but lines were folded meanwhile */
		terminal_resize();
		terminal_redraw();
		subscriptions_of_size(screen);
	} else if (number == SIGTSTP || number == SIGCONT) {
		if (!terminal_resume())
			return;
	} else {
		terminal_hurry(number);
		loop_stop(&screen->loop);
		return;
	}
	chrome_draw(screen);
}

/* A theme that was chosen meanwhile stays. */
static void set_ground(struct screen *screen, enum theme ground)
{
	if (screen->theme == screen->usual_theme) {
		screen->theme = ground;
		theme_open(ground, screen->terminal.color);
	}
	screen->usual_theme = ground;
}

static void on_input(void *state, uint32_t events)
{
	struct screen *screen = state;
	struct input input;
	enum theme ground;
	bool any = false;

	while (!screen->loop.stopped && terminal_read(&screen->terminal, screen->setup->clock, &input)) {
		any = true;
		keymap_key(screen, &input);
	}
	if (terminal_ground(&screen->terminal, &ground))
		set_ground(screen, ground);
	if (!any && (events & (EPOLLHUP | EPOLLERR)))
		loop_stop(&screen->loop); /* the terminal is gone */
	else if (!screen->loop.stopped)
		chrome_draw(screen);
}

static void on_worker(void *state, uint32_t events)
{
	struct screen *screen = state;

	(void)events;
	worker_collect(screen->setup->worker);
	if (screen->changed)
		chrome_draw(screen);
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
	if (!error && screen->setup->rules)
		error = screen->setup->rules->join(screen->setup->rules->state, &screen->loop);
	if (!error && screen->follow_fd >= 0)
		error = loop_watch(&screen->loop, screen->follow_fd, EPOLLIN, on_more, screen);
	return error;
}

static void free_texts(struct screen *screen)
{
	buffer_free(&screen->prompt.label);
	buffer_free(&screen->prompt.text);
	buffer_free(&screen->prompt.place.key);
	buffer_free(&screen->prompt.filter);
	buffer_free(&screen->question.text);
	buffer_free(&screen->pager.text);
	buffer_free(&screen->search);
	buffer_free(&screen->saving.text);
	buffer_free(&screen->saving.svg);
	buffer_free(&screen->menu.texts);
	buffer_free(&screen->menu.typed);
	free(screen->menu.lines);
}

/* The first fault, and how many the key i lists. */
static void report_faults(struct screen *screen)
{
	struct span rest = span_text(screen->setup->faults), first, line;
	unsigned n = 1;

	if (!span_line(&rest, &first))
		return;
	while (span_line(&rest, &line))
		n++;
	if (n > 1)
		screen_warn(screen, MESSAGE_SCREEN, P_("%u fault (i): %.*s", "%u faults (i): %.*s", n), n,
			    (int)span_length(first), first.at);
	else
		screen_warn(screen, MESSAGE_SCREEN, "%.*s", (int)span_length(first), first.at);
}

static int run(struct screen *screen)
{
	int error;

	session_open(screen);
	report_faults(screen);
	if (take_sample(screen) == 1 && !screen_is_live(screen))
		replay_begin(screen);
	delay_set(screen, screen->setup->delay_seconds);
	if (screen_is_live(screen) && screen->delay_seconds * 1e9 > (double)DELAY_WARM_UP_NS) {
		screen->n_soon = 1;
		loop_set_tick(&screen->loop, DELAY_WARM_UP_NS);
	}
	on_input(screen, 0); /* what the terminal has answered meanwhile decides how it is drawn */
	error = loop_run(&screen->loop);
	timeline_close(screen);
	explaining_close(screen);
	past_close(screen);
	session_close(screen);
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
		.theme = setup->theme,
		.usual_theme = setup->usual_theme,
		.delay_seconds = setup->delay_seconds,
		.player = source_is_recording(source) ? &player_of_replay : &player_of_past,
		.follow_fd = source->wait_fd ? source->wait_fd(source->state) : -1,
	};
	int error = terminal_open(&screen.terminal, setup->theme, setup->color, setup->ascii);

	if (error)
		return error;
	if (setup->ask_ground)
		terminal_ask_ground(&screen.terminal);
	screen.playing = screen.follow_fd >= 0;
	error = open_loop(&screen);
	if (!error)
		error = run(&screen);
	loop_close(&screen.loop);
	terminal_close(&screen.terminal);
	return error;
}
