/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds blocks, by the index or by their headers, and decodes the chain that leads to a frame. */
#include <config.h>

#include "recording/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "recording/block.h"
#include "recording/finder.h"
#include "recording/row_coding.h"
#include "recording/spool.h"

#define SEARCH_BYTES ((size_t)64 * 1024)
#define FRAMES_MAX (1 << 12)              /* of a block */
#define INFLATED_MAX ((size_t)256 << 20)  /* of all topics in a block */
#define TEXT_BYTES_MAX ((size_t)64 << 20) /* of all topics in a chain */
#define NOTICES_MAX 4096                  /* of a sample */
#define CHAIN_BLOCKS_MAX 4096
#define CHAIN_BYTES ((uint64_t)64 << 20) /* of a pipe, kept whatever --past-size says */
#define STRANGE_BYTES ((size_t)1 << 20)  /* of a pipe without a block: then it is something else */
#define TURN_BYTES ((off_t)1 << 20)      /* of a pipe, taken at a time */
#define INDEX_ENTRY_MAX (6 * VARINT_MAX)
#define NO_BLOCK SIZE_MAX

struct clocks {
	uint64_t (*times)[2]; /* of each frame: wall_ns, mono_ns */
	size_t capacity;
};

/* A block as it is on the disk. */
struct head {
	struct block_header header;
	off_t offset;
	struct section *sections;
	size_t capacity;
};

struct topic_reader {
	struct row_decoder rows;
	uint64_t row_bytes; /* what a row costs: here, or in the table of this version if that is more */
	struct span rest;   /* samples of the loaded block that are not decoded yet; in reader->content */
	bool in_block;      /* the loaded block has a section of it */
	bool broken;        /* unknown until the next chain */
};

struct reader {
	struct finder finder; /* of blocks; its fd is owned here */
	bool no_wait;
	int spool_fd;           /* owned; -1: none */
	uint64_t back_bytes;    /* that may lie in it */
	off_t dropped;          /* up to here they are given back */
	size_t n_strange;       /* bytes since the last block that were no block */
	size_t n_passed;        /* … zeros among them, since -EAGAIN */
	struct buffer incoming; /* of a pipe: from end on */
	struct buffer newest;   /* of a pipe: blocks that are not in the spool, at newest_offset: the last one
				 * without a spool, those of its chain where the spool has no room */
	off_t newest_offset;
	int spool_error;        /* positive: why blocks could not be written to it; 0: they could */

	struct description description;
	struct buffer topics_section; /* the description of the topics as bytes */
	struct topic_reader *topics;
	bool *wanted; /* tables of the frames */
	ZSTD_DCtx *zstd;
	struct buffer window, scratch;
	struct buffer content; /* of the sections of the loaded block that are wanted */
	struct decoding decoding;
	struct allowance allowance;
	struct head head;

	bool damaged, too_large; /* something was skipped, and no frame has told it yet */

	size_t loaded;                /* block; or NO_BLOCK */
	uint32_t n_decoded;           /* frames of it */
	struct clocks clocks, others; /* of the loaded block; of another one */
	struct topic_reader notices;  /* its texts; its cells are not used */
	uint64_t host;                /* codes */
	uint64_t told[FRAME_NOTICES_MAX][3];
	unsigned n_told;
	uint64_t serial; /* of frames filled */
};

/* For the next frame to say. */
static void note_skipped(struct reader *reader, bool too_large)
{
	*(too_large ? &reader->too_large : &reader->damaged) = true;
}

/* Makes incoming at least this long: 1; 0 at the end of the pipe; -EAGAIN or -errno. */
static int fill_incoming(struct reader *reader, size_t length)
{
	while (reader->incoming.length < length) {
		char bytes[SEARCH_BYTES];
		size_t missing = length - reader->incoming.length;
		ssize_t got;

		if (reader->no_wait && pipe_is_empty(reader->finder.fd))
			return -EAGAIN;
		got = read(reader->finder.fd, bytes, missing < sizeof(bytes) ? missing : sizeof(bytes));
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return 0;
		if (got > 0)
			buffer_add(&reader->incoming, bytes, (size_t)got);
	}
	return 1;
}

/* Up to most bytes of a file; how many, or -errno. */
static ssize_t read_file(int fd, struct buffer *buffer, off_t offset, size_t most)
{
	VECTOR_RESERVE(buffer->bytes, most + 1, buffer->capacity);
	buffer->length = 0;
	while (buffer->length < most) {
		ssize_t got = pread(fd, buffer->bytes + buffer->length, most - buffer->length,
				    offset + (off_t)buffer->length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		buffer->length += (size_t)got;
	}
	return (ssize_t)buffer->length;
}

/* The bytes at the end of what was found: 1 with at least this number; 0 and fewer at the end of the file. */
static int look(struct reader *reader, size_t least, size_t most, struct span *bytes)
{
	ssize_t got;

	if (reader->finder.pipe) {
		got = fill_incoming(reader, least);
		*bytes = span_of(reader->incoming.bytes, reader->incoming.length);
		return (int)got;
	}
	got = read_file(reader->finder.fd, &reader->window, reader->finder.end, most);
	*bytes = span_of(reader->window.bytes, reader->window.length);
	return got < 0 ? (int)got : (size_t)got >= least;
}

/* What was found ends this much later. */
static void pass(struct reader *reader, size_t length)
{
	struct buffer *incoming = &reader->incoming;

	if (reader->finder.pipe) {
		incoming->length -= length;
		memmove(incoming->bytes, incoming->bytes + length, incoming->length);
	}
	reader->finder.end += (off_t)length;
}

/* Bytes of a block found before. */
static bool read_bytes(struct reader *reader, off_t offset, size_t length, struct buffer *buffer,
		       struct span *bytes)
{
	off_t from = offset - reader->newest_offset;

	if (reader->finder.pipe && (reader->spool_fd < 0 || (from >= 0 && reader->newest.length > 0))) {
		if (from < 0 || (size_t)from > reader->newest.length ||
		    length > reader->newest.length - (size_t)from)
			return false;
		buffer_empty(buffer);
		buffer_add(buffer, reader->newest.bytes + from, length);
	} else if (read_file(reader->finder.pipe ? reader->spool_fd : reader->finder.fd, buffer, offset,
			     length) != (ssize_t)length) {
		return false;
	}
	*bytes = span_of(buffer->bytes, length);
	return true;
}

static off_t file_size(const struct reader *reader)
{
	struct stat status;

	return fstat(reader->finder.fd, &status) == 0 ? status.st_size : 0;
}

static bool read_head(struct reader *reader, off_t offset)
{
	struct head *head = &reader->head;
	struct span bytes;
	size_t table;

	head->offset = offset;
	if (!read_bytes(reader, offset, BLOCK_HEADER_BYTES, &reader->window, &bytes) ||
	    !block_header_parse(&head->header, bytes.at))
		return false;
	table = (size_t)head->header.n_sections * SECTION_ENTRY_BYTES;
	VECTOR_RESERVE(head->sections, head->header.n_sections, head->capacity);
	return read_bytes(reader, offset + BLOCK_HEADER_BYTES, table, &reader->window, &bytes) &&
	       block_sections_parse(&head->header, bytes, head->sections);
}

/* Writes the content of a section of the block whose head was read last. False: damaged. */
static bool read_section(struct reader *reader, const struct section *section, char *content)
{
	struct span stored;

	return read_bytes(reader, reader->head.offset + BLOCK_HEADER_BYTES + (off_t)section->offset,
			  section->stored, &reader->window, &stored) &&
	       section_read(section, stored, reader->zstd, content);
}

/* The content, if there is such a section of at most this many bytes, and it is not damaged. */
static bool find_section(struct reader *reader, unsigned id, size_t most, struct span *content)
{
	struct buffer *scratch = &reader->scratch;

	for (unsigned i = 0; i < reader->head.header.n_sections; i++) {
		const struct section *section = &reader->head.sections[i];

		if (section->id != id)
			continue;
		if (section->raw > most)
			return false;
		VECTOR_RESERVE(scratch->bytes, (size_t)section->raw + 1, scratch->capacity);
		*content = span_of(scratch->bytes, section->raw);
		return read_section(reader, section, scratch->bytes);
	}
	return false;
}

static void add_block(struct reader *reader, struct recording_part block)
{
	block.bad = block.n_frames > FRAMES_MAX;
	if (block.bad)
		block.n_frames = 0;
	finder_add(&reader->finder, block);
}

/* A recording that follows another one goes on as the same if it has the same columns. */
static bool is_same_description(struct reader *reader, off_t offset)
{
	struct span content;

	return read_head(reader, offset) &&
	       find_section(reader, SECTION_TOPICS, reader->topics_section.length, &content) &&
	       span_length(content) == reader->topics_section.length &&
	       memcmp(content.at, reader->topics_section.bytes, span_length(content)) == 0;
}

/* Bytes in the spool from a block on. */
static uint64_t bytes_from(const struct reader *reader, size_t block)
{
	const struct finder *finder = &reader->finder;

	return block < finder->n_parts ? (uint64_t)(finder->end - finder->parts[block].offset) : 0;
}

/* Gives back the oldest chains of a pipe that is kept; the newest one stays. */
static void drop_oldest(struct reader *reader)
{
	struct finder *finder = &reader->finder;
	uint64_t most = reader->back_bytes > CHAIN_BYTES ? reader->back_bytes : CHAIN_BYTES;
	size_t n_dropped = 0;
	off_t from;

	for (size_t i = 1; i < finder->n_parts && bytes_from(reader, n_dropped) > reader->back_bytes; i++)
		if (finder->parts[i].in_chain == 0)
			n_dropped = i;
	if (n_dropped > 0) {
		finder_drop(finder, n_dropped);
		if (reader->loaded != NO_BLOCK)
			reader->loaded = reader->loaded < n_dropped ? NO_BLOCK : reader->loaded - n_dropped;
	}
	from = finder->end - (off_t)bytes_from(reader, 0);
	if (from > reader->dropped && spool_drop(reader->spool_fd, reader->dropped, from) < 0 &&
	    errno == EOPNOTSUPP)
		finder_end(finder, strerror(errno));
	reader->dropped = from;
	if (bytes_from(reader, 0) > most)
		finder_end(finder,
			   _("its samples need more of those before than --past-size keeps; replay "
			     "stops there"));
}

static void take_block(struct reader *reader, const struct block_header *header, off_t offset)
{
	reader->n_strange = reader->n_passed = 0;
	if (header->kind == BLOCK_SAMPLES && header->n_frames > 0)
		add_block(reader, (struct recording_part){
					  .offset = offset,
					  .number = header->first_frame,
					  .min_ns = header->min_ns,
					  .max_ns = header->max_ns,
					  .in_chain = header->in_chain,
					  .n_frames = header->n_frames,
				  });
	else if (header->kind == BLOCK_DESCRIPTION && !is_same_description(reader, offset))
		finder_end(&reader->finder,
			   _("another recording with different columns follows; replay stops there"));
	if (reader->spool_fd >= 0 && !reader->spool_error)
		drop_oldest(reader);
}

/* Do they begin a block or a recording, as far as can be seen? */
static bool may_begin(struct span bytes)
{
	struct block_header header;

	if (memcmp(bytes.at, BLOCK_SYNC, 4) == 0)
		return span_length(bytes) < BLOCK_HEADER_BYTES || block_header_parse(&header, bytes.at);
	return memcmp(bytes.at, RECORDING_MAGIC, 4) == 0 &&
	       (span_length(bytes) < RECORDING_HEADER_BYTES || recording_header_check(bytes.at) == 0);
}

/* Passes zeros, where oldest blocks were dropped. A pipe of zeros without end keeps nothing else waiting. */
static int pass_zeros(struct reader *reader, size_t n_zeros, int got)
{
	pass(reader, n_zeros);
	reader->n_passed += n_zeros;
	if (!reader->finder.pipe || !reader->no_wait || reader->n_passed < (size_t)TURN_BYTES)
		return got;
	reader->n_passed = 0;
	return -EAGAIN;
}

/* Passes damage, or zeros. 1; 0 at the end; or -errno. */
static int search(struct reader *reader)
{
	struct finder *finder = &reader->finder;
	struct span bytes;
	int got = look(reader, BLOCK_HEADER_BYTES, SEARCH_BYTES, &bytes);
	size_t zeros = 0, length = 1;
	off_t data;

	if (got < 0)
		return got;
	while (zeros < span_length(bytes) && bytes.at[zeros] == '\0')
		zeros++;
	data = !finder->pipe && zeros == span_length(bytes) ? lseek(finder->fd, finder->end, SEEK_DATA) : -1;
	if (data > finder->end) {
		finder->end = data;
		return 1;
	}
	if (zeros > 0)
		return pass_zeros(reader, zeros, got);
	reader->damaged = true;
	while (length + 4 <= span_length(bytes) && !may_begin((struct span){ bytes.at + length, bytes.end }))
		length++;
	pass(reader, length);
	reader->n_strange += length;
	if (reader->finder.pipe && reader->n_strange > STRANGE_BYTES)
		finder_end(&reader->finder, _("what follows is not a recording; replay stops there"));
	return got;
}

static void end_here(struct reader *reader, bool torn)
{
	reader->finder.whole = true;
	if (torn)
		finder_end(&reader->finder,
			   _("the recording ends in the middle of a block; complete blocks were read"));
	else if (reader->damaged)
		finder_end(&reader->finder, _("the end of the recording is damaged"));
}

/* The next try has room, or what is held cannot be gone back to. */
static void end_held(struct reader *reader)
{
	struct finder *finder = &reader->finder;

	if (spool_write(reader->spool_fd, reader->newest.bytes, reader->newest.length,
			reader->newest_offset) < 0)
		for (size_t i = finder->n_parts; i-- > 0 && finder->parts[i].offset >= reader->newest_offset;)
			finder->parts[i].bad = true;
	buffer_empty(&reader->newest);
}

/* A whole block at the start of incoming. On a full disk those of a chain are held: they need each other. */
static void keep_block(struct reader *reader, const struct block_header *header, size_t length)
{
	struct buffer *newest = &reader->newest;
	off_t end = reader->newest_offset + (off_t)newest->length;

	if (reader->spool_fd < 0)
		buffer_empty(newest);
	else if (newest->length > 0 &&
		 (header->in_chain == 0 || end != reader->finder.end || newest->length > CHAIN_BYTES))
		end_held(reader);
	if (newest->length == 0)
		reader->newest_offset = reader->finder.end;
	buffer_add(newest, reader->incoming.bytes, length);
	if (reader->spool_fd < 0)
		return;
	reader->spool_error = spool_write(reader->spool_fd, newest->bytes, newest->length,
					  reader->newest_offset) < 0
				      ? errno
				      : 0;
	if (!reader->spool_error)
		buffer_empty(newest);
}

/* A block is whole at end, so that it can be read from now on: 1; 0: the recording ends within it. */
static int wait_for_block(struct reader *reader, const struct block_header *header, off_t *offset)
{
	size_t length = BLOCK_HEADER_BYTES + (size_t)header->length;
	int got = 1;

	*offset = reader->finder.end;
	if (reader->finder.pipe)
		got = fill_incoming(reader, length);
	else if (file_size(reader) - reader->finder.end < (off_t)length)
		got = 0;
	if (got != 1)
		return got;
	if (reader->finder.pipe)
		keep_block(reader, header, length);
	pass(reader, length);
	return 1;
}

static int pass_next(void *state)
{
	struct reader *reader = state;
	struct block_header header;
	struct span bytes;
	off_t offset;
	int got;

	got = look(reader, BLOCK_HEADER_BYTES, BLOCK_HEADER_BYTES, &bytes);
	if (got < 0)
		return got;
	if (got == 0) {
		end_here(reader, span_length(bytes) > 0);
		return 0;
	}
	if (recording_header_check(bytes.at) == 0) {
		pass(reader, RECORDING_HEADER_BYTES);
		return 1;
	}
	if (!block_header_parse(&header, bytes.at)) {
		got = search(reader);
	} else {
		got = wait_for_block(reader, &header, &offset);
		if (got == 1)
			take_block(reader, &header, offset);
	}
	if (got == 0 && !reader->finder.whole)
		end_here(reader, true);
	return got;
}

/* All blocks at once, from the end of the file; false: their headers must be looked for. */
static bool take_entries(struct reader *reader, struct span index, off_t limit)
{
	uint64_t n_blocks, offset = 0;

	if (!take_varint(&index, &n_blocks))
		return false;
	for (uint64_t i = 0; i < n_blocks; i++) {
		uint64_t step, in_chain, n_frames, span_ns;
		struct recording_part block = { 0 };

		if (!take_varint(&index, &step) || !take_varint(&index, &in_chain) ||
		    !take_varint(&index, &n_frames) || !take_varint(&index, &block.number) ||
		    !take_varint(&index, &block.min_ns) || !take_varint(&index, &span_ns) ||
		    step < (i == 0 ? RECORDING_HEADER_BYTES : BLOCK_HEADER_BYTES) ||
		    step > (uint64_t)limit - offset || in_chain > UINT32_MAX || n_frames > FRAMES_MAX)
			return false;
		offset += step;
		block.offset = (off_t)offset;
		block.in_chain = (uint32_t)in_chain;
		block.n_frames = (uint32_t)n_frames;
		block.max_ns = block.min_ns + span_ns;
		add_block(reader, block);
	}
	return true;
}

static void read_index(struct reader *reader)
{
	off_t size = file_size(reader);
	struct span bytes, content;
	uint64_t offset;

	if (size < INDEX_TAIL_BYTES ||
	    !read_bytes(reader, size - INDEX_TAIL_BYTES, INDEX_TAIL_BYTES, &reader->window, &bytes) ||
	    !index_tail_parse(bytes.at, &offset) || offset >= (uint64_t)size ||
	    !read_head(reader, (off_t)offset) || reader->head.header.kind != BLOCK_INDEX ||
	    (off_t)offset + BLOCK_HEADER_BYTES + (off_t)reader->head.header.length != size ||
	    !find_section(reader, SECTION_INDEX, ((size_t)offset / BLOCK_HEADER_BYTES + 1) * INDEX_ENTRY_MAX,
			  &content))
		return;
	if (take_entries(reader, content, (off_t)offset)) {
		reader->finder.end = size;
		reader->finder.whole = true;
	} else {
		reader->finder.n_parts = reader->finder.n_frames = 0;
	}
}

static size_t row_cells(const struct described_topic *topic, const struct schema *const *schemas)
{
	size_t cells = topic->table < 0 ? 0 : schema_row_bytes(schemas[topic->table]) / sizeof(uint64_t);

	return cells > topic->n_columns ? cells : topic->n_columns;
}

static const char *why_not(int error)
{
	return error == -ENOTSUP ? _("recorded by a newer version of panetop")
	       : error == -EILSEQ
		       ? _("its numbers are big-endian; recordings are little-endian on every machine")
		       : _("the header of the recording is damaged");
}

/* 0, or the reason why it is none that can be read. */
static const char *read_description(struct reader *reader, const struct schema *const *schemas,
				    unsigned n_schemas)
{
	struct block_header header;
	struct span bytes, content;
	off_t offset;
	int got = look(reader, RECORDING_HEADER_BYTES, RECORDING_HEADER_BYTES, &bytes);

	if (got < 0)
		return strerror(-got);
	got = got == 1 ? recording_header_check(bytes.at) : -EBADMSG;
	if (got < 0)
		return why_not(got);
	pass(reader, RECORDING_HEADER_BYTES);
	if (look(reader, BLOCK_HEADER_BYTES, BLOCK_HEADER_BYTES, &bytes) != 1 ||
	    !block_header_parse(&header, bytes.at) || header.kind != BLOCK_DESCRIPTION ||
	    wait_for_block(reader, &header, &offset) != 1 || !read_head(reader, offset) ||
	    !find_section(reader, SECTION_TOPICS, DESCRIPTION_BYTES_MAX, &content) ||
	    !description_parse(&reader->description, content, schemas, n_schemas))
		return _("the description of its columns is damaged");
	buffer_add(&reader->topics_section, content.at, span_length(content));
	reader->topics = alloc_zeroed(reader->description.n_topics + 1, sizeof(*reader->topics));
	for (unsigned i = 0; i < reader->description.n_topics; i++) {
		const struct described_topic *topic = &reader->description.topics[i];
		struct row_decoder *rows = &reader->topics[i].rows;

		rows->shared = &reader->decoding;
		rows->n_columns = topic->n_columns;
		rows->types = topic->types;
		reader->topics[i].row_bytes = allowance_row_bytes(row_cells(topic, schemas));
	}
	return NULL;
}

static bool read_clocks(struct reader *reader, uint32_t n_frames, struct clocks *clocks)
{
	uint64_t now[2] = { 0 }, step[2] = { 0 };
	struct span content;

	if (!find_section(reader, SECTION_CLOCKS, (size_t)n_frames * 2 * VARINT_MAX, &content) ||
	    span_length(content) / 2 < n_frames)
		return false;
	VECTOR_RESERVE(clocks->times, n_frames, clocks->capacity);
	for (uint32_t i = 0; i < n_frames; i++) {
		for (unsigned k = 0; k < 2; k++) {
			if (!take_difference(&content, &step[k]))
				return false;
			now[k] += step[k];
			clocks->times[i][k] = now[k];
		}
	}
	return true;
}

static void restart(struct reader *reader)
{
	for (unsigned i = 0; i < reader->description.n_topics; i++) {
		row_decoder_restart(&reader->topics[i].rows);
		reader->topics[i].broken = false;
	}
	row_decoder_restart(&reader->notices.rows);
	reader->notices.broken = false;
	reader->n_told = 0;
	reader->host = 0;
	reader->decoding.text_bytes = 0;
}

/* In the allowance; tables have the indexes of their schemas, and contents follow texts. */
static unsigned text_use(const struct reader *reader)
{
	return reader->description.n_tables;
}

/* The topic that is wanted and has this section, or NULL. */
static struct topic_reader *topic_of(struct reader *reader, const struct section *section)
{
	int table = -1;

	if (section->id == SECTION_NOTICES)
		return &reader->notices;
	if (section->id < reader->description.n_topics)
		table = reader->description.topics[section->id].table;
	return table >= 0 && reader->wanted[table] ? &reader->topics[section->id] : NULL;
}

static void load_topic(struct reader *reader, struct topic_reader *topic, const struct section *section,
		       char *content)
{
	topic->in_block = !topic->broken;
	topic->rest = span_of(content, section->raw);
	if (topic->in_block && !read_section(reader, section, content)) {
		topic->in_block = false;
		topic->broken = reader->damaged = true;
	}
}

/* Room for what is wanted of the block whose head was read last. False: that is more than is allowed. */
static bool reserve_content(struct reader *reader)
{
	struct buffer *content = &reader->content;
	unsigned use = text_use(reader) + 1;
	size_t wanted = 1;

	for (unsigned i = 0; i < reader->head.header.n_sections; i++)
		if (topic_of(reader, &reader->head.sections[i]))
			wanted += reader->head.sections[i].raw;
	if (wanted > INFLATED_MAX || wanted > allowance_room(&reader->allowance, use)) {
		reader->too_large = true;
		return false;
	}
	if (content->capacity < wanted || content->capacity / 4 > wanted) {
		free(content->bytes); /* its content is not needed, and is not copied */
		content->bytes = alloc_resize(NULL, wanted, 1);
		content->capacity = wanted;
	}
	allowance_hold(&reader->allowance, use, content->capacity);
	return true;
}

/* Reads the sections of a block that are wanted; false: nothing of it can be read. */
static bool load_block(struct reader *reader, size_t index)
{
	const struct finder *finder = &reader->finder;
	const struct recording_part *block = &finder->parts[index];
	struct head *head = &reader->head;
	size_t at = 0;

	reader->loaded = NO_BLOCK;
	allowance_set_size(&reader->allowance,
			   (uint64_t)(finder->pipe ? finder->end + (off_t)reader->incoming.length
						   : file_size(reader)));
	if (!read_head(reader, block->offset) || head->header.kind != BLOCK_SAMPLES ||
	    head->header.n_frames != block->n_frames || head->header.in_chain != block->in_chain ||
	    head->header.first_frame != block->number ||
	    !read_clocks(reader, block->n_frames, &reader->clocks))
		return false;
	if (block->in_chain == 0)
		restart(reader);
	reader->notices.in_block = false;
	for (unsigned i = 0; i < reader->description.n_topics; i++)
		reader->topics[i].in_block = false;
	if (!reserve_content(reader))
		return false;
	for (unsigned i = 0; i < head->header.n_sections && !finder_is_interrupted(&reader->finder); i++) {
		struct topic_reader *topic = topic_of(reader, &head->sections[i]);

		if (!topic)
			continue;
		load_topic(reader, topic, &head->sections[i], reader->content.bytes + at);
		at += head->sections[i].raw;
	}
	reader->loaded = index;
	reader->n_decoded = 0;
	return true;
}

static bool decode_notices(struct reader *reader)
{
	struct topic_reader *notices = &reader->notices;
	uint64_t count, unused;

	if (!take_varint(&notices->rest, &count) || count > NOTICES_MAX)
		return false;
	if (count == 0)
		return true;
	reader->n_told = 0;
	if (!text_decode(&notices->rows, &notices->rest, &reader->host))
		return false;
	for (uint64_t i = 0; i + 1 < count; i++) {
		for (unsigned k = 0; k < 3; k++)
			if (!text_decode(&notices->rows, &notices->rest,
					 i < FRAME_NOTICES_MAX ? &reader->told[i][k] : &unused))
				return false;
		reader->n_told = i < FRAME_NOTICES_MAX ? (unsigned)i + 1 : FRAME_NOTICES_MAX;
	}
	return true;
}

static void break_topic(struct reader *reader, struct topic_reader *topic)
{
	row_decoder_restart(&topic->rows);
	topic->in_block = false;
	topic->broken = true;
	if (!finder_is_interrupted(&reader->finder))
		note_skipped(reader, reader->decoding.too_large);
	reader->decoding.too_large = false;
}

/* What the texts of all topics hold counts, and what they may hold. */
static void limit_texts(struct reader *reader)
{
	struct decoding *decoding = &reader->decoding;
	uint64_t room = allowance_room(&reader->allowance, text_use(reader)) / allowance_text_bytes(1);

	decoding->text_bytes_max = room < TEXT_BYTES_MAX ? room : TEXT_BYTES_MAX;
}

static void decode_topic(struct reader *reader, unsigned index)
{
	struct topic_reader *topic = &reader->topics[index];
	unsigned use = (unsigned)reader->description.topics[index].table;
	bool good;

	limit_texts(reader);
	topic->rows.n_rows_max = allowance_room(&reader->allowance, use) / topic->row_bytes;
	good = rows_decode(&topic->rows, &topic->rest);
	if (!good)
		break_topic(reader, topic);
	allowance_hold(&reader->allowance, use, topic->rows.rows.n_rows * topic->row_bytes);
	allowance_hold(&reader->allowance, text_use(reader),
		       allowance_text_bytes(reader->decoding.text_bytes));
}

/* False: interrupted; the block must be loaded again. */
static bool decode_frame(struct reader *reader)
{
	for (unsigned i = 0; i < reader->description.n_topics; i++) {
		reader->topics[i].rows.present = false;
		if (reader->topics[i].in_block)
			decode_topic(reader, i);
	}
	limit_texts(reader);
	if (reader->notices.in_block && !decode_notices(reader)) {
		break_topic(reader, &reader->notices);
		reader->n_told = 0;
		reader->host = 0;
	}
	reader->n_decoded++;
	if (!finder_is_interrupted(&reader->finder))
		return true;
	reader->loaded = NO_BLOCK;
	return false;
}

/*
 * Where decoding must begin for a frame of a block: the loaded block, or the start of the chain; NO_BLOCK if
 * a part between is missing. What a pipe without spool has passed cannot be read again: there the blocks come
 * one after the other.
 */
static size_t first_needed(const struct reader *reader, size_t block)
{
	const struct recording_part *blocks = reader->finder.parts;
	size_t at = block;

	if (blocks[block].bad || blocks[block].in_chain > CHAIN_BLOCKS_MAX)
		return NO_BLOCK;
	while (at != reader->loaded && blocks[at].in_chain > 0) {
		if (at == 0 || blocks[at - 1].bad || blocks[at - 1].in_chain + 1 != blocks[at].in_chain ||
		    blocks[at - 1].number + blocks[at - 1].n_frames != blocks[at].number)
			return NO_BLOCK;
		at--;
	}
	return at;
}

static bool load_or_mark(struct reader *reader, size_t block)
{
	bool good = !finder_is_interrupted(&reader->finder) && load_block(reader, block);

	reader->finder.parts[block].bad |= !good && !finder_is_interrupted(&reader->finder);
	return good;
}

/* Decodes everything up to this frame of this block; false: it cannot be read, or was interrupted. */
static bool decode_up_to(struct reader *reader, size_t block, size_t frame)
{
	size_t index = frame - reader->finder.parts[block].first, first;

	if (reader->loaded == block && reader->n_decoded > index)
		reader->loaded = NO_BLOCK;
	first = first_needed(reader, block);
	if (first == NO_BLOCK || (first != reader->loaded && !load_or_mark(reader, first)))
		return false;
	while (reader->loaded < block) {
		size_t loaded = reader->loaded;

		while (reader->n_decoded < reader->finder.parts[loaded].n_frames)
			if (!decode_frame(reader))
				return false;
		if (!load_or_mark(reader, loaded + 1))
			return false;
	}
	while (reader->n_decoded <= index)
		if (!decode_frame(reader))
			return false;
	return true;
}

static const char *text_of(struct reader *reader, struct row_decoder *rows, uint64_t code,
			   struct frame *frame)
{
	struct known_text *known;

	if (code == 0 || code > rows->n_texts)
		return NULL;
	known = &rows->texts[code - 1];
	if (known->serial != reader->serial) {
		known->serial = reader->serial;
		known->copy = arena_copy(&frame->arena, known->text, known->length);
	}
	return known->copy;
}

static void set_number(void *row, const struct column *column, enum value_type stored, uint64_t cell)
{
	double number;

	memcpy(&number, &cell, sizeof(number));
	if (column->type == stored)
		row_set_u64(row, column, cell); /* also the bits of a double */
	else if (stored == VALUE_U64 && cell < U64_BLANK)
		row_set_f64(row, column, (double)cell);
	else if (stored == VALUE_F64 && number >= 0 && number < 9e18)
		row_set_u64(row, column, (uint64_t)number);
}

static void fill_row(struct reader *reader, const struct described_topic *topic, struct row_decoder *rows,
		     const uint64_t *cells, void *row, struct frame *frame)
{
	for (unsigned c = 0; c < topic->n_columns; c++) {
		const struct column *column = topic->columns[c];

		if (!column || (column->type == VALUE_TEXT) != (topic->types[c] == VALUE_TEXT))
			continue;
		if (column->type == VALUE_TEXT)
			row_set_text(row, column, text_of(reader, rows, cells[c], frame));
		else
			set_number(row, column, topic->types[c], cells[c]);
	}
}

static void fill_table(struct reader *reader, unsigned index, struct frame *frame)
{
	const struct described_topic *topic = &reader->description.topics[index];
	struct row_decoder *rows = &reader->topics[index].rows;
	struct table *table = topic->table >= 0 ? &frame->tables[topic->table] : NULL;

	if (!table || !rows->present)
		return;
	table->present = true;
	table->failed = rows->failed;
	table->mono_ns = rows->clock.mono_ns;
	for (size_t r = 0; r < rows->rows.n_rows; r++)
		fill_row(reader, topic, rows, rows->rows.cells + r * topic->n_columns, table_add(table),
			 frame);
}

static void fill_frame(struct reader *reader, struct frame *frame)
{
	struct row_decoder *texts = &reader->notices.rows;

	reader->serial++;
	frame->wall_ns = reader->clocks.times[reader->n_decoded - 1][0];
	frame->mono_ns = reader->clocks.times[reader->n_decoded - 1][1];
	frame->host = text_of(reader, texts, reader->host, frame);
	for (unsigned i = 0; i < reader->description.n_topics; i++)
		fill_table(reader, i, frame);
	for (unsigned i = 0; i < reader->n_told; i++) {
		const char *topic = text_of(reader, texts, reader->told[i][0], frame);
		const char *text = text_of(reader, texts, reader->told[i][1], frame);

		if (topic && text)
			frame_notice(frame, topic, text_of(reader, texts, reader->told[i][2], frame), "%s",
				     text);
	}
	if (reader->spool_error)
		frame_notice(frame, "replay", NULL, _("%s; samples are lost until it can be written again"),
			     strerror(reader->spool_error));
	if (reader->damaged)
		frame_notice(frame, "replay", NULL, _("a damaged part of the recording was skipped"));
	if (reader->too_large)
		frame_notice(frame, "replay", NULL, "%s", allowance_exceeded());
	reader->damaged = reader->too_large = false;
	allowance_next_sample(&reader->allowance);
}

static int next(void *state, struct frame *frame)
{
	struct reader *reader = state;
	struct finder *finder = &reader->finder;

	for (;;) {
		int got = finder_reach_next(finder);
		size_t block;

		if (got != 1) {
			if (got == 0 && reader->damaged && !finder->remark)
				finder->remark = _("the end of the recording is damaged");
			if (got == 0 && reader->too_large && !finder->remark)
				finder->remark = allowance_exceeded();
			return got;
		}
		block = finder_part_of(finder, finder->next);
		if (decode_up_to(reader, block, finder->next))
			break;
		if (finder_is_interrupted(finder))
			return -EINTR;
		note_skipped(reader, reader->too_large);
		finder->next = finder->parts[block].first + finder->parts[block].n_frames;
	}
	finder->next++;
	fill_frame(reader, frame);
	return 1;
}

static void want(void *state, const bool *topics)
{
	struct reader *reader = state;

	memcpy(reader->wanted, topics, reader->description.n_tables * sizeof(*topics));
	reader->loaded = NO_BLOCK;
}

static size_t find_in_block(void *state, const struct recording_part *block, uint64_t wall_ns)
{
	struct reader *reader = state;
	size_t found = 0;

	if (finder_is_interrupted(&reader->finder) || !read_head(reader, block->offset) ||
	    !read_clocks(reader, block->n_frames, &reader->others))
		return 0;
	for (uint32_t i = 0; i < block->n_frames; i++)
		if (reader->others.times[i][0] <= wall_ns)
			found = i;
	return found;
}

static void keep_back(void *state, uint64_t bytes)
{
	struct reader *reader = state;

	reader->back_bytes = spool_share(reader->spool_fd, bytes);
}

static void close_reader(void *state)
{
	struct reader *reader = state;

	close(reader->finder.fd);
	if (reader->spool_fd >= 0)
		close(reader->spool_fd);
	for (unsigned i = 0; reader->topics && i < reader->description.n_topics; i++)
		row_decoder_close(&reader->topics[i].rows);
	row_decoder_close(&reader->notices.rows);
	free(reader->topics);
	description_free(&reader->description);
	buffer_free(&reader->incoming);
	buffer_free(&reader->newest);
	buffer_free(&reader->topics_section);
	buffer_free(&reader->window);
	buffer_free(&reader->scratch);
	buffer_free(&reader->content);
	allowance_close(&reader->allowance);
	free(reader->wanted);
	free(reader->head.sections);
	finder_close(&reader->finder);
	free(reader->clocks.times);
	free(reader->others.times);
	ZSTD_freeDCtx(reader->zstd);
	free(reader);
}

static const char *open_input(struct reader *reader, const struct recording_input *input)
{
	reader->finder.fd = input->fd;
	reader->finder.pipe = lseek(reader->finder.fd, 0, SEEK_CUR) < 0;
	reader->spool_fd = reader->finder.pipe && input->back_bytes > 0 ? spool_open() : -1;
	if (reader->finder.pipe && input->back_bytes > 0 && reader->spool_fd < 0)
		return strerror(errno);
	reader->back_bytes = spool_share(reader->spool_fd, input->back_bytes);
	buffer_add(&reader->incoming, input->first.at, span_length(input->first));
	return read_description(reader, input->schemas, input->n_schemas);
}

int recording_open(struct source *source, const struct recording_input *input, const char **why)
{
	struct reader *reader = alloc_zeroed(1, sizeof(*reader));

	reader->finder = (struct finder){
		.interrupted = input->interrupted, .pass_next = pass_next, .find_in = find_in_block
	};
	reader->loaded = NO_BLOCK;
	reader->zstd = ZSTD_createDCtx();
	reader->wanted = alloc_zeroed(input->n_schemas + 1, sizeof(*reader->wanted));
	memset(reader->wanted, true, input->n_schemas);
	reader->decoding.interrupted = input->interrupted;
	reader->notices.rows.shared = &reader->decoding;
	allowance_open(&reader->allowance, input->n_schemas + 2);
	*why = open_input(reader, input);
	if (*why) {
		close_reader(reader);
		return -EINVAL;
	}
	reader->no_wait = true;
	if (!reader->finder.pipe)
		read_index(reader);
	finder_give(&reader->finder, source);
	source->next = next;
	source->want = want;
	source->keep_back = keep_back;
	source->close = close_reader;
	return 0;
}
