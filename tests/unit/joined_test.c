/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of recordings as one: where they meet, what is left out, and which clocks run together. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "model/derive.h"
#include "model/settings.h"
#include "recording/block.h"
#include "recording/joined.h"
#include "recording/past_file.h"
#include "recording/spool.h"
#include "suite.h"

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
	.name = "counts",
	.help = "a counter",
	.row_size = sizeof(struct count_row),
	SCHEMA_COLUMNS(columns),
};

static const struct schema *const schemas[] = { &counts };

/* A sample each second from the one to before the other, of a machine that booted at this second. */
struct stretch {
	unsigned from, to, boot;
};

static struct past_file *file_of(struct stretch stretch)
{
	struct past_file *file = past_file_open(1e6, PAST_BYTES, schemas, 1);
	struct frame frame;

	ck_assert_ptr_nonnull(file);
	frame_open(&frame, schemas, 1);
	for (unsigned second = stretch.from; second < stretch.to; second++) {
		struct table *table = frame_slot(&frame, "counts");
		struct count_row *row;

		frame_clear(&frame);
		frame.wall_ns = START_NS + second * SECOND_NS;
		frame.mono_ns = (second - stretch.boot + 1) * SECOND_NS;
		frame.host = "here";
		table->present = true;
		table->mono_ns = frame.mono_ns;
		row = table_add(table);
		row->number = 1;
		row->counted = second;
		past_file_keep(file, &frame);
	}
	frame_close(&frame);
	return file;
}

static void add(struct joined *joined, struct stretch stretch)
{
	struct past_file *file = file_of(stretch);
	const char *why = NULL;
	int fd = spool_open();

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(past_file_save(file, fd), 0);
	ck_assert_int_eq(joined_add_file(joined, fd, &why), 0);
	past_file_close(file);
}

static void add_source(struct joined *joined, struct stretch stretch)
{
	struct past_file *file = file_of(stretch);
	struct source source;

	ck_assert_int_eq(past_file_read(file, &source), 0);
	joined_add_source(joined, &source);
	past_file_close(file);
}

static unsigned second_of(const struct frame *frame)
{
	return (unsigned)((frame->wall_ns - START_NS) / SECOND_NS);
}

/* Reads the sample at an index: its second, and that its row is of it. */
static unsigned second_at(const struct source *source, size_t index, struct frame *frame)
{
	ck_assert_int_eq(source_read(source, index, frame), 1);
	ck_assert_uint_eq(source->position(source->state), index);
	ck_assert_double_eq(frame_number(frame, "counts", NULL, "counted"), second_of(frame));
	return second_of(frame);
}

/* Four files, of which two may be open, before a source: forwards, backwards, and by time. */
START_TEST(samples_follow_each_other)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	uint64_t first_ns, last_ns;
	struct frame frame;

	for (unsigned i = 0; i < 4; i++)
		add(joined, (struct stretch){ 100 * i, 100 * i + 50, 0 });
	ck_assert_int_eq(joined_cut(joined, START_NS + 345 * SECOND_NS), 0);
	add_source(joined, (struct stretch){ 345, 360, 0 });
	joined_number_boots(joined);
	ck_assert_uint_eq(source_extent(&source, &first_ns, &last_ns), 210);
	ck_assert_uint_eq(first_ns, START_NS);
	ck_assert_uint_eq(last_ns, START_NS + 359 * SECOND_NS);
	frame_open(&frame, schemas, 1);
	for (size_t i = 0; i < 210; i++)
		ck_assert_uint_eq(second_at(&source, i, &frame), i < 195 ? 100 * (i / 50) + i % 50 : i + 150);
	for (size_t i = 210; i-- > 0;)
		ck_assert_uint_eq(second_at(&source, i, &frame), i < 195 ? 100 * (i / 50) + i % 50 : i + 150);
	ck_assert_uint_eq(source.find(source.state, START_NS - 1), 0);
	ck_assert_uint_eq(source.find(source.state, START_NS + 30 * SECOND_NS), 30);
	ck_assert_uint_eq(source.find(source.state, START_NS + 99 * SECOND_NS), 49);
	ck_assert_uint_eq(source.find(source.state, START_NS + 344 * SECOND_NS), 194);
	ck_assert_uint_eq(source.find(source.state, START_NS + 345 * SECOND_NS), 195);
	ck_assert_uint_eq(source.find(source.state, START_NS + 9999 * SECOND_NS), 209);
	frame_close(&frame);
	source.close(source.state);
}

/* It goes on from one to the next by itself, and ends behind the last. */
START_TEST(it_is_read_to_its_end)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	struct frame frame;
	unsigned n_read = 0;

	add(joined, (struct stretch){ 0, 40, 0 });
	add(joined, (struct stretch){ 40, 80, 0 });
	frame_open(&frame, schemas, 1);
	for (; source.next(source.state, &frame) == 1; frame_clear(&frame))
		ck_assert_uint_eq(second_of(&frame), n_read++);
	ck_assert_uint_eq(n_read, 80);
	frame_close(&frame);
	source.close(source.state);
}

static double rate_across(const struct source *source, size_t index, struct frame frames[2])
{
	second_at(source, index - 1, &frames[0]);
	second_at(source, index, &frames[1]);
	frame_derive(&frames[1], &frames[0]);
	return frame_number(&frames[1], "counts", NULL, "counted_per_second");
}

/* The counter has grown, and so has the monotonic clock: but it is that of another boot. */
START_TEST(there_are_no_rates_across_a_boot)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	struct frame frames[2];

	add(joined, (struct stretch){ 0, 40, 0 });
	add(joined, (struct stretch){ 1000, 1040, 500 });
	add(joined, (struct stretch){ 1040, 1080, 500 });
	add_source(joined, (struct stretch){ 1080, 1090, 500 });
	joined_number_boots(joined);
	for (int i = 0; i < 2; i++)
		frame_open(&frames[i], schemas, 1);
	ck_assert(isnan(rate_across(&source, 40, frames)));
	ck_assert_uint_eq(frames[0].boot, 1);
	ck_assert_uint_eq(frames[1].boot, 0);
	ck_assert_double_eq_tol(rate_across(&source, 39, frames), 1, 1e-9);
	ck_assert_double_eq_tol(rate_across(&source, 80, frames), 1, 1e-9);
	ck_assert_double_eq_tol(rate_across(&source, 120, frames), 1, 1e-9);
	ck_assert_uint_eq(frames[1].boot, 0);
	for (int i = 0; i < 2; i++)
		frame_close(&frames[i]);
	source.close(source.state);
}

/* How often it booted between two recordings that are this far apart, by each clock. */
static unsigned boots_between(int wall_seconds, int mono_seconds)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	unsigned from = (unsigned)(39 + wall_seconds), boots;
	struct frame frame;

	add(joined, (struct stretch){ 0, 40, 0 });
	add(joined, (struct stretch){ from, from + 40, (unsigned)(wall_seconds - mono_seconds) });
	joined_number_boots(joined);
	frame_open(&frame, schemas, 1);
	ck_assert_int_eq(source_read(&source, 0, &frame), 1);
	boots = frame.boot;
	frame_close(&frame);
	source.close(source.state);
	return boots;
}

/* But for two seconds, by which one may be set; samples do not share a moment. */
START_TEST(clocks_of_one_boot_run_together)
{
	ck_assert_uint_eq(boots_between(1, 1), 0);
	ck_assert_uint_eq(boots_between(100, 98), 0);
	ck_assert_uint_eq(boots_between(100, 97), 1);
	ck_assert_uint_eq(boots_between(98, 100), 0);
	ck_assert_uint_eq(boots_between(97, 100), 1);
	ck_assert_uint_eq(boots_between(0, 1), 0);
	ck_assert_uint_eq(boots_between(-1, 1), 1);
	ck_assert_uint_eq(boots_between(1, 0), 1);
	ck_assert_uint_eq(boots_between(0, 0), 1);
	ck_assert_uint_eq(boots_between(1, -1), 1);
}

/* Only tables that are wanted are read, in each of them, whenever it is opened. */
START_TEST(what_is_wanted_holds_for_all)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	const bool nothing[] = { false }, all[] = { true };
	struct frame frame;

	for (unsigned i = 0; i < 4; i++)
		add(joined, (struct stretch){ 10 * i, 10 * i + 10, 0 });
	joined_number_boots(joined);
	frame_open(&frame, schemas, 1);
	source.want(source.state, nothing);
	for (size_t i = 0; i < 40; i += 10) {
		ck_assert_int_eq(source_read(&source, i, &frame), 1);
		ck_assert_ptr_null(frame_table(&frame, "counts"));
	}
	source.want(source.state, all);
	for (size_t i = 0; i < 40; i += 10)
		second_at(&source, i, &frame);
	frame_close(&frame);
	source.close(source.state);
}

START_TEST(nothing_is_left_before_the_first)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);

	add(joined, (struct stretch){ 100, 140, 0 });
	ck_assert_int_eq(joined_cut(joined, START_NS + 100 * SECOND_NS), -ENODATA);
	source.close(source.state);
}

/* The others can be read. */
START_TEST(what_is_no_recording_is_left_out)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	const char *why = NULL;
	uint64_t first_ns, last_ns;
	int fd = spool_open();

	add(joined, (struct stretch){ 0, 10, 0 });
	ck_assert_int_eq(spool_write(fd, "not a recording, but long enough", 32, 0), 0);
	ck_assert_int_lt(joined_add_file(joined, fd, &why), 0);
	ck_assert_ptr_nonnull(why);
	ck_assert_int_lt(joined_add_file(joined, spool_open(), &why), 0);
	add(joined, (struct stretch){ 20, 30, 0 });
	ck_assert_uint_eq(source_extent(&source, &first_ns, &last_ns), 20);
	source.close(source.state);
}

START_TEST(an_index_behind_the_last_is_that_of_the_last)
{
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	uint64_t first_ns = 1, last_ns = 1;
	size_t n_frames = 1;
	struct frame frame;

	frame_open(&frame, schemas, 1);
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 0 && first_ns == 0 && last_ns == 0);
	ck_assert_int_eq(source.seek(source.state, 0), -ENODATA);
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	ck_assert_uint_eq(source.find(source.state, START_NS), 0);
	add(joined, (struct stretch){ 0, 40, 0 });
	add(joined, (struct stretch){ 40, 80, 0 });
	ck_assert_uint_eq(source.position(source.state), 0);
	for (size_t index = 79; index <= 81; index++) {
		ck_assert_int_eq(source_read(&source, index, &frame), 1);
		ck_assert_uint_eq(second_of(&frame), 79);
		ck_assert_uint_eq(source.position(source.state), 79);
		frame_clear(&frame);
		ck_assert_int_eq(source.next(source.state, &frame), 0);
	}
	ck_assert_uint_eq(second_at(&source, 0, &frame), 0);
	ck_assert_uint_eq(second_at(&source, 40, &frame), 40);
	frame_close(&frame);
	source.close(source.state);
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
	struct source source;
	struct joined *joined = joined_open(&source, schemas, 1);
	struct past_file *file = file_of((struct stretch){ 0, 40, 0 });
	int fd = spool_open(), ours = dup(fd);
	unsigned n_before = 0, n_after = 0;
	const char *why = NULL;
	struct frame frame;

	ck_assert_int_eq(past_file_save(file, fd), 0);
	past_file_close(file);
	ck_assert_int_eq(joined_add_file(joined, fd, &why), 0);
	add(joined, (struct stretch){ 40, 80, 0 });
	damage_last_block(ours);
	close(ours);
	frame_open(&frame, schemas, 1);
	for (; source.next(source.state, &frame) == 1; frame_clear(&frame)) {
		unsigned second = second_of(&frame);

		ck_assert_uint_eq(second, second < 40 ? n_before : 40 + n_after);
		*(second < 40 ? &n_before : &n_after) += 1;
		ck_assert_uint_eq(source.position(source.state), second);
	}
	ck_assert(n_before > 0 && n_before < 40);
	ck_assert_uint_eq(n_after, 40);
	frame_close(&frame);
	source.close(source.state);
}
