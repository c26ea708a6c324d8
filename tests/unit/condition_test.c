/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions: how they are read, and that what is not known holds none. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "model/condition.h"
#include "suite.h"

struct row {
	const char *name, *kind, *command;
	uint64_t bytes;
	double ratio;
};

static const struct column columns[] = {
	COLUMN(struct row, name, .kind = COLUMN_KEY),
	COLUMN(struct row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES),
	COLUMN(struct row, kind, .kind = COLUMN_KEY),
	COLUMN(struct row, ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO),
	COLUMN(struct row, command, .kind = COLUMN_LABEL),
};

static const struct schema schema = {
	.name = "thing",
	.row_size = sizeof(struct row),
	SCHEMA_COLUMNS(columns),
};

static enum condition_error parse(const char *text, struct condition *condition)
{
	struct span rest = span_text(text), wrong;
	enum condition_error error = condition_parse(&rest, condition, &wrong);

	ck_assert(wrong.at >= text && wrong.end <= text + strlen(text));
	if (!error)
		ck_assert_str_eq(rest.at, "");
	return error;
}

static enum condition_error bind(const char *text)
{
	struct condition condition;
	struct span wrong;

	ck_assert_int_eq(parse(text, &condition), CONDITION_GOOD);
	return condition_bind(&condition, &schema, &wrong);
}

START_TEST(parts_are_read)
{
	static const char text[] = " thing( some , \"b,)\\\"\",command = x y).bytes <= 1.5KiB ";
	struct condition condition;

	ck_assert_int_eq(parse(text, &condition), CONDITION_GOOD);
	ck_assert(span_is(condition.topic, "thing") && span_is(condition.column, "bytes"));
	ck_assert_uint_eq(condition.n_selects, 3);
	ck_assert_str_eq(condition.selects[0].value, "some");
	ck_assert_str_eq(condition.selects[1].value, "b,)\"");
	ck_assert_str_eq(condition.selects[2].value, "x y");
	ck_assert(span_is(condition.selects[2].column, "command"));
	ck_assert_int_eq(condition.relation, RELATION_LESS_EQUAL);
	ck_assert_double_eq(condition.limit, 1536);
	ck_assert_int_eq(condition.unit, UNIT_BYTES);
	ck_assert(span_is(condition.text, "thing( some , \"b,)\\\"\",command = x y).bytes <= 1.5KiB"));
}
END_TEST

START_TEST(numbers_have_units)
{
	static const struct {
		const char *text;
		double limit;
		enum unit unit;
	} numbers[] = {
		{ "x>5", 5, UNIT_NONE },         { "x>-1.5e3", -1500, UNIT_NONE },
		{ "x>15%", 0.15, UNIT_RATIO },   { "x>15 %", 0.15, UNIT_RATIO },
		{ "x>0", 0, UNIT_NONE },         { "x>100us", 1e-4, UNIT_SECONDS },
		{ "x>5m", 300, UNIT_SECONDS },   { "x>2GB", 2e9, UNIT_BYTES },
		{ "x>5M", 5 << 20, UNIT_BYTES },
	};
	struct condition condition;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ck_assert_int_eq(parse(numbers[i].text, &condition), CONDITION_GOOD);
		ck_assert_double_eq_tol(condition.limit, numbers[i].limit, 1e-12);
		ck_assert_int_eq(condition.unit, numbers[i].unit);
	}
}
END_TEST

START_TEST(a_comma_separates_outside_brackets)
{
	struct span rest = span_text("a(b,c).d < 1, e != 2"), wrong;
	struct condition condition;

	ck_assert_int_eq(condition_parse(&rest, &condition, &wrong), CONDITION_GOOD);
	ck_assert_uint_eq(condition.n_selects, 2);
	ck_assert(span_char(&rest, ','));
	ck_assert_int_eq(condition_parse(&rest, &condition, &wrong), CONDITION_GOOD);
	ck_assert(span_is(condition.text, "e != 2") && rest.at == rest.end);
	ck_assert_int_eq(condition.relation, RELATION_NOT_EQUAL);
}
END_TEST

START_TEST(what_is_wrong_is_refused)
{
	static const struct {
		const char *text;
		enum condition_error error;
	} wrong[] = {
		{ "", CONDITION_NO_TOPIC },         { "(a) < 1", CONDITION_NO_TOPIC },
		{ "a(b < 1", CONDITION_OPEN },      { "a(\"b) < 1", CONDITION_OPEN },
		{ "a", CONDITION_NO_COMPARISON },   { "a = 1", CONDITION_NO_COMPARISON },
		{ "a.b", CONDITION_NO_COMPARISON }, { "a. < 1", CONDITION_UNKNOWN_COLUMN },
		{ "a <", CONDITION_NO_NUMBER },     { "a < b", CONDITION_NO_NUMBER },
		{ "a < 1x", CONDITION_NO_NUMBER },  { "a < 1 2 %", CONDITION_GOOD },
		{ "a(1,2,3,4,5,6,7,8,9) < 1", CONDITION_TOO_LONG },
	};
	struct condition condition;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct span rest = span_text(wrong[i].text), place;

		ck_assert_int_eq(condition_parse(&rest, &condition, &place), wrong[i].error);
		if (!wrong[i].error)
			ck_assert_str_eq(rest.at, "2 %");
	}
}
END_TEST

START_TEST(columns_are_found)
{
	ck_assert_int_eq(bind("thing(a,b).bytes < 1MiB"), CONDITION_GOOD);
	ck_assert_int_eq(bind("thing(kind=b,a).ratio < 5%"), CONDITION_GOOD);
	ck_assert_int_eq(bind("thing() == 0"), CONDITION_GOOD);
	ck_assert_int_eq(bind("thing(a,b,c) == 0"), CONDITION_TOO_MANY_KEYS);
	ck_assert_int_eq(bind("thing(no=b) == 0"), CONDITION_UNKNOWN_COLUMN);
	ck_assert_int_eq(bind("thing.no < 1"), CONDITION_UNKNOWN_COLUMN);
	ck_assert_int_eq(bind("thing.command < 1"), CONDITION_NOT_NUMERIC);
	ck_assert_int_eq(bind("thing.bytes < 1s"), CONDITION_OTHER_UNIT);
	ck_assert_int_eq(bind("thing.bytes < 1%"), CONDITION_OTHER_UNIT);
	ck_assert_int_eq(bind("thing < 1KiB"), CONDITION_OTHER_UNIT);
}
END_TEST

static struct condition_result judge(const struct frame *frame, const char *text)
{
	struct condition condition;
	struct span wrong;

	ck_assert_int_eq(parse(text, &condition), CONDITION_GOOD);
	ck_assert_int_eq(condition_bind(&condition, &schema, &wrong), CONDITION_GOOD);
	return condition_judge(&condition, frame);
}

static void add(struct table *table, const char *name, const char *kind, uint64_t bytes, double ratio)
{
	struct row *row = table_add(table);

	row->name = name;
	row->kind = kind;
	row->bytes = bytes;
	row->ratio = ratio;
}

/* Each row must hold; no row, and a value that is not known, hold nothing. */
START_TEST(rows_are_judged)
{
	static const struct schema *const schemas[] = { &schema };
	struct condition_result result;
	struct table *table;
	struct frame frame;

	frame_open(&frame, schemas, 1);
	ck_assert(!judge(&frame, "thing == 0").holds); /* not sampled */
	table = frame_slot(&frame, "thing");
	table->present = true;
	ck_assert(judge(&frame, "thing == 0").holds);
	ck_assert(!judge(&frame, "thing.bytes != 0").holds);
	add(table, "a", "x", 10, 0.5);
	add(table, "a", "y", 20, NAN);
	add(table, "b", "x", 30, 0.1);
	ck_assert(judge(&frame, "thing(a) == 2").holds && judge(&frame, "thing(a,y).bytes == 20").holds);
	ck_assert(judge(&frame, "thing(bytes=30) >= 1").holds && judge(&frame, "thing(kind=x,b) < 2").holds);
	ck_assert(judge(&frame, "thing.bytes < 31").holds && !judge(&frame, "thing.bytes < 30").holds);
	result = judge(&frame, "thing.bytes <= 10");
	ck_assert_double_eq(result.value, 20);
	ck_assert_ptr_eq(result.row, table_row(table, 1));
	ck_assert(judge(&frame, "thing(kind=x).ratio > 0").holds && !judge(&frame, "thing.ratio > 0").holds);
	ck_assert(!judge(&frame, "thing(a,y).ratio != 0").holds);
	ck_assert(isnan(judge(&frame, "thing(c).bytes > 0").value));
	table->failed = true;
	ck_assert(!judge(&frame, "thing == 3").holds);
	frame_close(&frame);
}
END_TEST
