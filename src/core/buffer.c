/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing buffer of bytes. */
#include <config.h>

#include "core/buffer.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/vector.h"

#define FIRST_BYTES ((size_t)4096)
#define READ_BYTES ((size_t)4096)
#define WRITE_BYTES ((size_t)4096)

static void reserve(struct buffer *buffer, size_t more)
{
	size_t wanted = buffer->length + more;

	VECTOR_RESERVE(buffer->bytes, wanted > FIRST_BYTES ? wanted : FIRST_BYTES, buffer->capacity);
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
	reserve(buffer, length);
	if (length > 0)
		memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
}

void buffer_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_char(struct buffer *buffer, char byte)
{
	buffer_add(buffer, &byte, 1);
}

void buffer_fill(struct buffer *buffer, char byte, size_t count)
{
	if (count == 0)
		return;
	reserve(buffer, count);
	memset(buffer->bytes + buffer->length, byte, count);
	buffer->length += count;
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
	va_list list;
	int length;

	reserve(buffer, 128);
	va_start(list, format);
	length = vsnprintf(buffer->bytes + buffer->length, buffer->capacity - buffer->length, format, list);
	va_end(list);
	if (length < 0)
		return;
	if ((size_t)length >= buffer->capacity - buffer->length) {
		reserve(buffer, (size_t)length + 1);
		va_start(list, format);
		vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, list);
		va_end(list);
	}
	buffer->length += (size_t)length;
}

void buffer_empty(struct buffer *buffer)
{
	buffer->length = 0;
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){ 0 };
}

void buffer_f64(struct buffer *buffer, double number)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	buffer_text(buffer, text);
}

int buffer_read(struct buffer *buffer, int fd, size_t most)
{
	while (buffer->length < most) {
		ssize_t got;

		reserve(buffer, READ_BYTES);
		got = read(fd, buffer->bytes + buffer->length, READ_BYTES);
		if (got == 0)
			break;
		if (got > 0)
			buffer->length += (size_t)got;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Waits until fd takes bytes: 0, -ECANCELED, or -EBADF for none at all. */
static int wait_writable(int fd, int cancel_fd)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLOUT }, { .fd = cancel_fd, .events = POLLIN } };

	if (fd < 0)
		return -EBADF;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[0].revents == 0 && fds[1].revents != 0 ? -ECANCELED : 0;
}

/* Pieces so small that a pipe or terminal which is ready takes them without blocking. */
int buffer_write(struct buffer *buffer, int fd, int cancel_fd)
{
	size_t done = 0;

	while (done < buffer->length) {
		size_t left = buffer->length - done;
		int error = wait_writable(fd, cancel_fd);
		ssize_t written;

		if (error)
			return error;
		written = write(fd, buffer->bytes + done, left < WRITE_BYTES ? left : WRITE_BYTES);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	buffer_empty(buffer);
	return 0;
}
