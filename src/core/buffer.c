/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grows by doubling, so that appending costs the same however long it is. */
#include <config.h>

#include "core/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

#define FIRST_BYTES ((size_t)4096)

void buffer_reserve(struct buffer *buffer, size_t more)
{
	size_t wanted = buffer->length + more;
	const struct buffer before = *buffer;

	if (before.borrowed && wanted <= before.capacity)
		return;
	if (before.borrowed)
		*buffer = (struct buffer){ .length = before.length };
	VECTOR_RESERVE(buffer->bytes, wanted > FIRST_BYTES ? wanted : FIRST_BYTES, buffer->capacity);
	if (before.borrowed && before.length > 0)
		memcpy(buffer->bytes, before.bytes, before.length);
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
	buffer_reserve(buffer, length);
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
	buffer_reserve(buffer, count);
	memset(buffer->bytes + buffer->length, byte, count);
	buffer->length += count;
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
	va_list list;
	int length;

	buffer_reserve(buffer, 128);
	va_start(list, format);
	length = vsnprintf(buffer->bytes + buffer->length, buffer->capacity - buffer->length, format, list);
	va_end(list);
	if (length < 0)
		return;
	if ((size_t)length >= buffer->capacity - buffer->length) {
		buffer_reserve(buffer, (size_t)length + 1);
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
	if (!buffer->borrowed)
		free(buffer->bytes);
	*buffer = (struct buffer){ 0 };
}

void buffer_f64(struct buffer *buffer, double number)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number == 0 ? 0 : number); /* no -0 */
		if (strtod(text, NULL) == number)
			break;
	}
	buffer_text(buffer, text);
}
