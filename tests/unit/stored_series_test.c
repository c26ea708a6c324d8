/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of frames that are made of answers of Prometheus. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "fleet/stored_series.h"
#include "model/derive.h"
#include "suite.h"
#include "topic/topic.h"

#define ANSWER(series) "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" series "]}}"
#define SERIES(labels, values) "{\"metric\":{" labels "},\"values\":[" values "]}"

static const struct stored_steps steps = { .first = 1000, .seconds = 15, .n = 3 };
static struct stored_series *stored;
static struct frame frame, before;
static const char *why;

static int take(const char *answer)
{
	return stored_series_take(stored, span_text(answer), &steps, &why);
}

static void begin(void)
{
	stored = stored_series_open(topic_schemas(), n_topics);
	frame_open(&frame, topic_schemas(), n_topics);
	frame_open(&before, topic_schemas(), n_topics);
}

static void finish(void)
{
	frame_close(&frame);
	frame_close(&before);
	stored_series_close(stored);
}

static double number(const struct frame *of, const char *topic, const char *row, const char *column)
{
	return frame_number(of, topic, row, column);
}

START_TEST(series_are_rows)
{
	begin();
	ck_assert_int_eq(
		take(ANSWER(SERIES(
			"\"__name__\":\"panetop_memory_total_bytes\",\"name\":\"mem\",\"instance\":"
			"\"a\"",
			"[1000,\"1024\"],[1030,\"2.048e+03\"]") "," SERIES("\"__name__\":\"panetop_"
									   "memory_used_bytes\","
									   "\"name\":\"mem\"",
									   "[1015,\"7\"],[1000,"
									   "\"NaN\"]") "," SERIES("\"_"
												  "_na"
												  "me_"
												  "_\""
												  ":\""
												  "pan"
												  "eto"
												  "p_"
												  "mem"
												  "ory"
												  "_us"
												  "ed_"
												  "byt"
												  "es"
												  "\","
												  "\"n"
												  "ame"
												  "\":"
												  "\"s"
												  "wap"
												  "\"",
												  "[10"
												  "15,"
												  "\"8"
												  "\""
												  "]") "," SERIES("\"__name__\":\"node_memory_total_bytes\"",
														  "[1000,\"1\"]"))),
		0);
	ck_assert_uint_eq(stored_series_fill(stored, 0, &frame), 1);
	ck_assert_uint_eq(frame.wall_ns, 1000000000000);
	ck_assert(number(&frame, "memory", "mem", "total_bytes") == 1024);
	ck_assert(isnan(number(&frame, "memory", "mem", "used_bytes")));
	ck_assert_uint_eq(frame_table(&frame, "memory")->n_rows, 1);
	frame_clear(&frame);
	ck_assert_uint_eq(stored_series_fill(stored, 1, &frame), 2);
	ck_assert(number(&frame, "memory", "mem", "used_bytes") == 7);
	ck_assert(number(&frame, "memory", "swap", "used_bytes") == 8);
	ck_assert(isnan(number(&frame, "memory", "mem", "total_bytes")));
	frame_clear(&frame);
	ck_assert_uint_eq(stored_series_fill(stored, 2, &frame), 1);
	ck_assert(number(&frame, "memory", "mem", "total_bytes") == 2048);
	ck_assert(!frame_table(&frame, "cpu") || !frame.tables[0].failed);
	finish();
}
END_TEST

START_TEST(counters_have_rates)
{
	begin();
	ck_assert_int_eq(
		take(ANSWER(
			SERIES("\"__name__\":\"panetop_cpu_user_seconds_total\",\"cpu\":\"all\"",
			       "[1000,\"100\"],[1015,\"103\"]") "," SERIES("\"__name__\":\"panetop_cpu_total_"
									   "seconds_total\",\"cpu\":\"all\"",
									   "[1000,\"200\"],[1015,\"215\"]"))),
		0);
	stored_series_fill(stored, 0, &before);
	stored_series_fill(stored, 1, &frame);
	frame_derive(&frame, &before);
	ck_assert_double_eq_tol(number(&frame, "cpu", "all", "user_seconds"), 103, 1e-9);
	ck_assert_double_eq_tol(number(&frame, "cpu", "all", "user_ratio"), 3 / 15.0, 1e-9);
	finish();
}
END_TEST

START_TEST(sums_by_command_have_their_rates)
{
	begin();
	ck_assert_int_eq(take(ANSWER(SERIES("\"__name__\":\"panetop_process_cpu_ratio\",\"command\":\"make\"",
					    "[1000,\"0.5\"],[1015,\"0.75\"]"))),
			 0);
	stored_series_fill(stored, 0, &before);
	stored_series_fill(stored, 1, &frame);
	frame_derive(&frame, &before); /* it knows no counter */
	ck_assert_uint_eq(frame_table(&frame, "process")->n_rows, 1);
	ck_assert_str_eq(
		table_text(frame_table(&frame, "process"), frame_table(&frame, "process")->rows, "name"),
		"make");
	ck_assert_double_eq_tol(row_number(frame_table(&frame, "process")->rows,
					   schema_find(frame_table(&frame, "process")->schema, "cpu_ratio")),
				0.75, 1e-9);
	finish();
}
END_TEST

START_TEST(texts_of_a_row_are_those_of_its_info)
{
	begin();
	ck_assert_int_eq(
		take(ANSWER(SERIES("\"__name__\":\"panetop_disk_read_bytes_total\",\"device\":\"sda\"",
				   "[1000,\"5\"]") "," SERIES("\"__name__\":\"panetop_disk_row_info\","
							      "\"device\":\"sda\",\"kind\":\"Fast "
							      "\\u003cone\\u003e\"",
							      "[1000,\"1\"]"))),
		0);
	stored_series_fill(stored, 0, &frame);
	ck_assert_uint_eq(frame_table(&frame, "disk")->n_rows, 1);
	ck_assert_str_eq(table_text(frame_table(&frame, "disk"), frame_table(&frame, "disk")->rows, "kind"),
			 "Fast <one>");
	finish();
}
END_TEST

START_TEST(other_answers_are_sentences)
{
	static const char *const strange[] = {
		"", "{", "[]", "null", "{\"status\":\"success\"}", "{\"data\":{\"result\":{}}}", "<html>",
	};

	begin();
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++) {
		ck_assert_int_eq(take(strange[i]), -EBADMSG);
		ck_assert_str_eq(why, "the answer is not one of Prometheus");
		ck_assert_uint_eq(stored_series_fill(stored, 0, &frame), 0);
	}
	ck_assert_int_eq(take("{\"status\":\"error\",\"error\":\"out of\\nmemory\\u001b\"}"), -EBADMSG);
	ck_assert_str_eq(why, "out of memory ");
	finish();
}
END_TEST

START_TEST(what_is_no_value_is_left_out)
{
	begin();
	ck_assert_int_eq(
		take(ANSWER(SERIES(
			"\"__name__\":\"panetop_memory_total_bytes\",\"name\":\"mem\"",
			"[999999,\"1\"],[-5,\"1\"],[\"x\",\"1\"],[1000],[1000,1],[1000,\"1x\"],[1000,\"+"
			"Inf\"],7") ","
				    "{\"metric\":{\"__name__\":7}},{\"metric\":[]},7,null,{\"values\":[[1000,"
				    "\"1\"]]}," SERIES(
					    "\"__name__\":\"panetop_memory_total_bytes\",\"name\":7",
					    "[1000,\"-3\"]"))),
		0);
	stored_series_fill(stored, 0, &frame);
	for (size_t i = 0; frame_table(&frame, "memory") && i < frame_table(&frame, "memory")->n_rows; i++)
		ck_assert(
			isnan(row_number(table_row(frame_table(&frame, "memory"), i),
					 schema_find(frame_table(&frame, "memory")->schema, "total_bytes"))));
	finish();
}
END_TEST
