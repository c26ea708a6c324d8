/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames to blocks: chains of them begin with a block that can be read alone. */
#include <config.h>

#include "recording/writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "model/finding.h"
#include "recording/block.h"
#include "recording/row_coding.h"

#define SECOND_NS UINT64_C(1000000000)

/* What a killed writer loses at most, and how much is held in memory. */
#define BLOCK_FRAMES 32
#define BLOCK_NS (20 * SECOND_NS)
#define BLOCK_BYTES ((size_t)512 << 10)

/* A seek decodes half a chain, and its first block costs most of the bytes. */
#define CHAIN_FRAMES 512
#define CHAIN_NS (3600 * SECOND_NS)
#define CHAIN_BYTES ((size_t)32 << 20) /* before compression */
#define CHAIN_TEXT_BYTES ((size_t)8 << 20)

#define KEPT_CHAINS 10 /* about as many remain where the oldest ones are dropped */

#define PLACES_FIRST ((size_t)256)
#define PLACES_MAX ((size_t)1 << 20) /* in the index; without one, a reader looks at all block headers */

struct place {
	uint64_t offset;
	uint64_t mono_ns; /* of its last frame */
	struct block_header header;
};

struct topic_stream {
	struct row_encoder rows;
	struct buffer raw; /* of the block that is being filled; empty: its table was not sampled yet */
};

struct recording_writer {
	struct topic_stream *topics;
	unsigned n_topics;
	struct buffer clocks, notices, index;
	struct intern texts; /* of notices and host names */
	size_t n_told;
	struct buffer last_notices, these_notices;
	uint64_t wall_ns, mono_ns, wall_step_ns, mono_step_ns; /* of the last frame in the block */
	struct block_header block;                             /* the one that is being filled */
	uint64_t block_mono_ns;                                /* of its first frame */
	size_t chain_frames, chain_bytes;
	uint64_t chain_mono_ns, chain_offset;
	uint64_t offset; /* bytes given out */
	struct place *places;
	size_t n_places, capacity;
	uint64_t most_bytes, most_ns; /* to keep; 0: all */
	bool eager, unindexed, has_findings;
	struct block_builder builder;
};

struct recording_writer *recording_writer_open(const struct frame *frame, bool eager)
{
	struct recording_writer *writer = alloc_zeroed(1, sizeof(*writer));

	writer->n_topics = frame->n_tables;
	writer->eager = eager;
	writer->topics = alloc_zeroed(writer->n_topics, sizeof(*writer->topics));
	for (unsigned i = 0; i < writer->n_topics; i++)
		row_encoder_open(&writer->topics[i].rows, frame->tables[i].schema);
	VECTOR_RESERVE(writer->places, PLACES_FIRST, writer->capacity);
	block_builder_open(&writer->builder);
	return writer;
}

void recording_writer_add_findings(struct recording_writer *writer)
{
	writer->has_findings = true;
}

void recording_writer_close(struct recording_writer *writer)
{
	if (!writer)
		return;
	for (unsigned i = 0; i < writer->n_topics; i++) {
		row_encoder_close(&writer->topics[i].rows);
		buffer_free(&writer->topics[i].raw);
	}
	free(writer->topics);
	buffer_free(&writer->clocks);
	buffer_free(&writer->notices);
	buffer_free(&writer->index);
	buffer_free(&writer->last_notices);
	buffer_free(&writer->these_notices);
	intern_free(&writer->texts);
	free(writer->places);
	block_builder_close(&writer->builder);
	free(writer);
}

size_t recording_writer_frames(const struct recording_writer *writer)
{
	return writer->block.first_frame;
}

/* The topics alone are compared where one recording follows another one. */
static void describe(struct recording_writer *writer, const struct frame *frame, struct buffer *out)
{
	struct block_header header = { .kind = BLOCK_DESCRIPTION };
	struct buffer raw = { 0 };

	recording_header_add(out);
	description_add(&raw, frame);
	block_add_section(&writer->builder, SECTION_TOPICS, &raw);
	buffer_empty(&raw);
	put_name(&raw, PACKAGE_VERSION);
	put_name(&raw, frame->host ? frame->host : "");
	put_varint(&raw, frame->wall_ns);
	block_add_section(&writer->builder, SECTION_ORIGIN, &raw);
	block_finish(&writer->builder, &header, NULL, out);
	buffer_free(&raw);
}

static void restart_chain(struct recording_writer *writer, const struct frame *frame)
{
	for (unsigned i = 0; i < writer->n_topics; i++)
		row_encoder_restart(&writer->topics[i].rows);
	intern_clear(&writer->texts);
	writer->n_told = 0;
	buffer_empty(&writer->last_notices);
	writer->block.in_chain = 0;
	writer->chain_frames = writer->chain_bytes = 0;
	writer->chain_mono_ns = frame->mono_ns;
	writer->chain_offset = writer->offset;
}

static size_t text_bytes(const struct recording_writer *writer)
{
	size_t bytes = writer->texts.n_bytes;

	for (unsigned i = 0; i < writer->n_topics; i++)
		bytes += row_encoder_text_bytes(&writer->topics[i].rows);
	return bytes;
}

/* Where oldest chains go, they are short enough. */
static bool ends_chain(const struct recording_writer *writer, const struct frame *frame)
{
	uint64_t age_ns = frame->mono_ns - writer->chain_mono_ns;

	if (writer->most_bytes > 0 &&
	    writer->offset - writer->chain_offset >= writer->most_bytes / KEPT_CHAINS)
		return true;
	if (writer->most_ns > 0 && age_ns >= writer->most_ns / KEPT_CHAINS)
		return true;
	return writer->chain_frames >= CHAIN_FRAMES || writer->chain_bytes >= CHAIN_BYTES ||
	       age_ns >= CHAIN_NS || text_bytes(writer) >= CHAIN_TEXT_BYTES;
}

static void begin_block(struct recording_writer *writer, const struct frame *frame)
{
	if (writer->offset == 0 || ends_chain(writer, frame))
		restart_chain(writer, frame);
	writer->block_mono_ns = frame->mono_ns;
	writer->block.n_frames = 0;
	writer->block.min_ns = UINT64_MAX;
	writer->block.max_ns = 0;
	writer->wall_ns = writer->mono_ns = writer->wall_step_ns = writer->mono_step_ns = 0;
}

static void add_step(struct buffer *out, uint64_t now_ns, uint64_t *last_ns, uint64_t *step_ns)
{
	uint64_t step = now_ns - *last_ns;

	put_difference(out, step, *step_ns);
	*last_ns = now_ns;
	*step_ns = step;
}

static void add_clocks(struct recording_writer *writer, const struct frame *frame)
{
	struct block_header *block = &writer->block;

	add_step(&writer->clocks, frame->wall_ns, &writer->wall_ns, &writer->wall_step_ns);
	add_step(&writer->clocks, frame->mono_ns, &writer->mono_ns, &writer->mono_step_ns);
	if (frame->wall_ns < block->min_ns)
		block->min_ns = frame->wall_ns;
	if (frame->wall_ns > block->max_ns)
		block->max_ns = frame->wall_ns;
}

static void add_text(struct recording_writer *writer, struct buffer *out, const char *text)
{
	uint64_t code = text ? (uint64_t)intern_number(&writer->texts, text) + 1 : 0;

	put_varint(out, code);
	if (code <= writer->n_told)
		return;
	put_name(out, text);
	writer->n_told++;
}

/* Notices are mostly those of the sample before: then a 0, else their number + 1 and they, and the host. */
static void add_notices(struct recording_writer *writer, const struct frame *frame)
{
	struct buffer *these = &writer->these_notices, *last = &writer->last_notices;
	struct buffer swapped;

	buffer_empty(these);
	for (unsigned i = 0; i < frame->n_notices; i++) {
		const struct notice *notice = &frame->notices[i];

		buffer_print(these, "%s\n%s\n%s\n", notice->topic, notice->text,
			     notice->remedy ? notice->remedy : "\t");
	}
	buffer_text(these, frame->host ? frame->host : "");
	if (writer->chain_frames + writer->block.n_frames > 0 && these->length == last->length &&
	    memcmp(these->bytes, last->bytes, these->length) == 0) {
		put_varint(&writer->notices, 0);
		return;
	}
	put_varint(&writer->notices, frame->n_notices + 1);
	add_text(writer, &writer->notices, frame->host);
	for (unsigned i = 0; i < frame->n_notices; i++) {
		add_text(writer, &writer->notices, frame->notices[i].topic);
		add_text(writer, &writer->notices, frame->notices[i].text);
		add_text(writer, &writer->notices, frame->notices[i].remedy);
	}
	swapped = *these;
	*these = *last;
	*last = swapped;
}

static size_t add_tables(struct recording_writer *writer, const struct frame *frame)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < writer->n_topics; i++) {
		struct topic_stream *topic = &writer->topics[i];
		const struct table *table = &frame->tables[i];
		bool taken = !table->schema->derived ||
			     (writer->has_findings && table->schema == &finding_schema);
		bool present = table->present && taken;

		if (!present && topic->raw.length == 0)
			continue;
		if (topic->raw.length == 0)
			for (uint32_t n = 0; n < writer->block.n_frames; n++)
				rows_encode_none(&topic->raw);
		if (present)
			rows_encode(&topic->rows, table, &topic->raw);
		else
			rows_encode_none(&topic->raw);
		bytes += topic->raw.length;
	}
	return bytes;
}

static void add_section(struct recording_writer *writer, unsigned id, struct buffer *raw)
{
	if (raw->length == 0)
		return;
	block_add_section(&writer->builder, id, raw);
	writer->chain_bytes += raw->length;
	buffer_empty(raw);
}

void recording_writer_flush(struct recording_writer *writer, struct buffer *out)
{
	struct block_header *block = &writer->block;
	size_t before = out->length;

	if (block->n_frames == 0)
		return;
	block->kind = BLOCK_SAMPLES;
	add_section(writer, SECTION_CLOCKS, &writer->clocks);
	add_section(writer, SECTION_NOTICES, &writer->notices);
	for (unsigned i = 0; i < writer->n_topics; i++)
		add_section(writer, i, &writer->topics[i].raw);
	block_finish(&writer->builder, block, NULL, out);
	writer->unindexed |= writer->n_places == PLACES_MAX;
	if (!writer->unindexed)
		*VECTOR_ADD(writer->places, writer->n_places, writer->capacity) = (struct place){
			.offset = writer->offset, .mono_ns = writer->mono_ns, .header = *block
		};
	writer->offset += out->length - before;
	writer->chain_frames += block->n_frames;
	block->first_frame += block->n_frames;
	block->in_chain++;
	block->n_frames = 0;
}

void recording_writer_add(struct recording_writer *writer, const struct frame *frame, struct buffer *out)
{
	struct block_header *block = &writer->block;
	size_t before = out->length, bytes;

	if (block->n_frames == 0)
		begin_block(writer, frame);
	if (writer->offset == 0) {
		describe(writer, frame, out);
		writer->offset = out->length - before;
	}
	add_clocks(writer, frame);
	add_notices(writer, frame);
	bytes = add_tables(writer, frame);
	block->n_frames++;
	if (writer->eager || block->n_frames >= BLOCK_FRAMES || bytes >= BLOCK_BYTES ||
	    frame->mono_ns - writer->block_mono_ns >= BLOCK_NS)
		recording_writer_flush(writer, out);
}

/* At the very end its place, so that a reader finds it. */
void recording_writer_end(struct recording_writer *writer, struct buffer *out)
{
	struct block_header header = { .kind = BLOCK_INDEX };
	struct buffer tail = { 0 };
	uint64_t offset = 0;

	recording_writer_flush(writer, out);
	if (writer->offset == 0 || writer->unindexed)
		return;
	put_varint(&writer->index, writer->n_places);
	for (size_t i = 0; i < writer->n_places; i++) {
		const struct place *place = &writer->places[i];

		put_varint(&writer->index, place->offset - offset);
		put_varint(&writer->index, place->header.in_chain);
		put_varint(&writer->index, place->header.n_frames);
		put_varint(&writer->index, place->header.first_frame);
		put_varint(&writer->index, place->header.min_ns);
		put_varint(&writer->index, place->header.max_ns - place->header.min_ns);
		offset = place->offset;
	}
	block_add_section(&writer->builder, SECTION_INDEX, &writer->index);
	index_tail_add(&tail, writer->offset);
	block_finish(&writer->builder, &header, &tail, out);
	buffer_free(&tail);
}

void recording_writer_lose(struct recording_writer *writer, uint64_t good_bytes, size_t good_frames)
{
	while (writer->n_places > 0 && writer->places[writer->n_places - 1].offset >= good_bytes)
		writer->n_places--;
	writer->offset = good_bytes;
	writer->block.first_frame = good_frames;
	writer->chain_frames = CHAIN_FRAMES; /* the next block begins one */
}

void recording_writer_keep(struct recording_writer *writer, uint64_t most_bytes, uint64_t most_ns)
{
	writer->most_bytes = most_bytes;
	writer->most_ns = most_ns;
}

/*
 * Is it too much with the blocks from keep to last? The newest chain has room beside the older ones. The age
 * is that of the monotonic clock: nothing goes because the other one was set, or the machine was suspended.
 */
static bool is_over(const struct recording_writer *writer, size_t keep, size_t last)
{
	const struct place *newest = &writer->places[writer->n_places - 1];

	if (writer->most_bytes > 0 && writer->offset - writer->places[keep].offset >
					      writer->most_bytes - writer->most_bytes / KEPT_CHAINS)
		return true;
	return writer->most_ns > 0 && newest->mono_ns > writer->most_ns &&
	       writer->places[last].mono_ns < newest->mono_ns - writer->most_ns;
}

/* Whole chains only: what is left begins with a block that can be read alone. */
bool recording_writer_drop(struct recording_writer *writer, uint64_t *from, uint64_t *to)
{
	size_t keep = 0;

	for (size_t i = 1; i < writer->n_places && is_over(writer, keep, i - 1); i++)
		if (writer->places[i].header.in_chain == 0)
			keep = i;
	if (keep == 0)
		return false;
	*from = writer->places[0].offset;
	*to = writer->places[keep].offset;
	writer->n_places -= keep;
	memmove(writer->places, writer->places + keep, writer->n_places * sizeof(*writer->places));
	return true;
}
