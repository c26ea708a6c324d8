/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of screen/row_trend: what a row's last values are, how they are drawn, and what is forgotten. */
#include "suite.h"

#include "screen/row_memory.h"

#define SECOND_NS UINT64_C(1000000000)

struct item {
	uint64_t id;
	double share;
};

static const struct column item_columns[] = {
	COLUMN(struct item, id, .kind = COLUMN_KEY),
	COLUMN(struct item, share, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO),
};

static const struct schema item_schema = { .name = "item",
					   .row_size = sizeof(struct item),
					   SCHEMA_COLUMNS(item_columns) };

static struct row_trends trends;

static void add(uint64_t second, const struct item *items, size_t n_items)
{
	struct table table = { .schema = &item_schema,
			       .mono_ns = second * SECOND_NS,
			       .interval_ns = SECOND_NS };
	const void *rows[2000];

	for (size_t i = 0; i < n_items; i++)
		rows[i] = &items[i];
	row_trends_add(&trends, &table, &item_columns[1], rows, n_items);
}

/* Eight characters: digits for levels, '-' for unknown; "" for an unknown row. */
static const char *drawn(uint64_t id)
{
	static char text[ROW_TREND_CELLS + 1];
	struct item item = { .id = id };
	double values[ROW_TREND_CELLS];
	unsigned char levels[ROW_TREND_CELLS];

	if (!row_trends_find(&trends, row_hash_key(&item_schema, &item), values))
		return "";
	row_trend_levels(&item_columns[1], values, levels);
	for (int i = 0; i < ROW_TREND_CELLS; i++)
		text[i] = levels[i] ? (char)('0' + levels[i]) : '-';
	return text;
}

START_TEST(values_move_from_the_right)
{
	row_trends_free(&trends);
	add(1, (struct item[]){ { 1, 0 }, { 2, 0.05 } }, 2);
	ck_assert_str_eq(drawn(1), "-------1");
	ck_assert_str_eq(drawn(2), "-------4");   /* a tenth is the least full height */
	add(1, (struct item[]){ { 1, 0.5 } }, 1); /* the same sample */
	ck_assert_str_eq(drawn(1), "-------1");
	for (uint64_t i = 2; i < 12; i++)
		add(i, (struct item[]){ { 1, (double)i / 11 } }, 1);
	ck_assert_str_eq(drawn(1), "34455667");
	ck_assert_str_eq(drawn(3), "");
}

/* A row that a sample did not have is unknown there, never 0. */
START_TEST(what_is_missing_is_a_gap)
{
	row_trends_free(&trends);
	add(1, (struct item[]){ { 1, 1 } }, 1);
	add(2, (struct item[]){ { 2, 1 } }, 1);
	ck_assert_str_eq(drawn(1), "------4-");
	add(3, (struct item[]){ { 1, 1 }, { 2, NAN } }, 2);
	ck_assert_str_eq(drawn(1), "-----4-4");
	ck_assert_str_eq(drawn(2), "------4-");
	for (uint64_t i = 4; i < 20; i++)
		add(i, NULL, 0);
	ck_assert_str_eq(drawn(1), "--------");
}

START_TEST(time_that_does_not_go_on)
{
	struct item item = { 1, 1 };

	row_trends_free(&trends);
	add(5, &item, 1);
	add(6, &item, 1);
	ck_assert_str_eq(drawn(1), "------44");
	add(4, &item, 1);
	ck_assert_str_eq(drawn(1), "-------4");
	add(7, &item, 1);
	ck_assert_str_eq(drawn(1), "------44");
	add(11, &item, 1);
	ck_assert_str_eq(drawn(1), "-------4");
}

/* Rows that come and go take no room from those that come after them. */
START_TEST(memory_is_bounded)
{
	static struct item items[2 * ROW_TREND_ROWS_MAX];
	uint64_t id = 0;

	row_trends_free(&trends);
	for (uint64_t second = 1; second < 30; second++) {
		for (size_t i = 0; i < 2 * ROW_TREND_ROWS_MAX; i++)
			items[i] = (struct item){ id++, 1 };
		items[0].id = UINT32_MAX;
		items[7].id = UINT32_MAX - 1;
		add(second, items, 2 * ROW_TREND_ROWS_MAX);
		ck_assert_str_eq(drawn(items[ROW_TREND_ROWS_MAX - 1].id), "-------4");
		ck_assert_str_eq(drawn(items[ROW_TREND_ROWS_MAX].id), "");
	}
	ck_assert_str_eq(drawn(UINT32_MAX), "44444444");
	ck_assert_str_eq(drawn(UINT32_MAX - 1), "44444444");
	ck_assert_uint_le(trends.capacity, 2 * ROW_TREND_CELLS * ROW_TREND_ROWS_MAX);
}

/* A size is drawn between its least and its largest value; one that does not change is low. */
START_TEST(sizes_show_their_change)
{
	static const struct column size = { .kind = COLUMN_GAUGE, .unit = UNIT_BYTES };
	static const double grows[] = { 1e9, 1.1e9, 1.2e9, 1.3e9, 1.4e9, 1.5e9, 1.6e9, 1.7e9 };
	static const double stays[] = { NAN, 1e9, 1e9, 1.001e9, 1e9, 1e9, 1e9, 1e9 };
	static const double zero[ROW_TREND_CELLS] = { 0 };
	static const unsigned char rising[] = { 1, 2, 3, 4, 4, 5, 6, 7 }, flat[] = { 0, 1, 1, 2, 1, 1, 1, 1 };
	static const unsigned char low[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	unsigned char levels[ROW_TREND_CELLS];

	row_trend_levels(&size, grows, levels);
	ck_assert_mem_eq(levels, rising, sizeof(levels));
	row_trend_levels(&size, stays, levels);
	ck_assert_mem_eq(levels, flat, sizeof(levels));
	row_trend_levels(&size, zero, levels);
	ck_assert_mem_eq(levels, low, sizeof(levels));
}
