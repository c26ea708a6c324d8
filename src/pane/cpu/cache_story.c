/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A noisy neighbour is a group that moves most of what passes between a cache and memory, where another one
 * moves something, too, and has to share ways or the bandwidth with it.
 */
#include <config.h>

#include "pane/cpu/cache_story.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"

#define NOISY_RATE 1e9        /* bytes per second */
#define NOISY_SHARE (2.0 / 3) /* of all groups: twice the others together */
#define NEIGHBOUR_RATE 10e6   /* bytes per second: it does something */

static const struct remark noise[] = {
	{ "ways < 0", N_("{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
			 "{share_ratio:%} of all, and shares the cache with {other}") },
	{ "ways > 0",
	  PN_("{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
	      "{share_ratio:%} of all, and shares {ways} way with {other}",
	      "{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
	      "{share_ratio:%} of all, and shares {ways} ways with {other}"),
	  "ways" },
	{ "unlimited", N_("{group} is a noisy neighbour: it moves {total_bytes_per_second} of L3 {domain}, "
			  "{share_ratio:%} of all; it shares no ways with {other}, but nothing limits its "
			  "bandwidth (MB)") },
};

static const struct remark uncounted[] = {
	{ "not occupied, not moved, not noted", N_("This CPU counts neither what a group occupies nor what "
						   "it moves (no CMT, no MBM).") },
	{ "not occupied, not noted", N_("This CPU does not count what a group occupies (no CMT).") },
	{ "not moved, not noted", N_("This CPU does not count what a group moves (no MBM).") },
};

static const struct remark undivided = {
	"not ways", N_("Caches are not divided here (no CAT): every group may fill all of them.")
};

struct story {
	const struct table *table;
	struct buffer *out;
	unsigned warnings;
};

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
	const struct made_fact made[] = {
		{ "other", { .text = text_of(story, neighbour->row, "group") } },
		{ "ways", { .number = neighbour->ways } },
		{ "share_ratio", number_fact(rate_of(story, noisy) / sum, UNIT_RATIO),
		  "total_bytes_per_second / sum of those of its domain" },
		{ "unlimited", { .text = is_unlimited(story, noisy) ? "yes" : "" } },
	};
	const struct row_facts facts = { { row_fact }, story->table, noisy, made, 4 };

	if (remarks_say(story->out, REMARKS(noise), &facts.facts) < 0)
		return;
	buffer_char(story->out, '\n');
	story->warnings++;
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

/* "yes": that of some row is known; "": of none. */
static struct fact any_known(const struct story *story, const char *key)
{
	const struct column *column = schema_known_column(story->table->schema, key);
	bool known = false;

	for (size_t i = 0; i < story->table->n_rows; i++)
		known |= column_has_value(column, table_row(story->table, i));
	return (struct fact){ .text = known ? "yes" : "" };
}

static void of_machine(struct story *story)
{
	const struct made_fact made[] = {
		{ "occupied", any_known(story, "occupancy_bytes") },
		{ "moved", any_known(story, "total_bytes") },
		{ "noted", any_known(story, "note") },
		{ "ways", any_known(story, "ways") },
	};
	const struct row_facts facts = { { row_fact }, .made = made, .n_made = 4 };

	if (remarks_say(story->out, REMARKS(uncounted), &facts.facts) >= 0)
		buffer_char(story->out, '\n');
	if (remark_say(story->out, &undivided, &facts.facts))
		buffer_char(story->out, '\n');
}

unsigned cache_story(struct buffer *out, const struct table *table)
{
	struct story story = { table, out, 0 };

	for (size_t i = 0; i < table->n_rows; i++)
		if (is_whole_l3(&story, table_row(table, i)) && is_first_of_domain(&story, i))
			of_domain(&story, table_row(table, i));
	if (table->n_rows > 0)
		of_machine(&story);
	return story.warnings;
}
