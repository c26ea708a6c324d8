/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where there is no room the oldest mark that is not of the user goes, and one of the user only when no other
 * is left.
 */
#include <config.h>

#include "model/marks.h"

#include <string.h>

#include "core/hash.h"
#include "model/finding.h"
#include "model/firing.h"

#define SECOND_NS UINT64_C(1000000000)
#define SAME_NS (2 * SECOND_NS) /* the clocks drift apart */

static void drop_one(struct marks *marks)
{
	unsigned oldest = 0;

	while (oldest < marks->n && marks->list[oldest].kind == MARK_USER)
		oldest++;
	if (oldest == marks->n)
		oldest = 0;
	memmove(&marks->list[oldest], &marks->list[oldest + 1], (--marks->n - oldest) * sizeof(*marks->list));
}

static void add(struct marks *marks, uint64_t wall_ns, enum mark_kind kind, uint64_t finding)
{
	if (marks->n == MARKS_MAX)
		drop_one(marks);
	marks->list[marks->n++] = (struct mark){ wall_ns, kind, finding };
}

void marks_add(struct marks *marks, uint64_t wall_ns)
{
	add(marks, wall_ns, MARK_USER, 0);
}

static bool is_marked(const struct marks *marks, uint64_t wall_ns, enum mark_kind kind, uint64_t finding)
{
	for (unsigned i = 0; i < marks->n; i++) {
		uint64_t there_ns = marks->list[i].wall_ns;
		uint64_t apart_ns = there_ns > wall_ns ? there_ns - wall_ns : wall_ns - there_ns;

		if (marks->list[i].kind == kind && marks->list[i].finding == finding && apart_ns <= SAME_NS)
			return true;
	}
	return false;
}

static void add_once(struct marks *marks, uint64_t wall_ns, enum mark_kind kind, uint64_t finding)
{
	if (!is_marked(marks, wall_ns, kind, finding))
		add(marks, wall_ns, kind, finding);
}

static uint64_t identity_of(const struct table *table, const void *row)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(table_text(table, row, "rule")));

	return hash_bytes(hash, span_text(table_text(table, row, "row"))) | 1;
}

/* Rules of the user that fired. */
static void take_firings(struct marks *marks, const struct frame *frame)
{
	const struct table *table = frame_table(frame, FIRING_TOPIC);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		uint64_t rule = hash_bytes(HASH_SEED, span_text(table_text(table, row, "rule"))) | 1;

		add_once(marks, table_u64(table, row, "time"), MARK_FINDING, rule);
	}
}

/* A sleep where it began, a set clock where it is now. */
static void take_sleeps(struct marks *marks, const struct frame *frame)
{
	const struct table *table = frame_table(frame, SLEEP_TOPIC);

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		bool slept = strcmp(table_text(table, row, "kind"), SLEEP_SUSPEND) == 0;

		add_once(marks, table_u64(table, row, slept ? "from_time" : "time"),
			 slept ? MARK_SLEEP : MARK_CLOCK, 0);
	}
	sleep_past_take(&marks->slept, frame);
}

/* What is merely busy, or over, needs no mark. */
static bool is_alarm(const struct table *table, const void *row)
{
	return strcmp(table_text(table, row, "severity"), "note") != 0;
}

void marks_take(struct marks *marks, const struct frame *frame)
{
	const struct table *table = frame_table(frame, finding_schema.name);

	if (frame->interval_ns == 0)
		marks->slept.n = 0; /* its clocks may be those of another boot */
	take_firings(marks, frame);
	take_sleeps(marks, frame);
	if (frame->interval_ns == 0 || (!table && frame->mono_ns - marks->last_ns > FINDINGS_REST_NS))
		marks->first_ns = 0;
	if (!table || frame->interval_ns == 0)
		return;
	if (marks->first_ns == 0)
		marks->first_ns = frame->mono_ns;
	marks->last_ns = frame->mono_ns;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		uint64_t finding = identity_of(table, row);
		uint64_t since_ns = (uint64_t)(table_number(table, row, "since_seconds") * 1e9);

		if (!is_alarm(table, row))
			continue;
		if (frame->mono_ns > marks->first_ns + SAME_NS + since_ns)
			add_once(marks, sleep_past_wall_ns(&marks->slept, frame, since_ns), MARK_FINDING,
				 finding);
	}
}
