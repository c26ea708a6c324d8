/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a file or a pipe by their offset. */
#include <config.h>

#include "output/line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/spool.h"

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

/* Where the disk is full what comes is read all the same, but not again. */
static void add_to_spool(struct line_reader *reader, const char *bytes, size_t length)
{
	off_t from = reader->spooled;

	if (reader->spool_fd < 0)
		return;
	reader->spooled += (off_t)length;
	reader->spool_error = spool_write(reader->spool_fd, bytes, length, from) < 0 ? errno : 0;
	if (!reader->spool_error)
		return;
	if (reader->hole_end == 0)
		reader->hole = from;
	reader->hole_end = reader->spooled;
}

/* A hole has empty lines. */
static ssize_t read_spool(const struct line_reader *reader, off_t offset, char *bytes)
{
	size_t most = READ_BYTES;

	if (offset < reader->hole && reader->hole - offset < (off_t)most)
		most = (size_t)(reader->hole - offset);
	if (offset < reader->hole || offset >= reader->hole_end)
		return pread(reader->spool_fd, bytes, most, offset);
	if (reader->hole_end - offset < (off_t)most)
		most = (size_t)(reader->hole_end - offset);
	memset(bytes, '\n', most);
	return (ssize_t)most;
}

int line_reader_open(struct line_reader *reader, int fd, struct span first, uint64_t back_bytes)
{
	*reader = (struct line_reader){ .fd = fd, .spool_fd = -1, .longest = line_reader_longest() };
	reader->pipe = lseek(fd, 0, SEEK_CUR) < 0;
	if (!reader->pipe)
		return 0;
	buffer_add(&reader->window, first.at, span_length(first));
	if (back_bytes == 0)
		return 0;
	reader->spool_fd = spool_open();
	reader->back_bytes = spool_share(reader->spool_fd, back_bytes);
	if (reader->spool_fd < 0)
		return -errno;
	add_to_spool(reader, first.at, span_length(first));
	return 0;
}

void line_reader_close(struct line_reader *reader)
{
	close(reader->fd);
	if (reader->spool_fd >= 0)
		close(reader->spool_fd);
	buffer_free(&reader->window);
}

static ssize_t fetch(struct line_reader *reader, off_t offset, char *bytes)
{
	ssize_t got;

	if (!reader->pipe)
		return pread(reader->fd, bytes, READ_BYTES, offset);
	if (offset < reader->spooled)
		return read_spool(reader, offset, bytes);
	if (reader->no_wait && pipe_is_empty(reader->fd)) {
		errno = EAGAIN;
		return -1;
	}
	got = read(reader->fd, bytes, READ_BYTES);
	if (got > 0)
		add_to_spool(reader, bytes, (size_t)got);
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

int line_reader_drop(struct line_reader *reader, off_t offset)
{
	if (offset <= reader->dropped)
		return 0;
	if (spool_drop(reader->spool_fd, reader->dropped, offset) < 0)
		return -errno;
	reader->dropped = offset;
	return 0;
}
