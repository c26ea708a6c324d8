/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that are put together block by block: what is read of them, and what damage leaves out. */
#include "suite.h"

#include "core/bytes.h"
#include "recording/block.h"
#include "recording/reader.h"
#include "recording/spool.h"

#define FRAMES_MAX (1 << 12) /* of a block */
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
	.name = "item", .row_size = sizeof(struct item_row), SCHEMA_COLUMNS(item_columns),
};

static const struct schema *const schemas[] = { &item_schema };

/* The recording of a test, what reads it, and the sample that was read last. */
static struct buffer made;
static struct source source;
static struct frame frame;
static const char *why;

typedef const char *const described[2]; /* a column: its key and type */

static described usual[] = { { "id", "u64" }, { "name", "text" }, { "size", "u64" }, { "share", "f64" } };

static void add_sections(struct block_header header, unsigned id, const struct buffer *raw,
			 const struct buffer *tail)
{
	struct block_builder builder;

	block_builder_open(&builder);
	block_add_section(&builder, id, raw);
	block_finish(&builder, &header, tail, &made);
	block_builder_close(&builder);
}

/* Begins a recording of one topic with these four columns. */
static void describe(const described *columns)
{
	struct buffer raw = { 0 };

	put_varint(&raw, 1);
	put_name(&raw, "item");
	put_name(&raw, "table");
	put_varint(&raw, 4);
	for (unsigned i = 0; i < 4; i++) {
		put_name(&raw, columns[i][0]);
		put_name(&raw, columns[i][1]);
		put_name(&raw, "gauge");
		put_name(&raw, "none");
	}
	recording_header_add(&made);
	add_sections((struct block_header){ .kind = BLOCK_DESCRIPTION }, SECTION_TOPICS, &raw, NULL);
	buffer_free(&raw);
}

static void begin(void)
{
	buffer_empty(&made);
	describe(usual);
}

/* Bytes as text, parted by blanks. */
static struct buffer bytes_of(const char *text)
{
	struct buffer out = { 0 };

	while (*text) {
		char *stop;

		buffer_char(&out, (char)strtoul(text, &stop, 16));
		text = stop + (*stop == ' ');
	}
	return out;
}

/* The first one is of this time, the others 1 ns apart. */
static void put_clocks(struct buffer *out, uint64_t wall_ns, uint32_t n_frames)
{
	uint64_t step = 0;

	for (uint32_t i = 0; i < n_frames; i++) {
		uint64_t at_ns = i == 0 ? wall_ns : 1;

		put_difference(out, at_ns, step);
		put_difference(out, at_ns, step);
		step = at_ns;
	}
}

/* Samples from this time on; returns where they begin. Frees rows and notices, which may be missing. */
static size_t add_raw(uint64_t wall_ns, uint32_t n_frames, uint32_t in_chain, uint64_t first_frame,
		      struct buffer rows, struct buffer notices)
{
	struct block_header header = {
		.kind = BLOCK_SAMPLES,
		.in_chain = in_chain,
		.n_frames = n_frames,
		.first_frame = first_frame,
		.min_ns = wall_ns,
		.max_ns = wall_ns + n_frames - 1,
	};
	struct block_builder builder;
	struct buffer clocks = { 0 };
	size_t at = made.length;

	put_clocks(&clocks, wall_ns, n_frames);
	block_builder_open(&builder);
	block_add_section(&builder, 0, &rows);
	block_add_section(&builder, SECTION_CLOCKS, &clocks);
	if (notices.length > 0)
		block_add_section(&builder, SECTION_NOTICES, &notices);
	block_finish(&builder, &header, NULL, &made);
	block_builder_close(&builder);
	buffer_free(&clocks);
	buffer_free(&rows);
	buffer_free(&notices);
	return at;
}

static size_t add(uint64_t wall_ns, uint32_t n_frames, uint32_t in_chain, uint64_t first_frame,
		  const char *rows)
{
	return add_raw(wall_ns, n_frames, in_chain, first_frame, bytes_of(rows), bytes_of(""));
}

static int try_open(void)
{
	struct recording_input input = {
		.fd = memfd_create("recording", MFD_CLOEXEC), .schemas = schemas, .n_schemas = 1
	};

	ck_assert_int_eq(write(input.fd, made.bytes, made.length), (ssize_t)made.length);
	return recording_open(&source, &input, &why);
}

static int next(void)
{
	if (!frame.tables)
		frame_open(&frame, schemas, 1);
	frame_clear(&frame);
	return source.next(source.state, &frame);
}

static void stop_reading(void)
{
	source.close(source.state);
	frame_close(&frame);
}

/* "10+2": the sample of this time has two rows; "10": none of the topic; "!": damage was told; "?" at the
 * end. */
static const char *story(void)
{
	static char text[256];
	size_t length = 0;

	ck_assert_int_eq(try_open(), 0);
	*text = '\0';
	while (next() == 1) {
		const struct table *table = frame_table(&frame, "item");

		length += (size_t)sprintf(text + length, "%s%llu", length ? " " : "",
					  (unsigned long long)frame.wall_ns);
		if (table)
			length += (size_t)sprintf(text + length, "+%zu", table->n_rows);
		if (frame_newest_notice(&frame, "replay"))
			length += (size_t)sprintf(text + length, "!");
		ck_assert_uint_lt(length, sizeof(text) - 64);
	}
	if (source.remark(source.state))
		sprintf(text + length, "%s", length ? " ?" : "?");
	stop_reading();
	return text;
}

#define NEW_ROW "01 00 01 02 00"
#define SAME_ROWS "05 00 00"
#define NO_ROW_THERE "05 00 07 00 00" /* the seventh */
#define BOX_IS_BAD "02 01 03 62 6f 78 02 04 69 74 65 6d 03 03 62 61 64 00" /* a host, and a notice of item */

START_TEST(what_is_not_written_is_as_before)
{
	begin();
	add_raw(10, 3, 0, 0, bytes_of("00 00 00"), bytes_of(BOX_IS_BAD " 00 01 01"));
	ck_assert_int_eq(try_open(), 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(next(), 1);
		ck_assert_str_eq(frame.host, "box");
		ck_assert_uint_eq(frame.n_notices, i < 2 ? 1 : 0);
		if (i == 2)
			continue;
		ck_assert_str_eq(frame.notices[0].topic, "item");
		ck_assert_str_eq(frame.notices[0].text, "bad");
		ck_assert_ptr_null(frame.notices[0].remedy);
	}
	ck_assert_int_eq(next(), 0);
	stop_reading();
}

/* Of damaged notices none is told until the next chain, and no host; rows are. */
START_TEST(damaged_notices_are_left_out)
{
	static const char *const damaged[] = {
		BOX_IS_BAD " 02 01 02 05 00 00", /* no such text */
		BOX_IS_BAD " 02 01 05 02 00 00",
		BOX_IS_BAD " 02 05 02 03 00 00",
		BOX_IS_BAD, /* the second one is missing */
		BOX_IS_BAD " 02 01 02", /* … is cut off */
	};

	for (size_t c = 0; c < sizeof(damaged) / sizeof(damaged[0]); c++) {
		begin();
		add_raw(10, 3, 0, 0, bytes_of(NEW_ROW " " SAME_ROWS " " SAME_ROWS), bytes_of(damaged[c]));
		add_raw(20, 1, 0, 3, bytes_of(NEW_ROW), bytes_of("01 01 03 62 6f 78"));
		ck_assert_str_eq(story(), "10+1 11+1! 12+1 20+1");
		ck_assert_int_eq(try_open(), 0);
		for (unsigned i = 0; i < 4; i++) {
			ck_assert_int_eq(next(), 1);
			ck_assert_int_eq(frame.host != NULL, i == 0 || i == 3);
			ck_assert_uint_eq(frame.n_notices, i < 2 ? 1 : 0);
			ck_assert(i != 1 || frame_newest_notice(&frame, "replay"));
		}
		stop_reading();
	}
}

/* A host and as many notices as the count says. */
static struct buffer notices_of(unsigned count)
{
	struct buffer out = { 0 };

	put_varint(&out, count);
	put_varint(&out, 1);
	put_name(&out, "box");
	for (unsigned i = 0; i + 1 < count; i++) {
		put_varint(&out, 2);
		if (i == 0)
			put_name(&out, "item");
		put_varint(&out, 3 + i);
		put_name(&out, textf("bad %u", i));
		put_varint(&out, 0);
	}
	return out;
}

START_TEST(a_sample_tells_so_much_at_most)
{
	static const struct {
		unsigned count, told;
	} cases[] = { { 1, 0 }, { 2, 1 }, { 33, 32 }, { 34, 32 }, { NOTICES_MAX, 32 }, { NOTICES_MAX + 1 } };

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		bool good = cases[c].count <= NOTICES_MAX;

		begin();
		add_raw(10, 1, 0, 0, bytes_of("00"), notices_of(cases[c].count));
		ck_assert_int_eq(try_open(), 0);
		ck_assert_int_eq(next(), 1);
		ck_assert_int_eq(frame_newest_notice(&frame, "replay") != NULL, !good);
		ck_assert_int_eq(frame.host != NULL, good);
		ck_assert_uint_eq(frame.n_notices, good ? cases[c].told : 1);
		for (unsigned i = 0; good && i < cases[c].told; i++)
			ck_assert_str_eq(frame.notices[i].text, textf("bad %u", i));
		stop_reading();
	}
}

/* A single row of a version in which integers were fractions, and fractions integers. */
START_TEST(numbers_of_another_type_are_converted)
{
	static described changed[] = {
		{ "id", "text" }, { "name", "u64" }, { "size", "f64" }, { "share", "u64" }
	};
	static const struct {
		double size;
		uint64_t share;
		uint64_t read_size;
		double read_share;
	} cases[] = {
		{ 5.9, 7, 5, 7 },
		{ 0.5, U64_BLANK - 1, 0, 0x1p64 },
		{ 8.9e18, U64_BLANK, UINT64_C(8900000000000000000), NAN },
		{ 9e18, U64_UNKNOWN, U64_UNKNOWN, NAN },
		{ -1, 0, U64_UNKNOWN, 0 },
		{ NAN, 0, U64_UNKNOWN, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer rows = bytes_of("01 00 01 02 0f 01 01 37 0a 47");
		const struct item_row *row;
		uint64_t bits;
		char number[8];

		memcpy(&bits, &cases[i].size, sizeof(bits));
		store_number(number, bits, 8);
		buffer_add(&rows, number, sizeof(number));
		put_difference(&rows, cases[i].share, 0);
		buffer_empty(&made);
		describe(changed);
		add_raw(10, 1, 0, 0, rows, bytes_of(""));
		ck_assert_int_eq(try_open(), 0);
		ck_assert_int_eq(next(), 1);
		ck_assert_uint_eq(frame.tables[0].n_rows, 1);
		row = table_row(&frame.tables[0], 0);
		ck_assert(row->id == U64_UNKNOWN && !row->name);
		ck_assert_msg(row->size == cases[i].read_size, "case %zu", i);
		ck_assert_msg(row->share == cases[i].read_share ||
				      (isnan(row->share) && isnan(cases[i].read_share)),
			      "case %zu: %g", i, row->share);
		stop_reading();
	}
}

/* A topic that is damaged is unknown until it begins again, and it is told once. */
START_TEST(a_damaged_topic_is_left_out_until_the_next_chain)
{
	for (unsigned inside = 0; inside < 2; inside++) {
		size_t at;

		begin();
		add(10, 1, 0, 0, NEW_ROW);
		at = add(20, 3, 1, 1,
			 inside ? SAME_ROWS " " NO_ROW_THERE " " NEW_ROW
				: SAME_ROWS " " SAME_ROWS " " NEW_ROW);
		if (!inside) /* they are not what was written */
			made.bytes[at + BLOCK_HEADER_BYTES + 2 * SECTION_ENTRY_BYTES] ^= 1;
		add(30, 1, 2, 4, NEW_ROW);
		add(40, 1, 0, 5, NEW_ROW);
		ck_assert_str_eq(story(), inside ? "10+1 20+1 21! 22 30 40+1" : "10+1 20! 21 22 30 40+1");
	}
}

/* Two blocks behind the first one of a chain, of which the second one needs the others. */
START_TEST(what_follows_a_missing_block_is_left_out)
{
	static const struct {
		uint32_t second_in_chain, second_frame, third_in_chain, third_frame;
		const char *story;
	} cases[] = {
		{ 1, 2, 2, 3, "10+1 11+1 20+1 30+1 40+1" }, { 2, 2, 3, 3, "10+1 11+1 40+1!" },
		{ 1, 3, 2, 4, "10+1 11+1 40+1!" },          { 1, 1, 2, 2, "10+1 11+1 40+1!" },
		{ 1, 2, 1, 3, "10+1 11+1 20+1 40+1!" },     { 1, 2, 2, 4, "10+1 11+1 20+1 40+1!" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		add(10, 2, 0, 0, NEW_ROW " " SAME_ROWS);
		add(20, 1, cases[i].second_in_chain, cases[i].second_frame, SAME_ROWS);
		add(30, 1, cases[i].third_in_chain, cases[i].third_frame, SAME_ROWS);
		add(40, 1, 0, 0, NEW_ROW);
		ck_assert_str_eq(story(), cases[i].story);
	}
	begin(); /* a recording may begin within a chain */
	add(10, 1, 1, 9, SAME_ROWS);
	add(20, 1, 0, 10, NEW_ROW);
	ck_assert_str_eq(story(), "20+1!");
}

START_TEST(blocks_without_samples_are_passed)
{
	struct buffer raw = bytes_of("00");

	begin();
	add(10, 1, 0, 0, NEW_ROW);
	add(15, 0, 0, 0, "00");
	add_sections((struct block_header){ .kind = OTHER_BLOCK, .n_frames = 1 }, 0, &raw, NULL);
	add(20, 1, 0, 1, NEW_ROW);
	ck_assert_str_eq(story(), "10+1 20+1");
	buffer_free(&raw);
}

/* It is the same recording only if it has the same columns, to the last byte. */
START_TEST(another_recording_ends_it)
{
	static const char *const last[] = { "share", "shard", "shares", "shar" };

	for (unsigned i = 0; i < 4; i++) {
		described columns[] = {
			{ "id", "u64" }, { "name", "text" }, { "size", "u64" }, { last[i], "f64" }
		};

		begin();
		add(10, 1, 0, 0, NEW_ROW);
		describe(columns);
		add(20, 1, 0, 0, NEW_ROW);
		ck_assert_str_eq(story(), i == 0 ? "10+1 20+1" : "10+1 ?");
	}
}

/* Of a block in an index: the distance from the one before, … */
enum { STEP, IN_CHAIN, N_FRAMES, NUMBER, MIN_NS, SPAN_NS, N_FIELDS };

static uint64_t entries[2][N_FIELDS];
static size_t end; /* of the blocks */

static void begin_indexed(void)
{
	begin();
	memset(entries, 0, sizeof(entries));
	entries[0][STEP] = add(10, 1, 0, 0, NEW_ROW);
	entries[0][N_FRAMES] = 1;
	entries[0][MIN_NS] = 10;
	entries[1][STEP] = add(20, 2, 1, 1, SAME_ROWS " " SAME_ROWS) - entries[0][STEP];
	memcpy(&entries[1][IN_CHAIN], (const uint64_t[]){ 1, 2, 1, 20, 1 }, 5 * sizeof(uint64_t));
	end = made.length;
}

/* Of so many entries, although it has two; the tail says that it is so much further. */
static void add_index(enum block_kind kind, uint64_t n_claimed, uint64_t further)
{
	struct buffer raw = { 0 }, tail = { 0 };

	put_varint(&raw, n_claimed);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned f = 0; f < N_FIELDS; f++)
			put_varint(&raw, entries[i][f]);
	index_tail_add(&tail, end + further);
	add_sections((struct block_header){ .kind = kind }, SECTION_INDEX, &raw, &tail);
	buffer_free(&raw);
	buffer_free(&tail);
}

#define ALL "10+1 20+1 21+1"

START_TEST(an_index_saves_the_search)
{
	uint64_t first_ns, last_ns;
	size_t n_frames;

	begin_indexed();
	entries[0][MIN_NS] = 3;
	entries[1][SPAN_NS] = 5;
	add_index(BLOCK_INDEX, 2, 0);
	ck_assert_int_eq(try_open(), 0);
	ck_assert(source.extent(source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 3 && first_ns == 3 && last_ns == 25); /* as it says, without a look at them */
	source.close(source.state);
	ck_assert_str_eq(story(), ALL);
}

/*
 * With another number in a field of one of the two: a block about which it says what the block does not is
 * not read; by what cannot be, all blocks are found by their headers.
 */
START_TEST(an_index_agrees_with_the_blocks)
{
	static const struct {
		unsigned entry, field;
		uint64_t number;
		const char *story;
	} cases[] = {
		{ 0, NUMBER, 0, ALL },
		{ 0, NUMBER, 5, "?" },
		{ 1, NUMBER, 2, "10+1 ?" },
		{ 1, IN_CHAIN, 0, "10+1 ?" },
		{ 1, IN_CHAIN, UINT32_MAX, "10+1 ?" },
		{ 1, N_FRAMES, 1, "10+1 ?" },
		{ 1, N_FRAMES, FRAMES_MAX, "10+1 ?" },
		{ 0, STEP, RECORDING_HEADER_BYTES, "?" },
		{ 1, STEP, BLOCK_HEADER_BYTES, "10+1 ?" },
		{ 0, STEP, RECORDING_HEADER_BYTES - 1, ALL },
		{ 1, STEP, BLOCK_HEADER_BYTES - 1, ALL },
		{ 1, IN_CHAIN, UINT64_C(1) << 32, ALL },
		{ 1, N_FRAMES, FRAMES_MAX + 1, ALL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_indexed();
		entries[cases[i].entry][cases[i].field] = cases[i].number;
		add_index(BLOCK_INDEX, 2, 0);
		ck_assert_msg(strcmp(story(), cases[i].story) == 0, "case %zu: %s", i, story());
	}
	for (unsigned beyond = 0; beyond < 2; beyond++) { /* the end of the blocks */
		begin_indexed();
		entries[1][STEP] = end - entries[0][STEP] + beyond;
		add_index(BLOCK_INDEX, 2, 0);
		ck_assert_str_eq(story(), beyond ? ALL : "10+1 ?");
	}
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
		begin_indexed();
		add_index(cases[i].kind, cases[i].n_claimed, cases[i].further);
		ck_assert_str_eq(story(), cases[i].story);
	}
}

static void write_to(int fd)
{
	ck_assert_int_eq(write(fd, made.bytes, made.length), (ssize_t)made.length);
	buffer_empty(&made);
}

/* A pipe that has brought the description. */
static void open_pipe(int fds[2])
{
	struct recording_input input = { .schemas = schemas, .n_schemas = 1 };

	begin();
	ck_assert_int_eq(pipe(fds), 0);
	write_to(fds[1]);
	input.fd = fds[0];
	ck_assert_int_eq(recording_open(&source, &input, &why), 0);
}

/* Behind each MiB of them, even if more is there. */
START_TEST(zeros_in_a_pipe_keep_nothing_else_waiting)
{
	enum { ZEROS = 32768 };

	for (unsigned less = 0; less < 2; less++) {
		int fds[2];

		open_pipe(fds);
		for (unsigned i = 0; i < 31; i++) {
			buffer_fill(&made, 0, ZEROS);
			write_to(fds[1]);
			ck_assert_int_eq(next(), -EAGAIN);
			ck_assert(pipe_is_empty(fds[0]));
		}
		buffer_fill(&made, 0, ZEROS - less);
		add(10, 1, 0, 0, NEW_ROW);
		write_to(fds[1]);
		ck_assert(less || next() == -EAGAIN);
		ck_assert(less || !pipe_is_empty(fds[0]));
		ck_assert_int_eq(next(), 1);
		ck_assert(frame.wall_ns == 10 && frame.n_notices == 0);
		close(fds[1]);
		stop_reading();
	}
}
