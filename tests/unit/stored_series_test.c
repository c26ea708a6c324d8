/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of frames that are made of answers of Prometheus. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/buffer.h"
#include "fleet/stored_series.h"
#include "model/derive.h"
#include "suite.h"
#include "topic/topic.h"

static const struct stored_steps steps = { .first = 1000, .seconds = 15, .n = 3 };
static struct stored_series *stored;
static struct frame frame, earlier;
static struct buffer answer;
static const char *why;

static void begin(void)
{
	stored = stored_series_open(topic_schemas(), n_topics);
	frame_open(&frame, topic_schemas(), n_topics);
	frame_open(&earlier, topic_schemas(), n_topics);
	buffer_empty(&answer);
}

static void finish(void)
{
	frame_close(&frame);
	frame_close(&earlier);
	stored_series_close(stored);
	buffer_free(&answer);
}

/* With ' for ", which is easier to read here. */
static void add_text(const char *text)
{
	for (; *text; text++)
		buffer_char(&answer, *text == '\'' ? '"' : *text);
}

static void add_series(const char *labels, const char *values)
{
	add_text(answer.length == 0 ? "{'data':{'result':[" : ",");
	add_text("{'metric':{");
	add_text(labels);
	add_text("},'values':[");
	add_text(values);
	add_text("]}");
}

static int take(void)
{
	return stored_series_take(stored, span_of(answer.bytes, answer.length), &steps, &why);
}

static void take_series(void)
{
	add_text("]}}");
	ck_assert_int_eq(take(), 0);
}

static int take_text(const char *text)
{
	buffer_empty(&answer);
	add_text(text);
	return take();
}

static const void *only_row(const char *topic)
{
	const struct table *table = frame_table(&frame, topic);

	ck_assert_ptr_nonnull(table);
	ck_assert_uint_eq(table->n_rows, 1);
	return table->rows;
}

START_TEST(series_are_rows)
{
	begin();
	add_series("'__name__':'panetop_memory_total_bytes','name':'mem','instance':'a'",
		   "[1000,'1024'],[1030,'2.048e+03']");
	add_series("'__name__':'panetop_memory_used_bytes','name':'mem'", "[1015,'7'],[1000,'NaN']");
	add_series("'__name__':'panetop_memory_used_bytes','name':'swap'", "[1015,'8']");
	add_series("'__name__':'node_memory_total_bytes'", "[1000,'1']");
	take_series();
	ck_assert_uint_eq(stored_series_fill(stored, STORED_ALL, 0, &frame), 1);
	ck_assert_uint_eq(frame.wall_ns, 1000000000000);
	ck_assert(frame_number(&frame, "memory", "mem", "total_bytes") == 1024);
	ck_assert(isnan(frame_number(&frame, "memory", "mem", "used_bytes")));
	only_row("memory");
	frame_clear(&frame);
	ck_assert_uint_eq(stored_series_fill(stored, STORED_ALL, 1, &frame), 2);
	ck_assert(frame_number(&frame, "memory", "mem", "used_bytes") == 7);
	ck_assert(frame_number(&frame, "memory", "swap", "used_bytes") == 8);
	ck_assert(isnan(frame_number(&frame, "memory", "mem", "total_bytes")));
	frame_clear(&frame);
	ck_assert_uint_eq(stored_series_fill(stored, STORED_ALL, 2, &frame), 1);
	ck_assert(frame_number(&frame, "memory", "mem", "total_bytes") == 2048);
	ck_assert_ptr_null(frame_table(&frame, "cpu"));
	finish();
}
END_TEST

START_TEST(another_answer_adds_to_the_same_rows)
{
	begin();
	add_series("'__name__':'panetop_memory_total_bytes','name':'mem','instance':'a'", "[1000,'1024']");
	take_series();
	buffer_empty(&answer);
	add_series("'__name__':'panetop_memory_used_bytes','name':'mem','instance':'a'", "[1000,'7']");
	add_series("'__name__':'panetop_memory_used_bytes','name':'mem','instance':'b'", "[1000,'8']");
	add_text("]}}");
	ck_assert_int_eq(stored_series_add(stored, span_of(answer.bytes, answer.length), &why), 0);
	ck_assert_uint_eq(stored_series_machines(stored), 2);
	ck_assert_uint_eq(stored_series_fill(stored, 0, 0, &frame), 2);
	ck_assert_double_eq(frame_number(&frame, "memory", "mem", "total_bytes"), 1024);
	ck_assert_double_eq(frame_number(&frame, "memory", "mem", "used_bytes"), 7);
	frame_clear(&frame);
	stored_series_fill(stored, 1, 0, &frame);
	ck_assert_double_eq(frame_number(&frame, "memory", "mem", "used_bytes"), 8);
	finish();
}
END_TEST

START_TEST(counters_have_rates)
{
	begin();
	add_series("'__name__':'panetop_cpu_user_seconds_total','cpu':'all'", "[1000,'100'],[1015,'103']");
	add_series("'__name__':'panetop_cpu_total_seconds_total','cpu':'all'", "[1000,'200'],[1015,'215']");
	take_series();
	stored_series_fill(stored, STORED_ALL, 0, &earlier);
	stored_series_fill(stored, STORED_ALL, 1, &frame);
	frame_derive(&frame, &earlier);
	ck_assert_double_eq_tol(frame_number(&frame, "cpu", "all", "user_seconds"), 103, 1e-9);
	ck_assert_double_eq_tol(frame_number(&frame, "cpu", "all", "user_ratio"), 3 / 15.0, 1e-9);
	finish();
}
END_TEST

START_TEST(sums_by_command_have_their_rates)
{
	const struct schema *schema;

	begin();
	add_series("'__name__':'panetop_process_cpu_ratio','command':'make'", "[1000,'0.5'],[1015,'0.75']");
	take_series();
	stored_series_fill(stored, STORED_ALL, 0, &earlier);
	stored_series_fill(stored, STORED_ALL, 1, &frame);
	frame_derive(&frame, &earlier); /* it knows no counter */
	schema = frame_table(&frame, "process")->schema;
	ck_assert_str_eq(row_text(only_row("process"), schema_find(schema, "name")), "make");
	ck_assert_str_eq(row_text(only_row("process"), schema_find(schema, "command")), "make");
	ck_assert_double_eq_tol(row_number(only_row("process"), schema_find(schema, "cpu_ratio")), 0.75,
				1e-9);
	finish();
}
END_TEST

START_TEST(texts_of_a_row_are_those_of_its_info)
{
	begin();
	add_series("'__name__':'panetop_disk_read_bytes_total','device':'sda'", "[1000,'5']");
	add_series("'__name__':'panetop_disk_row_info','device':'sda','kind':'Fast \\u003cone\\u003e'",
		   "[1000,'1']");
	take_series();
	stored_series_fill(stored, STORED_ALL, 0, &frame);
	ck_assert_str_eq(table_text(frame_table(&frame, "disk"), only_row("disk"), "kind"), "Fast <one>");
	finish();
}
END_TEST

START_TEST(other_answers_are_sentences)
{
	static const char *const strange[] = {
		"", "{", "[]", "null", "{'status':'success'}", "{'data':{'result':{}}}", "<html>",
	};

	begin();
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++) {
		ck_assert_int_eq(take_text(strange[i]), -EBADMSG);
		ck_assert_str_eq(why, "the answer is not one of Prometheus");
		ck_assert_uint_eq(stored_series_fill(stored, STORED_ALL, 0, &frame), 0);
	}
	ck_assert_int_eq(take_text("{'status':'error','error':'out of\\nmemory\\u001b'}"), -EBADMSG);
	ck_assert_str_eq(why, "out of memory ");
	finish();
}
END_TEST

START_TEST(what_is_no_value_is_left_out)
{
	const struct table *table;

	begin();
	add_series("'__name__':'panetop_memory_total_bytes','name':'mem'",
		   "[999999,'1'],[-5,'1'],['x','1'],[1000],[1000,1],[1000,'1x'],[1000,'+Inf'],7");
	add_text(",{'metric':{'__name__':7}},{'metric':[]},7,null,{'values':[[1000,'1']]}");
	add_series("'__name__':'panetop_memory_total_bytes','name':7", "[1000,'-3']");
	take_series();
	stored_series_fill(stored, STORED_ALL, 0, &frame);
	table = frame_table(&frame, "memory");
	for (size_t i = 0; table && i < table->n_rows; i++)
		ck_assert(isnan(row_number(table_row(table, i), schema_find(table->schema, "total_bytes"))));
	finish();
}
END_TEST
