/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences with numbers, and the conditions under which they are said. */
#include "suite.h"

#include "given_facts.h"
#include "topic/topic.h"

#define FACTS                                                                                                \
	"state=S many=12345 half_ratio=0.5 few=3 none=0 used_bytes=1536 grows_per_second=250 "               \
	"cpus_ratio=0.042 time=1000 warm_celsius=47.2 wait_seconds=0.0000584 load_watts=12.34"

static const struct given_facts facts = { { given_fact }, FACTS, "" };

START_TEST(numbers_are_written_by_their_units)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "{many} of {half_ratio}", "12345 of 50 %" },
		{ "{used_bytes}, {grows_per_second}", "1.5 KiB, 250/s" },
		{ "{half_ratio:%} {cpus_ratio:%} {cpus_ratio:.1%} {many:rate}", "50 % 4 % 4.2 % 12.3k" },
		{ "{used_bytes:short} {nothing:short} {nothing:.1%}", "1.5K - -" },
		{ "{half_ratio:.1} {half_ratio:cpus} {cpus_ratio:cpus}", "0.5 0.5 0.04" },
		{ "{half_ratio:0.2} {few:0.2} {cpus_ratio:100.1} {cpus_ratio:100.0} {half_ratio:.0}",
		  "0.50 3 4.2 4 0" },
		{ "{grows_per_second:short} {time:clock} {time:date} {nothing:date}",
		  "250/s 00:00:00 1970-01-01 00:00:00 -" },
		{ "{warm_celsius} {warm_celsius:C}", "47 C 47 °C" },
		{ "{wait_seconds} {wait_seconds:time} {wait_seconds:short}", "58 µs 58.4 µs 58.4µs" },
		{ "{load_watts:short} {nothing:C} {nothing:time}", "12.3 W - -" },
		{ "state {state}", "state S" },
		{ "{nothing}", "-" },
		{ "a[, {state}][, {nothing}][ {many}]", "a, S 12345" },
		{ "[{state} and {nothing}]b", "b" },
	};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer out = { 0 };

		sentence_add(&out, cases[i].text, &facts.facts);
		buffer_char(&out, '\0');
		ck_assert_str_eq(out.bytes, cases[i].expected);
		buffer_free(&out);
	}
}

/* Of a row, of what is made of it, and of other rows of the frame. */
START_TEST(facts_come_from_a_frame)
{
	static const struct made_fact made[] = { { "kind", { .text = "all" } }, { "few", { .number = 3 } },
						{ "empty", { .text = "" } } };
	char text[TEXT_MAX];
	struct table *table;
	struct frame frame;

	frame_open(&frame, topic_schemas(), n_topics);
	table = frame_slot(&frame, "pressure");
	table->present = true;
	for (int i = 0; i < 2; i++) {
		void *row = table_add(table);

		row_set_text(row, schema_find(table->schema, "resource"), "memory");
		row_set_text(row, schema_find(table->schema, "kind"), i ? "full" : "some");
		row_set_f64(row, schema_find(table->schema, "avg10_ratio"), i ? 0.02 : 0.1234);
	}
	sentence_text(text,
		      "{resource} {kind} {few} {avg10_ratio}[ {avg60_ratio}], {pressure.avg10_ratio}, "
		      "{pressure.memory.kind} {pressure.memory/some.avg10_ratio:.1%}"
		      "[ {pressure.io.avg10_ratio}][ {reclaim.total}][ {no.total}][ {empty}] {empty}",
		      &(const struct row_facts){
			      { row_fact }, table, table_row(table, 1), made, 3, &frame }.facts);
	ck_assert_str_eq(text, "memory all 3 2.0 %, 12 %, some 12.3 % -");
	frame_close(&frame);
}

static bool note_origin(const struct origins *origins, const struct origin *origin)
{
	if (origin->column)
		buffer_print(origins->out, "%s of %s=%g ", origin->column->key,
			     row_text(origin->row, &origin->schema->columns[0]),
			     row_number(origin->row, origin->column));
	else
		buffer_print(origins->out, "%s=%g: %s; ", origin->name, origin->number, origin->from);
	return true;
}

/* Those of numbers that are said, in their order; a made one is followed by what it is made of. */
START_TEST(numbers_of_sentences_have_origins)
{
	static const char made_from[] = "(avg10_ratio + pressure.io.avg10_ratio) / 2, a mean";
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "{kind} {resource}", "" }, /* keys, which name the row */
		{ "{avg10_ratio}, {pressure.memory.avg10_ratio}",
		  "avg10_ratio of io=0.5 avg10_ratio of memory=0.25 " },
		{ "{avg10_ratio}[, {nothing}]", "avg10_ratio of io=0.5 " },
		{ "[{avg10_ratio}, {nothing}]", "" },
		{ "{avg60_ratio} {few}", "avg60_ratio of io=nan " }, /* why it is not known; of nothing */
		{ "{half}", "half=0.5: (avg10_ratio + pressure.io.avg10_ratio) / 2, a mean; "
		  "avg10_ratio of io=0.5 avg10_ratio of io=0.5 " },
		{ "{word}", "avg10_ratio of io=0.5 " }, /* a text says only what it is made of */
	};
	const struct made_fact made[] = { { "few", { .number = 3 } },
					  { "half", { .number = 0.5 }, made_from },
					  { "word", { .text = "half" }, "avg10_ratio" } };
	struct buffer out = { 0 };
	const struct origins origins = { .add = note_origin, .out = &out };
	char text[TEXT_MAX];
	struct table *table;
	struct frame frame;

	frame_open(&frame, topic_schemas(), n_topics);
	table = frame_slot(&frame, "pressure");
	table->present = true;
	for (int i = 0; i < 2; i++) {
		void *row = table_add(table);

		row_set_text(row, schema_find(table->schema, "resource"), i ? "io" : "memory");
		row_set_text(row, schema_find(table->schema, "kind"), "some");
		row_set_f64(row, schema_find(table->schema, "avg10_ratio"), i ? 0.5 : 0.25);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct row_facts of = { { row_fact }, table, table_row(table, 1), made, 3, &frame };

		buffer_empty(&out);
		origins_collect(&origins);
		sentence_text(text, cases[i].text, &of.facts);
		origins_collect(NULL);
		sentence_text(text, cases[i].text, &of.facts); /* nothing collects it */
		buffer_char(&out, '\0');
		ck_assert_str_eq(out.bytes, cases[i].expected);
	}
	buffer_empty(&out);
	origins_collect(&origins);
	ck_assert_double_eq(frame_number(&frame, "pressure", "memory", "avg10_ratio"), 0.25);
	origins_collect(NULL);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, "avg10_ratio of memory=0.25 ");
	buffer_free(&out);
	frame_close(&frame);
}

/* A sum has more than any; the first of equals; at least so much. */
START_TEST(the_row_with_most_is_no_sum)
{
	static const struct {
		const char *device;
		double busy;
	} rows[] = { { "all", 0.9 }, { "sda", NAN }, { "sdb", 0.5 }, { "sdc", 0.7 }, { "sdd", 0.7 } };
	struct table *table;
	struct frame frame;

	frame_open(&frame, topic_schemas(), n_topics);
	table = frame_slot(&frame, "disk");
	table->present = true;
	ck_assert_ptr_null(table_most(table, "busy_ratio", NAN));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *row = table_add(table);

		row_set_text(row, schema_find(table->schema, "device"), rows[i].device);
		row_set_f64(row, schema_find(table->schema, "busy_ratio"), rows[i].busy);
	}
	ck_assert_ptr_eq(table_most(table, "busy_ratio", NAN), table_row(table, 3));
	ck_assert_ptr_eq(table_most(table, "busy_ratio", 0.7), table_row(table, 3));
	ck_assert_ptr_null(table_most(table, "busy_ratio", 0.8));
	ck_assert_ptr_null(table_most(NULL, "busy_ratio", NAN));
	frame_close(&frame);
}

START_TEST(conditions_hold_of_what_is_known)
{
	static const struct {
		bool holds;
		const char *condition;
	} cases[] = {
		{ true, NULL },
		{ true, "" },
		{ true, "state" },
		{ false, "nothing" },
		{ true, "not nothing" },
		{ true, "none" }, /* 0 is known */
		{ true, "state == S" },
		{ true, "state == D|S" },
		{ false, "state == D|SS" },
		{ false, "state != S" },
		{ true, "state != D|Z" },
		{ false, "state > A" },
		{ false, "nothing != 3" },
		{ false, "nothing == X" },
		{ true, "few == 3, few != 4, few < 3.5, few <= 3, few > 2, few >= 3" },
		{ false, "few == 3, few > 3" },
		{ true, "few >= 6 * half_ratio" },
		{ false, "few > 6 * half_ratio" },
		{ true, "few > half_ratio, few > -0.5" },
		{ true, "half_ratio >= few - 2.5" },
		{ false, "half_ratio > few - 2.5" },
		{ false, "few > nothing" },
		{ true, "not few > nothing" },
		{ true, "not few > 4 * few" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(sentence_holds(cases[i].condition, &facts.facts) == cases[i].holds, "%s: %d",
			      cases[i].condition, !cases[i].holds);
}

/* The first that holds, what is added to it alone, and its plural. */
START_TEST(the_first_remark_that_holds_is_said)
{
	static const struct remark remarks[] = {
		{ .when = "state == D", .text = "stuck" },
		{ .when = "state", .text = "lost", .more = true },
		{ .when = "few > 2", .text = "{few} is few.", .many = "{few} are few.", .count = "few",
		  .level = 7 },
		{ .when = "nothing", .text = "lost", .more = true },
		{ .when = "many > 1000", .text = "{many} are many.", .more = true },
		{ .text = "calm", .level = 1 },
	};
	struct buffer out = { 0 };

	ck_assert_int_eq(remarks_say(&out, remarks, 6, &facts.facts), 7);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, "3 are few. 12345 are many.");
	ck_assert_int_eq(remarks_say(&out, remarks, 2, &facts.facts), -1);
	buffer_free(&out);
}
