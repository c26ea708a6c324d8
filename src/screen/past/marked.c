/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The marked moment: a copy of its frame, and its difference from the shown one. */
#include <config.h>

#include "screen/past/marked.h"

#include <string.h>

bool marked_exists(const struct screen *screen)
{
	return screen->compare.differences != NULL;
}

static void open_frames(struct screen *screen)
{
	const struct screen_setup *setup = screen->setup;
	struct compare *compare = &screen->compare;

	compare->differences = differences_open(setup->schemas, setup->n_schemas);
	frame_open(&compare->marked, setup->schemas, setup->n_schemas);
	frame_open(&compare->difference, differences_schemas(compare->differences), setup->n_schemas);
}

void marked_take(struct screen *screen, const struct frame *frame)
{
	struct compare *compare = &screen->compare;

	if (!compare->differences)
		open_frames(screen);
	frame_copy(&compare->marked, frame);
	compare->taken = false;
}

void marked_close(struct screen *screen)
{
	struct compare *compare = &screen->compare;

	if (!compare->differences)
		return;
	frame_close(&compare->marked);
	frame_close(&compare->difference);
	differences_close(compare->differences);
	compare->differences = NULL;
}

/* The earlier one of both is A. */
void marked_update(struct screen *screen, const struct frame *shown)
{
	struct compare *compare = &screen->compare;
	const struct frame *marked = &compare->marked;
	bool same_boot = shown->boot == marked->boot;

	if (!compare->on || (compare->taken && compare->shown_ns == shown->mono_ns))
		return;
	compare->taken = true;
	compare->shown_ns = shown->mono_ns;
	if (same_boot ? shown->mono_ns < marked->mono_ns : shown->boot > marked->boot)
		frame_difference(compare->differences, &compare->difference, shown, marked, same_boot);
	else
		frame_difference(compare->differences, &compare->difference, marked, shown, same_boot);
}

const struct table *marked_table(const struct screen *screen, const char *topic)
{
	return frame_table(&screen->compare.difference, topic);
}
