/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of tables of events: their times, their way through sinks and recordings. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "model/units.h"
#include "output/recording.h"
#include "output/sink.h"
#include "suite.h"

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

static const struct schema *const schemas[] = { &happening_schema };

static void open_frame(struct frame *frame)
{
	frame_open(frame, schemas, 1);
	frame->wall_ns = START_NS + 500000000;
	frame->mono_ns = 1000000000;
	frame->tables[0].present = true;
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

/* What this sink writes of frames, each with the next two happenings. The caller frees it. */
static char *print_frames(const struct sink_format *format, bool every_column, const char *columns,
			  unsigned n_frames)
{
	struct print_plan plan = { .views = alloc_zeroed(1, sizeof(struct view)),
				   .n_views = 1,
				   .repeated = true };
	int fd = memfd_create("event_test", MFD_CLOEXEC);
	struct sink sink;
	char *text;
	off_t length;

	view_open(&plan.views[0], &happening_schema);
	if (every_column)
		view_choose_all(&plan.views[0]);
	view_dress(&plan.views[0], columns, NULL);
	sink_open(&sink, format, &plan, fd, "test");
	ck_assert_int_eq(sink_begin(&sink), 0);
	for (unsigned i = 0; i < n_frames; i++) {
		struct frame frame;

		open_frame(&frame);
		add_happening(&frame, 2 * i, "sh -c true");
		add_happening(&frame, 2 * i + 1, "true");
		ck_assert_int_eq(sink_frame(&sink, &frame), 0);
		frame_close(&frame);
	}
	length = lseek(fd, 0, SEEK_END);
	text = alloc_zeroed((size_t)length + 1, 1);
	ck_assert_int_eq(pread(fd, text, (size_t)length, 0), length);
	sink_close(&sink);
	print_plan_close(&plan);
	close(fd);
	return text;
}

static void assert_printed(char *text, const char *expected)
{
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(people_see_the_local_time_of_day)
{
	struct happening_row row = { .time = START_NS };
	char number[VALUE_TEXT_MAX];

	setenv("TZ", "XXX-02:30", 1);
	tzset();
	ck_assert_str_eq(value_text(number, &happening_schema, &happening_columns[1], &row, SIZE_AUTO, true),
			 "12:00:00.123");
	setenv("TZ", "UTC", 1);
	tzset();
	ck_assert_str_eq(value_text(number, &happening_schema, &happening_columns[1], &row, SIZE_AUTO, true),
			 "09:30:00.123");
	row.time = U64_UNKNOWN;
	ck_assert_str_eq(value_text(number, &happening_schema, &happening_columns[1], &row, SIZE_AUTO, true),
			 "-");
	row.time = U64_BLANK - 1;
	value_text(number, &happening_schema, &happening_columns[1], &row, SIZE_AUTO, true);
	ck_assert_uint_lt(strlen(number), VALUE_TEXT_MAX);
}
END_TEST

START_TEST(csv_has_one_time_the_one_of_the_event)
{
	assert_printed(print_frames(&sink_csv, true, NULL, 1),
		       "time,number,event,pid,command\r\n"
		       "2024-11-20T09:30:00.123456789Z,0,fork,1000,sh -c true\r\n"
		       "2024-11-20T09:30:00.124456789Z,1,exec,1001,true\r\n");
	assert_printed(print_frames(&sink_csv, true, "pid,time", 1),
		       "time,pid\r\n"
		       "2024-11-20T09:30:00.123456789Z,1000\r\n"
		       "2024-11-20T09:30:00.124456789Z,1001\r\n");
	assert_printed(print_frames(&sink_csv, true, "pid", 1),
		       "time,pid\r\n"
		       "2024-11-20T09:30:00.123456789Z,1000\r\n"
		       "2024-11-20T09:30:00.124456789Z,1001\r\n");
}
END_TEST

START_TEST(json_has_the_time_as_text)
{
	char *text = print_frames(&sink_json, true, "time,pid", 1);

	ck_assert_ptr_nonnull(
		strstr(text, "{\"happening\":[{\"time\":\"2024-11-20T09:30:00.123456789Z\",\"pid\":1000},"));
	free(text);
}
END_TEST

START_TEST(openmetrics_leaves_events_out)
{
	assert_printed(print_frames(&sink_openmetrics, true, NULL, 2), "# EOF\n# EOF\n");
}
END_TEST

START_TEST(recordings_hold_times_exactly)
{
	char *text = print_frames(&sink_record, true, NULL, 2);
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct source source;
	struct frame frame;
	const char *why = NULL;

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ck_assert_int_eq(replay_open(&source, fd, true, schemas, 1, &why), 0);
	frame_open(&frame, schemas, 1);
	for (uint64_t i = 0; i < 4; i++) {
		const struct happening_row *row;

		if (i % 2 == 0) {
			frame_clear(&frame);
			ck_assert_int_eq(source.next(source.state, &frame), 1);
			ck_assert_uint_eq(frame.tables[0].n_rows, 2);
		}
		row = table_row(&frame.tables[0], i % 2);
		ck_assert_uint_eq(row->number, i);
		ck_assert_uint_eq(row->time, START_NS + i * 1000000);
		ck_assert_str_eq(row->command, i % 2 ? "true" : "sh -c true");
	}
	frame_close(&frame);
	source.close(source.state);
	free(text);
}
END_TEST

SUITE_MAIN("events", people_see_the_local_time_of_day, csv_has_one_time_the_one_of_the_event,
	   json_has_the_time_as_text, openmetrics_leaves_events_out, recordings_hold_times_exactly)
