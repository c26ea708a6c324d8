/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the difference of two samples: joins, signs, what is unknown, and rows of only one of them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/difference.h"
#include "model/units.h"
#include "model/view.h"
#include "suite.h"
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

struct stage {
	struct frame before, now, difference;
	struct differences *differences;
};

static void open_stage(struct stage *stage)
{
	stage->differences = differences_open(things, 3);
	frame_open(&stage->before, things, 3);
	frame_open(&stage->now, things, 3);
	frame_open(&stage->difference, differences_schemas(stage->differences), 3);
	stage->before.wall_ns = 5000000000000;
	stage->before.mono_ns = 1000000000;
	stage->now.wall_ns = 5010000000000;
	stage->now.mono_ns = 3000000000;
	for (unsigned i = 0; i < 3; i++)
		stage->before.tables[i].present = stage->now.tables[i].present = true;
}

static void close_stage(struct stage *stage)
{
	frame_close(&stage->before);
	frame_close(&stage->now);
	frame_close(&stage->difference);
	differences_close(stage->differences);
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

static const struct table *take(struct stage *stage, unsigned table)
{
	frame_difference(stage->differences, &stage->difference, &stage->before, &stage->now, true);
	return &stage->difference.tables[table];
}

static double number(const struct table *table, size_t row, unsigned column)
{
	return row_number(table_row(table, row), &table->schema->columns[column]);
}

static const char *text_at(const struct table *table, size_t row, unsigned column)
{
	return row_text(table_row(table, row), &table->schema->columns[column]);
}

START_TEST(numbers_grow_and_shrink)
{
	struct stage stage;
	const struct table *table;
	struct thing_row *row;

	open_stage(&stage);
	row = add(&stage.before, SOME, "a", 1, 100);
	row->user = 1000;
	row->heat_celsius = 80;
	row = add(&stage.now, SOME, "a", 1, 30);
	row->user = 0;
	row->seen_time = 77;
	row->busy_ratio = 0.75;
	row->heat_celsius = 70;
	row->state = "R";
	table = take(&stage, SOME);
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_double_eq(number(table, 0, READS), -70);
	ck_assert_double_eq(number(table, 0, SIZE), -700);
	ck_assert_double_eq(number(table, 0, BUSY), 0.25);
	ck_assert_double_eq(number(table, 0, RATE), -35);
	ck_assert_double_eq(number(table, 0, HEAT), -10);
	ck_assert_double_eq(number(table, 0, USER), 0);  /* whose it is now */
	ck_assert_double_eq(number(table, 0, SEEN), 77); /* a time of day is none to subtract from */
	ck_assert_str_eq(text_at(table, 0, STATE), "R");
	ck_assert_str_eq(text_at(table, 0, CHANGE), "");
	ck_assert_uint_eq(stage.difference.interval_ns, 2000000000);
	ck_assert_uint_eq(stage.difference.since_ns, 5000000000000);
	close_stage(&stage);
}

/* Where a double cannot hold the numbers, it still holds their difference. */
START_TEST(large_numbers_stay_exact)
{
	struct stage stage;

	open_stage(&stage);
	add(&stage.before, SOME, "a", 1, 0)->reads = UINT64_MAX - 10;
	add(&stage.now, SOME, "a", 1, 0)->reads = UINT64_MAX - 3;
	ck_assert_double_eq(number(take(&stage, SOME), 0, READS), 7);
	close_stage(&stage);
}

/* A column that only one recording has is unknown in the other. */
START_TEST(unknown_stays_unknown)
{
	struct stage stage;
	const struct table *table;

	open_stage(&stage);
	add(&stage.before, ALL, "a", 1, 100)->reads = U64_UNKNOWN;
	add(&stage.before, ALL, "b", 1, 100)->size_bytes = U64_BLANK;
	add(&stage.before, ALL, "c", 1, 100)->busy_ratio = NAN;
	add(&stage.now, ALL, "a", 1, 100);
	add(&stage.now, ALL, "b", 1, 100);
	add(&stage.now, ALL, "c", 1, 100)->reads_per_second = NAN;
	table = take(&stage, ALL);
	ck_assert(isnan(number(table, 0, READS)));
	ck_assert_double_eq(number(table, 0, SIZE), 0);
	ck_assert(isnan(number(table, 1, SIZE)));
	ck_assert(isnan(number(table, 2, BUSY)));
	ck_assert(isnan(number(table, 2, RATE)));
	close_stage(&stage);
}

START_TEST(rows_of_one_sample_are_marked)
{
	struct stage stage;
	const struct table *table;

	open_stage(&stage);
	add(&stage.before, SOME, "gone", 1, 100)->state = "D";
	add(&stage.before, SOME, "stays", 2, 100);
	add(&stage.now, SOME, "stays", 2, 100);
	add(&stage.now, SOME, "came", 3, 100);
	table = take(&stage, SOME);
	ck_assert_uint_eq(table->n_rows, 3);
	ck_assert_str_eq(text_at(table, 0, CHANGE), "");
	ck_assert_str_eq(text_at(table, 1, CHANGE), "new");
	ck_assert_str_eq(text_at(table, 2, CHANGE), "ended");
	ck_assert_str_eq(text_at(table, 2, STATE), "D");
	for (unsigned i = READS; i <= HEAT; i++) {
		if (i == USER || i == SEEN)
			continue;
		ck_assert(isnan(number(table, 1, i)));
		ck_assert(isnan(number(table, 2, i)));
	}
	close_stage(&stage);
}

/* In a table of everything: what is not there has read nothing and has no size, but no heat of 0 either. */
START_TEST(absent_rows_of_whole_tables_are_nothing)
{
	struct stage stage;
	const struct table *table;
	struct thing_row *row;

	open_stage(&stage);
	row = add(&stage.before, ALL, "gone", 1, 100);
	row->heat_celsius = 50;
	row->threads = 4;
	row = add(&stage.now, ALL, "came", 3, 60);
	row->heat_celsius = 50;
	row->threads = 3;
	row->reads_per_busy = 20;
	row->place_address = 4096;
	table = take(&stage, ALL);
	ck_assert_double_eq(number(table, 0, THREADS), 3);
	ck_assert(isnan(number(table, 0, PER_BUSY)));
	ck_assert_double_eq(number(table, 0, PLACE), 4096);
	ck_assert_double_eq(number(table, 1, THREADS), -4);
	ck_assert_double_eq(number(table, 0, READS), 60);
	ck_assert_double_eq(number(table, 0, SIZE), 600);
	ck_assert_double_eq(number(table, 0, RATE), 30);
	ck_assert(isnan(number(table, 0, HEAT)));
	ck_assert(isnan(number(table, 0, BUSY)));
	ck_assert(isnan(number(table, 1, READS))); /* it may have read until its end */
	ck_assert_double_eq(number(table, 1, SIZE), -1000);
	ck_assert_double_eq(number(table, 1, RATE), -50);
	ck_assert(isnan(number(table, 1, HEAT)));
	close_stage(&stage);
}

static double hundred(const void *row)
{
	(void)row;
	return 100;
}

static void check_column(const struct schema *schema, unsigned index, enum column_kind kind, bool counted)
{
	const struct column *column = &schema->columns[index], *of = &thing_columns[index];

	ck_assert_str_eq(column->key, of->key);
	ck_assert_int_eq(column->kind, kind);
	ck_assert_int_eq(column->type, counted ? VALUE_F64 : of->type);
	ck_assert_int_eq(column->difference, counted);
	ck_assert_uint_eq(column->offset, of->offset);
	ck_assert(column->rate_of == 0 && column->rate_over == 0 && column->aged_by == 0);
	ck_assert(column->high == 0 && column->alarming == 0 && !column->trend && !column->of_interval);
}

/* Its numbers have signs, no limits, and nothing that they are the rate of. */
START_TEST(a_schema_of_differences)
{
	const struct schema of = { .name = "some",
				   .row_size = sizeof(struct thing_row),
				   .over_interval = true,
				   .derived = true,
				   .from_zero = true,
				   .percent_base = hundred,
				   SCHEMA_COLUMNS(thing_columns) };
	const struct schema *const list[] = { &of };
	struct differences *differences = differences_open(list, 1);
	const struct schema *schema = differences_schema(differences, "some");

	ck_assert_ptr_eq(schema, differences_schemas(differences)[0]);
	ck_assert_ptr_null(differences_schema(differences, "other"));
	ck_assert(!schema->over_interval && !schema->derived && !schema->percent_base && schema->from_zero);
	ck_assert_uint_eq(schema->row_size, sizeof(struct thing_row) + sizeof(char *));
	ck_assert_uint_eq(schema->n_columns, CHANGE + 1);
	check_column(schema, READS, COLUMN_COUNTER, true);
	check_column(schema, SIZE, COLUMN_GAUGE, true);
	check_column(schema, USER, COLUMN_GAUGE, false);
	check_column(schema, SEEN, COLUMN_GAUGE, false);
	check_column(schema, RATE, COLUMN_GAUGE, true);
	check_column(schema, HEAT, COLUMN_GAUGE, true);
	check_column(schema, THREADS, COLUMN_GAUGE, true);
	check_column(schema, PLACE, COLUMN_GAUGE, false);
	check_column(schema, PER_BUSY, COLUMN_GAUGE, true);
	check_column(schema, STATE, COLUMN_LABEL, false);
	ck_assert_str_eq(schema->columns[CHANGE].key, DIFFERENCE_COLUMN);
	ck_assert_uint_eq(schema->columns[CHANGE].offset, sizeof(struct thing_row));
	ck_assert(schema->columns[CHANGE].optional && schema->columns[CHANGE].words);
	differences_close(differences);
	differences_close(NULL);
}

/* Its one row is the same in both samples. */
START_TEST(a_table_without_keys)
{
	const struct schema keyless = { .name = "keyless",
					.row_size = sizeof(struct thing_row),
					.columns = &thing_columns[READS],
					.n_columns = 2 };
	const struct schema *const list[] = { &keyless };
	struct differences *differences = differences_open(list, 1);
	struct frame before, now, difference;

	frame_open(&before, list, 1);
	frame_open(&now, list, 1);
	frame_open(&difference, differences_schemas(differences), 1);
	before.tables[0].present = now.tables[0].present = true;
	((struct thing_row *)table_add(&before.tables[0]))->reads = 5;
	((struct thing_row *)table_add(&now.tables[0]))->reads = 8;
	frame_difference(differences, &difference, &before, &now, true);
	ck_assert_uint_eq(difference.tables[0].n_rows, 1);
	ck_assert_double_eq(number(&difference.tables[0], 0, 0), 3);
	ck_assert(isnan(number(&difference.tables[0], 0, 1)));
	ck_assert_str_eq(text_at(&difference.tables[0], 0, 2), "");
	frame_close(&before);
	frame_close(&now);
	frame_close(&difference);
	differences_close(differences);
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
	.name = "sum",
	.from_zero = true,
	.row_size = sizeof(struct sum_row),
	SCHEMA_COLUMNS(sum_columns),
};

/* The same with the name in the first column. */
static const struct column name_columns[] = {
	COLUMN(struct sum_row, name, .kind = COLUMN_LABEL, .grouping = "command", .title = "name"),
	COLUMN(struct sum_row, pid, .kind = COLUMN_KEY, .title = "pid"),
	COLUMN(struct sum_row, size_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size"),
};

static const struct schema name_schema = {
	.name = "sum",
	.from_zero = true,
	.row_size = sizeof(struct sum_row),
	SCHEMA_COLUMNS(name_columns),
};

static const struct schema *sums[1];
static unsigned name_at; /* index of its column */

/* The rows of the difference as text: "a+5 b? c!+7": ? is not known, ! is of one sample. */
static void check_sums(const struct sum_row *before, size_t n_before, const struct sum_row *now, size_t n_now,
		       const char *expected)
{
	struct differences *differences = differences_open(sums, 1);
	struct frame frames[2], difference;
	char text[256] = "";

	for (int i = 0; i < 2; i++) {
		frame_open(&frames[i], sums, 1);
		frames[i].tables[0].present = true;
	}
	for (size_t i = 0; i < n_before; i++)
		memcpy(table_add(&frames[0].tables[0]), &before[i], sizeof(before[i]));
	for (size_t i = 0; i < n_now; i++)
		memcpy(table_add(&frames[1].tables[0]), &now[i], sizeof(now[i]));
	frame_open(&difference, differences_schemas(differences), 1);
	frame_difference(differences, &difference, &frames[0], &frames[1], true);
	for (size_t i = 0; i < difference.tables[0].n_rows; i++) {
		const struct table *table = &difference.tables[0];
		const char *change = text_at(table, i, 3), *name = text_at(table, i, name_at);
		char amount[32] = "?";
		size_t length = strlen(text);

		ck_assert_int_eq(isnan(number(table, i, 2)) != 0, !change);
		if (change)
			snprintf(amount, sizeof(amount), "%s%+.0f", *change ? "!" : "", number(table, i, 2));
		snprintf(text + length, sizeof(text) - length, "%s%s%s", i > 0 ? " " : "", name ? name : "",
			 amount);
	}
	ck_assert_str_eq(text, expected);
	frame_close(&difference);
	frame_close(&frames[0]);
	frame_close(&frames[1]);
	differences_close(differences);
}

/* Sums of what comes and goes, as they are stored, have no keys: which names are not stored is not known. */
START_TEST(sums_pair_by_their_names)
{
	static const struct sum_row before[] = {
		{ U64_UNKNOWN, "a", 100 }, { U64_UNKNOWN, "gone", 9 }, { U64_UNKNOWN, "b", 50 }
	};
	static const struct sum_row now[] = {
		{ U64_UNKNOWN, "b", 70 }, { U64_UNKNOWN, "a", 90 }, { U64_UNKNOWN, "came", 5 }
	};
	static const struct sum_row mixed[] = { { U64_UNKNOWN, "a", 90 }, { 7, "b", 70 } };
	static const struct sum_row first[] = { { 7, "b", 70 }, { U64_UNKNOWN, "a", 90 } };
	static const struct sum_row nameless[] = { { U64_UNKNOWN, "a", 90 }, { U64_UNKNOWN, NULL, 70 } };

	for (unsigned i = 0; i < 2; i++) {
		name_at = i == 0 ? 1 : 0;
		sums[0] = i == 0 ? &sum_schema : &name_schema;
		check_sums(before, 3, now, 3, "b+20 a-10 came? gone?");
		check_sums(before, 1, now, 2, "b? a-10");
		check_sums(before, 3, mixed, 2, "a? b!+70"); /* rows without a key are no sums then */
		check_sums(mixed, 2, now, 3, "b? a? came? b!-70");
		check_sums(before, 3, first, 2, "b!+70 a?");
		check_sums(first, 2, now, 3, "b? a? came? b!-70");
		check_sums(before, 3, nameless, 2, "a? ?");
		check_sums(nameless, 2, now, 1, "b?");
		check_sums(before, 0, now, 2, "b? a?");
		check_sums(before, 2, now, 0, "");
	}
}

/* The same PID, started later, is another process. */
START_TEST(start_times_are_keys)
{
	struct stage stage;
	const struct table *table;

	open_stage(&stage);
	add(&stage.before, ALL, "a", 1, 100);
	add(&stage.now, ALL, "a", 1, 150)->start_seconds = 9;
	table = take(&stage, ALL);
	ck_assert_uint_eq(table->n_rows, 2);
	ck_assert_str_eq(text_at(table, 0, CHANGE), "new");
	ck_assert_double_eq(number(table, 0, READS), 150);
	ck_assert_str_eq(text_at(table, 1, CHANGE), "ended");
	close_stage(&stage);
}

START_TEST(equal_keys_pair_in_their_order)
{
	struct stage stage;
	const struct table *table;

	open_stage(&stage);
	add(&stage.before, ALL, "a", 1, 100);
	add(&stage.before, ALL, "a", 1, 200);
	add(&stage.now, ALL, "a", 1, 101);
	add(&stage.now, ALL, "a", 1, 202);
	add(&stage.now, ALL, "a", 1, 5);
	table = take(&stage, ALL);
	ck_assert_uint_eq(table->n_rows, 3);
	ck_assert_double_eq(number(table, 0, READS), 1);
	ck_assert_double_eq(number(table, 1, READS), 2);
	ck_assert_str_eq(text_at(table, 2, CHANGE), "new");
	close_stage(&stage);
}

/* Those that stand for what has ended: which was which is not known. */
START_TEST(rows_without_keys_join_no_other)
{
	struct stage stage;
	const struct table *table;

	open_stage(&stage);
	add(&stage.before, ALL, NULL, U64_UNKNOWN, 100);
	add(&stage.now, ALL, NULL, U64_UNKNOWN, 130);
	table = take(&stage, ALL);
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_ptr_null(text_at(table, 0, CHANGE));
	ck_assert(isnan(number(table, 0, READS)));
	ck_assert(isnan(number(table, 0, SIZE)));
	close_stage(&stage);
}

START_TEST(tables_without_rows)
{
	struct stage stage;
	const struct table *table;

	open_stage(&stage);
	table = take(&stage, ALL);
	ck_assert(table->present);
	ck_assert_uint_eq(table->n_rows, 0);
	add(&stage.before, ALL, "a", 1, 1);
	table = take(&stage, ALL);
	ck_assert_uint_eq(table->n_rows, 1);
	ck_assert_str_eq(text_at(table, 0, CHANGE), "ended");
	close_stage(&stage);
}

/* As when one recording has the topic under another name: what was not looked at is not new. */
START_TEST(tables_of_one_sample_have_no_difference)
{
	struct stage stage;
	const struct notice *notice;

	open_stage(&stage);
	add(&stage.now, ALL, "a", 1, 1);
	add(&stage.before, SOME, "a", 1, 1);
	add(&stage.now, SOME, "a", 1, 1);
	stage.before.tables[ALL].present = false;
	stage.now.tables[SOME].failed = true;
	ck_assert(!take(&stage, ALL)->present);
	notice = frame_newest_notice(&stage.difference, "all");
	ck_assert_ptr_nonnull(notice);
	ck_assert_ptr_nonnull(strstr(notice->text, "earlier"));
	ck_assert(!stage.difference.tables[SOME].present);
	notice = frame_newest_notice(&stage.difference, "some");
	ck_assert_ptr_nonnull(strstr(notice->text, "later"));
	stage.now.tables[ALL].present = false;
	take(&stage, ALL);
	ck_assert_ptr_null(frame_newest_notice(&stage.difference, "all"));
	close_stage(&stage);
}

START_TEST(events_have_no_difference)
{
	struct stage stage;

	open_stage(&stage);
	table_add(&stage.now.tables[EVENT]);
	table_add(&stage.before.tables[EVENT]);
	ck_assert(!take(&stage, EVENT)->present);
	ck_assert_uint_eq(stage.difference.n_notices, 0);
	close_stage(&stage);
}

START_TEST(spans_of_two_runs_are_of_the_wall_clock)
{
	struct stage stage;

	open_stage(&stage);
	frame_difference(stage.differences, &stage.difference, &stage.before, &stage.now, false);
	ck_assert_uint_eq(stage.difference.interval_ns, 10000000000);
	frame_difference(stage.differences, &stage.difference, &stage.now, &stage.before, false);
	ck_assert_uint_eq(stage.difference.interval_ns, 0); /* unknown: the second one is earlier */
	close_stage(&stage);
}

/* A mark outlives the frame that it is a copy of. */
START_TEST(copies_stand_alone)
{
	struct stage stage;
	struct frame copy;
	char name[] = "a", host[] = "machine";
	const struct thing_row *row;

	open_stage(&stage);
	frame_open(&copy, things, 3);
	stage.before.host = host;
	add(&stage.before, SOME, name, 1, 100)->state = NULL;
	add(&stage.before, SOME, "b", 2, 5);
	stage.before.tables[ALL].failed = true;
	frame_notice(&stage.before, "some", NULL, "half of it");
	frame_copy(&copy, &stage.before);
	memset(name, '!', sizeof(name) - 1);
	memset(host, '!', sizeof(host) - 1);
	frame_clear(&stage.before);
	row = table_row(&copy.tables[SOME], 0);
	ck_assert_uint_eq(copy.tables[SOME].n_rows, 2);
	ck_assert_str_eq(row->name, "a");
	ck_assert_uint_eq(row->reads, 100);
	ck_assert_ptr_null(row->state);
	ck_assert_str_eq(copy.host, "machine");
	ck_assert_uint_eq(copy.wall_ns, 5000000000000);
	ck_assert(copy.tables[ALL].failed);
	ck_assert_str_eq(frame_newest_notice(&copy, "some")->text, "half of it");
	frame_close(&copy);
	close_stage(&stage);
}

START_TEST(people_see_the_sign)
{
	struct stage stage;
	const struct table *table;
	const struct value_format format = { .unit = SIZE_AUTO };
	char text[VALUE_TEXT_MAX];

	open_stage(&stage);
	add(&stage.before, SOME, "a", 1, 2048);
	add(&stage.before, SOME, "b", 1, 2048);
	add(&stage.before, SOME, "c", 1, 10);
	add(&stage.now, SOME, "a", 1, 4096);
	add(&stage.now, SOME, "b", 1, 1024);
	add(&stage.now, SOME, "c", 1, 10);
	table = take(&stage, SOME);
	ck_assert_str_eq(value_text(text, table->schema, &table->schema->columns[SIZE],
				    table_row(table, 0), &format), "+20.0K");
	ck_assert_str_eq(value_text(text, table->schema, &table->schema->columns[READS],
				    table_row(table, 0), &format), "+2048");
	ck_assert_str_eq(value_text(text, table->schema, &table->schema->columns[SIZE],
				    table_row(table, 1), &format), "-10.0K");
	ck_assert_str_eq(value_text(text, table->schema, &table->schema->columns[SIZE],
				    table_row(table, 2), &format), "0B");
	close_stage(&stage);
}

/* Of every topic: the mark fits into a view, no other column is called that, and no rate is left. */
START_TEST(every_topic_has_a_difference)
{
	const struct schema *const *schemas = topic_schemas();
	struct differences *differences;

	differences = differences_open(schemas, n_topics);
	for (unsigned i = 0; i < n_topics; i++) {
		const struct schema *schema = differences_schema(differences, schemas[i]->name);
		struct view view;

		ck_assert_int_lt(schema_column(schemas[i], DIFFERENCE_COLUMN), 0);
		ck_assert_uint_eq(schema->n_columns, schemas[i]->n_columns + 1);
		ck_assert_int_eq(schema_column(schema, DIFFERENCE_COLUMN), (int)schemas[i]->n_columns);
		ck_assert_uint_le(schema->n_columns, VIEW_COLUMNS_MAX);
		ck_assert_uint_eq(schemas[i]->row_size % sizeof(void *), 0);
		ck_assert_uint_le(schemas[i]->row_size, UINT16_MAX);
		view_open(&view, schema);
		view_choose_all(&view);
		ck_assert_msg(!view_has_rates(&view), "%s", schema->name);
		view_close(&view);
	}
	differences_close(differences);
}

START_TEST(notices_of_both_samples_are_told)
{
	static const char *const expected[] = { "later", "last", "early", "earlier" };
	struct stage stage;

	open_stage(&stage);
	frame_notice(&stage.before, "some", NULL, "early");
	frame_notice(&stage.before, "some", "do it", "earlier");
	frame_notice(&stage.now, "some", "do it", "later");
	frame_notice(&stage.now, "some", NULL, "last");
	take(&stage, SOME);
	ck_assert_uint_eq(stage.difference.n_notices, 4);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_str_eq(stage.difference.notices[i].text, expected[i]);
		ck_assert_str_eq(stage.difference.notices[i].topic, "some");
		ck_assert(!stage.difference.notices[i].remedy == (i == 1 || i == 2));
	}
	close_stage(&stage);
}
