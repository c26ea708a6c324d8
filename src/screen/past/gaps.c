/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the samples around one, and counts which of the tables that rested at times they have. */
#include <config.h>

#include "screen/past/gaps.h"

#define SAMPLES_MAX 14 /* from a pair with tables to the next one: 10 s, and samples a second apart */

/* Of a row of samples: those with most tables, two of which make rates. */
struct run {
	unsigned n_most, length;
};

static bool may_lack(const struct screen *screen)
{
	bool any = false;

	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		any |= screen->has_rested[i];
	return any && screen_context(screen)->pane->kept;
}

/* Does the sample at this position end a run that has the rates of all tables? */
static bool has_rates(struct screen *screen, size_t position, struct run *run)
{
	const struct frame *frame = &screen->frames[SCREEN_PAST_BASE];
	unsigned n_tables = 0;

	if (source_read(&screen->past_source, position, &screen->frames[SCREEN_PAST_BASE]) != 1)
		return false;
	for (unsigned i = 0; i < frame->n_tables; i++)
		n_tables += screen->has_rested[i] && frame->tables[i].present; /* none that is derived */
	if (n_tables > run->n_most)
		*run = (struct run){ .n_most = n_tables };
	run->length = n_tables == run->n_most ? run->length + 1 : 0;
	return run->length >= 2;
}

size_t gaps_before(struct screen *screen, size_t position)
{
	size_t first = position > SAMPLES_MAX ? position - SAMPLES_MAX : 0, found = position;
	struct run run = { 0 };
	unsigned n_most = 0;

	for (size_t i = first; may_lack(screen) && i <= position; i++) {
		bool rates = has_rates(screen, i, &run);

		if (run.n_most > n_most) /* what was found has fewer */
			found = position;
		n_most = run.n_most;
		if (rates)
			found = i;
	}
	return found;
}

size_t gaps_behind(struct screen *screen, size_t position)
{
	size_t first = position > SAMPLES_MAX ? position - SAMPLES_MAX : 0, n_frames;
	struct run run = { 0 };
	uint64_t first_ns, last_ns;

	n_frames = source_extent(&screen->past_source, &first_ns, &last_ns);
	if (!may_lack(screen))
		return position < n_frames ? position : SIZE_MAX;
	for (size_t i = first; i < n_frames && i <= position + SAMPLES_MAX; i++)
		if (has_rates(screen, i, &run) && i >= position)
			return i;
	return n_frames > position + SAMPLES_MAX ? position : SIZE_MAX;
}
