/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentence under the memory graph: what refaults, evictions and pressure say together. */
#include <config.h>

#include "pane/memory/memory_story.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "core/i18n.h"
#include "model/units.h"
#include "pane/text.h"

#define STALLED_NOTABLY 0.01
#define REFAULTS_NOTABLY 10.0 /* pages per second */
#define SECONDS_ENOUGH 5.0
#define CALM_ENOUGH 30.0

/* Which form of a sentence so many pages ask for. */
static unsigned long count_of(double pages)
{
	return pages < (double)ULONG_MAX ? (unsigned long)pages : ULONG_MAX;
}

/* Tasks wait for memory, and what was dropped is wanted again. */
static void tell_shortage(const struct memory_facts *facts, const char *time, char *text, size_t room)
{
	snprintf(text, room,
		 P_("Memory is short: %.0f page wanted again in %s (%.0f/s), %.0f read back from swap, tasks "
		    "waited %.0f %% of the time.",
		    "Memory is short: %.0f pages wanted again in %s (%.0f/s), %.0f read back from swap, "
		    "tasks waited %.0f %% of the time.",
		    count_of(facts->refaulted_pages)),
		 facts->refaulted_pages, time, facts->refaulted_pages / facts->seconds,
		 facts->swapped_in_pages, 100 * facts->stalled_ratio);
}

static void tell_past(const struct memory_facts *facts, const char *time, const char *caches, char *text,
		      size_t room)
{
	snprintf(text, room,
		 P_("%.0f page was dropped and wanted again in %s, none in the last %.0f s; %s of cache.",
		    "%.0f pages were dropped and wanted again in %s, none in the last %.0f s; %s of cache.",
		    count_of(facts->refaulted_pages)),
		 facts->refaulted_pages, time, facts->calm_seconds, caches);
}

static void tell_refaults(const struct memory_facts *facts, const char *time, const char *caches, char *text,
			  size_t room)
{
	double rate = facts->refaulted_pages / facts->seconds;
	unsigned long count = count_of(facts->refaulted_pages);

	if (facts->evicted_pages == 0)
		snprintf(text, room,
			 P_("%.0f page was wanted again in %s, though the machine dropped none of itself: "
			    "somebody dropped caches, or a container met its limit.",
			    "%.0f pages were wanted again in %s, though the machine dropped none of itself: "
			    "somebody dropped caches, or a container met its limit.",
			    count),
			 facts->refaulted_pages, time);
	else if (rate < REFAULTS_NOTABLY)
		snprintf(text, room,
			 P_("Only %.0f page was dropped and wanted again in %s: %s of cache is about what is "
			    "in use.",
			    "Only %.0f pages were dropped and wanted again in %s: %s of cache is about what "
			    "is in use.",
			    count),
			 facts->refaulted_pages, time, caches);
	else
		snprintf(
			text, room,
			P_("%.0f page was dropped and wanted again in %s (%.0f/s): more is in use than %s of "
			   "cache can hold.",
			   "%.0f pages were dropped and wanted again in %s (%.0f/s): more is in use than %s "
			   "of cache can hold.",
			   count),
			facts->refaulted_pages, time, rate, caches);
}

/* Without a refault, what was dropped was not missed; where nothing was dropped, nothing is proved. */
static void tell_calm(const struct memory_facts *facts, const char *time, const char *caches, char *text,
		      size_t room)
{
	if (facts->evicted_pages > 0)
		snprintf(text, room,
			 P_("No refault in %s, though %.0f page was dropped: %s of cache could go and hardly "
			    "anything would be read again.",
			    "No refault in %s, though %.0f pages were dropped: %s of cache could go and "
			    "hardly anything would be read again.",
			    count_of(facts->evicted_pages)),
			 time, facts->evicted_pages, caches);
	else if (isnan(facts->evicted_pages))
		snprintf(text, room, _("No refault in %s; what was dropped is not known. %s of cache."), time,
			 caches);
	else
		snprintf(text, room,
			 _("No refault in %s and nothing had to be dropped: %s of cache could go to programs "
			   "at once; D tries what would be read again."),
			 time, caches);
}

char *memory_story(const struct memory_facts *facts, char *text, size_t room)
{
	char time[STRETCH_MAX], caches[VALUE_TEXT_MAX];

	*text = '\0';
	if (!(facts->seconds > 0) || isnan(facts->refaulted_pages) || isnan(facts->caches_bytes))
		return text;
	stretch_text(time, facts->seconds);
	size_text(caches, facts->caches_bytes);
	if (facts->seconds < SECONDS_ENOUGH)
		snprintf(text, room, _("Watching for refaults since %s."), time);
	else if (facts->refaulted_pages > 0 && facts->calm_seconds >= CALM_ENOUGH)
		tell_past(facts, time, caches, text, room);
	else if (facts->refaulted_pages > 0 && facts->stalled_ratio >= STALLED_NOTABLY)
		tell_shortage(facts, time, text, room);
	else if (facts->refaulted_pages > 0)
		tell_refaults(facts, time, caches, text, room);
	else
		tell_calm(facts, time, caches, text, room);
	return text;
}
