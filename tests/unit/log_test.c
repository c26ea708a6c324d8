/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the log of events: its bounds, what views remember of it, and how a table follows it. */
#include "suite.h"

#include "model/event_log.h"
#include "screen/keys.h"
#include "screen/table.h"

#define LIMIT ((size_t)100)
#define TEXT_LIMIT ((size_t)8 << 20)
#define PAGE 10

struct event_row {
	uint64_t number;
	const char *command, *info;
	double duration_seconds;
};

static const struct column columns[] = {
	COLUMN(struct event_row, number, .kind = COLUMN_KEY, .title = "number", .width = 8),
	COLUMN(struct event_row, command, .kind = COLUMN_LABEL, .title = "command", .width = 8),
	COLUMN(struct event_row, info, .kind = COLUMN_LABEL, .title = "info", .optional = true),
	COLUMN(struct event_row, duration_seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS, .title = "for",
	       .width = 8),
};

static const struct schema schema = {
	.name = "event", .help = "events", .shape = SHAPE_EVENTS, .row_size = sizeof(struct event_row),
	SCHEMA_COLUMNS(columns)
};

static const struct schema *const schemas[] = { &schema };

/* A log, what fills it, and a table that shows it; each test opens them anew. */
static struct {
	struct event_log log;
	struct frame frame;
	struct table_widget widget;
	uint64_t number; /* of the next event */
} stage;

static void open_stage(void)
{
	table_close(&stage.widget);
	frame_close(&stage.frame);
	event_log_close(&stage.log);
	memset(&stage, 0, sizeof(stage));
	event_log_open(&stage.log, &schema, LIMIT, TEXT_LIMIT);
	frame_open(&stage.frame, schemas, 1);
	table_open(&stage.widget, stage.log.shown.schema);
}

/* One frame of events; every third is of "cc", the others are of "sh". */
static void add(unsigned n_events)
{
	frame_clear(&stage.frame);
	stage.frame.tables[0].present = true;
	for (unsigned i = 0; i < n_events; i++) {
		struct event_row *row = table_add(&stage.frame.tables[0]);

		row->number = stage.number++;
		row->command = arena_print(&stage.frame.arena, "%s", row->number % 3 ? "sh" : "cc");
		row->duration_seconds = (double)(row->number * 7919 % 101);
	}
	event_log_add(&stage.log, &stage.frame.tables[0]);
}

static void draw(void)
{
	const struct canvas nowhere = { .height = PAGE + 1, .glyphs = &glyph_sets[GLYPHS_ASCII] };

	table_update(&stage.widget, &stage.log.shown);
	table_draw(&stage.widget, &nowhere, &stage.log.shown, SIZE_AUTO);
}

/* So many events more. */
static void show(unsigned n_events)
{
	add(n_events);
	draw();
}

static void press(int key)
{
	const struct input input = { .key = key };

	table_update(&stage.widget, &stage.log.shown);
	ck_assert(table_key(&stage.widget, &input));
	draw();
}

static uint64_t number_at(const struct view *view, size_t index)
{
	return row_u64(view->rows[index], &view->schema->columns[0]);
}

static uint64_t number_of(const struct event_log *log, size_t index)
{
	return table_u64(&log->shown, table_row(&log->shown, index), "number");
}

static const char *text_of(const struct event_log *log, size_t index, const char *column)
{
	return table_text(&log->shown, table_row(&log->shown, index), column);
}

static uint64_t first_seen(void)
{
	return number_at(&stage.widget.view, stage.widget.place.top);
}

static uint64_t selected(void)
{
	ck_assert(stage.widget.place.cursor_on);
	return number_at(&stage.widget.view, stage.widget.place.row);
}

/* The rows are those up to the newest, one after the other. */
static void assert_newest(const struct event_log *log, uint64_t next)
{
	ck_assert_uint_ge(log->shown.n_rows, log->limit);
	ck_assert_uint_le(log->shown.n_rows, log->limit + log->limit / 16);
	for (size_t i = 0; i < log->shown.n_rows; i++)
		ck_assert_uint_eq(number_of(log, i), next - log->shown.n_rows + i);
	ck_assert_uint_eq(log->shown.n_dropped + log->shown.n_rows, next);
}

START_TEST(a_million_events_take_bounded_memory)
{
	const char *rows;

	open_stage();
	event_log_close(&stage.log);
	event_log_open(&stage.log, &schema, EVENT_LOG_ROWS, EVENT_LOG_TEXT_BYTES);
	add(1);
	rows = stage.log.shown.rows;
	while (stage.number < 1000000) {
		add(10007);
		ck_assert_uint_le(stage.log.packed->texts.n_texts, 2);
	}
	assert_newest(&stage.log, stage.number);
	ck_assert_ptr_eq(stage.log.shown.rows, rows); /* views point into it */
	ck_assert_uint_le(stage.log.shown.capacity, 17 * EVENT_LOG_ROWS / 8);
	if (sizeof(char *) > sizeof(uint32_t)) /* texts have numbers instead */
		ck_assert_uint_le(stage.log.shown.schema->row_size, 3 * sizeof(struct event_row) / 4);
	ck_assert_str_eq(text_of(&stage.log, 0, "command"), number_of(&stage.log, 0) % 3 ? "sh" : "cc");
}

START_TEST(long_texts_make_it_hold_fewer)
{
	static char text[300000];

	open_stage();
	memset(text, 'x', sizeof(text) - 1);
	for (unsigned i = 0; i < 500; i++) {
		frame_clear(&stage.frame);
		snprintf(text, 8, "%07u", i);
		text[7] = ' ';
		*(struct event_row *)table_add(&stage.frame.tables[0]) =
			(struct event_row){ .number = i, .command = text };
		event_log_add(&stage.log, &stage.frame.tables[0]);
		ck_assert_uint_le(stage.log.packed->texts.n_bytes, TEXT_LIMIT + sizeof(text));
	}
	ck_assert_uint_ge(stage.log.n_rows, 10);
	for (size_t i = 0; i < stage.log.n_rows; i++) {
		const char *command = text_of(&stage.log, i, "command");

		ck_assert_uint_eq(number_of(&stage.log, i), 500 - stage.log.n_rows + i);
		ck_assert_uint_eq(strlen(command), sizeof(text) - 1);
		ck_assert_int_eq(atoi(command), (int)number_of(&stage.log, i));
	}
}

struct wide_row {
	uint64_t key, time, number;
	double seconds;
	const char *whole, *end, *other;
};

static const struct column wide_columns[] = {
	COLUMN(struct wide_row, key, .kind = COLUMN_KEY),
	COLUMN(struct wide_row, number, .kind = COLUMN_LABEL),
	COLUMN(struct wide_row, time, .kind = COLUMN_LABEL, .unit = UNIT_TIME),
	COLUMN(struct wide_row, whole, .kind = COLUMN_LABEL),
	COLUMN(struct wide_row, seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS),
	COLUMN(struct wide_row, end, .kind = COLUMN_LABEL),
	COLUMN(struct wide_row, other, .kind = COLUMN_LABEL),
};

static const struct schema wide_schema = {
	.name = "wide", .help = "wide", .shape = SHAPE_EVENTS, .row_size = sizeof(struct wide_row),
	SCHEMA_COLUMNS(wide_columns)
};

/* Numbers that fit 32 bits and those that do not, texts that are the ends of others, near and far. */
START_TEST(a_packed_row_has_the_values_that_it_had)
{
	static const char text[] = "/usr/bin/make all";
	static char deep[2000];
	const struct wide_row rows[] = {
		{ 1, UINT64_C(1732095000000000000), 0, 0.25, text, text + 9, "" },
		{ UINT64_MAX - 7, 1, INT32_MAX, -1e300, text, text + sizeof(text) - 1, text },
		{ 3, U64_UNKNOWN, UINT32_C(1) << 31, NAN, NULL, text, text + 1 },
		{ 4, U64_BLANK, UINT32_MAX, INFINITY, "", NULL, text },
		{ 5, 5, UINT64_MAX - 2, 0, deep, deep + 1023, deep + 1024 },
		{ 6, 6, U64_UNKNOWN, 0, deep, deep + 1500, deep + 1600 },
		{ 7, 7, U64_BLANK, 0, text, deep, NULL },
	};
	const size_t n_rows = LENGTH(rows);
	struct packed_rows *packed = packed_rows_open(&wide_schema);
	char *kept = calloc(n_rows, packed->schema.row_size);

	memset(deep, 'x', sizeof(deep) - 1);
	for (size_t i = 0; i < n_rows; i++)
		row_pack(packed, kept + i * packed->schema.row_size, &rows[i]);
	for (int renewed = 0; renewed <= 1; renewed++) {
		for (size_t i = 0; i < n_rows; i++) {
			const void *row = kept + i * packed->schema.row_size;

			for (unsigned c = 0; c < wide_schema.n_columns; c++) {
				const struct column *from = &wide_columns[c];
				const struct column *to = &packed->schema.columns[c];
				const char *was = from->type == VALUE_TEXT ? row_text(&rows[i], from) : NULL;

				if (from->type == VALUE_TEXT)
					ck_assert_pstr_eq(row_text(row, to), was);
				else
					ck_assert_uint_eq(row_u64(row, to), row_u64(&rows[i], from));
			}
		}
		packed_rows_renew_texts(packed, kept, n_rows);
	}
	free(kept);
	packed_rows_close(packed);
}

START_TEST(it_follows_until_one_moves_up)
{
	open_stage();
	show(5);
	ck_assert_uint_eq(first_seen(), 0);
	show(25);
	ck_assert_uint_eq(first_seen(), 20);
	press(K_DOWN); /* there is nothing below */
	ck_assert(table_follows_tail(&stage.widget));
	press(K_UP);
	ck_assert_uint_eq(selected(), 29);
	ck_assert(!table_follows_tail(&stage.widget));
	show(7);
	ck_assert_uint_eq(selected(), 29);
	ck_assert_uint_eq(first_seen(), 20);
	stage.widget.place.cursor_on = false;
	show(7);
	ck_assert_uint_eq(first_seen(), 20);
	press(K_END);
	ck_assert_uint_eq(first_seen(), 34);
	show(1);
	ck_assert_uint_eq(first_seen(), 35);
}

START_TEST(the_wheel_leaves_the_end_and_comes_back)
{
	open_stage();
	show(50);
	press(K_WHEEL_UP);
	ck_assert_uint_eq(first_seen(), 37);
	show(2);
	ck_assert_uint_eq(first_seen(), 37);
	press(K_WHEEL_DOWN);
	ck_assert(!table_follows_tail(&stage.widget));
	press(K_WHEEL_DOWN);
	ck_assert(table_follows_tail(&stage.widget) && first_seen() == 42);
}

START_TEST(the_cursor_stays_with_its_event_when_old_ones_go)
{
	open_stage();
	show(120);
	press(K_UP);
	press(K_PAGE_UP);
	ck_assert_uint_eq(selected(), 110);
	ck_assert_uint_eq(first_seen(), 110);
	add(50); /* 106 rows at most: the first are taken away */
	ck_assert_uint_gt(stage.log.shown.n_dropped, 0);
	draw();
	ck_assert_uint_eq(selected(), 110);
	ck_assert_uint_eq(first_seen(), 110);
	add(200); /* now it is gone itself: the oldest stands where it would be */
	draw();
	ck_assert_uint_eq(selected(), stage.log.shown.n_dropped);
	assert_newest(&stage.log, stage.number);
}

/* The numbers are the times of the events, of which most are later than their sample. */
START_TEST(a_sample_of_the_past_has_what_it_had)
{
	open_stage();
	for (unsigned i = 1; i <= 4; i++) {
		add(10 * i);
		event_log_mark(&stage.log, i);
	}
	for (unsigned i = 1; i <= 4; i++) {
		event_log_freeze_at(&stage.log, "number", i);
		ck_assert_uint_eq(stage.log.shown.n_rows, 5 * i * (i + 1));
		ck_assert_uint_eq(stage.log.shown.n_pending, 100 - 5 * i * (i + 1));
	}
	event_log_freeze_at(&stage.log, "number", 41); /* a time without a mark */
	ck_assert_uint_eq(stage.log.shown.n_rows, 42);
	event_log_freeze(&stage.log, false);
	add(120); /* the first samples have lost rows: those that are left have no mark */
	event_log_mark(&stage.log, 5);
	event_log_freeze_at(&stage.log, "number", 1);
	ck_assert_uint_eq(stage.log.shown.n_rows, 0);
	event_log_freeze_at(&stage.log, "number", 5);
	ck_assert_uint_eq(stage.log.shown.n_rows, stage.log.n_rows);
	event_log_clear(&stage.log);
	add(3);
	event_log_freeze_at(&stage.log, "number", 5);
	ck_assert_uint_eq(stage.log.shown.n_rows, 0);
}

START_TEST(a_frozen_picture_stands_still)
{
	open_stage();
	show(106);
	event_log_freeze(&stage.log, true);
	for (unsigned i = 0; i < 100; i++) {
		show(13);
		ck_assert_uint_eq(stage.log.shown.n_pending, 13 * (i + 1));
		ck_assert_uint_eq(stage.widget.view.n_rows, 106);
		ck_assert_uint_eq(first_seen(), 96);
		ck_assert_str_eq(text_of(&stage.log, 105, "command"), "cc");
		ck_assert_uint_le(stage.log.n_rows, stage.log.shown.capacity);
	}
	event_log_freeze(&stage.log, false);
	draw();
	assert_newest(&stage.log, stage.number);
	ck_assert_uint_eq(stage.widget.view.n_rows, stage.log.n_rows);
	ck_assert_uint_eq(first_seen(), stage.number - PAGE);
	ck_assert_uint_eq(stage.log.shown.n_pending, 0);
	event_log_freeze(&stage.log, true);
	add(3);
	event_log_freeze(&stage.log, false); /* nothing had to go: nothing is missing */
	draw();
	assert_newest(&stage.log, stage.number);
}

/* What a view shows of a log is what it shows of a plain table with the same rows. */
static void assert_as_plain(void)
{
	const struct view *view = &stage.widget.view;
	struct table plain = stage.log.shown;
	struct view other;

	plain.is_log = false;
	view_open(&other, plain.schema);
	other.filter = view->filter;
	other.sort = view->sort;
	other.descending = view->descending;
	view_apply(&other, &plain);
	ck_assert_uint_eq(view->n_rows, other.n_rows);
	ck_assert_uint_eq(view->n_matching, other.n_matching);
	for (size_t i = 0; i < other.n_rows; i++)
		ck_assert_ptr_eq(view->rows[i], other.rows[i]);
	view_close(&other);
}

START_TEST(what_a_view_remembers_is_right)
{
	static const char *const filters[] = { "", "cc", "sh", "none", "" };
	static const char *const sorts[] = { "", "duration_seconds", "+command", "" };

	open_stage();
	for (unsigned i = 0; i < 400; i++) {
		add(i * 7 % 23);
		if (i % 10 == 3)
			table_set_filter(&stage.widget, filters[i / 10 % 5]);
		if (i % 17 == 5)
			view_choose_sort(&stage.widget.view, sorts[i / 17 % 4]);
		if (i % 29 == 6)
			table_sort_reverse(&stage.widget);
		if (i % 31 == 7)
			event_log_undo(&stage.log, &stage.frame.tables[0]);
		if (i % 97 == 11)
			event_log_clear(&stage.log);
		event_log_freeze(&stage.log, i % 50 > 30);
		if (i % 3 == 0)
			continue; /* a pane that is not drawn */
		draw();
		assert_as_plain();
		draw();
		assert_as_plain();
	}
}

START_TEST(undone_frames_leave_no_trace)
{
	open_stage();
	show(30);
	show(5);
	event_log_undo(&stage.log, &stage.frame.tables[0]);
	draw();
	ck_assert(stage.widget.view.n_rows == 30 && first_seen() == 20);
	stage.widget.view.limit = 3; /* the newest */
	draw();
	ck_assert(stage.widget.view.n_rows == 3 && number_at(&stage.widget.view, 0) == 27);
}

static const struct schema of_gauges = {
	.name = "gauge", .help = "gauges", .row_size = sizeof(struct event_row), SCHEMA_COLUMNS(columns)
};

START_TEST(a_frame_goes_to_the_logs_of_its_topics_of_events)
{
	static const struct schema *const both[] = { &of_gauges, &schema };
	const struct event_log *log;
	struct event_logs logs;
	struct frame frame;

	event_logs_open(&logs, both, 2);
	frame_open(&frame, both, 2);
	ck_assert(event_logs_find(&logs, "gauge") == NULL);
	log = event_logs_find(&logs, "event");
	frame.wall_ns = 1;
	for (unsigned i = 0; i < 2; i++) {
		frame.tables[i].present = true;
		table_add(&frame.tables[i]);
	}
	event_logs_add(&logs, &frame);
	ck_assert_uint_eq(log->shown.n_rows, 1);
	event_logs_freeze(&logs, true);
	event_logs_add(&logs, &frame);
	ck_assert(log->shown.n_rows == 1 && log->shown.n_pending == 1);
	event_logs_undo(&logs, &frame);
	ck_assert_uint_eq(log->shown.n_pending, 0);
	frame_clear(&frame);
	frame.wall_ns = 2; /* not sampled */
	event_logs_add(&logs, &frame);
	event_logs_undo(&logs, &frame);
	event_logs_freeze_at(&logs, 1);
	ck_assert_uint_eq(log->shown.n_rows, 1);
	event_logs_clear(&logs);
	ck_assert_uint_eq(log->shown.n_rows, 0);
	frame_close(&frame);
	event_logs_close(&logs);
}
