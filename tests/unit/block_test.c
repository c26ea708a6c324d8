/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of recordings as bytes: where each field lies, and what is refused at its bound. */
#include "suite.h"

#include "core/bytes.h"
#include "recording/block.h"

START_TEST(a_recording_begins_with_its_version)
{
	struct buffer out = { 0 };

	recording_header_add(&out);
	ck_assert_uint_eq(out.length, 16);
	ck_assert_mem_eq(out.bytes, "\x89ptop\r\n\x1a", 8);
	ck_assert_uint_eq(load_number(out.bytes + 8, 4), 1);
	ck_assert_uint_eq(load_number(out.bytes + 12, 4), block_sum(out.bytes, 12));
	ck_assert_int_eq(recording_header_check(out.bytes), 0);
	for (unsigned at = 0; at < 16; at++) {
		out.bytes[at] ^= 1;
		ck_assert_int_eq(recording_header_check(out.bytes), at < 8 ? -EINVAL : -EBADMSG);
		out.bytes[at] ^= 1;
	}
	store_number(out.bytes + 8, 0, 4);
	store_number(out.bytes + 12, block_sum(out.bytes, 12), 4);
	ck_assert_int_eq(recording_header_check(out.bytes), 0);
	store_number(out.bytes + 8, 2, 4);
	store_number(out.bytes + 12, block_sum(out.bytes, 12), 4);
	ck_assert_int_eq(recording_header_check(out.bytes), -ENOTSUP);
	store_number(out.bytes + 12, __builtin_bswap32(block_sum(out.bytes, 12)), 4);
	ck_assert_int_eq(recording_header_check(out.bytes), -EILSEQ);
	buffer_free(&out);
}

static const struct block_header large = {
	.kind = BLOCK_INDEX,
	.in_chain = 0xfedcba98,
	.n_frames = 0x89abcdef,
	.first_frame = UINT64_C(0xf123456789abcdef),
	.min_ns = UINT64_C(0xe0e1e2e3e4e5e6e7),
	.max_ns = UINT64_C(0xd0d1d2d3d4d5d6d7),
};

/* Of a section that is deflated, one that would become longer, and one of no bytes. */
static void build(struct buffer *out, struct block_header *header)
{
	struct block_builder builder;
	struct buffer raw = { 0 }, text = { 0 }, none = { 0 }, tail = { 0 };

	*header = large;
	block_builder_open(&builder);
	buffer_fill(&raw, 'x', 5000);
	block_add_section(&builder, 7, &raw);
	buffer_text(&text, "abc");
	block_add_section(&builder, SECTION_CLOCKS, &text);
	block_add_section(&builder, 8, &none);
	buffer_text(&tail, "tail");
	block_finish(&builder, header, &tail, out);
	ck_assert(builder.n_sections == 0 && builder.table.length == 0 && builder.bytes.length == 0);
	block_builder_close(&builder);
	buffer_free(&raw);
	buffer_free(&text);
	buffer_free(&tail);
}

START_TEST(each_field_of_a_block_has_its_bytes)
{
	struct block_header header, parsed;
	struct buffer out = { 0 };

	build(&out, &header);
	ck_assert_mem_eq(out.bytes, "PBLK", 4);
	ck_assert_uint_eq(load_number(out.bytes + 4, 2), 3);
	ck_assert_uint_eq(load_number(out.bytes + 6, 2), 3);
	ck_assert_uint_eq(load_number(out.bytes + 8, 4), out.length - 52);
	ck_assert_uint_eq(load_number(out.bytes + 12, 4), large.in_chain);
	ck_assert_uint_eq(load_number(out.bytes + 16, 4), large.n_frames);
	ck_assert_uint_eq(load_number(out.bytes + 20, 8), large.first_frame);
	ck_assert_uint_eq(load_number(out.bytes + 28, 8), large.min_ns);
	ck_assert_uint_eq(load_number(out.bytes + 36, 8), large.max_ns);
	ck_assert_uint_eq(load_number(out.bytes + 44, 4), block_sum(out.bytes + 52, 48));
	ck_assert_uint_eq(load_number(out.bytes + 48, 4), block_sum(out.bytes, 48));
	ck_assert_mem_eq(out.bytes + out.length - 4, "tail", 4);
	ck_assert(block_header_parse(&parsed, out.bytes));
	ck_assert(parsed.kind == BLOCK_INDEX && parsed.n_sections == 3 && parsed.length == out.length - 52);
	ck_assert(parsed.in_chain == large.in_chain && parsed.n_frames == large.n_frames);
	ck_assert(parsed.first_frame == large.first_frame && parsed.table_sum == header.table_sum);
	ck_assert(parsed.min_ns == large.min_ns && parsed.max_ns == large.max_ns);
	for (unsigned at = 0; at < BLOCK_HEADER_BYTES; at++) {
		out.bytes[at] ^= 0x40;
		ck_assert_msg(!block_header_parse(&parsed, out.bytes), "byte %u", at);
		out.bytes[at] ^= 0x40;
	}
	buffer_free(&out);
}

static bool is_header(const char *of, unsigned n_sections, uint32_t length)
{
	char bytes[BLOCK_HEADER_BYTES];
	struct block_header header;

	memcpy(bytes, of, sizeof(bytes));
	store_number(bytes + 6, n_sections, 2);
	store_number(bytes + 8, length, 4);
	store_number(bytes + 48, block_sum(bytes, 48), 4);
	return block_header_parse(&header, bytes);
}

START_TEST(a_block_has_a_limit)
{
	struct block_header header;
	struct buffer out = { 0 };

	build(&out, &header);
	ck_assert(is_header(out.bytes, 0, 0));
	ck_assert(is_header(out.bytes, 3, 48) && !is_header(out.bytes, 3, 47));
	ck_assert(is_header(out.bytes, 4096, 65536) && !is_header(out.bytes, 4097, 65552));
	ck_assert(is_header(out.bytes, 1, BLOCK_BYTES_MAX) && !is_header(out.bytes, 1, BLOCK_BYTES_MAX + 1));
	buffer_free(&out);
}

START_TEST(sections_lie_behind_their_table)
{
	struct block_header header;
	struct buffer out = { 0 };
	struct section sections[3];
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	char content[5000], expected[5000];
	struct span table;
	size_t end;

	build(&out, &header);
	table = span_of(out.bytes + BLOCK_HEADER_BYTES, header.length);
	ck_assert(block_sections_parse(&header, table, sections));
	ck_assert(sections[0].id == 7 && sections[0].deflated && sections[0].raw == 5000);
	ck_assert_uint_eq(sections[0].offset, 48);
	ck_assert_uint_lt(sections[0].stored, 100);
	end = 48 + sections[0].stored;
	ck_assert(sections[1].id == SECTION_CLOCKS && !sections[1].deflated);
	ck_assert(sections[1].raw == 3 && sections[1].stored == 3 && sections[1].offset == end);
	ck_assert(sections[2].id == 8 && !sections[2].deflated);
	ck_assert(sections[2].raw == 0 && sections[2].stored == 0 && sections[2].offset == end + 3);
	ck_assert_uint_eq(header.length, end + 3 + 4);
	ck_assert(section_read(&sections[0], span_of(table.at + 48, sections[0].stored), zstd, content));
	memset(expected, 'x', sizeof(expected));
	ck_assert_mem_eq(content, expected, sizeof(expected));
	sections[0].raw = 4999; /* it is not inflated beyond what it claims */
	ck_assert(!section_read(&sections[0], span_of(table.at + 48, sections[0].stored), zstd, content));
	ck_assert(section_read(&sections[1], span_of(table.at + end, 3), zstd, content));
	ck_assert_mem_eq(content, "abcx", 4);
	ck_assert(section_read(&sections[2], span_of(table.at + end + 3, 0), zstd, content));
	ck_assert(!section_read(&sections[1], span_of(table.at + end, 4), zstd, content));
	ck_assert(!section_read(&sections[1], span_of(table.at + end + 1, 3), zstd, content));
	sections[1].raw = 2;
	ck_assert(!section_read(&sections[1], span_of(table.at + end, 3), zstd, content));
	ZSTD_freeDCtx(zstd);
	buffer_free(&out);
}

/* The sections of a table in which the number at this place is another one. */
static bool are_sections(struct block_header header, const char *table, unsigned at, uint32_t number)
{
	struct section sections[3];
	char bytes[48];

	memcpy(bytes, table, sizeof(bytes));
	store_number(bytes + at, number, 4);
	header.table_sum = block_sum(bytes, sizeof(bytes));
	return block_sections_parse(&header, span_of(bytes, sizeof(bytes)), sections);
}

START_TEST(sections_have_limits)
{
	struct block_header header;
	struct section sections[3];
	struct buffer out = { 0 };
	const char *table;

	build(&out, &header);
	table = out.bytes + BLOCK_HEADER_BYTES;
	ck_assert(block_sections_parse(&header, span_of(table, 48), sections));
	ck_assert(!block_sections_parse(&header, span_of(table, 47), sections));
	ck_assert(are_sections(header, table, 32 + 4, 4)); /* what is left of the block */
	ck_assert(!are_sections(header, table, 32 + 4, 5));
	ck_assert(are_sections(header, table, 16 + 4, 7));
	ck_assert(!are_sections(header, table, 16 + 4, 8));
	ck_assert(are_sections(header, table, 16 + 8, SECTION_BYTES_MAX));
	ck_assert(!are_sections(header, table, 16 + 8, SECTION_BYTES_MAX + 1));
	header.table_sum++;
	ck_assert(!block_sections_parse(&header, span_of(table, 48), sections));
	buffer_free(&out);
}

START_TEST(the_end_says_where_the_index_is)
{
	struct buffer out = { 0 };
	uint64_t offset;

	index_tail_add(&out, UINT64_C(0xfedcba9876543210));
	ck_assert_uint_eq(out.length, 16);
	ck_assert(index_tail_parse(out.bytes, &offset));
	ck_assert_uint_eq(offset, UINT64_C(0xfedcba9876543210));
	ck_assert_uint_eq(load_number(out.bytes + 8, 4), 0x58444950);
	for (unsigned at = 0; at < 16; at++) {
		out.bytes[at] ^= 1;
		ck_assert_msg(!index_tail_parse(out.bytes, &offset), "byte %u", at);
		out.bytes[at] ^= 1;
	}
	out.bytes[8] ^= 1;
	store_number(out.bytes + 12, block_sum(out.bytes, 12), 4);
	ck_assert(!index_tail_parse(out.bytes, &offset));
	buffer_free(&out);
}
