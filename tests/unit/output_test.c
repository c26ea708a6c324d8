/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the sinks and of recording and replay, on hostile text and extreme numbers. */
#include "suite.h"

#include <jansson.h>
#include <time.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/utf8.h"
#include "output/command_sums.h"
#include "output/exposition.h"
#include "output/json.h"
#include "output/recording.h"
#include "output/sink.h"
#include "sys/descriptor.h"
#include "topic/topic.h"

/* A column of struct ROW. */
#define C(row, field, of_kind, of_unit, heading, ...)                                                        \
	COLUMN(struct row, field, .kind = COLUMN_##of_kind, .unit = UNIT_##of_unit, .title = heading,        \
	       .help = "h", ##__VA_ARGS__)

struct thing_row {
	const char *name;
	uint64_t address, size_bytes;
	double level;
	uint64_t events;
	double events_per_second;
};

static const struct column thing_columns[] = {
	COLUMN(struct thing_row, name, .kind = COLUMN_KEY, .title = "name", .help = "a \"name\"", .width = 6),
	C(thing_row, address, LABEL, NONE, "address"),
	C(thing_row, size_bytes, GAUGE, BYTES, "size"),
	C(thing_row, level, GAUGE, NONE, "level"),
	C(thing_row, events, COUNTER, COUNT, "events"),
	C(thing_row, events_per_second, RATE, PER_SECOND, "ev/s",
	  .rate_of = offsetof(struct thing_row, events)),
};

static const struct schema thing_schema = {
	.name = "thing", .help = "things", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(thing_columns)
};

struct bucket_row {
	const char *cpu;
	double from_seconds, to_seconds;
	uint64_t samples;
};

static const struct column bucket_columns[] = {
	C(bucket_row, cpu, KEY, NONE, "cpu"),
	C(bucket_row, from_seconds, KEY, SECONDS, "from"),
	C(bucket_row, to_seconds, BOUND, SECONDS, "to"),
	C(bucket_row, samples, COUNTER, COUNT, "n"),
};

static const struct schema bucket_schema = {
	.name = "delay_bucket", .help = "delays", .shape = SHAPE_HISTOGRAM, .sparse = true, .sum_row = "all",
	.row_size = sizeof(struct bucket_row), SCHEMA_COLUMNS(bucket_columns)
};

static const struct schema *const schemas[] = { &thing_schema, &bucket_schema };

static const char *const hostile[] = {
	"plain", "a,b\"c\"", "line\nbreak\r\n", "\033[2J\033]0;title\007", "\xff\xfe\x80", "\xe2\x80\256evil",
	"\xe6\xbc\xa2\xe5\xad\x97", "\xc2\23331m", "", "\\back\\slash", "\\xff\\b", "{\"json\":1}",
	"# TYPE x gauge"
};

#define N_HOSTILE LENGTH(hostile)

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

static void add_bucket(struct frame *frame, const char *cpu, double from_ns, double to_ns, uint64_t samples)
{
	struct bucket_row *row = table_add(&frame->tables[1]);

	*row = (struct bucket_row){ cpu, from_ns / 1e9, to_ns / 1e9, samples };
}

static void add_buckets(struct frame *frame)
{
	for (int i = 0; i < 6; i++)
		add_bucket(frame, i < 3 ? "0" : "1", 1000 * (i % 3), 1000 * (i % 3 + 1),
			   (uint64_t)(i % 3 + 1));
	add_bucket(frame, "1", 3000, NAN, 4);  /* and all that is longer */
	add_bucket(frame, "1", NAN, NAN, 100); /* it is not known where */
}

/* What is printed, and into what; the text stays until the next one begins. */
static struct print_plan plan;
static struct sink sink;
static char *text;
static size_t text_length;

static void begin_views(const struct sink_format *format, const struct schema *const *of, unsigned n_views)
{
	static const char *const panes[] = { "things" };
	char path[SCRATCH_PATH_MAX];

	scratch_template(path, "output");
	plan = (struct print_plan){ .panes = panes, .n_panes = 1, .n_views = n_views, .repeated = true };
	plan.views = alloc_zeroed(n_views, sizeof(*plan.views));
	for (unsigned i = 0; i < n_views; i++)
		view_open(&plan.views[i], of[i]);
	sink_open(&sink, format, &plan, mkstemp(path), "test");
	sink.clock = &real_clock;
	ck_assert_int_eq(sink_begin(&sink), 0);
}

static void begin(const struct sink_format *format, const struct schema *of)
{
	begin_views(format, &of, 1);
}

static void read_output(void)
{
	text_length = (size_t)lseek(sink.fd, 0, SEEK_END);
	free(text);
	text = alloc_zeroed(text_length + 1, 1);
	ck_assert_int_eq(pread(sink.fd, text, text_length, 0), (ssize_t)text_length);
	close(sink.fd);
	sink_close(&sink);
	print_plan_close(&plan);
}

static void end_output(void)
{
	ck_assert_int_eq(sink_end(&sink), 0);
	read_output();
}

static void print_frame(const struct frame *frame)
{
	ck_assert_int_eq(sink_frame(&sink, frame), 0);
}

/* One frame that has these rows of one table alone, and the end. */
static void print_rows(const struct schema *of, const void *rows, size_t n_rows)
{
	struct frame frame;

	frame_open(&frame, &of, 1);
	frame.tables[0].present = true;
	frame.mono_ns = 5000000000;
	for (size_t i = 0; i < n_rows; i++)
		memcpy(table_add(&frame.tables[0]), (const char *)rows + i * of->row_size, of->row_size);
	print_frame(&frame);
	frame_close(&frame);
	end_output();
}

/* Two frames through one sink. */
static void run_sink(const struct sink_format *format, unsigned n_views)
{
	begin_views(format, schemas, n_views);
	for (uint64_t second = 1; second <= 2; second++) {
		struct frame frame;

		open_frame(&frame, second);
		add_things(&frame, second);
		add_buckets(&frame);
		print_frame(&frame);
		frame_close(&frame);
	}
	end_output();
}

/* No byte that a terminal acts upon, beyond the line ends of the format itself; valid UTF-8 throughout. */
static void assert_harmless(const char *allowed)
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
	static const struct sink_format *const formats[] = { &sink_text,       &sink_csv,
							     &sink_json,       &sink_openmetrics,
							     &sink_prometheus, &sink_record_lines };

	for (size_t i = 0; i < LENGTH(formats); i++) {
		run_sink(formats[i], formats[i]->one_table ? 1 : 2);
		assert_harmless(formats[i] == &sink_csv ? "\r\n" : "\n");
	}
}

static json_t *line_of(size_t number)
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
	run_sink(&sink_json, 2);
	for (size_t line = 0; line < 2; line++) {
		json_t *json = line_of(line);
		const char *host, *time, *names[2], *remedy;
		json_t *rows, *levels[2], *size, *interval;

		ck_assert_int_eq(json_unpack(json, "{s:s s:s s:o s:{s:o} s:[{s:s}]}", "host", &host, "time",
					     &time, "interval_seconds", &interval, "tables", "thing", &rows,
					     "notices", "remedy", &remedy),
				 0);
		ck_assert_str_eq(textf("%s %s %s", host, time, remedy),
				 textf("vb\"ox 2024-11-20T09:30:0%zu.123456789Z do \"this\"", line + 1));
		ck_assert_uint_eq(json_array_size(rows), N_HOSTILE);
		ck_assert_int_eq(json_unpack(json_array_get(rows, 1), "{s:o}", "size_bytes", &size), 0);
		ck_assert_int_eq(json_unpack(json_array_get(rows, 2), "{s:o}", "level", &levels[0]), 0);
		ck_assert_int_eq(json_unpack(json_array_get(rows, 3), "{s:s}", "name", &names[0]), 0);
		ck_assert_int_eq(json_unpack(json_array_get(rows, 4), "{s:s s:o}", "name", &names[1], "level",
					     &levels[1]),
				 0);
		ck_assert(json_is_null(interval) && json_is_null(size) && json_is_null(levels[1]));
		ck_assert_double_eq(json_number_value(levels[0]), 1e300);
		ck_assert_str_eq(names[0], hostile[3]);
		ck_assert_str_eq(names[1], "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
		json_decref(json);
	}
	check_has(text, "\"address\":18446744073699065855,");
}

/* A recording has notices of all its tables, and those about itself. */
START_TEST(json_has_the_times_and_the_notices_of_its_tables)
{
	struct frame frame;

	open_frame(&frame, 1);
	frame.interval_ns = 2500000000;
	frame.since_ns = frame.wall_ns + 1000000000;
	frame_notice(&frame, "thing", NULL, "of a printed table");
	frame_notice(&frame, "delay_bucket", NULL, "of another one");
	frame_notice(&frame, "replay", "read it", "of the recording");
	begin(&sink_json, &thing_schema);
	print_frame(&frame);
	frame_close(&frame);
	end_output();
	json_decref(line_of(0));
	check_has(text, "\"interval_seconds\":2.5", "\"time\":\"2024-11-20T09:30:01.123456789Z\"",
		  "\"since\":\"2024-11-20T09:30:02.123456789Z\"", "\"panes\":[\"things\"]",
		  "of a printed table", "of the recording");
	check_lacks(text, "of another one");
}

/* What could change how a text is read is written as its number, beyond the first plane as two of them. */
START_TEST(json_values_are_exact_and_cannot_mislead)
{
	static const double numbers[] = { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789,
					  -2.5 };
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },        { "\x1f \x7f", "\"\\u001f \\u007f\"" },
		{ "\u202e\u00e9", "\"\\u202e\u00e9\"" }, { "\U000e0001", "\"\\udb40\\udc01\"" },
		{ "\U0010ffff", "\"\\udbff\\udfff\"" },  { "\U0001f600", "\"\U0001f600\"" },
		{ "\xff", "\"\ufffd\"" },
	};
	struct buffer buffer = { 0 };

	for (size_t i = 0; i < LENGTH(numbers); i++) {
		buffer_empty(&buffer);
		jsonw_f64(&(struct json_writer){ .out = &buffer }, numbers[i]);
		buffer_char(&buffer, '\0');
		ck_assert(strtod(buffer.bytes, NULL) == numbers[i]);
	}
	for (size_t i = 0; i < LENGTH(cases); i++) {
		buffer_empty(&buffer);
		jsonw_text(&(struct json_writer){ .out = &buffer }, cases[i].text);
		buffer_char(&buffer, '\0');
		ck_assert_str_eq(buffer.bytes, cases[i].json);
	}
	buffer_free(&buffer);
}

/* Splits a CSV text after RFC 4180 and counts fields: every record has the same number. */
START_TEST(csv_records_are_whole)
{
	unsigned fields = 1, records = 0;
	bool quoted = false;

	run_sink(&sink_csv, 1);
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
	ck_assert_ptr_eq(strstr(text, "time,name,address,size_bytes,level,events,events_per_second\r\n"),
			 text);
	check_has(text, ",\"a,b\"\"c\"\"\",", ",\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd,");
	check_lacks(text, "?");
}

/* Wide characters are padded by their cells. */
START_TEST(text_is_aligned)
{
	run_sink(&sink_text, 1);
	check_has(text, "\nname   ", "\n\xe6\xbc\xa2\xe5\xad\x97   ", "?[2J?]0;title?");
}

/*
 * Of the samples the last one, whole. Of some the length is not known: then the sum is not, either. What is
 * known of it is the middle of its buckets.
 */
START_TEST(openmetrics_histogram_is_cumulative)
{
	run_sink(&sink_openmetrics, 2);
	check_has(text, "# TYPE panetop_delay_seconds histogram\n# UNIT panetop_delay_seconds seconds\n",
		  "panetop_delay_seconds_bucket{cpu=\"1\",le=\"3e-06\"} 6\n",
		  "panetop_delay_seconds_bucket{cpu=\"0\",le=\"+Inf\"} 6\n",
		  "panetop_delay_seconds_bucket{cpu=\"1\",le=\"+Inf\"} 10\n",
		  "panetop_delay_seconds_count{cpu=\"0\"} 6\npanetop_delay_seconds_sum{cpu=\"0\"} 1.1e-05\n",
		  "# TYPE panetop_thing_events counter\n", "panetop_thing_events_total{name=\"plain\"} 0\n",
		  "{name=\"\\\\xff\\\\xfe\\\\x80\"} ", "{name=\"\\\\xe2\\\\x80\\\\xaeevil\"} ",
		  "{name=\"\\\\x5cxff\\\\b\"} ", "panetop_thing_events_total{name=\"a,b\\\"c\\\"\"} 1006\n");
	check_lacks(text, "panetop_thing_name", "panetop_delay_seconds_sum{cpu=\"1\"}",
		    "panetop_delay_seconds_count{cpu=\"1\"}");
	ck_assert_uint_eq(count_of(text, "panetop_exposition_cut_rows{topic=\"thing\"} 0\n"), 1);
	ck_assert_ptr_eq(strstr(text, "# EOF\n"), text + text_length - 6);
	run_sink(&sink_prometheus, 2);
	check_has(text,
		  "panetop_delay_seconds_count{cpu=\"1\"} 10\npanetop_delay_seconds_sum{cpu=\"1\"} NaN\n");
}

static void print_table(const struct sink_format *format, struct frame *frame)
{
	begin_views(format, schemas, 2);
	print_frame(frame);
	frame_close(frame);
	end_output();
}

/* 1, 1.5, 2, 3, 5 and 7 in each decade, whichever of the fine buckets have samples. */
START_TEST(histogram_bounds_are_fixed)
{
	static const char expected[] =
		"1e-06 1.5e-06 2e-06 3e-06 5e-06 7e-06 1e-05 1.5e-05 2e-05 3e-05 5e-05 7e-05 "
		"0.0001 0.00015 0.0002 0.0003 0.0005 0.0007 0.001 0.0015 0.002 0.003 0.005 "
		"0.007 0.01 0.015 0.02 0.03 0.05 0.07 0.1 0.15 0.2 0.3 0.5 0.7 1 1.5 2 3 5 7 "
		"10 +Inf ";
	static const double times_ns[] = { 1, 999, 1000, 1504, 19900, 1303000, 8e9, 9.9e9, 2e10 };

	for (unsigned run = 1; run <= 2; run++) {
		char bounds[1024] = "";
		struct frame frame;

		open_frame(&frame, 1);
		for (unsigned i = run - 1; i < LENGTH(times_ns); i += run)
			add_bucket(&frame, "0", times_ns[i], times_ns[i] * 1.005, 10 + i);
		add_bucket(&frame, "all", 500, 502, 5); /* what sum() gives */
		print_table(&sink_openmetrics, &frame);
		for (const char *at = text; (at = strstr(at, "_bucket{cpu=\"0\",le=\"")); at++) {
			const char *bound = strstr(at, "le=") + strlen("le=\"");

			strncat(bounds, bound, strcspn(bound, "\""));
			strcat(bounds, " ");
		}
		ck_assert_str_eq(bounds, expected);
		ck_assert_uint_eq(count_of(text, "_bucket{"), 44);
		if (run == 1) /* 1 and 999 ns fit; 1000 ns may be longer than 1 µs */
			check_has(text, "le=\"1e-06\"} 10\n", "le=\"1.5e-06\"} 33\n", "le=\"0.001\"} 60\n",
				  "le=\"0.0015\"} 75\n", "le=\"10\"} 108\n", "le=\"+Inf\"} 126\n");
	}
}

/* As a damaged recording or tree may have them: the exposition would be refused as a whole. */
START_TEST(expositions_have_each_series_once)
{
	static const struct thing_row rows[] = {
		{ "one", 0, 1, 0, 0, NAN }, { "two", 1, 1, 1, 1, NAN }, { "one", 2, 1, 2, 2, NAN },
		{ NULL, 3, 1, 3, 3, NAN },  { "", 4, 1, 4, 4, NAN },
	};
	struct frame frame;

	open_frame(&frame, 1);
	for (size_t i = 0; i < LENGTH(rows); i++)
		memcpy(table_add(&frame.tables[0]), &rows[i], sizeof(rows[i]));
	for (size_t i = 0; i < 3; i++)
		add_bucket(&frame, i == 1 ? "1" : "0", 1000, 1008, 1);
	begin_views(&sink_openmetrics, schemas, 2);
	print_frame(&frame);
	print_frame(&frame);
	frame_close(&frame);
	end_output();
	check_has(text, "panetop_thing_events_total{name=\"one\"} 0\n", "{cpu=\"0\",le=\"+Inf\"} 2\n");
	ck_assert_uint_eq(count_of(text, "panetop_thing_events_total{name=\"one\"} "), 1);
	ck_assert_uint_eq(count_of(text, "panetop_thing_level{name=\"\"} "), 1);
	ck_assert_uint_eq(count_of(text, "panetop_thing_row_info{name=\"one\","), 1);
	ck_assert_uint_eq(count_of(text, "{cpu=\"0\",le=\"+Inf\"}"), 1);
	ck_assert_uint_eq(count_of(said_now(), "openmetrics: 2 values were left out"), 1);
}

struct tally_row {
	const char *cpu;
	double seconds, user_seconds;
};

static const struct column tally_columns[] = {
	C(tally_row, cpu, KEY, NONE, "cpu"),
	C(tally_row, seconds, COUNTER, SECONDS, "s"),
	C(tally_row, user_seconds, COUNTER, SECONDS, "u"),
};

static int keep_sample(void *context, struct buffer *sample)
{
	struct buffer *kept = context;

	buffer_empty(kept);
	buffer_add(kept, sample->bytes, sample->length);
	buffer_char(kept, '\0');
	return 0;
}

static void begin_tally(bool of_run)
{
	static struct schema tally = {
		.name = "tally", .help = "tallies", .row_size = sizeof(struct tally_row), .sum_row = "all",
		SCHEMA_COLUMNS(tally_columns)
	};

	tally.of_run = of_run;
	begin(&sink_prometheus, &tally);
}

static void print_tally(void)
{
	static const struct tally_row rows[] = { { "all", 3, 7 }, { "0", 1, NAN }, { "1", -2, NAN } };

	print_rows(plan.views[0].schema, rows, 3);
}

/* sum() gives them. A negative counter is none; a sum of parts that are not known stays. */
START_TEST(expositions_leave_sums_out)
{
	begin_tally(false);
	print_tally();
	ck_assert_uint_eq(count_of(text, "panetop_tally_seconds_total{"), 1);
	check_has(text, "panetop_tally_seconds_total{cpu=\"0\"} 1\n",
		  "panetop_tally_user_seconds_total{cpu=\"all\"} 7\n");
	check_has(said_now(), "prometheus: 1 value was left out");
}

static bool is_first(const void *row)
{
	return strcmp(((const struct tally_row *)row)->cpu, "0") == 0;
}

START_TEST(expositions_leave_out_what_is_over)
{
	static const struct schema tally = {
		.name = "tally", .help = "tallies", .row_size = sizeof(struct tally_row), .is_over = is_first,
		SCHEMA_COLUMNS(tally_columns)
	};

	begin(&sink_prometheus, &tally);
	print_tally();
	check_has(text, "panetop_tally_seconds_total{cpu=\"all\"} 3\n");
	ck_assert(!strstr(text, "cpu=\"0\""));
}

struct link_row {
	const char *cpu;
	uint64_t seconds, speed_bits, inodes_total;
	double ratio;
	const char *model;
};

static const struct column link_columns[] = {
	C(link_row, cpu, KEY, NONE, "cpu"),
	C(link_row, seconds, COUNTER, SECONDS, "s"),
	C(link_row, ratio, RATE, RATIO, "r", .rate_of = offsetof(struct link_row, seconds)),
	COLUMN(struct link_row, speed_bits, .kind = COLUMN_GAUGE, .unit = UNIT_BITS, .title = "b",
	       .help = "in bits per second"),
	C(link_row, inodes_total, GAUGE, COUNT, "i"),
	C(link_row, model, LABEL, NONE, "m"),
};

static const char *link_model; /* of all rows; NULL: not known */

/* The row "all" and n others; limit as of --limit. */
static void print_links(unsigned n, bool with_sum, size_t limit)
{
	const struct schema links = {
		.name = "link", .help = "links", .row_size = sizeof(struct link_row),
		.sum_row = with_sum ? "all" : NULL, SCHEMA_COLUMNS(link_columns)
	};
	struct link_row rows[400];
	char names[400][8];

	for (unsigned i = 0; i <= n; i++) {
		snprintf(names[i], sizeof(names[i]), i == 0 ? "all" : "%u", i - 1);
		rows[i] = (struct link_row){ names[i], i, 8000, i, 0.5, link_model };
	}
	begin(&sink_prometheus, &links);
	plan.views[0].limit = limit;
	print_rows(&links, rows, n + 1);
}

/* A rate stands beside no counter; names are those that Prometheus checks for: base units, "_total". */
START_TEST(expositions_have_each_number_once)
{
	print_links(1, true, VIEW_ALL_ROWS);
	check_has(text, "panetop_link_seconds_total{cpu=\"0\"} 1\n", "panetop_link_ratio{cpu=\"all\"} 0.5\n",
		  "panetop_link_speed_bytes{cpu=\"0\"} 1000\n", "panetop_link_inodes{cpu=\"0\"} 1\n",
		  "# HELP panetop_link_speed_bytes in bytes per second\n",
		  "panetop_exposition_cut_rows{topic=\"link\"} 0\n");
	check_lacks(text, "panetop_link_ratio{cpu=\"0\"}", "panetop_link_seconds_total{cpu=\"all\"}");
}

/* Of rows that do not fit their sum stays, or else the first ones; what is cut is counted. */
START_TEST(expositions_have_a_limit_for_each_topic)
{
	static const struct {
		unsigned n;
		bool with_sum;
		const char *model; /* a series more of each row */
		size_t limit;
		unsigned n_printed, n_cut;
	} cases[] = {
		{ 300, true, NULL, VIEW_ALL_ROWS, 1, 300 },
		{ 300, false, NULL, VIEW_ALL_ROWS, 66, 235 },
		{ 300, false, "some", VIEW_ALL_ROWS, 50, 251 },
		{ 49, false, "some", VIEW_ALL_ROWS, 50, 0 }, /* 200 series */
		{ 50, true, "some", VIEW_ALL_ROWS, 1, 50 },  /* the sum has its rate, but not its counter */
		{ 50, false, "some", VIEW_ALL_ROWS, 50, 1 },
		{ 300, false, NULL, 300, 300, 1 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		link_model = cases[i].model;
		print_links(cases[i].n, cases[i].with_sum, cases[i].limit);
		ck_assert_uint_eq(count_of(text, "panetop_link_speed_bytes{"), cases[i].n_printed);
		ck_assert_uint_eq(count_of(text, "panetop_link_row_info{"),
				  link_model ? cases[i].n_printed : 0);
		check_has(text, textf("panetop_exposition_cut_rows{topic=\"link\"} %u\n", cases[i].n_cut));
	}
}

/* A row of which all is known, and one of which only the name and a rate without its counter are. */
static void print_two_things(const struct sink_format *format)
{
	static const struct thing_row rows[] = {
		{ "plain", 16, 4096, 0.5, 7, 3 },
		{ "a\\\"b\"\n", U64_UNKNOWN, U64_UNKNOWN, NAN, U64_UNKNOWN, 2.5 },
	};

	begin(format, &thing_schema);
	print_rows(&thing_schema, rows, 2);
}

/* Text format 0.0.4 has no unit, no end and no type info; HELP and TYPE name the samples themselves. */
START_TEST(expositions_as_a_whole)
{
	print_two_things(&sink_openmetrics);
	check_lacks(error_message_log(), "left out");
	ck_assert_str_eq(text, "# TYPE panetop_thing_row info\n"
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
	print_two_things(&sink_prometheus);
	check_has(text, "# TYPE panetop_thing_row_info gauge\n# HELP panetop_thing_row_info things\n",
		  "# TYPE panetop_thing_events_total counter\n# HELP panetop_thing_events_total h\n"
		  "panetop_thing_events_total{name=\"plain\"} 7\n");
	check_lacks(text, "# EOF", "# UNIT", " info\n");
}

/* Buckets that are always there, of two CPUs and of both; a run that ends has a level of them. */
static void print_delays(const struct sink_format *format, bool of_run, bool sparse)
{
	static const struct bucket_row rows[] = {
		{ "0", 0, 0.5, 2 },    { "0", 0.5, 2, 1 },    { "0", 2, NAN, 4 },    { "1", 0, 0.5, 0 },
		{ "1", 0.5, 2, 5 },    { "1", NAN, NAN, 9 },  { "1", 2, NAN, 0 },    { "all", 0, 0.5, 77 },
	};
	struct schema schema = bucket_schema;

	schema.sparse = sparse;
	schema.of_run = of_run;
	begin(format, &schema);
	print_rows(&schema, rows, LENGTH(rows));
}

START_TEST(histograms_as_a_whole)
{
	static const char buckets[] = "panetop_delay_seconds_bucket{cpu=\"0\",le=\"0.5\"} 2\n"
				      "panetop_delay_seconds_bucket{cpu=\"0\",le=\"2\"} 3\n"
				      "panetop_delay_seconds_bucket{cpu=\"0\",le=\"+Inf\"} 7\n"
				      "panetop_delay_seconds_bucket{cpu=\"1\",le=\"0.5\"} 0\n"
				      "panetop_delay_seconds_bucket{cpu=\"1\",le=\"2\"} 5\n"
				      "panetop_delay_seconds_bucket{cpu=\"1\",le=\"+Inf\"} 5\n";

	print_delays(&sink_openmetrics, false, false);
	ck_assert_str_eq(text, textf("# TYPE panetop_delay_seconds histogram\n"
				     "# UNIT panetop_delay_seconds seconds\n"
				     "# HELP panetop_delay_seconds delays\n%s# EOF\n",
				     buckets));
	print_delays(&sink_openmetrics, true, false);
	ck_assert_str_eq(text, textf("# TYPE panetop_delay_seconds gaugehistogram\n"
				     "# UNIT panetop_delay_seconds seconds\n"
				     "# HELP panetop_delay_seconds delays\n%s# EOF\n",
				     buckets));
	print_delays(&sink_prometheus, true, false);
	ck_assert_str_eq(text, textf("# TYPE panetop_delay_seconds_bucket untyped\n"
				     "# HELP panetop_delay_seconds_bucket delays\n%s"
				     "# TYPE panetop_delay_seconds_gcount untyped\n"
				     "# HELP panetop_delay_seconds_gcount delays\n"
				     "panetop_delay_seconds_gcount{cpu=\"0\"} 7\n"
				     "panetop_delay_seconds_gcount{cpu=\"1\"} 5\n"
				     "# TYPE panetop_delay_seconds_gsum untyped\n"
				     "# HELP panetop_delay_seconds_gsum delays\n"
				     "panetop_delay_seconds_gsum{cpu=\"0\"} NaN\n"
				     "panetop_delay_seconds_gsum{cpu=\"1\"} NaN\n",
				     buckets));
	print_delays(&sink_openmetrics, true, true);
	check_has(text,
		  "panetop_delay_seconds_gcount{cpu=\"1\"} 5\npanetop_delay_seconds_gsum{cpu=\"1\"} 6.25\n");
	check_lacks(text, "_gcount{cpu=\"0\"}");
	print_delays(&sink_openmetrics, false, true);
	check_has(text, "# TYPE panetop_delay_seconds histogram\n",
		  "panetop_delay_seconds_count{cpu=\"1\"} 5\npanetop_delay_seconds_sum{cpu=\"1\"} 6.25\n");
}

/* A bucket of each of n CPUs, and of all of them. */
static void print_cpus(unsigned n_cpus, bool with_all)
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
	print_table(&sink_prometheus, &frame);
}

/* Of 46 series each; what is cut is counted. */
START_TEST(histograms_have_a_limit)
{
	print_cpus(4, true);
	ck_assert_uint_eq(count_of(text, "_bucket{cpu="), 4 * 44);
	check_lacks(text, "cpu=\"all\"", "cut_rows{topic=\"delay_bucket\"}");
	print_cpus(5, true);
	ck_assert_uint_eq(count_of(text, "_bucket{cpu="), 44);
	check_has(text, "_bucket{cpu=\"all\",le=\"+Inf\"} 5\n", "cut_rows{topic=\"delay_bucket\"} 5\n");
	print_cpus(6, false);
	ck_assert_uint_eq(count_of(text, "_bucket{cpu="), 4 * 44);
	check_has(text, "_bucket{cpu=\"3\",le=\"+Inf\"} 1\n", "cut_rows{topic=\"delay_bucket\"} 2\n");
	print_cpus(0, true);
	check_has(text, "_bucket{cpu=\"all\",le=\"+Inf\"} 0\n", "cut_rows{topic=\"delay_bucket\"} 0\n");
	print_cpus(0, false);
	check_lacks(text, "panetop_delay_seconds");
}

struct volume_row {
	const char *cpu;
	double from_bytes, to_bytes;
	uint64_t samples, lost;
};

static const struct column volume_columns[] = {
	C(volume_row, cpu, KEY, NONE, "cpu"),        C(volume_row, from_bytes, KEY, BYTES, "from"),
	C(volume_row, to_bytes, BOUND, BYTES, "to"), C(volume_row, samples, COUNTER, COUNT, "n"),
	C(volume_row, lost, COUNTER, COUNT, "l"), /* of the buckets the first one counts */
};

static void print_volumes(const struct volume_row *rows, size_t n_rows, bool sparse)
{
	const struct schema volumes = {
		.name = "volume", .help = "volumes", .shape = SHAPE_HISTOGRAM, .sparse = sparse,
		.row_size = sizeof(struct volume_row), SCHEMA_COLUMNS(volume_columns)
	};

	begin(&sink_openmetrics, &volumes);
	print_rows(&volumes, rows, n_rows);
}

/* One less than powers of four up to 10^12, as a bound counts; their buckets are too wide for a sum. */
START_TEST(bounds_of_sizes_are_powers)
{
	static const struct volume_row rows[] = {
		{ "0", 0, 1, 2, 70 },
		{ "0", 1, 2, 3, 0 },
		{ "0", 0x1p38, 0x1p39, 4, 0 },
	};

	print_volumes(rows, 3, true);
	ck_assert_uint_eq(count_of(text, "panetop_volume_bytes_bucket{cpu=\"0\","), 21);
	check_has(text, "# UNIT panetop_volume_bytes bytes\n", "le=\"0\"} 2\n", "le=\"3\"} 5\n",
		  "le=\"15\"} 5\n", "le=\"274877906943\"} 5\n", "le=\"+Inf\"} 9\n");
	check_lacks(text, "_sum");
}

/* Those of the first rows that rise: a damaged table may have any. */
START_TEST(own_bounds_rise_and_are_not_too_many)
{
	static const char *const names[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9", "10" };
	static const double bounds[] = { 0, -1, 2, 2, 1, 3, NAN };
	struct volume_row rows[100];

	for (size_t i = 0; i < 7; i++)
		rows[i] = (struct volume_row){ "0", 0, bounds[i], 1, 0 };
	print_volumes(rows, 7, false);
	ck_assert_uint_eq(count_of(text, "_bucket{"), 3);
	check_has(text, "le=\"1\"} 5\n" /* up to 2, exclusive */, "le=\"2\"} 6\n", "le=\"+Inf\"} 7\n");
	for (size_t i = 0; i < 100; i++)
		rows[i] = (struct volume_row){ "0", (double)i, (double)i + 1, 1, 0 };
	print_volumes(rows, 100, false);
	ck_assert_uint_eq(count_of(text, "_bucket{"), 65);
	check_has(text, "le=\"63\"} 64\n", "le=\"+Inf\"} 100\n");
	for (size_t i = 0; i < 10; i++) /* behind 17 bounds: 20 series for each CPU */
		rows[17 + i] = (struct volume_row){ names[i], 0, 1, 1, 0 };
	print_volumes(rows, 17 + 9, false);
	ck_assert_uint_eq(count_of(text, "_bucket{"), 10 * 18);
	check_lacks(text, "cut_rows");
	print_volumes(rows, 17 + 10, false);
	ck_assert_uint_eq(count_of(text, "_bucket{"), 10 * 18);
	check_has(text, "cut_rows{topic=\"volume\"} 1\n");
}

/* What counts from the start of a run is a counter only where the next exposition comes from the same run. */
START_TEST(counters_of_a_run_need_a_run_that_goes_on)
{
	struct buffer sample = { 0 };

	begin_tally(true);
	print_tally();
	check_lacks(text, "panetop_tally_");
	for (unsigned repeated = 0; repeated < 2; repeated++) {
		begin_tally(true);
		plan.repeated = repeated;
		sink.replace = keep_sample; /* each sample in place of the output */
		sink.replace_context = &sample;
		print_tally();
		ck_assert_str_eq(text, "");
		ck_assert_int_eq(strstr(sample.bytes, "panetop_tally_seconds_total{cpu=\"0\"} 1\n") != NULL,
				 repeated);
		ck_assert_int_eq(strstr(sample.bytes, "panetop_tally_") != NULL, repeated);
	}
	buffer_free(&sample);
}

/* Opens what a sink wrote as a replay. */
static void open_text(struct source *source, const char *lines, size_t length)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	const char *why = NULL;

	ck_assert_int_eq(write(fd, lines, length), (ssize_t)length);
	lseek(fd, 0, SEEK_SET);
	ck_assert_msg(open_replay(source, fd, UINT64_MAX, schemas, 2, &why) == 0, "%s", why ? why : "");
}

/* A line that cannot be read is passed over, and told with the next sample that can. */
START_TEST(replay_says_which_line_is_damaged)
{
	struct source source;
	struct frame frame;

	run_sink(&sink_record_lines, 1);
	memset(strstr(strchr(text, '\n'), "\"rows\""), '}', 5);
	open_text(&source, text, text_length);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.tables[0].n_rows, N_HOSTILE);
	ck_assert_str_eq(frame.notices[frame.n_notices - 1].topic, "replay");
	check_has(frame.notices[frame.n_notices - 1].text, "line 2 ");
	frame_clear(&frame);
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_ptr_null(source.remark(source.state));
	source.close(source.state);
	frame_close(&frame);
}

/* Columns that this version lacks are passed over; columns that the recording lacks are unknown. */
START_TEST(replay_reads_old_and_foreign_recordings)
{
	static const char lines[] =
		"{\"panetop\":\"recording\",\"format\":1,\"topics\":{\"thing\":{"
		"\"columns\":[{\"key\":\"gone\"},"
		"{\"key\":\"name\"},{\"key\":\"events\"},{\"key\":\"events_per_second\"}]}"
		",\"other\":{\"columns\":[]}}}\n"
		"{\"tables\":{\"thing\":{\"mono_ns\":5,\"rows\":[[1,\"x\","
		"\"18446744073709551000\",9.5],[2],7,"
		"[null,null,-3,1,2,3,4]]},\"other\":{\"rows\":[[1]]}},\"wall_ns\":8}\n";
	const struct thing_row *row;
	struct source source;
	struct frame frame;

	open_text(&source, lines, sizeof(lines) - 1);
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
		"", "\n", "hello\n", "{}\n", "[]\n", "{\"panetop\":7}\n",
		"{\"panetop\":\"recording\",\"format\":99}\n"
	};

	for (size_t i = 0; i < LENGTH(texts); i++) {
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

static const struct column *column_of(const char *topic, const char *key)
{
	return schema_find(topic_find(topic)->schema, key);
}

/* As they are written. */
START_TEST(columns_know_their_metrics)
{
	static const struct {
		const char *topic, *key, *metric;
	} cases[] = {
		{ "memory", "free_bytes", "panetop_memory_free_bytes" },
		{ "memory", "name", NULL },
		{ "cpu", "user_seconds", "panetop_cpu_user_seconds_total" },
		{ "cpu", "user_ratio", "panetop_cpu_user_ratio" }, /* of the row of all CPUs */
		{ "pressure", "stalled_ratio", NULL },             /* its counter is there */
		{ "filesystem", "inodes_total", "panetop_filesystem_inodes" },
		{ "interface", "received_bytes", "panetop_interface_received_bytes_total" },
		{ "process", "resident_bytes", "panetop_process_resident_bytes" },
		{ "process", "cpu_seconds", NULL }, /* would go back when a process ends */
		{ "latency_bucket", "to_seconds", "panetop_latency_seconds_bucket" },
		{ "latency_bucket", "samples", NULL },
		{ "event", "pid", NULL },
	};
	const struct schema *cpu = topic_find("cpu")->schema, *process = topic_find("process")->schema;
	const struct schema *interface = topic_find("interface")->schema;
	char name[EXPOSITION_NAME_MAX];

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct schema *schema = topic_find(cases[i].topic)->schema;
		bool any = exposition_metric(schema, column_of(cases[i].topic, cases[i].key), name);

		ck_assert_msg(any == (cases[i].metric != NULL), "%s.%s", cases[i].topic, cases[i].key);
		ck_assert_str_eq(any ? name : "", any ? cases[i].metric : "");
	}
	ck_assert_str_eq(exposition_label(cpu, column_of("cpu", "cpu")), "cpu");
	ck_assert_str_eq(exposition_label(process, column_of("process", "name")), "command");
	ck_assert_ptr_null(exposition_label(process, column_of("process", "pid")));
	ck_assert_ptr_null(exposition_counter(cpu, column_of("cpu", "user_ratio"))); /* not over time alone */
	ck_assert_ptr_eq(exposition_counter(interface, column_of("interface", "received_packets_per_second")),
			 column_of("interface", "received_packets"));
	ck_assert_ptr_null(exposition_counter(process, column_of("process", "cpu_ratio")));
	ck_assert(exposition_info(topic_find("finding")->schema, name));
	ck_assert_str_eq(name, "panetop_finding_row_info");
	ck_assert(!exposition_info(process, name) && !exposition_info(cpu, name));
	ck_assert(!exposition_info(topic_find("event")->schema, name));
}

/* Names that no other family may have, each with its topic behind it. */
struct family_names {
	const char *names[30000];
	unsigned n;
};

/* As the strict parser has it: a family has its own name, and those of its samples. */
static void add_family_names(struct family_names *all, struct arena *arena, const char *topic,
			     const char *sample)
{
	static const char *const kinds[][7] = { { "_bucket", "_count", "_sum", "_gcount", "_gsum",
						  "_created" },
						{ "_total", "_created" },
						{ "_info" } };
	size_t length = strlen(sample);

	for (unsigned k = 0; k < 3; k++) {
		size_t end = strlen(kinds[k][0]);

		if (length <= end || strcmp(sample + length - end, kinds[k][0]) != 0)
			continue;
		length -= end;
		for (unsigned i = 0; kinds[k][i]; i++)
			all->names[all->n++] =
				arena_print(arena, "%.*s%s %s", (int)length, sample, kinds[k][i], topic);
		break;
	}
	all->names[all->n++] = arena_print(arena, "%.*s %s", (int)length, sample, topic);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

START_TEST(families_of_all_topics_differ)
{
	struct family_names *all = calloc(1, sizeof(*all));
	struct arena arena = { 0 };
	char name[EXPOSITION_NAME_MAX];

	add_family_names(all, &arena, "what was cut", "panetop_exposition_cut_rows");
	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;

		if (exposition_info(schema, name))
			add_family_names(all, &arena, schema->name, name);
		snprintf(name, sizeof(name), "panetop_%s_rows", schema->name);
		if (command_sums_apply(schema))
			add_family_names(all, &arena, schema->name, name);
		for (unsigned c = 0; c < schema->n_columns; c++)
			if (exposition_metric(schema, &schema->columns[c], name))
				add_family_names(all, &arena, schema->name, name);
	}
	ck_assert_uint_gt(all->n, 500);
	qsort(all->names, all->n, sizeof(all->names[0]), by_text);
	for (unsigned i = 1; i < all->n; i++)
		ck_assert_msg(
			strcspn(all->names[i], " ") != strcspn(all->names[i - 1], " ") ||
				strncmp(all->names[i], all->names[i - 1], strcspn(all->names[i], " ")) != 0,
			"%s and %s", all->names[i - 1], all->names[i]);
	arena_free(&arena);
	free(all);
}

/* Empty rows take two bytes in a line, and all columns in a table. */
START_TEST(replay_leaves_out_rows_beyond_all_measure)
{
	struct buffer lines = { 0 };
	struct source source;
	struct frame frame;

	run_sink(&sink_record_lines, 1);
	buffer_add(&lines, text, strcspn(text, "\n") + 1);
	buffer_text(&lines, "{\"wall_ns\":1,\"mono_ns\":1,\"tables\":{\"thing\":{\"mono_ns\":1,\"rows\":[[]");
	for (size_t i = 0; i < 333000; i++)
		buffer_text(&lines, ",[]");
	buffer_text(&lines, "]}}}\n");
	ck_assert_uint_lt(lines.length, 1 << 20);
	open_text(&source, lines.bytes, lines.length);
	frame_open(&frame, schemas, 2);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.tables[0].n_rows, 0);
	check_has(frame.notices[0].text, "more memory");
	source.close(source.state);
	frame_close(&frame);
	buffer_free(&lines);
}

struct remark_row {
	const char *name, *why, *remedy;
	double share;
	const char *say, *more;
};

static const struct column remark_columns[] = {
	C(remark_row, name, KEY, NONE, "name", .width = 6),
	C(remark_row, why, LABEL, NONE, "why", .prose = true),
	C(remark_row, share, GAUGE, RATIO, "%use*", .width = 5, .mark = "* of one CPU"),
	C(remark_row, remedy, LABEL, NONE, "remedy", .prose = true),
	C(remark_row, say, LABEL, NONE, "says", .width = 8),
	C(remark_row, more, LABEL, NONE, "more", .optional = true),
};

static const struct schema remark_schema = {
	.name = "remark", .help = "remarks", .none = "nothing to remark", .derived = true,
	.row_size = sizeof(struct remark_row), SCHEMA_COLUMNS(remark_columns)
};

static void print_remarks(const struct schema *schema, int wrap_cells, unsigned n_rows)
{
	static const struct remark_row rows[] = {
		{ "a", "it is busy with a long calculation", "wait", 0.5, "one two three four five", NULL },
		{ "longer name", NULL, "", NAN, "x", NULL },
	};

	begin(&sink_text, schema);
	plan.repeated = false;
	plan.wrap_cells = wrap_cells;
	print_rows(schema, rows, n_rows);
}

/* Where lines are wrapped, sentences follow their row, each behind its heading. */
START_TEST(sentences_follow_their_row)
{
	print_remarks(&remark_schema, 34, 2);
	ck_assert_str_eq(text, "name        %use* says\n"
			       "a            50.0 one two three\n"
			       "                  four five\n"
			       "    why: it is busy with a long\n"
			       "        calculation\n"
			       "    remedy: wait\n"
			       "longer name     - x\n"
			       "* of one CPU\n");
	print_remarks(&remark_schema, 0, 1);
	ck_assert_str_eq(text,
			 "name   why                                %use* remedy says\n"
			 "a      it is busy with a long calculation  50.0 wait   one two three four five\n"
			 "* of one CPU\n");
	print_remarks(&remark_schema, 31, 1); /* "four" and "long" just fit */
	check_has(text,
		  "a       50.0 one two three four\n             five\n    why: it is busy with a long\n");
	print_remarks(&remark_schema, 30, 1);
	check_has(text, "a       50.0 one two three\n             four five\n    why: it is busy with a\n");
}

/* Two times and what lies between. */
START_TEST(a_difference_has_two_times)
{
	struct frame frame;

	setenv("TZ", "UTC", 1);
	tzset();
	open_frame(&frame, 0);
	frame.host = "box";
	frame.since_ns = frame.wall_ns + 90 * UINT64_C(1000000000);
	frame.interval_ns = 90 * UINT64_C(1000000000);
	((struct thing_row *)table_add(&frame.tables[0]))->name = "x";
	begin(&sink_text, &thing_schema);
	plan.repeated = false;
	print_frame(&frame);
	frame.interval_ns = 0;
	print_frame(&frame);
	end_output();
	check_has(text, "2024-11-20 09:30:00.123 - 2024-11-20 09:31:30.123 (90.0 s) box\nname   address size",
		  "\n\n2024-11-20 09:30:00.123 - 2024-11-20 09:31:30.123 box\nname   address size");
	frame_close(&frame);
}

/* Only where it was looked for that is news. */
START_TEST(text_says_that_nothing_follows_from_other_tables)
{
	struct schema schema = remark_schema;

	print_remarks(&schema, 0, 0);
	ck_assert_str_eq(text, "nothing to remark\n");
	schema.none = NULL;
	print_remarks(&schema, 0, 0);
	ck_assert_str_eq(text, "");
	schema = remark_schema;
	schema.derived = false;
	print_remarks(&schema, 0, 0);
	ck_assert_str_eq(text, "");
}

/* So that columns stay where they are. */
START_TEST(widths_of_text_only_grow)
{
	static const char *const names[] = { "x", "longer than six", "y" };

	begin(&sink_text, &thing_schema);
	plan.repeated = false;
	for (size_t i = 0; i < 3; i++) {
		struct frame frame;

		open_frame(&frame, i);
		((struct thing_row *)table_add(&frame.tables[0]))->name = names[i];
		print_frame(&frame);
		frame_close(&frame);
	}
	end_output();
	check_has(text, "name   address size level events ev/s\nx            -    -",
		  "\n\nname            address size level events ev/s\nlonger than six       -",
		  "\n\nname            address size level events ev/s\ny                     -");
}

struct worker_row {
	const char *node;
	uint64_t pid;
	const char *name;
	uint64_t bytes;
	double seconds;
};

static const struct column worker_columns[] = {
	C(worker_row, node, KEY, NONE, "node"),
	C(worker_row, pid, KEY, NONE, "pid", .fleeting = true),
	C(worker_row, name, LABEL, NONE, "name", .grouping = "command"),
	COLUMN(struct worker_row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .additive = true,
	       .title = "b", .help = "size"),
	C(worker_row, seconds, COUNTER, SECONDS, "s"),
};

static void print_workers(size_t top, bool additive, size_t n_rows)
{
	static const struct worker_row rows[] = {
		{ "all", 0, "all", 1160, 9 }, { "a", 10, "make", 100, 1 },  { "a", 11, "make", 50, 2 },
		{ "b", 12, "make", 7, 2 },    { "a", 13, "sh", 1000, 2 },   { "a", 14, "cc/1", 3, 2 },
		{ "twice", 15, "sh", 5, 2 },
	};
	struct schema workers = {
		.name = "worker", .help = "workers", .sum_row = "all", .twice_row = "twice",
		.row_size = sizeof(struct worker_row), SCHEMA_COLUMNS(worker_columns)
	};

	if (!additive)
		workers.n_columns = 3;
	begin(&sink_prometheus, &workers);
	plan.top = top;
	print_rows(&workers, rows, n_rows);
}

/* Series of processes would come and go for ever: their sums by command stay. */
START_TEST(expositions_have_sums_of_what_comes_and_goes)
{
	print_workers(10, true, 7);
	check_has(text,
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
		  "# TYPE panetop_exposition_cut_rows gauge\n",
		  "panetop_exposition_cut_rows{topic=\"worker\"} 0\n");
	print_workers(2, true, 7);
	check_has(text, "command=\"(others)\"} 3\n", "cut_rows{topic=\"worker\"} 1\n");
	print_workers(10, false, 7); /* nothing adds up */
	ck_assert_str_eq(text, "");
	print_workers(10, true, 1); /* the sum of none */
	check_lacks(text, "panetop_worker");
	check_has(text, "cut_rows{topic=\"worker\"} 0\n");
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
	.name = "stack", .help = "stacks", .row_size = sizeof(struct stack_row), SCHEMA_COLUMNS(stack_columns)
};

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
static void print_stacks(const struct sink_format *format, const struct stack_row *rows, bool timed,
			 unsigned n_frames)
{
	const struct schema *const only[] = { &stack_schema };
	struct frame frame;

	begin(format, &stack_schema);
	frame_open(&frame, only, 1);
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
		print_frame(&frame);
	}
	frame_close(&frame);
	end_output();
}

/* CSI as a C1 control, an override of direction, an escape, a byte that is no UTF-8; a letter that is. */
START_TEST(no_stack_harms_a_terminal)
{
	static const struct stack_row rows[5] = {
		{ "a\xc2\23331m;\xe2\x80\256b", "\033]0;\xff", 1, .01 },
		{ "\xc3\xa9;\n", "f", 2, .02 },
	};

	print_stacks(&sink_folded, rows, true, 1);
	ck_assert_str_eq(text, "a\xef\xbf\27531m;\xef\xbf\275b 1\n\xc3\xa9;\xef\xbf\xbd 2\n");
	print_stacks(&sink_pprof, rows, true, 1);
	ck_assert_ptr_null(memmem(text, text_length, "\xc2\x9b", 2));
	ck_assert_ptr_null(memmem(text, text_length, "\033]", 2));
}

START_TEST(folded_stacks_are_lines)
{
	print_stacks(&sink_folded, stack_rows, true, 2);
	ck_assert_str_eq(text, "main;work 5\nmain 2\nnone 0\nmain;work 1\nmain;lone 300\nmain;work 1\n");
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
	.name = "level", .help = "levels", .row_size = sizeof(struct level_row), SCHEMA_COLUMNS(level_columns)
};

/* So many seconds of lines. */
static void print_numbers(unsigned n_frames)
{
	static const struct summary_column columns[] = {
		{ { "level", "b", "count" }, "b's", 4, 0 },
		{ { "level", NULL, "level" }, NULL, 6, 2 },
		{ { "level", "a", "count" }, NULL, 4, 0 },
		{ { "level", "nobody", "count" }, "no", 4, 0 },
		{ { NULL } },
	};
	const struct schema *const only[] = { &level_schema };
	struct frame frame;

	setenv("TZ", "UTC", 1);
	begin_views(&sink_text, NULL, 0);
	plan.summary = columns;
	plan.ascii = true;
	frame_open(&frame, only, 1);
	for (unsigned i = 0; i < n_frames; i++) {
		static const char *const names[] = { "a", "b", "c" };

		frame_clear(&frame);
		frame.wall_ns = (UINT64_C(1732095000) + i) * 1000000000;
		frame.interval_ns = 1000000000;
		frame.tables[0].present = true;
		for (unsigned r = 0; r < 3; r++)
			*(struct level_row *)table_add(&frame.tables[0]) =
				(struct level_row){ names[r], r == 1 ? "long one" : "",
						    10 * r + (r == 0 ? 1 : 2) * i, (.1 + r) / 4 * (1 + i) };
		print_frame(&frame);
	}
	frame_close(&frame);
	end_output();
}

START_TEST(a_sample_is_a_line_of_numbers)
{
	print_numbers(3);
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
	print_numbers(1);
	ck_assert_str_eq(text, "time      b's      a long_one number   no\n"
			       "09:30:00   10    2.5     27.5      0    -\n");
	print_numbers(0);
	ck_assert_str_eq(text, "");
}

START_TEST(recordings_of_lines_have_an_ending)
{
	ck_assert(recording_is_lines("a.jsonl") && recording_is_lines("/x.y/a.b.jsonl"));
	ck_assert(!recording_is_lines(".jsonl")); /* that is all of its name */
	ck_assert(!recording_is_lines("a.json") && !recording_is_lines("a.jsonl2"));
	ck_assert(!recording_is_lines("ajsonl") && !recording_is_lines(""));
}

static unsigned n_asked;

static bool breaks_off(void)
{
	return ++n_asked == 2;
}

/* It is asked at each 256th row; then nothing of the sample is written. */
START_TEST(a_signal_breaks_a_sample_off)
{
	static const unsigned cases[][2] = { { 255, 0 }, { 256, 1 }, { 511, 1 }, { 512, 2 }, { 1000, 2 } };
	const struct sink_format *const formats[] = { &sink_csv, &sink_json, &sink_folded };
	const struct schema *const only[] = { &stack_schema };

	for (unsigned i = 0; i < 3 * LENGTH(cases); i++) {
		unsigned n_rows = cases[i / 3][0];
		bool whole = cases[i / 3][1] < 2;
		struct frame frame;
		off_t length;

		begin(formats[i % 3], &stack_schema);
		length = lseek(sink.fd, 0, SEEK_END);
		sink.interrupted = breaks_off;
		n_asked = 0;
		frame_open(&frame, only, 1);
		frame.tables[0].present = true;
		for (unsigned r = 0; r < n_rows; r++)
			*(struct stack_row *)table_add(&frame.tables[0]) =
				(struct stack_row){ "main", "a", r, 1 };
		ck_assert_int_eq(sink_frame(&sink, &frame), whole ? 0 : -ECANCELED);
		ck_assert(n_asked == cases[i / 3][1] && sink.frames == whole);
		ck_assert_int_eq(lseek(sink.fd, 0, SEEK_END) > length, whole);
		frame_close(&frame);
		read_output();
	}
}
