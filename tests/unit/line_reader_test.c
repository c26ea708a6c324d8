/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of lines of files and pipes: in which order they are read, and what is kept of them. */
#include "suite.h"

#include <sys/resource.h>

#include "core/alloc.h"
#include "output/recording.h"
#include "recording/spool.h"

#define READ_AT_ONCE ((size_t)64 * 1024)

static void put(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* What is read; each test opens it anew. */
static struct line_reader reader = { .fd = -1, .spool_fd = -1 };

static void open_file(const char *text)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	put(fd, text);
	ck_assert_int_eq(line_reader_open(&reader, fd, span_of(NULL, 0), UINT64_MAX), 0);
	ck_assert(!reader.pipe && reader.spool_fd < 0);
}

/* Gives the end that is written to. */
static int open_pipe(const char *first, uint64_t back_bytes)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(line_reader_open(&reader, fds[0], span_text(first), back_bytes), 0);
	ck_assert(reader.pipe);
	return fds[1];
}

/* The offset of the next one. */
static off_t check_line(off_t offset, const char *expected)
{
	struct span line;
	off_t next;

	ck_assert_int_eq(line_reader_get(&reader, offset, &line, &next), 1);
	ck_assert_msg(span_is(line, expected), "%.*s, not %s", (int)span_length(line), line.at, expected);
	ck_assert_int_eq(next, offset + (off_t)strlen(expected) + 1);
	return next;
}

static void check_no_line(off_t offset, int expected)
{
	struct span line;
	off_t next;

	ck_assert_int_eq(line_reader_get(&reader, offset, &line, &next), expected);
}

START_TEST(lines_of_a_file_are_read_in_any_order)
{
	open_file("one\n\nthree\ntorn");
	ck_assert_int_eq(check_line(0, "one"), 4);
	ck_assert_int_eq(check_line(4, ""), 5);
	check_line(5, "three");
	check_line(0, "one");
	check_line(0, "one");
	check_line(5, "three");
	check_line(6, "hree");
	check_no_line(11, -EPIPE);
	check_no_line(14, -EPIPE);
	check_no_line(15, 0);
	check_no_line(100, 0);
	check_line(4, "");
}

/* It takes another read to see that it goes on. */
START_TEST(a_line_that_is_too_long_is_an_error)
{
	char *text = alloc_zeroed(READ_AT_ONCE + 3, 1);

	memset(text, 'x', READ_AT_ONCE + 1);
	text[READ_AT_ONCE + 1] = '\n';
	open_file(text);
	reader.longest = READ_AT_ONCE - 1;
	check_no_line(0, -EFBIG);
	reader.longest = READ_AT_ONCE;
	text[READ_AT_ONCE + 1] = '\0';
	check_line(0, text);
	check_no_line((off_t)READ_AT_ONCE + 2, 0);
	free(text);
}

/* What was taken is not there again, but for the line that was read last. */
START_TEST(lines_of_a_pipe_are_read_in_their_order)
{
	int fd = open_pipe("", 0);

	ck_assert_int_lt(reader.spool_fd, 0);
	put(fd, "one\ntwo\npart");
	check_line(0, "one");
	check_line(0, "one");
	check_line(4, "two");
	reader.no_wait = true;
	check_no_line(8, -EAGAIN);
	put(fd, " of it\nto");
	check_line(8, "part of it");
	check_no_line(19, -EAGAIN);
	close(fd);
	check_no_line(19, -EPIPE);
	check_no_line(21, 0);
}

/* The first bytes were taken by whoever looked what it is. */
START_TEST(a_spool_has_what_a_pipe_gave)
{
	int fd = open_pipe("one\n", 1 << 20);

	ck_assert_uint_eq(reader.back_bytes, spool_share(reader.spool_fd, 1 << 20));
	ck_assert_int_eq(reader.spooled, 4);
	put(fd, "two\nth");
	check_line(0, "one");
	check_line(4, "two");
	ck_assert_int_eq(reader.spooled, 10);
	check_line(0, "one");
	reader.no_wait = true;
	put(fd, "r");
	check_no_line(8, -EAGAIN);
	ck_assert_int_eq(reader.spooled, 11);
	put(fd, "ee\n");
	close(fd);
	check_line(8, "three");
	ck_assert_int_eq(reader.spooled, 14);
	check_line(4, "two");
	check_no_line(14, 0);
	line_reader_close(&reader);
	ck_assert_int_eq(fcntl(reader.fd, F_GETFD), -1);
	ck_assert_int_eq(fcntl(reader.spool_fd, F_GETFD), -1);
}

/* What comes meanwhile is read once. */
START_TEST(a_full_disk_leaves_a_hole_in_the_spool)
{
	struct rlimit limit;
	int fd = open_pipe("one\n", 1 << 20);

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	check_line(0, "one");
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	put(fd, "two\n");
	check_line(4, "two");
	ck_assert_int_eq(reader.spool_error, EFBIG);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	put(fd, "three\n");
	close(fd);
	check_line(8, "three");
	ck_assert_int_eq(reader.spool_error, 0);
	check_line(0, "one");
	check_line(4, "");
	check_line(7, "");
	check_line(8, "three");
	check_no_line(14, 0);
}

/* Bytes of the spool at this offset that are zeros, up to the first other one. */
static size_t count_zeros(off_t offset)
{
	char bytes[4096];
	size_t n_zeros = 0;
	ssize_t got;

	while ((got = pread(reader.spool_fd, bytes, sizeof(bytes), offset)) > 0)
		for (ssize_t i = 0; i < got; i++, n_zeros++, offset++)
			if (bytes[i] != '\0')
				return n_zeros;
	return n_zeros;
}

START_TEST(lines_that_are_dropped_give_their_bytes_back)
{
	enum { LINE = 8192 };
	static const off_t dropped[][2] = {
		{ LINE, LINE }, { 2 * LINE, 2 * LINE }, { 2 * LINE, 2 * LINE }, { LINE, 2 * LINE }
	};
	char lines[4][LINE + 1];
	int fd = open_pipe("", 1 << 20);
	off_t at = 0;

	memset(lines, 0, sizeof(lines));
	for (int i = 0; i < 4; i++) {
		memset(lines[i], 'a' + i, LINE - 1);
		put(fd, lines[i]);
		put(fd, "\n");
		at = check_line(at, lines[i]);
	}
	close(fd);
	ck_assert_int_eq(line_reader_drop(&reader, 0), 0);
	ck_assert_uint_eq(count_zeros(0), 0);
	if (spool_drop(reader.spool_fd, 1 << 20, 2 << 20) < 0)
		skip_test("the file system of temporary files has no holes: %s", strerror(errno));
	for (size_t i = 0; i < LENGTH(dropped); i++) {
		ck_assert_int_eq(line_reader_drop(&reader, dropped[i][0]), 0);
		ck_assert_int_eq((off_t)count_zeros(0), dropped[i][1]);
	}
	ck_assert_int_eq(reader.dropped, 2 * LINE);
	check_line(2 * LINE, lines[2]);
}
