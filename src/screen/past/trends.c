/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "screen/past/trends.h"

#include "model/derive.h"
#include "screen/past/past.h"
#include "screen/session.h"

/* Read with the sample before each, for its rates. */
static bool read_frame(struct screen *screen, const struct source *source, int index, int base)
{
	struct frame *frame = &screen->frames[index];

	frame_clear(frame);
	if (source->next(source->state, frame) != 1)
		return false;
	frame_derive(frame, base < 0 ? NULL : &screen->frames[base]);
	return true;
}

static void note(struct screen *screen, int index)
{
	struct pane_context *context = session_context(screen);
	const struct frame *shown = context->frame;

	if (context->pane->prepare)
		context->pane->prepare(context, &screen->frames[index]);
	context->frame = &screen->frames[index];
	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		table_note_trend(&context->tables[i], context_table(context, i));
	context->frame = shown;
}

/* Two that are neither shown nor the base of the next one's rates. */
static void find_spare(const struct screen *screen, int spare[2])
{
	int n = 0;

	for (int i = 0; i < SCREEN_ALL_FRAMES && n < 2; i++)
		if (i != screen->latest && i != screen->shown)
			spare[n++] = i;
}

static void refill(struct screen *screen, const struct source *source, size_t position)
{
	size_t first = position > ROW_TREND_CELLS ? position - ROW_TREND_CELLS : 0;
	int spare[2], base = -1;

	find_spare(screen, spare);
	if (position == 0 || source->seek(source->state, first) < 0)
		return;
	for (size_t i = first; i < position; i++) {
		int index = spare[(i - first) % 2];

		if (!read_frame(screen, source, index, base))
			break;
		if (i > first || first == 0)
			note(screen, index);
		base = index;
	}
}

/* The player goes on from the sample that it read last. */
static void refill_replay(struct screen *screen, const struct source *source, size_t position)
{
	int spare[2];

	find_spare(screen, spare);
	refill(screen, source, position);
	if (source->seek(source->state, position) == 0)
		read_frame(screen, source, spare[0], -1);
}

/* What was sampled behind the past was not drawn. */
static void refill_live(struct screen *screen)
{
	uint64_t first_ns, last_ns;
	size_t n_frames;

	if (!past_extent(screen, &first_ns, &last_ns))
		return;
	n_frames = source_extent(&screen->past_source, &first_ns, &last_ns);
	refill(screen, &screen->past_source, n_frames - 1);
	past_close(screen);
}

static struct trends_place place_of(struct screen *screen, size_t position)
{
	const struct pane_context *context = session_context(screen);
	struct trends_place place = { .position = position, .pane = screen->current, .view = context->view };

	for (int i = 0; context->pane->tables[i].topic; i++)
		place.sorts += (i + 1) * context->tables[i].view.sort;
	return place;
}

static bool follows(const struct trends_place *place, const struct trends_place *before)
{
	return place->pane == before->pane && place->view == before->view && place->sorts == before->sorts &&
	       (place->position == before->position || place->position == before->position + 1);
}

static size_t position_of(struct screen *screen)
{
	const struct source *replay = screen->setup->source;
	size_t position = SIZE_MAX;

	if (screen->in_past)
		past_locate(screen, &position);
	else if (replay->seek && screen->shown >= 0)
		position = replay->position(replay->state);
	return position;
}

void trends_update(struct screen *screen)
{
	const struct trends_place before = screen->trends;

	if (screen->compare.on || (screen->frozen && !screen->in_past))
		return;
	screen->trends = place_of(screen, position_of(screen));
	if (!screen->in_past && screen->setup->past && before.position != SIZE_MAX)
		refill_live(screen);
	if (screen->trends.position == SIZE_MAX || follows(&screen->trends, &before))
		return;
	if (screen->in_past)
		refill(screen, &screen->past_source, screen->trends.position);
	else
		refill_replay(screen, screen->setup->source, screen->trends.position);
}
