/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that are put together block by block: what is read of them, and what damage leaves out. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/bytes.h"
#include "recording/allowance.h"
#include "recording/block.h"
#include "recording/reader.h"
#include "recording/spool.h"
#include "suite.h"

#define FRAMES_MAX (1 << 20) /* of a block */
#define NOTICES_MAX 4096     /* of a sample, with its host */
#define OTHER_BLOCK ((enum block_kind)9)

struct item_row {
	uint64_t id;
	const char *name;
	uint64_t size;
	double share;
};

static const struct column item_columns[] = {
	COLUMN(struct item_row, id, .kind = COLUMN_KEY),
	COLUMN(struct item_row, name, .kind = COLUMN_LABEL),
	COLUMN(struct item_row, size, .kind = COLUMN_GAUGE),
	COLUMN(struct item_row, share, .kind = COLUMN_GAUGE),
};

static const struct schema item_schema = {
	.name = "item",
	.row_size = sizeof(struct item_row),
	SCHEMA_COLUMNS(item_columns),
};

static const struct schema *const schemas[] = { &item_schema };

typedef const char *const described[2]; /* a column: its key and type */

static described usual[] = { { "id", "u64" }, { "name", "text" }, { "size", "u64" }, { "share", "f64" } };

static void put_name(struct buffer *out, const char *name)
{
	put_bytes(out, name, strlen(name));
}

static void add_sections(struct buffer *bytes, struct block_header header, unsigned id,
			 const struct buffer *raw)
{
	struct block_builder builder;

	block_builder_open(&builder);
	block_add_section(&builder, id, raw);
	block_finish(&builder, &header, NULL, bytes);
	block_builder_close(&builder);
}

/* Of one topic with these four columns. */
static void describe(struct buffer *bytes, const char *topic, const described *columns)
{
	struct buffer raw = { 0 };

	put_varint(&raw, 1);
	put_name(&raw, topic);
	put_name(&raw, "table");
	put_varint(&raw, 4);
	for (unsigned i = 0; i < 4; i++) {
		put_name(&raw, columns[i][0]);
		put_name(&raw, columns[i][1]);
		put_name(&raw, "gauge");
		put_name(&raw, "none");
	}
	recording_header_add(bytes);
	add_sections(bytes, (struct block_header){ .kind = BLOCK_DESCRIPTION }, SECTION_TOPICS, &raw);
	buffer_free(&raw);
}

struct block {
	uint64_t wall_ns; /* of its first sample; 1 ns apart */
	uint32_t n_frames, in_chain;
	uint64_t first_frame;
	const char *rows, *notices; /* bytes as text, parted by blanks; NULL: no section */
	bool broken;                /* the rows are not what was written */
};

static void add_bytes(struct buffer *bytes, const char *text)
{
	while (*text) {
		char *end;

		buffer_char(bytes, (char)strtoul(text, &end, 16));
		text = end + (*end == ' ');
	}
}

static void put_clocks(struct buffer *out, const struct block *block)
{
	uint64_t step = 0;

	for (uint32_t i = 0; i < block->n_frames; i++) {
		uint64_t next = i == 0 ? block->wall_ns : 1;

		put_difference(out, next, step);
		put_difference(out, next, step);
		step = next;
	}
}

/* Returns where it begins. */
static size_t add_raw_block(struct buffer *bytes, const struct block *block, const struct buffer *rows,
			    const struct buffer *notices)
{
	struct block_header header = {
		.kind = BLOCK_SAMPLES,
		.in_chain = block->in_chain,
		.n_frames = block->n_frames,
		.first_frame = block->first_frame,
		.min_ns = block->wall_ns,
		.max_ns = block->wall_ns + block->n_frames - 1,
	};
	struct block_builder builder;
	struct buffer clocks = { 0 };
	size_t at = bytes->length;

	put_clocks(&clocks, block);
	block_builder_open(&builder);
	block_add_section(&builder, 0, rows);
	block_add_section(&builder, SECTION_CLOCKS, &clocks);
	if (notices)
		block_add_section(&builder, SECTION_NOTICES, notices);
	block_finish(&builder, &header, NULL, bytes);
	if (block->broken)
		bytes->bytes[at + BLOCK_HEADER_BYTES + header.n_sections * SECTION_ENTRY_BYTES] ^= 1;
	block_builder_close(&builder);
	buffer_free(&clocks);
	return at;
}

static size_t add_block(struct buffer *bytes, const struct block *block)
{
	struct buffer rows = { 0 }, notices = { 0 };
	size_t at;

	add_bytes(&rows, block->rows ? block->rows : "00");
	if (block->notices)
		add_bytes(&notices, block->notices);
	at = add_raw_block(bytes, block, &rows, block->notices ? &notices : NULL);
	buffer_free(&rows);
	buffer_free(&notices);
	return at;
}

static int try_open(struct source *source, const struct buffer *bytes, const char **why)
{
	struct recording_input input = { .fd = memfd_create("recording", MFD_CLOEXEC),
					 .schemas = schemas,
					 .n_schemas = 1 };

	ck_assert_int_eq(write(input.fd, bytes->bytes, bytes->length), (ssize_t)bytes->length);
	return recording_open(source, &input, why);
}

static void open_bytes(struct source *source, const struct buffer *bytes)
{
	const char *why;

	ck_assert_int_eq(try_open(source, bytes, &why), 0);
}

/* "10+2": the sample of this time has two rows; "10": none of the topic; "!": damage was told; "?" at the
 * end. */
static const char *story_of(const struct buffer *bytes)
{
	static char story[256];
	struct source source;
	struct frame frame;
	size_t length = 0;

	story[0] = '\0';
	open_bytes(&source, bytes);
	frame_open(&frame, schemas, 1);
	for (; source.next(source.state, &frame) == 1; frame_clear(&frame)) {
		const struct table *table = frame_table(&frame, "item");

		length += (size_t)snprintf(story + length, sizeof(story) - length, "%s%llu",
					   length ? " " : "", (unsigned long long)frame.wall_ns);
		if (table)
			length += (size_t)snprintf(story + length, sizeof(story) - length, "+%zu",
						   table->n_rows);
		if (frame_newest_notice(&frame, "replay"))
			length += (size_t)snprintf(story + length, sizeof(story) - length, "!");
		ck_assert_uint_lt(length, sizeof(story));
	}
	if (source.remark(source.state))
		snprintf(story + length, sizeof(story) - length, "%s", length ? " ?" : "?");
	frame_close(&frame);
	source.close(source.state);
	return story;
}

#define NEW_ROW "01 00 01 02 00"
#define SAME_ROWS "05 00 00"
#define NO_ROW_THERE "05 00 07 00 00" /* the seventh */

START_TEST(what_is_not_written_is_as_before)
{
	struct buffer bytes = { 0 };
	struct source source;
	struct frame frame;

	describe(&bytes, "item", usual);
	add_block(&bytes, &(struct block){
				  .wall_ns = 10,
				  .n_frames = 3,
				  .rows = "00 00 00",
				  .notices = "02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00 00 01 01",
			  });
	open_bytes(&source, &bytes);
	frame_open(&frame, schemas, 1);
	for (unsigned i = 0; i < 3; i++, frame_clear(&frame)) {
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_str_eq(frame.host, "box");
		ck_assert_uint_eq(frame.n_notices, i < 2 ? 1 : 0);
		if (i == 2)
			continue;
		ck_assert_str_eq(frame.notices[0].topic, "item");
		ck_assert_str_eq(frame.notices[0].text, "bad");
		ck_assert_ptr_null(frame.notices[0].remedy);
	}
	ck_assert_int_eq(source.next(source.state, &frame), 0);
	source.close(source.state);
	frame_close(&frame);
	buffer_free(&bytes);
}

/* Of damaged notices none is told until the next chain, and no host; rows are. */
START_TEST(damaged_notices_are_left_out)
{
	static const char *const damaged[] = {
		"02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00 02 01 02 05 00 00", /* no such text */
		"02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00 02 01 05 02 00 00",
		"02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00 02 05 02 03 00 00",
		"02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00", /* the second one is missing */
		"02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00 02 01 02", /* … is cut off */
	};

	for (size_t c = 0; c < sizeof(damaged) / sizeof(damaged[0]); c++) {
		struct buffer bytes = { 0 };
		struct source source;
		struct frame frame;

		describe(&bytes, "item", usual);
		add_block(&bytes, &(struct block){ .wall_ns = 10,
						   .n_frames = 3,
						   .rows = NEW_ROW " " SAME_ROWS " " SAME_ROWS,
						   .notices = damaged[c] });
		add_block(&bytes, &(struct block){ .wall_ns = 20,
						   .n_frames = 1,
						   .first_frame = 3,
						   .rows = NEW_ROW,
						   .notices = "01 01 03 62 6f 78" });
		ck_assert_str_eq(story_of(&bytes), "10+1 11+1! 12+1 20+1");
		open_bytes(&source, &bytes);
		frame_open(&frame, schemas, 1);
		for (unsigned i = 0; i < 4; i++, frame_clear(&frame)) {
			ck_assert_int_eq(source.next(source.state, &frame), 1);
			ck_assert_int_eq(frame.host != NULL, i == 0 || i == 3);
			ck_assert_uint_eq(frame.n_notices, i < 2 ? 1 : 0);
			ck_assert(i != 1 || frame_newest_notice(&frame, "replay"));
		}
		source.close(source.state);
		frame_close(&frame);
		buffer_free(&bytes);
	}
}

/* A host and as many notices as the count says. */
static void put_notices(struct buffer *out, unsigned count)
{
	put_varint(out, count);
	put_varint(out, 1);
	put_name(out, "box");
	for (unsigned i = 0; i + 1 < count; i++) {
		char text[16];

		snprintf(text, sizeof(text), "bad %u", i);
		put_varint(out, 2);
		if (i == 0)
			put_name(out, "item");
		put_varint(out, 3 + i);
		put_name(out, text);
		put_varint(out, 0);
	}
}

START_TEST(a_sample_tells_so_much_at_most)
{
	static const struct {
		unsigned count, told;
	} cases[] = { { 1, 0 },   { 2, 1 },    { 32, 31 },          { 33, 32 },
		      { 34, 32 }, { 100, 32 }, { NOTICES_MAX, 32 }, { NOTICES_MAX + 1, 0 } };

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		bool good = cases[c].count <= NOTICES_MAX;
		struct buffer bytes = { 0 }, rows = { 0 }, notices = { 0 };
		struct source source;
		struct frame frame;

		describe(&bytes, "item", usual);
		add_bytes(&rows, "00");
		put_notices(&notices, cases[c].count);
		add_raw_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 1 }, &rows, &notices);
		open_bytes(&source, &bytes);
		frame_open(&frame, schemas, 1);
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_int_eq(frame_newest_notice(&frame, "replay") != NULL, !good);
		ck_assert_int_eq(frame.host != NULL, good);
		ck_assert_uint_eq(frame.n_notices, good ? cases[c].told : 1);
		for (unsigned i = 0; good && i < cases[c].told; i++) {
			char text[16];

			snprintf(text, sizeof(text), "bad %u", i);
			ck_assert_str_eq(frame.notices[i].text, text);
		}
		source.close(source.state);
		frame_close(&frame);
		buffer_free(&bytes);
		buffer_free(&rows);
		buffer_free(&notices);
	}
}

/* The numbers of a single row of a version in which integers were fractions, and fractions integers. */
static struct item_row read_changed(double size, uint64_t share)
{
	static described changed[] = {
		{ "id", "text" }, { "name", "u64" }, { "size", "f64" }, { "share", "u64" }
	};
	struct buffer bytes = { 0 }, rows = { 0 };
	struct source source;
	struct frame frame;
	struct item_row row;
	uint64_t bits;
	char number[8];

	memcpy(&bits, &size, sizeof(bits));
	store_number(number, bits, 8);
	describe(&bytes, "item", changed);
	add_bytes(&rows, "01 00 01 02 0f 01 01 37 0a 47");
	buffer_add(&rows, number, sizeof(number));
	put_difference(&rows, share, 0);
	add_raw_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 1 }, &rows, NULL);
	open_bytes(&source, &bytes);
	frame_open(&frame, schemas, 1);
	ck_assert_int_eq(source.next(source.state, &frame), 1);
	ck_assert_uint_eq(frame.tables[0].n_rows, 1);
	row = *(const struct item_row *)table_row(&frame.tables[0], 0);
	ck_assert_uint_eq(row.id, U64_UNKNOWN);
	ck_assert_ptr_null(row.name);
	source.close(source.state);
	frame_close(&frame);
	buffer_free(&bytes);
	buffer_free(&rows);
	return row;
}

START_TEST(numbers_of_another_type_are_converted)
{
	ck_assert_uint_eq(read_changed(0, 0).size, 0);
	ck_assert_uint_eq(read_changed(5.9, 0).size, 5);
	ck_assert_uint_eq(read_changed(0.5, 0).size, 0);
	ck_assert_uint_eq(read_changed(8.9e18, 0).size, UINT64_C(8900000000000000000));
	ck_assert_uint_eq(read_changed(9e18, 0).size, U64_UNKNOWN);
	ck_assert_uint_eq(read_changed(-1, 0).size, U64_UNKNOWN);
	ck_assert_uint_eq(read_changed(NAN, 0).size, U64_UNKNOWN);
	ck_assert_double_eq(read_changed(0, 0).share, 0);
	ck_assert_double_eq(read_changed(0, 7).share, 7);
	ck_assert_double_eq(read_changed(0, U64_BLANK - 1).share, 0x1p64);
	ck_assert(isnan(read_changed(0, U64_BLANK).share));
	ck_assert(isnan(read_changed(0, U64_UNKNOWN).share));
}

/* A topic that is damaged is unknown until it begins again, and it is told once. */
START_TEST(a_damaged_topic_is_left_out_until_the_next_chain)
{
	for (unsigned inside = 0; inside < 2; inside++) {
		struct buffer bytes = { 0 };

		describe(&bytes, "item", usual);
		add_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 1, .rows = NEW_ROW });
		add_block(&bytes, &(struct block){ .wall_ns = 20,
						   .n_frames = 3,
						   .in_chain = 1,
						   .first_frame = 1,
						   .broken = !inside,
						   .rows = inside ? SAME_ROWS " " NO_ROW_THERE " " NEW_ROW
								  : SAME_ROWS " " SAME_ROWS " " NEW_ROW });
		add_block(&bytes, &(struct block){ .wall_ns = 30,
						   .n_frames = 1,
						   .in_chain = 2,
						   .first_frame = 4,
						   .rows = NEW_ROW });
		add_block(&bytes,
			  &(struct block){ .wall_ns = 40, .n_frames = 1, .first_frame = 5, .rows = NEW_ROW });
		ck_assert_str_eq(story_of(&bytes),
				 inside ? "10+1 20+1 21! 22 30 40+1" : "10+1 20! 21 22 30 40+1");
		buffer_free(&bytes);
	}
}

/* Two blocks behind the first one of a chain, of which the second one needs the others. */
static const char *story_of_chain(struct block second, struct block third)
{
	static char story[64];
	struct buffer bytes = { 0 };

	describe(&bytes, "item", usual);
	add_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 2, .rows = NEW_ROW " " SAME_ROWS });
	second.rows = third.rows = SAME_ROWS;
	second.n_frames = third.n_frames = 1;
	second.wall_ns = 20;
	third.wall_ns = 30;
	add_block(&bytes, &second);
	add_block(&bytes, &third);
	add_block(&bytes, &(struct block){ .wall_ns = 40, .n_frames = 1, .rows = NEW_ROW });
	snprintf(story, sizeof(story), "%s", story_of(&bytes));
	buffer_free(&bytes);
	return story;
}

#define BLOCK(number, frame) ((struct block){ .in_chain = (number), .first_frame = (frame) })

START_TEST(what_follows_a_missing_block_is_left_out)
{
	ck_assert_str_eq(story_of_chain(BLOCK(1, 2), BLOCK(2, 3)), "10+1 11+1 20+1 30+1 40+1");
	ck_assert_str_eq(story_of_chain(BLOCK(2, 2), BLOCK(3, 3)), "10+1 11+1 40+1!");
	ck_assert_str_eq(story_of_chain(BLOCK(1, 3), BLOCK(2, 4)), "10+1 11+1 40+1!");
	ck_assert_str_eq(story_of_chain(BLOCK(1, 1), BLOCK(2, 2)), "10+1 11+1 40+1!");
	ck_assert_str_eq(story_of_chain(BLOCK(1, 2), BLOCK(1, 3)), "10+1 11+1 20+1 40+1!");
	ck_assert_str_eq(story_of_chain(BLOCK(1, 2), BLOCK(2, 4)), "10+1 11+1 20+1 40+1!");
}

START_TEST(a_recording_may_begin_within_a_chain)
{
	struct buffer bytes = { 0 };

	describe(&bytes, "item", usual);
	add_block(&bytes,
		  &(struct block){
			  .wall_ns = 10, .n_frames = 1, .in_chain = 1, .first_frame = 9, .rows = SAME_ROWS });
	add_block(&bytes,
		  &(struct block){ .wall_ns = 20, .n_frames = 1, .first_frame = 10, .rows = NEW_ROW });
	ck_assert_str_eq(story_of(&bytes), "20+1!");
	buffer_free(&bytes);
}

START_TEST(blocks_without_samples_are_passed)
{
	struct buffer bytes = { 0 }, raw = { 0 };

	put_varint(&raw, 0);
	describe(&bytes, "item", usual);
	add_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 1, .rows = NEW_ROW });
	add_block(&bytes, &(struct block){ .wall_ns = 15 });
	add_sections(&bytes, (struct block_header){ .kind = OTHER_BLOCK, .n_frames = 1 }, 0, &raw);
	add_block(&bytes, &(struct block){ .wall_ns = 20, .n_frames = 1, .first_frame = 1, .rows = NEW_ROW });
	ck_assert_str_eq(story_of(&bytes), "10+1 20+1");
	buffer_free(&bytes);
	buffer_free(&raw);
}

/* As many numbers as there are samples; more bytes than those can take are none. */
START_TEST(clocks_are_as_long_as_there_are_samples)
{
	for (unsigned length = 1; length <= 21; length++) {
		struct block_header header = {
			.kind = BLOCK_SAMPLES, .n_frames = 1, .min_ns = 5, .max_ns = 5
		};
		struct buffer bytes = { 0 }, clocks = { 0 };

		describe(&bytes, "item", usual);
		add_bytes(&clocks, "0a 0a");
		buffer_fill(&clocks, 0, 19);
		clocks.length = length;
		add_sections(&bytes, header, SECTION_CLOCKS, &clocks);
		ck_assert_str_eq(story_of(&bytes), length < 2 || length > 20 ? "?" : "5");
		buffer_free(&bytes);
		buffer_free(&clocks);
	}
}

/* It is the same recording only if it has the same columns, to the last byte. */
START_TEST(another_recording_ends_it)
{
	static described renamed[] = {
		{ "id", "u64" }, { "name", "text" }, { "size", "u64" }, { "shard", "f64" }
	};
	static described longer[] = {
		{ "id", "u64" }, { "name", "text" }, { "size", "u64" }, { "shares", "f64" }
	};
	static described shorter[] = {
		{ "id", "u64" }, { "name", "text" }, { "size", "u64" }, { "shar", "f64" }
	};
	const described *const descriptions[] = { usual, renamed, longer, shorter };

	for (unsigned i = 0; i < 4; i++) {
		struct buffer bytes = { 0 };

		describe(&bytes, "item", usual);
		add_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 1, .rows = NEW_ROW });
		describe(&bytes, "item", descriptions[i]);
		add_block(&bytes, &(struct block){ .wall_ns = 20, .n_frames = 1, .rows = NEW_ROW });
		ck_assert_str_eq(story_of(&bytes), i == 0 ? "10+1 20+1" : "10+1 ?");
		buffer_free(&bytes);
	}
}

START_TEST(the_first_block_describes_the_columns)
{
	for (unsigned kind = 1; kind <= 3; kind++) {
		for (unsigned less = 0; less < 2; less++) {
			struct buffer bytes = { 0 }, raw = { 0 };
			struct source source;
			const char *why = NULL;

			put_varint(&raw, 0); /* topics */
			recording_header_add(&bytes);
			add_sections(&bytes, (struct block_header){ .kind = (enum block_kind)kind },
				     SECTION_TOPICS - less, &raw);
			if (kind == BLOCK_DESCRIPTION && !less) {
				open_bytes(&source, &bytes);
				source.close(source.state);
			} else {
				ck_assert_int_eq(try_open(&source, &bytes, &why), -EINVAL);
				ck_assert_ptr_nonnull(strstr(why, "description of its columns is damaged"));
			}
			buffer_free(&bytes);
			buffer_free(&raw);
		}
	}
}

/* Of a block in an index: the distance from the one before, … */
enum { STEP, IN_CHAIN, N_FRAMES, NUMBER, MIN_NS, SPAN_NS, N_FIELDS };

struct indexed {
	struct buffer bytes;
	uint64_t entries[2][N_FIELDS];
	size_t end; /* of the blocks */
};

static void begin_indexed(struct indexed *indexed)
{
	size_t first, second;

	*indexed = (struct indexed){ 0 };
	describe(&indexed->bytes, "item", usual);
	first = add_block(&indexed->bytes, &(struct block){ .wall_ns = 10, .n_frames = 1, .rows = NEW_ROW });
	second = add_block(&indexed->bytes, &(struct block){ .wall_ns = 20,
							     .n_frames = 2,
							     .in_chain = 1,
							     .first_frame = 1,
							     .rows = SAME_ROWS " " SAME_ROWS });
	memcpy(indexed->entries[0], (const uint64_t[]){ first, 0, 1, 0, 10, 0 }, sizeof(indexed->entries[0]));
	memcpy(indexed->entries[1], (const uint64_t[]){ second - first, 1, 2, 1, 20, 1 },
	       sizeof(indexed->entries[1]));
	indexed->end = indexed->bytes.length;
}

/* Of so many entries, although it has two; the tail says that it is so much further. */
static void add_index(struct indexed *indexed, enum block_kind kind, uint64_t n_claimed, uint64_t further)
{
	struct block_header header = { .kind = kind };
	struct block_builder builder;
	struct buffer raw = { 0 }, tail = { 0 };

	put_varint(&raw, n_claimed);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			put_varint(&raw, indexed->entries[i][f]);
	index_tail_add(&tail, indexed->end + further);
	block_builder_open(&builder);
	block_add_section(&builder, SECTION_INDEX, &raw);
	block_finish(&builder, &header, &tail, &indexed->bytes);
	block_builder_close(&builder);
	buffer_free(&raw);
	buffer_free(&tail);
}

#define ALL "10+1 20+1 21+1"

/* With this number in a field of one of the two. */
static const char *story_with(unsigned entry, unsigned field, uint64_t number)
{
	struct indexed indexed;
	const char *story;

	begin_indexed(&indexed);
	indexed.entries[entry][field] = number;
	add_index(&indexed, BLOCK_INDEX, 2, 0);
	story = story_of(&indexed.bytes);
	buffer_free(&indexed.bytes);
	return story;
}

START_TEST(an_index_saves_the_search)
{
	struct indexed indexed;
	struct source source;
	uint64_t first_ns, last_ns;
	size_t n_frames;

	begin_indexed(&indexed);
	indexed.entries[0][MIN_NS] = 3;
	indexed.entries[1][SPAN_NS] = 5;
	add_index(&indexed, BLOCK_INDEX, 2, 0);
	open_bytes(&source, &indexed.bytes);
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 3 && first_ns == 3 && last_ns == 25); /* as it says, without a look at them */
	source.close(source.state);
	ck_assert_str_eq(story_of(&indexed.bytes), ALL);
	buffer_free(&indexed.bytes);
}

/* What it says and the block does not: the block is not read. */
START_TEST(an_index_agrees_with_the_blocks)
{
	ck_assert_str_eq(story_with(0, NUMBER, 0), ALL);
	ck_assert_str_eq(story_with(0, NUMBER, 5), "?");
	ck_assert_str_eq(story_with(1, NUMBER, 2), "10+1 ?");
	ck_assert_str_eq(story_with(1, IN_CHAIN, 0), "10+1 ?");
	ck_assert_str_eq(story_with(1, IN_CHAIN, 2), "10+1 ?");
	ck_assert_str_eq(story_with(1, IN_CHAIN, UINT32_MAX), "10+1 ?");
	ck_assert_str_eq(story_with(1, N_FRAMES, 1), "10+1 ?");
	ck_assert_str_eq(story_with(1, N_FRAMES, 3), "10+1 ?");
	ck_assert_str_eq(story_with(1, N_FRAMES, FRAMES_MAX), "10+1 ?");
	ck_assert_str_eq(story_with(0, STEP, RECORDING_HEADER_BYTES), "?");
	ck_assert_str_eq(story_with(1, STEP, BLOCK_HEADER_BYTES), "10+1 ?");
}

/* What cannot be: all blocks are found by their headers. */
START_TEST(an_impossible_index_is_ignored)
{
	struct indexed indexed;
	uint64_t rest;

	begin_indexed(&indexed);
	rest = indexed.end - indexed.entries[0][STEP];
	buffer_free(&indexed.bytes);
	ck_assert_str_eq(story_with(1, STEP, rest), "10+1 ?");
	ck_assert_str_eq(story_with(1, STEP, rest + 1), ALL);
	ck_assert_str_eq(story_with(0, STEP, RECORDING_HEADER_BYTES - 1), ALL);
	ck_assert_str_eq(story_with(1, STEP, BLOCK_HEADER_BYTES - 1), ALL);
	ck_assert_str_eq(story_with(1, IN_CHAIN, UINT64_C(1) << 32), ALL);
	ck_assert_str_eq(story_with(1, N_FRAMES, FRAMES_MAX + 1), ALL);
}

START_TEST(an_index_lies_where_the_end_says)
{
	static const struct {
		enum block_kind kind;
		unsigned n_claimed, further;
		const char *story;
	} cases[] = {
		{ BLOCK_INDEX, 2, 0, ALL }, { BLOCK_INDEX, 1, 0, "10+1" }, { BLOCK_INDEX, 3, 0, ALL },
		{ BLOCK_INDEX, 1, 1, ALL }, { BLOCK_INDEX, 1, 4000, ALL }, { OTHER_BLOCK, 1, 0, ALL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct indexed indexed;

		begin_indexed(&indexed);
		add_index(&indexed, cases[i].kind, cases[i].n_claimed, cases[i].further);
		ck_assert_str_eq(story_of(&indexed.bytes), cases[i].story);
		buffer_free(&indexed.bytes);
	}
}

static void open_pipe(struct source *source, int fds[2], const struct buffer *bytes)
{
	struct recording_input input = { .schemas = schemas, .n_schemas = 1 };
	const char *why;

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], bytes->bytes, bytes->length), (ssize_t)bytes->length);
	input.fd = fds[0];
	ck_assert_int_eq(recording_open(source, &input, &why), 0);
}

/* Behind each MiB of them, even if more is there. */
START_TEST(zeros_in_a_pipe_keep_nothing_else_waiting)
{
	static const char zeros[32768];

	for (unsigned less = 0; less < 2; less++) {
		struct buffer bytes = { 0 };
		struct source source;
		struct frame frame;
		int fds[2];

		describe(&bytes, "item", usual);
		open_pipe(&source, fds, &bytes);
		frame_open(&frame, schemas, 1);
		for (unsigned i = 0; i < 31; i++) {
			ck_assert_int_eq(write(fds[1], zeros, sizeof(zeros)), sizeof(zeros));
			ck_assert_int_eq(source.next(source.state, &frame), -EAGAIN);
			ck_assert(pipe_is_empty(fds[0]));
		}
		buffer_empty(&bytes);
		buffer_fill(&bytes, 0, sizeof(zeros) - less);
		add_block(&bytes, &(struct block){ .wall_ns = 10, .n_frames = 1, .rows = NEW_ROW });
		ck_assert_int_eq(write(fds[1], bytes.bytes, bytes.length), (ssize_t)bytes.length);
		if (!less) {
			ck_assert_int_eq(source.next(source.state, &frame), -EAGAIN);
			ck_assert(!pipe_is_empty(fds[0]));
		}
		ck_assert_int_eq(source.next(source.state, &frame), 1);
		ck_assert_uint_eq(frame.wall_ns, 10);
		ck_assert_uint_eq(frame.n_notices, 0);
		close(fds[1]);
		source.close(source.state);
		frame_close(&frame);
		buffer_free(&bytes);
	}
}

/* A pipe of which nothing is kept has the samples of its newest block only. */
START_TEST(of_a_pipe_only_the_newest_block_is_searched)
{
	struct buffer bytes = { 0 };
	struct source source;
	int fds[2];

	describe(&bytes, "item", usual);
	open_pipe(&source, fds, &bytes);
	buffer_empty(&bytes);
	add_block(
		&bytes,
		&(struct block){ .wall_ns = 10, .n_frames = 3, .rows = NEW_ROW " " SAME_ROWS " " SAME_ROWS });
	ck_assert_int_eq(write(fds[1], bytes.bytes, bytes.length), (ssize_t)bytes.length);
	ck_assert_uint_eq(source.find(source.state, 11), 1);
	buffer_empty(&bytes);
	add_block(&bytes, &(struct block){ .wall_ns = 20,
					   .n_frames = 3,
					   .first_frame = 3,
					   .rows = NEW_ROW " " SAME_ROWS " " SAME_ROWS });
	ck_assert_int_eq(write(fds[1], bytes.bytes, bytes.length), (ssize_t)bytes.length);
	ck_assert_uint_eq(source.find(source.state, 22), 5);
	ck_assert_uint_eq(source.find(source.state, 20), 3);
	ck_assert_uint_eq(source.find(source.state, 19), 0);
	close(fds[1]);
	source.close(source.state);
	buffer_free(&bytes);
}

#define MIB ((uint64_t)1 << 20)

START_TEST(memory_grows_with_the_recording)
{
	static const struct {
		uint64_t recorded, most;
	} cases[] = {
		{ 0, 128 * MIB },
		{ 1, 128 * MIB + 256 },
		{ MIB, 384 * MIB },
		{ 7 * MIB + MIB / 2 - 1, 2048 * MIB - 256 },
		{ 7 * MIB + MIB / 2, 2048 * MIB },
		{ 8 * MIB - 1, 2048 * MIB },
		{ 8 * MIB, 2048 * MIB },
		{ UINT64_MAX, 2048 * MIB },
	};
	struct allowance allowance;

	allowance_open(&allowance, 3);
	ck_assert_uint_eq(allowance_room(&allowance, 0), 128 * MIB);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		allowance_set_size(&allowance, cases[c].recorded);
		ck_assert_uint_eq(allowance_room(&allowance, 2), cases[c].most);
	}
	allowance_close(&allowance);
}

START_TEST(memory_that_one_holds_is_not_left_for_others)
{
	struct allowance allowance;
	unsigned n_samples = 0;

	allowance_open(&allowance, 3);
	allowance_hold(&allowance, 1, 100 * MIB);
	allowance_hold(&allowance, 2, 20 * MIB);
	ck_assert_uint_eq(allowance_room(&allowance, 0), 8 * MIB);
	ck_assert_uint_eq(allowance_room(&allowance, 1), 108 * MIB); /* with its own */
	ck_assert_uint_eq(allowance_room(&allowance, 2), 28 * MIB);
	allowance_hold(&allowance, 2, 30 * MIB);
	ck_assert_uint_eq(allowance_room(&allowance, 0), 0);
	ck_assert_uint_eq(allowance_room(&allowance, 1), 98 * MIB);
	ck_assert_uint_eq(allowance_room(&allowance, 2), 28 * MIB);
	allowance_next_sample(&allowance);
	allowance_hold(&allowance, 2, 20 * MIB); /* what is not used any more is given back later */
	allowance_hold(&allowance, 1, MIB);
	allowance_next_sample(&allowance);
	ck_assert_uint_eq(allowance_room(&allowance, 0), 0);
	while (allowance_room(&allowance, 0) != 128 * MIB - MIB - 30 * MIB && n_samples++ < 10000)
		allowance_next_sample(&allowance);
	ck_assert_uint_lt(n_samples, 10000);
	ck_assert_uint_eq(allowance_room(&allowance, 1), 98 * MIB);
	allowance_close(&allowance);
}

/* Four frames and two samples of the decoder have its cells; the first number is what it costs besides. */
START_TEST(rows_and_texts_take_memory_wherever_they_lie)
{
	ck_assert_uint_eq(allowance_row_bytes(1) - allowance_row_bytes(0), 6 * sizeof(uint64_t));
	ck_assert_uint_eq(allowance_row_bytes(100) - allowance_row_bytes(0), 600 * sizeof(uint64_t));
	ck_assert_uint_gt(allowance_row_bytes(0), 0);
	ck_assert_uint_eq(allowance_text_bytes(0), 0);
	ck_assert_uint_eq(allowance_text_bytes(7), 5 * 7);
	ck_assert_uint_eq(allowance_text_bytes(SIZE_MAX / 8), (uint64_t)5 * (SIZE_MAX / 8));
}
