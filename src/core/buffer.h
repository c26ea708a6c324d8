/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing buffer of bytes. */
#ifndef PANETOP_CORE_BUFFER_H
#define PANETOP_CORE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty buffer; it keeps its memory when emptied. */
struct buffer {
	char *bytes;
	size_t length;
	size_t capacity;
	bool borrowed; /* bytes are those of BUFFER_HERE, until they do not suffice */
};

/* An empty buffer with room in this block, for what is drawn each time and seldom longer: as initializer. */
#define BUFFER_HERE_BYTES 1024
#define BUFFER_HERE                                                                                          \
	{                                                                                                    \
		.bytes = (char[BUFFER_HERE_BYTES]){ 0 }, .capacity = BUFFER_HERE_BYTES, .borrowed = true     \
	}

/* Makes room for this many bytes behind those that it has. */
void buffer_reserve(struct buffer *buffer, size_t more);

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

#endif
