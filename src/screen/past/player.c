/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys that go through samples, for a recording and for the past alike. */
#include <config.h>

#include "screen/past/player.h"

#include <stdint.h>
#include <stdio.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/span.h"
#include "screen/overlay.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

const char *player_refuses(const struct screen *screen)
{
	if (!screen_is_live(screen) || screen->setup->past)
		return NULL;
	return _("nothing is kept to go back to: --past=0, or no directory for it can be written");
}

static void show(struct screen *screen, size_t index)
{
	screen->playing = false;
	screen->player->show(screen, index);
}

void player_go_to_end(struct screen *screen)
{
	screen->playing = false;
	screen->player->show_end(screen);
}

static void step_back(struct screen *screen)
{
	size_t index;

	if (!screen->player->open(screen, false))
		return;
	index = screen->player->index(screen);
	if (index == 0 && screen->player->reach_back(screen))
		index = screen->player->index(screen);
	if (index > 0)
		show(screen, index - 1);
}

void player_step(struct pane_context *context, int step)
{
	struct screen *screen = context->screen;

	screen->playing = false;
	if (step < 0)
		step_back(screen);
	else if (!screen->player->show_next(screen))
		player_go_to_end(screen);
}

void player_go_to_first(struct screen *screen)
{
	screen->playing = false;
	if (!screen->player->open(screen, false))
		return;
	if (screen->player->index(screen) > 0 || screen->player->reach_back(screen))
		show(screen, 0);
}

/* The last sample at or before this time; if that is the first one so far, there may be earlier ones. */
static size_t find_before(struct screen *screen, const struct source *source, uint64_t wall_ns)
{
	size_t index = source->find(source->state, wall_ns);

	if (index == 0 && screen->player->reach_back(screen))
		index = source->find(source->state, wall_ns);
	return index;
}

static size_t later(size_t one, size_t other)
{
	return one > other ? one : other;
}

/* A minute ends at the first or the last sample, and says so. */
void player_step_minute(struct pane_context *context, int step)
{
	struct screen *screen = context->screen;
	const struct source *source = screen->player->open(screen, true);
	uint64_t now_ns = screen_frame(screen)->wall_ns, first_ns, last_ns;
	size_t index;

	if (!source)
		return;
	if (step > 0) /* at least a sample, where the machine slept for longer */
		index = later(source->find(source->state, now_ns + MINUTE_NS),
			      screen->player->index(screen) + 1);
	else
		index = find_before(screen, source, now_ns > MINUTE_NS ? now_ns - MINUTE_NS : 0);
	if (step > 0 && index + 1 >= source_extent(source, &first_ns, &last_ns))
		player_go_to_end(screen);
	else
		show(screen, index);
}

void player_go_to(struct screen *screen, uint64_t wall_ns)
{
	const struct source *source = screen->player->open(screen, true);
	uint64_t first_ns, last_ns;

	if (!source)
		return;
	source_extent(source, &first_ns, &last_ns);
	if (wall_ns < first_ns)
		show(screen, find_before(screen, source, wall_ns));
	else
		show(screen, source->find(source->state, wall_ns));
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
	const struct source *source = screen->player->open(screen, true);
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
	uint64_t first_ns = 0, last_ns = 0;

	if (source)
		source_extent(source, &first_ns, &last_ns);
	if (source && screen_is_live(screen) && wall_ns + whole_ns <= first_ns &&
	    screen->player->reach_back(screen))
		source_extent(source, &first_ns, &last_ns);
	if (wall_ns + whole_ns > first_ns && wall_ns <= last_ns)
		return true;
	snprintf(error, room,
		 screen_is_live(screen) ? _("kept is %s to %s") : _("the recording is %s to %s"),
		 clock_local(first, first_ns, "%H:%M:%S"), clock_local(last, last_ns, "%H:%M:%S"));
	return false;
}

static bool take_time(struct screen *screen, const char *text)
{
	struct prompt *prompt = &screen->prompt;
	uint64_t now_ns = screen_frame(screen)->wall_ns, wall_ns;
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

void player_ask_time(struct pane_context *context)
{
	prompt_open(context->screen, _("Go to"), "", NULL, NULL, take_time);
}
