/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bombs DIRECTORY: writes recordings of few bytes that ask for much memory or time, a file each.
 * bombs --corpus DIRECTORY: the same, small, as inputs of the fuzz target "recording".
 */
#include <config.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bytes.h"
#include "model/frame.h"
#include "recording/block.h"
#include "topic/topic.h"

#define FILE_BYTES ((size_t)1 << 20) /* every bomb is smaller */
#define CORPUS_BYTES 65535           /* of a section in the corpus */
#define FRAMES_MAX (1 << 12)         /* of a block that the reader takes */

enum { SAMPLED = 1 };
enum { OP_RUN, OP_NEW = 2, OP_MOVE };

/* A recording in the making. */
struct bomb {
	bool corpus;
	struct buffer out;
	struct block_builder builder;
	struct block_header header;
	struct buffer sections; /* of the corpus */
};

static const struct schema *const *schemas;

/* Numbers of a whole bomb, or of one for the corpus. */
static size_t many(const struct bomb *bomb, size_t whole, size_t small)
{
	return bomb->corpus ? small : whole;
}

static void begin_block(struct bomb *bomb, enum block_kind kind, uint32_t in_chain, uint32_t n_frames)
{
	uint64_t first_frame = bomb->header.first_frame + bomb->header.n_frames;

	bomb->header = (struct block_header){ .kind = kind,
					      .in_chain = in_chain,
					      .n_frames = n_frames,
					      .first_frame = first_frame,
					      .min_ns = 1 + first_frame,
					      .max_ns = 1 + first_frame + n_frames };
}

static void add_section(struct bomb *bomb, unsigned id, const struct buffer *content)
{
	size_t length = content->length < CORPUS_BYTES ? content->length : CORPUS_BYTES;

	bomb->builder.n_sections += bomb->corpus;
	if (!bomb->corpus) {
		block_add_section(&bomb->builder, id, content);
		return;
	}
	buffer_char(&bomb->sections, (char)id);
	buffer_char(&bomb->sections, (char)length);
	buffer_char(&bomb->sections, (char)(length >> 8));
	buffer_add(&bomb->sections, content->bytes, length);
}

static void end_block(struct bomb *bomb)
{
	if (!bomb->corpus) {
		block_finish(&bomb->builder, &bomb->header, NULL, &bomb->out);
		return;
	}
	buffer_char(&bomb->out, (char)bomb->header.kind);
	buffer_char(&bomb->out, (char)bomb->header.in_chain);
	buffer_char(&bomb->out, (char)bomb->header.n_frames);
	buffer_char(&bomb->out, (char)bomb->builder.n_sections);
	buffer_add(&bomb->out, bomb->sections.bytes, bomb->sections.length);
	buffer_empty(&bomb->sections);
	bomb->builder.n_sections = 0;
}

/* A topic with one column. */
static void put_topic(struct buffer *out, const char *name, const char *key, const char *type)
{
	put_name(out, name);
	put_name(out, "table");
	put_varint(out, 1);
	put_name(out, key);
	put_name(out, type);
	put_name(out, "gauge");
	put_name(out, "none");
}

static void describe(struct bomb *bomb, struct buffer *described)
{
	begin_block(bomb, BLOCK_DESCRIPTION, 0, 0);
	add_section(bomb, SECTION_TOPICS, described);
	end_block(bomb);
	buffer_free(described);
}

/* So many topics of this version, each with one number that it does not know. */
static void describe_narrow(struct bomb *bomb, unsigned n_described)
{
	struct buffer described = { 0 };

	put_varint(&described, n_described);
	for (unsigned i = 0; i < n_described; i++)
		put_topic(&described, schemas[i]->name, "x", "u64");
	describe(bomb, &described);
}

static void add_clocks(struct bomb *bomb)
{
	struct buffer clocks = { 0 };

	for (uint32_t i = 0; i < bomb->header.n_frames; i++)
		for (int k = 0; k < 2; k++)
			put_varint(&clocks, i == 0 ? 2 : 0);
	add_section(bomb, SECTION_CLOCKS, &clocks);
	buffer_free(&clocks);
}

static void put_sample(struct buffer *rows, size_t n_rows)
{
	put_varint(rows, SAMPLED);
	put_varint(rows, 0);
	put_varint(rows, n_rows);
}

/* A sample of new rows, without a number that differs. */
static void put_new_rows(struct buffer *rows, size_t n_rows)
{
	put_sample(rows, n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		put_varint(rows, OP_NEW);
		put_varint(rows, 0);
	}
}

/* A sample that copies the rows before this often. */
static void put_copies(struct buffer *rows, size_t n_before, size_t n_copies)
{
	put_sample(rows, n_before * n_copies);
	for (size_t i = 0; i < n_copies; i++) {
		if (i > 0)
			put_varint(rows, zigzag(-(uint64_t)n_before) << 2 | OP_MOVE);
		put_varint(rows, ((n_before - 1) << 2) + OP_RUN);
	}
}

/* Samples with thousands of rows in every topic, so that what is allowed is used up. */
static void make_rows(struct bomb *bomb)
{
	unsigned n_described = (unsigned)many(bomb, n_topics, 2);
	size_t n_rows = many(bomb, 1024, 64), n_copies = many(bomb, 8, 4);
	struct buffer rows = { 0 };

	describe_narrow(bomb, n_described);
	begin_block(bomb, BLOCK_SAMPLES, 0, 4);
	add_clocks(bomb);
	put_new_rows(&rows, n_rows);
	for (int i = 1; i < 4; i++)
		put_copies(&rows, n_rows, n_copies);
	for (unsigned i = 0; i < n_described; i++)
		add_section(bomb, i, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* A new row: every number is large, and every text is the same. */
static void put_full_row(struct buffer *rows, const struct schema *schema, uint64_t number, bool *texted)
{
	unsigned n_columns = 0, c = 0;

	for (unsigned i = 0; i < schema->n_columns; i++)
		n_columns += schema->columns[i].kind != COLUMN_RATE;
	put_varint(rows, OP_NEW);
	for (; c + 8 <= n_columns; c += 8)
		buffer_char(rows, (char)0xff);
	if (c < n_columns)
		buffer_char(rows, (char)((1 << (n_columns - c)) - 1));
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			continue;
		if (column->type == VALUE_F64)
			buffer_char(rows, 0); /* a decimal */
		if (column->type != VALUE_TEXT) {
			put_varint(rows, zigzag(number));
			continue;
		}
		put_varint(rows, 1);
		if (!*texted)
			put_name(rows, "x");
		*texted = true;
	}
}

/* Hundreds of rows in every topic, with all columns known: whatever compares rows with rows takes long. */
static void make_known(struct bomb *bomb)
{
	struct buffer described = { 0 };
	struct frame frame;

	frame_open(&frame, schemas, n_topics);
	description_add(&described, &frame);
	frame_close(&frame);
	describe(bomb, &described);
	begin_block(bomb, BLOCK_SAMPLES, 0, 4);
	add_clocks(bomb);
	for (unsigned t = 0; t < many(bomb, n_topics, 4); t++) {
		struct buffer rows = { 0 };
		bool texted = false;

		for (uint64_t sample = 0; sample < 4; sample++) {
			put_sample(&rows, many(bomb, 800, 5));
			for (uint64_t i = 0; i < many(bomb, 800, 5); i++)
				put_full_row(&rows, schemas[t], i == 0 ? UINT64_C(1000000) << sample : 1,
					     &texted);
		}
		add_section(bomb, t, &rows);
		buffer_free(&rows);
	}
	end_block(bomb);
}

/* Millions of rows in one topic. */
static void make_many_rows(struct bomb *bomb)
{
	size_t n_rows = many(bomb, 4096, 64);
	struct buffer rows = { 0 };

	describe_narrow(bomb, 1);
	begin_block(bomb, BLOCK_SAMPLES, 0, 2);
	add_clocks(bomb);
	put_new_rows(&rows, n_rows);
	put_copies(&rows, n_rows, n_rows / 2);
	add_section(bomb, 0, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* Thousands of rows with one key, then as many with another: none of them has a row before it. */
static void make_keys(struct bomb *bomb)
{
	static const char *const names[] = { "process", "thread", "map" };
	size_t n_rows = many(bomb, 30000, 100);
	struct buffer described = { 0 }, rows = { 0 };

	put_varint(&described, 3);
	for (unsigned i = 0; i < 3; i++)
		put_topic(&described, names[i], "pid", "u64");
	describe(bomb, &described);
	begin_block(bomb, BLOCK_SAMPLES, 0, 20);
	add_clocks(bomb);
	for (uint64_t sample = 1; sample <= 20; sample++) {
		put_sample(&rows, n_rows);
		for (size_t i = 0; i < n_rows; i++) {
			put_varint(&rows, OP_NEW);
			buffer_char(&rows, i == 0);
			if (i == 0)
				put_varint(&rows, zigzag(sample));
		}
	}
	for (unsigned i = 0; i < 3; i++)
		add_section(bomb, i, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* The same topic is described, and sampled, over and over. */
static void make_twice(struct bomb *bomb)
{
	unsigned n_described = (unsigned)many(bomb, 4000, 40);
	struct buffer described = { 0 }, rows = { 0 };

	put_varint(&described, n_described);
	for (unsigned i = 0; i < n_described; i++)
		put_topic(&described, "process", "pid", "u64");
	describe(bomb, &described);
	begin_block(bomb, BLOCK_SAMPLES, 0, 1);
	add_clocks(bomb);
	put_new_rows(&rows, many(bomb, 20000, 100));
	for (unsigned i = 0; i < n_described && i < 0xf8; i++)
		add_section(bomb, i, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* Sections that inflate to 100 MiB each. */
static void make_inflated(struct bomb *bomb)
{
	struct buffer rows = { 0 };

	describe_narrow(bomb, n_topics);
	begin_block(bomb, BLOCK_SAMPLES, 0, 1);
	add_clocks(bomb);
	buffer_fill(&rows, 0, many(bomb, (size_t)100 << 20, 1000));
	for (unsigned i = 0; i < many(bomb, 20, 4); i++)
		add_section(bomb, i, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* Blocks of which each has many rows of one topic, and the next one of another. */
static void make_in_turn(struct bomb *bomb)
{
	size_t n_rows = many(bomb, 2048, 32);

	describe_narrow(bomb, n_topics);
	for (unsigned i = 0; i < n_topics; i++) {
		struct buffer rows = { 0 };

		begin_block(bomb, BLOCK_SAMPLES, 0, 3);
		add_clocks(bomb);
		put_new_rows(&rows, n_rows);
		put_copies(&rows, n_rows, many(bomb, 100, 4));
		put_new_rows(&rows, 0);
		add_section(bomb, i, &rows);
		end_block(bomb);
		buffer_free(&rows);
	}
}

/* Texts, all different: in the rows of many topics, or with the notices. */
static void make_texts(struct bomb *bomb)
{
	unsigned n_described = (unsigned)many(bomb, 4, 2);
	size_t n_texts = many(bomb, 64, 4), length = many(bomb, (size_t)1 << 20, 200);
	struct buffer described = { 0 }, rows = { 0 }, text = { 0 };

	put_varint(&described, n_described);
	for (unsigned i = 0; i < n_described; i++)
		put_topic(&described, schemas[i]->name, "name", "text");
	describe(bomb, &described);
	begin_block(bomb, BLOCK_SAMPLES, 0, 1);
	add_clocks(bomb);
	buffer_fill(&text, '\1', length);
	put_sample(&rows, n_texts);
	for (size_t i = 0; i < n_texts; i++) {
		put_varint(&rows, OP_NEW);
		buffer_char(&rows, 1);
		put_varint(&rows, i + 1);
		put_bytes(&rows, text.bytes, length);
	}
	for (unsigned i = 0; i < n_described; i++)
		add_section(bomb, i, &rows);
	end_block(bomb);
	buffer_free(&rows);
	buffer_free(&text);
}

/* Millions of empty texts, and of notices. */
static void make_notices(struct bomb *bomb)
{
	size_t n_notices = many(bomb, (size_t)20 << 20, 2000);
	struct buffer notices = { 0 };

	describe_narrow(bomb, 1);
	begin_block(bomb, BLOCK_SAMPLES, 0, 1);
	add_clocks(bomb);
	put_varint(&notices, n_notices + 1);
	buffer_fill(&notices, 0, 3 * n_notices + 1);
	add_section(bomb, SECTION_NOTICES, &notices);
	end_block(bomb);
	buffer_free(&notices);
}

/* A block of the most samples, of many rows: decoding the last one takes seconds. */
static void make_samples(struct bomb *bomb)
{
	uint32_t n_frames = (uint32_t)many(bomb, FRAMES_MAX, 100);
	size_t n_rows = many(bomb, 1024, 16), n_copies = many(bomb, 64, 4);
	struct buffer rows = { 0 };

	describe_narrow(bomb, 1);
	begin_block(bomb, BLOCK_SAMPLES, 0, n_frames);
	add_clocks(bomb);
	put_new_rows(&rows, n_rows);
	put_copies(&rows, n_rows, n_copies);
	for (uint32_t i = 2; i < n_frames; i++)
		put_copies(&rows, n_rows * n_copies, 1);
	add_section(bomb, 0, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* A block that moves back and forth, and adds no row. */
static void make_moves(struct bomb *bomb)
{
	struct buffer rows = { 0 };

	describe_narrow(bomb, 1);
	begin_block(bomb, BLOCK_SAMPLES, 0, 1);
	add_clocks(bomb);
	put_sample(&rows, 1);
	buffer_fill(&rows, OP_MOVE, many(bomb, (size_t)100 << 20, 10000));
	put_varint(&rows, OP_NEW);
	put_varint(&rows, 0);
	add_section(bomb, 0, &rows);
	end_block(bomb);
	buffer_free(&rows);
}

/* A topic of a million columns, and a description of nothing but names. */
static void make_columns(struct bomb *bomb)
{
	struct buffer described = { 0 };

	put_varint(&described, many(bomb, 4000, 4));
	for (unsigned i = 0; i < many(bomb, 4000, 4); i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%u", i);
		put_name(&described, name);
		put_name(&described, "table");
		put_varint(&described, many(bomb, 4000, 100));
		for (unsigned c = 0; c < many(bomb, 4000, 100); c++) {
			put_name(&described, "");
			put_name(&described, "u64");
			put_name(&described, "");
			put_name(&described, "");
		}
	}
	describe(bomb, &described);
}

/* Descriptions behind each other, each of which must be compared with the first one. */
static void make_descriptions(struct bomb *bomb)
{
	for (size_t i = 0; i < many(bomb, 3000, 10); i++)
		describe_narrow(bomb, 10);
}

/* An index of millions of blocks, of which there is none. */
static void make_index(struct bomb *bomb)
{
	size_t n_blocks = many(bomb, (size_t)20 << 20, 1000);
	uint64_t offset;
	struct buffer index = { 0 };

	describe_narrow(bomb, 1);
	offset = bomb->out.length;
	put_varint(&index, n_blocks);
	buffer_fill(&index, 0, 6 * n_blocks);
	begin_block(bomb, BLOCK_INDEX, 0, 0);
	add_section(bomb, SECTION_INDEX, &index);
	if (bomb->corpus) {
		end_block(bomb);
	} else {
		struct buffer tail = { 0 };

		index_tail_add(&tail, offset);
		block_finish(&bomb->builder, &bomb->header, &tail, &bomb->out);
		buffer_free(&tail);
	}
	buffer_free(&index);
}

/* Bytes that begin like blocks, everywhere. */
static void make_sync(struct bomb *bomb)
{
	describe_narrow(bomb, 1);
	for (size_t i = 0; i < many(bomb, FILE_BYTES / 4 - 100, 0); i++)
		buffer_text(&bomb->out, BLOCK_SYNC);
}

static const struct {
	const char *name;
	void (*make)(struct bomb *bomb);
	bool padded; /* with zeros, since a larger recording may take more memory */
} bombs[] = {
	{ "rows", make_rows, true },
	{ "known", make_known, true },
	{ "many-rows", make_many_rows, true },
	{ "keys", make_keys, true },
	{ "twice", make_twice },
	{ "inflated", make_inflated, true },
	{ "in-turn", make_in_turn, true },
	{ "texts", make_texts, true },
	{ "notices", make_notices },
	{ "samples", make_samples, true },
	{ "moves", make_moves },
	{ "columns", make_columns },
	{ "descriptions", make_descriptions },
	{ "index", make_index },
	{ "sync", make_sync },
};

static void write_file(const char *directory, const char *prefix, const char *name,
		       const struct buffer *bytes)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s%s", directory, prefix, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, bytes->bytes, bytes->length) != (ssize_t)bytes->length || close(fd) < 0 ||
	    bytes->length >= FILE_BYTES) {
		fprintf(stderr, "bombs: %s: %zu bytes cannot be written, or are too many\n", path,
			bytes->length);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	bool corpus = argc == 3 && strcmp(argv[1], "--corpus") == 0;

	if (argc != 2 + corpus) {
		fprintf(stderr, "usage: bombs [--corpus] DIRECTORY\n");
		return 2;
	}
	schemas = topic_schemas();
	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		struct bomb bomb = { .corpus = corpus };

		block_builder_open(&bomb.builder);
		if (!corpus)
			recording_header_add(&bomb.out);
		bombs[i].make(&bomb);
		if (!corpus && bombs[i].padded)
			buffer_fill(&bomb.out, 0, FILE_BYTES - 1 - bomb.out.length);
		write_file(argv[argc - 1], corpus ? "bomb-" : "", bombs[i].name, &bomb.out);
		block_builder_close(&bomb.builder);
		buffer_free(&bomb.out);
		buffer_free(&bomb.sections);
	}
	return 0;
}
