/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing buffer of bytes, and how bytes are written to files, pipes and terminals. */
#ifndef PANETOP_CORE_BUFFER_H
#define PANETOP_CORE_BUFFER_H

#include <stddef.h>

/* All zero is an empty buffer; it keeps its memory when emptied. */
struct buffer {
	char *bytes;
	size_t length;
	size_t capacity;
};

void buffer_add(struct buffer *buffer, const char *bytes, size_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_char(struct buffer *buffer, char byte);
void buffer_fill(struct buffer *buffer, char byte, size_t count);
void buffer_print(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void buffer_empty(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

/* The shortest of 15 to 17 digits that reads back as the same number, which must be finite. */
void buffer_f64(struct buffer *buffer, double number);

/* Appends what fd gives, up to its end or about most bytes. 0 or -errno. */
int buffer_read(struct buffer *buffer, int fd, size_t most);

/*
 * Writes all of it, waiting while fd would block, and empties the buffer. 0; -ECANCELED when cancel_fd (-1:
 * none) became readable during a wait; else -errno. After an error, how much was written is unknown.
 */
int buffer_write(struct buffer *buffer, int fd, int cancel_fd);

/* Writes what fd takes without blocking for more than a moment, and keeps the rest. 0 or -errno. */
int buffer_write_now(struct buffer *buffer, int fd);

#endif
