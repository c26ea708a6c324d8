/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of recordings as one: where they meet, what is left out, and which clocks run together. */
#include "suite.h"

#include "model/pipeline.h"
#include "model/settings.h"
#include "recording/block.h"
#include "recording/joined.h"
#include "recording/past_file.h"
#include "recording/spool.h"

#define SECOND_NS UINT64_C(1000000000)
#define START_NS (UINT64_C(1732095000) * SECOND_NS)

struct count_row {
	uint64_t number;
	uint64_t counted;
	double counted_per_second;
};

static const struct column columns[] = {
	COLUMN(struct count_row, number, .kind = COLUMN_KEY, .title = "number", .help = "h"),
	COLUMN(struct count_row, counted, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = "counted",
	       .help = "h"),
	COLUMN(struct count_row, counted_per_second, .kind = COLUMN_RATE,
	       .rate_of = offsetof(struct count_row, counted), .unit = UNIT_PER_SECOND, .title = "rate",
	       .help = "h"),
};

static const struct schema counts = {
	.name = "counts", .help = "a counter", .row_size = sizeof(struct count_row), SCHEMA_COLUMNS(columns)
};

static const struct schema *const schemas[] = { &counts };

/* A sample each second from the one to before the other, of a machine that booted at this second. */
struct stretch {
	unsigned from, to, boot;
};

static struct past_file *file_of(struct stretch stretch)
{
	struct past_file *file = past_file_open(1e6, PAST_BYTES, schemas, 1);
	struct frame kept;

	ck_assert_ptr_nonnull(file);
	frame_open(&kept, schemas, 1);
	for (unsigned second = stretch.from; second < stretch.to; second++) {
		struct table *table = frame_slot(&kept, "counts");
		struct count_row *row;

		frame_clear(&kept);
		kept.wall_ns = START_NS + second * SECOND_NS;
		kept.mono_ns = (second - stretch.boot + 1) * SECOND_NS;
		kept.host = "here";
		table->present = true;
		table->mono_ns = kept.mono_ns;
		row = table_add(table);
		row->number = 1;
		row->counted = second;
		past_file_keep(file, &kept);
	}
	frame_close(&kept);
	return file;
}

/* The recordings as one, and two samples of it; each test begins them anew. */
static struct source source;
static struct joined *joined;
static struct frame frame, before;

static void begin(void)
{
	if (joined)
		source.close(source.state);
	joined = joined_open(&source, schemas, 1);
	frame_close(&frame);
	frame_close(&before);
	frame_open(&frame, schemas, 1);
	frame_open(&before, schemas, 1);
}

static void add(unsigned from, unsigned to, unsigned boot)
{
	struct past_file *file = file_of((struct stretch){ from, to, boot });
	const char *why = NULL;
	int fd = spool_open();

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(past_file_save(file, fd), 0);
	ck_assert_int_eq(joined_add_file(joined, fd, &why), 0);
	past_file_close(file);
}

static void add_source(unsigned from, unsigned to, unsigned boot)
{
	struct past_file *file = file_of((struct stretch){ from, to, boot });
	struct source last;

	ck_assert_int_eq(past_file_read(file, &last), 0);
	joined_add_source(joined, &last);
	past_file_close(file);
}

static unsigned second_of(const struct frame *of)
{
	return (unsigned)((of->wall_ns - START_NS) / SECOND_NS);
}

/* Reads the sample at an index: its second, and that its row is of it. */
static unsigned second_at(size_t index)
{
	ck_assert_int_eq(source_read(&source, index, &frame), 1);
	ck_assert_uint_eq(source.position(source.state), index);
	ck_assert_double_eq(frame_number(&frame, "counts", NULL, "counted"), second_of(&frame));
	return second_of(&frame);
}

static size_t found_at(unsigned second)
{
	return source.find(source.state, START_NS + second * SECOND_NS);
}

/* Four files, of which two may be open, before a source: forwards, backwards, and by time. */
START_TEST(samples_follow_each_other)
{
	uint64_t first_ns, last_ns;

	begin();
	for (unsigned i = 0; i < 4; i++)
		add(100 * i, 100 * i + 50, 0);
	ck_assert_int_eq(joined_cut(joined, START_NS + 345 * SECOND_NS), 0);
	add_source(345, 360, 0);
	joined_number_boots(joined);
	ck_assert_uint_eq(source_extent(&source, &first_ns, &last_ns), 210);
	ck_assert(first_ns == START_NS && last_ns == START_NS + 359 * SECOND_NS);
	for (size_t i = 0; i < 420; i++) {
		size_t index = i < 210 ? i : 419 - i;

		ck_assert_uint_eq(second_at(index),
				  index < 195 ? 100 * (index / 50) + index % 50 : index + 150);
	}
	ck_assert_uint_eq(source.find(source.state, START_NS - 1), 0);
	ck_assert(found_at(30) == 30 && found_at(99) == 49 && found_at(344) == 194);
	ck_assert(found_at(345) == 195 && found_at(9999) == 209);
}

static double rate_across(size_t index)
{
	second_at(index - 1);
	frame_copy(&before, &frame);
	second_at(index);
	frame_derive(&frame, &before);
	return frame_number(&frame, "counts", NULL, "counted_per_second");
}

/* The counter has grown, and so has the monotonic clock: but it is that of another boot. */
START_TEST(there_are_no_rates_across_a_boot)
{
	begin();
	add(0, 40, 0);
	add(1000, 1040, 500);
	add(1040, 1080, 500);
	add_source(1080, 1090, 500);
	joined_number_boots(joined);
	ck_assert(isnan(rate_across(40)) && before.boot == 1 && frame.boot == 0);
	ck_assert_double_eq_tol(rate_across(39), 1, 1e-9);
	ck_assert_double_eq_tol(rate_across(80), 1, 1e-9);
	ck_assert_double_eq_tol(rate_across(120), 1, 1e-9);
	ck_assert_uint_eq(frame.boot, 0);
}

/* How often it booted between two recordings that are this far apart, by each clock. */
static unsigned boots_between(int wall_seconds, int mono_seconds)
{
	unsigned from = (unsigned)(39 + wall_seconds);

	begin();
	add(0, 40, 0);
	add(from, from + 40, (unsigned)(wall_seconds - mono_seconds));
	joined_number_boots(joined);
	ck_assert_int_eq(source_read(&source, 0, &frame), 1);
	return frame.boot;
}

/* But for two seconds, by which one may be set; samples do not share a moment. */
START_TEST(clocks_of_one_boot_run_together)
{
	static const struct {
		int wall_seconds, mono_seconds;
		unsigned boots;
	} cases[] = {
		{ 1, 1, 0 },    { 100, 98, 0 }, { 100, 97, 1 }, { 98, 100, 0 }, { 97, 100, 1 },
		{ 0, 1, 0 },    { -1, 1, 1 },   { 1, 0, 1 },    { 0, 0, 1 },    { 1, -1, 1 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_msg(boots_between(cases[i].wall_seconds, cases[i].mono_seconds) == cases[i].boots,
			      "%d %d", cases[i].wall_seconds, cases[i].mono_seconds);
}

/* The others can be read. */
START_TEST(what_is_no_recording_is_left_out)
{
	const char *why = NULL;
	uint64_t first_ns, last_ns;
	int fd = spool_open();

	begin();
	add(100, 110, 0);
	ck_assert_int_eq(joined_cut(joined, START_NS + 100 * SECOND_NS),
			 -ENODATA); /* nothing would be left */
	begin();
	add(0, 10, 0);
	ck_assert_int_eq(spool_write(fd, "not a recording, but long enough", 32, 0), 0);
	ck_assert_int_lt(joined_add_file(joined, fd, &why), 0);
	ck_assert_ptr_nonnull(why);
	ck_assert_int_lt(joined_add_file(joined, spool_open(), &why), 0);
	add(20, 30, 0);
	ck_assert_uint_eq(source_extent(&source, &first_ns, &last_ns), 20);
}

START_TEST(an_index_behind_the_last_is_that_of_the_last)
{
	uint64_t first_ns = 1, last_ns = 1;
	size_t n_frames = 1;

	begin();
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 0 && first_ns == 0 && last_ns == 0);
	ck_assert_int_eq(source.seek(source.state, 0), -ENODATA);
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_uint_eq(found_at(0), 0);
	add(0, 40, 0);
	add(40, 80, 0);
	ck_assert_uint_eq(source.position(source.state), 0);
	for (size_t index = 79; index <= 81; index++) {
		ck_assert_int_eq(source_read(&source, index, &frame), 1);
		ck_assert(second_of(&frame) == 79 && source.position(source.state) == 79);
		frame_clear(&frame);
		ck_assert_int_eq(source.next(source.state, &frame), 0);
	}
	ck_assert(second_at(0) == 0 && second_at(40) == 40);
}

/* Takes the mark from where the last block of the recording begins. */
static void damage_last_block(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END), last = 0;
	char bytes[4];

	for (off_t at = RECORDING_HEADER_BYTES; pread(fd, bytes, 4, at) == 4; at++)
		if (memcmp(bytes, BLOCK_SYNC, 4) == 0)
			last = at;
	ck_assert(last > RECORDING_HEADER_BYTES && last < end);
	ck_assert_int_eq(pwrite(fd, "\0\0\0", 4, last), 4);
}

START_TEST(behind_damage_the_next_recording_is_read)
{
	struct past_file *file = file_of((struct stretch){ 0, 40, 0 });
	int fd = spool_open(), ours = dup(fd);
	unsigned n_before = 0, n_after = 0;
	const char *why = NULL;

	begin();
	ck_assert_int_eq(past_file_save(file, fd), 0);
	past_file_close(file);
	ck_assert_int_eq(joined_add_file(joined, fd, &why), 0);
	add(40, 80, 0);
	damage_last_block(ours);
	close(ours);
	for (; source.next(source.state, &frame) == 1; frame_clear(&frame)) {
		unsigned second = second_of(&frame);

		ck_assert_uint_eq(second, second < 40 ? n_before : 40 + n_after);
		*(second < 40 ? &n_before : &n_after) += 1;
		ck_assert_uint_eq(source.position(source.state), second);
	}
	ck_assert(n_before > 0 && n_before < 40 && n_after == 40);
}
