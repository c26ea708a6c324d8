/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wire format of protocol buffers: a field is its number and type, then its value. */
#include <config.h>

#include "core/protobuf.h"

enum { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

/* Seven bits a byte, the lowest first; the highest bit of a byte: more follow. */
static void add_varint(struct buffer *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buffer_char(out, (char)(value | 0x80));
	buffer_char(out, (char)value);
}

static void add_tag(struct buffer *out, unsigned field, unsigned type)
{
	add_varint(out, (uint64_t)field << 3 | type);
}

static size_t varint_length(uint64_t value)
{
	size_t length = 1;

	for (; value >= 0x80; value >>= 7)
		length++;
	return length;
}

void protobuf_number(struct buffer *out, unsigned field, uint64_t value)
{
	add_tag(out, field, WIRE_VARINT);
	add_varint(out, value);
}

void protobuf_bytes(struct buffer *out, unsigned field, const char *bytes, size_t length)
{
	add_tag(out, field, WIRE_LENGTH);
	add_varint(out, length);
	buffer_add(out, bytes, length);
}

void protobuf_numbers(struct buffer *out, unsigned field, const uint64_t *values, size_t n_values)
{
	size_t length = 0;

	if (n_values == 0)
		return;
	for (size_t i = 0; i < n_values; i++)
		length += varint_length(values[i]);
	add_tag(out, field, WIRE_LENGTH);
	add_varint(out, length);
	for (size_t i = 0; i < n_values; i++)
		add_varint(out, values[i]);
}
