/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A noisy neighbour is a group that moves most of what passes between a cache and memory, where another one
 * moves something, too, and has to share ways or the bandwidth with it.
 */
#include <config.h>

#include "pane/cpu/cache_story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/span.h"
#include "model/units.h"

#define NOISY_RATE 1e9        /* bytes per second */
#define NOISY_SHARE (2.0 / 3) /* of all groups: twice the others together */
#define NEIGHBOUR_RATE 10e6   /* bytes per second: it does something */

struct story {
	const struct table *table;
	struct cache_sentence *sentences;
	unsigned n;
};

static char *add(struct story *story, bool warns)
{
	static char dropped[TEXT_MAX]; /* cppcheck-suppress unassignedVariable */

	if (story->n == CACHE_STORY_MAX)
		return dropped;
	story->sentences[story->n].warns = warns;
	return story->sentences[story->n++].text;
}

static const char *text_of(const struct story *story, const void *row, const char *column)
{
	return table_text(story->table, row, column);
}

static double rate_of(const struct story *story, const void *row)
{
	return table_number(story->table, row, "total_bytes_per_second");
}

static bool is_control(const struct story *story, const void *row)
{
	return strcmp(text_of(story, row, "kind"), "control") == 0;
}

/* Not the part of a NUMA node, and not an L2 cache. */
static bool is_whole_l3(const struct story *story, const void *row)
{
	return strpbrk(text_of(story, row, "domain"), "/:") == NULL;
}

static bool same_domain(const struct story *story, const void *one, const void *other)
{
	return strcmp(text_of(story, one, "domain"), text_of(story, other, "domain")) == 0;
}

/* Is the row that of a monitoring group of this control group? */
static bool is_part_of(const struct story *story, const void *row, const void *control)
{
	static const char below[] = "mon_groups/";
	const char *name = text_of(story, row, "group"), *whole = text_of(story, control, "group");
	size_t length = strcmp(whole, "/") == 0 ? 0 : strlen(whole);

	if (is_control(story, row) || !same_domain(story, row, control))
		return false;
	if (length > 0 && (strncmp(name, whole, length) != 0 || name[length++] != '/'))
		return false;
	return strncmp(name + length, below, strlen(below)) == 0;
}

/* What all groups move in a domain; NaN where that of one is not known. */
static double sum_of(const struct story *story, const void *of)
{
	double sum = 0;

	for (size_t i = 0; i < story->table->n_rows; i++) {
		const void *row = table_row(story->table, i);

		if (is_control(story, row) && same_domain(story, row, of))
			sum += rate_of(story, row);
	}
	return sum;
}

static bool is_noisy(const struct story *story, const void *row, double sum)
{
	return rate_of(story, row) >= NOISY_RATE && rate_of(story, row) >= NOISY_SHARE * sum;
}

/* A monitoring group that alone is noisy says more than its control group. */
static const void *narrowed(const struct story *story, const void *control, double sum)
{
	for (size_t i = 0; i < story->table->n_rows; i++) {
		const void *row = table_row(story->table, i);

		if (is_part_of(story, row, control) && is_noisy(story, row, sum))
			return row;
	}
	return control;
}

/* In hexadecimal; 0: not known. */
static uint64_t mask_of(const struct story *story, const void *row, const char *column)
{
	struct span text = span_text(text_of(story, row, column));
	uint64_t mask;

	return span_hex(&text, &mask) && span_length(text) == 0 ? mask : 0;
}

#define SHARES_ALL (-1.0)

/* Ways that both may fill, of any kind; SHARES_ALL where the cache is not divided; NaN: not known. */
static double shared_ways(const struct story *story, const void *one, const void *other)
{
	uint64_t mask = mask_of(story, one, "mask") | mask_of(story, one, "code_mask");
	uint64_t other_mask = mask_of(story, other, "mask") | mask_of(story, other, "code_mask");

	if (!mask && !other_mask)
		return SHARES_ALL;
	return mask && other_mask ? (double)__builtin_popcountll(mask & other_mask) : (double)NAN;
}

/* Can its bandwidth be limited, and is it not? */
static bool is_unlimited(const struct story *story, const void *row)
{
	const struct column *limit = schema_known_column(story->table->schema, "limit_bytes_per_second");

	return table_number(story->table, row, "throttle_ratio") >= 1 || (limit && row_is_blank(row, limit));
}

struct neighbour {
	const void *row; /* of its control group; NULL: none */
	double rate;
	double ways; /* that it shares with the noisy group */
};

/* The one that moves most, of those that share ways if there are any. */
static struct neighbour neighbour_of(const struct story *story, const void *noisy, const void *control)
{
	struct neighbour best = { 0 };

	for (size_t i = 0; i < story->table->n_rows; i++) {
		const void *row = table_row(story->table, i);
		struct neighbour found = { row, rate_of(story, row), 0 };

		if (!is_control(story, row) || !same_domain(story, row, noisy))
			continue;
		if (row == control)
			found.rate -= rate_of(story, noisy);
		found.ways = shared_ways(story, noisy, row);
		if (!(found.rate >= NEIGHBOUR_RATE) || isnan(found.ways) ||
		    (best.row && best.ways != 0 && found.ways == 0))
			continue;
		if (!best.row || (best.ways == 0 && found.ways != 0) || found.rate > best.rate)
			best = found;
	}
	return best;
}

static void tell_noise(struct story *story, const void *noisy, const struct neighbour *neighbour, double sum)
{
	const char *name = text_of(story, noisy, "group"), *other = text_of(story, neighbour->row, "group");
	const char *cache = text_of(story, noisy, "domain");
	double percent = 100 * rate_of(story, noisy) / sum;
	char rate[VALUE_TEXT_MAX];

	size_text(rate, rate_of(story, noisy));
	if (neighbour->ways == SHARES_ALL)
		snprintf(add(story, true), TEXT_MAX,
			 _("%s is a noisy neighbour: it moves %s/s of L3 %s, %.0f %% of all, and shares the "
			   "cache with %s"),
			 name, rate, cache, percent, other);
	else if (neighbour->ways > 0)
		snprintf(add(story, true), TEXT_MAX,
			 P_("%s is a noisy neighbour: it moves %s/s of L3 %s, %.0f %% of all, and shares %lu "
			    "way with %s",
			    "%s is a noisy neighbour: it moves %s/s of L3 %s, %.0f %% of all, and shares %lu "
			    "ways with %s",
			    (unsigned long)neighbour->ways),
			 name, rate, cache, percent, (unsigned long)neighbour->ways, other);
	else if (is_unlimited(story, noisy))
		snprintf(add(story, true), TEXT_MAX,
			 _("%s is a noisy neighbour: it moves %s/s of L3 %s, %.0f %% of all; it shares no "
			   "ways with %s, but nothing limits its bandwidth (MB)"),
			 name, rate, cache, percent, other);
}

/* Of the domain of this row, the first one of it. */
static void of_domain(struct story *story, const void *first)
{
	double sum = sum_of(story, first);

	for (size_t i = 0; i < story->table->n_rows && !isnan(sum); i++) {
		const void *control = table_row(story->table, i), *noisy;
		struct neighbour neighbour;

		if (!is_control(story, control) || !same_domain(story, control, first) ||
		    !is_noisy(story, control, sum))
			continue;
		noisy = narrowed(story, control, sum);
		neighbour = neighbour_of(story, noisy, control);
		if (neighbour.row)
			tell_noise(story, noisy, &neighbour, sum);
		return;
	}
}

static bool is_first_of_domain(const struct story *story, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_domain(story, table_row(story->table, i), table_row(story->table, index)))
			return false;
	return true;
}

static bool is_any_known(const struct story *story, const char *column)
{
	for (size_t i = 0; i < story->table->n_rows; i++)
		if (!isnan(table_number(story->table, table_row(story->table, i), column)))
			return true;
	return false;
}

static bool has_any_note(const struct story *story)
{
	for (size_t i = 0; i < story->table->n_rows; i++)
		if (*text_of(story, table_row(story->table, i), "note"))
			return true;
	return false;
}

static void of_machine(struct story *story)
{
	bool occupancy = is_any_known(story, "occupancy_bytes"), moved = is_any_known(story, "total_bytes");

	if (!occupancy && !moved && !has_any_note(story))
		snprintf(add(story, false), TEXT_MAX, "%s",
			 _("This CPU counts neither what a group occupies nor what it moves (no CMT, no "
			   "MBM)."));
	else if (!occupancy && !has_any_note(story))
		snprintf(add(story, false), TEXT_MAX, "%s",
			 _("This CPU does not count what a group occupies (no CMT)."));
	else if (!moved && !has_any_note(story))
		snprintf(add(story, false), TEXT_MAX, "%s",
			 _("This CPU does not count what a group moves (no MBM)."));
	if (!is_any_known(story, "ways"))
		snprintf(add(story, false), TEXT_MAX, "%s",
			 _("Caches are not divided here (no CAT): every group may fill all of them."));
}

unsigned cache_story(const struct table *table, struct cache_sentence sentences[CACHE_STORY_MAX])
{
	struct story story = { .table = table, .sentences = sentences };

	if (table->n_rows == 0)
		return 0;
	for (size_t i = 0; i < table->n_rows; i++)
		if (is_whole_l3(&story, table_row(table, i)) && is_first_of_domain(&story, i))
			of_domain(&story, table_row(table, i));
	of_machine(&story);
	return story.n;
}
