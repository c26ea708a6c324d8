/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a file or a pipe by their offset. */
#include <config.h>

#include "output/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 * 1024)
#define LONGEST_LEAST ((uint64_t)1024 * 1024)
#define LONGEST_MOST ((uint64_t)64 * 1024 * 1024)
#define PARSED_TIMES 256 /* its line in memory, with room for other programs */

size_t line_reader_longest(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t longest = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / PARSED_TIMES
						       : LONGEST_LEAST;

	longest = longest < LONGEST_LEAST ? LONGEST_LEAST : longest;
	return (size_t)(longest > LONGEST_MOST ? LONGEST_MOST : longest);
}

static int open_spool(void)
{
	const char *directory = secure_getenv("TMPDIR");
	int fd = open(directory && *directory ? directory : P_tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *file;

	if (fd >= 0)
		return fd;
	file = tmpfile(); /* file systems without O_TMPFILE */
	if (!file)
		return -1;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	return fd;
}

int line_reader_open(struct line_reader *reader, int fd, bool go_back)
{
	*reader = (struct line_reader){ .fd = fd, .spool_fd = -1, .longest = line_reader_longest() };
	reader->pipe = lseek(fd, 0, SEEK_CUR) < 0;
	if (!reader->pipe || !go_back)
		return 0;
	reader->spool_fd = open_spool();
	return reader->spool_fd < 0 ? -errno : 0;
}

void line_reader_close(struct line_reader *reader)
{
	close(reader->fd);
	if (reader->spool_fd >= 0)
		close(reader->spool_fd);
	buffer_free(&reader->window);
}

/* 0 or -1 with errno set. */
static int add_to_spool(struct line_reader *reader, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = pwrite(reader->spool_fd, bytes, length, reader->spooled);

		if (written < 0)
			return -1;
		reader->spooled += written;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

static bool would_wait(const struct line_reader *reader)
{
	struct pollfd pipe = { .fd = reader->fd, .events = POLLIN };

	return reader->no_wait && poll(&pipe, 1, 0) == 0;
}

static ssize_t fetch(struct line_reader *reader, off_t offset, char *bytes)
{
	ssize_t got;

	if (!reader->pipe)
		return pread(reader->fd, bytes, READ_BYTES, offset);
	if (offset < reader->spooled)
		return pread(reader->spool_fd, bytes, READ_BYTES, offset);
	if (would_wait(reader)) {
		errno = EAGAIN;
		return -1;
	}
	got = read(reader->fd, bytes, READ_BYTES);
	if (got > 0 && reader->spool_fd >= 0 && add_to_spool(reader, bytes, (size_t)got) < 0)
		return -1;
	return got;
}

/* Makes the window start at offset. */
static void move_window(struct line_reader *reader, off_t offset)
{
	struct buffer *window = &reader->window;
	off_t skip = offset - reader->window_offset;

	if (skip < 0 || (size_t)skip > window->length) {
		window->length = 0;
	} else if (skip > 0) {
		window->length -= (size_t)skip;
		memmove(window->bytes, window->bytes + skip, window->length);
	}
	reader->window_offset = offset;
}

int line_reader_get(struct line_reader *reader, off_t offset, struct span *line, off_t *next)
{
	struct buffer *window = &reader->window;
	char bytes[READ_BYTES];
	size_t searched = 0;

	move_window(reader, offset);
	for (;;) {
		const char *newline = window->length > searched ? memchr(window->bytes + searched, '\n',
									 window->length - searched)
								: NULL;
		ssize_t got;

		if (newline) {
			*line = (struct span){ .at = window->bytes, .end = newline };
			*next = offset + (newline - window->bytes) + 1;
			return 1;
		}
		searched = window->length;
		if (window->length > reader->longest)
			return -EFBIG;
		got = fetch(reader, offset + (off_t)window->length, bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return window->length > 0 ? -EPIPE : 0;
		buffer_add(window, bytes, (size_t)got);
	}
}
