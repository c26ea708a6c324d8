/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event loop of the screen; and the player of a recording, which shows a sample with the graphs and logs
 * that lead to it, as if it had been played up to it.
 */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "screen/chrome.h"
#include "screen/keymap.h"
#include "screen/navigation.h"
#include "screen/past/explaining.h"
#include "screen/past/past.h"
#include "screen/past/player.h"
#include "screen/past/timeline.h"
#include "screen/session.h"
#include "screen/setup.h"
#include "screen/state.h"
#include "screen/subscriptions.h"

#define DAY_NS (UINT64_C(86400) * 1000000000)
#define REFILL_FRAMES 310 /* read before a far jump: graphs of five minutes have their past */

static void pause_replay(struct screen *screen)
{
	screen->playing = !screen->playing;
	screen->caught_up = false;
}

static const struct source *open_recording(struct screen *screen, bool fresh)
{
	(void)fresh; /* it grows by itself */
	return screen->setup->source;
}

static bool reach_back(struct screen *screen)
{
	screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the first sample"));
	return false;
}

static size_t index_of_shown(const struct screen *screen)
{
	const struct source *source = screen->setup->source;

	return source->position(source->state);
}

static void aim_at(const struct source *source, size_t index)
{
	if (source->aim)
		source->aim(source->state, index);
}

/* What began in a sample that is judged on the way is marked, too. */
static void note_marks(void *state, const struct frame *frame, const struct frame *before)
{
	struct screen *screen = state;

	(void)before;
	marks_take(&screen->marks, frame);
}

/* With the samples before it. */
static void jump_to(struct screen *screen, size_t index)
{
	const struct source *source = screen->setup->source;
	struct frame *const frames[] = { &screen->frames[SCREEN_PAST_BASE],
					 &screen->frames[SCREEN_PAST_FRAME] };
	const struct frame *before;
	size_t first = index;
	int error;

	aim_at(source, index);
	if (source_read(source, index, frames[0]) == 1)
		first = pipeline_first_before(index, REFILL_FRAMES, frames[0]);
	before = pipeline_judge_before(&screen->pipeline, first, frames, note_marks, screen);
	error = source->seek(source->state, first);
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_clear(&screen->contexts[p].history);
	event_logs_clear(&screen->logs);
	screen->latest = before ? (int)(before - screen->frames) : -1;
	for (size_t i = first; !error && i <= index; i++)
		if (session_sample(screen) != 1)
			break;
	if (error)
		screen_warn(screen, MESSAGE_SCREEN, "%s", strerror(-error));
}

/* Shows a frame whose events are already in the logs. */
static void sample_again(struct screen *screen)
{
	if (session_sample(screen) == 1)
		event_logs_undo(&screen->logs, &screen->frames[screen->latest]);
}

static bool keeps_findings(struct screen *screen, size_t index)
{
	const struct source *source = screen->setup->source;
	struct frame *frame = &screen->frames[SCREEN_PAST_FRAME];

	return source->judged || source->near_frames > 0 ||
	       (source_read(source, index, frame) == 1 &&
		findings_are_kept(screen->pipeline.findings, frame->mono_ns));
}

/* One frame back needs only that frame and the one before it, for its rates, if their findings are known. */
static void step_back(struct screen *screen, size_t index)
{
	const struct source *source = screen->setup->source;
	uint64_t mono_ns;

	aim_at(source, index);
	if (source->seek(source->state, index > 0 ? index - 1 : 0) < 0)
		return;
	if (screen->latest >= 0)
		event_logs_undo(&screen->logs, &screen->frames[screen->latest]);
	screen->latest = -1;
	if (index > 0)
		sample_again(screen);
	sample_again(screen);
	mono_ns = screen_frame(screen)->mono_ns;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_rewind(&screen->contexts[p].history, mono_ns);
}

static void show(struct screen *screen, size_t index)
{
	if (index + 1 == index_of_shown(screen) && keeps_findings(screen, index > 0 ? index - 1 : 0))
		step_back(screen, index);
	else
		jump_to(screen, index);
}

static bool show_next(struct screen *screen)
{
	int got;

	aim_at(screen->setup->source, index_of_shown(screen) + 1);
	got = session_sample(screen);
	if (got < 0 && got != -EAGAIN)
		screen_warn(screen, MESSAGE_SCREEN, "%s", strerror(-got));
	return got != 0 && got != -EAGAIN;
}

static void show_end(struct screen *screen)
{
	uint64_t first_ns, last_ns;
	size_t n_frames = source_extent(screen->setup->source, &first_ns, &last_ns);

	if (index_of_shown(screen) + 1 < n_frames)
		show(screen, n_frames - 1);
	else
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the last sample"));
}

/* "2/36 paused", or longer with the times. */
static void position(struct screen *screen, bool wide, char *text, size_t room)
{
	const struct source *source = screen->setup->source;
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
	uint64_t first_ns, last_ns;
	size_t n_frames, index = index_of_shown(screen) + 1, length;
	bool all = source->extent(source->state, &n_frames, &first_ns, &last_ns);
	const char *format = last_ns - first_ns < DAY_NS ? "%H:%M:%S" : "%m-%d %H:%M";

	if (wide)
		snprintf(text, room, _("sample %zu of %zu%s, %s to %s"), index, n_frames, all ? "" : "+",
			 clock_local(first, first_ns, format), clock_local(last, last_ns, format));
	else
		snprintf(text, room, "%zu/%zu%s", index, n_frames, all ? "" : "+");
	length = strlen(text);
	snprintf(text + length, room - length, "  %s",
		 !screen->playing    ? _("paused")
		 : screen->caught_up ? _("following")
				     : _("replay"));
}

const struct player player_of_replay = {
	.open = open_recording,
	.reach_back = reach_back,
	.index = index_of_shown,
	.show = show,
	.show_next = show_next,
	.show_end = show_end,
	.pause = pause_replay,
	.position = position,
};

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

	screen->caught_up = got == -EAGAIN;
	if (got != 1 && got != -EAGAIN)
		screen->playing = false;
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

	if (live || screen->shown < 0 || (screen->playing && !screen->caught_up))
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
	if (screen->shown >= 0 && !(screen->playing && screen->caught_up))
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
	if (terminal_ground(&screen->terminal, &ground)) {
		if (screen->theme == screen->usual_theme) { /* one that was chosen meanwhile stays */
			screen->theme = ground;
			theme_open(ground, screen->terminal.color);
		}
		screen->usual_theme = ground;
	}
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

/* The last sample, or the chosen time; a recording that still grows is played from its first one. */
static void go_to_begin(struct screen *screen)
{
	size_t begin = screen->setup->first_sample;
	uint64_t first_ns, last_ns;

	if (begin == SIZE_MAX)
		begin = screen->playing ? 0 : source_extent(screen->setup->source, &first_ns, &last_ns) - 1;
	if (begin > 0)
		jump_to(screen, begin);
}

static int run(struct screen *screen)
{
	int error;

	session_open(screen);
	report_faults(screen);
	if (take_sample(screen) == 1 && !screen_is_live(screen))
		go_to_begin(screen);
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
