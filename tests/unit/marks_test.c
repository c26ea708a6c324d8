/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of marked moments: findings that begin, once each, and which marks stay. */
#include <config.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "model/finding.h"
#include "model/firing.h"
#include "model/marks.h"
#include "rig.h"

#define SECOND_NS UINT64_C(1000000000)
#define WALL_NS (UINT64_C(1732095000) * SECOND_NS)
#define MONO_NS (1000 * SECOND_NS)

struct fired_row {
	uint64_t time;
	const char *rule;
};

static const struct column fired_columns[] = {
	COLUMN(struct fired_row, time, .kind = COLUMN_LABEL),
	COLUMN(struct fired_row, rule, .kind = COLUMN_LABEL),
};

static const struct schema fired_schema = { .name = "watch",
					    .row_size = sizeof(struct fired_row),
					    SCHEMA_COLUMNS(fired_columns) };

struct sleep_row {
	uint64_t time, from_time;
	const char *kind;
	double seconds;
};

static const struct column sleep_columns[] = {
	COLUMN(struct sleep_row, time, .kind = COLUMN_LABEL),
	COLUMN(struct sleep_row, from_time, .kind = COLUMN_LABEL),
	COLUMN(struct sleep_row, kind, .kind = COLUMN_LABEL),
	COLUMN(struct sleep_row, seconds, .kind = COLUMN_LABEL),
};

static const struct schema sleep_schema = { .name = "sleep",
					    .row_size = sizeof(struct sleep_row),
					    SCHEMA_COLUMNS(sleep_columns) };

static const struct schema *const schemas[] = { &finding_schema, &fired_schema, &sleep_schema };

static void add_finding(struct table *table, const char *rule, const char *row_name, double since)
{
	void *row = table_add(table);

	row_set_text(row, schema_find(&finding_schema, "rule"), rule);
	row_set_text(row, schema_find(&finding_schema, "row"), row_name);
	row_set_f64(row, schema_find(&finding_schema, "since_seconds"), since);
}

/* A frame this many seconds after the first, with a finding that has held for since; negative: with none. */
static void take(struct marks *marks, unsigned second, const char *rule, const char *row, double since)
{
	struct frame frame;
	struct table *table;

	frame_open(&frame, schemas, 3);
	frame.wall_ns = WALL_NS + second * SECOND_NS;
	frame.mono_ns = MONO_NS + second * SECOND_NS;
	frame.interval_ns = SECOND_NS;
	table = frame_slot(&frame, "finding");
	table->present = true;
	if (since >= 0)
		add_finding(table, rule, row, since);
	marks_take(marks, &frame);
	frame_close(&frame);
}

START_TEST(a_finding_marks_when_it_began)
{
	struct marks marks = { 0 };

	take(&marks, 0, "", "", -1);
	take(&marks, 60, "load", NULL, 20);
	ck_assert_uint_eq(marks.n, 1);
	ck_assert_uint_eq(marks.list[0].wall_ns, WALL_NS + 40 * SECOND_NS);
	for (unsigned second = 61; second < 200; second++)
		take(&marks, second, "load", NULL, second - 40);
	ck_assert_uint_eq(marks.n, 1); /* it goes on */
	take(&marks, 201, "disk_full", "/home", 0);
	take(&marks, 202, "disk_full", "/var", 1);
	take(&marks, 300, "load", NULL, 2); /* again */
	ck_assert_uint_eq(marks.n, 4);
	ck_assert_uint_eq(marks.list[3].wall_ns, WALL_NS + 298 * SECOND_NS);
}

/* As far as two seconds apart it is the same begin, since clocks drift apart. */
START_TEST(begins_close_to_each_other_are_one)
{
	struct marks marks = { 0 };

	take(&marks, 0, "", "", -1);
	take(&marks, 100, "load", NULL, 50);
	take(&marks, 200, "load", NULL, 148);
	take(&marks, 201, "load", NULL, 153);
	ck_assert_uint_eq(marks.n, 1);
	take(&marks, 202, "load", NULL, 149);
	ck_assert_uint_eq(marks.n, 2);
	ck_assert_uint_eq(marks.list[1].wall_ns, WALL_NS + 53 * SECOND_NS);
	take(&marks, 203, "load", NULL, 156);
	ck_assert_uint_eq(marks.n, 3);
	ck_assert_uint_eq(marks.list[2].wall_ns, WALL_NS + 47 * SECOND_NS);
}

START_TEST(what_held_at_first_did_not_begin_then)
{
	struct marks marks = { 0 };

	take(&marks, 0, "load", NULL, 0);
	take(&marks, 60, "load", NULL, 60);
	ck_assert_uint_eq(marks.n, 0);
}

START_TEST(what_began_in_a_gap_is_not_known)
{
	struct marks marks = { 0 };
	struct frame frame;

	frame_open(&frame, schemas, 3);
	take(&marks, 0, "", "", -1);
	frame.wall_ns = WALL_NS + 20 * SECOND_NS;
	frame.mono_ns = MONO_NS + 20 * SECOND_NS;
	frame.interval_ns = SECOND_NS;
	marks_take(&marks, &frame); /* another pane is shown, and nothing is kept */
	frame_close(&frame);
	take(&marks, 30, "load", NULL, 0);
	take(&marks, 31, "load", NULL, 1);
	ck_assert_uint_eq(marks.n, 0);
	take(&marks, 40, "disk_full", "/var", 0);
	ck_assert_uint_eq(marks.n, 1);
}

START_TEST(findings_may_rest_some_seconds)
{
	struct marks marks = { 0 };
	struct frame frame;

	frame_open(&frame, schemas, 3);
	frame.interval_ns = SECOND_NS;
	for (unsigned second = 0; second <= 60; second++) {
		if (second % 10 == 0)
			take(&marks, second, "load", NULL, (double)second - 30);
		frame.wall_ns = WALL_NS + second * SECOND_NS;
		frame.mono_ns = MONO_NS + second * SECOND_NS;
		if (second % 10 != 0)
			marks_take(&marks, &frame);
	}
	frame_close(&frame);
	ck_assert_uint_eq(marks.n, 1);
	ck_assert_uint_eq(marks.list[0].wall_ns, WALL_NS + 30 * SECOND_NS);
}

START_TEST(those_of_the_user_stay_longest)
{
	struct marks marks = { 0 };

	take(&marks, 0, "", "", -1);
	marks_add(&marks, WALL_NS + SECOND_NS);
	for (unsigned i = 1; i <= MARKS_MAX + 10; i++)
		take(&marks, 100 * i, "load", NULL, 0);
	ck_assert_uint_eq(marks.n, MARKS_MAX);
	ck_assert_uint_eq(marks.list[0].finding, 0);
	ck_assert_uint_eq(marks.list[1].wall_ns, WALL_NS + 1200 * SECOND_NS);
	for (unsigned i = 1; i <= 2 * MARKS_MAX; i++)
		marks_add(&marks, WALL_NS + i);
	ck_assert_uint_eq(marks.n, MARKS_MAX);
	ck_assert_uint_eq(marks.list[0].wall_ns, WALL_NS + MARKS_MAX + 1);
}

/* Each rule once where it fires again and again. */
START_TEST(rules_mark_when_they_fire)
{
	static const struct fired_row rows[] = { { WALL_NS, "a" },
						 { WALL_NS + 1, "b" },
						 { WALL_NS + SECOND_NS, "a" },
						 { WALL_NS + 5 * SECOND_NS, "a" } };
	struct marks marks = { 0 };
	struct frame frame;
	struct table *table;

	frame_open(&frame, schemas, 3);
	frame.wall_ns = WALL_NS + 6 * SECOND_NS;
	table = frame_slot(&frame, "watch");
	table->present = true;
	for (unsigned i = 0; i < 4; i++)
		*(struct fired_row *)table_add(table) = rows[i];
	marks_take(&marks, &frame);
	ck_assert_uint_eq(marks.n, 3);
	ck_assert_uint_eq(marks.list[2].wall_ns, WALL_NS + 5 * SECOND_NS);
	ck_assert_uint_ne(marks.list[2].finding, 0);
	frame_close(&frame);
}

/* A frame in which the machine slept or its clock was set; the clock is at wall_ns afterwards. */
static void take_sleep(struct marks *marks, unsigned second, uint64_t wall_ns, const struct sleep_row *row,
		       double load_since)
{
	struct frame frame;
	struct table *table;

	frame_open(&frame, schemas, 3);
	frame.wall_ns = wall_ns;
	frame.mono_ns = MONO_NS + second * SECOND_NS;
	frame.interval_ns = SECOND_NS;
	table = frame_slot(&frame, "sleep");
	table->present = true;
	if (row)
		*(struct sleep_row *)table_add(table) = *row;
	table = frame_slot(&frame, "finding");
	table->present = true;
	add_finding(table, "load", NULL, load_since);
	marks_take(marks, &frame);
	frame_close(&frame);
}

/* since_seconds does not count the sleep, and still has the moment in which it began. */
START_TEST(a_sleep_is_marked_and_begins_nothing)
{
	const struct sleep_row slept = { WALL_NS + 28861 * SECOND_NS, WALL_NS + 60 * SECOND_NS, "suspend",
					 28800 };
	struct marks marks = { 0 };

	take(&marks, 0, "", "", -1);
	take(&marks, 60, "load", NULL, 20);
	take_sleep(&marks, 61, WALL_NS + 28861 * SECOND_NS, &slept, 21);
	take_sleep(&marks, 62, WALL_NS + 28862 * SECOND_NS, NULL, 22);
	ck_assert_uint_eq(marks.n, 2);
	ck_assert_int_eq(marks.list[0].kind, MARK_FINDING);
	ck_assert_int_eq(marks.list[1].kind, MARK_SLEEP);
	ck_assert_uint_eq(marks.list[1].wall_ns, WALL_NS + 60 * SECOND_NS);
	take_sleep(&marks, 80, WALL_NS + 28880 * SECOND_NS, NULL, 2);
	ck_assert_uint_eq(marks.n, 3);
	ck_assert_uint_eq(marks.list[2].wall_ns, WALL_NS + 28878 * SECOND_NS);
}

START_TEST(a_set_clock_is_marked_and_begins_nothing)
{
	const struct sleep_row set = { WALL_NS - 3539 * SECOND_NS, WALL_NS + 61 * SECOND_NS, "clock", -3600 };
	struct marks marks = { 0 };

	take(&marks, 0, "", "", -1);
	take(&marks, 60, "load", NULL, 20);
	take_sleep(&marks, 61, WALL_NS - 3539 * SECOND_NS, &set, 21);
	ck_assert_uint_eq(marks.n, 2);
	ck_assert_int_eq(marks.list[1].kind, MARK_CLOCK);
	ck_assert_uint_eq(marks.list[1].wall_ns, WALL_NS - 3539 * SECOND_NS);
	take_sleep(&marks, 80, WALL_NS - 3520 * SECOND_NS, NULL,
		   2); /* before the first frame, by the clock */
	ck_assert_uint_eq(marks.n, 3);
	ck_assert_uint_eq(marks.list[2].wall_ns, WALL_NS - 3522 * SECOND_NS);
}

static void fire(struct firing_log *log, const char *rule, int exit_code, int signal, int status)
{
	struct firing *firing = alloc_zeroed(1, sizeof(*firing));

	*firing = (struct firing){ .wall_ns = WALL_NS,
				   .rule = rule,
				   .subject = alloc_text("it"),
				   .value = 2.5,
				   .pid = 7,
				   .exit_code = exit_code,
				   .signal = signal,
				   .n_dropped = 3,
				   .status = status };
	firing_log_add(log, firing);
}

/* Each once, with numbers that go on. */
START_TEST(rules_that_fired_are_rows)
{
	static const char *const names[] = { "watch", NULL };
	struct firing_log log = { 0 };
	const struct table *table;
	struct rig rig;

	rig_open(&rig, "empty", names);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "watch")->n_rows, 0); /* there are no rules */
	rig.request.firings = &log;
	fire(&log, "first", -1, -1, FIRING_NO_COMMAND);
	fire(&log, "second", 0, 9, 130);
	table = frame_table(rig_sample(&rig, 1), "watch");
	ck_assert_uint_eq(table->n_rows, 2);
	ck_assert_uint_eq(log.n, 0);
	for (unsigned i = 0; i < 2; i++) {
		const void *row = table_row(table, i);

		ck_assert_uint_eq(table_u64(table, row, "number"), i + 1);
		ck_assert_str_eq(table_text(table, row, "rule"), i ? "second" : "first");
		ck_assert_uint_eq(table_u64(table, row, "exit_code"), i ? 0 : U64_UNKNOWN);
		ck_assert_uint_eq(table_u64(table, row, "signal"), i ? 9 : U64_UNKNOWN);
		ck_assert_uint_eq(table_u64(table, row, "command_status"), i ? 130 : U64_UNKNOWN);
		ck_assert_uint_eq(table_u64(table, row, "dropped"), 3);
	}
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "watch")->n_rows, 0);
	fire(&log, "third", 1, -1, 0);
	table = frame_table(rig_sample(&rig, 1), "watch");
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "number"), 3);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "exit_code"), 1);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "command_status"), 0);
	firing_log_free(&log);
	rig_close(&rig);
}
