/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks and their sections as bytes, and topics by name: other versions may have other ones. */
#include <config.h>

#include "recording/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/hash.h"
#include "core/vector.h"

#define TAIL UINT32_C(0x58444950) /* "PIDX" */
#define LEVEL 3
#define WINDOW_LOG 18 /* of bytes: it takes about five times as much memory */
#define DEFLATED 1

uint32_t block_sum(const char *bytes, size_t length)
{
	return hash_fold(hash_bytes(HASH_SEED, span_of(bytes, length)));
}

void recording_header_add(struct buffer *out)
{
	char bytes[RECORDING_HEADER_BYTES] = RECORDING_MAGIC;

	store_number(bytes + 8, RECORDING_VERSION, 4);
	store_number(bytes + 12, block_sum(bytes, 12), 4);
	buffer_add(out, bytes, sizeof(bytes));
}

int recording_header_check(const char bytes[RECORDING_HEADER_BYTES])
{
	uint32_t sum = block_sum(bytes, 12);

	if (memcmp(bytes, RECORDING_MAGIC, RECORDING_MAGIC_BYTES) != 0)
		return -EINVAL;
	if (load_number(bytes + 12, 4) != sum)
		return __builtin_bswap32((uint32_t)load_number(bytes + 12, 4)) == sum ? -EILSEQ : -EBADMSG;
	return load_number(bytes + 8, 4) > RECORDING_VERSION ? -ENOTSUP : 0;
}

static void header_store(const struct block_header *header, char bytes[BLOCK_HEADER_BYTES])
{
	memcpy(bytes, BLOCK_SYNC, 4);
	store_number(bytes + 4, (uint64_t)header->kind, 2);
	store_number(bytes + 6, header->n_sections, 2);
	store_number(bytes + 8, header->length, 4);
	store_number(bytes + 12, header->in_chain, 4);
	store_number(bytes + 16, header->n_frames, 4);
	store_number(bytes + 20, header->first_frame, 8);
	store_number(bytes + 28, header->min_ns, 8);
	store_number(bytes + 36, header->max_ns, 8);
	store_number(bytes + 44, header->table_sum, 4);
	store_number(bytes + 48, block_sum(bytes, 48), 4);
}

bool block_header_parse(struct block_header *header, const char bytes[BLOCK_HEADER_BYTES])
{
	if (memcmp(bytes, BLOCK_SYNC, 4) != 0 || load_number(bytes + 48, 4) != block_sum(bytes, 48))
		return false;
	*header = (struct block_header){
		.kind = (enum block_kind)load_number(bytes + 4, 2),
		.n_sections = (unsigned)load_number(bytes + 6, 2),
		.length = (uint32_t)load_number(bytes + 8, 4),
		.in_chain = (uint32_t)load_number(bytes + 12, 4),
		.n_frames = (uint32_t)load_number(bytes + 16, 4),
		.first_frame = load_number(bytes + 20, 8),
		.min_ns = load_number(bytes + 28, 8),
		.max_ns = load_number(bytes + 36, 8),
		.table_sum = (uint32_t)load_number(bytes + 44, 4),
	};
	return header->n_sections <= SECTIONS_MAX && header->length <= BLOCK_BYTES_MAX &&
	       header->length >= header->n_sections * SECTION_ENTRY_BYTES;
}

bool block_sections_parse(const struct block_header *header, struct span table, struct section *sections)
{
	size_t bytes = (size_t)header->n_sections * SECTION_ENTRY_BYTES, offset = bytes;

	if (span_length(table) < bytes || block_sum(table.at, bytes) != header->table_sum)
		return false;
	for (unsigned i = 0; i < header->n_sections; i++) {
		const char *entry = table.at + (size_t)i * SECTION_ENTRY_BYTES;

		sections[i] = (struct section){
			.id = (unsigned)load_number(entry, 2),
			.deflated = load_number(entry + 2, 2) == DEFLATED,
			.stored = (uint32_t)load_number(entry + 4, 4),
			.raw = (uint32_t)load_number(entry + 8, 4),
			.sum = (uint32_t)load_number(entry + 12, 4),
			.offset = offset,
		};
		if (sections[i].stored > header->length - offset || sections[i].raw > SECTION_BYTES_MAX)
			return false;
		offset += sections[i].stored;
	}
	return true;
}

bool section_read(const struct section *section, struct span stored, ZSTD_DCtx *zstd, char *content)
{
	if (span_length(stored) != section->stored || block_sum(stored.at, section->stored) != section->sum)
		return false;
	if (section->deflated)
		return ZSTD_decompressDCtx(zstd, content, section->raw, stored.at, section->stored) ==
		       section->raw;
	if (section->raw != section->stored)
		return false;
	memcpy(content, stored.at, section->raw);
	return true;
}

void index_tail_add(struct buffer *out, uint64_t offset)
{
	char bytes[INDEX_TAIL_BYTES];

	store_number(bytes, offset, 8);
	store_number(bytes + 8, TAIL, 4);
	store_number(bytes + 12, block_sum(bytes, 12), 4);
	buffer_add(out, bytes, sizeof(bytes));
}

bool index_tail_parse(const char bytes[INDEX_TAIL_BYTES], uint64_t *offset)
{
	*offset = load_number(bytes, 8);
	return load_number(bytes + 8, 4) == TAIL && load_number(bytes + 12, 4) == block_sum(bytes, 12);
}

void block_builder_open(struct block_builder *builder)
{
	*builder = (struct block_builder){ .zstd = ZSTD_createCCtx() };
	ZSTD_CCtx_setParameter(builder->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(builder->zstd, ZSTD_c_windowLog, WINDOW_LOG);
	ZSTD_CCtx_setParameter(builder->zstd, ZSTD_c_contentSizeFlag, 0);
}

void block_builder_close(struct block_builder *builder)
{
	ZSTD_freeCCtx(builder->zstd);
	buffer_free(&builder->table);
	buffer_free(&builder->bytes);
}

/*
 * As a stream of unknown length: otherwise zstd allocates other memory for lengths of other magnitudes. 0:
 * it does not fit.
 */
static size_t deflate(ZSTD_CCtx *zstd, const struct buffer *raw, char *bytes, size_t room)
{
	ZSTD_inBuffer in = { raw->bytes, raw->length, 0 };
	ZSTD_outBuffer out = { bytes, room, 0 };
	size_t left = 0;

	while (in.pos < in.size && !ZSTD_isError(left) && out.pos < out.size)
		left = ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_continue);
	if (!ZSTD_isError(left))
		left = ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end);
	if (left == 0)
		return out.pos;
	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
	return 0;
}

void block_add_section(struct block_builder *builder, unsigned id, const struct buffer *raw)
{
	struct buffer *bytes = &builder->bytes;
	size_t before = bytes->length, room = ZSTD_compressBound(raw->length), stored;
	char entry[SECTION_ENTRY_BYTES] = { 0 };

	VECTOR_RESERVE(bytes->bytes, before + room, bytes->capacity);
	stored = deflate(builder->zstd, raw, bytes->bytes + before, room);
	if (stored == 0 || stored >= raw->length) {
		buffer_add(bytes, raw->bytes, raw->length);
		stored = raw->length;
	} else {
		bytes->length += stored;
		store_number(entry + 2, DEFLATED, 2);
	}
	store_number(entry, id, 2);
	store_number(entry + 4, stored, 4);
	store_number(entry + 8, raw->length, 4);
	store_number(entry + 12, block_sum(bytes->bytes + before, stored), 4);
	buffer_add(&builder->table, entry, sizeof(entry));
	builder->n_sections++;
}

void block_finish(struct block_builder *builder, struct block_header *header, const struct buffer *tail,
		  struct buffer *out)
{
	char bytes[BLOCK_HEADER_BYTES];

	header->n_sections = builder->n_sections;
	header->length =
		(uint32_t)(builder->table.length + builder->bytes.length + (tail ? tail->length : 0));
	header->table_sum = block_sum(builder->table.bytes, builder->table.length);
	header_store(header, bytes);
	buffer_add(out, bytes, sizeof(bytes));
	buffer_add(out, builder->table.bytes, builder->table.length);
	buffer_add(out, builder->bytes.bytes, builder->bytes.length);
	if (tail)
		buffer_add(out, tail->bytes, tail->length);
	buffer_empty(&builder->table);
	buffer_empty(&builder->bytes);
	builder->n_sections = 0;
}

#define TOPICS_MAX 4096
#define COLUMNS_MAX 4096

static void add_topic(struct buffer *out, const struct schema *schema)
{
	unsigned n_columns = 0;

	for (unsigned i = 0; i < schema->n_columns; i++)
		n_columns += schema->columns[i].kind != COLUMN_RATE;
	put_name(out, schema->name);
	put_name(out, shape_name(schema->shape));
	put_varint(out, n_columns);
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			continue;
		put_name(out, column->key);
		put_name(out, type_name(column->type));
		put_name(out, kind_name(column->kind));
		put_name(out, unit_name(column->unit));
	}
}

void description_add(struct buffer *out, const struct frame *frame)
{
	put_varint(out, frame->n_tables);
	for (unsigned i = 0; i < frame->n_tables; i++)
		add_topic(out, frame->tables[i].schema);
}

static bool take_type(struct span *in, enum value_type *type)
{
	struct span name;

	if (!take_bytes(in, &name))
		return false;
	for (*type = VALUE_U64; *type <= VALUE_TEXT; (*type)++)
		if (span_is(name, type_name(*type)))
			return true;
	return false;
}

static bool take_topic(struct described_topic *topic, struct span *in, const struct schema *const *schemas,
		       unsigned n_schemas)
{
	struct span shape, key, kind, unit;
	uint64_t n_columns;

	topic->table = -1;
	if (!take_bytes(in, &topic->name) || !take_bytes(in, &shape) || !take_varint(in, &n_columns) ||
	    n_columns == 0 || n_columns > COLUMNS_MAX)
		return false;
	for (unsigned i = 0; i < n_schemas; i++)
		if (span_is(topic->name, schemas[i]->name))
			topic->table = (int)i;
	topic->n_columns = (unsigned)n_columns;
	topic->types = alloc_zeroed(n_columns + 1, sizeof(*topic->types));
	topic->columns = alloc_zeroed(n_columns + 1, sizeof(*topic->columns));
	for (unsigned i = 0; i < n_columns; i++) {
		int column;

		if (!take_bytes(in, &key) || !take_type(in, &topic->types[i]) || !take_bytes(in, &kind) ||
		    !take_bytes(in, &unit))
			return false;
		column = topic->table >= 0 ? schema_column_span(schemas[topic->table], key) : -1;
		if (column >= 0 && schemas[topic->table]->columns[column].kind != COLUMN_RATE)
			topic->columns[i] = &schemas[topic->table]->columns[column];
	}
	return true;
}

static bool has_topic_twice(const struct description *description)
{
	const struct described_topic *topics = description->topics;
	struct hash names = { 0 };
	uint32_t same = HASH_NONE;

	for (unsigned i = 0; i < description->n_topics && same == HASH_NONE; i++) {
		uint64_t hash = hash_bytes(HASH_SEED, topics[i].name);

		HASH_FIND(same, &names, hash, span_same(topics[same].name, topics[i].name));
		hash_add(&names, hash, i);
	}
	hash_free(&names);
	return same != HASH_NONE;
}

bool description_parse(struct description *description, struct span in, const struct schema *const *schemas,
		       unsigned n_schemas)
{
	uint64_t n_topics;

	*description = (struct description){ .n_tables = n_schemas };
	if (!take_varint(&in, &n_topics) || n_topics > TOPICS_MAX)
		return false;
	description->topics = alloc_zeroed(n_topics + 1, sizeof(*description->topics));
	for (; description->n_topics < n_topics; description->n_topics++)
		if (!take_topic(&description->topics[description->n_topics], &in, schemas, n_schemas)) {
			description->n_topics++; /* what it has so far is given back */
			return false;
		}
	return !has_topic_twice(description);
}

void description_free(struct description *description)
{
	for (unsigned i = 0; i < description->n_topics; i++) {
		free(description->topics[i].types);
		free(description->topics[i].columns);
	}
	free(description->topics);
}

/* A torn block has no length; anything else has no kind. */
static struct block_header block_at(int fd, uint64_t offset, uint64_t size)
{
	struct block_header header = { 0 };
	char bytes[BLOCK_HEADER_BYTES];

	if (offset + sizeof(bytes) > size || pread(fd, bytes, sizeof(bytes), (off_t)offset) != sizeof(bytes))
		return (struct block_header){ .kind = BLOCK_DESCRIPTION };
	if (!block_header_parse(&header, bytes))
		return (struct block_header){ 0 };
	if (offset + sizeof(bytes) + header.length > size)
		return (struct block_header){ .kind = BLOCK_DESCRIPTION };
	return header;
}

bool recording_is_empty(int fd)
{
	char bytes[RECORDING_HEADER_BYTES];
	ssize_t got = pread(fd, bytes, sizeof(bytes), 0);
	struct block_header description, samples;
	struct stat status;
	uint64_t size;

	if (got < 0 || fstat(fd, &status) < 0)
		return false;
	if (got < RECORDING_HEADER_BYTES)
		return memcmp(bytes, RECORDING_MAGIC,
			      got < RECORDING_MAGIC_BYTES ? (size_t)got : RECORDING_MAGIC_BYTES) == 0;
	if (recording_header_check(bytes) != 0)
		return false;
	size = (uint64_t)status.st_size;
	description = block_at(fd, RECORDING_HEADER_BYTES, size);
	if (description.kind != BLOCK_DESCRIPTION || description.length == 0)
		return description.kind == BLOCK_DESCRIPTION;
	samples = block_at(fd, RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES + description.length, size);
	return samples.kind == BLOCK_DESCRIPTION || samples.kind == BLOCK_INDEX;
}
