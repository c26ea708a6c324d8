/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives waits without a cause to causes that are known. */
#include <config.h>

#include "topic/profile/wait_tally.h"

#include <stdio.h>
#include <string.h>

#define FADE 0.8 /* of what was seen, at each end */

static void begin(struct wait_tally *tally)
{
	if (tally->n > 0)
		return;
	tally->n = 1;
	tally->reasons[0].cause = WAIT_OTHER;
}

unsigned wait_tally_reason(struct wait_tally *tally, enum wait_cause cause, struct span function)
{
	char name[WAIT_FUNCTION_BYTES];

	begin(tally);
	snprintf(name, sizeof(name), "%.*s", (int)span_length(function),
		 span_length(function) ? function.at : "");
	for (unsigned i = 0; i < tally->n; i++)
		if (tally->reasons[i].cause == cause && strcmp(tally->reasons[i].function, name) == 0)
			return i;
	if (tally->n == WAIT_REASONS_MAX)
		return 0;
	tally->reasons[tally->n] = (struct wait_reason){ .cause = cause };
	memcpy(tally->reasons[tally->n].function, name, sizeof(name));
	return tally->n++;
}

static unsigned length_of(uint64_t ns)
{
	unsigned length = 0;

	for (ns /= 1000; ns > 0 && length + 1 < WAIT_LENGTHS; ns /= 2)
		length++;
	return length;
}

void wait_tally_add(struct wait_tally *tally, unsigned number, uint64_t ns, bool is_new, uint64_t whole_ns)
{
	struct wait_reason *reason = &tally->reasons[number];

	begin(tally);
	reason->ns += ns;
	reason->waits += is_new;
	if (whole_ns > 0)
		reason->seen[length_of(whole_ns)]++;
}

void wait_tally_add_unseen(struct wait_tally *tally, uint64_t ns, bool is_new, uint64_t whole_ns)
{
	unsigned length = length_of(whole_ns ? whole_ns : ns);

	begin(tally);
	tally->unseen_ns[length] += ns;
	tally->unseen_waits[length] += is_new;
}

static double all_seen(const struct wait_tally *tally, unsigned length)
{
	double sum = 0;

	for (unsigned i = 0; i < tally->n; i++)
		sum += tally->reasons[i].seen[length];
	return sum;
}

/* The length that is nearest to this one among those of which some were seen; WAIT_LENGTHS: none. */
static unsigned nearest_seen(const struct wait_tally *tally, unsigned length)
{
	for (unsigned distance = 0; distance < WAIT_LENGTHS; distance++) {
		if (length + distance < WAIT_LENGTHS && all_seen(tally, length + distance) > 0)
			return length + distance;
		if (distance <= length && all_seen(tally, length - distance) > 0)
			return length - distance;
	}
	return WAIT_LENGTHS;
}

/* Those of a length go where those went that were seen. */
static void spread(struct wait_tally *tally, unsigned length, double parts_ns[WAIT_REASONS_MAX])
{
	unsigned like = nearest_seen(tally, length);
	double all = like < WAIT_LENGTHS ? all_seen(tally, like) : 0;

	for (unsigned i = 0; i < tally->n; i++) {
		struct wait_reason *reason = &tally->reasons[i];
		double share = all > 0 ? reason->seen[like] / all : i == 0;

		parts_ns[i] += share * (double)tally->unseen_ns[length];
		reason->sum_waits += share * (double)tally->unseen_waits[length];
	}
	tally->unseen_ns[length] = tally->unseen_waits[length] = 0;
}

void wait_tally_end(struct wait_tally *tally, uint64_t waited_ns)
{
	double parts_ns[WAIT_REASONS_MAX] = { 0 }, counted = 0;

	begin(tally);
	for (unsigned length = 0; length < WAIT_LENGTHS; length++)
		if (tally->unseen_ns[length] > 0 || tally->unseen_waits[length] > 0)
			spread(tally, length, parts_ns);
	for (unsigned i = 0; i < tally->n; i++) {
		parts_ns[i] += (double)tally->reasons[i].ns;
		counted += parts_ns[i];
	}
	if (counted == 0) /* nothing says what it was */
		parts_ns[0] = counted = 1;
	for (unsigned i = 0; i < tally->n; i++) {
		struct wait_reason *reason = &tally->reasons[i];

		reason->sum_ns += parts_ns[i] * ((double)waited_ns / counted);
		reason->sum_waits += (double)reason->waits;
		reason->ns = reason->waits = 0;
		for (unsigned length = 0; length < WAIT_LENGTHS; length++)
			reason->seen[length] *= FADE;
	}
}
