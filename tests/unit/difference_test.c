/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the difference of two samples: joins, signs, what is unknown, and rows of only one of them. */
#include "suite.h"

#include "model/difference.h"
#include "model/units.h"
#include "model/view.h"
#include "topic/topic.h"

struct thing_row {
	const char *name;
	uint64_t pid;
	double start_seconds;
	uint64_t reads, size_bytes, user, seen_time;
	double busy_ratio, reads_per_second, heat_celsius;
	uint64_t threads, place_address;
	double reads_per_busy;
	const char *state;
};

#define THING(field, ...) COLUMN(struct thing_row, field, __VA_ARGS__)

static const struct column thing_columns[] = {
	THING(name, .kind = COLUMN_KEY, .title = "name"),
	THING(pid, .kind = COLUMN_KEY, .title = "pid"),
	THING(start_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = "start"),
	THING(reads, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "reads"),
	THING(size_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size", .high = 1,
	      .trend = true),
	THING(user, .kind = COLUMN_GAUGE, .title = "user"),
	THING(seen_time, .kind = COLUMN_GAUGE, .unit = UNIT_TIME, .title = "seen"),
	THING(busy_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "busy%"),
	THING(reads_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = "r/s",
	      .rate_of = offsetof(struct thing_row, reads)),
	THING(heat_celsius, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS, .title = "heat"),
	THING(threads, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "thr", .alarming = 5,
	      .of_interval = true),
	THING(place_address, .kind = COLUMN_GAUGE, .unit = UNIT_ADDRESS, .title = "place"),
	THING(reads_per_busy, .kind = COLUMN_RATE, .title = "r/b",
	      .rate_of = offsetof(struct thing_row, reads),
	      .rate_over = offsetof(struct thing_row, size_bytes)),
	THING(state, .kind = COLUMN_LABEL, .title = "state"),
};

enum { READS = 3, SIZE, USER, SEEN, BUSY, RATE, HEAT, THREADS, PLACE, PER_BUSY, STATE, CHANGE };

static const struct column event_columns[] = {
	THING(name, .kind = COLUMN_LABEL, .title = "name"),
};

static const struct schema schemas_of_things[] = {
	{ .name = "some", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(thing_columns) },
	{ .name = "all", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(thing_columns),
	  .from_zero = true },
	{ .name = "event", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(event_columns),
	  .shape = SHAPE_EVENTS },
};

static const struct schema *const things[] = { &schemas_of_things[0], &schemas_of_things[1],
					       &schemas_of_things[2] };

enum { SOME, ALL, EVENT };

/* Two samples, and what comes of them. */
static struct frame before, now, difference;
static struct differences *differences;

static void open_stage_of(const struct schema *const *schemas, unsigned n)
{
	frame_close(&before);
	frame_close(&now);
	frame_close(&difference);
	differences_close(differences);
	differences = differences_open(schemas, n);
	frame_open(&before, schemas, n);
	frame_open(&now, schemas, n);
	frame_open(&difference, differences_schemas(differences), n);
	before.wall_ns = 5000000000000;
	before.mono_ns = 1000000000;
	now.wall_ns = 5010000000000;
	now.mono_ns = 3000000000;
	for (unsigned i = 0; i < n; i++)
		before.tables[i].present = now.tables[i].present = true;
}

static void open_stage(void)
{
	open_stage_of(things, 3);
}

static struct thing_row *add(struct frame *frame, unsigned table, const char *name, uint64_t pid,
			     uint64_t reads)
{
	struct thing_row *row = table_add(&frame->tables[table]);

	row->name = name;
	row->pid = pid;
	row->start_seconds = 7.5;
	row->reads = reads;
	row->size_bytes = 10 * reads;
	row->reads_per_second = (double)reads / 2;
	row->busy_ratio = 0.5;
	row->state = "S";
	return row;
}

static const struct table *take(unsigned table)
{
	frame_difference(differences, &difference, &before, &now, true);
	return &difference.tables[table];
}

static double number(const struct table *table, size_t row, unsigned column)
{
	return row_number(table_row(table, row), &table->schema->columns[column]);
}

static const char *text_at(const struct table *table, size_t row, unsigned column)
{
	return row_text(table_row(table, row), &table->schema->columns[column]);
}

/*
 * All rows: names; reads, size, busy, rate, heat, ? where unknown; state, and what has become of the row,
 * where it is known.
 */
static void check_rows(unsigned of, const char *expected)
{
	const struct table *table = take(of);
	char text[512] = "";

	for (size_t row = 0; row < table->n_rows; row++) {
		const char *name = text_at(table, row, 0), *change = text_at(table, row, CHANGE);

		strcat(text, textf("%s%s:", row > 0 ? "\n" : "", name ? name : "-"));
		for (unsigned i = READS; i <= HEAT; i++)
			if (i != USER && i != SEEN)
				strcat(text, isnan(number(table, row, i))
						     ? " ?"
						     : textf(" %g", number(table, row, i)));
		strcat(text, textf(" %s %s", text_at(table, row, STATE), change ? change : "-"));
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(numbers_grow_and_shrink)
{
	struct thing_row *row;

	open_stage();
	row = add(&before, SOME, "a", 1, 100);
	row->user = 1000;
	row->heat_celsius = 80;
	row = add(&now, SOME, "a", 1, 30);
	row->user = 0;
	row->seen_time = 77;
	row->busy_ratio = 0.75;
	row->heat_celsius = 70;
	row->state = "R";
	check_rows(SOME, "a: -70 -700 0.25 -35 -10 R ");
	ck_assert_double_eq(number(take(SOME), 0, USER), 0);  /* whose it is now */
	ck_assert_double_eq(number(take(SOME), 0, SEEN), 77); /* a time of day is none to subtract from */
	ck_assert(difference.interval_ns == 2000000000 && difference.since_ns == 5000000000000);
}

/* Where a double cannot hold the numbers, it still holds their difference. */
START_TEST(large_numbers_stay_exact)
{
	open_stage();
	add(&before, SOME, "a", 1, 0)->reads = UINT64_MAX - 10;
	add(&now, SOME, "a", 1, 0)->reads = UINT64_MAX - 3;
	ck_assert_double_eq(number(take(SOME), 0, READS), 7);
}

/* A column that only one recording has is unknown in the other. */
START_TEST(unknown_stays_unknown)
{
	open_stage();
	add(&before, ALL, "a", 1, 100)->reads = U64_UNKNOWN;
	add(&before, ALL, "b", 1, 100)->size_bytes = U64_BLANK;
	add(&before, ALL, "c", 1, 100)->busy_ratio = NAN;
	add(&now, ALL, "a", 1, 100);
	add(&now, ALL, "b", 1, 100);
	add(&now, ALL, "c", 1, 100)->reads_per_second = NAN;
	check_rows(ALL, "a: ? 0 0 0 ? S \nb: 0 ? 0 0 ? S \nc: 0 0 ? ? ? S ");
}

START_TEST(rows_of_one_sample_are_marked)
{
	open_stage();
	add(&before, SOME, "gone", 1, 100)->state = "D";
	add(&before, SOME, "stays", 2, 100);
	add(&now, SOME, "stays", 2, 100);
	add(&now, SOME, "came", 3, 100);
	check_rows(SOME, "stays: 0 0 0 0 ? S \ncame: ? ? ? ? ? S new\ngone: ? ? ? ? ? D ended");
}

/* In a table of everything: what is not there has read nothing and has no size, but no heat of 0 either. */
START_TEST(absent_rows_of_whole_tables_are_nothing)
{
	const struct table *table;
	struct thing_row *row;

	open_stage();
	row = add(&before, ALL, "gone", 1, 100);
	row->heat_celsius = 50;
	row->threads = 4;
	row = add(&now, ALL, "came", 3, 60);
	row->heat_celsius = 50;
	row->threads = 3;
	row->reads_per_busy = 20;
	row->place_address = 4096;
	check_rows(ALL, "came: 60 600 ? 30 ? S new\n"
			"gone: ? -1000 ? -50 ? S ended"); /* it may have read until its end */
	table = take(ALL);
	ck_assert(number(table, 0, THREADS) == 3 && number(table, 1, THREADS) == -4);
	ck_assert(isnan(number(table, 0, PER_BUSY)) && number(table, 0, PLACE) == 4096);
}

/* Its one row is the same in both samples. */
START_TEST(a_table_without_keys)
{
	const struct schema keyless = { .name = "keyless",
					.row_size = sizeof(struct thing_row),
					.columns = &thing_columns[READS],
					.n_columns = 2 };
	const struct schema *const list[] = { &keyless };

	open_stage_of(list, 1);
	((struct thing_row *)table_add(&before.tables[0]))->reads = 5;
	((struct thing_row *)table_add(&now.tables[0]))->reads = 8;
	ck_assert_uint_eq(take(0)->n_rows, 1);
	ck_assert(number(take(0), 0, 0) == 3 && isnan(number(take(0), 0, 1)));
	ck_assert_str_eq(text_at(take(0), 0, 2), "");
}

struct sum_row {
	uint64_t pid;
	const char *name;
	uint64_t size_bytes;
};

static const struct column sum_columns[] = {
	COLUMN(struct sum_row, pid, .kind = COLUMN_KEY, .title = "pid"),
	COLUMN(struct sum_row, name, .kind = COLUMN_LABEL, .grouping = "command", .title = "name"),
	COLUMN(struct sum_row, size_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size"),
};

static const struct schema sum_schema = {
	.name = "sum", .from_zero = true, .row_size = sizeof(struct sum_row), SCHEMA_COLUMNS(sum_columns)
};

static const struct schema *const sums[] = { &sum_schema };

/* The rows of the difference as text: "a+5 b? c!+7": ? is not known, ! is of one sample. */
static void check_sums(const struct sum_row *first, size_t n_first, const struct sum_row *last, size_t n_last,
		       const char *expected)
{
	const struct table *table;
	char text[256] = "";

	open_stage_of(sums, 1);
	for (size_t i = 0; i < n_first; i++)
		memcpy(table_add(&before.tables[0]), &first[i], sizeof(first[i]));
	for (size_t i = 0; i < n_last; i++)
		memcpy(table_add(&now.tables[0]), &last[i], sizeof(last[i]));
	table = take(0);
	for (size_t i = 0; i < table->n_rows; i++) {
		const char *change = text_at(table, i, 3), *name = text_at(table, i, 1);

		ck_assert_int_eq(isnan(number(table, i, 2)) != 0, !change);
		strcat(text, textf("%s%s", i > 0 ? " " : "", name ? name : ""));
		strcat(text, !change ? "?" : textf("%s%+.0f", *change ? "!" : "", number(table, i, 2)));
	}
	ck_assert_str_eq(text, expected);
}

/* Sums of what comes and goes, as they are stored, have no keys: which names are not stored is not known. */
START_TEST(sums_pair_by_their_names)
{
	static const struct sum_row first[] = { { U64_UNKNOWN, "a", 100 },
						{ U64_UNKNOWN, "gone", 9 },
						{ U64_UNKNOWN, "b", 50 } };
	static const struct sum_row last[] = {
		{ U64_UNKNOWN, "b", 70 },
		{ U64_UNKNOWN, "a", 90 },
		{ U64_UNKNOWN, "came", 5 },
	};
	static const struct sum_row mixed[] = { { U64_UNKNOWN, "a", 90 }, { 7, "b", 70 } };
	static const struct sum_row swapped[] = { { 7, "b", 70 }, { U64_UNKNOWN, "a", 90 } };
	static const struct sum_row nameless[] = { { U64_UNKNOWN, "a", 90 }, { U64_UNKNOWN, NULL, 70 } };

	check_sums(first, 3, last, 3, "b+20 a-10 came? gone?");
	check_sums(first, 1, last, 2, "b? a-10");
	check_sums(first, 3, mixed, 2, "a? b!+70"); /* rows without a key are no sums then */
	check_sums(mixed, 2, last, 3, "b? a? came? b!-70");
	check_sums(first, 3, swapped, 2, "b!+70 a?");
	check_sums(first, 3, nameless, 2, "a? ?");
	check_sums(first, 0, last, 2, "b? a?");
	check_sums(first, 2, last, 0, "");
}

/* The same PID, started later, is another process; equal keys pair in their order. */
START_TEST(start_times_are_keys)
{
	open_stage();
	add(&before, ALL, "a", 1, 100);
	add(&now, ALL, "a", 1, 150)->start_seconds = 9;
	check_rows(ALL, "a: 150 1500 ? 75 ? S new\na: ? -1000 ? -50 ? S ended");
	open_stage();
	add(&before, ALL, "a", 1, 100);
	add(&before, ALL, "a", 1, 200);
	add(&now, ALL, "a", 1, 101);
	add(&now, ALL, "a", 1, 202);
	add(&now, ALL, "a", 1, 5);
	check_rows(ALL, "a: 1 10 0 0.5 ? S \na: 2 20 0 1 ? S \na: 5 50 ? 2.5 ? S new");
}

/* Those that stand for what has ended: which was which is not known. */
START_TEST(rows_without_keys_join_no_other)
{
	open_stage();
	add(&before, ALL, NULL, U64_UNKNOWN, 100);
	add(&now, ALL, NULL, U64_UNKNOWN, 130);
	check_rows(ALL, "-: ? ? ? ? ? S -");
}

START_TEST(tables_without_rows)
{
	open_stage();
	ck_assert(take(ALL)->present && take(ALL)->n_rows == 0);
	add(&before, ALL, "a", 1, 1);
	check_rows(ALL, "a: ? -10 ? -0.5 ? S ended");
}

/* As when one recording has the topic under another name: what was not looked at is not new. */
START_TEST(tables_of_one_sample_have_no_difference)
{
	open_stage();
	add(&now, ALL, "a", 1, 1);
	add(&before, SOME, "a", 1, 1);
	add(&now, SOME, "a", 1, 1);
	table_add(&now.tables[EVENT]);
	table_add(&before.tables[EVENT]);
	before.tables[ALL].present = false;
	now.tables[SOME].failed = true;
	ck_assert(!take(ALL)->present && !take(SOME)->present);
	check_has(frame_newest_notice(&difference, "all")->text, "earlier");
	check_has(frame_newest_notice(&difference, "some")->text, "later");
	ck_assert(!take(EVENT)->present && !frame_newest_notice(&difference, "event"));
	now.tables[ALL].present = false;
	take(ALL);
	ck_assert_ptr_null(frame_newest_notice(&difference, "all"));
}

START_TEST(spans_of_two_runs_are_of_the_wall_clock)
{
	open_stage();
	frame_difference(differences, &difference, &before, &now, false);
	ck_assert_uint_eq(difference.interval_ns, 10000000000);
	frame_difference(differences, &difference, &now, &before, false);
	ck_assert_uint_eq(difference.interval_ns, 0); /* unknown: the second one is earlier */
}

static const char *cell(size_t row, unsigned column)
{
	static char text[VALUE_TEXT_MAX];
	const struct value_format format = { .unit = SIZE_AUTO };
	const struct table *table = take(SOME);

	return value_text(text, table->schema, &table->schema->columns[column], table_row(table, row),
			  &format);
}

START_TEST(people_see_the_sign)
{
	open_stage();
	add(&before, SOME, "a", 1, 2048);
	add(&before, SOME, "b", 1, 2048);
	add(&before, SOME, "c", 1, 10);
	add(&now, SOME, "a", 1, 4096);
	add(&now, SOME, "b", 1, 1024);
	add(&now, SOME, "c", 1, 10);
	ck_assert_str_eq(cell(0, SIZE), "+20.0K");
	ck_assert_str_eq(cell(0, READS), "+2048");
	ck_assert_str_eq(cell(1, SIZE), "-10.0K");
	ck_assert_str_eq(cell(2, SIZE), "0B");
}

/* Of every topic: the mark fits into a view, no other column is called that, and no rate is left. */
START_TEST(every_topic_has_a_difference)
{
	const struct schema *const *schemas = topic_schemas();
	struct differences *all = differences_open(schemas, n_topics);

	for (unsigned i = 0; i < n_topics; i++) {
		const struct schema *schema = differences_schema(all, schemas[i]->name);
		struct view view;

		ck_assert_int_lt(schema_column(schemas[i], DIFFERENCE_COLUMN), 0);
		ck_assert_int_eq(schema_column(schema, DIFFERENCE_COLUMN), (int)schemas[i]->n_columns);
		ck_assert_uint_le(schema->n_columns, VIEW_COLUMNS_MAX);
		ck_assert_uint_eq(schemas[i]->row_size % sizeof(void *), 0);
		ck_assert_uint_le(schemas[i]->row_size, UINT16_MAX);
		view_open(&view, schema);
		view_choose_all(&view);
		ck_assert_msg(!view_has_rates(&view), "%s", schema->name);
		view_close(&view);
	}
	differences_close(all);
}

START_TEST(notices_of_both_samples_are_told)
{
	char text[128] = "";

	open_stage();
	frame_notice(&before, "some", NULL, "early");
	frame_notice(&before, "some", "do it", "earlier");
	frame_notice(&now, "some", "do it", "later");
	frame_notice(&now, "some", NULL, "last");
	take(SOME);
	for (unsigned i = 0; i < difference.n_notices; i++)
		strcat(text, textf("%s: %s (%s), ", difference.notices[i].topic, difference.notices[i].text,
				   difference.notices[i].remedy ? difference.notices[i].remedy : ""));
	ck_assert_str_eq(text, "some: later (do it), some: last (), some: early (), some: earlier (do it), ");
}
