/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what graphs are made of: levels of values, parts of cells, ranges of axes, columns of time. */
#include "suite.h"

#include "screen/graph.h"

#define SECOND UINT64_C(1000000000)
#define MIB 1048576.0

START_TEST(a_known_value_has_a_level)
{
	static const struct {
		double value, bottom, top;
		int n_levels, level;
	} cases[] = {
		{ NAN, 0, 1, 8, LEVEL_UNKNOWN }, { 0, 0, 1, 8, 1 },
		{ 1, 0, 1, 8, 8 },               { 0.5, 0, 1, 17, 9 },
		{ 7, 7, 7, 8, 1 },               { -3, 0, 1, 8, 1 },
		{ 30, 0, 1, 8, 8 },              { 1, 0, 1, 0, LEVEL_UNKNOWN },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_msg(level_of(cases[i].value, cases[i].bottom, cases[i].top, cases[i].n_levels) ==
				      cases[i].level,
			      "%zu", i);
}

/* The cells that a part has in a bar, whole or in part. */
static int cells_of(const int *ends, unsigned n_parts, int cells, int per_cell, int part)
{
	int count = 0;

	for (int i = 0; i < cells; i++) {
		struct levels_cell cell = levels_cell(ends, n_parts, i, per_cell);

		count += cell.part == part || cell.other == part;
	}
	return count;
}

static void assert_all_seen(const double *shares, unsigned n_parts, int cells, int per_cell)
{
	int ends[8];

	levels_bar(shares, n_parts, cells, per_cell, ends);
	ck_assert_int_le(ends[n_parts - 1], cells * per_cell);
	for (unsigned i = 0; i < n_parts; i++) {
		int count = cells_of(ends, n_parts, cells, per_cell, (int)i);

		ck_assert_msg(shares[i] > 0 ? count > 0 : count == 0, "part %u of %.4f has %d of %d cells", i,
			      shares[i], count, cells);
	}
}

/* 136 of 24105 MiB were not to be seen, and 44 of them were. */
START_TEST(no_part_of_a_bar_vanishes)
{
	static const double lists[][4] = {
		{ 136 / 24105., 44 / 24105., 773 / 24105., 126 / 24105. },
		{ 0.999, 0.0003, 0.0003, 0.0004 },
		{ 0.0001, 0.0001, 0.0001, 0.9997 },
		{ 0.5, 0.0001, 0.0001, 0.0001 },
		{ 0.95, 0.03, 0.02, 0 },
		{ 0, 0.0001, 0, 0.0001 },
		{ NAN, 0.3, 0, 0.7 },
		{ 0.25, 0.25, 0.25, 0.25 },
		{ 0.9, 0.9, 0.9, 0.9 },
	};

	for (unsigned i = 0; i < LENGTH(lists); i++) {
		for (int cells = 4; cells <= 80; cells++) {
			assert_all_seen(lists[i], 4, cells, 1);
			assert_all_seen(lists[i], 4, cells, 8);
		}
	}
}

START_TEST(a_bar_keeps_its_measure)
{
	static const double shares[] = { 0.25, 0.125 };
	int ends[2];

	levels_bar(shares, 2, 16, 8, ends);
	ck_assert_int_eq(ends[0], 32);
	ck_assert_int_eq(ends[1], 48);
	levels_bar(&(double){ 0.001 }, 1, 16, 8, ends);
	ck_assert_int_eq(ends[0], 1);
	levels_bar(&(double){ 0 }, 1, 16, 8, ends);
	ck_assert_int_eq(ends[0], 0);
	levels_bar(&(double){ 0.5 }, 1, 0, 8, ends);
	ck_assert_int_eq(ends[0], 0);
}

/* The cell of a stack: "PART OTHER FILLED", - is none. */
static void check_cell(const double *shares, unsigned n_parts, int levels, int index, const char *expected)
{
	struct levels_cell cell;
	int ends[8];

	levels_stack(shares, n_parts, levels, ends);
	cell = levels_cell(ends, n_parts, index, 8);
	ck_assert_str_eq(textf("%s %s %d", cell.part == LEVELS_NO_PART ? "-" : textf("%d", cell.part),
			       cell.other == LEVELS_NO_PART ? "-" : textf("%d", cell.other),
			       cell.part == LEVELS_NO_PART ? 0 : cell.filled),
			 expected);
}

/* A cell was given to the part in which a sum happened to pass its middle; two may share one; little is seen.
 */
START_TEST(a_cell_belongs_to_its_largest_part)
{
	check_cell((double[]){ 0.25, 0.02, 0.2 }, 3, 8, 0, "0 - 4"); /* 0.47 in all */
	check_cell((double[]){ 0.25, 0.02, 0.2 }, 3, 8, 1, "- - 0");
	check_cell((double[]){ 0.1, 0.6, 0.3 }, 3, 8, 0, "1 2 5"); /* 1, 5 and 2: of 5 + 2, in 8 */
	check_cell((double[]){ 0.1, 0.6, 0.3 }, 3, 16, 0,
		   "0 1 2"); /* 2, 9 and 5: the second one goes on above */
	check_cell((double[]){ 0, 0.001 }, 2, 8, 0, "1 - 1");
	check_cell((double[]){ 0, 0 }, 2, 8, 0, "- - 0");
	check_cell((double[]){ NAN, NAN }, 2, 8, 0, "- - 0");
}

/* 500 MiB of growth fill the axis of a machine of 24 GiB; noise does not. */
START_TEST(an_axis_fits_what_it_shows)
{
	static const struct {
		double least, most, bottom, top; /* in MiB */
	} cases[] = {
		{ 819, 1331, 768, 1408 },
		{ 100, 1000, 0, 1024 },
		{ 23000, 24064, 22784, 24064 },
		{ NAN, NAN, 0, 24064 },
	};
	struct levels_range range = levels_fit(1000 * MIB, 1001 * MIB, 24064 * MIB);

	ck_assert_double_ge(range.top - range.bottom, 24064 * MIB / 256);
	ck_assert(range.bottom < 1000 * MIB && range.top > 1001 * MIB);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		range = levels_fit(cases[i].least * MIB, cases[i].most * MIB, 24064 * MIB);
		ck_assert_str_eq(textf("%g %g", range.bottom / MIB, range.top / MIB),
				 textf("%g %g", cases[i].bottom, cases[i].top));
	}
}

/* A history of one series with these values, gap apart; the last one is at now. */
static struct history history;

static void open_history(const double *values, size_t count, double gap)
{
	static const struct series series = { "item", NULL, "value" };

	history_close(&history);
	history_open(&history, &series, 1, count);
	for (size_t i = 0; i < count; i++) {
		history.mono_ns[i] = 1000 * SECOND + (uint64_t)((double)i * gap * 1e9);
		history.values[i] = values[i];
	}
	history.count = count;
}

static uint64_t end_of_history(void)
{
	return history_time(&history, history.count - 1);
}

/* Up to then: the columns as text, . is an empty one; a number stands for as many as follow with it. */
static const char *columns_at(uint64_t now_ns, double span, double step, int n_columns,
			      struct graph_time *time)
{
	static char text[1024];
	double columns[100];

	*time = graph_time_of(&history, now_ns, span, step, n_columns);
	graph_time_values(time, &history, 0, GRAPH_MOST, columns);
	*text = '\0';
	for (int i = 0; i < n_columns; i++)
		strcat(text, isnan(columns[i]) ? "." : textf("%g", columns[i]));
	return text;
}

START_TEST(what_is_constant_is_in_the_middle)
{
	static const double cases[][3] = {
		{ 0, 40, 40 },   { 36, 40, 40 },  { 38, 40, 60 },
		{ 40, 40, 80 },  { 0, 0, 1 },     { NAN, NAN, 1 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_double_eq_tol(levels_top(cases[i][0], cases[i][1]), cases[i][2], 1e-9);
	ck_assert_int_eq(level_of(40, 0, levels_top(40, 40), 17), 9);
}

START_TEST(a_column_is_a_sample_where_the_span_has_room)
{
	struct graph_time time;

	open_history((double[]){ 1, 2, NAN, 4 }, 4, 0.5);
	ck_assert_str_eq(columns_at(end_of_history(), 5, 99, 10, &time), "......12.4");
	ck_assert(time.by_sample && time.seconds == 0.5);
	(void)columns_at(end_of_history(), GRAPH_RECENT, 99, 100, &time);
	ck_assert(time.by_sample && time.seconds == 0.5);
}

/* Squeezed, each sample has a place; a column shows the largest of its own, or the mean. */
START_TEST(a_full_graph_is_squeezed)
{
	double values[100], columns[20], means[20];
	struct graph_time time;

	for (int i = 0; i < 100; i++)
		values[i] = i;
	values[40] = 1000;
	open_history(values, 100, 1);
	time = graph_time_of(&history, end_of_history(), 105, 1, 20);
	ck_assert(!time.by_sample && time.seconds == 6); /* 105 s in 20 columns are 5.25 */
	graph_time_values(&time, &history, 0, GRAPH_MOST, columns);
	graph_time_values(&time, &history, 0, GRAPH_MEAN, means);
	ck_assert_double_eq(columns[19], 99);
	ck_assert_double_eq(columns[graph_time_column(&time, 1040 * SECOND)], 1000);
	ck_assert_double_eq_tol(means[10], columns[10] - 2.5, 1e-9);
	for (int i = 4; i < 20; i++)
		ck_assert_msg(!isnan(columns[i]), "column %d is empty", i);
}

/* What has been drawn only moves, from the first sample on, whatever jitter the samples have. */
START_TEST(columns_stay_together)
{
	double values[100] = { 0 };

	open_history(values, 100, 1);
	for (size_t i = 1; i < 100; i++)
		history.mono_ns[i] += i % 7 * SECOND / 100;
	for (size_t newest = 3; newest < 100; newest++) {
		uint64_t now_ns = history_time(&history, newest);
		struct graph_time old = graph_time_of(&history, now_ns - SECOND, GRAPH_RECENT, 1, 20);
		struct graph_time new = graph_time_of(&history, now_ns, GRAPH_RECENT, 1, 20);
		long moved = 19 - graph_time_column(&new, now_ns - SECOND);

		ck_assert_double_eq(new.seconds, 2);
		for (size_t i = newest < 40 ? 0 : newest - 35; i + 1 < newest; i++) {
			uint64_t then_ns = history_time(&history, i);

			ck_assert_int_eq(graph_time_column(&old, then_ns) - graph_time_column(&new, then_ns),
					 moved);
		}
	}
}

/* Slow samples do not leave the graph empty: 5 min fill it. */
START_TEST(a_slow_sample_is_wide)
{
	struct graph_time time;

	open_history((double[]){ 1, 2, 3, 4 }, 4, 10);
	ck_assert_str_eq(columns_at(end_of_history(), 60, 10, 61, &time), ".............................."
									  "1111111111"
									  "2222222222"
									  "3333333333"
									  "4");
	ck_assert_double_eq(time.seconds, 1);
}

START_TEST(a_pause_leaves_a_gap)
{
	struct graph_time time;

	open_history((double[]){ 1, 1, 1, 1, 1, 1 }, 6, 1);
	history.mono_ns[4] += 8 * SECOND;
	history.mono_ns[5] += 8 * SECOND;
	ck_assert_str_eq(columns_at(end_of_history(), 20, 1, 20, &time), "......11111.......11");
}

/* Asleep between the samples 3 and 4: the columns of that time are empty, and none is held for longer. */
START_TEST(a_sleep_leaves_a_gap)
{
	struct graph_time time;

	open_history((double[]){ 1, 2, 3, 4, 5, 6 }, 6, 1);
	history.slept.n = 1;
	history.slept.spans[0] =
		(struct sleep_span){ .mono_ns = history_time(&history, 4), .slept_ns = 8 * SECOND };
	ck_assert_str_eq(columns_at(end_of_history(), 20, 1, 20, &time), "......12344.......56");
	ck_assert(time.by_sample);
	ck_assert_str_eq(columns_at(history_time(&history, 3), 20, 1, 20, &time), "................1234");
	history.slept.spans[0].slept_ns = 8 * 3600 * SECOND; /* what was before is out of sight */
	ck_assert_str_eq(columns_at(end_of_history(), 20, 1, 20, &time), "..................56");
}

/* The moment of a click is in the column that was clicked. */
START_TEST(a_column_has_its_moment)
{
	struct graph_time times[] = {
		{ .now_ns = 5000 * SECOND, .seconds = 1, .step_seconds = 1, .by_sample = true,
		  .columns = 60 },
		{ .now_ns = 5003 * SECOND, .seconds = 15, .step_seconds = 1, .columns = 60 },
		{ .now_ns = 5000 * SECOND + 7, .seconds = .2, .step_seconds = .2, .by_sample = true,
		  .columns = 9 },
	};

	for (size_t i = 0; i < LENGTH(times); i++) {
		for (long column = 0; column < times[i].columns; column++)
			ck_assert_int_eq(graph_time_column(&times[i], graph_time_end(&times[i], column)),
					 column);
		ck_assert_uint_eq(graph_time_end(&times[i], times[i].columns - 1), times[i].now_ns);
	}
	ck_assert_uint_eq(
		graph_time_end(&(struct graph_time){ .now_ns = SECOND, .seconds = 5, .columns = 9 }, 0), 0);
}

START_TEST(what_a_recording_says_of_sleeps_stays_inside)
{
	struct graph_time time = { .now_ns = SECOND, .seconds = 1, .by_sample = true, .columns = 40 };

	ck_assert_int_eq(graph_time_column(&time, 1000 * SECOND), 39); /* as if it came after now */
	time.by_sample = false;
	ck_assert_int_eq(graph_time_column(&time, UINT64_MAX), 39);
}
