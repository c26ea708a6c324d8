/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of tables of events: their times, and their way through sinks, streams and recordings. */
#include "suite.h"

#include <time.h>

#include "app/sampling.h"
#include "core/alloc.h"
#include "model/units.h"
#include "output/recording.h"
#include "output/sink.h"

#define START_NS UINT64_C(1732095000123456789)

struct happening_row {
	uint64_t number, time;
	const char *event;
	uint64_t pid;
	const char *command;
};

static const struct column happening_columns[] = {
	COLUMN(struct happening_row, number, .kind = COLUMN_KEY, .title = "", .hidden = true),
	COLUMN(struct happening_row, time, .kind = COLUMN_LABEL, .unit = UNIT_TIME, .title = "time",
	       .width = 12),
	COLUMN(struct happening_row, event, .kind = COLUMN_LABEL, .title = "event", .width = 5),
	COLUMN(struct happening_row, pid, .kind = COLUMN_LABEL, .title = "pid", .width = 7),
	COLUMN(struct happening_row, command, .kind = COLUMN_LABEL, .title = "process", .width = 10),
};

static const struct schema happening_schema = {
	.name = "happening",
	.help = "what happened",
	.shape = SHAPE_EVENTS,
	.row_size = sizeof(struct happening_row),
	SCHEMA_COLUMNS(happening_columns),
};

struct tally_row {
	const char *event;
	uint64_t total;
};

static const struct column tally_columns[] = {
	COLUMN(struct tally_row, event, .kind = COLUMN_KEY, .title = "event", .width = 5),
	COLUMN(struct tally_row, total, .kind = COLUMN_COUNTER, .title = "total", .width = 5),
};

static const struct schema tally_schema = {
	.name = "tally",
	.help = "how often",
	.row_size = sizeof(struct tally_row),
	SCHEMA_COLUMNS(tally_columns),
};

static const struct schema *const schemas[] = { &happening_schema, &tally_schema };

static void open_frame(struct frame *frame)
{
	frame_open(frame, schemas, 2);
	frame->wall_ns = START_NS + 500000000;
	frame->mono_ns = 1000000000;
	frame->tables[0].present = frame->tables[1].present = true;
}

static void add_happening(struct frame *frame, uint64_t number, const char *command)
{
	struct happening_row *row = table_add(&frame->tables[0]);

	row->number = number;
	row->time = START_NS + number * 1000000;
	row->event = number % 2 ? "exec" : "fork";
	row->pid = 1000 + number;
	row->command = command;
}

/* What is printed, and of which frames. */
struct wish {
	bool every_column;
	const char *columns, *filter;
	unsigned n_frames;   /* each with the next two happenings */
	unsigned n_tables;   /* 2: the tally, too */
	bool tally_at_end, only_events;
	bool not_sampled;   /* the happenings are not */
	const char *notice; /* about them */
};

static void add_frame(struct sink *sink, const struct wish *wish, unsigned index)
{
	struct frame frame;
	struct tally_row *row;

	open_frame(&frame);
	add_happening(&frame, 2 * index, "sh -c true");
	add_happening(&frame, 2 * index + 1, "true");
	row = table_add(&frame.tables[1]);
	row->event = "fork";
	row->total = index + 1;
	frame.only_events = wish->only_events;
	frame.tables[0].present = !wish->not_sampled;
	if (wish->notice)
		frame_notice(&frame, "happening", NULL, "%s", wish->notice);
	sink->print->phase = index + 1 == wish->n_frames ? PRINT_LAST : PRINT_SAMPLE;
	ck_assert_int_eq(sink_frame(sink, &frame), 0);
	frame_close(&frame);
}

static void open_plan(struct print_plan *plan, const struct wish *wish, regex_t *filter)
{
	*plan = (struct print_plan){ .n_views = wish->n_tables, .repeated = true };
	plan->views = alloc_zeroed(plan->n_views, sizeof(struct view));
	for (unsigned i = 0; i < plan->n_views; i++)
		view_open(&plan->views[i], schemas[i]);
	if (wish->every_column)
		view_choose_all(&plan->views[0]);
	view_apply_defaults(&plan->views[0], wish->columns, NULL);
	if (wish->filter) {
		ck_assert_int_eq(pattern_compile(filter, wish->filter), 0);
		view_set_pattern(&plan->views[0], filter);
	}
	if (wish->tally_at_end)
		plan->views[1].at_end = true;
}

/* It stays until the next call but seven. */
static const char *print_frames(const struct sink_format *format, struct wish wish)
{
	int fd = memfd_create("event_table_test", MFD_CLOEXEC);
	char text[2048] = "";
	struct print_plan plan;
	struct sink sink;
	regex_t filter;

	wish.n_tables = wish.n_tables ? wish.n_tables : 1;
	open_plan(&plan, &wish, &filter);
	sink_open(&sink, format, &plan, fd, "test");
	ck_assert_int_eq(sink_begin(&sink), 0);
	for (unsigned i = 0; i < wish.n_frames; i++)
		add_frame(&sink, &wish, i);
	ck_assert_int_eq(sink_end(&sink), 0);
	ck_assert_int_ge(pread(fd, text, sizeof(text) - 1, 0), 0);
	if (wish.filter)
		regfree(&filter);
	sink_close(&sink);
	print_plan_close(&plan);
	close(fd);
	return textf("%s", text);
}

#define PRINT(format, ...) print_frames(&(format), (struct wish){ __VA_ARGS__ })

START_TEST(people_see_the_local_time_of_day)
{
	static const struct {
		const char *zone;
		uint64_t time;
		const char *text;
	} cases[] = {
		{ "XXX-02:30", START_NS, "12:00:00.123" },
		{ "UTC", START_NS, "09:30:00.123" },
		{ "UTC", U64_UNKNOWN, "-" },
	};
	const struct value_format format = { .ascii = true };
	char number[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct happening_row row = { .time = cases[i].time };

		setenv("TZ", cases[i].zone, 1);
		tzset();
		ck_assert_str_eq(value_text(number, &happening_schema, &happening_columns[1], &row, &format),
				 cases[i].text);
	}
}

START_TEST(csv_has_one_time_the_one_of_the_event)
{
	static const char of_pids[] = "time,pid\r\n"
				      "2024-11-20T09:30:00.123456789Z,1000\r\n"
				      "2024-11-20T09:30:00.124456789Z,1001\r\n";

	ck_assert_str_eq(PRINT(sink_csv, .every_column = true, .n_frames = 1),
			 "time,number,event,pid,command\r\n"
			 "2024-11-20T09:30:00.123456789Z,0,fork,1000,sh -c true\r\n"
			 "2024-11-20T09:30:00.124456789Z,1,exec,1001,true\r\n");
	ck_assert_str_eq(PRINT(sink_csv, .every_column = true, .columns = "pid,time", .n_frames = 1),
			 of_pids);
	ck_assert_str_eq(PRINT(sink_csv, .every_column = true, .columns = "pid", .n_frames = 1), of_pids);
}

START_TEST(json_has_the_time_as_text_and_openmetrics_no_events)
{
	const char *json = PRINT(sink_json, .every_column = true, .columns = "time,pid", .n_frames = 1);
	const char *first = "{\"happening\":[{\"time\":\"2024-11-20T09:30:00.123456789Z\",\"pid\":1000},";

	ck_assert_ptr_nonnull(strstr(json, first));
	ck_assert_str_eq(PRINT(sink_openmetrics, .every_column = true, .n_frames = 2), "# EOF\n");
}

START_TEST(recordings_hold_times_exactly)
{
	const char *text = PRINT(sink_record_lines, .every_column = true, .n_frames = 2), *why = NULL;
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct source source;
	struct frame frame;

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ck_assert_int_eq(open_replay(&source, fd, UINT64_MAX, schemas, 1, &why), 0);
	frame_open(&frame, schemas, 1);
	for (uint64_t i = 0; i < 4; i++) {
		const struct happening_row *row;

		if (i % 2 == 0) {
			frame_clear(&frame);
			ck_assert_int_eq(source.next(source.state, &frame), 1);
			ck_assert_uint_eq(frame.tables[0].n_rows, 2);
		}
		row = table_row(&frame.tables[0], i % 2);
		ck_assert(row->number == i && row->time == START_NS + i * 1000000);
		ck_assert_str_eq(row->command, i % 2 ? "true" : "sh -c true");
	}
	frame_close(&frame);
	source.close(source.state);
}

#define TALLY(total) "\n2024-11-20 09:30:00.623 \nevent total\nfork      " total "\n"

START_TEST(text_heads_events_once_and_other_tables_stand_apart)
{
	ck_assert_str_eq(PRINT(sink_text, .n_frames = 0), "        time event     pid process\n");
	ck_assert_str_eq(PRINT(sink_text, .n_frames = 2), "        time event     pid process\n"
							  "09:30:00.123 fork     1000 sh -c true\n"
							  "09:30:00.124 exec     1001 true\n"
							  "09:30:00.125 fork     1002 sh -c true\n"
							  "09:30:00.126 exec     1003 true\n");
	ck_assert_str_eq(PRINT(sink_text, .columns = "pid", .n_frames = 2, .n_tables = 2),
			 "    pid\n   1000\n   1001\n" TALLY("1") "\n   1002\n   1003\n" TALLY("2"));
	ck_assert_str_eq(PRINT(sink_text, .columns = "pid", .n_frames = 2, .n_tables = 2,
			       .only_events = true),
			 "    pid\n   1000\n   1001\n   1002\n   1003\n");
	ck_assert_str_eq(PRINT(sink_text, .columns = "pid", .n_frames = 2, .n_tables = 2,
			       .tally_at_end = true),
			 "    pid\n   1000\n   1001\n   1002\n   1003\n" TALLY("2"));
}

static void add_part(struct sink *sink, bool happened, bool counted)
{
	struct frame frame;

	open_frame(&frame);
	if (happened)
		add_happening(&frame, 0, "true");
	if (counted)
		*(struct tally_row *)table_add(&frame.tables[1]) = (struct tally_row){ "fork", 1 };
	ck_assert_int_eq(sink_frame(sink, &frame), 0);
	frame_close(&frame);
}

/* Nor is there a blank line for them. */
START_TEST(samples_without_rows_are_no_text)
{
	static const bool parts[][2] = { { false, false }, { true, true },  { false, false }, { true, false },
					 { false, false }, { true, false }, { false, true } };
	const struct wish wish = { .columns = "pid", .n_tables = 2 };
	int fd = memfd_create("event_table_test", MFD_CLOEXEC);
	struct print_plan plan;
	char text[256] = "";
	struct sink sink;
	regex_t filter;

	open_plan(&plan, &wish, &filter);
	sink_open(&sink, &sink_text, &plan, fd, "test");
	ck_assert_int_eq(sink_begin(&sink), 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		add_part(&sink, parts[i][0], parts[i][1]);
	ck_assert_int_gt(pread(fd, text, sizeof(text) - 1, 0), 0);
	ck_assert_str_eq(text, "    pid\n   1000\n" TALLY("1") "\n   1000\n   1000\n" TALLY("1"));
	sink_close(&sink);
	print_plan_close(&plan);
	close(fd);
}

/* Events that are filtered out, or were not sampled, make no line; a notice is news. */
START_TEST(json_has_no_line_for_nothing)
{
	static const struct {
		struct wish wish;
		const char *has, *has_not; /* NULL: it is empty */
	} cases[] = {
		{ { .only_events = true, .filter = "^fork" }, "\"tables\":{\"happening\":[{", "tally" },
		{ { .only_events = true, .filter = "clone" }, NULL, "" },
		{ { .filter = "clone" }, "\"happening\":[]", "clone" },
		{ { .only_events = true, .not_sampled = true }, NULL, "" },
		{ { .only_events = true, .not_sampled = true, .notice = "some are lost" },
		  "\"tables\":{\"happening\":[]}", "tally" },
		{ { .not_sampled = true }, "\"happening\":[],\"tally\":[{", "clone" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wish wish = cases[i].wish;
		const char *text;

		wish.n_frames = wish.n_tables = 2;
		text = print_frames(&sink_json, wish);
		if (!cases[i].has) {
			ck_assert_str_eq(text, "");
			continue;
		}
		ck_assert_msg(strstr(text, cases[i].has) && !strstr(text, cases[i].has_not), "%zu: %s", i,
			      text);
		ck_assert(!wish.notice || strstr(text, wish.notice));
	}
}

static int give_happenings(void *state, struct frame *frame)
{
	unsigned *calls = state;

	frame->only_events = true;
	frame->mono_ns = ++*calls * UINT64_C(100000000);
	frame->tables[0].present = true;
	if (*calls != 2)
		add_happening(frame, *calls, "true");
	return 1;
}

/* Without a frame before there is no interval. */
START_TEST(a_stream_tells_of_events_alone)
{
	static const uint64_t intervals_ns[] = { 60000000, 0, 100000000 }; /* 0: nothing happens */
	unsigned calls = 0;
	struct source source = { .next_events = give_happenings, .state = &calls };
	struct event_stream stream;

	event_stream_open(&stream, &source, schemas, 2);
	for (unsigned i = 0; i < 3; i++) {
		const struct frame *frame = event_stream_take(&stream, 40000000);

		ck_assert((frame != NULL) == (intervals_ns[i] > 0));
		ck_assert(!frame || (frame->interval_ns == intervals_ns[i] && frame->tables[0].n_rows == 1));
	}
	event_stream_close(&stream);
	calls = 0;
	event_stream_open(&stream, &source, schemas, 2);
	ck_assert_uint_eq(event_stream_take(&stream, 0)->interval_ns, 0);
	event_stream_close(&stream);
}
