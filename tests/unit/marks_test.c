/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which marks stay, and rules that fired. When marks are made is in tests/scenes/mark.txt. */
#include "rig.h"

#include "core/alloc.h"
#include "core/unknown.h"
#include "model/finding.h"
#include "model/history.h"
#include "model/rule.h"

#define SECOND_NS UINT64_C(1000000000)
#define WALL_NS (UINT64_C(1732095000) * SECOND_NS)

/* A frame this many seconds after the first, in which a rule begins to hold; NULL: none. */
static void take(struct marks *marks, unsigned second, const char *rule)
{
	static const struct schema *const schemas[] = { &finding_schema };
	struct frame frame;
	struct table *table;
	void *row;

	frame_open(&frame, schemas, 1);
	frame.wall_ns = WALL_NS + second * SECOND_NS;
	frame.mono_ns = (1000 + second) * SECOND_NS;
	frame.interval_ns = SECOND_NS;
	table = frame_slot(&frame, "finding");
	table->present = true;
	if (rule) {
		row = table_add(table);
		row_set_text(row, schema_find(&finding_schema, "rule"), rule);
		row_set_f64(row, schema_find(&finding_schema, "since_seconds"), 0);
	}
	marks_take(marks, &frame);
	frame_close(&frame);
}

START_TEST(those_of_the_user_stay_longest)
{
	struct marks marks = { 0 };

	take(&marks, 0, NULL);
	marks_add(&marks, WALL_NS + SECOND_NS);
	for (unsigned i = 1; i <= MARKS_MAX + 10; i++)
		take(&marks, 100 * i, "load");
	ck_assert_uint_eq(marks.n, MARKS_MAX);
	ck_assert_uint_eq(marks.list[0].finding, 0);
	ck_assert_uint_eq(marks.list[1].wall_ns, WALL_NS + 1200 * SECOND_NS);
	for (unsigned i = 1; i <= 2 * MARKS_MAX; i++)
		marks_add(&marks, WALL_NS + i);
	ck_assert_uint_eq(marks.n, MARKS_MAX);
	ck_assert_uint_eq(marks.list[0].wall_ns, WALL_NS + MARKS_MAX + 1);
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
	struct firing_log log = { 0 };
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "empty", TOPICS("watch"));
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "watch")->n_rows, 0); /* there are no rules */
	rig.request.firings = &log;
	fire(&log, "first", -1, -1, FIRING_NO_COMMAND);
	fire(&log, "second", 0, 9, 130);
	frame = rig_sample(&rig, 1);
	check_values(frame, "watch", "number=1 rule=first exit_code=? signal=? command_status=? dropped=3");
	check_values(frame, "watch", "number=2 rule=second exit_code=0 signal=9 command_status=130");
	ck_assert_uint_eq(log.n, 0);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "watch")->n_rows, 0);
	fire(&log, "third", 1, -1, 0);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "watch")->n_rows, 1);
	check_values(frame, "watch", "number=3 rule=third exit_code=1 command_status=0");
	firing_log_free(&log);
	rig_close(&rig);
}
