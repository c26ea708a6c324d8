/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wire format of protocol buffers: a field is its number and type, then its value. */
#include <config.h>

#include "core/bytes.h"

enum { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

static void add_tag(struct buffer *out, unsigned field, unsigned type)
{
	put_varint(out, (uint64_t)field << 3 | type);
}

void protobuf_number(struct buffer *out, unsigned field, uint64_t value)
{
	add_tag(out, field, WIRE_VARINT);
	put_varint(out, value);
}

void protobuf_bytes(struct buffer *out, unsigned field, const char *bytes, size_t length)
{
	add_tag(out, field, WIRE_LENGTH);
	put_bytes(out, bytes, length);
}

void protobuf_numbers(struct buffer *out, unsigned field, const uint64_t *values, size_t n_values)
{
	unsigned char bytes[VARINT_MAX];
	size_t length = 0;

	if (n_values == 0)
		return;
	for (size_t i = 0; i < n_values; i++)
		length += varint_write(bytes, values[i]);
	add_tag(out, field, WIRE_LENGTH);
	put_varint(out, length);
	for (size_t i = 0; i < n_values; i++)
		put_varint(out, values[i]);
}
