/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the sinks and of recording and replay, on hostile text and extreme numbers. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/bytes.h"
#include "core/hash.h"
#include "core/utf8.h"
#include "model/derive.h"
#include "output/command_sums.h"
#include "output/describe.h"
#include "output/exposition.h"
#include "output/json_writer.h"
#include "output/line_reader.h"
#include "output/recording.h"
#include "output/sink.h"
#include "suite.h"
#include "sys/error_message.h"
#include "topic/topic.h"

struct thing_row {
	const char *name;
	uint64_t address, size_bytes;
	double level;
	uint64_t events;
	double events_per_second;
};

static const struct column thing_columns[] = {
	COLUMN(struct thing_row, name, .kind = COLUMN_KEY, .title = "name", .help = "a \"name\"", .width = 6),
	COLUMN(struct thing_row, address, .kind = COLUMN_LABEL, .title = "address", .help = "h"),
	COLUMN(struct thing_row, size_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size",
	       .help = "h"),
	COLUMN(struct thing_row, level, .kind = COLUMN_GAUGE, .title = "level", .help = "h"),
	COLUMN(struct thing_row, events, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "events",
	       .help = "h"),
	COLUMN(struct thing_row, events_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = "ev/s", .help = "h", .rate_of = offsetof(struct thing_row, events)),
};

static const struct schema thing_schema = {
	.name = "thing",
	.help = "things",
	.row_size = sizeof(struct thing_row),
	SCHEMA_COLUMNS(thing_columns),
};

struct bucket_row {
	const char *cpu;
	double from_seconds, to_seconds;
	uint64_t samples;
};

static const struct column bucket_columns[] = {
	COLUMN(struct bucket_row, cpu, .kind = COLUMN_KEY, .title = "cpu", .help = "h"),
	COLUMN(struct bucket_row, from_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = "from",
	       .help = "h"),
	COLUMN(struct bucket_row, to_seconds, .kind = COLUMN_BOUND, .unit = UNIT_SECONDS, .title = "to",
	       .help = "h"),
	COLUMN(struct bucket_row, samples, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "n",
	       .help = "h"),
};

static const struct schema bucket_schema = {
	.name = "delay_bucket",
	.help = "delays",
	.shape = SHAPE_HISTOGRAM,
	.sparse = true,
	.sum_row = "all",
	.row_size = sizeof(struct bucket_row),
	SCHEMA_COLUMNS(bucket_columns),
};

static const struct schema *const schemas[] = { &thing_schema, &bucket_schema };

static const char *const hostile[] = {
	"plain",
	"a,b\"c\"",
	"line\nbreak\r\n",
	"\033[2J\033]0;title\007",
	"\xff\xfe\x80",
	"\xe2\x80\xae"
	"evil",
	"\xe6\xbc\xa2\xe5\xad\x97",
	"\xc2\x9b"
	"31m",
	"",
	"\\back\\slash",
	"\\xff\\b",
	"{\"json\":1}",
	"# TYPE x gauge",
};

#define N_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static void open_frame(struct frame *frame, uint64_t second)
{
	frame_open(frame, schemas, 2);
	frame->mono_ns = second * 1000000000 + 7;
	frame->wall_ns = UINT64_C(1732095000123456789) + second * 1000000000;
	frame->host = "vb\"ox";
	for (int i = 0; i < 2; i++) {
		frame->tables[i].present = true;
		frame->tables[i].mono_ns = frame->mono_ns + 1000;
	}
}

static void add_things(struct frame *frame, uint64_t second)
{
	static const double levels[] = { 0, -1.5, 1e300, 5e-324, NAN, INFINITY, 0.1, 1.0 / 3 };

	for (size_t i = 0; i < N_HOSTILE; i++) {
		struct thing_row *row = table_add(&frame->tables[0]);

		row->name = hostile[i];
		row->address = UINT64_C(0xffffffffff600000) - i;
		row->size_bytes = i == 1 ? U64_BLANK : i == 2 ? U64_UNKNOWN : (uint64_t)1 << (i * 5);
		row->level = levels[i % 8];
		row->events = 1000 * i + second * i * 3;
	}
	frame_notice(frame, "thing", "do \"this\"", "bad\033 thing");
}

static void add_buckets(struct frame *frame)
{
	struct bucket_row *row;

	for (int cpu = 0; cpu < 2; cpu++) {
		for (int i = 0; i < 3; i++) {
			row = table_add(&frame->tables[1]);
			row->cpu = cpu ? "1" : "0";
			row->from_seconds = 1e-6 * i;
			row->to_seconds = 1e-6 * (i + 1);
			row->samples = (uint64_t)(i + 1);
		}
	}
	row = table_add(&frame->tables[1]);
	row->cpu = "1";
	row->from_seconds = 3e-6; /* and all that is longer */
	row->samples = 4;
	row = table_add(&frame->tables[1]);
	row->cpu = "1";
	row->samples = 100; /* it is not known where */
}

struct output {
	struct print_plan plan;
	struct sink sink;
	int fd;
	char *text;
};

static void begin_output(struct output *output, const struct sink_format *format, unsigned n_views)
{
	static const char *const panes[] = { "things" };
	char path[SCRATCH_PATH_MAX];

	*output = (struct output){ .plan = { .panes = panes, .n_panes = 1, .repeated = true } };
	output->plan.views = alloc_zeroed(n_views, sizeof(*output->plan.views));
	output->plan.n_views = n_views;
	for (unsigned i = 0; i < n_views; i++)
		view_open(&output->plan.views[i], schemas[i]);
	scratch_template(path, "output");
	output->fd = mkstemp(path);
	ck_assert_int_ge(output->fd, 0);
	sink_open(&output->sink, format, &output->plan, output->fd, "test");
	output->sink.clock = &real_clock;
	ck_assert_int_eq(sink_begin(&output->sink), 0);
}

static const char *end_output(struct output *output)
{
	off_t length = lseek(output->fd, 0, SEEK_END);

	output->text = alloc_zeroed((size_t)length + 1, 1);
	ck_assert_int_eq(pread(output->fd, output->text, (size_t)length, 0), length);
	close(output->fd);
	sink_close(&output->sink);
	print_plan_close(&output->plan);
	return output->text;
}

/* Two frames through one sink. */
static const char *run_sink(struct output *output, const struct sink_format *format, unsigned n_views)
{
	begin_output(output, format, n_views);
	for (uint64_t second = 1; second <= 2; second++) {
		struct frame frame;

		open_frame(&frame, second);
		add_things(&frame, second);
		add_buckets(&frame);
		ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
		frame_close(&frame);
	}
	ck_assert_int_eq(sink_end(&output->sink), 0);
	return end_output(output);
}

/* No byte that a terminal acts upon, beyond the line ends of the format itself; valid UTF-8 throughout. */
static void assert_harmless(const char *text, const char *allowed)
{
	struct span rest = span_text(text);

	while (rest.at < rest.end) {
		char byte = *rest.at;
		uint32_t code = utf8_next(&rest);

		ck_assert_msg(!utf8_is_harmful(code) || strchr(allowed, byte), "harmful %x", code);
	}
}

START_TEST(no_sink_harms_a_terminal)
{
	static const struct sink_format *const formats[] = {
		&sink_text, &sink_csv, &sink_json, &sink_openmetrics, &sink_prometheus, &sink_record_lines
	};
	static const char *const line_ends[] = { "\n", "\r\n", "\n", "\n", "\n", "\n" };

	for (size_t i = 0; i < 6; i++) {
		struct output output;

		assert_harmless(run_sink(&output, formats[i], formats[i]->one_table ? 1 : 2), line_ends[i]);
		free(output.text);
	}
}

static json_t *line_of(const char *text, size_t number)
{
	struct span rest = span_text(text), line;
	json_error_t error;
	json_t *json;

	for (size_t i = 0; i <= number; i++)
		ck_assert(span_line(&rest, &line));
	json = json_loadb(line.at, span_length(line), JSON_DECODE_INT_AS_REAL, &error);
	ck_assert_msg(json != NULL, "%s", error.text);
	return json;
}

START_TEST(json_lines_read_back)
{
	struct output output;
	const char *text = run_sink(&output, &sink_json, 2);

	for (size_t line = 0; line < 2; line++) {
		json_t *json = line_of(text, line);
		const json_t *rows = json_object_get(json_object_get(json, "tables"), "thing");

		ck_assert_str_eq(json_string_value(json_object_get(json, "host")), "vb\"ox");
		ck_assert_str_eq(json_string_value(json_object_get(json, "time")),
				 line ? "2024-11-20T09:30:02.123456789Z" : "2024-11-20T09:30:01.123456789Z");
		ck_assert_uint_eq(json_array_size(rows), N_HOSTILE);
		ck_assert_str_eq(json_string_value(json_object_get(json_array_get(rows, 3), "name")),
				 hostile[3]);
		ck_assert_str_eq(json_string_value(json_object_get(json_array_get(rows, 4), "name")),
				 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
		ck_assert(json_is_null(json_object_get(json_array_get(rows, 1), "size_bytes")));
		ck_assert(json_is_null(json_object_get(json_array_get(rows, 4), "level")));
		ck_assert_double_eq(json_number_value(json_object_get(json_array_get(rows, 2), "level")),
				    1e300);
		ck_assert_double_eq(json_number_value(json_object_get(json_array_get(rows, 0), "address")),
				    18446744073699065856.0);
		ck_assert_ptr_nonnull(strstr(text, "\"address\":18446744073699065855,"));
		ck_assert(json_is_null(json_object_get(json, "interval_seconds")));
		ck_assert_str_eq(json_string_value(json_object_get(
					 json_array_get(json_object_get(json, "notices"), 0), "remedy")),
				 "do \"this\"");
		json_decref(json);
	}
	free(output.text);
}

/* A recording has notices of all its tables, and those about itself. */
START_TEST(json_has_the_times_and_the_notices_of_its_tables)
{
	struct output output;
	struct frame frame;
	const json_t *notices;
	json_t *json;

	open_frame(&frame, 1);
	frame.interval_ns = 2500000000;
	frame.since_ns = frame.wall_ns + 1000000000;
	frame_notice(&frame, "thing", NULL, "of a printed table");
	frame_notice(&frame, "delay_bucket", NULL, "of another one");
	frame_notice(&frame, "replay", "read it", "of the recording");
	begin_output(&output, &sink_json, 1);
	ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output.sink), 0);
	json = line_of(end_output(&output), 0);
	notices = json_object_get(json, "notices");
	ck_assert_double_eq(json_number_value(json_object_get(json, "interval_seconds")), 2.5);
	ck_assert_str_eq(json_string_value(json_object_get(json, "time")), "2024-11-20T09:30:01.123456789Z");
	ck_assert_str_eq(json_string_value(json_object_get(json, "since")),
			 "2024-11-20T09:30:02.123456789Z");
	ck_assert_uint_eq(json_array_size(json_object_get(json, "panes")), 1);
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(json, "panes"), 0)), "things");
	ck_assert_uint_eq(json_array_size(notices), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(notices, 0), "text")),
			 "of a printed table");
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(notices, 1), "text")),
			 "of the recording");
	json_decref(json);
	free(output.text);
	frame_close(&frame);
}

START_TEST(json_doubles_are_exact)
{
	static const double numbers[] = { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789,
					  -2.5 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct buffer buffer = { 0 };
		struct json_writer json = { .out = &buffer };

		jsonw_f64(&json, numbers[i]);
		buffer_char(&buffer, '\0');
		ck_assert(strtod(buffer.bytes, NULL) == numbers[i]);
		buffer_free(&buffer);
	}
}

/* What could change how a text is read is written as its number, beyond the first plane as two of them. */
START_TEST(json_texts_show_what_could_mislead)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\x1f \x7f", "\"\\u001f \\u007f\"" },
		{ "\u202e\u00e9", "\"\\u202e\u00e9\"" },
		{ "\U000e0001", "\"\\udb40\\udc01\"" },
		{ "\U0010ffff", "\"\\udbff\\udfff\"" },
		{ "\U0001f600", "\"\U0001f600\"" },
		{ "\xff", "\"\ufffd\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer buffer = { 0 };
		struct json_writer json = { .out = &buffer };

		jsonw_text(&json, cases[i].text);
		buffer_char(&buffer, '\0');
		ck_assert_str_eq(buffer.bytes, cases[i].json);
		buffer_free(&buffer);
	}
}

/* Splits a CSV text after RFC 4180 and counts fields: every record has the same number. */
START_TEST(csv_records_are_whole)
{
	struct output output;
	const char *text = run_sink(&output, &sink_csv, 1);
	unsigned fields = 1, records = 0;
	bool quoted = false;

	ck_assert_int_eq(strncmp(text, "time,name,address,size_bytes,level,events,events_per_second\r\n", 60),
			 0);
	for (const char *at = text; *at; at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (*at == ',' && !quoted)
			fields++;
		else if (*at == '\n' && !quoted) {
			ck_assert_uint_eq(fields, 7);
			ck_assert_int_eq(at[-1], '\r');
			fields = 1;
			records++;
		}
	}
	ck_assert(!quoted);
	ck_assert_uint_eq(records, 1 + 2 * N_HOSTILE);
	ck_assert_ptr_nonnull(strstr(text, ",\"a,b\"\"c\"\"\","));
	ck_assert_ptr_nonnull(strstr(text, ",\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd,"));
	ck_assert_ptr_null(strchr(text, '?'));
	free(output.text);
}

START_TEST(text_is_aligned)
{
	struct output output;
	const char *text = run_sink(&output, &sink_text, 1);
	struct span rest = span_text(text), line;

	ck_assert(span_line(&rest, &line)); /* the time */
	ck_assert(span_line(&rest, &line) && span_starts(line, "name "));
	ck_assert_ptr_nonnull(
		strstr(text, "\n\xe6\xbc\xa2\xe5\xad\x97 ")); /* wide characters, padded by cells */
	ck_assert_ptr_nonnull(strstr(text, "?[2J?]0;title?"));
	free(output.text);
}

START_TEST(openmetrics_histogram_is_cumulative)
{
	struct output output;
	const char *text = run_sink(&output, &sink_openmetrics, 2);

	ck_assert_ptr_nonnull(strstr(
		text, "# TYPE panetop_delay_seconds histogram\n# UNIT panetop_delay_seconds seconds\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_bucket{cpu=\"1\",le=\"3e-06\"} 6\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_bucket{cpu=\"0\",le=\"+Inf\"} 6\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_bucket{cpu=\"1\",le=\"+Inf\"} 10\n"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE panetop_thing_events counter\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_thing_events_total{name=\"plain\"} 0\n"));
	ck_assert_ptr_nonnull(strstr(text, "{name=\"\\\\xff\\\\xfe\\\\x80\"} "));
	ck_assert_ptr_nonnull(strstr(text, "{name=\"\\\\xe2\\\\x80\\\\xaeevil\"} "));
	ck_assert_ptr_nonnull(strstr(text, "{name=\"\\\\x5cxff\\\\b\"} "));
	ck_assert_ptr_null(strstr(text, "panetop_thing_name"));
	/* of the samples the last one, whole */
	ck_assert_uint_eq(count_of(text, "# EOF\n"), 1);
	ck_assert_str_eq(text + strlen(text) - 6, "# EOF\n");
	ck_assert_uint_eq(count_of(text, "panetop_exposition_cut_rows{topic=\"thing\"} 0\n"), 1);
	ck_assert_ptr_nonnull(strstr(text, "panetop_thing_events_total{name=\"a,b\\\"c\\\"\"} 1006\n"));
	free(output.text);
}

/* Of unknown length: the sum is unknown. What is known of it is the middle of its buckets. */
START_TEST(histogram_sum_is_known_or_left_out)
{
	struct output output;
	const char *text = run_sink(&output, &sink_openmetrics, 2);

	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_count{cpu=\"0\"} 6\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_sum{cpu=\"0\"} 1.1e-05\n"));
	ck_assert_ptr_null(strstr(text, "panetop_delay_seconds_sum{cpu=\"1\"}"));
	ck_assert_ptr_null(strstr(text, "panetop_delay_seconds_count{cpu=\"1\"}"));
	free(output.text);
	text = run_sink(&output, &sink_prometheus, 2);
	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_sum{cpu=\"1\"} NaN\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_delay_seconds_count{cpu=\"1\"} 10\n"));
	free(output.text);
}

/* Text format 0.0.4 has no unit, no end and no type info; HELP and TYPE name the samples themselves. */
START_TEST(prometheus_is_the_older_format)
{
	struct output output;
	const char *text = run_sink(&output, &sink_prometheus, 2);

	ck_assert_ptr_null(strstr(text, "# EOF"));
	ck_assert_ptr_null(strstr(text, "# UNIT"));
	ck_assert_ptr_null(strstr(text, " info\n"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE panetop_thing_events_total counter\n"
					   "# HELP panetop_thing_events_total h\n"
					   "panetop_thing_events_total{name=\"plain\"} 0\n"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE panetop_delay_seconds histogram\n"));
	ck_assert_ptr_nonnull(strstr(text, "panetop_thing_row_info{name=\"plain\",address=\""));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE panetop_thing_row_info gauge\n"));
	free(output.text);
}

static void print_table(struct output *output, const struct sink_format *format, const struct frame *frame)
{
	begin_output(output, format, 2);
	ck_assert_int_eq(sink_frame(&output->sink, frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
}

static void add_bucket(struct frame *frame, const char *cpu, double from_ns, double to_ns, uint64_t samples)
{
	struct bucket_row *row = table_add(&frame->tables[1]);

	row->cpu = cpu;
	row->from_seconds = from_ns / 1e9;
	row->to_seconds = to_ns / 1e9;
	row->samples = samples;
}

/* 1, 1.5, 2, 3, 5 and 7 in each decade. */
START_TEST(histogram_bounds_are_round)
{
	static const char *const bounds[] = {
		"1e-06", "1.5e-06", "2e-06", "3e-06",  "5e-06",   "7e-06",  "1e-05",  "1.5e-05", "2e-05",
		"3e-05", "5e-05",   "7e-05", "0.0001", "0.00015", "0.0002", "0.0003", "0.0005",  "0.0007",
		"0.001", "0.0015",  "0.002", "0.003",  "0.005",   "0.007",  "0.01",   "0.015",   "0.02",
		"0.03",  "0.05",    "0.07",  "0.1",    "0.15",    "0.2",    "0.3",    "0.5",     "0.7",
		"1",     "1.5",     "2",     "3",      "5",       "7",      "10",     "+Inf",
	};
	struct output output;
	struct frame frame;
	size_t n = 0;

	open_frame(&frame, 1);
	add_bucket(&frame, "0", 1, 2, 1);
	print_table(&output, &sink_openmetrics, &frame);
	for (const char *at = output.text; (at = strstr(at, "_bucket{")); at++) {
		const char *bound = strstr(at, "le=\"") + strlen("le=\"");

		ck_assert_uint_lt(n, sizeof(bounds) / sizeof(bounds[0]));
		ck_assert_uint_eq(strcspn(bound, "\""), strlen(bounds[n]));
		ck_assert_msg(strncmp(bound, bounds[n], strlen(bounds[n])) == 0, "%s: %.12s", bounds[n],
			      bound);
		n++;
	}
	ck_assert_uint_eq(n, sizeof(bounds) / sizeof(bounds[0]));
	frame_close(&frame);
	free(output.text);
}

/* The bounds of two runs are the same, whichever of the fine buckets have samples. */
START_TEST(histogram_bounds_are_fixed)
{
	static const double times_ns[] = { 1, 999, 1000, 1504, 19900, 1303000, 8e9, 9.9e9, 2e10 };
	char bounds[2][4096] = { "", "" };

	for (unsigned run = 0; run < 2; run++) {
		struct output output;
		struct frame frame;

		open_frame(&frame, 1);
		for (unsigned i = run; i < sizeof(times_ns) / sizeof(times_ns[0]); i += 1 + run)
			add_bucket(&frame, "0", times_ns[i], times_ns[i] * 1.005, 10 + i);
		add_bucket(&frame, "all", 500, 502, 5);
		print_table(&output, &sink_openmetrics, &frame);
		for (const char *at = output.text; (at = strstr(at, "_bucket{")); at++) {
			size_t length = strcspn(at, " \n");

			ck_assert_uint_lt(strlen(bounds[run]) + length, sizeof(bounds[run]) - 1);
			strncat(bounds[run], at, length);
		}
		ck_assert_uint_eq(count_of(output.text, "_bucket{cpu=\"0\",le="), 44);
		ck_assert_uint_eq(count_of(output.text, "_bucket{"), 44); /* "all" is what sum() gives */
		if (run == 0) {
			/* 1 and 999 ns fit; 1000 ns may be longer than 1 µs */
			ck_assert_ptr_nonnull(strstr(output.text, "le=\"1e-06\"} 10\n"));
			ck_assert_ptr_nonnull(strstr(output.text, "le=\"1.5e-06\"} 33\n"));
			ck_assert_ptr_nonnull(strstr(output.text, "le=\"0.001\"} 60\n"));
			ck_assert_ptr_nonnull(strstr(output.text, "le=\"0.0015\"} 75\n"));
			ck_assert_ptr_nonnull(strstr(output.text, "le=\"10\"} 108\n"));
			ck_assert_ptr_nonnull(strstr(output.text, "le=\"+Inf\"} 126\n"));
		}
		frame_close(&frame);
		free(output.text);
	}
	ck_assert_str_eq(bounds[0], bounds[1]);
}

/* As a damaged recording or tree may have them: the exposition would be refused as a whole. */
START_TEST(expositions_have_each_series_once)
{
	static const char *const names[] = { "one", "two", "one", NULL, "" };
	struct output output;
	struct frame frame;

	open_frame(&frame, 1);
	for (size_t i = 0; i < 5; i++) {
		struct thing_row *row = table_add(&frame.tables[0]);

		row->name = names[i];
		row->address = i;
		row->events = i;
		row->level = (double)i;
	}
	add_bucket(&frame, "0", 1000, 1008, 1);
	add_bucket(&frame, "1", 1000, 1008, 1);
	add_bucket(&frame, "0", 1000, 1008, 1);
	begin_output(&output, &sink_openmetrics, 2);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output.sink), 0);
	end_output(&output);
	ck_assert_uint_eq(count_of(output.text, "panetop_thing_events_total{name=\"one\"} "), 1);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_thing_events_total{name=\"one\"} 0\n"));
	ck_assert_uint_eq(count_of(output.text, "panetop_thing_level{name=\"\"} "), 1);
	ck_assert_uint_eq(count_of(output.text, "panetop_thing_row_info{name=\"one\","), 1);
	ck_assert_uint_eq(count_of(output.text, "{cpu=\"0\",le=\"+Inf\"}"), 1);
	ck_assert_ptr_nonnull(strstr(output.text, "{cpu=\"0\",le=\"+Inf\"} 2\n"));
	ck_assert_uint_eq(count_of(error_message_log(), "openmetrics: 2 values were left out"), 1);
	free(output.text);
	frame_close(&frame);
}

struct tally_row {
	const char *cpu;
	double seconds, user_seconds;
};

static const struct column tally_columns[] = {
	COLUMN(struct tally_row, cpu, .kind = COLUMN_KEY, .title = "cpu", .help = "h"),
	COLUMN(struct tally_row, seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = "s",
	       .help = "h"),
	COLUMN(struct tally_row, user_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = "u",
	       .help = "h"),
};

static int keep_sample(void *context, struct buffer *sample)
{
	struct buffer *kept = context;

	buffer_empty(kept);
	buffer_add(kept, sample->bytes, sample->length);
	buffer_char(kept, '\0');
	return 0;
}

/* whole: gets each sample in place of the output; may be NULL. */
static void print_tally(struct output *output, bool of_run, struct buffer *whole, bool repeated)
{
	const struct schema tally_schema = {
		.name = "tally",
		.help = "tallies",
		.row_size = sizeof(struct tally_row),
		.sum_row = "all",
		.of_run = of_run,
		SCHEMA_COLUMNS(tally_columns),
	};
	const struct schema *schema = &tally_schema;
	static const struct tally_row rows[] = { { "all", 3, 7 }, { "0", 1, NAN }, { "1", -2, NAN } };
	struct frame frame;

	frame_open(&frame, &schema, 1);
	frame.tables[0].present = true;
	for (size_t i = 0; i < 3; i++)
		memcpy(table_add(&frame.tables[0]), &rows[i], sizeof(rows[i]));
	begin_output(output, &sink_prometheus, 1);
	view_open(&output->plan.views[0], &tally_schema);
	output->plan.repeated = repeated;
	output->sink.replace = whole ? keep_sample : NULL;
	output->sink.replace_context = whole;
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

/* sum() gives them. A negative counter is none; a sum of parts that are not known stays. */
START_TEST(expositions_leave_sums_out)
{
	struct output output;

	print_tally(&output, false, NULL, true);
	ck_assert_uint_eq(count_of(output.text, "panetop_tally_seconds_total{"), 1);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_tally_seconds_total{cpu=\"0\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_tally_user_seconds_total{cpu=\"all\"} 7\n"));
	ck_assert_ptr_nonnull(strstr(error_message_log(), "prometheus: 1 value was left out"));
	free(output.text);
}

struct link_row {
	const char *cpu;
	uint64_t seconds, speed_bits, inodes_total;
	double ratio;
	const char *model;
};

static const struct column link_columns[] = {
	COLUMN(struct link_row, cpu, .kind = COLUMN_KEY, .title = "cpu", .help = "h"),
	COLUMN(struct link_row, seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = "s",
	       .help = "h"),
	COLUMN(struct link_row, ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = "r", .help = "h",
	       .rate_of = offsetof(struct link_row, seconds)),
	COLUMN(struct link_row, speed_bits, .kind = COLUMN_GAUGE, .unit = UNIT_BITS, .title = "b",
	       .help = "in bits per second"),
	COLUMN(struct link_row, inodes_total, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "i",
	       .help = "h"),
	COLUMN(struct link_row, model, .kind = COLUMN_LABEL, .title = "m", .help = "h"),
};

static const char *link_model; /* of all rows; NULL: not known */

/* The row "all" and n others; limit as of --limit. */
static void print_links(struct output *output, unsigned n, bool with_sum, size_t limit)
{
	const struct schema links = { .name = "link",
				      .help = "links",
				      .row_size = sizeof(struct link_row),
				      .sum_row = with_sum ? "all" : NULL,
				      SCHEMA_COLUMNS(link_columns) };
	const struct schema *schema = &links;
	char names[400][8];
	struct frame frame;

	frame_open(&frame, &schema, 1);
	frame.tables[0].present = true;
	for (unsigned i = 0; i <= n; i++) {
		struct link_row *row = table_add(&frame.tables[0]);

		snprintf(names[i], sizeof(names[i]), i == 0 ? "all" : "%u", i - 1);
		*row = (struct link_row){ names[i], i, 8000, i, 0.5, link_model };
	}
	begin_output(output, &sink_prometheus, 1);
	view_open(&output->plan.views[0], &links);
	output->plan.views[0].limit = limit;
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

/* A rate stands beside no counter; names are those that Prometheus checks for: base units, "_total". */
START_TEST(expositions_have_each_number_once)
{
	struct output output;

	print_links(&output, 1, true, VIEW_ALL_ROWS);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_link_seconds_total{cpu=\"0\"} 1\n"));
	ck_assert_ptr_null(strstr(output.text, "panetop_link_ratio{cpu=\"0\"}"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_link_ratio{cpu=\"all\"} 0.5\n"));
	ck_assert_ptr_null(strstr(output.text, "panetop_link_seconds_total{cpu=\"all\"}"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_link_speed_bytes{cpu=\"0\"} 1000\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "# HELP panetop_link_speed_bytes in bytes per second\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_link_inodes{cpu=\"0\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 0\n"));
	free(output.text);
}

/* Of rows that do not fit their sum stays, or else the first ones; what is cut is counted. */
START_TEST(expositions_have_a_limit_for_each_topic)
{
	struct output output;

	print_links(&output, 300, true, VIEW_ALL_ROWS);
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 1);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_link_seconds_total{cpu=\"all\"} 0\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 300\n"));
	free(output.text);
	print_links(&output, 300, false, VIEW_ALL_ROWS);
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 66);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 235\n"));
	free(output.text);
	link_model = "some"; /* a series more of each row */
	print_links(&output, 300, false, VIEW_ALL_ROWS);
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 50);
	ck_assert_uint_eq(count_of(output.text, "panetop_link_row_info{"), 50);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 251\n"));
	free(output.text);
	print_links(&output, 49, false, VIEW_ALL_ROWS); /* 200 series */
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 50);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 0\n"));
	free(output.text);
	print_links(&output, 50, true, VIEW_ALL_ROWS); /* the sum has its rate, but not its counter */
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 1);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 50\n"));
	free(output.text);
	print_links(&output, 50, false, VIEW_ALL_ROWS);
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 50);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 1\n"));
	free(output.text);
	link_model = NULL;
	print_links(&output, 300, false, 300);
	ck_assert_uint_eq(count_of(output.text, "panetop_link_speed_bytes{"), 300);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_exposition_cut_rows{topic=\"link\"} 1\n"));
	free(output.text);
}

/* A row of which all is known, and one of which only the name and a rate without its counter are. */
static void print_two_things(struct output *output, const struct sink_format *format)
{
	struct thing_row *row;
	struct frame frame;

	open_frame(&frame, 1);
	row = table_add(&frame.tables[0]);
	*row = (struct thing_row){ "plain", 16, 4096, 0.5, 7, 3 };
	row = table_add(&frame.tables[0]);
	row->name = "a\\\"b\"\n";
	row->events_per_second = 2.5;
	begin_output(output, format, 1);
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

START_TEST(expositions_as_a_whole)
{
	struct output output;

	print_two_things(&output, &sink_openmetrics);
	ck_assert_ptr_null(strstr(error_message_log(), "left out"));
	ck_assert_str_eq(output.text,
			 "# TYPE panetop_thing_row info\n"
			 "# HELP panetop_thing_row things\n"
			 "panetop_thing_row_info{name=\"plain\",address=\"16\"} 1\n"
			 "# TYPE panetop_thing_size_bytes gauge\n"
			 "# UNIT panetop_thing_size_bytes bytes\n"
			 "# HELP panetop_thing_size_bytes h\n"
			 "panetop_thing_size_bytes{name=\"plain\"} 4096\n"
			 "# TYPE panetop_thing_level gauge\n"
			 "# HELP panetop_thing_level h\n"
			 "panetop_thing_level{name=\"plain\"} 0.5\n"
			 "# TYPE panetop_thing_events counter\n"
			 "# HELP panetop_thing_events h\n"
			 "panetop_thing_events_total{name=\"plain\"} 7\n"
			 "# TYPE panetop_thing_events_per_second gauge\n"
			 "# HELP panetop_thing_events_per_second h\n"
			 "panetop_thing_events_per_second{name=\"a\\\\\\\"b\\\"\\n\"} 2.5\n"
			 "# TYPE panetop_exposition_cut_rows gauge\n"
			 "# HELP panetop_exposition_cut_rows rows beyond the limit of their topic, and "
			 "commands that are in (others)\n"
			 "panetop_exposition_cut_rows{topic=\"thing\"} 0\n"
			 "# EOF\n");
	free(output.text);
	print_two_things(&output, &sink_prometheus);
	ck_assert_str_eq(output.text,
			 "# TYPE panetop_thing_row_info gauge\n"
			 "# HELP panetop_thing_row_info things\n"
			 "panetop_thing_row_info{name=\"plain\",address=\"16\"} 1\n"
			 "# TYPE panetop_thing_size_bytes gauge\n"
			 "# HELP panetop_thing_size_bytes h\n"
			 "panetop_thing_size_bytes{name=\"plain\"} 4096\n"
			 "# TYPE panetop_thing_level gauge\n"
			 "# HELP panetop_thing_level h\n"
			 "panetop_thing_level{name=\"plain\"} 0.5\n"
			 "# TYPE panetop_thing_events_total counter\n"
			 "# HELP panetop_thing_events_total h\n"
			 "panetop_thing_events_total{name=\"plain\"} 7\n"
			 "# TYPE panetop_thing_events_per_second gauge\n"
			 "# HELP panetop_thing_events_per_second h\n"
			 "panetop_thing_events_per_second{name=\"a\\\\\\\"b\\\"\\n\"} 2.5\n"
			 "# TYPE panetop_exposition_cut_rows gauge\n"
			 "# HELP panetop_exposition_cut_rows rows beyond the limit of their "
			 "topic, and commands that are in (others)\n"
			 "panetop_exposition_cut_rows{topic=\"thing\"} 0\n");
	free(output.text);
}

/* Buckets that are always there, of two CPUs and of both; a run that ends has a level of them. */
static void print_delays(struct output *output, const struct sink_format *format, bool of_run, bool sparse)
{
	static const struct bucket_row rows[] = {
		{ "0", 0, 0.5, 2 }, { "0", 0.5, 2, 1 }, { "0", 2, NAN, 4 },  { "1", 0, 0.5, 0 },
		{ "1", 0.5, 2, 5 }, { "1", NAN, NAN, 9 }, { "1", 2, NAN, 0 },  { "all", 0, 0.5, 77 },
	};
	struct schema schema = bucket_schema;
	const struct schema *only = &schema;
	struct frame frame;

	schema.sparse = sparse;
	schema.of_run = of_run;
	frame_open(&frame, &only, 1);
	frame.tables[0].present = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		memcpy(table_add(&frame.tables[0]), &rows[i], sizeof(rows[i]));
	begin_output(output, format, 1);
	view_open(&output->plan.views[0], &schema);
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

START_TEST(histograms_as_a_whole)
{
	struct output output;

	print_delays(&output, &sink_openmetrics, false, false);
	ck_assert_str_eq(output.text,
			 "# TYPE panetop_delay_seconds histogram\n"
			 "# UNIT panetop_delay_seconds seconds\n"
			 "# HELP panetop_delay_seconds delays\n"
			 "panetop_delay_seconds_bucket{cpu=\"0\",le=\"0.5\"} 2\n"
			 "panetop_delay_seconds_bucket{cpu=\"0\",le=\"2\"} 3\n"
			 "panetop_delay_seconds_bucket{cpu=\"0\",le=\"+Inf\"} 7\n"
			 "panetop_delay_seconds_bucket{cpu=\"1\",le=\"0.5\"} 0\n"
			 "panetop_delay_seconds_bucket{cpu=\"1\",le=\"2\"} 5\n"
			 "panetop_delay_seconds_bucket{cpu=\"1\",le=\"+Inf\"} 5\n"
			 "# EOF\n");
	free(output.text);
}

START_TEST(histograms_of_a_run_as_a_whole)
{
	struct output output;

	print_delays(&output, &sink_prometheus, true, false);
	ck_assert_str_eq(output.text,
			 "# TYPE panetop_delay_seconds_bucket untyped\n"
			 "# HELP panetop_delay_seconds_bucket delays\n"
			 "panetop_delay_seconds_bucket{cpu=\"0\",le=\"0.5\"} 2\n"
			 "panetop_delay_seconds_bucket{cpu=\"0\",le=\"2\"} 3\n"
			 "panetop_delay_seconds_bucket{cpu=\"0\",le=\"+Inf\"} 7\n"
			 "panetop_delay_seconds_bucket{cpu=\"1\",le=\"0.5\"} 0\n"
			 "panetop_delay_seconds_bucket{cpu=\"1\",le=\"2\"} 5\n"
			 "panetop_delay_seconds_bucket{cpu=\"1\",le=\"+Inf\"} 5\n"
			 "# TYPE panetop_delay_seconds_gcount untyped\n"
			 "# HELP panetop_delay_seconds_gcount delays\n"
			 "panetop_delay_seconds_gcount{cpu=\"0\"} 7\n"
			 "panetop_delay_seconds_gcount{cpu=\"1\"} 5\n"
			 "# TYPE panetop_delay_seconds_gsum untyped\n"
			 "# HELP panetop_delay_seconds_gsum delays\n"
			 "panetop_delay_seconds_gsum{cpu=\"0\"} NaN\n"
			 "panetop_delay_seconds_gsum{cpu=\"1\"} NaN\n");
	free(output.text);
}

START_TEST(histograms_of_a_run_are_levels)
{
	static const char head[] = "# TYPE panetop_delay_seconds gaugehistogram\n"
				   "# UNIT panetop_delay_seconds seconds\n"
				   "# HELP panetop_delay_seconds delays\n"
				   "panetop_delay_seconds_bucket{cpu=\"0\",le=\"0.5\"} 2\n";
	struct output output;

	print_delays(&output, &sink_openmetrics, true, false);
	ck_assert_int_eq(strncmp(output.text, head, strlen(head)), 0);
	ck_assert_ptr_null(strstr(output.text, "count"));
	free(output.text);
	print_delays(&output, &sink_openmetrics, true, true);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_delay_seconds_gcount{cpu=\"1\"} 5\n"
						  "panetop_delay_seconds_gsum{cpu=\"1\"} 6.25\n"));
	ck_assert_ptr_null(strstr(output.text, "_gcount{cpu=\"0\"}"));
	free(output.text);
	print_delays(&output, &sink_openmetrics, false, true);
	ck_assert_ptr_nonnull(strstr(output.text, "# TYPE panetop_delay_seconds histogram\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_delay_seconds_count{cpu=\"1\"} 5\n"
						  "panetop_delay_seconds_sum{cpu=\"1\"} 6.25\n"));
	free(output.text);
}

/* A bucket of each of n CPUs, and of all of them. */
static void print_cpus(struct output *output, unsigned n_cpus, bool with_all)
{
	char names[16][12];
	struct frame frame;

	open_frame(&frame, 1);
	for (unsigned i = 0; i < n_cpus; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", i);
		add_bucket(&frame, names[i], 1000, 1004, 1);
	}
	if (with_all)
		add_bucket(&frame, "all", 1000, 1004, n_cpus);
	print_table(output, &sink_prometheus, &frame);
	frame_close(&frame);
}

/* Of 46 series each; what is cut is counted. */
START_TEST(histograms_have_a_limit)
{
	struct output output;

	print_cpus(&output, 4, true);
	ck_assert_uint_eq(count_of(output.text, "_bucket{cpu="), 4 * 44);
	ck_assert_ptr_null(strstr(output.text, "cpu=\"all\""));
	ck_assert_ptr_null(strstr(output.text, "cut_rows{topic=\"delay_bucket\"}"));
	free(output.text);
	print_cpus(&output, 5, true);
	ck_assert_uint_eq(count_of(output.text, "_bucket{cpu="), 44);
	ck_assert_ptr_nonnull(strstr(output.text, "_bucket{cpu=\"all\",le=\"+Inf\"} 5\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"delay_bucket\"} 5\n"));
	free(output.text);
	print_cpus(&output, 6, false);
	ck_assert_uint_eq(count_of(output.text, "_bucket{cpu="), 4 * 44);
	ck_assert_ptr_nonnull(strstr(output.text, "_bucket{cpu=\"3\",le=\"+Inf\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"delay_bucket\"} 2\n"));
	free(output.text);
	print_cpus(&output, 0, true);
	ck_assert_ptr_nonnull(strstr(output.text, "_bucket{cpu=\"all\",le=\"+Inf\"} 0\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"delay_bucket\"} 0\n"));
	free(output.text);
	print_cpus(&output, 0, false);
	ck_assert_ptr_null(strstr(output.text, "panetop_delay_seconds"));
	free(output.text);
}

struct volume_row {
	const char *cpu;
	double from_bytes, to_bytes;
	uint64_t samples, lost;
};

static const struct column volume_columns[] = {
	COLUMN(struct volume_row, cpu, .kind = COLUMN_KEY, .title = "cpu", .help = "h"),
	COLUMN(struct volume_row, from_bytes, .kind = COLUMN_KEY, .unit = UNIT_BYTES, .title = "from",
	       .help = "h"),
	COLUMN(struct volume_row, to_bytes, .kind = COLUMN_BOUND, .unit = UNIT_BYTES, .title = "to",
	       .help = "h"),
	COLUMN(struct volume_row, samples, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "n",
	       .help = "h"),
	COLUMN(struct volume_row, lost, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "l",
	       .help = "h"), /* of the buckets the first one counts */
};

static void print_volumes(struct output *output, const struct volume_row *rows, size_t n_rows, bool sparse)
{
	const struct schema volumes = { .name = "volume",
					.help = "volumes",
					.shape = SHAPE_HISTOGRAM,
					.sparse = sparse,
					.row_size = sizeof(struct volume_row),
					SCHEMA_COLUMNS(volume_columns) };
	const struct schema *schema = &volumes;
	struct frame frame;

	frame_open(&frame, &schema, 1);
	frame.tables[0].present = true;
	for (size_t i = 0; i < n_rows; i++)
		memcpy(table_add(&frame.tables[0]), &rows[i], sizeof(rows[i]));
	begin_output(output, &sink_openmetrics, 1);
	view_close(&output->plan.views[0]);
	view_open(&output->plan.views[0], &volumes);
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

/* One less than powers of four up to 10^12, as a bound counts; their buckets are too wide for a sum. */
START_TEST(bounds_of_sizes_are_powers)
{
	static const struct volume_row rows[] = {
		{ "0", 0, 1, 2, 70 }, { "0", 1, 2, 3, 0 }, { "0", 0x1p38, 0x1p39, 4, 0 }
	};
	struct output output;

	print_volumes(&output, rows, 3, true);
	ck_assert_ptr_nonnull(strstr(output.text, "# UNIT panetop_volume_bytes bytes\n"));
	ck_assert_uint_eq(count_of(output.text, "panetop_volume_bytes_bucket{cpu=\"0\","), 21);
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"0\"} 2\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"3\"} 5\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"15\"} 5\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"274877906943\"} 5\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"+Inf\"} 9\n"));
	ck_assert_ptr_null(strstr(output.text, "_sum"));
	free(output.text);
}

/* Those of the first rows that rise: a damaged table may have any. */
START_TEST(own_bounds_rise_and_are_not_too_many)
{
	static const char *const names[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9", "10" };
	static const double bounds[] = { 0, -1, 2, 2, 1, 3, NAN };
	struct volume_row rows[100];
	struct output output;

	for (size_t i = 0; i < 7; i++)
		rows[i] = (struct volume_row){ "0", 0, bounds[i], 1, 0 };
	print_volumes(&output, rows, 7, false);
	ck_assert_uint_eq(count_of(output.text, "_bucket{"), 3);
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"1\"} 5\n")); /* up to 2, exclusive */
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"2\"} 6\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"+Inf\"} 7\n"));
	free(output.text);
	for (size_t i = 0; i < 100; i++)
		rows[i] = (struct volume_row){ "0", (double)i, (double)i + 1, 1, 0 };
	print_volumes(&output, rows, 100, false);
	ck_assert_uint_eq(count_of(output.text, "_bucket{"), 65);
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"63\"} 64\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "le=\"+Inf\"} 100\n"));
	free(output.text);
	for (size_t i = 0; i < 17; i++) /* 20 series for each CPU */
		rows[i] = (struct volume_row){ "0", (double)i, (double)i + 1, 1, 0 };
	for (size_t i = 0; i < 10; i++)
		rows[17 + i] = (struct volume_row){ names[i], 0, 1, 1, 0 };
	print_volumes(&output, rows, 17 + 9, false);
	ck_assert_uint_eq(count_of(output.text, "_bucket{"), 10 * 18);
	ck_assert_ptr_null(strstr(output.text, "cut_rows"));
	free(output.text);
	print_volumes(&output, rows, 17 + 10, false);
	ck_assert_uint_eq(count_of(output.text, "_bucket{"), 10 * 18);
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"volume\"} 1\n"));
	free(output.text);
}

struct measure_row {
	double heat_celsius, flow_bytes_per_second, speed_bits_per_second, starts_per_second;
	uint64_t count, nodes_total, faults_total;
	double wait;
	const char *model, *latest, *line;
};

static const struct column measure_columns[] = {
	COLUMN(struct measure_row, heat_celsius, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS, .title = "t",
	       .help = "its \"heat\""),
	COLUMN(struct measure_row, flow_bytes_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES_PER_SECOND,
	       .title = "f", .help = "h"),
	COLUMN(struct measure_row, speed_bits_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_BITS_PER_SECOND,
	       .title = "b", .help = "h"),
	COLUMN(struct measure_row, starts_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_PER_SECOND,
	       .title = "s", .help = "h"),
	COLUMN(struct measure_row, count, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "c",
	       .help = "h"),
	COLUMN(struct measure_row, nodes_total, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "n",
	       .help = "h"),
	COLUMN(struct measure_row, faults_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "f",
	       .help = "h"),
	COLUMN(struct measure_row, wait, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = "w",
	       .help = "h"),
	COLUMN(struct measure_row, model, .kind = COLUMN_LABEL, .title = "m", .help = "h"),
	COLUMN(struct measure_row, latest, .kind = COLUMN_LABEL, .fleeting = true, .title = "l", .help = "h"),
	COLUMN(struct measure_row, line, .kind = COLUMN_LABEL, .text = TEXT_COMMAND, .title = "c",
	       .help = "h"),
};

static const struct schema measure_schema = {
	.name = "measure",
	.help = "measures",
	.row_size = sizeof(struct measure_row),
	SCHEMA_COLUMNS(measure_columns),
};

static void print_measures(struct output *output, const struct sink_format *format)
{
	static const struct measure_row row = { 41.5, 1500, 8000, 2, 3, 4, 5, 1.5, "some", "now", "sh -c x" };
	const struct schema *schema = &measure_schema;
	struct frame frame;

	frame_open(&frame, &schema, 1);
	frame.tables[0].present = true;
	memcpy(table_add(&frame.tables[0]), &row, sizeof(row));
	begin_output(output, format, 1);
	view_close(&output->plan.views[0]);
	view_open(&output->plan.views[0], schema);
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

/* A row without keys has no labels; a unit is told where the name ends in it. */
START_TEST(names_of_metrics_have_base_units)
{
	struct output output;

	print_measures(&output, &sink_openmetrics);
	ck_assert_str_eq(output.text,
			 "# TYPE panetop_measure_row info\n"
			 "# HELP panetop_measure_row measures\n"
			 "panetop_measure_row_info{model=\"some\"} 1\n"
			 "# TYPE panetop_measure_heat_celsius gauge\n"
			 "# UNIT panetop_measure_heat_celsius celsius\n"
			 "# HELP panetop_measure_heat_celsius its \\\"heat\\\"\n"
			 "panetop_measure_heat_celsius 41.5\n"
			 "# TYPE panetop_measure_flow_bytes_per_second gauge\n"
			 "# HELP panetop_measure_flow_bytes_per_second h\n"
			 "panetop_measure_flow_bytes_per_second 1500\n"
			 "# TYPE panetop_measure_speed_bytes_per_second gauge\n"
			 "# HELP panetop_measure_speed_bytes_per_second h\n"
			 "panetop_measure_speed_bytes_per_second 1000\n"
			 "# TYPE panetop_measure_starts_per_second gauge\n"
			 "# HELP panetop_measure_starts_per_second h\n"
			 "panetop_measure_starts_per_second 2\n"
			 "# TYPE panetop_measure_counts gauge\n"
			 "# HELP panetop_measure_counts h\n"
			 "panetop_measure_counts 3\n"
			 "# TYPE panetop_measure_nodes gauge\n"
			 "# HELP panetop_measure_nodes h\n"
			 "panetop_measure_nodes 4\n"
			 "# TYPE panetop_measure_faults counter\n"
			 "# HELP panetop_measure_faults h\n"
			 "panetop_measure_faults_total 5\n"
			 "# TYPE panetop_measure_wait counter\n"
			 "# HELP panetop_measure_wait h\n"
			 "panetop_measure_wait_total 1.5\n"
			 "# TYPE panetop_exposition_cut_rows gauge\n"
			 "# HELP panetop_exposition_cut_rows rows beyond the limit of their topic, and "
			 "commands that are in (others)\n"
			 "panetop_exposition_cut_rows{topic=\"measure\"} 0\n"
			 "# EOF\n");
	free(output.text);
	print_measures(&output, &sink_prometheus);
	ck_assert_ptr_nonnull(
		strstr(output.text, "# HELP panetop_measure_heat_celsius its \"heat\"\n"
				    "panetop_measure_heat_celsius 41.5\n"));
	free(output.text);
}

/* What counts from the start of a run is a counter only where the next exposition comes from the same run. */
START_TEST(counters_of_a_run_need_a_run_that_goes_on)
{
	struct buffer sample = { 0 };
	struct output output;

	print_tally(&output, true, NULL, true);
	ck_assert_ptr_null(strstr(output.text, "panetop_tally_"));
	free(output.text);
	print_tally(&output, true, &sample, false);
	ck_assert_ptr_null(strstr(sample.bytes, "panetop_tally_"));
	free(output.text);
	print_tally(&output, true, &sample, true);
	ck_assert_str_eq(output.text, "");
	free(output.text);
	ck_assert_ptr_nonnull(strstr(sample.bytes, "panetop_tally_seconds_total{cpu=\"0\"} 1\n"));
	buffer_free(&sample);
}

/* Opens what a sink wrote as a replay. */
static void open_text(struct source *source, const char *text, size_t length, bool pipe_end)
{
	char path[SCRATCH_PATH_MAX];
	const char *why = NULL;
	int fds[2], fd;

	if (pipe_end) {
		ck_assert_int_eq(pipe(fds), 0);
		ck_assert_int_eq(write(fds[1], text, length), (ssize_t)length);
		close(fds[1]);
		fd = fds[0];
	} else {
		scratch_template(path, "recording");
		fd = mkstemp(path);
		ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
		lseek(fd, 0, SEEK_SET);
	}
	ck_assert_msg(open_replay(source, fd, UINT64_MAX, schemas, 2, &why) == 0, "%s", why ? why : "");
}

static void assert_same_rows(const struct table *one, const struct table *other)
{
	ck_assert_uint_eq(one->n_rows, other->n_rows);
	ck_assert_uint_eq(one->mono_ns, other->mono_ns);
	for (size_t r = 0; r < one->n_rows; r++) {
		for (unsigned c = 0; c < one->schema->n_columns; c++) {
			const struct column *column = &one->schema->columns[c];
			const void *a = table_row(one, r), *b = table_row(other, r);

			if (column->type == VALUE_TEXT && r == 4)
				continue; /* invalid UTF-8 comes back as U+FFFD */
			if (column->type == VALUE_F64)
				ck_assert(row_f64(a, column) == row_f64(b, column) ||
					  (!row_is_known(a, column) && !row_is_known(b, column)));
			else
				ck_assert_msg(row_same_value(column, a, b), "row %zu %s", r, column->key);
		}
	}
}

static void replay_both_ways(bool pipe_end)
{
	struct frame live[2], replayed[2];
	struct source source;
	struct output output;

	begin_output(&output, &sink_record_lines, 1);
	for (int i = 0; i < 2; i++) {
		open_frame(&live[i], (uint64_t)(10 + 3 * i));
		add_things(&live[i], (uint64_t)i);
		frame_derive(&live[i], i ? &live[0] : NULL);
		ck_assert_int_eq(sink_frame(&output.sink, &live[i]), 0);
		frame_open(&replayed[i], schemas, 2);
	}
	end_output(&output);
	open_text(&source, output.text, strlen(output.text), pipe_end);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(source.next(source.state, &replayed[i]), 1);
		frame_derive(&replayed[i], i ? &replayed[0] : NULL);
		assert_same_rows(&live[i].tables[0], &replayed[i].tables[0]);
		ck_assert_uint_eq(live[i].wall_ns, replayed[i].wall_ns);
		ck_assert_uint_eq(live[i].interval_ns, replayed[i].interval_ns);
		ck_assert_str_eq(replayed[i].host, live[i].host);
		ck_assert_str_eq(replayed[i].notices[0].remedy, "do \"this\"");
	}
	ck_assert_double_eq(
		((const struct thing_row *)table_row(&replayed[1].tables[0], 2))->events_per_second, 2);
	ck_assert_int_eq(source.next(source.state, &live[0]), 0);
	ck_assert_int_eq(source.seek(source.state, 0), 0);
	frame_clear(&replayed[1]);
	ck_assert_int_eq(source.next(source.state, &replayed[1]), 1);
	ck_assert_uint_eq(replayed[1].wall_ns, replayed[0].wall_ns);
	ck_assert_uint_eq(source.find(source.state, UINT64_MAX - 1), 1);
	ck_assert_uint_eq(source.find(source.state, 0), 0);
	source.close(source.state);
	for (int i = 0; i < 2; i++) {
		frame_close(&live[i]);
		frame_close(&replayed[i]);
	}
	free(output.text);
}

START_TEST(replay_gives_the_rates_of_the_live_run)
{
	replay_both_ways(false);
}

START_TEST(replay_of_a_pipe_can_go_back)
{
	replay_both_ways(true);
}

static unsigned count_frames(struct source *source, struct frame *frame)
{
	unsigned count = 0;

	for (frame_clear(frame); source->next(source->state, frame) == 1; frame_clear(frame))
		count++;
	return count;
}

/* What was no UTF-8 is a question mark in the live run's text, and so it is in the replay's. */
START_TEST(replayed_text_looks_as_the_live_one)
{
	struct buffer live = { 0 }, replayed = { 0 };

	utf8_clean(&live, "\xff\xfe", -1, false);
	utf8_clean(&replayed, "\xef\xbf\xbd\xef\xbf\xbd", -1, false);
	ck_assert_uint_eq(live.length, 2);
	ck_assert_uint_eq(replayed.length, 2);
	ck_assert_int_eq(memcmp(live.bytes, replayed.bytes, 2), 0);
	buffer_free(&live);
	buffer_free(&replayed);
}

/* However much is missing at the end, what is whole is read, and the rest is told. */
START_TEST(replay_tolerates_a_torn_end)
{
	struct output output;
	const char *text = run_sink(&output, &sink_record_lines, 1);
	size_t length = strlen(text), header = (size_t)(strchr(text, '\n') - text) + 1;
	size_t second = (size_t)(strchr(text + header, '\n') - text) + 1;
	struct frame frame;

	frame_open(&frame, schemas, 2);
	for (size_t cut = header; cut <= length; cut += 13) {
		struct source source;
		unsigned whole = cut == length ? 2 : cut >= second ? 1 : 0;

		open_text(&source, text, cut, false);
		ck_assert_uint_eq(count_frames(&source, &frame), whole);
		ck_assert_int_eq(source.remark(source.state) != NULL,
				 cut != header && cut != second && cut != length);
		source.close(source.state);
	}
	frame_close(&frame);
	free(output.text);
}

/* A line that cannot be read is passed over, and told with the next sample that can. */
START_TEST(replay_says_which_line_is_damaged)
{
	struct output output;
	char *text = (char *)(uintptr_t)run_sink(&output, &sink_record_lines, 1);
	char *middle = strstr(strchr(text, '\n'), "\"rows\"");
	struct source source;
	struct frame frame;

	memset(middle, '}', 5);
	open_text(&source, text, strlen(text), false);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.tables[0].n_rows, N_HOSTILE);
	ck_assert_str_eq(frame.notices[frame.n_notices - 1].topic, "replay");
	ck_assert_ptr_nonnull(strstr(frame.notices[frame.n_notices - 1].text, "line 2 "));
	frame_clear(&frame);
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_ptr_null(source.remark(source.state));
	source.close(source.state);
	frame_close(&frame);
	free(output.text);
}

/* The same header again is a recording that was added to; another one ends what can be read. */
START_TEST(replay_of_recordings_one_behind_the_other)
{
	struct output output;
	const char *text = run_sink(&output, &sink_record_lines, 1);
	struct buffer twice = { 0 };
	struct source source;
	struct frame frame;

	frame_open(&frame, schemas, 2);
	buffer_print(&twice, "%s%s", text, text);
	open_text(&source, twice.bytes, twice.length, false);
	ck_assert_uint_eq(count_frames(&source, &frame), 4);
	ck_assert_ptr_null(source.remark(source.state));
	source.close(source.state);
	twice.bytes[2 * strlen(text) - strlen(text) + 15] ^= 1;
	open_text(&source, twice.bytes, twice.length, false);
	ck_assert_uint_eq(count_frames(&source, &frame), 2);
	source.close(source.state);
	frame_close(&frame);
	buffer_free(&twice);
	free(output.text);
}

/* What a pipe has not brought yet is no end: pull() tells whether there will be more. */
START_TEST(replay_follows_a_pipe)
{
	struct output output;
	const char *text = run_sink(&output, &sink_record_lines, 1);
	size_t header = (size_t)(strchr(text, '\n') - text) + 1;
	const char *why;
	struct source source;
	struct frame frame;
	int fds[2];

	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], text, header + 10), (ssize_t)header + 10);
	ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
	ck_assert_int_eq(source.wait_fd(source.state), fds[0]);
	ck_assert_int_eq(source.next(source.state, &frame), -EAGAIN);
	ck_assert(source.pull(source.state));
	ck_assert_int_eq(write(fds[1], text + header + 10, strlen(text) - header - 10),
			 (ssize_t)(strlen(text) - header - 10));
	close(fds[1]);
	ck_assert(!source.pull(source.state));
	ck_assert_uint_eq(count_frames(&source, &frame), 2);
	ck_assert_int_eq(source.wait_fd(source.state), -1);
	source.close(source.state);
	frame_close(&frame);
	free(output.text);
}

/* What it would take to parse it is not there; the samples before it are. */
START_TEST(replay_ends_at_a_line_that_does_not_fit)
{
	struct output output;
	const char *text = run_sink(&output, &sink_record_lines, 1), *why;
	char path[SCRATCH_PATH_MAX];
	struct source source;
	struct frame frame;
	int fd;

	ck_assert_uint_le(line_reader_longest(), (size_t)sysconf(_SC_PHYS_PAGES) * 4096);
	scratch_template(path, "long-line");
	fd = mkstemp(path);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ck_assert_int_eq(ftruncate(fd, (off_t)(strlen(text) + line_reader_longest() + 1000000)), 0);
	ck_assert_int_eq(pwrite(fd, "\n", 1, lseek(fd, 0, SEEK_END)), 1);
	lseek(fd, 0, SEEK_SET);
	ck_assert_int_eq(open_replay(&source, fd, 0, schemas, 2, &why), 0);
	frame_open(&frame, schemas, 2);
	ck_assert_uint_eq(count_frames(&source, &frame), 2);
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_ptr_nonnull(source.remark(source.state));
	ck_assert_ptr_nonnull(strstr(source.remark(source.state), "fits into memory"));
	source.close(source.state);
	frame_close(&frame);
	free(output.text);
}

/* Columns that this version lacks are passed over; columns that the recording lacks are unknown. */
START_TEST(replay_reads_old_and_foreign_recordings)
{
	static const char text[] = "{\"panetop\":\"recording\",\"format\":1,\"topics\":{\"thing\":{"
				   "\"columns\":[{\"key\":\"gone\"},"
				   "{\"key\":\"name\"},{\"key\":\"events\"},{\"key\":\"events_per_second\"}]}"
				   ",\"other\":{\"columns\":[]}}}\n"
				   "{\"tables\":{\"thing\":{\"mono_ns\":5,\"rows\":[[1,\"x\","
				   "\"18446744073709551000\",9.5],[2],7,"
				   "[null,null,-3,1,2,3,4]]},\"other\":{\"rows\":[[1]]}},\"wall_ns\":8}\n";
	const struct thing_row *row;
	struct source source;
	struct frame frame;

	open_text(&source, text, sizeof(text) - 1, false);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.wall_ns, 8);
	ck_assert_uint_eq(frame.tables[0].n_rows, 4);
	row = table_row(&frame.tables[0], 0);
	ck_assert_str_eq(row->name, "x");
	ck_assert_uint_eq(row->events, UINT64_C(18446744073709551000));
	ck_assert(isnan(row->events_per_second)); /* a rate is never taken from a recording */
	ck_assert_uint_eq(row->size_bytes, U64_UNKNOWN);
	row = table_row(&frame.tables[0], 3);
	ck_assert_uint_eq(row->events, U64_UNKNOWN);
	ck_assert(!frame.tables[1].present);
	source.close(source.state);
	frame_close(&frame);
}

START_TEST(replay_refuses_what_is_no_recording)
{
	static const char *const texts[] = {
		"",
		"\n",
		"hello\n",
		"{}\n",
		"[]\n",
		"{\"panetop\":7}\n",
		"{\"panetop\":\"recording\",\"format\":99}\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *why = NULL;
		struct source source;
		int fds[2];

		ck_assert_int_eq(pipe(fds), 0);
		ck_assert_int_eq(write(fds[1], texts[i], strlen(texts[i])), (ssize_t)strlen(texts[i]));
		close(fds[1]);
		ck_assert_int_lt(open_replay(&source, fds[0], 0, schemas, 2, &why), 0);
		ck_assert_ptr_nonnull(why);
	}
}

/* Allows files of so many bytes: beyond them write(2) fails as on a full disk, after a part of the line. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The line that did not fit is taken away, and it may go on, if the file is ours to cut; else it ends. */
static void record_on_a_full_disk(bool own_file)
{
	struct output output;
	struct frame frame;
	const char *text;
	off_t whole;

	open_frame(&frame, 1);
	add_things(&frame, 1);
	begin_output(&output, &sink_record_lines, 1);
	output.sink.own_file = own_file;
	ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
	whole = lseek(output.fd, 0, SEEK_END);
	limit_files((rlim_t)whole + 20);
	ck_assert_int_eq(sink_frame(&output.sink, &frame), own_file ? 0 : -EFBIG);
	limit_files(RLIM_INFINITY);
	ck_assert_uint_eq(output.sink.good_frames, 1);
	ck_assert_uint_eq(output.sink.lost.n_lost, own_file);
	frame_close(&frame);
	text = end_output(&output);
	ck_assert_int_eq((off_t)strlen(text), own_file ? whole : whole + 20);
	free(output.text);
}

START_TEST(recording_on_a_full_disk_stays_whole)
{
	record_on_a_full_disk(true);
}

START_TEST(what_others_opened_is_never_cut)
{
	record_on_a_full_disk(false);
}

static void check_metric(const char *topic, const char *key, const char *expected)
{
	const struct schema *schema = topic_find(topic)->schema;
	char name[EXPOSITION_NAME_MAX];
	bool any = exposition_metric(schema, schema_find(schema, key), name);

	ck_assert_msg(any == (expected != NULL), "%s.%s", topic, key);
	if (expected)
		ck_assert_str_eq(name, expected);
}

/* As they are written. */
START_TEST(columns_know_their_metrics)
{
	const struct schema *cpu = topic_find("cpu")->schema, *process = topic_find("process")->schema;
	const struct schema *interface = topic_find("interface")->schema;
	char name[EXPOSITION_NAME_MAX];

	check_metric("memory", "free_bytes", "panetop_memory_free_bytes");
	check_metric("memory", "name", NULL);
	check_metric("cpu", "user_seconds", "panetop_cpu_user_seconds_total");
	check_metric("cpu", "user_ratio", "panetop_cpu_user_ratio"); /* of the row of all CPUs */
	check_metric("pressure", "stalled_ratio", NULL);	      /* its counter is there */
	check_metric("filesystem", "inodes_total", "panetop_filesystem_inodes");
	check_metric("interface", "received_bytes", "panetop_interface_received_bytes_total");
	check_metric("process", "resident_bytes", "panetop_process_resident_bytes");
	check_metric("process", "cpu_seconds", NULL); /* would go back when a process ends */
	check_metric("latency_bucket", "to_seconds", "panetop_latency_seconds_bucket");
	check_metric("latency_bucket", "samples", NULL);
	check_metric("event", "pid", NULL);
	ck_assert_str_eq(exposition_label(cpu, schema_find(cpu, "cpu")), "cpu");
	ck_assert_str_eq(exposition_label(process, schema_find(process, "name")), "command");
	ck_assert_ptr_null(exposition_label(process, schema_find(process, "pid")));
	ck_assert_ptr_null(exposition_label(cpu, schema_find(cpu, "user_ratio")));
	ck_assert_ptr_null(exposition_counter(cpu, schema_find(cpu, "user_ratio"))); /* not over time alone */
	ck_assert_ptr_eq(exposition_counter(interface, schema_find(interface, "received_packets_per_second")),
			 schema_find(interface, "received_packets"));
	ck_assert_ptr_null(exposition_counter(cpu, schema_find(cpu, "user_seconds")));
	ck_assert_ptr_null(exposition_counter(process, schema_find(process, "cpu_ratio")));
	ck_assert(exposition_info(topic_find("finding")->schema, name));
	ck_assert_str_eq(name, "panetop_finding_row_info");
	ck_assert(!exposition_info(process, name));
	ck_assert(!exposition_info(cpu, name));
	ck_assert(!exposition_info(topic_find("event")->schema, name));
}

/* Names that no other family may have, and whose they are. */
struct family_names {
	char names[30000][EXPOSITION_NAME_MAX];
	const char *topics[30000];
	unsigned n;
	struct hash by_name;
};

static void add_name(struct family_names *all, const char *topic, const char *family, size_t length,
		     const char *suffix)
{
	char name[EXPOSITION_NAME_MAX];
	uint64_t hash;
	uint32_t at;

	snprintf(name, sizeof(name), "%.*s%s", (int)length, family, suffix);
	hash = hash_bytes(HASH_SEED, span_text(name));
	HASH_FIND(at, &all->by_name, hash, strcmp(all->names[at], name) == 0);
	ck_assert_msg(at == HASH_NONE, "%s is of %s and of %s", name, topic,
		      at == HASH_NONE ? "" : all->topics[at]);
	strcpy(all->names[all->n], name);
	all->topics[all->n] = topic;
	hash_add(&all->by_name, hash, all->n++);
}

/* As the strict parser has it: a family has its own name, and those of its samples. */
static void add_family_names(struct family_names *all, const char *topic, const char *sample)
{
	static const char *const kinds[][9] = {
		{ "_bucket", "_count", "_sum", "_gcount", "_gsum", "_created" },
		{ "_total", "_created" },
		{ "_info" },
	};
	size_t length = strlen(sample);

	for (unsigned k = 0; k < 3; k++) {
		size_t end = strlen(kinds[k][0]);

		if (length <= end || strcmp(sample + length - end, kinds[k][0]) != 0)
			continue;
		length -= end;
		for (unsigned i = 0; kinds[k][i]; i++)
			add_name(all, topic, sample, length, kinds[k][i]);
		break;
	}
	add_name(all, topic, sample, length, "");
}

START_TEST(families_of_all_topics_differ)
{
	struct family_names *all = calloc(1, sizeof(*all));
	char name[EXPOSITION_NAME_MAX];

	add_family_names(all, "what was cut", "panetop_exposition_cut_rows");
	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;

		if (exposition_info(schema, name))
			add_family_names(all, schema->name, name);
		snprintf(name, sizeof(name), "panetop_%s_rows", schema->name);
		if (command_sums_apply(schema))
			add_family_names(all, schema->name, name);
		for (unsigned c = 0; c < schema->n_columns; c++)
			if (exposition_metric(schema, &schema->columns[c], name))
				add_family_names(all, schema->name, name);
	}
	ck_assert_uint_gt(all->n, 500);
	hash_free(&all->by_name);
	free(all);
}

struct odd_row {
	const char *name;
	uint64_t count;
	double busy, one, two, over, from, to;
};

static const struct column odd_columns[] = {
	COLUMN(struct odd_row, name, .kind = COLUMN_KEY),
	COLUMN(struct odd_row, count, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT),
	COLUMN(struct odd_row, busy, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS),
	COLUMN(struct odd_row, one, .kind = COLUMN_RATE, .scale = 1,
	       .rate_of = offsetof(struct odd_row, count)),
	COLUMN(struct odd_row, two, .kind = COLUMN_RATE, .scale = 2,
	       .rate_of = offsetof(struct odd_row, count)),
	COLUMN(struct odd_row, over, .kind = COLUMN_RATE, .rate_of = offsetof(struct odd_row, count),
	       .rate_over = offsetof(struct odd_row, busy)),
	COLUMN(struct odd_row, from, .kind = COLUMN_KEY),
	COLUMN(struct odd_row, to, .kind = COLUMN_BOUND),
};

enum { ODD_NAME, ODD_COUNT, ODD_BUSY, ODD_ONE, ODD_TWO, ODD_OVER, ODD_FROM, ODD_TO };

static void check_odd(const struct schema *schema, unsigned column, const char *expected)
{
	char name[EXPOSITION_NAME_MAX];

	ck_assert_msg(exposition_metric(schema, &odd_columns[column], name) == (expected != NULL), "%s",
		      odd_columns[column].key);
	if (expected)
		ck_assert_str_eq(name, expected);
}

START_TEST(metrics_depend_on_shapes_and_scales)
{
	struct schema odd = { .name = "odd", .row_size = sizeof(struct odd_row),
			      SCHEMA_COLUMNS(odd_columns) };
	char name[EXPOSITION_NAME_MAX], long_name[200] = "";

	check_odd(&odd, ODD_NAME, NULL);
	check_odd(&odd, ODD_COUNT, "panetop_odd_count_total");
	check_odd(&odd, ODD_BUSY, "panetop_odd_busy_total");
	check_odd(&odd, ODD_ONE, NULL);
	check_odd(&odd, ODD_TWO, "panetop_odd_two");
	check_odd(&odd, ODD_OVER, "panetop_odd_over");
	check_odd(&odd, ODD_TO, NULL);
	ck_assert_ptr_eq(exposition_counter(&odd, &odd_columns[ODD_ONE]), &odd_columns[ODD_COUNT]);
	ck_assert_ptr_null(exposition_counter(&odd, &odd_columns[ODD_TWO]));
	ck_assert_ptr_null(exposition_counter(&odd, &odd_columns[ODD_OVER]));
	ck_assert_str_eq(exposition_label(&odd, &odd_columns[ODD_FROM]), "from");
	odd.sum_row = "all"; /* which has no counter */
	check_odd(&odd, ODD_ONE, "panetop_odd_one");
	odd.shape = SHAPE_HISTOGRAM;
	check_odd(&odd, ODD_TO, "panetop_odd_bucket");
	check_odd(&odd, ODD_COUNT, NULL);
	ck_assert_ptr_null(exposition_counter(&odd, &odd_columns[ODD_ONE]));
	ck_assert_ptr_null(exposition_label(&odd, &odd_columns[ODD_FROM]));
	ck_assert_str_eq(exposition_label(&odd, &odd_columns[ODD_NAME]), "name");
	ck_assert(!exposition_info(&odd, name));
	odd.name = "odd_bucket";
	check_odd(&odd, ODD_TO, "panetop_odd_bucket");
	memset(long_name, 'x', sizeof(long_name) - 1);
	odd.name = long_name;
	ck_assert(exposition_metric(&odd, &odd_columns[ODD_TO], name));
	ck_assert_uint_eq(strlen(name), EXPOSITION_NAME_MAX - 1);
	ck_assert_str_eq(name + strlen(name) - strlen("x_bucket"), "x_bucket");
	odd.n_columns = ODD_TO; /* without upper bounds */
	check_odd(&odd, ODD_TO, NULL);
	odd.shape = SHAPE_EVENTS;
	check_odd(&odd, ODD_COUNT, NULL);
	ck_assert_ptr_null(exposition_counter(&odd, &odd_columns[ODD_ONE]));
}

START_TEST(describe_names_every_column)
{
	struct described *all = alloc_zeroed(n_topics, sizeof(*all));
	struct buffer out = { 0 };
	json_t *json;
	size_t columns = 0;

	all[0].panes[0] = "one";
	all[0].panes[1] = "two";
	for (unsigned t = 0; t < n_topics; t++)
		all[t].schema = topics[t]->schema;
	describe_json(&out, all, n_topics);
	json = json_loadb(out.bytes, out.length, 0, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "topics")), n_topics);
	for (unsigned t = 0; t < n_topics; t++) {
		const json_t *topic = json_array_get(json_object_get(json, "topics"), t);

		ck_assert_str_eq(json_string_value(json_object_get(topic, "name")),
				 all[t].schema->name);
		ck_assert_uint_eq(json_array_size(json_object_get(topic, "panes")), t == 0 ? 2 : 0);
		columns += json_array_size(json_object_get(topic, "columns"));
		ck_assert_uint_eq(json_array_size(json_object_get(topic, "columns")),
				  all[t].schema->n_columns);
	}
	ck_assert_uint_gt(columns, 50);
	json_decref(json);
	buffer_free(&out);
	free(all);
}

/* Of a pipe on the screen only so much is kept, and lines that are no objects end it. */
START_TEST(replay_of_a_pipe_keeps_its_newest_lines)
{
	enum { KEPT = 65536 };
	struct output output;
	const char *text = run_sink(&output, &sink_record_lines, 1), *why;
	const char *second = strchr(text, '\n') + 1, *third = strchr(second, '\n') + 1;
	size_t n_lines = 0, n_frames;
	uint64_t first_ns, last_ns;
	struct source source;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], text, (size_t)(second - text)), second - text);
	ck_assert_int_eq(open_replay(&source, fds[0], UINT64_MAX, schemas, 2, &why), 0);
	source.keep_back(source.state, KEPT);
	for (; n_lines * (size_t)(third - second) < 4 * KEPT; n_lines++) {
		ck_assert_int_eq(write(fds[1], second, (size_t)(third - second)), third - second);
		ck_assert(source.pull(source.state));
	}
	source.extent(source.state, &n_frames, &first_ns, &last_ns);
	ck_assert_uint_gt(n_frames, 0);
	ck_assert_uint_le(n_frames, n_lines / 4 + 1);
	ck_assert_int_eq(source.seek(source.state, 0), 0);
	for (size_t i = 0; i < 70000 && source.wait_fd(source.state) >= 0; i++) {
		ck_assert_int_eq(write(fds[1], "0123456789abcdef\n", 17), 17);
		source.pull(source.state);
	}
	ck_assert_int_eq(source.wait_fd(source.state), -1);
	ck_assert_ptr_nonnull(strstr(source.remark(source.state), "is not a recording"));
	close(fds[1]);
	source.close(source.state);
	free(output.text);
}

/* Empty rows take two bytes in a line, and all columns in a table. */
START_TEST(replay_leaves_out_rows_beyond_all_measure)
{
	struct output output;
	const char *text = run_sink(&output, &sink_record_lines, 1), *why;
	struct buffer lines = { 0 };
	struct source source;
	struct frame frame;
	int fd = memfd_create("lines", MFD_CLOEXEC);

	buffer_add(&lines, text, (size_t)(strchr(text, '\n') + 1 - text));
	buffer_text(&lines, "{\"wall_ns\":1,\"mono_ns\":1,\"tables\":{\"thing\":{\"mono_ns\":1,\"rows\":[[]");
	for (size_t i = 0; i < 333000; i++)
		buffer_text(&lines, ",[]");
	buffer_text(&lines, "]}}}\n");
	ck_assert_uint_lt(lines.length, 1 << 20);
	ck_assert_int_eq(write(fd, lines.bytes, lines.length), (ssize_t)lines.length);
	ck_assert_int_eq(open_replay(&source, fd, 0, schemas, 2, &why), 0);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.tables[0].n_rows, 0);
	ck_assert_ptr_nonnull(strstr(frame.notices[0].text, "more memory"));
	source.close(source.state);
	frame_close(&frame);
	buffer_free(&lines);
	free(output.text);
}

struct remark_row {
	const char *name, *why, *remedy;
	double share;
	const char *say, *more;
};

static const struct column remark_columns[] = {
	COLUMN(struct remark_row, name, .kind = COLUMN_KEY, .title = "name", .width = 6, .help = "h"),
	COLUMN(struct remark_row, why, .kind = COLUMN_LABEL, .title = "why", .prose = true, .help = "h"),
	COLUMN(struct remark_row, share, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "%use*",
	       .width = 5, .mark = "* of one CPU", .help = "h"),
	COLUMN(struct remark_row, remedy, .kind = COLUMN_LABEL, .title = "remedy", .prose = true,
	       .help = "h"),
	COLUMN(struct remark_row, say, .kind = COLUMN_LABEL, .title = "says", .width = 8, .help = "h"),
	COLUMN(struct remark_row, more, .kind = COLUMN_LABEL, .title = "more", .optional = true, .help = "h"),
};

static const struct schema remark_schema = {
	.name = "remark",
	.help = "remarks",
	.none = "nothing to remark",
	.derived = true,
	.row_size = sizeof(struct remark_row),
	SCHEMA_COLUMNS(remark_columns),
};

static void print_remarks(struct output *output, int wrap_cells, unsigned n_rows)
{
	static const struct remark_row rows[] = {
		{ "a", "it is busy with a long calculation", "wait", 0.5, "one two three four five" },
		{ "longer name", NULL, "", NAN, "x" },
	};
	const struct schema *schema = &remark_schema;
	struct frame frame;

	frame_open(&frame, &schema, 1);
	frame.tables[0].present = true;
	for (unsigned i = 0; i < n_rows; i++)
		memcpy(table_add(&frame.tables[0]), &rows[i], sizeof(rows[i]));
	begin_output(output, &sink_text, 1);
	output->plan.repeated = false;
	output->plan.wrap_cells = wrap_cells;
	view_close(&output->plan.views[0]);
	view_open(&output->plan.views[0], &remark_schema);
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

/* Where lines are wrapped, sentences follow their row, each behind its heading. */
START_TEST(sentences_follow_their_row)
{
	struct output output;

	print_remarks(&output, 34, 2);
	ck_assert_str_eq(output.text, "name        %use* says\n"
				      "a            50.0 one two three\n"
				      "                  four five\n"
				      "    why: it is busy with a long\n"
				      "        calculation\n"
				      "    remedy: wait\n"
				      "longer name     - x\n"
				      "* of one CPU\n");
	free(output.text);
	print_remarks(&output, 0, 1);
	ck_assert_str_eq(output.text, "name   why                                %use* remedy says\n"
				      "a      it is busy with a long calculation  50.0 wait   one two three "
				      "four five\n"
				      "* of one CPU\n");
	free(output.text);
	print_remarks(&output, 34, 0);
	ck_assert_str_eq(output.text, "nothing to remark\n");
	free(output.text);
	print_remarks(&output, 31, 1); /* "four" and "long" just fit */
	ck_assert_str_eq(output.text, "name   %use* says\n"
				      "a       50.0 one two three four\n"
				      "             five\n"
				      "    why: it is busy with a long\n"
				      "        calculation\n"
				      "    remedy: wait\n"
				      "* of one CPU\n");
	free(output.text);
	print_remarks(&output, 30, 1);
	ck_assert_str_eq(output.text, "name   %use* says\n"
				      "a       50.0 one two three\n"
				      "             four five\n"
				      "    why: it is busy with a\n"
				      "        long calculation\n"
				      "    remedy: wait\n"
				      "* of one CPU\n");
	free(output.text);
}

/* Two times and what lies between. */
START_TEST(a_difference_has_two_times)
{
	struct output output;
	struct frame frame;

	setenv("TZ", "UTC", 1);
	tzset();
	open_frame(&frame, 0);
	frame.host = "box";
	frame.since_ns = frame.wall_ns + 90 * UINT64_C(1000000000);
	frame.interval_ns = 90 * UINT64_C(1000000000);
	((struct thing_row *)table_add(&frame.tables[0]))->name = "x";
	begin_output(&output, &sink_text, 1);
	output.plan.repeated = false;
	ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
	frame.interval_ns = 0;
	ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
	end_output(&output);
	ck_assert_str_eq(output.text,
			 "2024-11-20 09:30:00.123 - 2024-11-20 09:31:30.123 (90.0 s) box\n"
			 "name   address size level events ev/s\n"
			 "x            -    -     -      -    -\n"
			 "\n"
			 "2024-11-20 09:30:00.123 - 2024-11-20 09:31:30.123 box\n"
			 "name   address size level events ev/s\n"
			 "x            -    -     -      -    -\n");
	free(output.text);
	frame_close(&frame);
}

static void print_no_remarks(struct output *output, bool derived, const char *none)
{
	struct schema schema = remark_schema;
	const struct schema *only = &schema;
	struct frame frame;

	schema.derived = derived;
	schema.none = none;
	frame_open(&frame, &only, 1);
	frame.tables[0].present = true;
	begin_output(output, &sink_text, 1);
	view_close(&output->plan.views[0]);
	view_open(&output->plan.views[0], &schema);
	output->plan.repeated = false;
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	end_output(output);
	frame_close(&frame);
}

/* Only where it was looked for that is news. */
START_TEST(text_says_that_nothing_follows_from_other_tables)
{
	struct output output;

	print_no_remarks(&output, true, "nothing to remark");
	ck_assert_str_eq(output.text, "nothing to remark\n");
	free(output.text);
	print_no_remarks(&output, false, "nothing to remark");
	ck_assert_str_eq(output.text, "");
	free(output.text);
	print_no_remarks(&output, true, NULL);
	ck_assert_str_eq(output.text, "");
	free(output.text);
}

/* So that columns stay where they are. */
START_TEST(widths_of_text_only_grow)
{
	static const char *const names[] = { "x", "longer than six", "y" };
	struct output output;

	begin_output(&output, &sink_text, 1);
	output.plan.repeated = false;
	for (size_t i = 0; i < 3; i++) {
		struct frame frame;

		open_frame(&frame, i);
		((struct thing_row *)table_add(&frame.tables[0]))->name = names[i];
		ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
		frame_close(&frame);
	}
	end_output(&output);
	ck_assert_str_eq(output.text, "name   address size level events ev/s\n"
				      "x            -    -     -      -    -\n"
				      "\n"
				      "name            address size level events ev/s\n"
				      "longer than six       -    -     -      -    -\n"
				      "\n"
				      "name            address size level events ev/s\n"
				      "y                     -    -     -      -    -\n");
	free(output.text);
}

static void add_line(const struct frame *frame, bool ascii, struct buffer *out)
{
	(void)frame;
	(void)ascii;
	buffer_text(out, "a line\n");
}

/* The second of two tables has no rows. */
static void print_lines(struct output *output, unsigned n_above, bool with_row)
{
	struct frame frame;

	setenv("TZ", "UTC", 1);
	tzset();
	begin_output(output, &sink_text, 2);
	output->plan.lines = add_line;
	output->plan.n_above = n_above;
	open_frame(&frame, 1);
	if (with_row)
		((struct thing_row *)table_add(&frame.tables[0]))->name = "x";
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	end_output(output);
	frame_close(&frame);
}

START_TEST(lines_stand_between_tables)
{
	static const char time[] = "2024-11-20 09:30:01.123 vb\"ox\n", table[] =
		"name   address size level events ev/s\n"
		"x            -    -     -      -    -\n";
	struct output output;

	print_lines(&output, 1, true);
	ck_assert_str_eq(output.text, textf("%s%s\na line\n", time, table));
	free(output.text);
	print_lines(&output, 0, true);
	ck_assert_str_eq(output.text, textf("%sa line\n\n%s", time, table));
	free(output.text);
	print_lines(&output, 1, false);
	ck_assert_str_eq(output.text, textf("%sa line\n", time));
	free(output.text);
}

struct worker_row {
	const char *node;
	uint64_t pid;
	const char *name;
	uint64_t bytes;
	double seconds;
};

static const struct column worker_columns[] = {
	COLUMN(struct worker_row, node, .kind = COLUMN_KEY, .title = "node", .help = "h"),
	COLUMN(struct worker_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = "pid", .help = "h"),
	COLUMN(struct worker_row, name, .kind = COLUMN_LABEL, .grouping = "command", .title = "name",
	       .help = "h"),
	COLUMN(struct worker_row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .additive = true,
	       .title = "b", .help = "size"),
	COLUMN(struct worker_row, seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = "s",
	       .help = "h"),
};

static void print_workers(struct output *output, size_t top, bool additive, size_t n_rows)
{
	static const struct worker_row rows[] = {
		{ "all", 0, "all", 1160, 9 }, { "a", 10, "make", 100, 1 },  { "a", 11, "make", 50, 2 },
		{ "b", 12, "make", 7, 2 },    { "a", 13, "sh", 1000, 2 },   { "a", 14, "cc/1", 3, 2 },
		{ "twice", 15, "sh", 5, 2 },
	};
	struct schema workers = {
		.name = "worker",
		.help = "workers",
		.sum_row = "all",
		.twice_row = "twice",
		.row_size = sizeof(struct worker_row),
		SCHEMA_COLUMNS(worker_columns),
	};
	const struct schema *schema = &workers;
	struct frame frame;

	if (!additive)
		workers.n_columns = 3;
	frame_open(&frame, &schema, 1);
	frame.tables[0].present = true;
	frame.mono_ns = 5000000000;
	for (size_t i = 0; i < n_rows; i++)
		memcpy(table_add(&frame.tables[0]), &rows[i], sizeof(rows[i]));
	begin_output(output, &sink_prometheus, 1);
	output->plan.top = top;
	view_close(&output->plan.views[0]);
	view_open(&output->plan.views[0], schema);
	ck_assert_int_eq(sink_frame(&output->sink, &frame), 0);
	ck_assert_int_eq(sink_end(&output->sink), 0);
	end_output(output);
	frame_close(&frame);
}

/* Series of processes would come and go for ever: their sums by command stay. */
START_TEST(expositions_have_sums_of_what_comes_and_goes)
{
	struct output output;

	print_workers(&output, 10, true, 7);
	ck_assert_str_eq(output.text,
			 "# TYPE panetop_worker_rows gauge\n"
			 "# HELP panetop_worker_rows rows that its values are sums of\n"
			 "panetop_worker_rows{node=\"a\",command=\"make\"} 2\n"
			 "panetop_worker_rows{node=\"b\",command=\"make\"} 1\n"
			 "panetop_worker_rows{node=\"a\",command=\"sh\"} 1\n"
			 "panetop_worker_rows{node=\"a\",command=\"cc\"} 1\n"
			 "# TYPE panetop_worker_bytes gauge\n"
			 "# HELP panetop_worker_bytes size\n"
			 "panetop_worker_bytes{node=\"a\",command=\"make\"} 150\n"
			 "panetop_worker_bytes{node=\"b\",command=\"make\"} 7\n"
			 "panetop_worker_bytes{node=\"a\",command=\"sh\"} 1000\n"
			 "panetop_worker_bytes{node=\"a\",command=\"cc\"} 3\n"
			 "# TYPE panetop_exposition_cut_rows gauge\n"
			 "# HELP panetop_exposition_cut_rows rows beyond the limit of their topic, and "
			 "commands that are in (others)\n"
			 "panetop_exposition_cut_rows{topic=\"worker\"} 0\n");
	free(output.text);
	print_workers(&output, 2, true, 7);
	ck_assert_ptr_nonnull(strstr(output.text, "command=\"(others)\"} 3\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"worker\"} 1\n"));
	free(output.text);
	print_workers(&output, 10, false, 7); /* nothing adds up */
	ck_assert_str_eq(output.text, "");
	free(output.text);
	print_workers(&output, 10, true, 1); /* the sum of none */
	ck_assert_ptr_null(strstr(output.text, "panetop_worker"));
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"worker\"} 0\n"));
	free(output.text);
}

static void add_worker(struct table *table, const char *name, uint64_t bytes)
{
	struct worker_row *row = table_add(table);

	*row = (struct worker_row){ "a", table->n_rows, name, bytes, 1 };
}

/* Of each topic by itself. */
START_TEST(expositions_keep_the_names_of_commands)
{
	const struct schema workers[] = {
		{ .name = "worker", .help = "w", .row_size = sizeof(struct worker_row),
		  SCHEMA_COLUMNS(worker_columns) },
		{ .name = "helper", .help = "h", .row_size = sizeof(struct worker_row),
		  SCHEMA_COLUMNS(worker_columns) },
	};
	const struct schema *const both[] = { &workers[0], &workers[1] };
	struct output output;

	begin_output(&output, &sink_prometheus, 2);
	output.plan.top = 1;
	for (unsigned i = 0; i < 2; i++) {
		view_close(&output.plan.views[i]);
		view_open(&output.plan.views[i], both[i]);
	}
	for (uint64_t i = 0; i < 2; i++) {
		struct frame frame;

		frame_open(&frame, both, 2);
		frame.tables[0].present = frame.tables[1].present = true;
		frame.mono_ns = 100 * (i + 1);
		add_worker(&frame.tables[0], "make", i == 0 ? 100 : 90);
		add_worker(&frame.tables[0], "sh", i == 0 ? 90 : 100);
		add_worker(&frame.tables[1], "sh", 70);
		add_worker(&frame.tables[1], "make", 60);
		ck_assert_int_eq(sink_frame(&output.sink, &frame), 0);
		frame_close(&frame);
	}
	ck_assert_int_eq(sink_end(&output.sink), 0);
	end_output(&output);
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_worker_bytes{node=\"a\",command=\"make\"} 90\n"
						  "panetop_worker_bytes{node=\"a\",command=\"(others)\"} "
						  "100\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "panetop_helper_bytes{node=\"a\",command=\"sh\"} 70\n"
						  "panetop_helper_bytes{node=\"a\",command=\"(others)\"} "
						  "60\n"));
	ck_assert_ptr_nonnull(strstr(output.text, "cut_rows{topic=\"worker\"} 1\n"));
	free(output.text);
}

struct stack_row {
	const char *stack, *files;
	uint64_t samples;
	double seconds;
};

static const struct column stack_columns[] = {
	COLUMN(struct stack_row, stack, .kind = COLUMN_KEY, .title = "stack", .width = 5),
	COLUMN(struct stack_row, files, .kind = COLUMN_LABEL, .title = "files", .width = 5),
	COLUMN(struct stack_row, samples, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "n", .width = 5),
	COLUMN(struct stack_row, seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = "s",
	       .width = 5),
};

static const struct schema stack_schema = {
	.name = "stack",
	.help = "stacks",
	.row_size = sizeof(struct stack_row),
	SCHEMA_COLUMNS(stack_columns),
};

static const struct schema *const stack_schemas[] = { &stack_schema };

/* The samples of so many seconds, at most two, as bytes. timed: it is known what samples stand for. */
static const struct stack_row stack_rows[] = {
	{ "main;work", "a;lib", 5, .05 },
	{ "main", "a", 2, .02 },
	{ "", "a", 4, .04 },
	{ "none", "a", 0, 0 },
	{ "none", "a", U64_UNKNOWN, 1 },
	{ "main;work", "a;lib", 1, .01 },
	{ "main;lone", "a", 300, 3 },
	{ "main;work", "b;lib", 1, .01 },
};

/* Of two frames the first has five rows. */
static struct buffer print_rows(const struct sink_format *format, const struct stack_row *rows, bool timed,
				unsigned n_frames)
{
	struct print_plan plan = { .n_views = 1, .repeated = true };
	struct buffer bytes = { 0 };
	struct frame frame;
	struct sink sink;
	char byte;

	plan.views = alloc_zeroed(1, sizeof(*plan.views));
	view_open(&plan.views[0], &stack_schema);
	sink_open(&sink, format, &plan, memfd_create("stacks", MFD_CLOEXEC), "test");
	ck_assert_int_eq(sink_begin(&sink), 0);
	frame_open(&frame, stack_schemas, 1);
	for (unsigned i = 0; i < n_frames; i++) {
		frame_clear(&frame);
		frame.wall_ns = UINT64_C(5000000000) + i * UINT64_C(1000000000);
		frame.interval_ns = 500000000;
		frame.tables[0].present = true;
		for (unsigned r = i * 5; r < (i == 0 ? 5 : 8); r++) {
			struct stack_row *row = table_add(&frame.tables[0]);

			*row = rows[r];
			row->seconds = timed ? row->seconds : NAN;
		}
		ck_assert_int_eq(sink_frame(&sink, &frame), 0);
	}
	ck_assert_int_eq(sink_end(&sink), 0);
	frame_close(&frame);
	for (off_t at = 0; pread(sink.fd, &byte, 1, at) == 1; at++)
		buffer_char(&bytes, byte);
	close(sink.fd);
	sink_close(&sink);
	print_plan_close(&plan);
	return bytes;
}

/* A message Profile: "field:number", "field:'text'", "field:[packed numbers]", "field:{message}". */
static void print_profile(struct buffer *out, struct span in, uint64_t of)
{
	uint64_t tag, number;

	while (take_varint(&in, &tag)) {
		uint64_t field = tag >> 3;
		struct span content;

		buffer_print(out, "%s%u:", out->length > 0 && out->bytes[out->length - 1] != '{' ? " " : "",
			     (unsigned)field);
		ck_assert(take_varint(&in, &number));
		if ((tag & 7) == 0) {
			buffer_print(out, "%llu", (unsigned long long)number);
			continue;
		}
		ck_assert_uint_eq(tag & 7, 2);
		ck_assert_uint_le(number, span_length(in));
		content = span_of(in.at, number);
		in.at = content.end;
		if (of == 0 && field == 6) {
			buffer_print(out, "'%.*s'", (int)number, content.at);
		} else if (of == 2) {
			buffer_char(out, '[');
			while (take_varint(&content, &number))
				buffer_print(out, "%llu%s", (unsigned long long)number,
					     content.at < content.end ? " " : "");
			buffer_char(out, ']');
		} else {
			buffer_char(out, '{');
			print_profile(out, content, of * 10 + field);
			buffer_char(out, '}');
		}
	}
	ck_assert_ptr_eq(in.at, in.end);
}

static struct buffer print_stacks(const struct sink_format *format, bool timed, unsigned n_frames)
{
	return print_rows(format, stack_rows, timed, n_frames);
}

static void check_profile(bool timed, unsigned n_frames, const char *expected)
{
	struct buffer bytes = print_stacks(&sink_pprof, timed, n_frames), text = { 0 };

	print_profile(&text, span_of(bytes.bytes, bytes.length), 0);
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, expected);
	buffer_free(&bytes);
	buffer_free(&text);
}

/* Numbers of fields as in profile.proto: text 6, sample type 1, sample 2, mapping 3, location 4, function 5.
 */
START_TEST(a_profile_has_each_function_once)
{
	check_profile(
		true, 2,
		"6:'' 6:'samples' 6:'count' 1:{1:1 2:2} 6:'cpu' 6:'nanoseconds' 1:{1:3 2:4} 11:{1:3 2:4} "
		"12:10000000 "
		"6:'a' 3:{1:1 5:5 7:1} 6:'main' 5:{1:1 2:6 3:6} 4:{1:1 2:1 4:{1:1}} "
		"6:'lib' 3:{1:2 5:7 7:1} 6:'work' 5:{1:2 2:8 3:8} 4:{1:2 2:2 4:{1:2}} "
		"2:{1:[2 1] 2:[5 50000000]} 2:{1:[1] 2:[2 20000000]} "
		"2:{1:[2 1] 2:[1 10000000]} "
		"6:'lone' 5:{1:3 2:9 3:9} 4:{1:3 4:{1:3}} 2:{1:[3 1] 2:[300 3000000000]} "
		"6:'b' 3:{1:3 5:10 7:1} 5:{1:4 2:6 3:6} 4:{1:4 2:3 4:{1:4}} 2:{1:[2 4] 2:[1 10000000]} "
		"9:4500000000 10:1500000000");
	check_profile(false, 1,
		      "6:'' 6:'samples' 6:'count' 1:{1:1 2:2} "
		      "6:'a' 3:{1:1 5:3 7:1} 6:'main' 5:{1:1 2:4 3:4} 4:{1:1 2:1 4:{1:1}} "
		      "6:'lib' 3:{1:2 5:5 7:1} 6:'work' 5:{1:2 2:6 3:6} 4:{1:2 2:2 4:{1:2}} "
		      "2:{1:[2 1] 2:[5]} 2:{1:[1] 2:[2]} 9:4500000000 10:500000000");
	check_profile(true, 0, "6:'' 6:'samples' 6:'count' 1:{1:1 2:2}");
}

/* CSI as a C1 control, an override of direction, an escape, a byte that is no UTF-8; a letter that is. */
START_TEST(no_stack_harms_a_terminal)
{
	static const struct stack_row rows[5] = {
		{ "a\xc2\x9b"
		  "31m;\xe2\x80\xae"
		  "b",
		  "\033]0;\xff", 1, .01 },
		{ "\xc3\xa9;\n", "f", 2, .02 },
	};
	struct buffer text = print_rows(&sink_folded, rows, true, 1);

	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, "a\xef\xbf\xbd"
				     "31m;\xef\xbf\xbd"
				     "b 1\n\xc3\xa9;\xef\xbf\xbd 2\n");
	buffer_free(&text);
	text = print_rows(&sink_pprof, rows, true, 1);
	for (size_t i = 0; i + 1 < text.length; i++)
		ck_assert(memcmp(text.bytes + i, "\xc2\x9b", 2) != 0 &&
			  memcmp(text.bytes + i, "\033]", 2) != 0);
	buffer_free(&text);
}

START_TEST(folded_stacks_are_lines)
{
	struct buffer text = print_stacks(&sink_folded, true, 2);

	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes,
			 "main;work 5\nmain 2\nnone 0\nmain;work 1\nmain;lone 300\nmain;work 1\n");
	buffer_free(&text);
}

struct level_row {
	const char *name, *label;
	uint64_t count;
	double level;
};

static const struct column level_columns[] = {
	COLUMN(struct level_row, name, .kind = COLUMN_KEY, .title = "name", .width = 5),
	COLUMN(struct level_row, label, .kind = COLUMN_LABEL, .title = "label", .width = 5),
	COLUMN(struct level_row, count, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = "number",
	       .width = 5),
	COLUMN(struct level_row, level, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "level",
	       .width = 5),
};

static const struct schema level_schema = {
	.name = "level",
	.help = "levels",
	.row_size = sizeof(struct level_row),
	SCHEMA_COLUMNS(level_columns),
};

static const struct schema *const level_schemas[] = { &level_schema };

/* So many seconds of lines. */
static char *print_numbers(unsigned n_frames)
{
	static const struct summary_column columns[] = {
		{ { "level", "b", "count" }, "b's", 4, 0 },
		{ { "level", NULL, "level" }, NULL, 6, 2 },
		{ { "level", "a", "count" }, NULL, 4, 0 },
		{ { "level", "nobody", "count" }, "no", 4, 0 },
		{ { NULL } },
	};
	struct print_plan plan = { .summary = columns, .ascii = true, .repeated = true };
	struct frame frame;
	struct sink sink;
	char *text;
	off_t length;

	setenv("TZ", "UTC", 1);
	sink_open(&sink, &sink_text, &plan, memfd_create("lines", MFD_CLOEXEC), "test");
	ck_assert_int_eq(sink_begin(&sink), 0);
	frame_open(&frame, level_schemas, 1);
	for (unsigned i = 0; i < n_frames; i++) {
		static const char *const names[] = { "a", "b", "c" };

		frame_clear(&frame);
		frame.wall_ns = (UINT64_C(1732095000) + i) * 1000000000;
		frame.interval_ns = 1000000000;
		frame.tables[0].present = true;
		for (unsigned r = 0; r < 3; r++) {
			struct level_row *row = table_add(&frame.tables[0]);

			row->name = names[r];
			row->label = r == 1 ? "long one" : "";
			row->count = 10 * r + (r == 0 ? 1 : 2) * i;
			row->level = (.1 + r) / 4 * (1 + i);
		}
		ck_assert_int_eq(sink_frame(&sink, &frame), 0);
	}
	ck_assert_int_eq(sink_end(&sink), 0);
	frame_close(&frame);
	length = lseek(sink.fd, 0, SEEK_END);
	text = alloc_zeroed((size_t)length + 1, 1);
	ck_assert_int_eq(pread(sink.fd, text, (size_t)length, 0), length);
	close(sink.fd);
	sink_close(&sink);
	return text;
}

START_TEST(a_sample_is_a_line_of_numbers)
{
	char *text = print_numbers(3), *one = print_numbers(1), *none = print_numbers(0);

	ck_assert_str_eq(text, "time      b's      a long_one number   no\n"
			       "09:30:00   10    2.5     27.5      0    -\n"
			       "09:30:01   12    5.0     55.0      1    -\n"
			       "09:30:02   14    7.5     82.5      2    -\n"
			       "\n"
			       "time      b's      a long_one number   no\n"
			       "mean       12    5.0     55.0      1    -\n"
			       "geomean  11.9    4.5     50.0      -    -\n"
			       "stddev    1.6    2.0     22.5    0.8    -\n"
			       "min        10    2.5     27.5      0    -\n"
			       "max        14    7.5     82.5      2    -\n");
	ck_assert_str_eq(one, "time      b's      a long_one number   no\n"
			      "09:30:00   10    2.5     27.5      0    -\n");
	ck_assert_str_eq(none, "");
	free(text);
	free(one);
	free(none);
}

/* Behind each 20 lines where the output is no terminal. */
START_TEST(lines_of_numbers_are_headed_again)
{
	for (unsigned n = 19; n <= 21; n++) {
		char *text = print_numbers(n);
		unsigned n_headings = 0;

		for (const char *at = strstr(text, "time "); at; at = strstr(at + 1, "time "))
			n_headings++;
		ck_assert_uint_eq(n_headings, n <= 20 ? 2 : 3); /* with that of the end */
		free(text);
	}
}

START_TEST(formats_go_by_name)
{
	static const struct {
		const char *name;
		const struct sink_format *format;
	} cases[] = {
		{ "text", &sink_text },
		{ "csv", &sink_csv },
		{ "json", &sink_json },
		{ "openmetrics", &sink_openmetrics },
		{ "folded", &sink_folded },
		{ "prometheus", &sink_prometheus },
		{ "pprof", &sink_pprof },
		{ "xml", NULL },
		{ "", NULL },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		ck_assert_ptr_eq(sink_format_find(cases[c].name), cases[c].format);
}

START_TEST(recordings_of_lines_have_an_ending)
{
	ck_assert(recording_is_lines("a.jsonl"));
	ck_assert(recording_is_lines("/x.y/a.b.jsonl"));
	ck_assert(!recording_is_lines(".jsonl")); /* that is all of its name */
	ck_assert(!recording_is_lines("a.json"));
	ck_assert(!recording_is_lines("a.jsonl2"));
	ck_assert(!recording_is_lines("ajsonl"));
	ck_assert(!recording_is_lines(""));
}

static const struct column described_columns[] = {
	COLUMN(struct level_row, name, .kind = COLUMN_KEY, .title = "n", .help = "its name", .source = "a"),
	COLUMN(struct level_row, level, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .hidden = true,
	       .title = "l", .help = "its level", .source = "b"),
};

START_TEST(descriptions_for_people_are_aligned)
{
	static const struct schema described = {
		.name = "thing", .help = "things", SCHEMA_COLUMNS(described_columns)
	};
	const struct described two[] = { { &described, { "one", "two", "three" } },
					 { &described, { NULL } } };
	static const char *const lines =
		"  name                           key      none             its name\n"
		"                                                           = a\n"
		"  level                          gauge    ratio            its level (shown with "
		"--columns)\n"
		"                                                           = b\n";
	struct buffer out = { 0 };
	char expected[1024];

	snprintf(expected, sizeof(expected), "thing: things\n  panes: one, two, three\n%s\nthing: things\n%s",
		 lines, lines);
	describe_text(&out, two, 2);
	buffer_char(&out, '\0');
	ck_assert_str_eq(out.bytes, expected);
	buffer_free(&out);
}

static unsigned n_asked;

static bool breaks_off(void)
{
	return ++n_asked == 2;
}

/* It is asked at each 256th row; then nothing of the sample is written. */
START_TEST(a_signal_breaks_a_sample_off)
{
	static const struct {
		unsigned n_rows, n_asked;
		bool whole;
	} cases[] = {
		{ 255, 0, true }, { 256, 1, true }, { 511, 1, true }, { 512, 2, false }, { 1000, 2, false }
	};
	const struct sink_format *const formats[] = { &sink_csv, &sink_json, &sink_folded };

	for (unsigned f = 0; f < 3; f++) {
		for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
			struct print_plan plan = { .n_views = 1,
						   .panes = (const char *const[]){ "p" },
						   .n_panes = 1 };
			struct frame frame;
			struct sink sink;
			off_t length;

			plan.views = alloc_zeroed(1, sizeof(*plan.views));
			view_open(&plan.views[0], &stack_schema);
			sink_open(&sink, formats[f], &plan, memfd_create("stacks", MFD_CLOEXEC), "test");
			ck_assert_int_eq(sink_begin(&sink), 0);
			length = lseek(sink.fd, 0, SEEK_END);
			sink.interrupted = breaks_off;
			n_asked = 0;
			frame_open(&frame, stack_schemas, 1);
			frame.tables[0].present = true;
			for (unsigned r = 0; r < cases[c].n_rows; r++)
				*(struct stack_row *)table_add(&frame.tables[0]) =
					(struct stack_row){ "main", "a", r, 1 };
			ck_assert_int_eq(sink_frame(&sink, &frame), cases[c].whole ? 0 : -ECANCELED);
			ck_assert_uint_eq(n_asked, cases[c].n_asked);
			ck_assert_uint_eq(sink.frames, cases[c].whole ? 1 : 0);
			ck_assert_int_eq(lseek(sink.fd, 0, SEEK_END) > length, cases[c].whole);
			frame_close(&frame);
			close(sink.fd);
			sink_close(&sink);
			print_plan_close(&plan);
		}
	}
}
