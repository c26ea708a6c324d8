/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the model: rows, rates, views, history, units, and the rules that every schema keeps. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "model/derive.h"
#include "model/history.h"
#include "model/statistics.h"
#include "model/units.h"
#include "model/view.h"
#include "suite.h"
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

static const struct schema item_schema = {
	.name = "item", .row_size = sizeof(struct item_row), SCHEMA_COLUMNS(item_columns),
};

static const struct schema *const item_schemas[] = { &item_schema };

static void open_items(struct frame *frame, uint64_t seconds)
{
	frame_open(frame, item_schemas, 1);
	frame->mono_ns = seconds * 1000000000;
	frame->tables[0].mono_ns = frame->mono_ns;
	frame->tables[0].present = true;
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

static const struct item_row *item_at(const struct frame *frame, size_t index)
{
	return table_row(&frame->tables[0], index);
}

START_TEST(new_rows_are_unknown)
{
	struct frame frame;
	struct item_row *row;

	open_items(&frame, 1);
	row = table_add(&frame.tables[0]);
	ck_assert_ptr_null(row->name);
	ck_assert_uint_eq(row->reads, U64_UNKNOWN);
	ck_assert(isnan(row->busy_ratio));
	for (unsigned i = 0; i < item_schema.n_columns; i++)
		ck_assert(!row_is_known(row, &item_columns[i]));
	frame_close(&frame);
}

START_TEST(rates_are_exact)
{
	struct frame before, now;

	open_items(&before, 10);
	open_items(&now, 14);
	add_item(&before, "a", 1, 100, 1.0);
	add_item(&before, "b", 2, 100, 1.0);
	add_item(&now, "a", 1, 180, 3.0);
	add_item(&now, "b", 2, 100, 1.0);
	frame_derive(&now, &before);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_second, 20);
	ck_assert_double_eq(item_at(&now, 0)->busy_ratio, 0.5);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_busy, 400); /* 80 / 2 × 10 */
	ck_assert_double_eq(item_at(&now, 1)->reads_per_second, 0);
	ck_assert(isnan(item_at(&now, 1)->reads_per_busy)); /* nothing to divide by */
	ck_assert_uint_eq(now.interval_ns, 4000000000);
	frame_close(&before);
	frame_close(&now);
}

START_TEST(rates_that_cannot_be_known)
{
	struct frame before, now;

	open_items(&before, 10);
	open_items(&now, 11);
	add_item(&before, "shrank", 1, 100, 1);
	add_item(&before, "reused", 2, 100, 1);
	add_item(&before, "unknown", 4, U64_UNKNOWN, 1);
	add_item(&now, "shrank", 1, 99, 0.5);
	add_item(&now, "reused", 3, 100, 1);   /* another pid: another row */
	add_item(&now, "unknown", 4, 5, NAN);
	frame_derive(&now, &before);
	for (size_t i = 0; i < 3; i++) {
		ck_assert(isnan(item_at(&now, i)->reads_per_second));
		ck_assert(isnan(item_at(&now, i)->busy_ratio));
	}
	frame_derive(&now, NULL);
	now.tables[0].mono_ns = before.tables[0].mono_ns; /* no time passed */
	row_set_u64(table_row(&now.tables[0], 0), &item_columns[2], 200);
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second));
	frame_close(&before);
	frame_close(&now);
}

/* A counter that is less, or unknown, in one sample. What follows is measured from what is known before. */
START_TEST(a_counter_that_is_less_once)
{
	static const struct {
		uint64_t reads[5];
		double rates[5]; /* NaN: unknown */
		bool unknown[5]; /* so is the counter */
		bool goes_on;    /* of a table in which counters do so */
	} cases[] = {
		{ { 100, 110, 0, 130, 140 }, { NAN, 10, NAN, 10, 10 }, { 0, 0, 1, 0, 0 } },
		{ { 100, 110, 109, 130, 140 }, { NAN, 10, NAN, 10, 10 }, { 0, 0, 1, 0, 0 } },
		{ { 100, 110, U64_UNKNOWN, 130, 140 }, { NAN, 10, NAN, NAN, 10 }, { 0, 0, 1, 0, 0 } },
		{ { 100, 110, U64_UNKNOWN, 130, 140 }, { NAN, 10, NAN, 10, 10 }, { 0, 0, 1, 0, 0 }, true },
		{ { 100, 110, 0, 130, 140 }, { NAN, 10, NAN, 10, 10 }, { 0, 0, 1, 0, 0 }, true },
		{ { 100, 110, 0, 110, 120 }, { NAN, 10, NAN, 0, 10 }, { 0, 0, 1, 0, 0 } },
		/* began again */
		{ { 100, 110, 0, 5, 12 }, { NAN, 10, NAN, 5, 7 }, { 0, 0, 1, 0, 0 } },
		{ { 100, 110, 20, 20, 30 }, { NAN, 10, NAN, 0, 10 }, { 0, 0, 1, 0, 0 } },
		{ { 100, 110, 20, 10, 30 }, { NAN, 10, NAN, NAN, 20 }, { 0, 0, 1, 0, 0 } },
		{ { 100, 110, U64_UNKNOWN, 90, 95 }, { NAN, 10, NAN, NAN, 5 }, { 0, 0, 1, 0, 0 }, true },
		{ { 100, 110, U64_UNKNOWN, U64_UNKNOWN, 140 },
		  { NAN, 10, NAN, NAN, NAN },
		  { 0, 0, 1, 1, 0 },
		  true },
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct schema schema = item_schema;
		const struct schema *const schemas[] = { &schema };
		const struct item_row *row;
		struct frame frames[2];
		struct derive_base base = { 0 };
		unsigned t;

		schema.goes_on = cases[i / 2].goes_on;
		frame_open(&frames[0], schemas, 1);
		frame_open(&frames[1], schemas, 1);
		derive_base_open(&base, schemas, 1);
		for (t = 0; t < 5; t++) {
			struct frame *now = &frames[t % 2];

			frame_clear(now);
			now->mono_ns = now->tables[0].mono_ns = (t + 10) * UINT64_C(1000000000);
			now->tables[0].present = true;
			add_item(now, "other", 1, 7, 7);
			add_item(now, "item", 2, cases[i / 2].reads[t], 10 + 2 * t);
			frame_derive(now, t == 0 ? NULL : i % 2 ? &base.frame : &frames[1 - t % 2]);
			derive_base_take(&base, now);
			row = item_at(now, 1);
			ck_assert_msg(isnan(cases[i / 2].rates[t])
					      ? isnan(row->reads_per_second)
					      : fabs(row->reads_per_second - cases[i / 2].rates[t]) < 1e-9,
				      "%zu %u: %g", i, t, row->reads_per_second);
			ck_assert_msg((row->reads == U64_UNKNOWN) == cases[i / 2].unknown[t], "%zu %u", i, t);
			ck_assert(t == 0 || row->busy_ratio == 2);
		}
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
		struct frame frames[2];

		open_items(&frames[0], 0);
		open_items(&frames[1], 0);
		for (unsigned t = 0; t < 4; t++) {
			struct frame *now = &frames[t % 2];

			frame_clear(now);
			now->mono_ns = now->tables[0].mono_ns = (t + 10) * UINT64_C(1000000000);
			now->tables[0].present = true;
			add_item(now, "item", 2, both ? reads[t] : 100 + 10 * t, busy[t]);
			frame_derive(now, t == 0 ? NULL : &frames[1 - t % 2]);
		}
		ck_assert_double_eq_tol(item_at(&frames[1], 0)->busy_ratio, 2, 1e-9);
		if (both)
			ck_assert_double_eq_tol(item_at(&frames[1], 0)->reads_per_busy, 10 * 20 / 4.0, 1e-9);
		else
			ck_assert(isnan(item_at(&frames[1], 0)->reads_per_busy));
		frame_close(&frames[0]);
		frame_close(&frames[1]);
	}
}

static uint32_t random_word(uint32_t *state)
{
	return *state = *state * 1664525 + 1013904223;
}

/* Every fourth number is unknown; those on request are so in most rows, and in all without them. */
static void fill_row(struct frame *frame, struct table *table, size_t number, bool on_request,
		     uint32_t *state)
{
	void *row = table_add(table);

	for (unsigned i = 0; i < table->schema->n_columns; i++) {
		const struct column *column = &table->schema->columns[i];
		uint64_t value = column->kind == COLUMN_KEY ? number : random_word(state) >> 8;

		if (column->kind == COLUMN_RATE || (column->on_request && (!on_request || number % 3)) ||
		    (column->kind != COLUMN_KEY && random_word(state) >> 30 == 0))
			continue;
		if (column->type == VALUE_TEXT)
			row_set_text(row, column, arena_print(&frame->arena, "row %zu", number));
		else if (column->type == VALUE_U64)
			row_set_u64(row, column, value);
		else
			row_set_f64(row, column, (double)value);
	}
}

static void fill_tables(struct frame *frame, uint64_t seconds, size_t first, bool on_request, uint32_t *state)
{
	frame_clear(frame);
	frame->mono_ns = seconds * 1000000000;
	for (unsigned i = 0; i < frame->n_tables; i++) {
		frame->tables[i].present = true;
		frame->tables[i].mono_ns = frame->mono_ns;
		for (size_t row = 0; row < 30; row++)
			fill_row(frame, &frame->tables[i], first + row * 7 % 30, on_request, state);
	}
}

static void assert_same_rates(const struct table *one, const struct table *other)
{
	ck_assert_uint_eq(one->interval_ns, other->interval_ns);
	for (size_t i = 0; i < one->n_rows; i++) {
		const void *row = table_row(one, i), *other_row = table_row(other, i);

		ck_assert_int_eq(table_is_fresh(one, row), table_is_fresh(other, other_row));
		for (unsigned c = 0; c < one->schema->n_columns; c++) {
			const struct column *column = &one->schema->columns[c];

			ck_assert_msg(column->type == VALUE_TEXT ||
					      row_is_known(row, column) == row_is_known(other_row, column),
				      "%s %s", one->schema->name, column->key);
			ck_assert_msg(column->type == VALUE_TEXT || !row_is_known(row, column) ||
					      row_same_value(column, row, other_row),
				      "%s %s", one->schema->name, column->key);
		}
	}
}

/* Of every topic, with columns on request that come and go; the frame itself is filled again meanwhile. */
START_TEST(a_base_has_what_rates_need)
{
	static const bool on_request[] = { false, true, false, true };
	struct frame before, now, other;
	struct derive_base base = { 0 };
	uint32_t state = 1;

	frame_open(&before, topic_schemas(), n_topics);
	frame_open(&now, topic_schemas(), n_topics);
	frame_open(&other, topic_schemas(), n_topics);
	derive_base_open(&base, topic_schemas(), n_topics);
	for (unsigned i = 0; i < 4; i++) {
		fill_tables(&before, 10, 0, on_request[i], &state);
		fill_tables(&now, 12, 2, true, &state);
		frame_copy(&other, &now);
		frame_derive(&now, &before);
		derive_base_take(&base, &before);
		fill_tables(&before, 11, 0, true, &state);
		frame_derive(&other, &base.frame);
		for (unsigned t = 0; t < n_topics; t++)
			if (topics[t]->schema->shape != SHAPE_EVENTS)
				assert_same_rates(&now.tables[t], &other.tables[t]);
	}
	derive_base_close(&base);
	frame_close(&other);
	frame_close(&now);
	frame_close(&before);
}

/* Of processes, columns on request are kept only once one of them is known. */
START_TEST(a_base_is_small)
{
	const struct schema *const schemas[] = { topic_find("process")->schema };
	struct derive_base base = { 0 };
	struct frame frame;
	uint32_t state = 1;
	size_t usual;

	frame_open(&frame, schemas, 1);
	derive_base_open(&base, schemas, 1);
	fill_tables(&frame, 10, 0, false, &state);
	derive_base_take(&base, &frame);
	usual = base.frame.tables[0].schema->row_size;
	ck_assert_uint_eq(base.frame.tables[0].n_rows, 30);
	ck_assert_uint_le(usual, schema_row_bytes(schemas[0]) / 4);
	fill_tables(&frame, 11, 0, true, &state);
	derive_base_take(&base, &frame);
	ck_assert_uint_gt(base.frame.tables[0].schema->row_size, usual);
	ck_assert_uint_lt(base.frame.tables[0].schema->row_size, schema_row_bytes(schemas[0]) / 2);
	derive_base_close(&base);
	frame_close(&frame);
}

/* A row without a block has nothing of what is apart, takes nothing, and shares nothing with a copy. */
START_TEST(fields_apart)
{
	const struct schema *schema = topic_find("process")->schema, *const schemas[] = { schema };
	const struct column *group = schema_find(schema, "group"), *read = schema_find(schema, "read_bytes");
	struct frame frame, copy;
	void *bare, *whole, *row = row_new(schema);

	frame_open(&frame, schemas, 1);
	frame_open(&copy, schemas, 1);
	frame.tables[0].present = true;
	table_reserve(&frame.tables[0], 2);
	bare = table_add_bare(&frame.tables[0]);
	whole = table_add(&frame.tables[0]);
	ck_assert(!row_is_known(bare, read) && !row_is_known(whole, read));
	ck_assert(!row_is_known(bare, group) && !row_is_known(whole, group));
	row_set_u64(bare, read, 7);
	row_set_u64(whole, read, 7);
	row_set_text(whole, group, "/a");
	ck_assert_uint_eq(row_u64(bare, read), U64_UNKNOWN);
	ck_assert_uint_eq(row_u64(whole, read), 7);
	frame_copy(&copy, &frame);
	row_copy(row, whole, schema);
	row_set_u64(whole, read, 8);
	ck_assert_uint_eq(row_u64(row, read), 7);
	ck_assert(!row_is_known(table_row(&copy.tables[0], 0), read));
	ck_assert_uint_eq(row_u64(table_row(&copy.tables[0], 1), read), 7);
	ck_assert_str_eq(row_text(table_row(&copy.tables[0], 1), group), "/a");
	row_copy(row, bare, schema);
	ck_assert(!row_is_known(row, read) && !row_is_known(row, group));
	free(row);
	frame_close(&copy);
	frame_close(&frame);
}

/* In a table of all there are a new row grew from 0, but not when the sample before could not be taken. */
START_TEST(rates_begin_anew_after_a_failure)
{
	struct schema all = item_schema;
	struct frame before, now;

	all.from_zero = true;
	open_items(&before, 10);
	open_items(&now, 11);
	before.tables[0].schema = now.tables[0].schema = &all;
	add_item(&now, "a", 1, 100, 1);
	frame_derive(&now, &before);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_second, 100);
	row_set_f64(table_row(&now.tables[0], 0), &item_columns[5], NAN);
	before.tables[0].failed = true;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second));
	ck_assert_uint_eq(now.interval_ns, 1000000000);
	frame_clear(&before);
	ck_assert(!before.tables[0].failed);
	frame_close(&before);
	frame_close(&now);
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
	.name = "aged",
	.from_zero = true,
	.row_size = sizeof(struct aged_row),
	SCHEMA_COLUMNS(aged_columns),
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
	static const struct schema *const schemas[] = { &aged_schema };
	struct frame before, now;
	const struct aged_row *row;

	frame_open(&before, schemas, 1);
	frame_open(&now, schemas, 1);
	before.mono_ns = before.tables[0].mono_ns = UINT64_C(10000000000);
	now.mono_ns = now.tables[0].mono_ns = UINT64_C(12000000000);
	before.tables[0].present = now.tables[0].present = true;
	add_aged(&before, 1, 1000, 8); /* read at 2 s, and again at 12 s */
	add_aged(&before, 2, 1000, 8); /* not read again */
	add_aged(&before, 3, 1000, 0); /* read in both */
	add_aged(&now, 1, 1100, 0);
	add_aged(&now, 2, 1000, 10);
	add_aged(&now, 3, 900, 0);
	add_aged(&now, 4, 500, 0); /* new */
	frame_derive(&now, &before);
	row = table_row(&now.tables[0], 0);
	ck_assert_double_eq(row[0].bytes_per_second, 10);
	ck_assert_double_eq(row[0].faults_per_second, 10);
	ck_assert_double_eq(row[1].bytes_per_second, 0);
	ck_assert_double_eq(row[2].bytes_per_second, -50);
	ck_assert(isnan(row[2].faults_per_second));
	ck_assert(isnan(row[3].bytes_per_second)); /* a gauge was not 0 before */
	ck_assert_double_eq(row[3].faults_per_second, 250);
	frame_close(&before);
	frame_close(&now);
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
	.name = "item",
	.sum_row = "all",
	.row_size = sizeof(struct item_row),
	SCHEMA_COLUMNS(limited_columns),
};

/* A reading may be late by a second; a sum may have as much as all the others. */
START_TEST(a_rate_above_its_ceiling_is_unknown)
{
	static const struct schema *const schemas[] = { &limited_schema };
	static const double growths[] = { 11, 2, 3.01, 4294967.3 };
	static const char *const names[] = { "all", "ticks", "much", "wrapped" };
	struct frame before, now;

	frame_open(&before, schemas, 1);
	frame_open(&now, schemas, 1);
	before.mono_ns = before.tables[0].mono_ns = UINT64_C(10000000000);
	now.mono_ns = now.tables[0].mono_ns = UINT64_C(12000000000);
	before.tables[0].present = now.tables[0].present = true;
	for (size_t i = 0; i < 4; i++) {
		add_item(&before, names[i], 0, 0, 10);
		add_item(&now, names[i], 0, 0, 10 + growths[i]);
	}
	frame_derive(&now, &before);
	ck_assert_double_eq_tol(item_at(&now, 0)->busy_ratio, 5.5, 1e-9);
	ck_assert_double_eq_tol(item_at(&now, 1)->busy_ratio, 1, 1e-9);
	ck_assert(isnan(item_at(&now, 2)->busy_ratio));
	ck_assert(isnan(item_at(&now, 3)->busy_ratio));
	ck_assert_double_eq_tol(item_at(&now, 2)->reads_per_second, 1.505, 1e-9);
	ck_assert(isnan(item_at(&now, 3)->reads_per_second));
	frame_close(&before);
	frame_close(&now);
}

/* Rows that come, go and change places are joined all the same. */
START_TEST(rates_join_in_any_order)
{
	struct frame before, now;
	char names[600][8];

	open_items(&before, 10);
	open_items(&now, 11);
	for (uint64_t i = 0; i < 600; i++) {
		snprintf(names[i], sizeof(names[i]), "n%lu", (unsigned long)(i % 7));
		add_item(&before, names[i], i, i, 0);
	}
	for (uint64_t i = 0; i < 600; i++) {
		uint64_t pid = i * 331 % 600;

		if (pid % 5 != 0)
			add_item(&now, names[pid], pid, pid + pid % 11, 0);
	}
	frame_derive(&now, &before);
	for (size_t i = 0; i < now.tables[0].n_rows; i++)
		ck_assert_double_eq(item_at(&now, i)->reads_per_second, (double)(item_at(&now, i)->pid % 11));
	frame_close(&before);
	frame_close(&now);
}

START_TEST(notices_are_told_once)
{
	struct frame frame;

	open_items(&frame, 1);
	for (int i = 0; i < 100; i++)
		frame_notice(&frame, "item", i % 2 ? "do it" : NULL, "thing %d", i % 3);
	ck_assert_uint_eq(frame.n_notices, 3);
	for (int i = 0; i < 100; i++)
		frame_notice(&frame, "item", NULL, "other %d", i);
	ck_assert_uint_eq(frame.n_notices, FRAME_NOTICES_MAX);
	frame_close(&frame);
}

static void assert_order(struct view *view, const char *expected)
{
	char order[64] = "";

	for (size_t i = 0; i < view->n_rows; i++)
		strcat(order, ((const struct item_row *)view->rows[i])->name);
	ck_assert_str_eq(order, expected);
}

START_TEST(view_sorts_filters_limits)
{
	struct frame frame;
	struct view view;
	regex_t filter;

	open_items(&frame, 1);
	add_item(&frame, "c", 1, 5, 2);
	add_item(&frame, "a", 2, 7, NAN);
	add_item(&frame, "D", 3, 5, 9);
	add_item(&frame, "b", 4, U64_UNKNOWN, 4);
	view_open(&view, &item_schema);
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "caDb");
	ck_assert_int_eq(view_choose_sort(&view, "reads"), 0);
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "acDb"); /* ties as sampled, unknown last */
	ck_assert_int_eq(view_choose_sort(&view, "+reads"), 0);
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "cDab");
	ck_assert_int_eq(view_choose_sort(&view, "busy_seconds"), 0);
	view.limit = 2;
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "Db");
	ck_assert_uint_eq(view.n_matching, 4);
	ck_assert_int_lt(view_choose_sort(&view, "nonsense"), 0);
	ck_assert_int_eq(pattern_compile(&filter, "^[cd]$"), 0);
	view_set_pattern(&view, &filter);
	view_choose_sort(&view, "+name");
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "Dc"); /* no capital in the pattern: case does not count */
	regfree(&filter);
	ck_assert_int_eq(pattern_compile(&filter, "D"), 0);
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "D");
	regfree(&filter);
	view_close(&view);
	frame_close(&frame);
}

START_TEST(numbers_are_sorted_by_their_value)
{
	static const double busy[] = { 0.5, -2, 1e9, -1e-9, 0 };
	static const uint64_t reads[] = { 0, UINT64_MAX - 9, 1, UINT64_C(1) << 63, 7 };
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	struct frame frame;
	struct view view;

	open_items(&frame, 1);
	view_open(&view, &item_schema);
	for (size_t i = 0; i < 5; i++)
		add_item(&frame, names[i], i, reads[i], busy[i]);
	view_choose_sort(&view, "+busy_seconds");
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "bdeac");
	view_choose_sort(&view, "reads");
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "bdeca");
	view_close(&view);
	frame_close(&frame);
}

/* A number in a filter means the PIDs that begin with it; what is not a number means none. */
START_TEST(digits_are_the_beginning_of_a_pid)
{
	static const struct schema no_pids = { .name = "none", .row_size = sizeof(struct item_row),
					       .columns = item_columns, .n_columns = 1 };
	struct item_row row = { .name = "x", .pid = 4213 };

	ck_assert(pid_begins_with("4", &item_schema, &row));
	ck_assert(pid_begins_with("42", &item_schema, &row));
	ck_assert(pid_begins_with("4213", &item_schema, &row));
	ck_assert(!pid_begins_with("42130", &item_schema, &row));
	ck_assert(!pid_begins_with("2", &item_schema, &row));
	ck_assert(!pid_begins_with("", &item_schema, &row));
	ck_assert(!pid_begins_with("4x", &item_schema, &row));
	ck_assert(!pid_begins_with("x", &item_schema, &row));
	ck_assert(!pid_begins_with("4", &no_pids, &row));
	row.pid = U64_UNKNOWN;
	ck_assert(!pid_begins_with("1", &item_schema, &row));
}

/* What looks the same is in the order of the table, on the screen; the order is never seen to be wrong. */
START_TEST(view_of_what_looks_the_same)
{
	static const double shares[][4] = { { 0.0012, 0.0011, 0.0013, 0.2 },
					    { 0.0011, 0.0012, 0.0013, 0.2 },
					    { 0.0009, 0.0024, 0.0011, NAN },
					    { 0.0011, 0.0014, 0.0012, 0.0014 } };
	static const char *const seen[] = { "dabc", "dabc", "bacd", "abcd" };
	static const char *const strict[] = { "dcab", "dcba", "bcad", "bdca" };
	static const char *const names[] = { "a", "b", "c", "d" };
	struct view view, other;
	struct frame frame;

	open_items(&frame, 1);
	view_open(&view, &item_schema);
	view_open(&other, &item_schema);
	view.as_seen = true;
	view_choose_sort(&view, "busy_ratio");
	view_choose_sort(&other, "busy_ratio");
	for (size_t f = 0; f < 4; f++) {
		frame_clear(&frame);
		for (size_t i = 0; i < 4; i++)
			add_item(&frame, names[i], i, 0, 0)->busy_ratio = shares[f][i];
		for (int again = 0; again < 2; again++) {
			view_apply(&view, &frame.tables[0]);
			assert_order(&view, seen[f]);
		}
		view_apply(&other, &frame.tables[0]);
		assert_order(&other, strict[f]);
	}
	view_close(&view);
	view_close(&other);
	frame_close(&frame);
}

START_TEST(a_frame_gives_back_what_a_peak_took)
{
	struct frame frame;
	struct view view;

	open_items(&frame, 1);
	view_open(&view, &item_schema);
	for (unsigned round = 0; round < 50; round++) {
		frame_clear(&frame);
		for (uint64_t i = 0; i < (round ? 10 : 100000); i++)
			add_item(&frame, arena_print(&frame.arena, "%lu", (unsigned long)i), i, 0, 0);
		view_apply(&view, &frame.tables[0]);
		ck_assert_uint_eq(view.n_rows, round ? 10 : 100000);
	}
	ck_assert_uint_le(frame.tables[0].capacity, 2000);
	ck_assert_uint_le(frame.arena.held, 300000);
	ck_assert_str_eq(table_text(&frame.tables[0], view.rows[9], "name"), "9");
	view_close(&view);
	frame_close(&frame);
}

START_TEST(view_partial_sort_equals_full_sort)
{
	struct frame frame;
	struct view all, some;

	srand(42);
	open_items(&frame, 1);
	for (uint64_t i = 0; i < 2000; i++)
		add_item(&frame, "x", i, (uint64_t)rand() % 300, 0);
	view_open(&all, &item_schema);
	view_open(&some, &item_schema);
	view_choose_sort(&all, "reads");
	view_choose_sort(&some, "reads");
	view_apply(&all, &frame.tables[0]);
	for (size_t i = 1; i < all.n_rows; i++) {
		const struct item_row *above = all.rows[i - 1], *below = all.rows[i];

		ck_assert(above->reads > below->reads ||
			  (above->reads == below->reads && above->pid < below->pid));
	}
	for (some.limit = 1; some.limit < 2500; some.limit = some.limit * 3 + 1) {
		view_apply(&some, &frame.tables[0]);
		ck_assert_uint_eq(some.n_rows, some.limit < 2000 ? some.limit : 2000);
		for (size_t i = 0; i < some.n_rows; i++)
			ck_assert_ptr_eq(some.rows[i], all.rows[i]);
	}
	view_close(&all);
	view_close(&some);
	frame_close(&frame);
}

/* Rows below a folded one are counted, not shown; its numbers stay its own. */
START_TEST(a_folded_tree)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" }; /* a chain, but e is below a */
	struct frame frame;
	struct view view;
	uint64_t fold;

	open_items(&frame, 1);
	for (uint64_t i = 0; i < 5; i++)
		add_item(&frame, names[i], i + 1, i < 4 ? i : 1, 0);
	view_open(&view, &item_schema);
	view_choose_tree(&view, "pid", "reads");
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "abcde");
	ck_assert(view_has_children(&view, 1) && !view_has_children(&view, 3));
	ck_assert(!view_has_children(&view, 4));
	fold = row_hash_key(&item_schema, view.rows[1]);
	ck_assert(tree_set_fold(&view.tree, fold, true));
	ck_assert(!tree_set_fold(&view.tree, fold, true));
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "abe");
	ck_assert_uint_eq(view_folded(&view, 1), 2);
	ck_assert_uint_eq(view_folded(&view, 0) + view_folded(&view, 2), 0);
	ck_assert(view_has_children(&view, 1));
	ck_assert_uint_eq(view.tree.more[1], 2);
	ck_assert(tree_set_fold(&view.tree, fold, false));
	ck_assert(!tree_set_fold(&view.tree, fold, false));
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "abcde");
	view_close(&view);
	frame_close(&frame);
}

struct pair_row {
	uint64_t pid, parent;
};

static const struct column pair_columns[] = {
	COLUMN(struct pair_row, pid, .title = "PID", .kind = COLUMN_KEY),
	COLUMN(struct pair_row, parent, .title = "PARENT", .kind = COLUMN_GAUGE),
};

static const struct schema pair_schema = {
	.name = "pair",
	.row_size = sizeof(struct pair_row),
	SCHEMA_COLUMNS(pair_columns),
};

static const struct schema *const pair_schemas[] = { &pair_schema };

/* With a limit, roots and those below them are in the order of the sort. */
START_TEST(a_tree_by_the_first_column)
{
	struct frame frame;
	struct view view;

	frame_open(&frame, pair_schemas, 1);
	frame.tables[0].present = true;
	for (uint64_t pid = 1; pid <= 40; pid++)
		*(struct pair_row *)table_add(&frame.tables[0]) =
			(struct pair_row){ .pid = pid, .parent = pid <= 20 ? 0 : pid - 20 };
	view_open(&view, &pair_schema);
	view_choose_tree(&view, "pid", "parent");
	view_choose_sort(&view, "pid");
	view.descending = true;
	view.limit = 3;
	view_apply(&view, &frame.tables[0]);
	ck_assert_uint_eq(view.n_rows, 3);
	ck_assert_uint_eq(((const struct pair_row *)view.rows[0])->pid, 20);
	ck_assert_uint_eq(((const struct pair_row *)view.rows[1])->pid, 40);
	ck_assert_uint_eq(((const struct pair_row *)view.rows[2])->pid, 19);
	ck_assert_uint_eq(view_depth(&view, 0), 0);
	ck_assert_uint_eq(view_depth(&view, 1), 1);
	ck_assert(tree_set_fold(&view.tree, row_hash_key(&pair_schema, view.rows[0]), true));
	view_apply(&view, &frame.tables[0]);
	ck_assert_uint_eq(view_folded(&view, 0), 1);
	ck_assert_uint_eq(((const struct pair_row *)view.rows[1])->pid, 19);
	view_close(&view);
	frame_close(&frame);
}

/* Although the memory of rows that were there before is still held. */
START_TEST(a_table_without_rows_has_no_numbers)
{
	struct frame frame;

	open_items(&frame, 1);
	add_item(&frame, "a", 1, 5, 0);
	ck_assert_double_eq(frame_number(&frame, item_schema.name, NULL, "reads"), 5);
	frame.tables[0].n_rows = 0;
	ck_assert(isnan(frame_number(&frame, item_schema.name, NULL, "reads")));
	ck_assert(isnan(frame_number(&frame, item_schema.name, "a", "reads")));
	frame_close(&frame);
}

/* Only rows that the previous frame did not have; without one none is known to be new. */
START_TEST(fresh_rows)
{
	struct frame before, now;

	open_items(&before, 1000000000);
	open_items(&now, 2000000000);
	add_item(&before, "a", 1, 5, 0);
	add_item(&before, "b", 2, 5, 0);
	add_item(&now, "b", 2, 6, 0);
	add_item(&now, "c", 3, 6, 0);
	ck_assert(!table_is_fresh(&now.tables[0], table_row(&now.tables[0], 1)));
	frame_derive(&now, &before);
	ck_assert(!table_is_fresh(&now.tables[0], table_row(&now.tables[0], 0)));
	ck_assert(table_is_fresh(&now.tables[0], table_row(&now.tables[0], 1)));
	frame_clear(&now);
	add_item(&now, "c", 3, 6, 0);
	ck_assert(!table_is_fresh(&now.tables[0], table_row(&now.tables[0], 0)));
	frame_close(&before);
	frame_close(&now);
}

/* Children stand behind their parents in the order of the sort; loops and strangers keep a place. */
START_TEST(view_of_a_tree)
{
	static const struct {
		const char *name;
		uint64_t pid, parent;
	} items[] = { { "a", 1, 0 }, { "b", 2, 1 }, { "c", 3, 9 }, { "d", 4, 2 }, { "e", 5, 1 },
		      { "f", 6, 7 }, { "g", 7, 6 }, { "h", 8, 8 }, { "i", 10, 4 } };
	static const unsigned depths[] = { 0, 0, 0, 1, 1, 2, 3, 0, 1 };
	static const uint64_t more[] = { 1, 1, 1, 3, 1, 1, 1, 0, 0 }; /* bits: depths where siblings follow */
	struct frame frame;
	struct view view;

	open_items(&frame, 1);
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		add_item(&frame, items[i].name, items[i].pid, items[i].parent, 0);
	view_open(&view, &item_schema);
	view_choose_sort(&view, "name");
	view_choose_tree(&view, "pid", "reads");
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "hcaebdigf");
	for (size_t i = 0; i < view.n_rows; i++)
		ck_assert_uint_eq(view_depth(&view, i), depths[i]);
	for (size_t i = 0; i < view.n_rows; i++)
		ck_assert_uint_eq(view.tree.more[i], more[i]);
	view_choose_tree(&view, NULL, NULL);
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "ihgfedcba");
	view_close(&view);
	frame_close(&frame);
}

/* However many lists there are, one that leaves rows out does not turn another one round. */
START_TEST(view_with_too_many_lists)
{
	struct frame frame;
	struct view view;

	open_items(&frame, 1);
	add_item(&frame, "a", 1, 0, 0);
	add_item(&frame, "b", 2, 0, 0);
	view_open(&view, &item_schema);
	for (int i = 0; i < VIEW_CHOICES_MAX; i++)
		view_choose_rows(&view, "1", "pid", NULL);
	view_exclude(&view, 1, "pid");
	view_apply(&view, &frame.tables[0]);
	assert_order(&view, "a");
	view_close(&view);
	frame_close(&frame);
}

START_TEST(view_columns_by_key)
{
	const char *unknown;
	struct view view;

	view_open(&view, &item_schema);
	ck_assert_int_eq(view_choose_columns(&view, "pid,name", &unknown), 0);
	ck_assert_uint_eq(view.n_columns, 2);
	ck_assert_uint_eq(view.columns[0], 1);
	ck_assert_int_lt(view_choose_columns(&view, "pid,wrong,name", &unknown), 0);
	ck_assert_int_eq(strncmp(unknown, "wrong", 5), 0);
	ck_assert_int_lt(view_choose_columns(&view, "", &unknown), 0);
	ck_assert_uint_eq(view.n_columns, 2); /* untouched on failure */
	view_close(&view);
}

START_TEST(history_is_a_ring)
{
	static const struct series series[] = { { "item", "a", "reads" } };
	struct history history;
	struct history_span span;

	history_open(&history, series, 1, 4);
	for (uint64_t i = 1; i <= 6; i++) {
		struct frame frame;

		open_items(&frame, i);
		if (i != 5)
			add_item(&frame, "a", 1, i * 10, 0);
		history_add(&history, &frame);
		history_add(&history, &frame); /* the same frame again changes nothing */
		frame_close(&frame);
	}
	ck_assert_uint_eq(history.count, 4);
	ck_assert_uint_eq(history_time(&history, 0), 3000000000);
	ck_assert_double_eq(history_value(&history, 0, 0), 30);
	ck_assert(isnan(history_value(&history, 0, 2)));
	ck_assert(history_between(&history, 0, 0, UINT64_MAX, &span));
	ck_assert(span.first == 30 && span.last == 60 && span.seconds == 3);
	ck_assert(!history_between(&history, 0, 6000000000, UINT64_MAX, &span));
	history_mark(&history, 4500000000, 'D');
	history_rewind(&history, 4000000000);
	ck_assert_uint_eq(history.count, 2);
	ck_assert_uint_eq(history.n_marks, 0);
	history_close(&history);
}

/* A pane may replace what it derives: only in the newest sample, and only if that is of this frame. */
static void add_reads(struct history *history, uint64_t second, uint64_t reads)
{
	struct frame frame;

	open_items(&frame, second);
	add_item(&frame, "a", 1, reads, (double)reads / 2);
	history_add(history, &frame);
	frame_close(&frame);
}

/* A step back in a recording takes away what came later; what was not sampled before is unknown. */
START_TEST(history_goes_back_and_forgets)
{
	static const struct series series[] = { { "item", "a", "reads" }, { "item", "a", "busy_seconds" } };
	struct history history;

	history_open(&history, series, 2, 4);
	for (uint64_t i = 1; i <= 6; i++)
		add_reads(&history, i, i * 10);
	history_mark(&history, 3000000000, 'a');
	history_mark(&history, 5000000000, 'b');
	history_rewind(&history, 5000000000);
	ck_assert_uint_eq(history.count, 3);
	ck_assert_uint_eq(history.n_marks, 2);
	history_rewind(&history, 4500000000);
	ck_assert_uint_eq(history.count, 2);
	ck_assert_uint_eq(history.n_marks, 1);
	ck_assert_double_eq(history_value(&history, 0, 1), 40);
	add_reads(&history, 5, 7);
	ck_assert_double_eq(history_value(&history, 0, 2), 7);
	history_forget_topic(&history, "other");
	ck_assert_double_eq(history_value(&history, 1, 2), 3.5);
	history_forget_topic(&history, "item");
	for (size_t i = 0; i < 3; i++)
		ck_assert(isnan(history_value(&history, 0, i)) && isnan(history_value(&history, 1, i)));
	ck_assert_uint_eq(history_time(&history, 2), 5000000000);
	history_rewind(&history, 0);
	ck_assert(history.count == 0 && history.n_marks == 0);
	add_reads(&history, 9, 90);
	history_mark(&history, 9000000000, 'c');
	history_clear(&history);
	ck_assert(history.count == 0 && history.n_marks == 0);
	add_reads(&history, 2, 20);
	ck_assert_double_eq(history_value(&history, 0, 0), 20);
	history_close(&history);
}

START_TEST(the_newest_marks_stay)
{
	static const struct series series[] = { { "item", "a", "reads" } };
	struct history history;

	history_open(&history, series, 1, 4);
	for (unsigned i = 0; i < HISTORY_MARKS_MAX + 3; i++)
		history_mark(&history, 1000 + i, (char)('a' + i % 26));
	ck_assert_uint_eq(history.n_marks, HISTORY_MARKS_MAX);
	for (unsigned i = 0; i < HISTORY_MARKS_MAX; i++) {
		ck_assert_uint_eq(history.marks[i].mono_ns, 1003 + i);
		ck_assert_int_eq(history.marks[i].letter, 'a' + (int)(i + 3) % 26);
	}
	history_close(&history);
}

START_TEST(history_takes_a_derived_number)
{
	static const struct series series[] = { { "item", "a", "reads" }, { "item", "a", "reads" } };
	struct history history;
	struct frame frame;

	history_open(&history, series, 2, 4);
	open_items(&frame, 1);
	history_set(&history, 1, &frame, 7); /* there is no sample yet */
	add_item(&frame, "a", 1, 10, 0);
	history_add(&history, &frame);
	history_set(&history, 1, &frame, 7);
	frame_close(&frame);
	open_items(&frame, 2);
	history_set(&history, 0, &frame, 9); /* the newest sample is of another frame */
	frame_close(&frame);
	ck_assert_uint_eq(history.count, 1);
	ck_assert_double_eq(history_value(&history, 0, 0), 10);
	ck_assert_double_eq(history_value(&history, 1, 0), 7);
	history_close(&history);
}

START_TEST(history_follows_more_and_resamples)
{
	static const struct series series[] = { { "item", "a", "reads" } };
	struct history history;
	double values[6];

	history_open(&history, series, 1, 4);
	for (uint64_t i = 1; i <= 6; i++) {
		struct frame frame;

		open_items(&frame, 10 * i);
		add_item(&frame, "a", 1, i * 10, 0);
		add_item(&frame, "b", 1, i * 100, 0);
		history_add(&history, &frame);
		if (i == 4) {
			ck_assert_uint_eq(history_follow(&history, &series[0], &frame), 0);
			ck_assert_uint_eq(history_follow(&history, &(struct series){ "item", "b", "reads" },
							 &frame),
					  1);
		}
		frame_close(&frame);
	}
	ck_assert_double_eq(history_value(&history, 0, 0), 30);
	ck_assert(isnan(history_value(&history, 1, 0))); /* it was not followed then */
	ck_assert_double_eq(history_value(&history, 1, 1), 400);
	ck_assert_double_eq(history_value(&history, 1, 3), 600);
	ck_assert_int_eq(history_find(&history, 29999999999), -1);
	ck_assert_int_eq(history_find(&history, 30000000000), 0);
	ck_assert_int_eq(history_find(&history, UINT64_MAX), 3);
	history_resample(&history, 0, 62000000000, 7000000000, 11000000000, values, 6);
	ck_assert(isnan(values[0])); /* at 27 s there was nothing yet */
	ck_assert(values[1] == 30 && values[2] == 40 && values[3] == 40 && values[4] == 50 &&
		  values[5] == 60);
	history_resample(&history, 0, 72000000000, 1, 11000000000, values, 1);
	ck_assert(isnan(values[0])); /* the last sample is too old */
	history_close(&history);
}

START_TEST(a_closed_history_is_empty)
{
	static const struct series series[] = { { "item", "a", "reads" } };
	struct history history;
	struct frame frame;

	history_open(&history, series, 1, 4);
	add_reads(&history, 1, 10);
	history_mark(&history, 1000000000, 'a');
	open_items(&frame, 1);
	add_item(&frame, "b", 1, 7, 0);
	ck_assert_uint_eq(history_follow(&history, &(struct series){ "item", "b", "reads" }, &frame), 1);
	ck_assert_double_eq(history_value(&history, 1, 0), 7);
	frame_close(&frame);
	history_close(&history);
	ck_assert(!history.series && !history.mono_ns && !history.values);
	ck_assert_uint_eq(history.n_series + history.n_borrowed + history.n_marks + history.count, 0);
	history_close(&history); /* as of one that was never opened */
}

/* Wherever the ring begins; the texts are its own. */
START_TEST(history_follows_each_series_once)
{
	char name[] = "b";
	const struct series wanted[] = {
		{ "item", "a", "reads" }, { "item", NULL, "reads" }, { "item", "a", "busy_seconds" },
		{ "other", "a", "reads" }, { "item", name, "reads" },
	};
	struct schema other = item_schema;
	const struct schema *const both[] = { &item_schema, &other };
	struct history history;
	struct frame frame;

	other.name = "other";
	history_open(&history, NULL, 0, 3);
	for (uint64_t i = 1; i <= 4; i++)
		add_reads(&history, i, 10 * i);
	frame_open(&frame, both, 2);
	frame.mono_ns = 5000000000;
	frame.tables[0].present = true;
	add_item(&frame, "a", 1, 50, 5);
	history_add(&history, &frame);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5; i++)
			ck_assert_uint_eq(history_follow(&history, &wanted[i], &frame), i);
	name[0] = 'c'; /* cppcheck-suppress unreadVariable ; through wanted */
	ck_assert_uint_eq(history.n_series, 5);
	for (unsigned i = 0; i < 5; i++)
		ck_assert(isnan(history_value(&history, i, 0)) && isnan(history_value(&history, i, 1)));
	ck_assert_double_eq(history_value(&history, 0, 2), 50);
	ck_assert_double_eq(history_value(&history, 1, 2), 50);
	ck_assert_double_eq(history_value(&history, 2, 2), 5);
	ck_assert(isnan(history_value(&history, 3, 2)) && isnan(history_value(&history, 4, 2)));
	frame_clear(&frame);
	frame.mono_ns = 6000000000;
	frame.tables[0].present = true;
	add_item(&frame, "b", 1, 70, 7);
	history_add(&history, &frame);
	ck_assert(isnan(history_value(&history, 0, 2)));
	ck_assert_double_eq(history_value(&history, 1, 1), 50);
	ck_assert_double_eq(history_value(&history, 1, 2), 70);
	ck_assert_double_eq(history_value(&history, 4, 2), 70);
	frame.mono_ns = 5000000000; /* not the newest one */
	ck_assert_uint_eq(history_follow(&history, &(struct series){ "item", "b", "busy_seconds" }, &frame),
			  5);
	ck_assert(isnan(history_value(&history, 5, 2)));
	ck_assert(isnan(history_value(&history, 6, 2)));
	ck_assert_double_eq(history_value(&history, 4, 2), 70);
	frame_close(&frame);
	history_close(&history);
}

START_TEST(times_of_a_history_have_bounds)
{
	static const struct series series[] = { { "item", "a", "reads" } };
	struct history history;
	struct history_span span;
	double values[5];

	history_open(&history, series, 1, 4);
	for (uint64_t i = 1; i <= 3; i++) {
		add_reads(&history, 10 * i, i);
		add_reads(&history, 10 * i, 9); /* the same once more */
	}
	add_reads(&history, 25, 9); /* older than the newest one */
	add_reads(&history, 30, 9);
	ck_assert_uint_eq(history.count, 3);
	ck_assert_double_eq(history_value(&history, 0, 2), 3);
	ck_assert(history_between(&history, 0, 10000000000, 30000000000, &span));
	ck_assert(span.first == 1 && span.last == 3 && span.seconds == 20);
	ck_assert(history_between(&history, 0, 10000000001, 30000000000, &span));
	ck_assert(span.first == 2 && span.last == 3 && span.seconds == 10);
	ck_assert(history_between(&history, 0, 10000000000, 29999999999, &span));
	ck_assert(span.first == 1 && span.last == 2 && span.seconds == 10);
	ck_assert(!history_between(&history, 0, 10000000001, 29999999999, &span));
	ck_assert(!history_between(&history, 1, 0, UINT64_MAX, &span)); /* there is no such series */
	history_resample(&history, 0, 30000000000, 10000000000, UINT64_MAX, values, 5);
	ck_assert(isnan(values[0]) && isnan(values[1]) && values[2] == 1 && values[3] == 2 && values[4] == 3);
	history_resample(&history, 0, 35000000000, 1, 5000000000, values, 1);
	ck_assert_double_eq(values[0], 3);
	history_resample(&history, 0, 35000000000, 1, 4999999999, values, 1);
	ck_assert(isnan(values[0]));
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
	ck_assert_str_eq(shown(2608857088, SIZE_MIB), "2488");
	ck_assert_str_eq(shown(2608857087, SIZE_MIB), "2487");
	ck_assert_str_eq(shown(0, SIZE_GIB), "0");
	ck_assert_str_eq(shown(1073741824, SIZE_GIB), "1");
	ck_assert_str_eq(shown(1048575, SIZE_MIB), "0.99");
	ck_assert_str_eq(shown(52428800, SIZE_GIB), "0.048");
	ck_assert_str_eq(shown(4096, SIZE_GIB), "0.0000038");
	ck_assert_str_eq(shown(1, SIZE_GIB), "0.00000000093");
	ck_assert_str_eq(shown(U64_UNKNOWN - 2, SIZE_B), "18446744073709551613");
	ck_assert_str_eq(shown(1023, SIZE_AUTO), "1023B");
	ck_assert_str_eq(shown(2047, SIZE_AUTO), "1.9K");
	ck_assert_str_eq(shown(1073741823, SIZE_AUTO), "1023M");
	ck_assert_str_eq(shown(U64_UNKNOWN, SIZE_AUTO), "-");
	ck_assert_str_eq(shown(U64_BLANK, SIZE_AUTO), "");
}

static double hundred(const void *row)
{
	(void)row;
	return 100;
}

static double second_number(const void *row)
{
	return (double)((const uint64_t *)row)[1];
}

/* Sizes are shares of the one that is all, which itself stays a size. */
START_TEST(sizes_are_shares_of_one)
{
	static const struct column columns[] = {
		{ .key = "part", .kind = COLUMN_GAUGE, .type = VALUE_U64, .unit = UNIT_BYTES },
		{ .key = "whole", .kind = COLUMN_GAUGE, .type = VALUE_U64, .unit = UNIT_BYTES, .offset = 8 },
	};
	static const struct schema schema = { .name = "x",
					      .columns = columns,
					      .n_columns = 2,
					      .row_size = 16,
					      .percent_base = second_number,
					      .percent_column = 1 };
	static const struct {
		uint64_t part, whole;
		const char *share, *all;
	} cases[] = {
		{ 512, 2048, "25.0", "2.0K" },
		{ 3, 1, "300.0", "1B" },
		{ 0, 2048, "0.0", "2.0K" },
		{ 512, 0, "-", "0B" },
	};
	const struct value_format format = { .unit = SIZE_PERCENT };
	char number[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_str_eq(value_text(number, &schema, &columns[0], &cases[i], &format),
				 cases[i].share);
		ck_assert_str_eq(value_text(number, &schema, &columns[1], &cases[i], &format), cases[i].all);
	}
}

/* Of a table with a size, and a count that is none. */
static enum size_unit unit_of(uint64_t bytes, bool one_unit, bool has_base, enum size_unit chosen)
{
	static const struct column columns[] = {
		{ .key = "bytes", .kind = COLUMN_GAUGE, .type = VALUE_U64, .unit = UNIT_BYTES },
		{ .key = "count", .kind = COLUMN_GAUGE, .type = VALUE_U64, .unit = UNIT_COUNT, .offset = 8 },
	};
	const struct schema schema = {
		.name = "x",
		.columns = columns,
		.n_columns = 2,
		.row_size = 16,
		.one_unit = one_unit,
		.percent_base = has_base ? hundred : NULL,
	};
	uint64_t row[] = { bytes, UINT64_C(1) << 50 };
	const struct table table = { .schema = &schema, .rows = (char *)row, .n_rows = 1 };

	return size_unit_of_table(&table, chosen);
}

/* A table may have one unit for all its sizes, and shares of one of them. */
START_TEST(a_table_chooses_its_unit)
{
	static const struct {
		uint64_t bytes;
		enum size_unit unit;
	} cases[] = {
		{ 0, SIZE_B },
		{ 999999, SIZE_B },
		{ 1000 * 1024, SIZE_KIB },
		{ UINT64_C(1000) << 20, SIZE_MIB },
		{ (UINT64_C(1000) << 30) - 1, SIZE_MIB },
		{ UINT64_C(1000) << 30, SIZE_GIB },
	};

	ck_assert_int_eq(unit_of(1, false, false, SIZE_MIB), SIZE_MIB);
	ck_assert_int_eq(unit_of(1, false, false, SIZE_AUTO), SIZE_AUTO);
	ck_assert_int_eq(unit_of(1, false, false, SIZE_PERCENT), SIZE_AUTO); /* of what? */
	ck_assert_int_eq(unit_of(1, false, true, SIZE_PERCENT), SIZE_PERCENT);
	ck_assert_int_eq(unit_of(1, false, true, SIZE_MIB), SIZE_MIB);
	ck_assert_int_eq(unit_of(1, true, true, SIZE_B), SIZE_B);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_int_eq(unit_of(cases[i].bytes, true, true, SIZE_AUTO), cases[i].unit);
}

START_TEST(shares_are_of_one_cpu_or_of_all)
{
	struct column column = item_columns[3];
	char text[VALUE_TEXT_MAX];
	struct item_row row;

	row_clear(&row, &item_schema);
	column.unit = UNIT_RATIO;
	row.busy_seconds = 1.5;
	ck_assert_str_eq(value_text(text, &item_schema, &column, &row, &(struct value_format){ .cpus = 4 }),
			 "150.0");
	column.of_cpu = true;
	ck_assert_str_eq(value_text(text, &item_schema, &column, &row, &(struct value_format){ .cpus = 0 }),
			 "150.0");
	ck_assert_str_eq(value_text(text, &item_schema, &column, &row, &(struct value_format){ .cpus = 4 }),
			 "37.5");
	ck_assert_str_eq(value_text(text, &item_schema, &column, &row, &(struct value_format){ .cpus = NAN }),
			 "-");
}

START_TEST(absurd_numbers_fit_their_cell)
{
	static const double numbers[] = { 1e300, -1e300, INFINITY, -INFINITY, NAN, 1e15, -5, 5e-324 };
	char text[VALUE_TEXT_MAX];
	struct item_row row;

	row_clear(&row, &item_schema);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (int unit = UNIT_NONE; unit < N_UNITS; unit++) {
			struct column column = item_columns[3];

			column.unit = (enum unit)unit;
			row.busy_seconds = numbers[i];
			for (int size = SIZE_AUTO; size < N_SIZE_UNITS; size++)
				ck_assert_uint_lt(strlen(value_text(
						text, &item_schema, &column, &row,
						&(struct value_format){ (enum size_unit)size, true, 3 })),
						  sizeof(text));
			ck_assert_uint_lt(strlen(number_text(text, &column, numbers[i], true)),
					  sizeof(text));
		}
	}
}

/* Neighbouring edges of the narrowest buckets, 1/256 apart, never look the same. */
START_TEST(edges_of_buckets_differ)
{
	static const struct schema histogram = {
		.shape = SHAPE_HISTOGRAM, .row_size = sizeof(struct item_row), SCHEMA_COLUMNS(item_columns)
	};
	const struct value_format format = { SIZE_AUTO, false, 0 };
	char low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
	struct column column = item_columns[3];
	struct item_row row = { 0 };

	column.unit = UNIT_SECONDS;
	for (double seconds = 300e-9; seconds < 60; seconds *= 1 + 1.0 / 256) {
		row.busy_seconds = seconds;
		value_text(low, &histogram, &column, &row, &format);
		row.busy_seconds = seconds * (1 + 1.0 / 256);
		value_text(high, &histogram, &column, &row, &format);
		ck_assert_str_ne(low, high);
	}
	row.busy_seconds = 10e-6;
	ck_assert_str_eq(value_text(low, &histogram, &column, &row, &format), "10µs");
	row.busy_seconds = 10.24e-6;
	ck_assert_str_eq(value_text(low, &histogram, &column, &row, &format), "10.240µs");
	row.busy_seconds = 1;
	ck_assert_str_eq(value_text(low, &histogram, &column, &row, &format), "1s");
}

static char *duration(char *out, double seconds)
{
	return duration_text(out, seconds, false);
}

static char *celsius(char *out, double degrees)
{
	return celsius_text(out, degrees, false);
}

START_TEST(absurd_numbers_fit_in_sentences)
{
	static char *(*const texts[])(char *out, double value) = {
		size_text, size_short, duration, rate_text, hertz_text, watts_text, celsius,
	};
	static const double numbers[] = { 1e300, -1e300, INFINITY, -INFINITY, NAN, 1e15, -5, 5e-324 };
	struct {
		char text[VALUE_TEXT_MAX], behind[8];
	} cell;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
			memset(&cell, '#', sizeof(cell));
			ck_assert_ptr_eq(texts[t](cell.text, numbers[i]), cell.text);
			ck_assert_msg(memchr(cell.text, '\0', sizeof(cell.text)) &&
					      memcmp(cell.behind, "########", sizeof(cell.behind)) == 0,
				      "text %zu of %g", t, numbers[i]);
		}
	}
}

START_TEST(durations_and_rates)
{
	static const struct column total = {
		.kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .type = VALUE_F64
	};
	static const struct column whole = {
		.kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .type = VALUE_F64, .whole = true
	};
	char text[VALUE_TEXT_MAX];

	ck_assert_str_eq(number_text(text, &whole, 0, true), "0s");
	ck_assert_str_eq(number_text(text, &whole, 119.4, true), "119s");
	ck_assert_str_eq(number_text(text, &whole, 120, true), "2min");
	ck_assert_str_eq(number_text(text, &whole, 7199, true), "119min");
	ck_assert_str_eq(number_text(text, &whole, 7200, true), "02:00:00");
	ck_assert_str_eq(number_text(text, &whole, -5, true), "-5.000s");
	ck_assert_str_eq(duration_text(text, 0, true), "0 s");
	ck_assert_str_eq(duration_text(text, 123.4e-6, true), "123.4 us");
	ck_assert_str_eq(duration_text(text, 6.7784, true), "6.778 s");
	ck_assert_str_eq(duration_text(text, 16.7784, true), "16.8 s");
	ck_assert_str_eq(duration_text(text, 1e-9, true), "1 ns");
	ck_assert_str_eq(duration_text(text, 1e-6, true), "1.0 us");
	ck_assert_str_eq(duration_text(text, 1e-3, true), "1.0 ms");
	ck_assert_str_eq(duration_text(text, 1, true), "1.000 s");
	ck_assert_str_eq(duration_text(text, 10, true), "10.0 s");
	ck_assert_str_eq(duration_text(text, 99.9, true), "99.9 s");
	ck_assert_str_eq(duration_text(text, 100, true), "100 s");
	ck_assert_str_eq(duration_text(text, 86399, true), "23:59:59");
	ck_assert_str_eq(duration_text(text, 86400, true), "1d00:00");
	ck_assert_str_eq(duration_short(text, 10, true), "10.000s");
	ck_assert_str_eq(stretch_text(text, 119.4), "119 s");
	ck_assert_str_eq(stretch_text(text, 120), "2 min");
	ck_assert_str_eq(stretch_text(text, 7200), "2.0 h");
	ck_assert_str_eq(stretch_text(text, 172799), "47.9 h");
	ck_assert_str_eq(stretch_text(text, 172800), "2.0 days");
	ck_assert_str_eq(number_text(text, &total, 1.999, true), "1.9s");
	ck_assert_str_eq(duration_text(text, 720, true), "720 s");
	ck_assert_str_eq(duration_text(text, 3725, true), "01:02:05");
	ck_assert_str_eq(number_text(text, &total, 553.309, true), "553.3s");
	ck_assert_str_eq(number_text(text, &total, 0.29, true), "0.29s");
	ck_assert_str_eq(number_text(text, &total, 0.999, true), "0.99s");
	ck_assert_str_eq(number_text(text, &total, 1.29, true), "1.2s");
	ck_assert_str_eq(number_text(text, &total, 0.0974, true), "97.4ms");
	ck_assert_str_eq(number_text(text, &total, 999.9999, true), "999.9s");
	ck_assert_str_eq(number_text(text, &total, 1000, true), "00:16:40");
	ck_assert_str_eq(duration_text(text, 273120, true), "3d03:52");
	ck_assert_str_eq(rate_text(text, 0), "0");
	ck_assert_str_eq(rate_text(text, 4.04), "4.0");
	ck_assert_str_eq(rate_text(text, 8243), "8243");
	ck_assert_str_eq(rate_text(text, 1234567), "1.2M");
	ck_assert_str_eq(rate_short(text, 999.4), "999");
	ck_assert_str_eq(rate_short(text, 8243), "8.2k");
	ck_assert_str_eq(fixed_text(text, 1234567, 0), "1234567");
	ck_assert_str_eq(fixed_text(text, 0.425, 1), "0.4");
	ck_assert_str_eq(fixed_text(text, NAN, 2), "-");
}

START_TEST(units_change_at_their_bound)
{
	static const struct {
		char *(*text)(char *out, double value);
		double number;
		const char *expected;
	} cases[] = {
		{ hertz_text, 999.4e6, "999 MHz" },
		{ hertz_text, 1e9, "1.00 GHz" },
		{ hertz_text, NAN, "-" },
		{ watts_text, 999.99, "999.99 W" },
		{ watts_text, 999.995, "1000 W" },
		{ watts_text, -1000, "-1000 W" },
		{ watts_text, NAN, "-" },
		{ celsius, 41.6, "42 °C" },
		{ celsius, NAN, "-" },
		{ size_text, 1023, "1023 B" },
		{ size_text, 1024, "1.0 KiB" },
		{ size_text, 102399, "99.9 KiB" },
		{ size_text, 102400, "100 KiB" },
		{ size_text, 1048575, "1023 KiB" },
		{ size_text, -2048, "-2.0 KiB" },
		{ size_text, 0x1p60 * 2000, "2000 EiB" },
		{ size_short, 0x1p50, "1.0P" },
		{ bits_text, 999.4, "999 b/s" },
		{ bits_text, 999.5, "1.0 kb/s" },
		{ bits_text, 99949, "99.9 kb/s" },
		{ bits_text, 99950, "100 kb/s" },
		{ bits_text, -2e6, "-2.0 Mb/s" },
		{ bits_text, 1e15, "1000 Tb/s" },
		{ bits_text, NAN, "-" },
		{ rate_text, 9.94, "9.9" },
		{ rate_text, 10, "10" },
		{ rate_text, 99999, "99999" },
		{ rate_text, 100000, "100k" },
		{ rate_text, 1e15, "1000T" },
		{ rate_short, 1000, "1.0k" },
		{ rate_text, NAN, "-" },
	};
	char text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(cases[i].text(text, cases[i].number), cases[i].expected);
	ck_assert_str_eq(celsius_text(text, -3, true), "-3 C");
}

START_TEST(numbers_of_cells)
{
	static const struct {
		enum unit unit;
		double number;
		const char *text;
	} cases[] = {
		{ UNIT_JOULES, 9999.9, "9999.9" },
		{ UNIT_JOULES, 10000, "10.0k" },
		{ UNIT_JOULES, -10000, "-10.0k" },
		{ UNIT_RATIO, 0.5, "50.0" },
		{ UNIT_CELSIUS, 41.25, "41.2" },
		{ UNIT_VOLTS, 1.25, "1.250" },
		{ UNIT_RPM, 1200, "1200" },
		{ UNIT_COUNT, 12, "12" },
		{ UNIT_COUNT, 12.5, "12.5" },
		{ UNIT_NONE, -0.004, "-0.004" },
		{ UNIT_NONE, -0.005, "-0.01" },
		{ UNIT_BITS, 1500, "1.5kb" },
		{ UNIT_BYTES_PER_SECOND, 1536, "1.5K" },
		{ UNIT_WATTS, 1.5, "1.50" },
		{ UNIT_HERTZ, 2.5e9, "2.50GHz" },
		{ UNIT_PER_SECOND, 5, "5.0" },
	};
	char text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(
			number_text(text, &(struct column){ .unit = cases[i].unit }, cases[i].number, true),
			cases[i].text);
}

/* What grew has a plus, for which there is room beside the longest number. */
START_TEST(differences_have_a_sign)
{
	struct column column = item_columns[3];
	const struct value_format format = { SIZE_AUTO, true, 0 };
	struct item_row row = { 0 };
	struct {
		char text[VALUE_TEXT_MAX], behind[8];
	} cell;

	column.unit = UNIT_COUNT;
	column.difference = true;
	row.busy_seconds = 5;
	ck_assert_str_eq(value_text(cell.text, &item_schema, &column, &row, &format), "+5");
	row.busy_seconds = -5;
	ck_assert_str_eq(value_text(cell.text, &item_schema, &column, &row, &format), "-5");
	row.busy_seconds = 0;
	ck_assert_str_eq(value_text(cell.text, &item_schema, &column, &row, &format), "0");
	memset(&cell, '#', sizeof(cell));
	row.busy_seconds = 1e300;
	ck_assert_ptr_eq(value_text(cell.text, &item_schema, &column, &row, &format), cell.text);
	ck_assert_uint_eq(strnlen(cell.text, sizeof(cell.text)), VALUE_TEXT_MAX - 1);
	ck_assert_mem_eq(cell.behind, "########", sizeof(cell.behind));
	column.difference = false;
	value_text(cell.text, &item_schema, &column, &row, &format);
	ck_assert_uint_eq(strlen(cell.text), VALUE_TEXT_MAX - 2);
}

START_TEST(numbers_of_sentences)
{
	static const struct {
		enum unit unit;
		double number;
		const char *text;
	} cases[] = {
		{ UNIT_SECONDS, 671.927, "11 min" },
		{ UNIT_SECONDS, 720, "12 min" },
		{ UNIT_SECONDS, 0, "0 s" },
		{ UNIT_SECONDS, 1.44, "1.4 s" },
		{ UNIT_SECONDS, 9.96, "10 s" },
		{ UNIT_SECONDS, 119.4, "119 s" },
		{ UNIT_SECONDS, 34567, "9.6 h" },
		{ UNIT_SECONDS, 200000, "2.3 days" },
		{ UNIT_SECONDS, 0.0068, "6.8 ms" },
		{ UNIT_SECONDS, 0.99999, "1.0 s" },
		{ UNIT_SECONDS, 123.4e-6, "123 us" },
		{ UNIT_SECONDS, -5.5, "-5.5 s" },
		{ UNIT_RATIO, 0.99999, "99.9 %" },
		{ UNIT_RATIO, 0.995, "99.5 %" },
		{ UNIT_RATIO, 0.994, "99 %" },
		{ UNIT_RATIO, 1, "100 %" },
		{ UNIT_RATIO, 1.126, "113 %" },
		{ UNIT_RATIO, 0.031, "3.1 %" },
		{ UNIT_PER_SECOND, 189817.3, "189k/s" },
		{ UNIT_PER_SECOND, 2, "2.0/s" },
		{ UNIT_PER_SECOND, 214.7, "215/s" },
		{ UNIT_PER_SECOND, 0, "0/s" },
		{ UNIT_COUNT, 189817.3, "189k" },
		{ UNIT_COUNT, 9813, "9813" },
		{ UNIT_COUNT, 8970000, "8.97M" },
		{ UNIT_COUNT, 12345, "12.3k" },
		{ UNIT_COUNT, 12, "12" },
		{ UNIT_COUNT, 7.25, "7.2" },
		{ UNIT_COUNT, 12.6, "13" },
		{ UNIT_SECONDS, NAN, "-" },
		{ UNIT_COUNT, 9999, "9999" },
		{ UNIT_COUNT, 10000, "10.0k" },
		{ UNIT_COUNT, 99999, "99.9k" },
		{ UNIT_COUNT, 100000, "100k" },
		{ UNIT_COUNT, 999999, "999k" },
		{ UNIT_COUNT, 1e6, "1.00M" },
		{ UNIT_COUNT, -10000, "-10.0k" },
		{ UNIT_COUNT, 9.94, "9.9" },
		{ UNIT_COUNT, 9.96, "10" },
		{ UNIT_COUNT, 2e15, "2000T" },
		{ UNIT_RATIO, 0.0994, "9.9 %" },
		{ UNIT_RATIO, 0.0996, "10 %" },
		{ UNIT_RATIO, -0.05, "-5.0 %" },
		{ UNIT_SECONDS, 9.94, "9.9 s" },
		{ UNIT_SECONDS, 0.9994, "999 ms" },
		{ UNIT_SECONDS, 0.9996, "1.0 s" },
		{ UNIT_SECONDS, 5e-10, "0.5 ns" },
		{ UNIT_SECONDS, 7199, "119 min" },
		{ UNIT_BYTES, 1536, "1.5 KiB" },
		{ UNIT_BYTES_PER_SECOND, 1536, "1.5 KiB/s" },
		{ UNIT_BITS_PER_SECOND, 1500, "1.5 kb/s" },
		{ UNIT_PER_SECOND, 9.94, "9.9/s" },
		{ UNIT_PER_SECOND, 9.96, "10/s" },
		{ UNIT_CELSIUS, 41, "41 C" },
		{ UNIT_WATTS, 1.5, "1.50 W" },
		{ UNIT_NONE, 1.5, "1.50" },
	};
	char text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(amount_text(text, cases[i].unit, cases[i].number), cases[i].text);
}

START_TEST(only_zero_is_shown_as_zero)
{
	static const struct column queue = { .kind = COLUMN_GAUGE, .unit = UNIT_NONE, .type = VALUE_F64 };
	static const struct column slope = { .kind = COLUMN_GAUGE, .type = VALUE_F64, .tiny = true };
	char text[VALUE_TEXT_MAX];

	ck_assert_str_eq(number_text(text, &queue, 0.000931, true), "<0.01");
	ck_assert_str_eq(number_text(text, &queue, 0.005, true), "0.01");
	ck_assert_str_eq(number_text(text, &queue, 0, true), "0.00");
	ck_assert_str_eq(number_text(text, &queue, -0.0, true), "0.00");
	ck_assert_str_eq(watts_text(text, -0.001), "0.00 W");
	ck_assert_str_eq(watts_text(text, -0.01), "-0.01 W");
	ck_assert_str_eq(celsius_text(text, -0.4, true), "0 C");
	ck_assert_str_eq(fixed_text(text, -10, 0), "-10");
	ck_assert_str_eq(fixed_text(text, NAN, 0), "-");
	ck_assert_str_eq(number_text(text, &slope, 2.5e-9, true), "2.5e-09");
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

static void check_rate(const struct schema *schema, const struct column *column)
{
	bool found = false;

	for (unsigned i = 0; i < schema->n_columns; i++)
		found |= schema->columns[i].offset == column->rate_of &&
			 (schema->columns[i].kind == COLUMN_COUNTER ||
			  schema->columns[i].kind == COLUMN_GAUGE);
	ck_assert_msg(found && column->type == VALUE_F64, "%s.%s grows from no counter", schema->name,
		      column->key);
}

static unsigned count_kind(const struct schema *schema, enum column_kind kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < schema->n_columns; i++)
		count += schema->columns[i].kind == kind;
	return count;
}

/* A request has room for every schema with columns on request; others would stay unknown. */
START_TEST(all_columns_on_request_can_be_requested)
{
	struct sample_request request = { 0 };

	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;
		unsigned long columns = 0;

		for (unsigned i = 0; i < schema->n_columns; i++)
			columns |= schema->columns[i].on_request ? 1UL << schema->columns[i].on_request : 0;
		ck_assert_msg(sample_request_add(&request, schema, columns) == (columns != 0), "%s",
			      schema->name);
	}
}

/* The rules of the house for every column of every topic. */
START_TEST(every_schema_keeps_the_rules)
{
	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;

		ck_assert(schema->help && *schema->help);
		ck_assert_uint_le(schema->n_columns, VIEW_COLUMNS_MAX);
		ck_assert_uint_le(count_kind(schema, COLUMN_KEY), DERIVE_KEYS_MAX);
		ck_assert_uint_le(count_kind(schema, COLUMN_RATE), DERIVE_RATES_MAX);
		for (unsigned i = 0; i < schema->n_columns; i++) {
			const struct column *column = &schema->columns[i];

			check_key(schema, column);
			ck_assert_msg(column->help && *column->help, "%s.%s has no help", schema->name,
				      column->key);
			ck_assert_msg(column->source && *column->source, "%s.%s has no source", schema->name,
				      column->key);
			ck_assert_msg(column->title != NULL, "%s.%s has no title", schema->name, column->key);
			ck_assert_msg(utf8_cells(column->title, false) <=
					      (column->width ? column->width : 12),
				      "%s.%s: title wider than %d", schema->name, column->key, column->width);
			ck_assert_msg(column->unit != UNIT_TIME || column->type == VALUE_U64, "%s.%s",
				      schema->name, column->key);
			if (column->kind == COLUMN_RATE)
				check_rate(schema, column);
			ck_assert_msg(column->kind != COLUMN_KEY || column->offset < schema->row_size, "%s",
				      column->key);
		}
		for (const struct source_spec *source = topics[t]->sources; source->path; source++)
			ck_assert_msg(source->gives && *source->gives, "%s: %s", schema->name, source->path);
	}
}

/* Two seconds apart: at most three seconds' worth can be, and of the sum as much as of all rows. */
START_TEST(a_rate_may_reach_its_ceiling)
{
	static const struct schema *const schemas[] = { &limited_schema };
	static const struct {
		const char *name;
		double growth, busy_ratio, of_cpus; /* NaN: unknown */
	} cases[] = {
		{ "exact", 3, 1, 1.5 }, /* no more than the ceiling */
		{ "above", 3.25, NAN, 1.625 },
		{ "cpus", 3.0 * 8192, NAN, 1.5 * 8192 },
		{ "wrapped", 3.0 * 8192 + 1, NAN, NAN },
		{ "all", 5 * 3, 7.5, 7.5 },
	};

	for (unsigned more = 0; more < 2; more++) {
		struct frame before, now;

		frame_open(&before, schemas, 1);
		frame_open(&now, schemas, 1);
		before.mono_ns = before.tables[0].mono_ns = UINT64_C(10000000000);
		now.mono_ns = now.tables[0].mono_ns = UINT64_C(12000000000);
		before.tables[0].present = now.tables[0].present = true;
		for (size_t i = 0; i < 5; i++) {
			add_item(&before, cases[i].name, 0, 0, 10);
			add_item(&now, cases[i].name, 0, 0, 10 + cases[i].growth + (i == 4 ? more : 0));
		}
		frame_derive(&now, &before);
		for (size_t i = 0; i < 4; i++) {
			if (isnan(cases[i].busy_ratio))
				ck_assert(isnan(item_at(&now, i)->busy_ratio));
			else
				ck_assert_double_eq(item_at(&now, i)->busy_ratio, cases[i].busy_ratio);
			ck_assert(isnan(item_at(&now, i)->reads_per_second) == isnan(cases[i].of_cpus));
			if (!isnan(cases[i].of_cpus))
				ck_assert_double_eq(item_at(&now, i)->reads_per_second, cases[i].of_cpus);
		}
		ck_assert(isnan(item_at(&now, 4)->busy_ratio) == (more > 0));
		ck_assert_double_eq(item_at(&now, 4)->reads_per_second, 7.5 + 0.5 * more);
		frame_close(&before);
		frame_close(&now);
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
	static const struct schema *const schemas[] = { &shares };
	static const struct {
		double grown, ratio;
	} cases[] = { { 1.0000000000004594, 1 }, { 1.001, 1.001 }, { 0.9999999999, 0.9999999999 },
		      { 1, 1 },			 { 0, 0 },	   { NAN, NAN } };
	struct frame frames[2];

	for (unsigned f = 0; f < 2; f++) {
		frame_open(&frames[f], schemas, 1);
		frames[f].mono_ns = frames[f].tables[0].mono_ns = (f + 1) * UINT64_C(1000000000);
		frames[f].tables[0].present = true;
		for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
			struct share_row *row = table_add(&frames[f].tables[0]);
			char *name = (char *)arena_print(&frames[f].arena, "%zu", c);

			*row = (struct share_row){ name, f ? cases[c].grown : 0, f, NAN };
		}
	}
	frame_derive(&frames[1], &frames[0]);
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		const struct share_row *row = table_row(&frames[1].tables[0], c);

		ck_assert(isnan(cases[c].ratio) ? isnan(row->part_ratio)
						: row->part_ratio == cases[c].ratio);
	}
	for (unsigned f = 0; f < 2; f++)
		frame_close(&frames[f]);
}

/* A rate that a source has itself stays, unless what it is of is known, too. */
START_TEST(rates_that_are_given_stay)
{
	struct frame before, now;

	open_items(&before, 10);
	open_items(&now, 12);
	for (unsigned pid = 1; pid <= 4; pid++) {
		add_item(&before, "x", pid, pid == 2 ? U64_UNKNOWN : 100, 1);
		add_item(&now, "x", pid, pid == 1 ? U64_UNKNOWN : 150, 3);
		if (pid != 4)
			((struct item_row *)table_row(&now.tables[0], pid - 1))->reads_per_second = 7;
	}
	frame_derive(&now, &before);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_second, 7);
	ck_assert(isnan(item_at(&now, 1)->reads_per_second)); /* it has begun to be counted */
	ck_assert_double_eq(item_at(&now, 2)->reads_per_second, 25);
	ck_assert_double_eq(item_at(&now, 3)->reads_per_second, 25);
	ck_assert_double_eq(item_at(&now, 0)->busy_ratio, 1);
	frame_close(&before);
	frame_close(&now);
}

/* Large integers stay exact, and either number of a quotient may shrink or stand still. */
START_TEST(growth_is_exact)
{
	static const uint64_t large = UINT64_C(1) << 60;
	struct frame before, now;

	open_items(&before, 10);
	open_items(&now, 11);
	add_item(&before, "large", 1, large, 1);
	add_item(&now, "large", 1, large + 3, 1.5);
	add_item(&before, "shrinks", 2, 10, 2);
	add_item(&now, "shrinks", 2, 20, 1);
	add_item(&before, "rests", 3, 10, 1);
	add_item(&now, "rests", 3, 10, 2);
	add_item(&before, "stands", 4, 10, NAN);
	add_item(&now, "stands", 4, 10, NAN);
	add_item(&before, "unknown", 5, U64_UNKNOWN, 1);
	add_item(&now, "unknown", 5, U64_UNKNOWN, 2);
	frame_derive(&now, &before);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_second, 3);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_busy, 60);
	ck_assert_double_eq(item_at(&now, 1)->reads_per_second, 10);
	ck_assert(isnan(item_at(&now, 1)->busy_ratio) && isnan(item_at(&now, 1)->reads_per_busy));
	ck_assert_double_eq(item_at(&now, 2)->reads_per_second, 0);
	ck_assert_double_eq(item_at(&now, 2)->reads_per_busy, 0);
	ck_assert_double_eq(item_at(&now, 3)->reads_per_second, 0);
	ck_assert(isnan(item_at(&now, 3)->busy_ratio) && isnan(item_at(&now, 3)->reads_per_busy));
	ck_assert(isnan(item_at(&now, 4)->reads_per_second));
	ck_assert_double_eq(item_at(&now, 4)->busy_ratio, 1);
	frame_close(&before);
	frame_close(&now);
}

/* Of another boot, or before the first sample, nothing can be told, and no row is known to be new. */
START_TEST(samples_that_cannot_be_compared)
{
	struct frame before, now;

	open_items(&before, 10);
	open_items(&now, 12);
	add_item(&before, "a", 1, 100, 1);
	add_item(&now, "a", 1, 150, 3);
	add_item(&now, "b", 2, 150, 3);
	now.boot = 1;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second) && now.interval_ns == 0);
	now.boot = 0;
	before.mono_ns = 0;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second) && now.interval_ns == 0);
	before.mono_ns = before.tables[0].mono_ns;
	before.tables[0].present = false;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second));
	ck_assert_uint_eq(now.interval_ns, 2000000000);
	before.tables[0].present = true;
	now.tables[0].present = false;
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second));
	now.tables[0].present = true;
	before.tables[0].mono_ns = 0; /* the table has no time */
	frame_derive(&now, &before);
	ck_assert(isnan(item_at(&now, 0)->reads_per_second) && now.tables[0].interval_ns == 0);
	before.tables[0].mono_ns = UINT64_C(11000000000); /* and the table has one of its own */
	frame_derive(&now, &before);
	ck_assert_double_eq(item_at(&now, 0)->reads_per_second, 50);
	ck_assert_uint_eq(now.tables[0].interval_ns, 1000000000);
	ck_assert(!table_is_fresh(&now.tables[0], table_row(&now.tables[0], 0)));
	ck_assert(table_is_fresh(&now.tables[0], table_row(&now.tables[0], 1)));
	ck_assert(isnan(item_at(&now, 1)->reads_per_second));
	frame_close(&before);
	frame_close(&now);
}

/* Of one key the first row counts, where rows are far from each other. */
START_TEST(rows_of_one_key_join_the_first)
{
	struct frame before, now;

	open_items(&before, 10);
	open_items(&now, 11);
	add_item(&before, "twice", 1, 100, 1);
	for (unsigned pid = 10; pid < 20; pid++)
		add_item(&before, "other", pid, pid, 1);
	add_item(&before, "twice", 1, 130, 1);
	for (unsigned pid = 20; pid-- > 10;)
		add_item(&now, "other", pid, pid + 5, 1);
	add_item(&now, "twice", 1, 140, 1);
	frame_derive(&now, &before);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_double_eq(item_at(&now, i)->reads_per_second, 5);
	ck_assert_double_eq(item_at(&now, 10)->reads_per_second, 40);
	frame_close(&before);
	frame_close(&now);
}

/* New is what has a bit that was not there; of more schemas than there is room for nothing is. */
START_TEST(requests_know_what_is_new)
{
	static const struct schema schemas[REQUESTED_SCHEMAS_MAX + 1];
	struct sample_request request = { 0 };

	ck_assert(!sample_request_add(&request, &schemas[0], 0));
	ck_assert(!sample_request_wants_any(&request, &schemas[0]));
	ck_assert(sample_request_add(&request, &schemas[0], 1 << 3));
	ck_assert(!sample_request_add(&request, &schemas[0], 1 << 3));
	ck_assert(sample_request_add(&request, &schemas[0], 1 << 3 | 1 << 4));
	ck_assert(sample_request_add(&request, &schemas[1], 1 << 5));
	ck_assert(sample_request_wants(&request, &schemas[0], 3) &&
		  sample_request_wants(&request, &schemas[0], 4));
	ck_assert(!sample_request_wants(&request, &schemas[0], 5));
	ck_assert(!sample_request_wants(&request, &schemas[1], 3));
	ck_assert(sample_request_wants(&request, &schemas[1], 5));
	ck_assert(sample_request_wants_any(&request, &schemas[1]));
	ck_assert(!sample_request_wants_any(&request, &schemas[2]));
	for (unsigned i = 2; i <= REQUESTED_SCHEMAS_MAX; i++)
		ck_assert(sample_request_add(&request, &schemas[i], 1 << 1) == (i < REQUESTED_SCHEMAS_MAX));
	ck_assert(!sample_request_wants(&request, &schemas[REQUESTED_SCHEMAS_MAX], 1));
	ck_assert(sample_request_add(&request, &schemas[REQUESTED_SCHEMAS_MAX - 1], 1 << 2));
}

/* Each call has a place of its own by its text and process, and a number that no earlier one had. */
START_TEST(calls_are_requested_once)
{
	struct sample_request request = { 0 };
	char text[PROBE_CALL_TEXT_MAX + 1];

	memset(text, 'x', PROBE_CALL_TEXT_MAX);
	text[PROBE_CALL_TEXT_MAX] = '\0';
	ck_assert_int_eq(sample_request_probe(&request, text, 0), -1);
	text[PROBE_CALL_TEXT_MAX - 1] = '\0';
	ck_assert_int_eq(sample_request_probe(&request, text, 0), 0);
	ck_assert_str_eq(request.probe_calls[0].text, text);
	ck_assert_int_eq(sample_request_probe(&request, "a:f", 0), 1);
	ck_assert_int_eq(sample_request_probe(&request, "a:f", 7), 2);
	ck_assert_int_eq(sample_request_probe(&request, "a:f", 0), 1);
	ck_assert_int_eq(sample_request_probe(&request, "a:f", 7), 2);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(request.probe_calls[i].number, i + 1);
	ck_assert_uint_eq(request.probe_calls[2].pid, 7);
	request.probe_calls[0] = (struct probe_call){ 0 };
	ck_assert_int_eq(sample_request_probe(&request, "a:f", 7), 2); /* behind a free place */
	ck_assert_int_eq(sample_request_probe(&request, "b:g", 0), 0);
	ck_assert_uint_eq(request.probe_calls[0].number, 4);
	for (int place = 3; place < PROBE_CALLS_MAX; place++) {
		snprintf(text, sizeof(text), "c:%d", place);
		ck_assert_int_eq(sample_request_probe(&request, text, 0), place);
	}
	ck_assert_int_eq(sample_request_probe(&request, "d:h", 0), -1);
	ck_assert_int_eq(sample_request_probe(&request, text, 0), PROBE_CALLS_MAX - 1);
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

static const struct schema twin_schema = {
	.name = "twin",
	.row_size = sizeof(struct twin_row),
	SCHEMA_COLUMNS(twin_columns),
};

static const struct schema twin_events = {
	.name = "twin_event",
	.shape = SHAPE_EVENTS,
	.row_size = sizeof(struct twin_row),
	SCHEMA_COLUMNS(twin_columns),
};

static const struct schema *const twin_schemas[] = { &twin_schema, &twin_events };

static void add_twin(struct table *table, const char *label, const char *name, const char *other)
{
	struct twin_row *row = table_add(table);

	row->label = label;
	row->name = name;
	row->other = other;
}

START_TEST(rows_are_found_by_their_keys)
{
	static const struct {
		const char *key, *other;
		int row; /* -1: none */
	} cases[] = {
		{ "a", NULL, 0 },  { "a", "x", 0 },   { "a", "y", 1 },  { "b", "x", 2 },
		{ "b", NULL, 2 },  { "x", NULL, -1 }, { "a", "z", -1 }, { "b", "y", -1 },
		{ "l", NULL, -1 }, { "c", NULL, 4 },  { "c", "x", -1 }, { "d", "x", -1 },
	};
	struct table *table;
	struct frame frame;

	frame_open(&frame, twin_schemas, 2);
	table = frame_slot(&frame, "twin");
	add_twin(table, "l", "a", "x");
	add_twin(table, "l", "a", "y");
	add_twin(table, "b", "b", "x");
	add_twin(table, "d", NULL, "x");
	add_twin(table, "x", "c", NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(table_find(table, cases[i].key, cases[i].other) ==
				      (cases[i].row < 0 ? NULL : table_row(table, (size_t)cases[i].row)),
			      "%zu", i);
	ck_assert(table_row_is(table, table_row(table, 0), "a") &&
		  !table_row_is(table, table_row(table, 0), "x"));
	ck_assert(!table_row_is(table, table_row(table, 3), "x"));
	ck_assert(table_row_has_key(table, table_row(table, 0), "a"));
	ck_assert(table_row_has_key(table, table_row(table, 0), "x"));
	ck_assert(!table_row_has_key(table, table_row(table, 0), "l")); /* a label */
	ck_assert(!table_row_has_key(table, table_row(table, 0), "y"));
	ck_assert(table_row_has_key(table, table_row(table, 3), "x"));
	ck_assert(!table_row_has_key(table, table_row(table, 4), "x"));
	ck_assert(isnan(table_number(table, NULL, "pid")) && table_u64(table, NULL, "pid") == U64_UNKNOWN);
	ck_assert_str_eq(table_text(table, NULL, "name"), "");
	ck_assert_str_eq(table_text(table, table_row(table, 3), "name"), "");
	ck_assert_ptr_null(frame_table(&frame, "twin")); /* it was not sampled */
	ck_assert_ptr_null(frame_slot(&frame, "nothing"));
	frame_close(&frame);
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

static void has_notices(const struct frame *frame)
{
	static const char *const notices[][3] = { { "twin", "first", NULL },
						  { "other", "first", "do it" },
						  { "twin", "second", "do it" } };

	ck_assert_uint_eq(frame->n_notices, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct notice *notice = &frame->notices[i];

		ck_assert_str_eq(notice->topic, notices[i][0]);
		ck_assert_str_eq(notice->text, notices[i][1]);
		ck_assert(!notice->remedy == !notices[i][2]);
		ck_assert(!notice->remedy || strcmp(notice->remedy, notices[i][2]) == 0);
	}
	ck_assert_ptr_eq(frame_newest_notice(frame, "twin"), &frame->notices[2]);
	ck_assert_ptr_eq(frame_newest_notice(frame, "other"), &frame->notices[1]);
	ck_assert_ptr_null(frame_newest_notice(frame, "nothing"));
}

/* With texts of its own; what it had before is gone, and events stay with the frame that has them. */
START_TEST(a_copy_of_a_frame_has_all)
{
	struct frame frame, copy;
	const struct twin_row *rows;

	frame_open(&frame, twin_schemas, 2);
	frame_open(&copy, twin_schemas, 2);
	fill_frame(&frame);
	has_notices(&frame);
	for (unsigned again = 0; again < 2; again++)
		frame_copy(&copy, &frame);
	frame_close(&frame);
	ck_assert(copy.mono_ns == 11 && copy.wall_ns == 12 && copy.interval_ns == 13 && copy.boot == 15);
	ck_assert_str_eq(copy.host, "here");
	has_notices(&copy);
	for (unsigned i = 0; i < 2; i++) {
		const struct table *table = &copy.tables[i];

		ck_assert(table->present && table->failed);
		ck_assert(table->mono_ns == 21 + i && table->interval_ns == 31 + i);
		ck_assert_uint_eq(table->n_rows, i == 0 ? 2 : 0);
		ck_assert(table->joined == (i == 0));
	}
	rows = table_row(&copy.tables[0], 0);
	ck_assert_str_eq(rows[0].label, "l");
	ck_assert_str_eq(rows[0].name, "a");
	ck_assert_ptr_null(rows[0].other);
	ck_assert_ptr_null(rows[1].label);
	ck_assert_str_eq(rows[1].other, "y");
	ck_assert(!table_is_fresh(&copy.tables[0], &rows[0]) && table_is_fresh(&copy.tables[0], &rows[1]));
	ck_assert_ptr_eq(frame_newest_notice(&copy, "twin"), &copy.notices[2]);
	frame_close(&copy);
}

START_TEST(a_cleared_frame_has_nothing)
{
	struct frame frame;

	frame_open(&frame, twin_schemas, 2);
	fill_frame(&frame);
	frame.since_ns = 14;
	frame.cut = frame.only_events = frame.named_there = frame.named_absent = true;
	frame_clear(&frame);
	ck_assert(frame.mono_ns == 0 && frame.wall_ns == 0 && frame.interval_ns == 0 && frame.since_ns == 0);
	ck_assert(frame.boot == 0 && !frame.host && frame.n_notices == 0);
	ck_assert(!frame.cut && !frame.only_events && !frame.named_there && !frame.named_absent);
	for (unsigned i = 0; i < 2; i++) {
		const struct table *table = &frame.tables[i];

		ck_assert(!table->present && !table->failed && !table->joined && table->n_rows == 0);
		ck_assert(table->mono_ns == 0 && table->interval_ns == 0);
	}
	frame_close(&frame);
	ck_assert(!frame.tables && frame.n_tables == 0);
}

/* Behind those that are there, with texts of the other frame, and blocks where they have some. */
START_TEST(rows_are_appended)
{
	const struct schema *schema = topic_find("process")->schema, *const schemas[] = { schema };
	const struct column *group = schema_find(schema, "group"), *read = schema_find(schema, "read_bytes");
	const struct column *name = schema_find(schema, "name");
	struct frame from, to;
	void *row;

	frame_open(&from, schemas, 1);
	frame_open(&to, schemas, 1);
	row = table_add(&from.tables[0]);
	row_set_text(row, group, arena_copy(&from.arena, "/a", 2));
	row_set_u64(row, read, 7);
	row_set_text(row, name, arena_copy(&from.arena, "x", 1));
	row = table_add_bare(&from.tables[0]);
	row_set_text(row, name, arena_copy(&from.arena, "y", 1));
	ck_assert_uint_eq(table_append(&to, &to.tables[0], &from.tables[0]), 0);
	ck_assert_uint_eq(table_append(&to, &to.tables[0], &from.tables[0]), 2);
	frame_close(&from);
	ck_assert_uint_eq(to.tables[0].n_rows, 4);
	for (size_t i = 0; i < 4; i++) {
		row = table_row(&to.tables[0], i);
		ck_assert_str_eq(row_text(row, name), i % 2 == 0 ? "x" : "y");
		ck_assert_uint_eq(row_u64(row, read), i % 2 == 0 ? 7 : U64_UNKNOWN);
		ck_assert(i % 2 == 0 ? strcmp(row_text(row, group), "/a") == 0 : !row_text(row, group));
	}
	frame_close(&to);
}

struct typed_row {
	double a, b;
};

#define NAMED(field, field_key, ...)                                                                         \
	{                                                                                                    \
		.key = field_key, .offset = offsetof(struct typed_row, field), .type = VALUE_F64,            \
		.kind = COLUMN_GAUGE, __VA_ARGS__                                                            \
	}

/* Of two columns that may be meant the one that is meant more exactly, in either order. */
START_TEST(what_is_typed_means_one_column)
{
	static const struct {
		const char *typed;
		struct column better, worse;
	} cases[] = {
		{ "load", NAMED(a, "load", .title = "x"), NAMED(b, "LOAD", .title = "load") },
		{ "load", NAMED(a, "Load", .title = "x"), NAMED(b, "other", .title = "load") },
		{ "load", NAMED(a, "other", .title = "load"), NAMED(b, "load_ratio", .title = "%load") },
		{ "load", NAMED(a, "load_ratio", .title = "%load"),
		  NAMED(b, "other", .title = "load", .hidden = true) },
		{ "load", NAMED(a, "other", .title = "load", .hidden = true),
		  NAMED(b, "load_ratio", .title = "%Load") },
		{ "load", NAMED(a, "load_ratio", .title = "%Load"), NAMED(b, "other", .title = "Load") },
		{ "load", NAMED(a, "other", .title = "Load"), NAMED(b, "others", .title = "~Load") },
		{ "load", NAMED(a, "other", .title = "~Load"), NAMED(b, "load_1", .title = "x") },
		{ "load", NAMED(a, "load_1", .title = "x"), NAMED(b, "other", .title = "loads") },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned swapped = 0; swapped < 2; swapped++) {
			struct column both[2];
			const struct schema schema = { .name = "s", .columns = both, .n_columns = 2 };

			both[swapped] = cases[i].better;
			both[1 - swapped] = cases[i].worse;
			ck_assert_msg(schema_match(&schema, span_text(cases[i].typed)) == (int)swapped,
				      "%zu, %u", i, swapped);
		}
}

START_TEST(headings_have_the_unit_of_their_sizes)
{
	static const struct column columns[] = {
		{ .key = "whole", .type = VALUE_U64, .unit = UNIT_BYTES },
		{ .key = "part", .type = VALUE_U64, .unit = UNIT_BYTES },
		{ .key = "count", .type = VALUE_U64, .unit = UNIT_COUNT },
	};
	static const struct {
		bool one_unit, has_base;
		enum size_unit unit;
		const char *table, *whole, *part;
	} cases[] = {
		{ false, false, SIZE_AUTO, "", "", "" },    { false, false, SIZE_MIB, "", "MiB", "MiB" },
		{ false, true, SIZE_PERCENT, "", "", "%" }, { false, false, SIZE_PERCENT, "", "", "" },
		{ true, true, SIZE_AUTO, "", "", "" },      { true, true, SIZE_KIB, "KiB", "", "" },
		{ true, true, SIZE_PERCENT, "%", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct schema schema = {
			.columns = columns,
			.n_columns = 3,
			.one_unit = cases[i].one_unit,
			.percent_base = cases[i].has_base ? hundred : NULL,
			.percent_column = 0,
		};

		ck_assert_str_eq(size_unit_heading(&schema, cases[i].unit), cases[i].table);
		ck_assert_str_eq(size_unit_of_column(&schema, &columns[0], cases[i].unit), cases[i].whole);
		ck_assert_str_eq(size_unit_of_column(&schema, &columns[1], cases[i].unit), cases[i].part);
		ck_assert_str_eq(size_unit_of_column(&schema, &columns[2], cases[i].unit), "");
	}
}

/* Of a table, or of a histogram, whose edges have five digits. */
START_TEST(cells_of_real_numbers)
{
	static const struct {
		enum shape shape;
		enum unit unit;
		enum size_unit size;
		double number;
		const char *text;
	} cases[] = {
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_MIB, 1572864, "1" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_MIB, -1572864, "-1" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_MIB, 524288, "0.50" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_MIB, -524288, "-0.50" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_MIB, 1048576, "1" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_MIB, 0, "0" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_PERCENT, 1536, "1.5K" },
		{ SHAPE_TABLE, UNIT_BYTES, SIZE_AUTO, -1536, "-1.5K" },
		{ SHAPE_TABLE, UNIT_COUNT, SIZE_AUTO, 7, "7" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 1.5e-6, "1.5us" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 0.9e-6, "900ns" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 0.9e-3, "900.0us" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 0.9, "900.0ms" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 999.5, "999.500s" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 1000, "00:16:40" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, -90061, "-1d01:01" },
		{ SHAPE_TABLE, UNIT_SECONDS, SIZE_AUTO, 93784, "1d02:03" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 1e-9, "1ns" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 512e-9, "512ns" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 1e-6, "1us" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 1.5e-6, "1.5000us" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 15.5e-6, "15.500us" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 155.5e-6, "155.50us" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 1e-3, "1ms" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 2.25, "2.2500s" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 999.5, "999.50s" },
		{ SHAPE_HISTOGRAM, UNIT_SECONDS, SIZE_AUTO, 1000, "00:16:40" },
		{ SHAPE_HISTOGRAM, UNIT_COUNT, SIZE_AUTO, 7, "7" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct schema of_shape = { .shape = cases[i].shape,
						 .row_size = sizeof(struct item_row),
						 SCHEMA_COLUMNS(item_columns) };
		const struct value_format format = { .unit = cases[i].size, .ascii = true };
		struct column column = item_columns[3];
		struct item_row row = { .busy_seconds = cases[i].number };
		char text[VALUE_TEXT_MAX];

		column.unit = cases[i].unit;
		column.kind = COLUMN_GAUGE;
		ck_assert_str_eq(value_text(text, &of_shape, &column, &row, &format), cases[i].text);
	}
}

START_TEST(cells_of_integers_and_texts)
{
	static const struct {
		enum unit unit;
		uint64_t number;
		const char *cell, *key;
	} cases[] = {
		{ UNIT_ADDRESS, 0x7f96d3e36000, "7f96d3e36000", NULL },
		{ UNIT_ADDRESS, 0x1000, "000000001000", NULL },
		{ UNIT_NONE, UINT64_C(12345678901234567), "12345678901234567", "12345678901234567" },
		{ UNIT_COUNT, UINT64_C(12345678901234567), "12345678901234567", NULL },
		{ UNIT_COUNT, 7, "7", "7" },
		{ UNIT_RPM, 1200, "1200", "1200" },
		{ UNIT_SECONDS, 5, "5.000s", "5.000s" },
	};
	const struct value_format format = { .ascii = true };
	struct column column = item_columns[2];
	struct item_row row = { .name = "x" };
	char text[VALUE_TEXT_MAX];

	column.kind = COLUMN_KEY;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		column.unit = cases[i].unit;
		row.reads = cases[i].number;
		ck_assert_str_eq(value_text(text, &item_schema, &column, &row, &format), cases[i].cell);
		if (cases[i].key)
			ck_assert_str_eq(key_text(text, &column, &row), cases[i].key);
	}
	column.unit = UNIT_TIME; /* in the time zone of the machine */
	row.reads = UINT64_C(1234567890123999999);
	ck_assert_uint_eq(strlen(value_text(text, &item_schema, &column, &row, &format)), 12);
	ck_assert_str_eq(text + 8, ".123");
	ck_assert_str_eq(key_text(text, &item_columns[0], &row), "x");
	ck_assert_str_eq(value_text(text, &item_schema, &item_columns[0], &row, &format), "x");
	row.busy_seconds = 1.5;
	ck_assert_str_eq(key_text(text, &item_columns[3], &row), "1.50");
}
