/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the screen: play, step, go to a time. */
#include <config.h>

#include "screen/past/player.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "screen/overlay.h"
#include "screen/past/past.h"
#include "screen/session.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define REFILL_FRAMES 310 /* read before a far jump: graphs of five minutes have their past */

void player_toggle(struct screen *screen)
{
	screen->playing = !screen->playing;
	screen->caught_up = false;
}

bool player_wants_frame(const struct screen *screen)
{
	return screen->shown < 0 || (screen->playing && !screen->caught_up);
}

bool player_follows(const struct screen *screen)
{
	return screen->shown < 0 || (screen->playing && screen->caught_up);
}

void player_took(struct screen *screen, int got)
{
	screen->caught_up = got == -EAGAIN;
	if (got != 1 && got != -EAGAIN)
		screen->playing = false;
}

/* Shows frame index as if the recording had been played up to it. */
static void show_index(struct screen *screen, size_t index)
{
	const struct source *source = screen->setup->source;
	size_t first = index > REFILL_FRAMES ? index - REFILL_FRAMES : 0;
	int error = source->seek(source->state, first);

	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_clear(&screen->contexts[p].history);
	session_clear_logs(screen);
	findings_forget(screen->findings);
	screen->latest = -1;
	for (size_t i = first; !error && i <= index; i++)
		if (session_sample(screen) != 1)
			break;
	if (error)
		screen_warn(screen, MESSAGE_SCREEN, "%s", strerror(-error));
}

void player_show_again(struct screen *screen)
{
	const struct source *source = screen->setup->source;

	show_index(screen, source->position(source->state));
}

/* Shows a frame whose events are already in the logs. */
static void sample_again(struct screen *screen)
{
	if (session_sample(screen) == 1)
		session_undo_logs(screen, &screen->frames[screen->latest]);
}

/* One frame back needs only that frame and the one before it, for its rates. */
static void step_back(struct screen *screen, size_t index)
{
	const struct source *source = screen->setup->source;
	uint64_t mono_ns;

	if (source->seek(source->state, index > 0 ? index - 1 : 0) < 0)
		return;
	if (screen->latest >= 0)
		session_undo_logs(screen, &screen->frames[screen->latest]);
	screen->latest = -1;
	if (index > 0)
		sample_again(screen);
	sample_again(screen);
	mono_ns = session_frame(screen)->mono_ns;
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_rewind(&screen->contexts[p].history, mono_ns);
}

static void show_at(struct screen *screen, uint64_t wall_ns)
{
	const struct source *source = screen->setup->source;

	screen->playing = false;
	show_index(screen, source->find(source->state, wall_ns));
}

static size_t last_index(const struct screen *screen)
{
	const struct source *source = screen->setup->source;
	uint64_t first_ns, last_ns;
	size_t n_frames = source_extent(source, &first_ns, &last_ns);

	return n_frames > 0 ? n_frames - 1 : 0;
}

/* The first or the last sample; says so where it is shown already. */
static void show_end(struct screen *screen, size_t index, const char *already)
{
	const struct source *source = screen->setup->source;

	screen->playing = false;
	if (source->position(source->state) == index)
		screen_message(screen, MESSAGE_SCREEN, "%s", already);
	else
		show_index(screen, index);
}

void player_go_to_first(struct screen *screen)
{
	show_end(screen, 0, _("this is the first sample"));
}

void player_go_to_last(struct screen *screen)
{
	show_end(screen, last_index(screen), _("this is the last sample"));
}

/* A minute ends at the first or the last sample, and says so. */
void player_step_minute(struct screen *screen, int step)
{
	const struct source *source = screen->setup->source;
	uint64_t now_ns = session_frame(screen)->wall_ns;
	size_t before = source->position(source->state);

	show_at(screen, step > 0 ? now_ns + MINUTE_NS : now_ns > MINUTE_NS ? now_ns - MINUTE_NS : 0);
	if (source->position(source->state) == before)
		screen_message(screen, MESSAGE_SCREEN, "%s",
			       step > 0 ? _("this is the last sample") : _("this is the first sample"));
}

void player_open(struct screen *screen)
{
	size_t first = screen->setup->first_sample;

	if (first > 1)
		show_index(screen, first);
	else if (first == 1 && !screen->playing)
		session_sample(screen);
}

/* "2 of 36", or longer with the times. */
void player_position(const struct screen *screen, bool times, char *text, size_t room)
{
	const struct source *source = screen->setup->source;
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
	uint64_t first_ns, last_ns;
	size_t n_frames, index = source->position(source->state) + 1;
	bool all = source->extent(source->state, &n_frames, &first_ns, &last_ns);

	if (times)
		snprintf(text, room, _("sample %zu of %zu%s, %s to %s"), index, n_frames, all ? "" : "+",
			 clock_local(first, first_ns, "%H:%M:%S"), clock_local(last, last_ns, "%H:%M:%S"));
	else
		snprintf(text, room, "%zu/%zu%s", index, n_frames, all ? "" : "+");
}

void player_step(struct screen *screen, long step)
{
	const struct source *source = screen->setup->source;
	size_t index = source->position(source->state);
	int got = step > 0 ? session_sample(screen) : 1;

	screen->playing = false;
	if (got < 0 && got != -EAGAIN)
		screen_warn(screen, MESSAGE_SCREEN, "%s", strerror(-got));
	else if (got != 1)
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the last sample"));
	if (step < 0 && index == 0)
		screen_message(screen, MESSAGE_SCREEN, "%s", _("this is the first sample"));
	else if (step < 0)
		step_back(screen, index - 1);
}

/* "+60" and "-5m" from the shown frame. */
static bool parse_distance(const char *text, uint64_t now_ns, uint64_t *wall_ns)
{
	uint64_t rest;
	double away;

	if (!span_whole_seconds(text + 1, 0, UINT32_MAX, &away))
		return false;
	rest = (uint64_t)(away * 1e9);
	*wall_ns = *text == '+' ? now_ns + rest : now_ns > rest ? now_ns - rest : 0;
	return true;
}

/* Is a sample within the time that begins at wall_ns, or between two samples? Else writes why not. */
static bool is_recorded(struct screen *screen, uint64_t wall_ns, uint64_t whole_ns, char *error, size_t room)
{
	const struct source *source = screen->setup->source;
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
	uint64_t first_ns, last_ns;
	size_t n_frames;

	if (screen->setup->past) {
		if (!past_extent(screen, &first_ns, &last_ns))
			first_ns = last_ns = 0;
	} else {
		last_index(screen); /* reads all */
		source->extent(source->state, &n_frames, &first_ns, &last_ns);
	}
	if (wall_ns + whole_ns > first_ns && wall_ns <= last_ns)
		return true;
	snprintf(error, room, screen->setup->past ? _("kept is %s to %s") : _("the recording is %s to %s"),
		 clock_local(first, first_ns, "%H:%M:%S"), clock_local(last, last_ns, "%H:%M:%S"));
	return false;
}

void player_go_to(struct screen *screen, uint64_t wall_ns)
{
	if (screen->setup->past)
		past_show_at(screen, wall_ns);
	else
		show_at(screen, wall_ns);
}

static bool take_time(struct screen *screen, const char *text)
{
	struct prompt *prompt = &screen->prompt;
	uint64_t now_ns = session_frame(screen)->wall_ns, wall_ns;
	struct clock_time time;

	if (!*text)
		return true;
	if ((*text == '+' || *text == '-') && parse_distance(text, now_ns, &wall_ns)) {
		player_go_to(screen, wall_ns);
		return true;
	}
	if (!clock_parse(text, now_ns, &time)) {
		snprintf(prompt->error, sizeof(prompt->error), "%s", _("use 12:03, 12:03:07, +60 or -5m"));
		return false;
	}
	if (!is_recorded(screen, time.from_ns, time.whole_ns, prompt->error, sizeof(prompt->error)))
		return false;
	player_go_to(screen, time.from_ns + (time.whole_ns < SECOND_NS ? time.whole_ns : SECOND_NS) - 1);
	return true;
}

void player_ask_time(struct screen *screen)
{
	prompt_open(screen, _("Go to"), "", NULL, NULL, take_time);
}
