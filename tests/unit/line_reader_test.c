/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of lines of files and pipes, and of how long one may be: a part of the memory of a machine that the
 * test makes up.
 */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/alloc.h"
#include "output/line_reader.h"
#include "recording/spool.h"
#include "suite.h"

#define MIB ((size_t)1 << 20)

static bool is_made_up;
static long pages, page_bytes;

long sysconf(int name)
{
	long (*real)(int name) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

	if (is_made_up && name == _SC_PHYS_PAGES)
		return pages;
	return is_made_up && name == _SC_PAGESIZE ? page_bytes : real(name);
}

static size_t longest(long n_pages, long bytes)
{
	size_t found;

	is_made_up = true;
	pages = n_pages;
	page_bytes = bytes;
	found = line_reader_longest();
	is_made_up = false;
	return found;
}

START_TEST(a_line_may_take_a_part_of_the_memory)
{
	ck_assert_uint_eq(longest(131072, 4096), 2 * MIB); /* of 512 MiB */
	ck_assert_uint_eq(longest(65536, 65536), 16 * MIB);
	ck_assert_uint_eq(longest(16384, 4096), MIB); /* of 64 MiB */
	ck_assert_uint_eq(longest(1L << 28, 4096), 64 * MIB);
	ck_assert_uint_eq(longest(-1, 4096), MIB);
	ck_assert_uint_eq(longest(131072, -1), MIB);
	ck_assert_uint_eq(longest(0, 4096), MIB);
}

#define READ_AT_ONCE ((size_t)64 * 1024)

static void put(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void open_file(struct line_reader *reader, const char *text)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	put(fd, text);
	ck_assert_int_eq(line_reader_open(reader, fd, span_of(NULL, 0), UINT64_MAX), 0);
	ck_assert(!reader->pipe && reader->spool_fd < 0);
}

/* Gives the end that is written to. */
static int open_pipe(struct line_reader *reader, const char *first, uint64_t back_bytes)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(line_reader_open(reader, fds[0], span_text(first), back_bytes), 0);
	ck_assert(reader->pipe);
	return fds[1];
}

/* The offset of the next one. */
static off_t check_line(struct line_reader *reader, off_t offset, const char *expected)
{
	struct span line;
	off_t next;

	ck_assert_int_eq(line_reader_get(reader, offset, &line, &next), 1);
	ck_assert_msg(span_is(line, expected), "%.*s, not %s", (int)span_length(line), line.at, expected);
	ck_assert_int_eq(next, offset + (off_t)strlen(expected) + 1);
	return next;
}

static void check_no_line(struct line_reader *reader, off_t offset, int expected)
{
	struct span line;
	off_t next;

	ck_assert_int_eq(line_reader_get(reader, offset, &line, &next), expected);
}

START_TEST(lines_of_a_file_are_read_in_any_order)
{
	struct line_reader reader;

	open_file(&reader, "one\n\nthree\ntorn");
	ck_assert_int_eq(check_line(&reader, 0, "one"), 4);
	ck_assert_int_eq(check_line(&reader, 4, ""), 5);
	check_line(&reader, 5, "three");
	check_line(&reader, 0, "one");
	check_line(&reader, 0, "one");
	check_line(&reader, 5, "three");
	check_line(&reader, 6, "hree");
	check_no_line(&reader, 11, -EPIPE);
	check_no_line(&reader, 14, -EPIPE);
	check_no_line(&reader, 15, 0);
	check_no_line(&reader, 100, 0);
	check_line(&reader, 4, "");
	line_reader_close(&reader);
}

/* It takes another read to see that it goes on. */
START_TEST(a_line_that_is_too_long_is_an_error)
{
	char *text = alloc_zeroed(READ_AT_ONCE + 3, 1);
	struct line_reader reader;

	memset(text, 'x', READ_AT_ONCE + 1);
	text[READ_AT_ONCE + 1] = '\n';
	open_file(&reader, text);
	reader.longest = READ_AT_ONCE - 1;
	check_no_line(&reader, 0, -EFBIG);
	reader.longest = READ_AT_ONCE;
	text[READ_AT_ONCE + 1] = '\0';
	check_line(&reader, 0, text);
	check_no_line(&reader, (off_t)READ_AT_ONCE + 2, 0);
	line_reader_close(&reader);
	free(text);
}

/* What was taken is not there again, but for the line that was read last. */
START_TEST(lines_of_a_pipe_are_read_in_their_order)
{
	struct line_reader reader;
	int fd = open_pipe(&reader, "", 0);

	ck_assert_int_lt(reader.spool_fd, 0);
	put(fd, "one\ntwo\npart");
	check_line(&reader, 0, "one");
	check_line(&reader, 0, "one");
	check_line(&reader, 4, "two");
	reader.no_wait = true;
	check_no_line(&reader, 8, -EAGAIN);
	put(fd, " of it\nto");
	check_line(&reader, 8, "part of it");
	check_no_line(&reader, 19, -EAGAIN);
	close(fd);
	check_no_line(&reader, 19, -EPIPE);
	check_no_line(&reader, 21, 0);
	line_reader_close(&reader);
}

/* The first bytes were taken by whoever looked what it is. */
START_TEST(a_spool_has_what_a_pipe_gave)
{
	struct line_reader reader;
	int fd = open_pipe(&reader, "one\n", 1 << 20);

	ck_assert_uint_eq(reader.back_bytes, spool_share(reader.spool_fd, 1 << 20));
	ck_assert_int_eq(reader.spooled, 4);
	put(fd, "two\nth");
	check_line(&reader, 0, "one");
	check_line(&reader, 4, "two");
	ck_assert_int_eq(reader.spooled, 10);
	check_line(&reader, 0, "one");
	reader.no_wait = true;
	put(fd, "r");
	check_no_line(&reader, 8, -EAGAIN);
	ck_assert_int_eq(reader.spooled, 11);
	put(fd, "ee\n");
	close(fd);
	check_line(&reader, 8, "three");
	ck_assert_int_eq(reader.spooled, 14);
	check_line(&reader, 4, "two");
	check_no_line(&reader, 14, 0);
	line_reader_close(&reader);
	ck_assert_int_eq(fcntl(reader.fd, F_GETFD), -1);
	ck_assert_int_eq(fcntl(reader.spool_fd, F_GETFD), -1);
}

/* What comes meanwhile is read once. */
START_TEST(a_full_disk_leaves_a_hole_in_the_spool)
{
	struct rlimit limit;
	struct line_reader reader;
	int fd = open_pipe(&reader, "one\n", 1 << 20);

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	check_line(&reader, 0, "one");
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	put(fd, "two\n");
	check_line(&reader, 4, "two");
	ck_assert_int_eq(reader.spool_error, EFBIG);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	put(fd, "three\n");
	close(fd);
	check_line(&reader, 8, "three");
	ck_assert_int_eq(reader.spool_error, 0);
	check_line(&reader, 0, "one");
	check_line(&reader, 4, "");
	check_line(&reader, 7, "");
	check_line(&reader, 8, "three");
	check_no_line(&reader, 14, 0);
	line_reader_close(&reader);
}

/* Bytes of the spool at this offset that are zeros, up to the first other one. */
static size_t count_zeros(const struct line_reader *reader, off_t offset)
{
	char bytes[4096];
	size_t n_zeros = 0;
	ssize_t got;

	while ((got = pread(reader->spool_fd, bytes, sizeof(bytes), offset)) > 0)
		for (ssize_t i = 0; i < got; i++, n_zeros++, offset++)
			if (bytes[i] != '\0')
				return n_zeros;
	return n_zeros;
}

START_TEST(lines_that_are_dropped_give_their_bytes_back)
{
	enum { LINE = 8192 };
	char lines[4][LINE + 1];
	struct line_reader reader;
	int fd = open_pipe(&reader, "", 1 << 20);
	off_t at = 0;

	memset(lines, 0, sizeof(lines));
	for (int i = 0; i < 4; i++) {
		memset(lines[i], 'a' + i, LINE - 1);
		put(fd, lines[i]);
		put(fd, "\n");
		at = check_line(&reader, at, lines[i]);
	}
	close(fd);
	ck_assert_int_eq(line_reader_drop(&reader, 0), 0);
	ck_assert_uint_eq(count_zeros(&reader, 0), 0);
	if (spool_drop(reader.spool_fd, 1 << 20, 2 << 20) < 0)
		skip_test("the file system of temporary files has no holes: %s", strerror(errno));
	ck_assert_int_eq(line_reader_drop(&reader, LINE), 0);
	ck_assert_uint_eq(count_zeros(&reader, 0), LINE);
	ck_assert_int_eq(line_reader_drop(&reader, 2 * LINE), 0);
	ck_assert_uint_eq(count_zeros(&reader, 0), 2 * LINE);
	ck_assert_int_eq(line_reader_drop(&reader, 2 * LINE), 0);
	ck_assert_int_eq(line_reader_drop(&reader, LINE), 0);
	ck_assert_int_eq(reader.dropped, 2 * LINE);
	ck_assert_uint_eq(count_zeros(&reader, 0), 2 * LINE);
	check_line(&reader, 2 * LINE, lines[2]);
	line_reader_close(&reader);
}
