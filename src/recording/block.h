/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a recording: a file header, then blocks. A block is a header, a table of sections and the
 * sections, each compressed and checked by itself, so that one topic is read without the others.
 */
#ifndef PANETOP_RECORDING_BLOCK_H
#define PANETOP_RECORDING_BLOCK_H

#include <zstd.h>

#include "core/buffer.h"
#include "core/span.h"
#include "model/frame.h"

#define RECORDING_MAGIC "\x89ptop\r\n\x1a"
#define RECORDING_MAGIC_BYTES 8
#define BLOCK_SYNC "PBLK"
#define RECORDING_HEADER_BYTES 16
#define RECORDING_VERSION 1

#define BLOCK_HEADER_BYTES 52
#define INDEX_TAIL_BYTES 16
#define SECTION_ENTRY_BYTES 16

/* What a reader takes; a writer stays far below. */
#define BLOCK_BYTES_MAX ((uint32_t)256 << 20)
#define SECTION_BYTES_MAX ((uint32_t)128 << 20) /* inflated */
#define SECTIONS_MAX 4096

enum block_kind {
	BLOCK_DESCRIPTION = 1, /* of topics and columns; the first one of a recording */
	BLOCK_SAMPLES,
	BLOCK_INDEX, /* of all blocks before it */
};

/* Other section ids are indexes of topics. */
enum {
	SECTION_CLOCKS = 0xffff,
	SECTION_NOTICES = 0xfffe,
	SECTION_INDEX = 0xfffd,
	SECTION_ORIGIN = 0xfffc,
	SECTION_TOPICS = 0xfffb,
};

struct block_header {
	enum block_kind kind;
	unsigned n_sections;
	uint32_t length;   /* of what follows the header */
	uint32_t in_chain; /* 0: it can be read alone; else how many blocks before it are needed, too */
	uint32_t n_frames;
	uint64_t first_frame;    /* samples recorded before it */
	uint64_t min_ns, max_ns; /* of the clocks of its samples */
	uint32_t table_sum;
};

struct section {
	unsigned id;
	bool deflated;
	uint32_t stored, raw; /* bytes */
	uint32_t sum;
	size_t offset; /* of its bytes after the block's header */
};

uint32_t block_sum(const char *bytes, size_t length);

void recording_header_add(struct buffer *out);
/* 0; -EINVAL: not a recording; -EBADMSG: damaged; -EILSEQ: big-endian; -ENOTSUP: one of a newer version. */
int recording_header_check(const char bytes[RECORDING_HEADER_BYTES]);

bool block_header_parse(struct block_header *header, const char bytes[BLOCK_HEADER_BYTES]);

/* The sections that the table after the header lists; sections has room for header->n_sections. */
bool block_sections_parse(const struct block_header *header, struct span table, struct section *sections);

/* Writes the section's content, section->raw bytes. False: damaged. */
bool section_read(const struct section *section, struct span stored, ZSTD_DCtx *zstd, char *content);

/* The last bytes of a recording that was ended in order: where its index is. */
void index_tail_add(struct buffer *out, uint64_t offset);
bool index_tail_parse(const char bytes[INDEX_TAIL_BYTES], uint64_t *offset);

/* Collects sections, then adds the whole block to an output. Keeps its memory. */
struct block_builder {
	ZSTD_CCtx *zstd;
	struct buffer table, bytes;
	unsigned n_sections;
};

void block_builder_open(struct block_builder *builder);
void block_builder_close(struct block_builder *builder);
void block_add_section(struct block_builder *builder, unsigned id, const struct buffer *raw);
/* tail is added behind the last section. Fills in length, n_sections and table_sum. */
void block_finish(struct block_builder *builder, struct block_header *header, const struct buffer *tail,
		  struct buffer *out);

/* What a recording says about its topics and columns, and which of them this version has. */
#define DESCRIPTION_BYTES_MAX ((size_t)4 << 20)

struct described_topic {
	struct span name; /* in the bytes that were parsed */
	int table;        /* index of its schema, or -1 */
	enum value_type *types;
	const struct column **columns; /* NULL: unknown here */
	unsigned n_columns;
};

struct description {
	struct described_topic *topics;
	unsigned n_topics, n_tables;
};

void description_add(struct buffer *out, const struct frame *frame);

/* False: damaged, or with a topic twice. description_free() gives all back in either case. */
bool description_parse(struct description *description, struct span in, const struct schema *const *schemas,
		       unsigned n_schemas);
void description_free(struct description *description);

/* Recordings that were begun, and no more. */

/* Is the file the beginning of a recording without one whole sample? False: no, or it is something else. */
bool recording_is_empty(int fd);

#endif
