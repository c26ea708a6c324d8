/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what the page of a process says, in what tests/rows/process_detail.txt cannot say. */
#include "rig.h"

static struct rig rig;

/* It began 100 s after boot. */
static void open_42(const char *topic)
{
	rig_open(&rig, "empty", TOPICS(topic));
	rig.request.processes = "42";
	rig_put(&rig, "proc/42/stat", "42 (a worker) S 7 42 42 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 10000 0 0\n");
}

#define ENVIRONMENT_MAX (256 * 1024)

static size_t shown_value(const struct frame *frame)
{
	const struct table *table = frame_table(frame, "environment");

	ck_assert_uint_eq(table->n_rows, 1);
	return strlen(table_text(table, table_row(table, 0), "value"));
}

START_TEST(a_long_environment_is_cut)
{
	const struct frame *frame;

	open_42("environment");
	rig_put(&rig, "proc/42/environ", "A=%0*d", ENVIRONMENT_MAX - 2, 0);
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(shown_value(frame), ENVIRONMENT_MAX - 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	rig_put(&rig, "proc/42/environ", "A=%0*d", ENVIRONMENT_MAX - 1, 0);
	rig_sample(&rig, 1);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(shown_value(frame), ENVIRONMENT_MAX - 2);
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_str_eq(frame->notices[0].text,
			 "the environment is longer than 256 KiB; the rest is not shown");
	rig_close(&rig);
}

START_TEST(sixteen_parents)
{
	char expected[600] = "";

	open_42("process_detail");
	for (unsigned pid = 7; pid < 30; pid++) {
		rig_make(&rig, textf("proc/%u", pid));
		rig_put(&rig, textf("proc/%u/stat", pid),
			"%u (p) S %u 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n", pid, pid + 1);
		if (pid < 7 + 16)
			snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%sp %u",
				 pid > 7 ? " < " : "", pid);
	}
	ck_assert_str_eq(cell_text(rig_sample(&rig, 1), "process_detail", NULL, "parents"), expected);
	rig_put(&rig, "proc/9/stat", "9 (top) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n");
	ck_assert_str_eq(cell_text(rig_sample(&rig, 1), "process_detail", NULL, "parents"),
			 "p 7 < p 8 < top 9");
	rig_close(&rig);
}

/* One that was chosen from a list, and is gone: when it began is known from there, or not at all. */
START_TEST(the_start_of_one_that_is_gone)
{
	static const struct {
		double chosen, shown;
	} cases[] = { { 12.5, 12.5 }, { 0, 0 }, { -1, NAN } };

	open_42("process_detail");
	rig.request.processes = NULL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		double start;

		rig.request.mapped = (struct process_choice){ .is_set = true,
							      .pid = 4711,
							      .start_seconds = cases[i].chosen,
							      .seen_ns = rig.clock.ns,
							      .name = "gone" };
		frame = rig_sample(&rig, 1);
		ck_assert_uint_eq(cell_u64(frame, "process_detail", NULL, "pid"), 4711);
		ck_assert_str_eq(cell_text(frame, "process_detail", NULL, "name"), "gone");
		start = cell_f64(frame, "process_detail", NULL, "start_seconds");
		ck_assert(start == cases[i].shown || (isnan(start) && isnan(cases[i].shown)));
	}
	rig_close(&rig);
}
