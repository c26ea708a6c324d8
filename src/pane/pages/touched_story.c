/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was not used in one window may be used in the next: the sentence always has its length. */
#include <config.h>

#include "pane/pages/touched_story.h"

#include "core/i18n.h"

#define COST_SECONDS_PER_GIB 0.04 /* 20 ms for each of both, measured on Linux 6.18 */

double touched_cost_seconds(double resident_bytes)
{
	return resident_bytes / 0x1p30 * COST_SECONDS_PER_GIB;
}

static const struct remark remarks[] = {
	{ "state == replaced", N_("it has executed another program: the window begins again") },
	{ "state == ended, not touched_bytes", N_("it has exited before the window ended") },
	{ "state == clearing, not touched_bytes", N_("the accessed bits are being cleared ...") },
	{ "not touched_bytes", N_("nothing was read yet: to read costs as much as to clear") },
	{ "windows > 0", N_("{resident_bytes} resident, {touched_bytes} used in {window_seconds}"
			    "[ ({file_touched_bytes} in files, by it or by others)]"
			    "[; the rest, {untouched_bytes}, was not]") },
	{ NULL, N_("so far {touched_bytes} of {resident_bytes} used, in {window_seconds}") },
};

/* From here on it is worth a word. */
static const char files_notable[] = "file_touched_bytes > 0, file_touched_bytes >= 0.1 * touched_bytes";
static const char rest_notable[] = "untouched_bytes >= 16777216, untouched_bytes >= 0.1 * resident_bytes";

static size_t hide(struct made_fact hidden[2], const struct facts *facts)
{
	size_t n = 0;

	if (!sentence_holds(files_notable, facts))
		hidden[n++] = (struct made_fact){ "file_touched_bytes", FACT_UNKNOWN };
	if (!sentence_holds(rest_notable, facts))
		hidden[n++] = (struct made_fact){ "untouched_bytes", FACT_UNKNOWN };
	return n;
}

void touched_sentence(struct buffer *out, const struct table *table, const void *row)
{
	const struct row_facts all = { { row_fact }, table, row };
	struct made_fact hidden[2];
	const struct row_facts facts = { { row_fact }, table, row, hidden, hide(hidden, &all.facts) };

	remarks_say(out, REMARKS(remarks), &facts.facts);
}
