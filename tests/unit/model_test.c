/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the model: rows, rates, views, history, units, and the rules that every schema keeps. */
#include "suite.h"

#include <ctype.h>

#include "core/utf8.h"
#include "model/history.h"
#include "model/pipeline.h"
#include "model/statistics.h"
#include "model/units.h"
#include "model/view.h"
#include "topic/topic.h"

struct item_row {
	const char *name;
	uint64_t pid, reads;
	double busy_seconds, busy_ratio, reads_per_second, reads_per_busy;
	uint64_t size_bytes;
};

static const struct column item_columns[] = {
	COLUMN(struct item_row, name, .kind = COLUMN_KEY, .title = "name", .width = 4),
	COLUMN(struct item_row, pid, .kind = COLUMN_KEY, .title = "pid", .width = 4),
	COLUMN(struct item_row, reads, .kind = COLUMN_COUNTER, .title = "reads", .width = 4),
	COLUMN(struct item_row, busy_seconds, .kind = COLUMN_COUNTER, .title = "busy", .width = 4),
	COLUMN(struct item_row, busy_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = "busy%",
	       .rate_of = offsetof(struct item_row, busy_seconds)),
	COLUMN(struct item_row, reads_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = "r/s", .rate_of = offsetof(struct item_row, reads)),
	COLUMN(struct item_row, reads_per_busy, .kind = COLUMN_RATE, .title = "r/b", .scale = 10,
	       .rate_of = offsetof(struct item_row, reads),
	       .rate_over = offsetof(struct item_row, busy_seconds)),
	COLUMN(struct item_row, size_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size"),
};

static const struct schema item_schema = { .name = "item",
					   .row_size = sizeof(struct item_row),
					   SCHEMA_COLUMNS(item_columns) };

/* Two samples, or one of them; each test opens what it needs anew. */
static struct frame before, now;

static void open_sample(struct frame *frame, const struct schema *schema, uint64_t seconds)
{
	frame_close(frame);
	frame_open(frame, &schema, 1);
	frame->mono_ns = frame->tables[0].mono_ns = seconds * 1000000000;
	frame->tables[0].present = true;
}

static void open_both(const struct schema *schema, uint64_t before_seconds, uint64_t now_seconds)
{
	open_sample(&before, schema, before_seconds);
	open_sample(&now, schema, now_seconds);
}

static const char *known_text(double number)
{
	return isnan(number) ? "?" : textf("%.10g", number);
}

static struct item_row *add_item(struct frame *frame, const char *name, uint64_t pid, uint64_t reads,
				 double busy)
{
	struct item_row *row = table_add(&frame->tables[0]);

	row->name = name;
	row->pid = pid;
	row->reads = reads;
	row->busy_seconds = busy;
	row->size_bytes = reads * 1000;
	return row;
}

static const struct item_row *item_at(size_t index)
{
	return table_row(&now.tables[0], index);
}

static const char *rates_at(size_t index)
{
	const struct item_row *row = item_at(index);

	return textf("%s %s %s", known_text(row->reads_per_second), known_text(row->busy_ratio),
		     known_text(row->reads_per_busy));
}

START_TEST(new_rows_are_unknown)
{
	struct item_row *row;

	open_sample(&now, &item_schema, 1);
	row = table_add(&now.tables[0]);
	ck_assert(!row->name && row->reads == U64_UNKNOWN && isnan(row->busy_ratio));
	for (unsigned i = 0; i < item_schema.n_columns; i++)
		ck_assert(!row_is_known(row, &item_columns[i]));
}

/* In four seconds; a rate that a source has itself stays, unless what it is of is known, too. */
START_TEST(rates_are_exact)
{
	enum { LARGE = 1 << 30 };
	static const struct {
		const char *name;
		uint64_t reads[2];
		double busy[2], given;
		const char *rates; /* reads per second, busy, and per busy second times ten */
	} cases[] = {
		{ "grows", { 100, 180 }, { 1, 3 }, NAN, "20 0.5 400" },
		{ "stands", { 100, 100 }, { 1, 1 }, NAN, "0 0 ?" }, /* nothing to divide by */
		{ "rests", { 10, 10 }, { 1, 5 }, NAN, "0 1 0" },
		{ "large", { (uint64_t)LARGE * LARGE, (uint64_t)LARGE * LARGE + 12 }, { 1, 3 }, NAN,
		  "3 0.5 60" },
		{ "shrank", { 100, 99 }, { 1, 0.5 }, NAN, "? ? ?" },
		{ "one shrank", { 10, 50 }, { 2, 1 }, NAN, "10 ? ?" },
		{ "was unknown", { U64_UNKNOWN, 5 }, { 1, NAN }, NAN, "? ? ?" },
		{ "is unknown", { U64_UNKNOWN, U64_UNKNOWN }, { NAN, NAN }, NAN, "? ? ?" },
		{ "half unknown", { 10, 10 }, { NAN, NAN }, NAN, "0 ? ?" },
		{ "given", { 100, U64_UNKNOWN }, { 1, 5 }, 7, "7 1 ?" },
		{ "begun", { U64_UNKNOWN, 150 }, { 1, 5 }, 7, "? 1 ?" },
		{ "given and known", { 100, 150 }, { 1, 5 }, 7, "12.5 1 125" },
	};

	open_both(&item_schema, 10, 14);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		add_item(&before, cases[i].name, i, cases[i].reads[0], cases[i].busy[0]);
		add_item(&now, cases[i].name, i, cases[i].reads[1], cases[i].busy[1])->reads_per_second =
			cases[i].given;
	}
	add_item(&before, "reused", 100, 100, 1);
	add_item(&now, "reused", 101, 100, 1); /* another pid: another row */
	frame_derive(&now, &before);
	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_str_eq(textf("%s: %s", cases[i].name, rates_at(i)),
				 textf("%s: %s", cases[i].name, cases[i].rates));
	ck_assert_str_eq(rates_at(LENGTH(cases)), "? ? ?");
	ck_assert_uint_eq(now.interval_ns, 4000000000);
}

/* A counter that is less, or unknown, in one sample. What follows is measured from what is known before. */
START_TEST(a_counter_that_is_less_once)
{
	static const struct {
		uint64_t reads[5];
		bool goes_on;     /* of a table in which counters do so */
		const char *seen; /* which counters, and their rates */
	} cases[] = {
		{ { 100, 110, 0, 130, 140 }, false, "+? +10 -? +10 +10" },
		{ { 100, 110, 109, 130, 140 }, false, "+? +10 -? +10 +10" },
		{ { 100, 110, U64_UNKNOWN, 130, 140 }, false, "+? +10 -? +? +10" },
		{ { 100, 110, U64_UNKNOWN, 130, 140 }, true, "+? +10 -? +10 +10" },
		{ { 100, 110, 0, 130, 140 }, true, "+? +10 -? +10 +10" },
		{ { 100, 110, 0, 110, 120 }, false, "+? +10 -? +0 +10" },
		{ { 100, 110, 0, 5, 12 }, false, "+? +10 -? +5 +7" }, /* began again */
		{ { 100, 110, 20, 20, 30 }, false, "+? +10 -? +0 +10" },
		{ { 100, 110, 20, 10, 30 }, false, "+? +10 -? +? +20" },
		{ { 100, 110, U64_UNKNOWN, 90, 95 }, true, "+? +10 -? +? +5" },
		{ { 100, 110, U64_UNKNOWN, U64_UNKNOWN, 140 }, true, "+? +10 -? -? +?" },
	};

	for (size_t i = 0; i < 2 * LENGTH(cases); i++) {
		struct schema schema = item_schema;
		const struct schema *const schemas[] = { &schema };
		struct derive_base base = { 0 };
		struct frame frames[2];
		char seen[64] = "";

		schema.goes_on = cases[i / 2].goes_on;
		frame_open(&frames[0], schemas, 1);
		frame_open(&frames[1], schemas, 1);
		derive_base_open(&base, schemas, 1);
		for (unsigned t = 0; t < 5; t++) {
			struct frame *frame = &frames[t % 2];
			const struct item_row *row;

			frame_clear(frame);
			frame->mono_ns = frame->tables[0].mono_ns = (t + 10) * UINT64_C(1000000000);
			frame->tables[0].present = true;
			add_item(frame, "other", 1, 7, 7);
			add_item(frame, "item", 2, cases[i / 2].reads[t], 10 + 2 * t);
			frame_derive(frame, t == 0 ? NULL : i % 2 ? &base.frame : &frames[1 - t % 2]);
			derive_base_take(&base, frame);
			row = table_row(&frame->tables[0], 1);
			strcat(seen, textf("%s%c%s", t > 0 ? " " : "", row->reads == U64_UNKNOWN ? '-' : '+',
					   known_text(row->reads_per_second)));
			ck_assert(t == 0 || row->busy_ratio == 2);
		}
		ck_assert_str_eq(textf("%zu: %s", i, seen), textf("%zu: %s", i, cases[i / 2].seen));
		derive_base_close(&base);
		frame_close(&frames[0]);
		frame_close(&frames[1]);
	}
}

/* Both of what is divided, over the same time; alone, it is unknown. */
START_TEST(what_is_divided_is_less_once)
{
	static const double busy[] = { 10, 12, 0, 16 };
	static const uint64_t reads[] = { 100, 110, 0, 130 };

	for (unsigned both = 0; both < 2; both++) {
		open_both(&item_schema, 0, 0);
		for (unsigned t = 0; t < 4; t++) {
			struct frame *frame = t % 2 ? &now : &before;

			frame_clear(frame);
			frame->mono_ns = frame->tables[0].mono_ns = (t + 10) * UINT64_C(1000000000);
			frame->tables[0].present = true;
			add_item(frame, "item", 2, both ? reads[t] : 100 + 10 * t, busy[t]);
			frame_derive(frame, t == 0 ? NULL : t % 2 ? &before : &now);
		}
		ck_assert_str_eq(rates_at(0), both ? "10 2 50" : "10 2 ?");
	}
}

/* In a table of all there are a new row grew from 0, but not when the sample before could not be taken. */
START_TEST(rates_begin_anew_after_a_failure)
{
	struct schema all = item_schema;

	all.from_zero = true;
	open_both(&all, 10, 11);
	add_item(&now, "a", 1, 100, 1);
	frame_derive(&now, &before);
	ck_assert_double_eq(item_at(0)->reads_per_second, 100);
	row_set_f64(table_row(&now.tables[0], 0), &item_columns[5], NAN);
	before.tables[0].failed = true;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second) && now.interval_ns == 1000000000);
}

struct aged_row {
	uint64_t pid, bytes, faults;
	double bytes_per_second, faults_per_second, age_seconds;
};

#define AGED(field, ...) COLUMN(struct aged_row, field, __VA_ARGS__)
#define AGED_RATE(field, of) AGED(field, .kind = COLUMN_RATE, .rate_of = offsetof(struct aged_row, of))

static const struct column aged_columns[] = {
	AGED(pid, .kind = COLUMN_KEY),
	AGED(bytes, .kind = COLUMN_GAUGE, .aged_by = offsetof(struct aged_row, age_seconds)),
	AGED(faults, .kind = COLUMN_COUNTER, .aged_by = offsetof(struct aged_row, age_seconds)),
	AGED_RATE(bytes_per_second, bytes),
	AGED_RATE(faults_per_second, faults),
	AGED(age_seconds, .kind = COLUMN_GAUGE),
};

static const struct schema aged_schema = {
	.name = "aged", .from_zero = true, .row_size = sizeof(struct aged_row), SCHEMA_COLUMNS(aged_columns)
};

static void add_aged(struct frame *frame, uint64_t pid, uint64_t value, double age)
{
	struct aged_row *row = table_add(&frame->tables[0]);

	row->pid = pid;
	row->bytes = row->faults = value;
	row->age_seconds = age;
}

/* What is not read in each sample grew in the time since it was read, not in one interval. */
START_TEST(rates_of_what_is_read_seldom)
{
	static const char *const rates[] = { "10 10", "0 0", "-50 ?",
					     "? 250" }; /* a gauge was not 0 before */
	const struct aged_row *row;

	open_both(&aged_schema, 10, 12);
	add_aged(&before, 1, 1000, 8); /* read at 2 s, and again at 12 s */
	add_aged(&before, 2, 1000, 8); /* not read again */
	add_aged(&before, 3, 1000, 0); /* read in both */
	add_aged(&now, 1, 1100, 0);
	add_aged(&now, 2, 1000, 10);
	add_aged(&now, 3, 900, 0);
	add_aged(&now, 4, 500, 0); /* new */
	frame_derive(&now, &before);
	row = table_row(&now.tables[0], 0);
	for (size_t i = 0; i < LENGTH(rates); i++)
		ck_assert_str_eq(
			textf("%s %s", known_text(row[i].bytes_per_second),
			      known_text(row[i].faults_per_second)),
			rates[i]);
}

static const struct column limited_columns[] = {
	COLUMN(struct item_row, name, .kind = COLUMN_KEY),
	COLUMN(struct item_row, busy_seconds, .kind = COLUMN_COUNTER),
	COLUMN(struct item_row, busy_ratio, .kind = COLUMN_RATE, .ceiling = 1,
	       .rate_of = offsetof(struct item_row, busy_seconds)),
	COLUMN(struct item_row, reads_per_second, .kind = COLUMN_RATE, .of_cpu = true,
	       .rate_of = offsetof(struct item_row, busy_seconds)),
};

static const struct schema limited_schema = {
	.name = "item", .sum_row = "all", .row_size = sizeof(struct item_row), SCHEMA_COLUMNS(limited_columns)
};

/* Rows that come, go and change places are joined all the same, of one key with the first. */
START_TEST(rates_join_in_any_order)
{
	char names[600][8];

	open_both(&item_schema, 10, 11);
	for (uint64_t i = 0; i < 600; i++) {
		snprintf(names[i], sizeof(names[i]), "n%lu", (unsigned long)(i % 7));
		add_item(&before, names[i], i, i, 0);
	}
	add_item(&before, names[500], 500, 501, 0);
	for (uint64_t i = 0; i < 600; i++) {
		uint64_t pid = i * 331 % 600;

		if (pid % 5 != 0 || pid == 500)
			add_item(&now, names[pid], pid, pid + pid % 11, 0);
	}
	frame_derive(&now, &before);
	for (size_t i = 0; i < now.tables[0].n_rows; i++)
		ck_assert_double_eq(item_at(i)->reads_per_second, (double)(item_at(i)->pid % 11));
}

START_TEST(notices_are_told_once)
{
	open_sample(&now, &item_schema, 1);
	for (int i = 0; i < 100; i++)
		frame_notice(&now, "item", i % 2 ? "do it" : NULL, "thing %d", i % 3);
	ck_assert_uint_eq(now.n_notices, 3);
	for (int i = 0; i < 100; i++)
		frame_notice(&now, "item", NULL, "other %d", i);
	ck_assert_uint_eq(now.n_notices, FRAME_NOTICES_MAX);
}

/* The names of its rows, of one letter each. */
static void check_view(struct view *view, const char *expected)
{
	char order[64] = "";

	view_apply(view, &now.tables[0]);
	for (size_t i = 0; i < view->n_rows; i++)
		strcat(order, ((const struct item_row *)view->rows[i])->name);
	ck_assert_str_eq(order, expected);
}

START_TEST(numbers_are_sorted_by_their_value)
{
	static const double busy[] = { 0.5, -2, 1e9, -1e-9, 0 };
	static const uint64_t reads[] = { 0, UINT64_MAX - 9, 1, UINT64_C(1) << 63, 7 };
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	struct view view;

	open_sample(&now, &item_schema, 1);
	view_open(&view, &item_schema);
	for (size_t i = 0; i < 5; i++)
		add_item(&now, names[i], i, reads[i], busy[i]);
	view_choose_sort(&view, "+busy_seconds");
	check_view(&view, "bdeac");
	view_choose_sort(&view, "reads");
	check_view(&view, "bdeca");
	view_close(&view);
}

/* A number in a filter means the PIDs that begin with it; what is not a number means none. */
START_TEST(digits_are_the_beginning_of_a_pid)
{
	static const struct schema no_pids = {
		.name = "none", .row_size = sizeof(struct item_row), .columns = item_columns, .n_columns = 1
	};
	static const char *const begin[] = { "4", "42", "4213" }, *const others[] = { "42130", "2", "", "4x",
										      "x" };
	struct item_row row = { .name = "x", .pid = 4213 };

	for (size_t i = 0; i < LENGTH(begin); i++)
		ck_assert_msg(pid_begins_with(begin[i], &item_schema, &row), "%s", begin[i]);
	for (size_t i = 0; i < LENGTH(others); i++)
		ck_assert_msg(!pid_begins_with(others[i], &item_schema, &row), "%s", others[i]);
	ck_assert(!pid_begins_with("4", &no_pids, &row));
	row.pid = U64_UNKNOWN;
	ck_assert(!pid_begins_with("1", &item_schema, &row));
}

/* What looks the same is in the order of the table, on the screen; the order is never seen to be wrong. */
START_TEST(view_of_what_looks_the_same)
{
	static const struct {
		double shares[4];
		const char *seen, *strict;
	} cases[] = {
		{ { 0.0012, 0.0011, 0.0013, 0.2 }, "dabc", "dcab" },
		{ { 0.0011, 0.0012, 0.0013, 0.2 }, "dabc", "dcba" },
		{ { 0.0009, 0.0024, 0.0011, NAN }, "bacd", "bcad" },
		{ { 0.0011, 0.0014, 0.0012, 0.0014 }, "abcd", "bdca" },
	};
	static const char *const names[] = { "a", "b", "c", "d" };
	struct view view, other;

	open_sample(&now, &item_schema, 1);
	view_open(&view, &item_schema);
	view_open(&other, &item_schema);
	view.as_seen = true;
	view_choose_sort(&view, "busy_ratio");
	view_choose_sort(&other, "busy_ratio");
	for (size_t f = 0; f < LENGTH(cases); f++) {
		frame_clear(&now);
		for (size_t i = 0; i < 4; i++)
			add_item(&now, names[i], i, 0, 0)->busy_ratio = cases[f].shares[i];
		check_view(&view, cases[f].seen);
		check_view(&view, cases[f].seen);
		check_view(&other, cases[f].strict);
	}
	view_close(&view);
	view_close(&other);
}

START_TEST(a_frame_gives_back_what_a_peak_took)
{
	struct view view;

	open_sample(&now, &item_schema, 1);
	view_open(&view, &item_schema);
	for (unsigned round = 0; round < 50; round++) {
		frame_clear(&now);
		for (uint64_t i = 0; i < (round ? 10 : 100000); i++)
			add_item(&now, arena_print(&now.arena, "%lu", (unsigned long)i), i, 0, 0);
		view_apply(&view, &now.tables[0]);
		ck_assert_uint_eq(view.n_rows, round ? 10 : 100000);
	}
	ck_assert_uint_le(now.tables[0].capacity, 2000);
	ck_assert_uint_le(now.arena.held, 300000);
	ck_assert_str_eq(table_text(&now.tables[0], view.rows[9], "name"), "9");
	view_close(&view);
}

START_TEST(view_partial_sort_equals_full_sort)
{
	struct view all, some;

	srand(42);
	open_sample(&now, &item_schema, 1);
	for (uint64_t i = 0; i < 2000; i++)
		add_item(&now, "x", i, (uint64_t)rand() % 300, 0);
	view_open(&all, &item_schema);
	view_open(&some, &item_schema);
	view_choose_sort(&all, "reads");
	view_choose_sort(&some, "reads");
	view_apply(&all, &now.tables[0]);
	for (size_t i = 1; i < all.n_rows; i++) {
		const struct item_row *above = all.rows[i - 1], *below = all.rows[i];

		ck_assert(above->reads > below->reads ||
			  (above->reads == below->reads && above->pid < below->pid));
	}
	for (some.limit = 1; some.limit < 2500; some.limit = some.limit * 3 + 1) {
		view_apply(&some, &now.tables[0]);
		ck_assert_uint_eq(some.n_rows, some.limit < 2000 ? some.limit : 2000);
		ck_assert_mem_eq(some.rows, all.rows, some.n_rows * sizeof(some.rows[0]));
	}
	view_close(&all);
	view_close(&some);
}

/* Although the memory of rows that were there before is still held. */
START_TEST(a_table_without_rows_has_no_numbers)
{
	open_sample(&now, &item_schema, 1);
	add_item(&now, "a", 1, 5, 0);
	ck_assert_double_eq(frame_number(&now, item_schema.name, NULL, "reads"), 5);
	now.tables[0].n_rows = 0;
	ck_assert(isnan(frame_number(&now, item_schema.name, NULL, "reads")));
	ck_assert(isnan(frame_number(&now, item_schema.name, "a", "reads")));
}

/* Only rows that the previous frame did not have; without one none is known to be new. */
START_TEST(fresh_rows)
{
	open_both(&item_schema, 1, 2);
	add_item(&before, "a", 1, 5, 0);
	add_item(&before, "b", 2, 5, 0);
	add_item(&now, "b", 2, 6, 0);
	add_item(&now, "c", 3, 6, 0);
	ck_assert(!table_is_fresh(&now.tables[0], item_at(1)));
	frame_derive(&now, &before);
	ck_assert(!table_is_fresh(&now.tables[0], item_at(0)) && table_is_fresh(&now.tables[0], item_at(1)));
	frame_clear(&now);
	add_item(&now, "c", 3, 6, 0);
	ck_assert(!table_is_fresh(&now.tables[0], item_at(0)));
}

/* Children stand behind their parents in the order of the sort; loops and strangers keep a place. */
START_TEST(view_of_a_tree)
{
	static const struct {
		const char *name;
		uint64_t pid, parent;
	} items[] = {
		{ "a", 1, 0 },  { "b", 2, 1 },  { "c", 3, 9 },  { "d", 4, 2 },  { "e", 5, 1 },
		{ "f", 6, 7 },  { "g", 7, 6 },  { "h", 8, 8 },  { "i", 10, 4 },
	};
	static const unsigned depths[] = { 0, 0, 0, 1, 1, 2, 3, 0, 1 };
	static const uint64_t more[] = { 1, 1, 1, 3, 1, 1, 1, 0, 0 }; /* bits: depths where siblings follow */
	struct view view;

	open_sample(&now, &item_schema, 1);
	for (size_t i = 0; i < LENGTH(items); i++)
		add_item(&now, items[i].name, items[i].pid, items[i].parent, 0);
	view_open(&view, &item_schema);
	view_choose_sort(&view, "name");
	view_choose_tree(&view, "pid", "reads");
	check_view(&view, "hcaebdigf");
	for (size_t i = 0; i < view.n_rows; i++)
		ck_assert_msg(view_depth(&view, i) == depths[i] && view.tree.more[i] == more[i], "%zu", i);
	view_choose_tree(&view, NULL, NULL);
	check_view(&view, "ihgfedcba");
	view_close(&view);
}

static const struct series item_series[] = { { "item", "a", "reads" }, { "item", "a", "busy_seconds" } };

/* One sample more: the reads of "a", and half as many busy seconds; what "b" has is known to this frame
 * alone. */
static void add_reads(struct history *history, uint64_t second, uint64_t reads)
{
	open_sample(&now, &item_schema, second);
	if (reads > 0)
		add_item(&now, "a", 1, reads, (double)reads / 2);
	add_item(&now, "b", 1, 10 * reads, 0);
	history_add(history, &now);
	history_add(history, &now); /* the same frame again changes nothing */
}

/* All that is there of a series. */
static const char *values_of(const struct history *history, unsigned series)
{
	static char values[2][128];
	static unsigned next;
	char *text = values[next++ % 2];

	*text = '\0';
	for (size_t i = 0; i < history->count; i++)
		strcat(text, textf("%s%s", i > 0 ? " " : "", known_text(history_value(history, series, i))));
	return text;
}

/* A step back in a recording takes away what came later; what was not sampled before is unknown. */
START_TEST(history_goes_back_and_forgets)
{
	struct history history;

	history_open(&history, item_series, 2, 4);
	for (uint64_t i = 1; i <= 6; i++)
		add_reads(&history, i, i * 10);
	history_mark(&history, 3000000000, 'a');
	history_mark(&history, 5000000000, 'b');
	history_rewind(&history, 5000000000);
	ck_assert(history.count == 3 && history.n_marks == 2);
	history_rewind(&history, 4500000000);
	ck_assert(history.count == 2 && history.n_marks == 1);
	add_reads(&history, 5, 7);
	history_forget_topic(&history, "other");
	ck_assert_str_eq(values_of(&history, 0), "30 40 7");
	ck_assert_str_eq(values_of(&history, 1), "15 20 3.5");
	history_forget_topic(&history, "item");
	ck_assert_str_eq(values_of(&history, 1), "? ? ?");
	ck_assert_uint_eq(history_time(&history, 2), 5000000000);
	history_rewind(&history, 0);
	ck_assert(history.count == 0 && history.n_marks == 0);
	add_reads(&history, 9, 90);
	history_mark(&history, 9000000000, 'c');
	history_clear(&history);
	ck_assert(history.count == 0 && history.n_marks == 0);
	add_reads(&history, 2, 20);
	ck_assert_str_eq(values_of(&history, 0), "20");
	history_close(&history);
	ck_assert_uint_eq(history.n_series + history.n_borrowed + history.n_marks + history.count, 0);
	history_close(&history); /* as of one that was never opened */
}

/* A pane may replace what it derives: only in the newest sample, and only if that is of this frame. */
START_TEST(history_takes_a_derived_number)
{
	struct history history;

	history_open(&history, item_series, 2, 4);
	open_sample(&now, &item_schema, 1);
	history_set(&history, 1, &now, 7); /* there is no sample yet */
	add_reads(&history, 1, 10);
	history_set(&history, 1, &now, 7);
	open_sample(&now, &item_schema, 2);
	history_set(&history, 0, &now, 9); /* the newest sample is of another frame */
	ck_assert_str_eq(textf("%s, %s", values_of(&history, 0), values_of(&history, 1)), "10, 7");
	history_close(&history);
}

/* Wherever the ring begins, and from then on alone; the texts are its own. */
START_TEST(history_follows_each_series_once)
{
	char name[] = "b";
	const struct series wanted[] = { { "item", "a", "reads" },
					 { "item", NULL, "reads" },
					 { "item", "a", "busy_seconds" },
					 { "item", "c", "reads" },
					 { "item", name, "reads" } };
	struct history history;

	history_open(&history, NULL, 0, 3);
	for (uint64_t i = 1; i <= 5; i++)
		add_reads(&history, i, 10 * i);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5; i++)
			ck_assert_uint_eq(history_follow(&history, &wanted[i], &now), i);
	name[0] = 'c'; /* cppcheck-suppress unreadVariable ; through wanted */
	ck_assert_uint_eq(history.n_series, 5);
	add_reads(&history, 6, 0);
	ck_assert_str_eq(values_of(&history, 0), "? 50 ?");
	ck_assert_str_eq(values_of(&history, 1), "? 50 0");
	ck_assert_str_eq(values_of(&history, 2), "? 25 ?");
	ck_assert_str_eq(values_of(&history, 3), "? ? ?");
	ck_assert_str_eq(values_of(&history, 4), "? 500 0");
	now.mono_ns = 5000000000; /* not the newest one */
	ck_assert_uint_eq(history_follow(&history, &(struct series){ "item", "b", "busy_seconds" }, &now), 5);
	ck_assert_str_eq(values_of(&history, 5), "? ? ?");
	history_close(&history);
}

START_TEST(times_of_a_history_have_bounds)
{
	struct history history;
	struct history_span span;
	double values[5];

	history_open(&history, item_series, 1, 4);
	for (uint64_t i = 1; i <= 3; i++)
		add_reads(&history, 10 * i, i);
	add_reads(&history, 25, 9); /* older than the newest one */
	add_reads(&history, 30, 9);
	ck_assert_str_eq(values_of(&history, 0), "1 2 3");
	ck_assert(history_between(&history, 0, 10000000000, 30000000000, &span));
	ck_assert(span.first == 1 && span.last == 3 && span.seconds == 20);
	ck_assert(history_between(&history, 0, 10000000001, 30000000000, &span) && span.first == 2);
	ck_assert(history_between(&history, 0, 10000000000, 29999999999, &span) && span.last == 2);
	ck_assert(!history_between(&history, 0, 10000000001, 29999999999, &span));
	ck_assert(!history_between(&history, 1, 0, UINT64_MAX, &span)); /* there is no such series */
	history_resample(&history, 0, 30000000000, 10000000000, UINT64_MAX, values, 5);
	ck_assert(isnan(values[0]) && isnan(values[1]) && values[2] == 1 && values[3] == 2 && values[4] == 3);
	history.slept.spans[history.slept.n++] =
		(struct sleep_span){ .mono_ns = 20000000000, .slept_ns = 5000000000 };
	ck_assert_uint_eq(history_clock(&history, 19999999999), 19999999999);
	ck_assert_uint_eq(history_clock(&history, 20000000000), 25000000000);
	history_rewind(&history, 20000000000);
	ck_assert_uint_eq(history_clock(&history, 30000000000), 35000000000);
	history_clear(&history);
	ck_assert_uint_eq(history_clock(&history, 30000000000), 30000000000);
	history_close(&history);
}

static const char *shown(uint64_t bytes, enum size_unit unit)
{
	static char text[VALUE_TEXT_MAX];
	struct item_row row;

	row_clear(&row, &item_schema);
	row.size_bytes = bytes;
	return value_text(text, &item_schema, &item_columns[7], &row,
			  &(struct value_format){ .unit = unit, .ascii = true });
}

START_TEST(sizes_round_down)
{
	static const struct {
		uint64_t bytes;
		enum size_unit unit;
		const char *text;
	} cases[] = {
		{ 2608857088, SIZE_MIB, "2488" },
		{ 2608857087, SIZE_MIB, "2487" },
		{ 0, SIZE_GIB, "0" },
		{ 1073741824, SIZE_GIB, "1" },
		{ 1048575, SIZE_MIB, "0.99" },
		{ 52428800, SIZE_GIB, "0.048" },
		{ 4096, SIZE_GIB, "0.0000038" },
		{ 1, SIZE_GIB, "0.00000000093" },
		{ U64_UNKNOWN - 2, SIZE_B, "18446744073709551613" },
		{ 1023, SIZE_AUTO, "1023B" },
		{ 2047, SIZE_AUTO, "1.9K" },
		{ 1073741823, SIZE_AUTO, "1023M" },
		{ U64_UNKNOWN, SIZE_AUTO, "-" },
		{ U64_BLANK, SIZE_AUTO, "" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_str_eq(shown(cases[i].bytes, cases[i].unit), cases[i].text);
}

START_TEST(shares_are_of_one_cpu_or_of_all)
{
	static const struct {
		bool of_cpu;
		double cpus;
		const char *text;
	} cases[] = { { false, 4, "150.0" }, { true, 0, "150.0" }, { true, 4, "37.5" }, { true, NAN, "-" } };
	struct item_row row = { .busy_seconds = 1.5 };
	struct column column = item_columns[3];
	char text[VALUE_TEXT_MAX];

	column.unit = UNIT_RATIO;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		column.of_cpu = cases[i].of_cpu;
		ck_assert_str_eq(value_text(text, &item_schema, &column, &row,
					    &(struct value_format){ .cpus = cases[i].cpus }),
				 cases[i].text);
	}
}

/* Texts of numbers alone. */
#define TEXT_WITH(name, function, ascii)                                                                     \
	static char *name(char *out, double number)                                                          \
	{                                                                                                    \
		return function(out, number, ascii);                                                         \
	}
#define TEXT_OF(name, ...)                                                                                   \
	static const struct column name##_column = { .type = VALUE_F64, __VA_ARGS__ };                       \
	static char *name(char *out, double number)                                                          \
	{                                                                                                    \
		return number_text(out, &name##_column, number, true);                                       \
	}
TEXT_WITH(duration, duration_text, false)
TEXT_WITH(duration_ascii, duration_text, true)
TEXT_WITH(celsius, celsius_text, false)
TEXT_WITH(celsius_ascii, celsius_text, true)
TEXT_OF(total, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS)
TEXT_OF(whole, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .whole = true)
TEXT_OF(plain, .kind = COLUMN_GAUGE, .unit = UNIT_NONE)
TEXT_OF(tiny, .kind = COLUMN_GAUGE, .tiny = true)

START_TEST(absurd_numbers_fit)
{
	static char *(*const texts[])(char *out, double value) = {
		size_text, size_short, duration, rate_text, hertz_text, watts_text, celsius,
	};
	static const double numbers[] = { 1e300, -1e300, INFINITY, -INFINITY, NAN, 1e15, -5, 5e-324 };
	struct {
		char text[VALUE_TEXT_MAX], behind[8];
	} cell;
	struct item_row row;

	row_clear(&row, &item_schema);
	for (size_t i = 0; i < LENGTH(numbers); i++) {
		row.busy_seconds = numbers[i];
		for (size_t t = 0; t < LENGTH(texts); t++) {
			memset(&cell, '#', sizeof(cell));
			ck_assert_ptr_eq(texts[t](cell.text, numbers[i]), cell.text);
			ck_assert_msg(memchr(cell.text, '\0', sizeof(cell.text)) &&
					      memcmp(cell.behind, "########", sizeof(cell.behind)) == 0,
				      "text %zu of %g", t, numbers[i]);
		}
		for (int unit = UNIT_NONE; unit < N_UNITS; unit++) {
			struct column column = item_columns[3];

			column.unit = (enum unit)unit;
			for (int size = SIZE_AUTO; size < N_SIZE_UNITS; size++)
				value_text(cell.text, &item_schema, &column, &row,
					   &(struct value_format){ (enum size_unit)size, true, 3 });
			number_text(cell.text, &column, numbers[i], true);
			ck_assert_mem_eq(cell.behind, "########", sizeof(cell.behind));
		}
	}
}

/* Also: only zero is shown as zero, and without a minus. */
START_TEST(units_change_at_their_bound)
{
	static const struct {
		char *(*text)(char *out, double value);
		double number;
		const char *expected;
	} cases[] = {
		{ whole, 0, "0s" },                       { whole, 119.4, "119s" },
		{ whole, 120, "2min" },                   { whole, 7199, "119min" },
		{ whole, 7200, "02:00:00" },              { whole, -5, "-5.000s" },
		{ total, 0.0974, "97.4ms" },              { total, 0.999, "0.99s" },
		{ total, 1.999, "1.9s" },                 { total, 999.9999, "999.9s" },
		{ total, 1000, "00:16:40" },              { duration_ascii, 0, "0 s" },
		{ duration_ascii, 1e-9, "1 ns" },         { duration_ascii, 1e-6, "1.0 us" },
		{ duration_ascii, 123.4e-6, "123.4 us" }, { duration_ascii, 1e-3, "1.0 ms" },
		{ duration_ascii, 6.7784, "6.778 s" },    { duration_ascii, 10, "10.0 s" },
		{ duration_ascii, 99.9, "99.9 s" },       { duration_ascii, 720, "720 s" },
		{ duration_ascii, 3725, "01:02:05" },     { duration_ascii, 86399, "23:59:59" },
		{ duration_ascii, 86400, "1d00:00" },     { duration_ascii, 273120, "3d03:52" },
		{ stretch_text, 119.4, "119 s" },         { stretch_text, 120, "2 min" },
		{ stretch_text, 7200, "2.0 h" },          { stretch_text, 172799, "47.9 h" },
		{ stretch_text, 172800, "2.0 days" },     { hertz_text, 999.4e6, "999 MHz" },
		{ hertz_text, 1e9, "1.00 GHz" },          { hertz_text, NAN, "-" },
		{ watts_text, 999.99, "999.99 W" },       { watts_text, 999.995, "1000 W" },
		{ watts_text, -0.001, "0.00 W" },         { watts_text, -0.01, "-0.01 W" },
		{ watts_text, NAN, "-" },                 { celsius, 41.6, "42 °C" },
		{ celsius, NAN, "-" },                    { celsius_ascii, -3, "-3 C" },
		{ celsius_ascii, -0.4, "0 C" },           { size_text, 1023, "1023 B" },
		{ size_text, 1024, "1.0 KiB" },           { size_text, 102399, "99.9 KiB" },
		{ size_text, 102400, "100 KiB" },         { size_text, 1048575, "1023 KiB" },
		{ size_text, -2048, "-2.0 KiB" },         { size_text, 0x1p60 * 2000, "2000 EiB" },
		{ size_short, 0x1p50, "1.0P" },           { bits_text, 999.4, "999 b/s" },
		{ bits_text, 999.5, "1.0 kb/s" },         { bits_text, 99949, "99.9 kb/s" },
		{ bits_text, 99950, "100 kb/s" },         { bits_text, -2e6, "-2.0 Mb/s" },
		{ bits_text, 1e15, "1000 Tb/s" },         { bits_text, NAN, "-" },
		{ rate_text, 0, "0" },                    { rate_text, 9.94, "9.9" },
		{ rate_text, 10, "10" },                  { rate_text, 99999, "99999" },
		{ rate_text, 100000, "100k" },            { rate_text, 1234567, "1.2M" },
		{ rate_text, 1e15, "1000T" },             { rate_short, 999.4, "999" },
		{ rate_short, 1000, "1.0k" },             { rate_text, NAN, "-" },
		{ plain, 0.000931, "<0.01" },             { plain, 0.005, "0.01" },
		{ plain, -0.0, "0.00" },                  { tiny, 2.5e-9, "2.5e-09" },
	};
	char text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_str_eq(cases[i].text(text, cases[i].number), cases[i].expected);
	ck_assert_str_eq(duration_short(text, 10, true), "10.000s");
	ck_assert_str_eq(fixed_text(text, 1234567, 0), "1234567");
	ck_assert_str_eq(fixed_text(text, -10, 0), "-10");
	ck_assert_str_eq(fixed_text(text, 0.425, 1), "0.4");
	ck_assert_str_eq(fixed_text(text, NAN, 2), "-");
}

START_TEST(numbers_of_cells)
{
	static const struct {
		enum unit unit;
		double number;
		const char *text;
	} cases[] = {
		{ UNIT_JOULES, 9999.9, "9999.9" },       { UNIT_JOULES, 10000, "10.0k" },
		{ UNIT_JOULES, -10000, "-10.0k" },       { UNIT_RATIO, 0.5, "50.0" },
		{ UNIT_CELSIUS, 41.25, "41.2" },         { UNIT_VOLTS, 1.25, "1.250" },
		{ UNIT_RPM, 1200, "1200" },              { UNIT_COUNT, 12, "12" },
		{ UNIT_COUNT, 12.5, "12.5" },            { UNIT_NONE, -0.004, "-0.004" },
		{ UNIT_NONE, -0.005, "-0.01" },          { UNIT_BITS, 1500, "1.5kb" },
		{ UNIT_BYTES_PER_SECOND, 1536, "1.5K" }, { UNIT_WATTS, 1.5, "1.50" },
		{ UNIT_HERTZ, 2.5e9, "2.50GHz" },        { UNIT_PER_SECOND, 5, "5.0" },
	};
	char text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_str_eq(
			number_text(text, &(struct column){ .unit = cases[i].unit }, cases[i].number, true),
			cases[i].text);
}

START_TEST(numbers_of_sentences)
{
	static const struct {
		enum unit unit;
		double number;
		const char *text;
	} cases[] = {
		{ UNIT_SECONDS, 671.927, "11 min" },          { UNIT_SECONDS, 0, "0 s" },
		{ UNIT_SECONDS, 1.44, "1.4 s" },              { UNIT_SECONDS, 9.96, "10 s" },
		{ UNIT_SECONDS, 34567, "9.6 h" },             { UNIT_SECONDS, 200000, "2.3 days" },
		{ UNIT_SECONDS, 123.4e-6, "123 µs" },         { UNIT_SECONDS, -5.5, "-5.5 s" },
		{ UNIT_RATIO, 0.99999, "99.9 %" },            { UNIT_RATIO, 0.995, "99.5 %" },
		{ UNIT_RATIO, 1, "100 %" },                   { UNIT_RATIO, 1.126, "113 %" },
		{ UNIT_RATIO, 0.031, "3.1 %" },               { UNIT_PER_SECOND, 189817.3, "189k/s" },
		{ UNIT_PER_SECOND, 0, "0/s" },                { UNIT_COUNT, 8970000, "8.97M" },
		{ UNIT_COUNT, 12, "12" },                     { UNIT_SECONDS, NAN, "-" },
		{ UNIT_COUNT, 9999, "9999" },                 { UNIT_COUNT, 10000, "10.0k" },
		{ UNIT_COUNT, 999999, "999k" },               { UNIT_COUNT, -10000, "-10.0k" },
		{ UNIT_COUNT, 9.94, "9.9" },                  { UNIT_COUNT, 9.96, "10" },
		{ UNIT_COUNT, 2e15, "2000T" },                { UNIT_RATIO, 0.0996, "10 %" },
		{ UNIT_RATIO, -0.05, "-5.0 %" },              { UNIT_SECONDS, 0.9996, "1.0 s" },
		{ UNIT_SECONDS, 5e-10, "0.5 ns" },            { UNIT_SECONDS, 7199, "119 min" },
		{ UNIT_BYTES, 1536, "1.5 KiB" },              { UNIT_BYTES_PER_SECOND, 1536, "1.5 KiB/s" },
		{ UNIT_BITS_PER_SECOND, 1500, "1.5 kb/s" },   { UNIT_PER_SECOND, 9.96, "10/s" },
		{ UNIT_CELSIUS, 41, "41 C" },                 { UNIT_WATTS, 1.5, "1.50 W" },
		{ UNIT_NONE, 1.5, "1.50" },
	};
	char text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_str_eq(amount_text(text, cases[i].unit, cases[i].number), cases[i].text);
}

START_TEST(a_cpu_is_never_less_than_idle)
{
	ck_assert_double_eq_tol(cpu_busy_ratio(0.25, 0.5), 0.25, 1e-12);
	ck_assert_double_eq(cpu_busy_ratio(0.9, 0.1), 0);
	ck_assert_double_eq_tol(cpu_busy_ratio(0.25, NAN), 0.75, 1e-12);
	ck_assert_double_nan(cpu_busy_ratio(NAN, 0.5));
	ck_assert_double_eq_tol(cpu_busy_ratio(0.25, -1), 0.75, 1e-12);
	ck_assert_double_eq(cpu_busy_ratio(0, 0), 1);
}

static void check_key(const struct schema *schema, const struct column *column)
{
	const char *suffix = unit_suffix(column->unit);
	size_t length = strlen(column->key);

	for (const char *at = column->key; *at; at++)
		ck_assert_msg(islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_',
			      "%s.%s", schema->name, column->key);
	ck_assert_msg(!suffix || (length >= strlen(suffix) &&
				  strcmp(column->key + length - strlen(suffix), suffix) == 0),
		      "%s.%s does not end in its unit %s", schema->name, column->key, suffix ? suffix : "");
	for (const struct column *other = schema->columns; other < column; other++)
		ck_assert_msg(strcmp(other->key, column->key) != 0, "%s.%s twice", schema->name, column->key);
}

/*
 * The rules of the house for every column of every topic. A request has room for every schema with columns on
 * request; others would stay unknown.
 */
START_TEST(every_schema_keeps_the_rules)
{
	struct sample_request request = { 0 };

	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;
		unsigned n_of_kind[16] = { 0 };
		unsigned long on_request = 0;

		for (unsigned i = 0; i < schema->n_columns; i++) {
			const struct column *column = &schema->columns[i];
			const char *name = textf("%s.%s", schema->name, column->key);
			bool grows = column->kind != COLUMN_RATE;

			check_key(schema, column);
			n_of_kind[column->kind]++;
			on_request |= column->on_request ? 1UL << column->on_request : 0;
			ck_assert_msg(column->help && *column->help, "%s has no help", name);
			ck_assert_msg(column->source && *column->source, "%s has no source", name);
			ck_assert_msg(column->title, "%s has no title", name);
			ck_assert_msg(utf8_cells(column->title, false) <=
					      (column->width ? column->width : 12),
				      "%s: title wider than %d", name, column->width);
			ck_assert_msg(column->unit != UNIT_TIME || column->type == VALUE_U64, "%s", name);
			for (unsigned other = 0; other < schema->n_columns && !grows; other++)
				grows = column->type == VALUE_F64 &&
					schema->columns[other].offset == column->rate_of &&
					(schema->columns[other].kind == COLUMN_COUNTER ||
					 schema->columns[other].kind == COLUMN_GAUGE);
			ck_assert_msg(grows, "%s grows from no counter", name);
			ck_assert_msg(column->kind != COLUMN_KEY || column->offset < schema->row_size, "%s",
				      name);
		}
		ck_assert(schema->help && *schema->help && schema->n_columns <= VIEW_COLUMNS_MAX);
		ck_assert_uint_le(n_of_kind[COLUMN_KEY], DERIVE_KEYS_MAX);
		ck_assert_uint_le(n_of_kind[COLUMN_RATE], DERIVE_RATES_MAX);
		ck_assert_msg(sample_request_add(&request, schema, on_request) == (on_request != 0), "%s",
			      schema->name);
		for (const struct source_spec *source = topics[t]->sources; source->path; source++)
			ck_assert_msg(source->gives && *source->gives, "%s: %s", schema->name, source->path);
	}
}

/*
 * Two seconds apart: at most three seconds' worth can be, as a reading may be late by one, and of the sum as
 * much as of all rows.
 */
START_TEST(a_rate_above_its_ceiling_is_unknown)
{
	static const struct {
		const char *name;
		double growth;
		const char *rates; /* as a share; and of CPUs */
	} cases[] = {
		{ "exact", 3, "1 1.5" }, /* no more than the ceiling */
		{ "above", 3.25, "? 1.625" },
		{ "cpus", 3.0 * 8192, "? 12288" },
		{ "wrapped", 3.0 * 8192 + 1, "? ?" },
		{ "all", 5 * 3, "7.5 7.5" },
		{ "all", 5 * 3 + 1, "? 8" },
	};

	for (unsigned more = 0; more < 2; more++) {
		open_both(&limited_schema, 10, 12);
		for (size_t i = 0; i < 5; i++) {
			add_item(&before, cases[i].name, 0, 0, 10);
			add_item(&now, cases[i].name, 0, 0, 10 + cases[i == 4 ? i + more : i].growth);
		}
		frame_derive(&now, &before);
		for (size_t i = 0; i < 5; i++)
			ck_assert_str_eq(textf("%s %s", known_text(item_at(i)->busy_ratio),
					       known_text(item_at(i)->reads_per_second)),
					 cases[i == 4 ? i + more : i].rates);
	}
}

struct share_row {
	const char *name;
	double part, whole, part_ratio;
};

static const struct column share_columns[] = {
	COLUMN(struct share_row, name, .kind = COLUMN_KEY),
	COLUMN(struct share_row, part, .kind = COLUMN_COUNTER),
	COLUMN(struct share_row, whole, .kind = COLUMN_COUNTER),
	COLUMN(struct share_row, part_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO,
	       .rate_of = offsetof(struct share_row, part), .rate_over = offsetof(struct share_row, whole)),
};

/* Sums of numbers with a fraction are rounded: all of it is 1, and not a little more; more stays more. */
START_TEST(a_share_of_all_is_one)
{
	static const struct schema shares = { .name = "share",
					      .row_size = sizeof(struct share_row),
					      SCHEMA_COLUMNS(share_columns) };
	static const struct {
		const char *name;
		double grown, ratio;
	} cases[] = {
		{ "a", 1.0000000000004594, 1 },      { "b", 1.001, 1.001 },
		{ "c", 0.9999999999, 0.9999999999 }, { "d", 1, 1 },
		{ "e", 0, 0 },                       { "f", NAN, NAN },
	};

	open_both(&shares, 1, 2);
	for (size_t c = 0; c < LENGTH(cases); c++) {
		*(struct share_row *)table_add(&before.tables[0]) =
			(struct share_row){ cases[c].name, 0, 0, NAN };
		*(struct share_row *)table_add(&now.tables[0]) =
			(struct share_row){ cases[c].name, cases[c].grown, 1, NAN };
	}
	frame_derive(&now, &before);
	for (size_t c = 0; c < LENGTH(cases); c++) {
		double ratio = ((const struct share_row *)table_row(&now.tables[0], c))->part_ratio;

		ck_assert_msg(isnan(cases[c].ratio) ? isnan(ratio) : ratio == cases[c].ratio, "%s",
			      cases[c].name);
	}
}

/* Of another boot, or before the first sample, nothing can be told, and no row is known to be new. */
START_TEST(samples_that_cannot_be_compared)
{
	open_both(&item_schema, 10, 12);
	add_item(&before, "a", 1, 100, 1);
	add_item(&now, "a", 1, 150, 3);
	add_item(&now, "b", 2, 150, 3);
	now.boot = 1;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second) && now.interval_ns == 0);
	now.boot = 0;
	before.mono_ns = 0;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second) && now.interval_ns == 0);
	before.mono_ns = before.tables[0].mono_ns;
	before.tables[0].present = false;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second) && now.interval_ns == 2000000000);
	before.tables[0].present = true;
	now.tables[0].present = false;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second));
	now.tables[0].present = true;
	before.tables[0].mono_ns = 0; /* the table has no time */
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second) && now.tables[0].interval_ns == 0);
	now.tables[0].mono_ns = before.tables[0].mono_ns = UINT64_C(12000000000); /* no time has passed */
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(0)->reads_per_second));
	before.tables[0].mono_ns = UINT64_C(11000000000); /* and the table has one of its own */
	frame_derive(&now, &before);
	ck_assert(item_at(0)->reads_per_second == 50 && now.tables[0].interval_ns == 1000000000);
	ck_assert(!table_is_fresh(&now.tables[0], item_at(0)) && table_is_fresh(&now.tables[0], item_at(1)));
	ck_assert(isnan(item_at(1)->reads_per_second));
}

struct twin_row {
	const char *label, *name;
	uint64_t pid;
	const char *other;
};

/* Keys that are not the first columns, with a number between them. */
static const struct column twin_columns[] = {
	COLUMN(struct twin_row, label, .kind = COLUMN_LABEL, .title = "label"),
	COLUMN(struct twin_row, name, .kind = COLUMN_KEY, .title = "name"),
	COLUMN(struct twin_row, pid, .kind = COLUMN_KEY, .title = "pid"),
	COLUMN(struct twin_row, other, .kind = COLUMN_KEY, .title = "other"),
};

static const struct schema twin_schema = { .name = "twin",
					   .row_size = sizeof(struct twin_row),
					   SCHEMA_COLUMNS(twin_columns) };

static const struct schema twin_events = { .name = "twin_event",
					   .shape = SHAPE_EVENTS,
					   .row_size = sizeof(struct twin_row),
					   SCHEMA_COLUMNS(twin_columns) };

static const struct schema *const twin_schemas[] = { &twin_schema, &twin_events };

static void add_twin(struct table *table, const char *label, const char *name, const char *other)
{
	*(struct twin_row *)table_add(table) = (struct twin_row){ label, name, U64_UNKNOWN, other };
}

/* All that a frame can say. */
static void fill_frame(struct frame *frame)
{
	frame->mono_ns = 11;
	frame->wall_ns = 12;
	frame->interval_ns = 13;
	frame->boot = 15;
	frame->host = arena_copy(&frame->arena, "here", 4);
	for (unsigned i = 0; i < 2; i++) {
		struct table *table = &frame->tables[i];

		table->present = table->failed = true;
		table->mono_ns = 21 + i;
		table->interval_ns = 31 + i;
		add_twin(table, arena_copy(&frame->arena, "l", 1), arena_copy(&frame->arena, "a", 1), NULL);
		add_twin(table, NULL, arena_copy(&frame->arena, "b", 1), arena_copy(&frame->arena, "y", 1));
		table_reserve(table, 2);
		table->joined = true;
		table->fresh[0] = false;
		table->fresh[1] = true;
	}
	frame_notice(frame, "twin", NULL, "first");
	frame_notice(frame, "other", "do it", "first");
	frame_notice(frame, "twin", "do it", "second");
	frame_notice(frame, "twin", NULL, "first"); /* it is there already */
}

/* The times, boot and host of a frame; its tables; and its notices. */
static const char *frame_says(const struct frame *frame)
{
	char text[512] = "";

	for (unsigned i = 0; i < frame->n_tables; i++) {
		const struct table *table = &frame->tables[i];

		strcat(text, textf(", %d%d%d %zu rows %ju %ju", table->present, table->failed, table->joined,
				   table->n_rows, (uintmax_t)table->mono_ns, (uintmax_t)table->interval_ns));
	}
	for (unsigned i = 0; i < frame->n_notices; i++)
		strcat(text, textf(", %s: %s (%s)", frame->notices[i].topic, frame->notices[i].text,
				   frame->notices[i].remedy ? frame->notices[i].remedy : ""));
	return textf("%ju %ju %ju %u %s%s", (uintmax_t)frame->mono_ns, (uintmax_t)frame->wall_ns,
		     (uintmax_t)frame->interval_ns, frame->boot, frame->host ? frame->host : "", text);
}

/* With texts of its own; what it had before is gone, and events stay with the frame that has them. */
START_TEST(a_copy_of_a_frame_has_all)
{
	struct frame frame, copy;
	const struct twin_row *rows;

	frame_open(&frame, twin_schemas, 2);
	frame_open(&copy, twin_schemas, 2);
	fill_frame(&frame);
	for (unsigned again = 0; again < 2; again++)
		frame_copy(&copy, &frame);
	frame.since_ns = 14;
	frame.cut = frame.only_events = frame.named_there = frame.named_absent = true;
	frame_clear(&frame);
	ck_assert_str_eq(frame_says(&frame), "0 0 0 0 , 000 0 rows 0 0, 000 0 rows 0 0");
	ck_assert(frame.since_ns == 0 && !frame.cut && !frame.only_events);
	ck_assert(!frame.named_there && !frame.named_absent);
	frame_close(&frame);
	ck_assert_str_eq(frame_says(&copy), "11 12 13 15 here, 111 2 rows 21 31, 110 0 rows 22 32, "
					    "twin: first (), other: first (do it), twin: second (do it)");
	rows = table_row(&copy.tables[0], 0);
	ck_assert_str_eq(textf("%s %s %s", rows[0].label, rows[0].name, rows[1].other), "l a y");
	ck_assert(!rows[0].other && !rows[1].label);
	ck_assert(!table_is_fresh(&copy.tables[0], &rows[0]) && table_is_fresh(&copy.tables[0], &rows[1]));
	ck_assert_ptr_eq(frame_newest_notice(&copy, "twin"), &copy.notices[2]);
	ck_assert_ptr_eq(frame_newest_notice(&copy, "other"), &copy.notices[1]);
	ck_assert_ptr_null(frame_newest_notice(&copy, "nothing"));
	frame_close(&copy);
}

static const char *cell_of(enum shape shape, enum unit unit, enum size_unit size, double number)
{
	static char text[VALUE_TEXT_MAX];
	const struct schema of_shape = { .shape = shape,
					 .row_size = sizeof(struct item_row),
					 SCHEMA_COLUMNS(item_columns) };
	const struct item_row row = { .busy_seconds = number };
	struct column column = item_columns[3];

	column.unit = unit;
	column.kind = COLUMN_GAUGE;
	return value_text(text, &of_shape, &column, &row,
			  &(struct value_format){ .unit = size, .ascii = true });
}

/* Of a table, or of a histogram, whose edges have five digits: neighbours, 1/256 apart, never look the same.
 */
START_TEST(cells_of_real_numbers)
{
	static const struct {
		double seconds;
		const char *cell, *edge;
	} cases[] = {
		{ 1e-9, "1ns", "1ns" },              { 512e-9, "512ns", "512ns" },
		{ 1e-6, "1.0us", "1us" },            { 1.5e-6, "1.5us", "1.5000us" },
		{ 10.24e-6, "10.2us", "10.240us" },  { 155.5e-6, "155.5us", "155.50us" },
		{ 0.9e-3, "900.0us", "900us" },      { 0.9, "900.0ms", "900ms" },
		{ 2.25, "2.250s", "2.2500s" },       { 999.5, "999.500s", "999.50s" },
		{ 1000, "00:16:40", "00:16:40" },    { -90061, "-1d01:01", "-1d01:01" },
	};
	static const struct {
		enum size_unit unit;
		double bytes;
		const char *cell;
	} sizes[] = {
		{ SIZE_MIB, 1572864, "1" },     { SIZE_MIB, -1572864, "-1" },
		{ SIZE_MIB, 524288, "0.50" },   { SIZE_MIB, -524288, "-0.50" },
		{ SIZE_MIB, 0, "0" },           { SIZE_PERCENT, 1536, "1.5K" },
		{ SIZE_AUTO, -1536, "-1.5K" },
	};
	char low[VALUE_TEXT_MAX];

	for (size_t i = 0; i < LENGTH(cases); i++) {
		ck_assert_str_eq(cell_of(SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, cases[i].seconds),
				 cases[i].cell);
		ck_assert_str_eq(cell_of(SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, cases[i].seconds),
				 cases[i].edge);
	}
	for (size_t i = 0; i < LENGTH(sizes); i++)
		ck_assert_str_eq(cell_of(SHAPE_TABLE, UNIT_BYTES, sizes[i].unit, sizes[i].bytes),
				 sizes[i].cell);
	for (double seconds = 300e-9; seconds < 60; seconds *= 1 + 1.0 / 256) {
		strcpy(low, cell_of(SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, seconds));
		ck_assert_str_ne(
			low, cell_of(SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, seconds * (1 + 1.0 / 256)));
	}
}

START_TEST(cells_of_integers_and_texts)
{
	static const struct {
		enum unit unit;
		uint64_t number;
		const char *text;
	} cases[] = {
		{ UNIT_ADDRESS, 0x7f96d3e36000, "7f96d3e36000" },
		{ UNIT_ADDRESS, 0x1000, "000000001000" },
		{ UNIT_NONE, UINT64_C(12345678901234567), "12345678901234567" },
		{ UNIT_COUNT, 7, "7" },
		{ UNIT_RPM, 1200, "1200" },
		{ UNIT_SECONDS, 5, "5.000s" },
	};
	const struct value_format format = { .ascii = true };
	struct column column = item_columns[2];
	struct item_row row = { .name = "x" };
	char text[VALUE_TEXT_MAX];

	column.kind = COLUMN_KEY;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		column.unit = cases[i].unit;
		row.reads = cases[i].number;
		ck_assert_str_eq(value_text(text, &item_schema, &column, &row, &format), cases[i].text);
		if (column.unit != UNIT_ADDRESS)
			ck_assert_str_eq(key_text(text, &column, &row), cases[i].text);
	}
	column.unit = UNIT_TIME; /* in the time zone of the machine */
	row.reads = UINT64_C(1234567890123999999);
	ck_assert_uint_eq(strlen(value_text(text, &item_schema, &column, &row, &format)), 12);
	ck_assert_str_eq(text + 8, ".123");
	ck_assert_str_eq(key_text(text, &item_columns[0], &row), "x");
	ck_assert_str_eq(value_text(text, &item_schema, &item_columns[0], &row, &format), "x");
}
