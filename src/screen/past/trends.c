/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the samples before the shown one again, unless it follows the one drawn last. */
#include <config.h>

#include "screen/past/trends.h"

#include "screen/past/past.h"
#include "screen/past/player.h"

static void note(struct screen *screen, int index)
{
	struct pane_context *context = screen_context(screen);
	const struct frame *shown = context->frame;

	if (context->pane->prepare)
		context->pane->prepare(context, &screen->frames[index]);
	context->frame = &screen->frames[index];
	if (context->pane->update)
		context->pane->update(context);
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

/* Each is read with the sample before it, for its rates. */
static void refill(struct screen *screen, const struct source *source, size_t position)
{
	size_t first = position > ROW_TREND_CELLS ? position - ROW_TREND_CELLS : 0;
	const struct pipeline rates = { .source = source };
	const struct frame *base = NULL;
	int spare[2];

	find_spare(screen, spare);
	for (size_t i = first; i < position; i++) {
		int index = spare[(i - first) % 2];

		if (pipeline_derive(&rates, i, &screen->frames[index], base) != 1)
			break;
		if (i > first || first == 0)
			note(screen, index);
		base = &screen->frames[index];
	}
}

/* Afterwards the source stands behind the shown sample again. */
static void refill_recorded(struct screen *screen, const struct source *source, size_t position)
{
	int spare[2];

	refill(screen, source, position);
	find_spare(screen, spare);
	source_read(source, position, &screen->frames[spare[0]]);
}

/* What was sampled behind the past was not drawn. */
static void refill_live(struct screen *screen)
{
	const struct source *source = screen->player->open(screen, true);
	uint64_t first_ns, last_ns;
	size_t n_frames = source ? source_extent(source, &first_ns, &last_ns) : 0;

	if (n_frames > 0)
		refill(screen, source, n_frames - 1);
	past_close(screen);
}

static struct trends_place place_of(struct screen *screen, size_t position)
{
	const struct pane_context *context = screen_context(screen);
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

void trends_update(struct screen *screen)
{
	const struct trends_place before = screen->trends;
	const struct source *source = screen_recording(screen);

	if (screen->compare.on || (screen->frozen && !screen->in_past))
		return;
	screen->trends = place_of(screen, source ? screen->player->index(screen) : SIZE_MAX);
	if (!source && before.position != SIZE_MAX)
		refill_live(screen);
	if (source && !follows(&screen->trends, &before))
		refill_recorded(screen, source, screen->trends.position);
}
