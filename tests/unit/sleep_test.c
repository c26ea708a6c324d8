/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sleeps and set clocks: what the clocks say is of the test, and so is what woke up the machine. */
#include "rig.h"

#include "model/history.h"
#include "topic/sleep/sleep.h"

#define SECOND_NS INT64_C(1000000000)
#define MS_NS INT64_C(1000000)
#define START_MONO_NS (1000 * SECOND_NS)
#define START_WALL_NS (1732095000 * SECOND_NS)
#define HOUR 3600.0

static struct rig rig;
static struct {
	int64_t mono_ns, boot_ns, wall_ns;
	unsigned n_reads;      /* so far */
	unsigned sleeps_after; /* as many reads; 0: not by itself */
	int64_t sleeps_ns;     /* … for this long */
	int64_t read_takes_ns; /* a program that is kept from running */
} clocks = { START_MONO_NS, START_MONO_NS, START_WALL_NS, 0, 0, 0, 0 };

static void sleep_ns(int64_t ns)
{
	clocks.boot_ns += ns;
	clocks.wall_ns += ns;
}

static void pass(int64_t ns)
{
	clocks.mono_ns += ns;
	sleep_ns(ns);
}

static uint64_t read_ns(int64_t ns)
{
	if (++clocks.n_reads == clocks.sleeps_after)
		sleep_ns(clocks.sleeps_ns);
	pass(clocks.read_takes_ns);
	return (uint64_t)ns;
}

static bool read_script(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	(void)clock;
	*ns = read_ns(which == CLOCK_MONOTONIC ? clocks.mono_ns
		      : which == CLOCK_REALTIME ? clocks.wall_ns
						: clocks.boot_ns);
	return true;
}

static const struct machine_clock script = { .read = read_script };

/* A machine that slept for this long before the test. */
static void start_clocks(double slept)
{
	clocks.mono_ns = START_MONO_NS;
	clocks.boot_ns = START_MONO_NS + (int64_t)(slept * SECOND_NS);
	clocks.wall_ns = START_WALL_NS;
	clocks.n_reads = clocks.sleeps_after = 0;
	clocks.sleeps_ns = clocks.read_takes_ns = 0;
}

static void open_rig(void)
{
	rig_open(&rig, "empty", TOPICS("sleep"));
	rig.env.clock = &script;
}

static void open_sleep(double slept)
{
	start_clocks(slept);
	open_rig();
	rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "sleep")->n_rows, 0);
}

/* A sample, this many seconds awake after the one before. */
static const struct table *next(double seconds)
{
	pass((int64_t)(seconds * SECOND_NS));
	return frame_table(rig_sample(&rig, seconds), "sleep");
}

static void check_sleep(const struct table *table, size_t index, const char *kind, double seconds)
{
	const void *row = table_row(table, index);

	ck_assert_str_eq(table_text(table, row, "kind"), kind);
	ck_assert_double_eq_tol(table_number(table, row, "seconds"), seconds, 1e-6);
}

START_TEST(a_sleep_is_one_row)
{
	const struct table *table;
	uint64_t before_ns;

	open_sleep(0);
	before_ns = (uint64_t)clocks.wall_ns;
	sleep_ns(20 * SECOND_NS);
	table = next(1);
	ck_assert_uint_eq(table->n_rows, 1);
	check_sleep(table, 0, "suspend", 20);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "number"), 1);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "from_time"), before_ns);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "time"), before_ns + 21 * SECOND_NS);
	ck_assert_uint_eq(sleep_of_frame(rig.now).slept_ns, 20 * SECOND_NS);
	ck_assert_uint_eq(next(1)->n_rows, 0);
	ck_assert_uint_eq(sleep_of_frame(rig.now).slept_ns, 0);
	sleep_ns(8 * 3600 * SECOND_NS);
	table = next(1);
	check_sleep(table, 0, "suspend", 8 * HOUR);
	ck_assert_uint_eq(table_u64(table, table_row(table, 0), "number"), 2);
	rig_close(&rig);
}

/* Earlier sleeps, and the offset of a time namespace, are differences that do not grow. */
START_TEST(what_was_at_the_start_is_no_sleep)
{
	for (int hours = -1; hours <= 1; hours++) { /* an offset may be below 0, too */
		open_sleep(hours * HOUR);
		for (unsigned i = 0; i < 10; i++)
			ck_assert_uint_eq(next(1)->n_rows, 0);
		rig_close(&rig);
	}
}

/* NTP makes all clocks faster or slower; here by 10 %, a hundred times what it does. */
START_TEST(another_speed_is_no_row)
{
	open_sleep(0);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(next(i % 2 ? 1.1 : 0.9)->n_rows, 0);
	rig_close(&rig);
}

START_TEST(short_sleeps_add_up)
{
	const struct table *table;

	open_sleep(0);
	sleep_ns(50 * MS_NS);
	ck_assert_uint_eq(next(1)->n_rows, 0);
	sleep_ns(MS_NS);
	table = next(1);
	ck_assert_uint_eq(table->n_rows, 1);
	check_sleep(table, 0, "suspend", 0.051);
	sleep_ns(49 * MS_NS);
	ck_assert_uint_eq(next(1)->n_rows, 0);
	rig_close(&rig);
}

START_TEST(a_clock_that_is_set_is_of_another_kind)
{
	static const double steps[] = {
		3600, -3600, 1, -1, 0.051, -0.051, 86400.0 * 365 * 10, -86400.0 * 365 * 10 };
	const struct table *table;

	open_sleep(0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int64_t set_ns = (int64_t)(steps[i] * SECOND_NS);

		clocks.wall_ns += set_ns;
		table = next(1);
		ck_assert_uint_eq(table->n_rows, 1);
		check_sleep(table, 0, "clock", steps[i]);
		ck_assert_uint_eq(table_u64(table, table_row(table, 0), "time"), (uint64_t)clocks.wall_ns);
		ck_assert_uint_eq(table_u64(table, table_row(table, 0), "from_time"),
				  (uint64_t)(clocks.wall_ns - set_ns));
		ck_assert_uint_eq(sleep_of_frame(rig.now).slept_ns, 0);
		ck_assert_int_eq(sleep_of_frame(rig.now).set_ns / MS_NS, set_ns / MS_NS);
	}
	clocks.wall_ns -= 49 * MS_NS;
	ck_assert_uint_eq(next(1)->n_rows, 0);
	rig_close(&rig);
}

START_TEST(a_clock_may_be_set_during_a_sleep)
{
	const struct table *table;

	open_sleep(0);
	sleep_ns(60 * SECOND_NS);
	clocks.wall_ns -= 3 * SECOND_NS;
	table = next(1);
	ck_assert_uint_eq(table->n_rows, 2);
	check_sleep(table, 0, "suspend", 60);
	check_sleep(table, 1, "clock", -3);
	ck_assert_uint_eq(next(1)->n_rows, 0);
	rig_close(&rig);
}

START_TEST(many_sleeps_add_up)
{
	double slept = 0, rows = 0;

	open_sleep(0);
	for (unsigned i = 0; i < 60; i++) { /* a phone: half a second awake, two asleep */
		const struct table *table;

		sleep_ns(2 * SECOND_NS);
		pass(SECOND_NS / 2);
		sleep_ns(i % 2 ? 0 : 2 * SECOND_NS); /* two within one sample are one row */
		table = next(0.5);
		slept += table_number(table, table_row(table, 0), "seconds");
		rows += (double)table->n_rows;
	}
	ck_assert_double_eq(rows, 60);
	ck_assert_double_eq_tol(slept, 180, 1e-6);
	rig_close(&rig);
}

/* Between any two reads of the clocks the machine may fall asleep. */
START_TEST(a_sleep_between_two_reads_is_one_row)
{
	for (unsigned reads = 1; reads <= 5; reads++) {
		const struct table *table;
		size_t n_rows = 0;
		double slept = 0;

		open_sleep(0);
		clocks.n_reads = 0;
		clocks.sleeps_after = reads;
		clocks.sleeps_ns = 20 * SECOND_NS;
		for (unsigned i = 0; i < 3; i++) {
			table = next(1);
			n_rows += table->n_rows;
			for (size_t row = 0; row < table->n_rows; row++) {
				ck_assert_str_eq(table_text(table, table_row(table, row), "kind"), "suspend");
				slept += table_number(table, table_row(table, row), "seconds");
			}
		}
		ck_assert_uint_eq(n_rows, 1);
		ck_assert_double_eq_tol(slept, 20, 1e-6);
		rig_close(&rig);
	}
}

/* Then the clocks are read apart, which is neither a sleep nor a set clock. */
START_TEST(a_busy_machine_is_no_row)
{
	open_sleep(0);
	for (int64_t ms = 10; ms < 2000; ms *= 2) {
		rig_close(&rig); /* the first look is such a one */
		start_clocks(0);
		clocks.read_takes_ns = ms * MS_NS;
		open_rig();
		clocks.read_takes_ns = 0;
		ck_assert_uint_eq(next(1)->n_rows, 0);
		ck_assert_uint_eq(next(1)->n_rows, 0);
		clocks.read_takes_ns = ms * MS_NS;
		ck_assert_uint_eq(next(1)->n_rows, 0);
		clocks.read_takes_ns = 0;
		ck_assert_uint_eq(next(1)->n_rows, 0);
	}
	rig_close(&rig);
}

/* Its last change at this time of CLOCK_MONOTONIC. */
static void put_source(unsigned number, const char *name, uint64_t changed_ms)
{
	rig_make(&rig, textf("sys/class/wakeup/wakeup%u", number));
	rig_put(&rig, textf("sys/class/wakeup/wakeup%u/name", number), "%s\n", name);
	rig_put(&rig, textf("sys/class/wakeup/wakeup%u/last_change_ms", number), "%llu\n",
		(unsigned long long)changed_ms);
}

/* The row of a sleep of 20 s. */
static const void *sleep_row(void)
{
	sleep_ns(20 * SECOND_NS);
	return table_row(next(1), 0);
}

static const char *sleep_text(const void *row, const char *column)
{
	return table_text(frame_table(rig.now, "sleep"), row, column);
}

static double sleep_irq(const void *row)
{
	return table_number(frame_table(rig.now, "sleep"), row, "irq");
}

START_TEST(what_woke_it_up)
{
	const void *row;

	open_sleep(0); /* at 1,000 s */
	rig_make(&rig, "sys/power");
	rig_make(&rig, "sys/kernel/irq/9");
	rig_put(&rig, "sys/power/pm_wakeup_irq", "9\n");
	rig_put(&rig, "sys/kernel/irq/9/actions", "acpi\n");
	put_source(0, "before", 999999);
	put_source(1, "later", 1000800);
	put_source(2, "PNP0C0D:00", 1000200);
	put_source(3, "never", 0);
	put_source(4, "afterwards", 1001001);
	put_source(5, "00:05", 1000900);
	rig_make(&rig, "sys/class/wakeup/wakeup5/device");
	rig_put(&rig, "sys/class/wakeup/wakeup5/device/id", "PNP0b00\n");
	row = sleep_row();
	ck_assert_str_eq(sleep_text(row, "wake_source"), "lid PNP0C0D:00, later, clock (RTC) 00:05");
	ck_assert_double_eq(sleep_irq(row), 9);
	ck_assert_str_eq(sleep_text(row, "irq_device"), "acpi");
	rig_close(&rig);
}

START_TEST(what_is_not_known_is_not_0)
{
	const void *row;

	open_sleep(0);
	rig_make(&rig, "sys/power");
	rig_put(&rig, "sys/power/pm_wakeup_irq", "%s", "");
	row = sleep_row();
	ck_assert(isnan(sleep_irq(row)));
	ck_assert_str_eq(sleep_text(row, "wake_source"), "");
	ck_assert_str_eq(sleep_text(row, "irq_device"), "");
	rig_put(&rig, "sys/power/pm_wakeup_irq", "No data available\n");
	ck_assert(isnan(sleep_irq(sleep_row())));
	rig_close(&rig);
}

/* Programs name locks as they like (/sys/power/wake_lock), and a name may be missing. */
START_TEST(odd_names)
{
	const char *text;

	open_sleep(0);
	put_source(0, "a, b\x1b[31m\xff\n\n", 1000100);
	put_source(1, "", 1000200);
	put_source(2, textf("xxx%0300d", 0), 1000300);
	put_source(3, "%s%n", 1000400);
	put_source(4, "too many", 1000500);
	rig_make(&rig, "sys/class/wakeup/wakeup5"); /* it is being removed */
	put_source(6, "far", UINT64_MAX / 2);
	text = sleep_text(sleep_row(), "wake_source");
	ck_assert(strstr(text, "a, b\x1b[31m\xff") == text);
	ck_assert(strstr(text, ", wakeup1, xxx0") != NULL);
	ck_assert(strstr(text, "0, %s%n") != NULL);
	ck_assert(!strstr(text, "too many") && !strstr(text, "far"));
	rig_close(&rig);
}

/* Before panetop began, too; an offset of its time namespace would be known from /proc. */
START_TEST(what_it_slept_since_boot)
{
	start_clocks(8 * HOUR);
	rig_open_live(&rig, TOPICS("suspend"));
	rig.env.clock = &script;
	rig_next(&rig);
	ck_assert_double_eq_tol(frame_number(rig.now, "suspend", NULL, "asleep_seconds"), 8 * HOUR, 1e-6);
	sleep_ns(60 * SECOND_NS);
	rig_next(&rig);
	ck_assert_double_eq_tol(frame_number(rig.now, "suspend", NULL, "asleep_seconds"), 8 * HOUR + 60,
				1e-6);
	start_clocks(-HOUR);
	rig_next(&rig);
	ck_assert(isnan(frame_number(rig.now, "suspend", NULL, "asleep_seconds")));
	rig_close(&rig);
}

/* Rates are per second awake: those of the sample after a sleep are as those of any other. */
START_TEST(rates_do_not_count_the_sleep)
{
	rig_open_live(&rig, TOPICS("sleep", "system"));
	rig.env.clock = &script;
	rig_next(&rig);
	for (unsigned i = 0; i < 3; i++) {
		double before, now, rate;

		pass(2 * SECOND_NS);
		if (i == 1)
			sleep_ns(8 * 3600 * SECOND_NS);
		before = frame_number(rig.now, "system", NULL, "context_switches");
		rig_next(&rig);
		now = frame_number(rig.now, "system", NULL, "context_switches");
		rate = frame_number(rig.now, "system", NULL, "context_switches_per_second");
		ck_assert_double_eq_tol(rate * 2, now - before, 0.001);
		ck_assert_uint_eq(rig.now->interval_ns, 2 * SECOND_NS);
		ck_assert_uint_eq(frame_table(rig.now, "sleep")->n_rows, i == 1);
	}
	rig_close(&rig);
}

static void take_span(struct sleep_past *past, uint64_t second, const char *kind, double seconds)
{
	const struct schema *const schemas[] = { topic_find("sleep")->schema };
	struct frame frame;
	struct table *table;
	void *row;

	frame_open(&frame, schemas, 1);
	frame.mono_ns = second * (uint64_t)SECOND_NS;
	table = frame_slot(&frame, "sleep");
	table->present = true;
	row = table_add(table);
	row_set_text(row, schema_find(schemas[0], "kind"), kind);
	row_set_f64(row, schema_find(schemas[0], "seconds"), seconds);
	sleep_past_take(past, &frame);
	frame_close(&frame);
}

static double seconds_between(const struct sleep_past *past, uint64_t from, uint64_t to)
{
	return (double)sleep_past_between_ns(past, from * (uint64_t)SECOND_NS, to * (uint64_t)SECOND_NS) /
	       1e9;
}

START_TEST(times_between_count_the_sleep)
{
	struct sleep_past past = { 0 };

	take_span(&past, 100, "suspend", 20);
	take_span(&past, 100, "suspend", 20); /* the same frame, seen again */
	take_span(&past, 200, "clock", 3600);
	take_span(&past, 300, "suspend", 8 * HOUR);
	ck_assert_double_eq(seconds_between(&past, 0, 99), 99);
	ck_assert_double_eq(seconds_between(&past, 99, 100), 21);
	ck_assert_double_eq(seconds_between(&past, 100, 101), 1);
	ck_assert_double_eq(seconds_between(&past, 0, 299), 319);
	ck_assert_double_eq(seconds_between(&past, 0, 300), 320 + 8 * HOUR);
	take_span(&past, 299, "suspend", 5); /* older than the last one */
	ck_assert_uint_eq(past.n, 3);
	sleep_past_rewind(&past, 300 * (uint64_t)SECOND_NS);
	ck_assert_double_eq(seconds_between(&past, 0, 300), 320 + 8 * HOUR);
	sleep_past_rewind(&past, 299 * (uint64_t)SECOND_NS);
	ck_assert_double_eq(seconds_between(&past, 0, 300), 320);
	sleep_past_rewind(&past, 0);
	ck_assert_uint_eq(past.n, 0);
}

/* At 310 s, of what the clock said so many seconds before that. */
START_TEST(what_the_clock_said_before)
{
	static const struct {
		struct {
			uint64_t second;
			const char *kind;
			double seconds;
		} spans[3]; /* ended by one at 0 */
		int64_t back, before; /* how far it is back now, and how much less it said */
	} cases[] = {
		{ { { 200, "clock", -3600 }, { 300, "suspend", 8 * HOUR } }, 9, 9 },
		{ { { 200, "clock", -3600 }, { 300, "suspend", 8 * HOUR } }, 11, 8 * 3600 + 11 },
		{ { { 200, "clock", -3600 }, { 300, "suspend", 8 * HOUR } }, 111, 7 * 3600 + 111 },
		{ { { 300, "suspend", 60 }, { 310, "clock", 7 }, { 311, "suspend", 1000 } }, 0, 0 },
		{ { { 300, "suspend", 60 }, { 310, "clock", 7 }, { 311, "suspend", 1000 } }, 10, 17 },
		{ { { 300, "suspend", 60 }, { 310, "clock", 7 }, { 311, "suspend", 1000 } }, 11, 78 },
		{ { { 300, "suspend", 60 }, { 310, "clock", 7 }, { 311, "suspend", 1000 } }, 400, 467 },
		/* set back: it said more than it does now, but no more than is possible */
		{ { { 305, "clock", -3600 } }, 4, 4 },
		{ { { 305, "clock", -3600 } }, 11, -3589 },
		{ { { 305, "clock", -3600 }, { 306, "clock", -3999999999.0 } }, 11, -4000000000 },
	};
	struct frame frame = { .mono_ns = 310 * SECOND_NS, .wall_ns = START_WALL_NS };
	struct sleep_past past = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		past = (struct sleep_past){ 0 };
		for (size_t k = 0; k < 3 && cases[i].spans[k].second > 0; k++)
			take_span(&past, cases[i].spans[k].second, cases[i].spans[k].kind,
				  cases[i].spans[k].seconds);
		ck_assert_msg(sleep_past_wall_ns(&past, &frame, (uint64_t)(cases[i].back * SECOND_NS)) ==
				      (uint64_t)(START_WALL_NS - cases[i].before * SECOND_NS),
			      "case %zu", i);
	}
	past.n = 0;
	frame.wall_ns = 17 * SECOND_NS;
	ck_assert_uint_eq(sleep_past_wall_ns(&past, &frame, 400 * SECOND_NS), 0); /* before 1970 */
}

/* However many there were; what is joined is a time, however much is said to have been slept. */
START_TEST(many_spans_are_joined)
{
	struct sleep_past past = { 0 };

	for (unsigned i = 1; i <= 3 * SLEEP_SPANS_MAX; i++)
		take_span(&past, i, "suspend", 10);
	ck_assert_uint_eq(past.n, SLEEP_SPANS_MAX);
	ck_assert_double_eq(seconds_between(&past, 0, 1000), 1000 + 30 * SLEEP_SPANS_MAX);
	past.n = 0;
	for (unsigned i = 1; i <= SLEEP_SPANS_MAX + 1; i++)
		take_span(&past, i, "suspend", 9e7);
	ck_assert_uint_eq(past.spans[0].mono_ns, 2 * SECOND_NS);
	ck_assert_uint_eq(past.spans[0].slept_ns, UINT64_C(100000000000000000));
	past.n = 0;
	take_span(&past, 1, "clock", 100);
	for (unsigned i = 2; i <= SLEEP_SPANS_MAX + 2; i++)
		take_span(&past, i, "clock", -1);
	ck_assert_int_eq(past.spans[0].set_ns, 98 * SECOND_NS);
}

/* A recording may say anything. */
START_TEST(absurd_sleeps_are_none)
{
	struct sleep_past past = { 0 };

	take_span(&past, 1, "suspend", INFINITY);
	take_span(&past, 2, "suspend", NAN);
	take_span(&past, 3, "suspend", -5);
	take_span(&past, 4, "clock", -INFINITY);
	take_span(&past, 5, "coffee", 5);
	take_span(&past, 6, "suspend", 1e300);
	ck_assert_uint_eq(past.n, 0);
}
