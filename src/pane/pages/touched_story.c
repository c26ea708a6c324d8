/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was not used in one window may be used in the next: the sentence always has its length. */
#include <config.h>

#include "pane/pages/touched_story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/units.h"

#define REST_RATIO 0.1
#define FILES_RATIO 0.1
#define REST_BYTES 0x1p24
#define COST_SECONDS_PER_GIB 0.04 /* 20 ms for each of both, measured on Linux 6.18 */

double touched_cost_seconds(double resident_bytes)
{
	return resident_bytes / 0x1p30 * COST_SECONDS_PER_GIB;
}

static double rest_of(const struct touched_facts *facts)
{
	return facts->resident_bytes - facts->touched_bytes;
}

bool touched_rest_is_notable(const struct touched_facts *facts)
{
	double rest = rest_of(facts);

	return facts->windows > 0 && rest >= REST_BYTES && rest >= REST_RATIO * facts->resident_bytes;
}

/* " (1.5 MiB in files, by it or by others)", where it is worth a word. */
static const char *files_text(const struct touched_facts *facts, char text[TEXT_MAX])
{
	char size[VALUE_TEXT_MAX];

	*text = '\0';
	if (facts->file_touched_bytes > 0 && facts->file_touched_bytes >= FILES_RATIO * facts->touched_bytes)
		snprintf(text, TEXT_MAX, _(" (%s in files, by it or by others)"),
			 size_text(size, facts->file_touched_bytes));
	return text;
}

static void say_measured(const struct touched_facts *facts, char text[TEXT_MAX], bool ascii)
{
	char resident[VALUE_TEXT_MAX], touched[VALUE_TEXT_MAX], rest[VALUE_TEXT_MAX], window[VALUE_TEXT_MAX];
	char files[TEXT_MAX];

	size_text(resident, facts->resident_bytes);
	size_text(touched, facts->touched_bytes);
	duration_text(window, facts->window_seconds, ascii);
	files_text(facts, files);
	if (touched_rest_is_notable(facts))
		snprintf(text, TEXT_MAX, _("%s resident, %s used in %s%s; the rest, %s, was not"), resident,
			 touched, window, files, size_text(rest, rest_of(facts)));
	else
		snprintf(text, TEXT_MAX, _("%s resident, %s used in %s%s"), resident, touched, window, files);
}

void touched_sentence(const struct touched_facts *facts, char text[TEXT_MAX], bool ascii)
{
	char resident[VALUE_TEXT_MAX], touched[VALUE_TEXT_MAX], window[VALUE_TEXT_MAX];

	if (strcmp(facts->state, "replaced") == 0)
		snprintf(text, TEXT_MAX, "%s", _("it has executed another program: the window begins again"));
	else if (isnan(facts->touched_bytes) && strcmp(facts->state, "ended") == 0)
		snprintf(text, TEXT_MAX, "%s", _("it has exited before the window ended"));
	else if (isnan(facts->touched_bytes) && strcmp(facts->state, "clearing") == 0)
		snprintf(text, TEXT_MAX, "%s", _("the accessed bits are being cleared ..."));
	else if (isnan(facts->touched_bytes))
		snprintf(text, TEXT_MAX, "%s", _("nothing was read yet: to read costs as much as to clear"));
	else if (facts->windows > 0)
		say_measured(facts, text, ascii);
	else
		snprintf(text, TEXT_MAX, _("so far %s of %s used, in %s"),
			 size_text(touched, facts->touched_bytes), size_text(resident, facts->resident_bytes),
			 duration_text(window, facts->window_seconds, ascii));
}
