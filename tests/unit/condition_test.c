/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions: how they are read, and that what is not known holds none. */
#include "suite.h"

#include "model/rule.h"

struct row {
	const char *name, *kind, *command;
	uint64_t bytes;
	double ratio, flow;
};

static const struct column columns[] = {
	COLUMN(struct row, name, .kind = COLUMN_KEY),
	COLUMN(struct row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES),
	COLUMN(struct row, kind, .kind = COLUMN_KEY),
	COLUMN(struct row, ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO),
	COLUMN(struct row, command, .kind = COLUMN_LABEL),
	COLUMN(struct row, flow, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND),
};

static const struct schema schema = { .name = "thing",
				      .row_size = sizeof(struct row),
				      SCHEMA_COLUMNS(columns) };

static enum condition_error parse(const char *text, struct condition *condition)
{
	struct span rest = span_text(text), wrong;
	enum condition_error error = condition_parse(&rest, condition, &wrong);

	ck_assert(wrong.at >= text && wrong.end <= text + strlen(text));
	if (!error)
		ck_assert_str_eq(rest.at, "");
	return error;
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

static void check_condition(const char *text, unsigned n_values, const char *first, const char *last)
{
	struct condition condition;

	ck_assert_msg(parse(text, &condition) == CONDITION_GOOD, "%s", text);
	ck_assert_uint_eq(condition.n_selects, n_values);
	ck_assert_str_eq(condition.selects[0].value, first);
	ck_assert_str_eq(condition.selects[n_values - 1].value, last);
}

START_TEST(blanks_around_values_are_left_out)
{
	struct condition condition;

	check_condition("t(\t a\t ,b \t) == 0", 2, "a", "b");
	check_condition("t(a\tb\t) == 0", 1, "a\tb", "a\tb");
	check_condition("t(a, ) == 0", 2, "a", "");
	check_condition("t(\" a \" ) == 0", 1, " a ", " a ");
	check_condition("t( = x) == 0", 1, "= x", "= x"); /* there is no name before it */
	check_condition("t(a b = c) == 0", 1, "a b = c", "a b = c");
	check_condition("t(b = c) == 0", 1, "c", "c");
	check_condition("t(1,2,3,4,5,6,7,8) == 0", CONDITION_SELECTS_MAX, "1", "8");
	ck_assert_int_eq(parse("t( \t) == 0", &condition), CONDITION_GOOD);
	ck_assert_uint_eq(condition.n_selects, 0);
	ck_assert_int_eq(parse("\tt\t(a).b\t<\t5", &condition), CONDITION_GOOD);
	ck_assert(span_is(condition.topic, "t") && span_is(condition.column, "b"));
}

/* One byte of a value is its NUL. */
START_TEST(values_have_a_longest_length)
{
	char longest[CONDITION_VALUE_MAX + 1] = "";
	struct condition condition;

	memset(longest, 'v', CONDITION_VALUE_MAX);
	ck_assert_int_eq(parse(textf("t(%s) == 0", longest), &condition), CONDITION_TOO_LONG);
	ck_assert_int_eq(parse(textf("t(\"%s\") == 0", longest), &condition), CONDITION_TOO_LONG);
	ck_assert_int_eq(parse(textf("t(%s) == 0", longest + 1), &condition), CONDITION_GOOD);
	ck_assert_str_eq(condition.selects[0].value, longest + 1);
	ck_assert_int_eq(parse(textf("t(\"%s\") == 0", longest + 1), &condition), CONDITION_GOOD);
}

/* What lies behind it is of others. */
START_TEST(a_condition_ends_where_its_text_does)
{
	static const struct {
		const char *text;
		size_t length;
		enum condition_error error;
		const char *value; /* of what it selects */
	} cases[] = {
		{ "t(\"a\\\") < 15", 5, CONDITION_OPEN, "a\\" }, /* a backslash is the last byte */
		{ "t(\"a\\\") < 15", 1, CONDITION_NO_COMPARISON, NULL },
		{ "tx < 1", 1, CONDITION_NO_COMPARISON, NULL },
		{ "t(\"ab\") < 1", 4, CONDITION_OPEN, "a" },
		{ "t < 15", 5, CONDITION_GOOD, NULL },
		{ "t(ab) < 1", 3, CONDITION_OPEN, "a" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct span rest = span_of(cases[i].text, cases[i].length), wrong;
		struct condition condition;

		ck_assert_int_eq(condition_parse(&rest, &condition, &wrong), cases[i].error);
		ck_assert(span_is(condition.topic, "t") && rest.at == rest.end);
		if (cases[i].value)
			ck_assert_str_eq(condition.selects[0].value, cases[i].value);
		ck_assert(cases[i].error || condition.limit == 1);
	}
}

START_TEST(relations_hold_below_at_and_above_their_limit)
{
	static const struct {
		const char *text;
		bool below, at, above;
	} cases[] = {
		{ "t < 5", true, false, false },  { "t <= 5", true, true, false },
		{ "t > 5", false, false, true },  { "t >= 5", false, true, true },
		{ "t == 5", false, true, false }, { "t != 5", true, false, true },
	};
	struct condition condition;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		ck_assert_int_eq(parse(cases[i].text, &condition), CONDITION_GOOD);
		ck_assert_msg(condition_compares(&condition, 4.5) == cases[i].below &&
				      condition_compares(&condition, 5) == cases[i].at &&
				      condition_compares(&condition, 5.5) == cases[i].above &&
				      !condition_compares(&condition, NAN),
			      "%s", cases[i].text);
	}
}

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
		{ "x>5M", 5 << 20, UNIT_BYTES }, { "x>15\t%", 0.15, UNIT_RATIO },
		{ "x>5\t", 5, UNIT_NONE },       { "x>0s", 0, UNIT_SECONDS },
		{ "x>0B", 0, UNIT_BYTES },       { "x>8388607TiB", 8388607 * 0x1p40, UNIT_BYTES },
	};
	struct condition condition;
	char text[80];

	for (unsigned i = 0; i < LENGTH(numbers); i++) {
		ck_assert_int_eq(parse(numbers[i].text, &condition), CONDITION_GOOD);
		ck_assert_double_eq_tol(condition.limit, numbers[i].limit, 1e-12);
		ck_assert_int_eq(condition.unit, numbers[i].unit);
	}
	snprintf(text, sizeof(text), "x>%063d", 7);
	ck_assert_int_eq(parse(text, &condition), CONDITION_GOOD);
	ck_assert_double_eq(condition.limit, 7);
	snprintf(text, sizeof(text), "x>%064d", 7);
	ck_assert_int_eq(parse(text, &condition), CONDITION_NO_NUMBER);
}

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

START_TEST(what_is_wrong_is_refused)
{
	static const struct {
		const char *text;
		enum condition_error error;
	} wrong[] = {
		{ "", CONDITION_NO_TOPIC },
		{ "(a) < 1", CONDITION_NO_TOPIC },
		{ "a(b < 1", CONDITION_OPEN },
		{ "a(\"b) < 1", CONDITION_OPEN },
		{ "a", CONDITION_NO_COMPARISON },
		{ "a = 1", CONDITION_NO_COMPARISON },
		{ "a.b", CONDITION_NO_COMPARISON },
		{ "a. < 1", CONDITION_UNKNOWN_COLUMN },
		{ "a <", CONDITION_NO_NUMBER },
		{ "a < b", CONDITION_NO_NUMBER },
		{ "a < 1x", CONDITION_NO_NUMBER },
		{ "a < 1 2 %", CONDITION_GOOD },
		{ "a(1,2,3,4,5,6,7,8,9) < 1", CONDITION_TOO_LONG },
		{ "a < 8388609TiB", CONDITION_NO_NUMBER }, /* more than half of what a number holds */
		{ "a(b, < 1", CONDITION_OPEN },
	};
	struct condition condition;

	for (unsigned i = 0; i < LENGTH(wrong); i++) {
		struct span rest = span_text(wrong[i].text), place;

		ck_assert_int_eq(condition_parse(&rest, &condition, &place), wrong[i].error);
		if (!wrong[i].error)
			ck_assert_str_eq(rest.at, "2 %");
	}
}

static void check_bound(const char *text, enum condition_error error, const char *expected)
{
	struct condition condition;
	struct span wrong;

	ck_assert_int_eq(parse(text, &condition), CONDITION_GOOD);
	ck_assert_msg(condition_bind(&condition, &schema, &wrong) == error, "%s", text);
	if (error)
		ck_assert_msg(span_is(wrong, expected), "%s: '%.*s'", text, (int)span_length(wrong),
			      wrong.at);
}

START_TEST(columns_are_found_or_named)
{
	check_bound("thing(a,b).bytes < 1MiB", CONDITION_GOOD, "");
	check_bound("thing(kind=b,a).ratio < 5%", CONDITION_GOOD, "");
	check_bound("thing() == 0", CONDITION_GOOD, "");
	check_bound("thing(a,b,c d) == 0", CONDITION_TOO_MANY_KEYS, "c d");
	check_bound("thing(kind=b,a,b,c) == 0", CONDITION_TOO_MANY_KEYS,
		    "c"); /* what is named takes no place */
	check_bound("thing(a,no=b) == 0", CONDITION_UNKNOWN_COLUMN, "no");
	check_bound("thing(a).no < 1", CONDITION_UNKNOWN_COLUMN, "no");
	check_bound("thing.x < 1", CONDITION_UNKNOWN_COLUMN, "x");
	check_bound("thing.command < 1", CONDITION_NOT_NUMERIC, "command");
	check_bound("thing.bytes < 1s", CONDITION_OTHER_UNIT, "bytes");
	check_bound("thing.bytes < 1%", CONDITION_OTHER_UNIT, "bytes");
	check_bound("thing < 1KiB", CONDITION_OTHER_UNIT, "");
	check_bound("thing.flow < 1KiB", CONDITION_GOOD, ""); /* in a second */
	check_bound("thing.flow < 1s", CONDITION_OTHER_UNIT, "flow");
	check_bound("thing.ratio < 1KiB", CONDITION_OTHER_UNIT, "ratio");
}

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
	*(struct row *)table_add(table) = (struct row){ name, kind, NULL, bytes, ratio, NAN };
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
	result = judge(&frame, "thing.bytes <= 30");
	ck_assert(result.holds && result.value == 30);
	ck_assert_ptr_eq(result.row, table_row(table, 2));
	result = judge(&frame, "thing > 3");
	ck_assert(!result.holds && result.value == 3);
	ck_assert_ptr_null(result.row);
	ck_assert(judge(&frame, "thing(bytes=30x) == 0").holds && judge(&frame, "thing(bytes=x) == 0").holds);
	ck_assert(judge(&frame, "thing(ratio=0.5) == 1").holds && judge(&frame, "thing(name=a) == 2").holds);
	ck_assert(judge(&frame, "thing(command=x) == 0").holds); /* it is not known of any */
	ck_assert(judge(&frame, "thing(kind=x).ratio > 0").holds && !judge(&frame, "thing.ratio > 0").holds);
	ck_assert(!judge(&frame, "thing(a,y).ratio != 0").holds);
	ck_assert(isnan(judge(&frame, "thing(c).bytes > 0").value));
	table->failed = true;
	result = judge(&frame, "thing == 3");
	ck_assert(!result.holds && isnan(result.value));
	frame_close(&frame);
}
