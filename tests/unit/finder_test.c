/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeking in a recording that is found part by part, whatever its format. */
#include "suite.h"

#include "recording/finder.h"

#define PARTS 6
#define FRAMES 3 /* of a part; one each second */

/* Parts of three seconds each from second 100 on, as far as they have come. */
static struct {
	struct finder finder;
	size_t n_there, n_passed;
	off_t part_bytes;
	bool ends;
} stream;

static struct source source;

static int pass_next(void *state)
{
	uint64_t second = 100 + FRAMES * stream.n_passed;

	(void)state;
	if (stream.n_passed == stream.n_there && stream.ends)
		finder_end(&stream.finder, "torn");
	if (stream.n_passed == stream.n_there)
		return stream.ends ? 0 : -EAGAIN;
	stream.n_passed++;
	stream.finder.end += stream.part_bytes;
	finder_add(&stream.finder, (struct recording_part){
					    .min_ns = second,
					    .max_ns = second + FRAMES - 1,
					    .n_frames = FRAMES,
				    });
	return 1;
}

static size_t find_in(void *state, const struct recording_part *part, uint64_t wall_ns)
{
	(void)state;
	return wall_ns < part->max_ns ? wall_ns - part->min_ns : FRAMES - 1;
}

static void open_stream(size_t n_there, bool ends)
{
	memset(&stream, 0, sizeof(stream));
	stream.n_there = n_there;
	stream.part_bytes = 1000;
	stream.ends = ends;
	stream.finder.fd = 7;
	stream.finder.pipe = true;
	stream.finder.pass_next = pass_next;
	stream.finder.find_in = find_in;
	finder_give(&stream.finder, &source);
}

START_TEST(no_more_is_passed_than_a_seek_needs)
{
	open_stream(PARTS, true);
	ck_assert_int_eq(source.seek(source.state, 4), 0);
	ck_assert_uint_eq(stream.n_passed, 2);
	ck_assert_uint_eq(stream.finder.next, 4);
	ck_assert_uint_eq(finder_part_of(&stream.finder, 4), 1);
	ck_assert_int_eq(source.seek(source.state, 1000), 0); /* the last one */
	ck_assert_uint_eq(stream.finder.next, FRAMES * PARTS - 1);
	ck_assert_str_eq(source.remark(source.state), "torn");
	finder_close(&stream.finder);
}

START_TEST(a_time_is_found_at_or_before_it)
{
	open_stream(PARTS, true);
	ck_assert_uint_eq(source.find(source.state, 99), 0);
	ck_assert_uint_eq(source.find(source.state, 104), 4);
	ck_assert_uint_eq(stream.n_passed, 3); /* a later one may begin at this time, too */
	ck_assert_uint_eq(source.find(source.state, 103), 3);
	ck_assert_uint_eq(stream.n_passed, 3);
	ck_assert_uint_eq(source.find(source.state, 106), 6);
	ck_assert_uint_eq(stream.n_passed, 4);
	ck_assert_uint_eq(source.find(source.state, 5000), FRAMES * PARTS - 1);
	stream.finder.find_in = NULL; /* where a part is one frame, nothing is looked for in it */
	ck_assert_uint_eq(source.find(source.state, 105), 3);
	stream.finder.find_in = find_in;
	stream.finder.parts[PARTS - 1].bad = true;
	ck_assert_uint_eq(source.find(source.state, 5000), FRAMES * (PARTS - 1) - 1);
	finder_close(&stream.finder);
}

START_TEST(a_pipe_waits_for_its_end)
{
	uint64_t first_ns, last_ns;
	size_t n_frames;

	open_stream(0, false);
	ck_assert_int_eq(source.seek(source.state, 0), -EAGAIN);
	ck_assert_int_eq(finder_reach_next(&stream.finder), -EAGAIN);
	ck_assert(!source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 0 && first_ns == 0 && last_ns == 0);
	stream.n_there = 2;
	ck_assert(source.pull(source.state));
	ck_assert_int_eq(source.wait_fd(source.state), 7);
	ck_assert(!source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 2 * FRAMES && first_ns == 100 && last_ns == 105);
	stream.ends = true;
	ck_assert(!source.pull(source.state));
	ck_assert_int_eq(source.wait_fd(source.state), -1);
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	finder_close(&stream.finder);
	open_stream(0, true); /* without a frame there is no place */
	ck_assert_int_eq(source.seek(source.state, 0), -ENODATA);
	ck_assert_uint_eq(source.find(source.state, 100), 0);
	ck_assert_uint_eq(source.position(source.state), 0);
	finder_close(&stream.finder);
}

/* The frame that is read next stays the same one, or is the first that is left. */
START_TEST(dropped_parts_shift_what_is_behind_them)
{
	open_stream(PARTS, true);
	source.seek(source.state, 10);
	finder_drop(&stream.finder, 2);
	ck_assert_uint_eq(stream.finder.next, 10 - 2 * FRAMES);
	ck_assert_uint_eq(source.find(source.state, 110), 10 - 2 * FRAMES);
	source.seek(source.state, 1);
	finder_drop(&stream.finder, 1);
	ck_assert_uint_eq(stream.finder.next, 0);
	finder_drop(&stream.finder, stream.finder.n_parts);
	ck_assert_uint_eq(stream.finder.n_frames, 0);
	finder_close(&stream.finder);
}

static bool yes(void)
{
	return true;
}

START_TEST(a_signal_ends_the_search)
{
	open_stream(PARTS, true);
	stream.finder.interrupted = yes;
	ck_assert_int_eq(source.seek(source.state, 0), -EINTR);
	ck_assert_uint_eq(stream.n_passed, 0);
	finder_close(&stream.finder);
}

/* The newest frame that there is, until more come. */
START_TEST(a_seek_goes_as_far_as_it_can)
{
	open_stream(1, false);
	ck_assert_int_eq(source.seek(source.state, FRAMES), 0);
	ck_assert_uint_eq(stream.finder.next, FRAMES - 1);
	ck_assert_int_eq(finder_reach_next(&stream.finder), 1);
	stream.finder.next = FRAMES;
	ck_assert_int_eq(finder_reach_next(&stream.finder), -EAGAIN);
	stream.n_there = 2;
	ck_assert_int_eq(finder_reach_next(&stream.finder), 1);
	ck_assert_uint_eq(finder_part_of(&stream.finder, FRAMES - 1), 0);
	ck_assert_uint_eq(finder_part_of(&stream.finder, FRAMES), 1);
	stream.ends = true;
	stream.finder.next = 2 * FRAMES;
	ck_assert_int_eq(finder_reach_next(&stream.finder), 0);
	ck_assert_int_eq(source.seek(source.state, 2 * FRAMES), 0);
	ck_assert_uint_eq(stream.finder.next, 2 * FRAMES - 1);
	finder_close(&stream.finder);
}

/* 16 MiB to know how long it is, a MiB of a pipe. */
START_TEST(so_much_is_passed_at_a_time)
{
	uint64_t first_ns, last_ns;
	size_t n_frames;

	open_stream(5, true);
	stream.part_bytes = 8 << 20;
	ck_assert(!source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert_uint_eq(stream.n_passed, 2);
	ck_assert(!source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert_uint_eq(stream.n_passed, 4);
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert_uint_eq(n_frames, 5 * FRAMES);
	ck_assert_int_eq(source.wait_fd(source.state), -1);
	finder_close(&stream.finder);
	open_stream(5, true);
	stream.part_bytes = 1 << 19;
	ck_assert(source.pull(source.state));
	ck_assert_uint_eq(stream.n_passed, 2);
	ck_assert(source.pull(source.state));
	ck_assert_uint_eq(stream.n_passed, 4);
	ck_assert(!source.pull(source.state));
	finder_close(&stream.finder);
	open_stream(1, false);
	stream.finder.pipe = false;
	ck_assert_int_eq(source.wait_fd(source.state), -1);
	finder_close(&stream.finder);
}
