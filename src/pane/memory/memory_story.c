/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict first, then what was reclaimed, refaulted or killed: each with its threshold. */
#include <config.h>

#include "pane/memory/memory_story.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/grade.h"
#include "model/units.h"

#define AVAILABLE_LOW (1 - GRADE_MEMORY_BUSY)
#define AVAILABLE_NONE (1 - GRADE_MEMORY_CRITICAL)
#define STALLED_NOTABLY 0.01
#define STALLED_NOT 0.00005    /* shown as 0.00 % */
#define REFAULTS_NOTABLY 10.0  /* pages per second */
#define SECONDS_ENOUGH 5.0
#define CAUSE_SECONDS 60.0     /* what refaults sooner may have been evicted before, by what is not seen */
#define CALM_ENOUGH 30.0
#define RECLAIM_LEAST 0.5      /* pages evicted for each that refaulted: fewer cannot be the cause */

/* For the plural form of a sentence. */
static unsigned long count_of(double pages)
{
	return pages < (double)ULONG_MAX ? (unsigned long)pages : ULONG_MAX;
}

/* Processes killed because the machine ran out: it has reclaimed before, which no limit of a group causes. */
static double killed_by_machine(const struct memory_facts *facts)
{
	double at_limits = isnan(facts->killed_at_limits) ? 0 : facts->killed_at_limits;

	return facts->stalls > 0 ? facts->killed - at_limits : 0;
}

static enum memory_level level_of_facts(const struct memory_facts *facts, double available)
{
	if (killed_by_machine(facts) > 0 || facts->stalled_ratio >= facts->stalled_limit ||
	    available < AVAILABLE_NONE)
		return MEMORY_BAD;
	return facts->stalled_ratio >= STALLED_NOTABLY || available < AVAILABLE_LOW ? MEMORY_HIGH : MEMORY_OK;
}

/* What is known not to happen. */
static const char *calm_words(const struct memory_facts *facts)
{
	bool waits_not = facts->stalled_ratio < STALLED_NOT;
	bool reclaims_not = facts->seconds >= SECONDS_ENOUGH && facts->evicted_pages == 0 &&
			    facts->refaulted_pages == 0;

	return waits_not && reclaims_not ? _("Nothing reclaimed, no task waits for it.")
	       : waits_not               ? _("No task waits for it.")
	       : reclaims_not            ? _("Nothing reclaimed.")
					 : "";
}

static double limit_ratio(const struct memory_facts *facts)
{
	return facts->limit_bytes > 0 ? facts->limit_left_bytes / facts->limit_bytes : NAN;
}

double memory_left_ratio(const struct memory_facts *facts)
{
	double ratio = facts->available_bytes / facts->total_bytes, limit = limit_ratio(facts);

	return !(facts->total_bytes > 0) ? NAN : limit < ratio ? limit : ratio;
}

/* What is left, of what has less left. */
static void left_words(const struct memory_facts *facts, double ratio, char *text, size_t room)
{
	char part[VALUE_TEXT_MAX], whole[VALUE_TEXT_MAX];

	if (limit_ratio(facts) <= ratio)
		snprintf(text, room, _("%.0f %% left of the cgroup limit, %s."), floor(100 * ratio),
			 size_text(whole, facts->limit_bytes));
	else
		snprintf(text, room, _("%.0f %% available: %s of %s."), floor(100 * ratio),
			 size_text(part, facts->available_bytes), size_text(whole, facts->total_bytes));
}

enum memory_level memory_verdict(const struct memory_facts *facts, char *text, size_t room)
{
	double ratio = memory_left_ratio(facts), killed = killed_by_machine(facts);
	char available[TEXT_MAX], unwatched[TEXT_MAX];
	enum memory_level level;
	const char *calm;

	*text = '\0';
	if (isnan(ratio))
		return MEMORY_UNKNOWN;
	level = level_of_facts(facts, ratio);
	calm = level == MEMORY_OK ? calm_words(facts) : "";
	if (level == MEMORY_OK && facts->unwatched) {
		level = MEMORY_UNKNOWN;
		snprintf(unwatched, sizeof(unwatched), _("Tasks that wait for it: %s."), facts->unwatched);
		calm = unwatched;
	}
	left_words(facts, ratio, available, sizeof(available));
	if (killed > 0)
		snprintf(text, room,
			 P_("%s Memory ran out, %.0f process was killed.",
			    "%s Memory ran out, %.0f processes were killed.", count_of(killed)),
			 available, killed);
	else if (facts->stalled_ratio >= STALLED_NOTABLY)
		snprintf(text, room, _("%s Tasks wait for it %.0f %% of the time."), available,
			 100 * facts->stalled_ratio);
	else
		snprintf(text, room, "%s%s%s", available, *calm ? " " : "", calm);
	return level;
}

/* Reclaim that freed so little is not what the refaults come from. */
static bool is_reclaim(const struct memory_facts *facts)
{
	return facts->evicted_pages > 0 && facts->evicted_pages >= RECLAIM_LEAST * facts->refaulted_pages;
}

static void tell_unreclaimed(const struct memory_facts *facts, const char *time, char *text, size_t room)
{
	unsigned long count = count_of(facts->refaulted_pages);

	if (isnan(facts->evicted_pages))
		snprintf(text, room,
			 P_("%.0f page refaulted in %s; what was reclaimed is not known.",
			    "%.0f pages refaulted in %s; what was reclaimed is not known.", count),
			 facts->refaulted_pages, time);
	else if (facts->group)
		snprintf(text, room,
			 P_("%.0f page refaulted in %s without reclaim of the machine: %s is at its limit.",
			    "%.0f pages refaulted in %s without reclaim of the machine: %s is at its limit.",
			    count),
			 facts->refaulted_pages, time, facts->group);
	else if (facts->pager)
		snprintf(text, room,
			 P_("%.0f page refaulted in %s without reclaim: likely paged out by DAMON (%s runs, "
			    "%.1f %% of a CPU).",
			    "%.0f pages refaulted in %s without reclaim: likely paged out by DAMON (%s runs, "
			    "%.1f %% of a CPU).",
			    count),
			 facts->refaulted_pages, time, facts->pager, 100 * facts->pager_ratio);
	else
		snprintf(text, room,
			 P_("%.0f page refaulted in %s without reclaim: paged out on purpose (DAMON, "
			    "MADV_PAGEOUT, memory.reclaim), by a memory.high or memory.max of a cgroup, or "
			    "evicted before this run.",
			    "%.0f pages refaulted in %s without reclaim: paged out on purpose (DAMON, "
			    "MADV_PAGEOUT, memory.reclaim), by a memory.high or memory.max of a cgroup, or "
			    "evicted before this run.",
			    count),
			 facts->refaulted_pages, time);
}

/* Pages are reclaimed and needed again. */
static void tell_reclaimed(const struct memory_facts *facts, const char *time, char *text, size_t room)
{
	double rate = facts->refaulted_pages / facts->seconds;
	unsigned long count = count_of(facts->refaulted_pages);
	char caches[VALUE_TEXT_MAX];
	size_t length;

	size_text(caches, facts->caches_bytes);
	if (facts->stalled_ratio >= facts->stalled_limit)
		snprintf(text, room,
			 P_("%.0f page refaulted (was read again after eviction) in %s (%.0f/s), %.0f read "
			    "back from swap: memory is short.",
			    "%.0f pages refaulted (were read again after eviction) in %s (%.0f/s), %.0f read "
			    "back from swap: memory is short.",
			    count),
			 facts->refaulted_pages, time, rate, facts->swapped_in_pages);
	else if (rate < REFAULTS_NOTABLY)
		snprintf(text, room,
			 P_("Only %.0f page refaulted (was read again after eviction) in %s: %s of cache is "
			    "about what is in use.",
			    "Only %.0f pages refaulted (were read again after eviction) in %s: %s of cache "
			    "is about what is in use.",
			    count),
			 facts->refaulted_pages, time, caches);
	else
		snprintf(text, room,
			 P_("%.0f page refaulted (was read again after eviction) in %s (%.0f/s): more is in "
			    "use than %s of cache can hold.",
			    "%.0f pages refaulted (were read again after eviction) in %s (%.0f/s): more is "
			    "in use than %s of cache can hold.",
			    count),
			 facts->refaulted_pages, time, rate, caches);
	if (facts->stalled_ratio >= facts->stalled_limit || !(facts->swapped_in_pages > 0))
		return;
	length = strlen(text);
	snprintf(text + length, room - length,
		 P_(" %.0f page was read back from swap.", " %.0f pages were read back from swap.",
		    count_of(facts->swapped_in_pages)),
		 facts->swapped_in_pages);
}

/* Without a refault, the evicted pages were not needed; if nothing was evicted, nothing is proved. */
static void tell_calm(const struct memory_facts *facts, const char *time, char *text, size_t room)
{
	char caches[VALUE_TEXT_MAX];

	size_text(caches, facts->caches_bytes);
	if (facts->swapped_in_pages > 0)
		snprintf(text, room,
			 P_("%.0f page read back from swap in %s (%.1f/s).",
			    "%.0f pages read back from swap in %s (%.1f/s).",
			    count_of(facts->swapped_in_pages)),
			 facts->swapped_in_pages, time, facts->swapped_in_pages / facts->seconds);
	else if (facts->evicted_pages > 0)
		snprintf(text, room,
			 P_("No refault in %s, though %.0f page was reclaimed: of %s of cache hardly "
			    "anything would be read again.",
			    "No refault in %s, though %.0f pages were reclaimed: of %s of cache hardly "
			    "anything would be read again.",
			    count_of(facts->evicted_pages)),
			 time, facts->evicted_pages, caches);
	else if (isnan(facts->evicted_pages))
		snprintf(text, room, _("No refault in %s; what was reclaimed is not known."), time);
	else
		snprintf(text, room, _("No refault in %s, and nothing reclaimed: whether %s of cache are "
				       "needed is not known."),
			 time, caches);
}

char *memory_story(const struct memory_facts *facts, char *text, size_t room)
{
	char time[VALUE_TEXT_MAX];

	*text = '\0';
	if (!(facts->seconds > 0) || isnan(facts->refaulted_pages))
		return text;
	stretch_text(time, facts->seconds);
	if (facts->seconds < SECONDS_ENOUGH)
		snprintf(text, room, _("Watching for refaults (%s so far)."), time);
	else if (facts->refaulted_pages > 0 && facts->calm_seconds >= CALM_ENOUGH)
		snprintf(text, room,
			 P_("%.0f page refaulted (was read again after eviction) in %s, none in the last "
			    "%.0f s.",
			    "%.0f pages refaulted (were read again after eviction) in %s, none in the last "
			    "%.0f s.",
			    count_of(facts->refaulted_pages)),
			 facts->refaulted_pages, time, facts->calm_seconds);
	else if (facts->refaulted_pages > 0 && is_reclaim(facts))
		tell_reclaimed(facts, time, text, room);
	else if (facts->refaulted_pages > 0 && facts->seconds < CAUSE_SECONDS && !facts->group)
		snprintf(text, room,
			 P_("%.0f page refaulted (was read again after eviction) in %s: too early to tell "
			    "what evicted it.",
			    "%.0f pages refaulted (were read again after eviction) in %s: too early to tell "
			    "what evicted them.",
			    count_of(facts->refaulted_pages)),
			 facts->refaulted_pages, time);
	else if (facts->refaulted_pages > 0)
		tell_unreclaimed(facts, time, text, room);
	else
		tell_calm(facts, time, text, room);
	return text;
}
