/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the screen: play, step, go to a time. */
#include <config.h>

#include "screen/player.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "screen/overlay.h"
#include "screen/session.h"

#define REFILL_FRAMES 600 /* read before a far jump, so that graphs have a past */

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
	screen->latest = -1;
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

/* "+60" and "-5m" from the shown frame, "12:03" and "12:03:07" of its day, local time. */
static bool parse_time(const char *text, uint64_t now_ns, uint64_t *wall_ns)
{
	time_t seconds = (time_t)(now_ns / UINT64_C(1000000000));
	struct span span = span_text(text);
	uint64_t hours, minutes, rest = 0;
	double away;
	struct tm tm;

	if (*text == '+' || *text == '-') {
		if (!span_whole_seconds(text + 1, 0, UINT32_MAX, &away))
			return false;
		rest = (uint64_t)(away * 1e9);
		*wall_ns = *text == '+' ? now_ns + rest : now_ns > rest ? now_ns - rest : 0;
		return true;
	}
	if (!localtime_r(&seconds, &tm) || !span_u64(&span, &hours) || !span_char(&span, ':') ||
	    !span_u64(&span, &minutes) || (span_char(&span, ':') && !span_u64(&span, &rest)) ||
	    span.at != span.end || hours > 23 || minutes > 59 || rest > 60)
		return false;
	tm.tm_hour = (int)hours;
	tm.tm_min = (int)minutes;
	tm.tm_sec = (int)rest;
	tm.tm_isdst = -1;
	seconds = mktime(&tm);
	*wall_ns = (uint64_t)seconds * UINT64_C(1000000000) + UINT64_C(999999999);
	return seconds >= 0;
}

static bool take_time(struct screen *screen, const char *text)
{
	const struct source *source = screen->setup->source;
	uint64_t wall_ns;

	if (!*text)
		return true;
	if (!parse_time(text, session_frame(screen)->wall_ns, &wall_ns)) {
		snprintf(screen->prompt.error, sizeof(screen->prompt.error), "%s",
			 _("use 12:03, 12:03:07, +60 or -5m"));
		return false;
	}
	screen->playing = false;
	show_index(screen, source->find(source->state, wall_ns));
	return true;
}

void player_ask_time(struct screen *screen)
{
	prompt_open(screen, _("Go to"), "", NULL, take_time);
}
