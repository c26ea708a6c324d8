/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in bytes, of recordings and protocol buffers: little-endian, or as varints of 7 bits a byte, low
 * ones first.
 */
#ifndef PANETOP_CORE_BYTES_H
#define PANETOP_CORE_BYTES_H

#include <string.h>

#include "core/buffer.h"
#include "core/span.h"

#define VARINT_MAX 10 /* bytes */

static inline size_t varint_write(unsigned char bytes[VARINT_MAX], uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (unsigned char)(value | 0x80);
	bytes[n++] = (unsigned char)value;
	return n;
}

static inline void put_varint(struct buffer *out, uint64_t value)
{
	unsigned char bytes[VARINT_MAX];

	buffer_add(out, (const char *)bytes, varint_write(bytes, value));
}

/* False, with nothing consumed that matters, where it is cut off or longer than 64 bits. */
static inline bool take_varint(struct span *in, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		uint64_t byte = (unsigned char)*in->at++;

		*value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return shift < 63 || byte <= 1;
	}
	return false;
}

/* Differences of either sign: 0, -1, 1, -2 … become 0, 1, 2, 3 …; they wrap around. */
static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

static inline void put_difference(struct buffer *out, uint64_t now, uint64_t before)
{
	put_varint(out, zigzag(now - before));
}

/* Adds the difference to *value. */
static inline bool take_difference(struct span *in, uint64_t *value)
{
	uint64_t coded;

	if (!take_varint(in, &coded))
		return false;
	*value += unzigzag(coded);
	return true;
}

static inline void put_bytes(struct buffer *out, const char *bytes, size_t length)
{
	put_varint(out, length);
	buffer_add(out, bytes, length);
}

static inline void put_name(struct buffer *out, const char *name)
{
	put_bytes(out, name, strlen(name));
}

static inline bool take_bytes(struct span *in, struct span *bytes)
{
	uint64_t length;

	if (!take_varint(in, &length) || length > span_length(*in))
		return false;
	*bytes = (struct span){ .at = in->at, .end = in->at + length };
	in->at += length;
	return true;
}

static inline void store_number(char *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (char)(value >> 8 * i);
}

static inline uint64_t load_number(const char *at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)(unsigned char)at[i] << 8 * i;
	return value;
}

/* Writes the wire format of protocol buffers: fields of a message, appended to a buffer. */

/* An integer, enumeration or bool. */
void protobuf_number(struct buffer *out, unsigned field, uint64_t value);

/* A string, or a message that was written into another buffer. */
void protobuf_bytes(struct buffer *out, unsigned field, const char *bytes, size_t length);

/* A repeated field of integers, packed; without values nothing. */
void protobuf_numbers(struct buffer *out, unsigned field, const uint64_t *values, size_t n_values);

#endif
