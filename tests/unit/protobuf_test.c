/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the wire format of protocol buffers, against bytes written by hand from its specification. */
#include "suite.h"

#include "core/bytes.h"

static void check_bytes(struct buffer *buffer, const char *bytes, size_t length)
{
	ck_assert_uint_eq(buffer->length, length);
	ck_assert_mem_eq(buffer->bytes, bytes, length);
	buffer_empty(buffer);
}

#define CHECK(buffer, literal) check_bytes((buffer), literal, sizeof(literal) - 1)

START_TEST(numbers_are_varints)
{
	struct buffer out = { 0 };

	protobuf_number(&out, 1, 0);
	CHECK(&out, "\x08\x00");
	protobuf_number(&out, 1, 127);
	CHECK(&out, "\x08\x7f");
	protobuf_number(&out, 1, 128);
	CHECK(&out, "\x08\x80\x01");
	protobuf_number(&out, 1, 150);
	CHECK(&out, "\x08\x96\x01");
	protobuf_number(&out, 16, 16383);
	CHECK(&out, "\x80\x01\xff\x7f");
	protobuf_number(&out, 2, UINT64_MAX);
	CHECK(&out, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	buffer_free(&out);
}

START_TEST(bytes_have_their_length)
{
	struct buffer out = { 0 };
	char long_text[300];

	protobuf_bytes(&out, 2, "testing", 7);
	CHECK(&out, "\x12\x07testing");
	protobuf_bytes(&out, 6, "", 0);
	CHECK(&out, "\x32\x00");
	protobuf_bytes(&out, 6, "a\0b", 3);
	CHECK(&out, "\x32\x03\x61\x00\x62");
	memset(long_text, 'x', sizeof(long_text));
	protobuf_bytes(&out, 6, long_text, sizeof(long_text));
	ck_assert_uint_eq(out.length, 3 + sizeof(long_text));
	ck_assert_mem_eq(out.bytes, "\x32\xac\x02xx", 5);
	buffer_free(&out);
}

START_TEST(repeated_numbers_are_packed)
{
	static const uint64_t values[] = { 3, 270, 86942 };
	struct buffer out = { 0 };

	protobuf_numbers(&out, 6, values, 3);
	CHECK(&out, "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
	protobuf_numbers(&out, 6, values, 0);
	CHECK(&out, "");
	buffer_free(&out);
}
