/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of marked moments: findings that begin, once each, and which marks stay. */
#include <config.h>

#include <string.h>

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

static struct marks marks;

/* A frame this many seconds after the first one; its clock is at wall_ns. */
static void open_frame(struct frame *frame, unsigned second, uint64_t wall_ns)
{
	frame_open(frame, schemas, 3);
	frame->wall_ns = wall_ns;
	frame->mono_ns = MONO_NS + second * SECOND_NS;
	frame->interval_ns = SECOND_NS;
}

static void close_frame(struct frame *frame)
{
	marks_take(&marks, frame);
	frame_close(frame);
}

static void add_finding(struct frame *frame, const char *rule, const char *row_name, double since)
{
	void *row = table_add(frame_slot(frame, "finding"));

	row_set_text(row, schema_find(&finding_schema, "rule"), rule);
	row_set_text(row, schema_find(&finding_schema, "row"), row_name);
	row_set_f64(row, schema_find(&finding_schema, "since_seconds"), since);
}

/* With a finding that has held for since; negative: with none. */
static void take(unsigned second, const char *rule, const char *row, double since)
{
	struct frame frame;

	open_frame(&frame, second, WALL_NS + second * SECOND_NS);
	frame_slot(&frame, "finding")->present = true;
	if (since >= 0)
		add_finding(&frame, rule, row, since);
	close_frame(&frame);
}

static void begin(void)
{
	marks = (struct marks){ 0 };
	take(0, "", "", -1);
}

/* The kinds of all marks and the seconds after the first frame, "F40 S60 C-3539"; those of the user are U. */
static void check_marks(const char *expected)
{
	char text[256] = "";

	for (unsigned i = 0; i < marks.n; i++) {
		char kind = marks.list[i].kind == MARK_SLEEP   ? 'S'
			    : marks.list[i].kind == MARK_CLOCK ? 'C'
							       : 'F';

		strcat(text,
		       textf("%s%c%ld", i > 0 ? " " : "", marks.list[i].finding || kind != 'F' ? kind : 'U',
			     (long)((int64_t)(marks.list[i].wall_ns - WALL_NS) / (int64_t)SECOND_NS)));
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(a_finding_marks_when_it_began)
{
	begin();
	take(60, "load", NULL, 20);
	check_marks("F40");
	for (unsigned second = 61; second < 200; second++)
		take(second, "load", NULL, second - 40);
	check_marks("F40"); /* it goes on */
	take(201, "disk_full", "/home", 0);
	take(202, "disk_full", "/var", 1);
	take(300, "load", NULL, 2); /* again */
	check_marks("F40 F201 F201 F298");
	marks = (struct marks){ 0 };
	take(0, "load", NULL, 0); /* what held at first did not begin then */
	take(60, "load", NULL, 60);
	check_marks("");
}

/* As far as two seconds apart it is the same begin, since clocks drift apart. */
START_TEST(begins_close_to_each_other_are_one)
{
	begin();
	take(100, "load", NULL, 50);
	take(200, "load", NULL, 148);
	take(201, "load", NULL, 153);
	check_marks("F50");
	take(202, "load", NULL, 149);
	check_marks("F50 F53");
	take(203, "load", NULL, 156);
	check_marks("F50 F53 F47");
}

START_TEST(what_began_in_a_gap_is_not_known)
{
	struct frame frame;

	begin();
	open_frame(&frame, 20, WALL_NS + 20 * SECOND_NS);
	close_frame(&frame); /* another pane is shown, and nothing is kept */
	take(30, "load", NULL, 0);
	take(31, "load", NULL, 1);
	check_marks("");
	take(40, "disk_full", "/var", 0);
	check_marks("F40");
}

START_TEST(findings_may_rest_some_seconds)
{
	marks = (struct marks){ 0 };
	for (unsigned second = 0; second <= 60; second++) {
		struct frame frame;

		if (second % 10 == 0) {
			take(second, "load", NULL, (double)second - 30);
			continue;
		}
		open_frame(&frame, second, WALL_NS + second * SECOND_NS);
		close_frame(&frame);
	}
	check_marks("F30");
}

START_TEST(those_of_the_user_stay_longest)
{
	begin();
	marks_add(&marks, WALL_NS + SECOND_NS);
	for (unsigned i = 1; i <= MARKS_MAX + 10; i++)
		take(100 * i, "load", NULL, 0);
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
	static const struct fired_row rows[] = {
		{ WALL_NS, "a" },
		{ WALL_NS + 1, "b" },
		{ WALL_NS + SECOND_NS, "a" },
		{ WALL_NS + 5 * SECOND_NS, "a" },
	};
	struct frame frame;

	marks = (struct marks){ 0 };
	open_frame(&frame, 6, WALL_NS + 6 * SECOND_NS);
	frame_slot(&frame, "watch")->present = true;
	for (unsigned i = 0; i < LENGTH(rows); i++)
		*(struct fired_row *)table_add(frame_slot(&frame, "watch")) = rows[i];
	close_frame(&frame);
	check_marks("F0 F0 F5");
}

/* A frame in which the machine slept or its clock was set; the clock is so many seconds on afterwards. */
static void take_sleep(unsigned second, int wall_seconds, const struct sleep_row *row, double load_since)
{
	struct frame frame;

	open_frame(&frame, second, WALL_NS + (uint64_t)wall_seconds * SECOND_NS);
	frame_slot(&frame, "sleep")->present = frame_slot(&frame, "finding")->present = true;
	if (row)
		*(struct sleep_row *)table_add(frame_slot(&frame, "sleep")) = *row;
	add_finding(&frame, "load", NULL, load_since);
	close_frame(&frame);
}

/* since_seconds does not count the sleep, and still has the moment in which it began. */
START_TEST(a_sleep_is_marked_and_begins_nothing)
{
	const struct sleep_row slept = { WALL_NS + 28861 * SECOND_NS, WALL_NS + 60 * SECOND_NS, "suspend",
					 28800 };
	const struct sleep_row set = { WALL_NS - 3539 * SECOND_NS, WALL_NS + 61 * SECOND_NS, "clock", -3600 };

	begin();
	take(60, "load", NULL, 20);
	take_sleep(61, 28861, &slept, 21);
	take_sleep(62, 28862, NULL, 22);
	check_marks("F40 S60");
	take_sleep(80, 28880, NULL, 2);
	check_marks("F40 S60 F28878");
	begin();
	take(60, "load", NULL, 20);
	take_sleep(61, -3539, &set, 21);
	check_marks("F40 C-3539");
	take_sleep(80, -3520, NULL, 2); /* before the first frame, by the clock */
	check_marks("F40 C-3539 F-3522");
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
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", names);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "watch")->n_rows, 0); /* there are no rules */
	rig.request.firings = &log;
	fire(&log, "first", -1, -1, FIRING_NO_COMMAND);
	fire(&log, "second", 0, 9, 130);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "watch")->n_rows, 2);
	ck_assert_uint_eq(log.n, 0);
	check_row(frame, "watch",
		  "number=1 time=1732095000000000000 rule=first value=2.5 pid=7 dropped=3 subject=it");
	check_row(frame, "watch",
		  "number=2 time=1732095000000000000 rule=second value=2.5 pid=7 exit_code=0 signal=9 "
		  "command_status=130 dropped=3 subject=it");
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "watch")->n_rows, 0);
	fire(&log, "third", 1, -1, 0);
	check_row(rig_sample(&rig, 1), "watch",
		  "number=3 time=1732095000000000000 rule=third value=2.5 pid=7 exit_code=1 command_status=0 "
		  "dropped=3 subject=it");
	firing_log_free(&log);
	rig_close(&rig);
}
