/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of a recording in a directory: a clock that is set takes nothing that was recorded. */
#include "suite.h"

#include <sys/resource.h>

#include "output/sink.h"
#include "recording/block.h"
#include "sys/user_file.h"

#define SECOND_NS UINT64_C(1000000000)
#define START (UINT64_C(1732095000))
#define YEAR (365 * 86400L)
#define AGE 1000

struct row {
	uint64_t number;
};

static const struct column columns[] = {
	COLUMN(struct row, number, .kind = COLUMN_KEY),
};

static const struct schema numbers = {
	.name = "numbers", .row_size = sizeof(struct row), SCHEMA_COLUMNS(columns),
};

static const struct schema *const schemas[] = { &numbers };
static char place[SCRATCH_PATH_MAX];
static struct file_series series;
static struct sink sink;

static char *path_of(unsigned number)
{
	static char path[SCRATCH_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%08u.recording", place, number);
	return path;
}

/* A file of an earlier run, which ended at this time. */
static void make_earlier(unsigned number, time_t end)
{
	const struct timespec times[2] = { { .tv_sec = end }, { .tv_sec = end } };
	int fd = open(path_of(number), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	ck_assert_int_eq(write(fd, "earlier", 7), 7);
	ck_assert_int_eq(futimens(fd, times), 0);
	close(fd);
}

static void open_sink(void)
{
	int error = file_series_open(&series, open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ".recording",
				     recording_is_empty, false);

	ck_assert_int_eq(error, 0);
	sink_open(&sink, &sink_record, NULL, -1, "here");
	sink.clock = &real_clock;
	sink.parts = &series;
	sink.own_file = true;
	sink.keep_ns = AGE * SECOND_NS;
}

static void close_sink(void)
{
	ck_assert_int_eq(sink_end(&sink), 0);
	sink_close(&sink);
	file_series_close(&series);
}

/* Of each second of the monotonic clock; the other one is this much further. */
static void record(unsigned from, unsigned to, long ahead)
{
	struct frame frame;

	frame_open(&frame, schemas, 1);
	for (unsigned i = from; i < to; i++) {
		struct table *table = frame_slot(&frame, "numbers");

		frame_clear(&frame);
		frame.wall_ns = (uint64_t)((long)(START + i) + ahead) * SECOND_NS;
		frame.mono_ns = (i + 1) * SECOND_NS;
		table->present = true;
		table->mono_ns = frame.mono_ns;
		*(struct row *)table_add(table) = (struct row){ i };
		ck_assert_int_eq(sink_frame(&sink, &frame), 0);
	}
	frame_close(&frame);
}

/* Files that ended 500, 300 and 100 seconds before the run. */
START_TEST(a_clock_that_is_set_takes_nothing)
{
	static const struct {
		long before, after; /* the clock is set after 200 seconds */
		unsigned seconds, n_gone;
	} cases[] = {
		{ 0, 0, 380, 0 },
		{ 0, 0, 550, 1 },
		{ 0, 0, 1200, 3 },
		{ 0, YEAR, 380, 0 },
		{ 0, YEAR, 550, 1 }, /* what is too old goes all the same */
		{ 0, -YEAR, 1200, 0 },
		{ -(long)START + 5, 0, 700, 0 }, /* no clock was set at the start */
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		scratch_directory(place, "record-file");
		for (unsigned number = 1; number <= 3; number++)
			make_earlier(number, (time_t)(START - 700 + 200 * number));
		open_sink();
		record(0, 200, cases[c].before);
		record(200, cases[c].seconds, cases[c].after);
		close_sink();
		for (unsigned number = 1; number <= 3; number++)
			ck_assert_msg((access(path_of(number), F_OK) == 0) == (number > cases[c].n_gone),
				      "file %u in case %zu", number, c);
	}
}

static void limit_files(bool none)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = none ? 0 : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static unsigned read_number(struct source *source, struct frame *frame)
{
	frame_clear(frame);
	ck_assert_int_eq(source->next(source->state, frame), 1);
	ck_assert_uint_eq(frame_table(frame, "numbers")->n_rows, 1);
	return (unsigned)((const struct row *)table_row(frame_table(frame, "numbers"), 0))->number;
}

/* Its spool has no room for a while: what comes is shown, and what was there can be gone back to. */
START_TEST(a_pipe_is_followed_without_room_for_its_past)
{
	struct source source;
	struct frame frame;
	const char *why;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	sink_open(&sink, &sink_record, NULL, fds[1], "pipe");
	sink.clock = &real_clock;
	record(0, 1, 0);
	ck_assert_int_eq(open_replay(&source, fds[0], 1 << 20, schemas, 1, &why), 0);
	frame_open(&frame, schemas, 1);
	ck_assert_uint_eq(read_number(&source, &frame), 0);
	for (unsigned i = 1; i < 1400; i++) {
		limit_files(i >= 100 && i < 1200);
		record(i, i + 1, 0);
		ck_assert_uint_eq(read_number(&source, &frame), i);
		ck_assert_uint_eq(frame.n_notices, i >= 100 && i < 1200);
		if (i % 50 != 0)
			continue;
		ck_assert_int_eq(source.seek(source.state, 42), 0);
		ck_assert_uint_eq(read_number(&source, &frame), 42);
		ck_assert_int_eq(source.seek(source.state, i), 0);
		ck_assert_uint_eq(read_number(&source, &frame), i);
	}
	ck_assert_int_eq(source.seek(source.state, 1199), 0); /* it was held, and found room */
	ck_assert_uint_eq(read_number(&source, &frame), 1199);
	frame_close(&frame);
	source.close(source.state);
	sink_close(&sink);
	close(fds[1]);
}
