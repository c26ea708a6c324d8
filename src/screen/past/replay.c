/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The player of a recording: a sample with the graphs and logs that lead to it. */
#include <config.h>

#include "screen/past/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "screen/past/player.h"
#include "screen/session.h"

#define DAY_NS (UINT64_C(86400) * 1000000000)
#define REFILL_FRAMES 310 /* read before a far jump: graphs of five minutes have their past */

bool replay_wants_frame(const struct screen *screen)
{
	return screen->shown < 0 || (screen->playing && !screen->caught_up);
}

bool replay_follows(const struct screen *screen)
{
	return screen->shown < 0 || (screen->playing && screen->caught_up);
}

void replay_took(struct screen *screen, int got)
{
	screen->caught_up = got == -EAGAIN;
	if (got != 1 && got != -EAGAIN)
		screen->playing = false;
}

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

/* With the samples before it. */
static void jump_to(struct screen *screen, size_t index)
{
	const struct source *source = screen->setup->source;
	size_t first = index > REFILL_FRAMES ? index - REFILL_FRAMES : 0;
	int error;

	aim_at(source, index);
	error = source->seek(source->state, first);
	for (unsigned p = 0; p < screen->setup->n_panes; p++)
		history_clear(&screen->contexts[p].history);
	event_logs_clear(&screen->logs);
	findings_forget(screen->pipeline.findings);
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
		event_logs_undo(&screen->logs, &screen->frames[screen->latest]);
}

/* One frame back needs only that frame and the one before it, for its rates. */
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
	if (index + 1 == index_of_shown(screen))
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

void replay_begin(struct screen *screen)
{
	size_t first = screen->setup->first_sample;

	if (first > 1)
		jump_to(screen, first);
	else if (first == 1 && !screen->playing)
		session_sample(screen);
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
