/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a file or a pipe by their offset, and the replay of JSON lines, with columns matched by key. */
#include <config.h>

#include "output/recording.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "recording/block.h"
#include "recording/finder.h"
#include "recording/spool.h"

#define READ_BYTES ((size_t)64 * 1024)
#define LONGEST_LEAST ((uint64_t)1024 * 1024)
#define LONGEST_MOST ((uint64_t)64 * 1024 * 1024)
#define PARSED_TIMES 256 /* its line in memory, with room for other programs */

size_t line_reader_longest(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t longest = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / PARSED_TIMES
						       : LONGEST_LEAST;

	longest = longest < LONGEST_LEAST ? LONGEST_LEAST : longest;
	return (size_t)(longest > LONGEST_MOST ? LONGEST_MOST : longest);
}

/* Where the disk is full what comes is read all the same, but not again. */
static void add_to_spool(struct line_reader *reader, const char *bytes, size_t length)
{
	off_t from = reader->spooled;

	if (reader->spool_fd < 0)
		return;
	reader->spooled += (off_t)length;
	reader->spool_error = spool_write(reader->spool_fd, bytes, length, from) < 0 ? errno : 0;
	if (!reader->spool_error)
		return;
	if (reader->hole_end == 0)
		reader->hole = from;
	reader->hole_end = reader->spooled;
}

/* A hole has empty lines. */
static ssize_t read_spool(const struct line_reader *reader, off_t offset, char *bytes)
{
	size_t most = READ_BYTES;

	if (offset < reader->hole && reader->hole - offset < (off_t)most)
		most = (size_t)(reader->hole - offset);
	if (offset < reader->hole || offset >= reader->hole_end)
		return pread(reader->spool_fd, bytes, most, offset);
	if (reader->hole_end - offset < (off_t)most)
		most = (size_t)(reader->hole_end - offset);
	memset(bytes, '\n', most);
	return (ssize_t)most;
}

int line_reader_open(struct line_reader *reader, int fd, struct span first, uint64_t back_bytes)
{
	*reader = (struct line_reader){ .fd = fd, .spool_fd = -1, .longest = line_reader_longest() };
	reader->pipe = lseek(fd, 0, SEEK_CUR) < 0;
	if (!reader->pipe)
		return 0;
	buffer_add(&reader->window, first.at, span_length(first));
	if (back_bytes == 0)
		return 0;
	reader->spool_fd = spool_open();
	reader->back_bytes = spool_share(reader->spool_fd, back_bytes);
	if (reader->spool_fd < 0)
		return -errno;
	add_to_spool(reader, first.at, span_length(first));
	return 0;
}

void line_reader_close(struct line_reader *reader)
{
	close(reader->fd);
	if (reader->spool_fd >= 0)
		close(reader->spool_fd);
	buffer_free(&reader->window);
}

static ssize_t fetch(struct line_reader *reader, off_t offset, char *bytes)
{
	ssize_t got;

	if (!reader->pipe)
		return pread(reader->fd, bytes, READ_BYTES, offset);
	if (offset < reader->spooled)
		return read_spool(reader, offset, bytes);
	if (reader->no_wait && pipe_is_empty(reader->fd)) {
		errno = EAGAIN;
		return -1;
	}
	got = read(reader->fd, bytes, READ_BYTES);
	if (got > 0)
		add_to_spool(reader, bytes, (size_t)got);
	return got;
}

/* Makes the window start at offset. */
static void move_window(struct line_reader *reader, off_t offset)
{
	struct buffer *window = &reader->window;
	off_t skip = offset - reader->window_offset;

	if (skip < 0 || (size_t)skip > window->length) {
		window->length = 0;
	} else if (skip > 0) {
		window->length -= (size_t)skip;
		memmove(window->bytes, window->bytes + skip, window->length);
	}
	reader->window_offset = offset;
}

int line_reader_get(struct line_reader *reader, off_t offset, struct span *line, off_t *next)
{
	struct buffer *window = &reader->window;
	char bytes[READ_BYTES];
	size_t searched = 0;

	move_window(reader, offset);
	for (;;) {
		const char *newline = window->length > searched ? memchr(window->bytes + searched, '\n',
									 window->length - searched)
								: NULL;
		ssize_t got;

		if (newline) {
			*line = (struct span){ .at = window->bytes, .end = newline };
			*next = offset + (newline - window->bytes) + 1;
			return 1;
		}
		searched = window->length;
		if (window->length > reader->longest)
			return -EFBIG;
		got = fetch(reader, offset + (off_t)window->length, bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return window->length > 0 ? -EPIPE : 0;
		buffer_add(window, bytes, (size_t)got);
	}
}

int line_reader_drop(struct line_reader *reader, off_t offset)
{
	if (offset <= reader->dropped)
		return 0;
	if (spool_drop(reader->spool_fd, reader->dropped, offset) < 0)
		return -errno;
	reader->dropped = offset;
	return 0;
}

#define STRANGE_BYTES (1024 * 1024) /* of a pipe without an object: then it is something else */

/* Maps each recorded column to a column of this version; NULL: unknown, its values are skipped. */
struct column_map {
	const struct column **columns;
	size_t n_columns;
};

struct replay {
	struct finder finder; /* of lines that look like frames */
	struct line_reader reader;
	struct column_map *maps; /* one for each schema */
	unsigned n_schemas;
	struct buffer header; /* the first line */
	size_t strange; /* bytes before the end of what was found that are no object */
	size_t n_lines; /* found so far, with the header */
	struct allowance allowance;
};

static void map_topic(struct column_map *map, const struct schema *schema, const json_t *columns)
{
	map->n_columns = json_array_size(columns);
	map->columns = alloc_zeroed(map->n_columns, sizeof(*map->columns));
	for (size_t i = 0; i < map->n_columns; i++) {
		const char *key = json_string_value(json_object_get(json_array_get(columns, i), "key"));
		int index = key ? schema_column(schema, key) : -1;

		if (index >= 0 && schema->columns[index].kind != COLUMN_RATE)
			map->columns[i] = &schema->columns[index];
	}
}

/* Reads the first line. On failure *why is the reason. */
static int read_header(struct replay *replay, const struct schema *const *schemas, const char **why)
{
	struct span line;
	int got = line_reader_get(&replay->reader, 0, &line, &replay->finder.end);
	json_t *header = got == 1 ? json_loadb(line.at, span_length(line), 0, NULL) : NULL;
	const char *magic = json_string_value(json_object_get(header, "panetop"));
	json_int_t format = json_integer_value(json_object_get(header, "format"));
	const json_t *recorded = json_object_get(header, "topics");

	if (got < 0 && got != -EPIPE) {
		*why = strerror(-got);
	} else if (!magic || strcmp(magic, RECORDING_LINES) != 0) {
		*why = _("not a panetop recording");
	} else if (format > RECORDING_LINES_FORMAT) {
		*why = _("recorded by a newer version of panetop");
	} else {
		for (unsigned i = 0; i < replay->n_schemas; i++)
			map_topic(&replay->maps[i], schemas[i],
				  json_object_get(json_object_get(recorded, schemas[i]->name), "columns"));
		*why = NULL;
		buffer_add(&replay->header, line.at, span_length(line));
		replay->n_lines = 1;
	}
	json_decref(header);
	return *why ? -EINVAL : 0;
}

/* A recorded integer: a number, or text if it was too large. */
static uint64_t to_u64(const json_t *value)
{
	const char *text = json_string_value(value);
	struct span span;
	uint64_t number;

	if (json_is_false(value))
		return U64_BLANK;
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return (uint64_t)json_integer_value(value);
	if (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) < 9e18)
		return (uint64_t)json_real_value(value);
	span = span_text(text ? text : "");
	return span_u64(&span, &number) ? number : U64_UNKNOWN;
}

/* A missing clock is 0, for which no rate is derived. */
static uint64_t to_clock(const json_t *value)
{
	uint64_t ns = to_u64(value);

	return ns >= U64_BLANK ? 0 : ns;
}

static void set_value(struct frame *frame, void *row, const struct column *column, const json_t *value)
{
	const char *text = json_string_value(value);

	if (column->type == VALUE_U64)
		row_set_u64(row, column, to_u64(value));
	else if (column->type == VALUE_F64)
		row_set_f64(row, column, json_is_number(value) ? json_number_value(value) : NAN);
	else if (text)
		row_set_text(row, column, arena_copy(&frame->arena, text, strlen(text)));
}

/* How many of the rows the table may have. */
static size_t allowed_rows(struct replay *replay, unsigned index, const struct schema *schema, size_t wanted)
{
	uint64_t row_bytes = allowance_row_bytes(schema_row_bytes(schema) / sizeof(uint64_t));
	size_t most = allowance_room(&replay->allowance, index) / row_bytes;
	size_t n_rows = wanted < most ? wanted : most;

	allowance_hold(&replay->allowance, index, n_rows * row_bytes);
	return n_rows;
}

static void read_table(struct replay *replay, unsigned index, struct frame *frame, const json_t *recorded)
{
	const json_t *rows = json_object_get(recorded, "rows");
	const struct column_map *map = &replay->maps[index];
	struct table *table = &frame->tables[index];
	size_t n_rows = allowed_rows(replay, index, table->schema, json_array_size(rows));

	table->present = true;
	table->failed = json_is_true(json_object_get(recorded, "failed"));
	table->mono_ns = to_clock(json_object_get(recorded, "mono_ns"));
	if (n_rows < json_array_size(rows)) {
		frame_notice(frame, "replay", NULL, "%s", allowance_exceeded());
		n_rows = 0;
	}
	for (size_t r = 0; r < n_rows; r++) {
		const json_t *values = json_array_get(rows, r);
		void *row = table_add(table);

		for (size_t c = 0; c < json_array_size(values) && c < map->n_columns; c++)
			if (map->columns[c])
				set_value(frame, row, map->columns[c], json_array_get(values, c));
	}
}

static void read_notices(struct frame *frame, const json_t *notices)
{
	for (size_t i = 0; i < json_array_size(notices); i++) {
		const json_t *notice = json_array_get(notices, i);
		const char *topic = json_string_value(json_object_get(notice, "topic"));
		const char *text = json_string_value(json_object_get(notice, "text"));

		if (topic && text)
			frame_notice(frame, topic, json_string_value(json_object_get(notice, "remedy")), "%s",
				     text);
	}
}

static void read_frame(struct replay *replay, struct frame *frame, const json_t *line)
{
	const json_t *recorded = json_object_get(line, "tables");
	const char *host = json_string_value(json_object_get(line, "host"));

	frame->wall_ns = to_clock(json_object_get(line, "wall_ns"));
	frame->mono_ns = to_clock(json_object_get(line, "mono_ns"));
	if (host)
		frame->host = arena_copy(&frame->arena, host, strlen(host));
	for (unsigned i = 0; i < replay->n_schemas; i++) {
		const json_t *table = json_object_get(recorded, frame->tables[i].schema->name);

		if (table)
			read_table(replay, i, frame, table);
	}
	read_notices(frame, json_object_get(line, "notices"));
}

/* The clock at the start of a line as record.c writes it; any other order needs a full parse. */
static uint64_t wall_of(struct span line)
{
	static const char front[] = "{\"wall_ns\":";
	uint64_t wall_ns;
	struct span rest = line;
	json_t *parsed;

	if (span_starts(line, front)) {
		rest.at += sizeof(front) - 1;
		if (span_u64(&rest, &wall_ns))
			return wall_ns;
	}
	parsed = json_loadb(line.at, span_length(line), 0, NULL);
	wall_ns = to_clock(json_object_get(parsed, "wall_ns"));
	json_decref(parsed);
	return wall_ns;
}

static void add_place(struct replay *replay, struct span line)
{
	uint64_t wall_ns = wall_of(line);

	finder_add(&replay->finder, (struct recording_part){
					    .offset = replay->finder.end,
					    .number = replay->n_lines,
					    .min_ns = wall_ns,
					    .max_ns = wall_ns,
					    .n_frames = 1,
				    });
}

/*
 * Concatenated recordings: with the same header they continue as one, otherwise the replay ends, because the
 * columns of the first header do not fit the rest.
 */
static void take_line(struct replay *replay, struct span line)
{
	replay->strange = span_starts(line, "{") ? 0 : replay->strange + span_length(line) + 1;
	if (replay->reader.pipe && replay->strange > STRANGE_BYTES)
		finder_end(&replay->finder, _("what follows is not a recording; replay stops there"));
	else if (!span_starts(line, "{\"panetop\":"))
		add_place(replay, line);
	else if (span_length(line) != replay->header.length ||
		 memcmp(line.at, replay->header.bytes, replay->header.length) != 0)
		finder_end(&replay->finder,
			   _("another recording with different columns follows; replay stops there"));
}

/* Gives back the oldest lines of a pipe that is kept, an eighth of them at a time. */
static void drop_oldest(struct replay *replay)
{
	const struct finder *finder = &replay->finder;
	uint64_t most = replay->reader.back_bytes;
	size_t n_dropped = 0;
	int error;

	if (finder->n_parts == 0 || (uint64_t)(finder->end - finder->parts[0].offset) <= most)
		return;
	while (n_dropped + 1 < finder->n_parts &&
	       (uint64_t)(finder->end - finder->parts[n_dropped].offset) > most - most / 8)
		n_dropped++;
	finder_drop(&replay->finder, n_dropped);
	error = line_reader_drop(&replay->reader, finder->parts[0].offset);
	if (error)
		finder_end(&replay->finder, strerror(-error));
}

static int pass_next(void *state)
{
	struct replay *replay = state;
	struct span line;
	off_t after;
	int got = line_reader_get(&replay->reader, replay->finder.end, &line, &after);

	if (got == -EPIPE) {
		finder_end(&replay->finder,
			   _("the recording ends in the middle of a line; complete lines were read"));
		got = 0;
	}
	if (got == -EFBIG) {
		finder_end(&replay->finder,
			   _("a line is longer than what fits into memory when it is parsed; replay "
			     "stops there"));
		got = 0;
	}
	if (got == 0)
		replay->finder.whole = true;
	if (got != 1)
		return got;
	replay->n_lines++;
	take_line(replay, line);
	replay->finder.end = after;
	if (replay->reader.spool_fd >= 0)
		drop_oldest(replay);
	return 1;
}

/* 1 for a frame, 0 for a damaged line. */
static int read_line(struct replay *replay, struct frame *frame, struct span line)
{
	json_t *parsed = json_loadb(line.at, span_length(line), 0, NULL);
	bool good = json_is_object(json_object_get(parsed, "tables"));

	if (good)
		read_frame(replay, frame, parsed);
	json_decref(parsed);
	return good;
}

static int next(void *state, struct frame *frame)
{
	struct replay *replay = state;
	uint64_t damaged = 0;

	for (;;) {
		int got = finder_reach_next(&replay->finder);
		const struct recording_part *part = NULL;
		struct span line;
		off_t after;

		if (got == 1) {
			part = &replay->finder.parts[replay->finder.next];
			got = line_reader_get(&replay->reader, part->offset, &line, &after);
		}
		if (got != 1) {
			if (damaged && got == 0)
				replay->finder.remark = _("the last line is damaged");
			return got;
		}
		replay->finder.next++;
		allowance_set_size(&replay->allowance, (uint64_t)replay->finder.end);
		if (read_line(replay, frame, line))
			break;
		if (finder_is_interrupted(&replay->finder))
			return -EINTR;
		damaged = part->number;
	}
	if (replay->reader.spool_error)
		frame_notice(frame, "replay", NULL, _("%s; samples are lost until it can be written again"),
			     strerror(replay->reader.spool_error));
	if (damaged)
		frame_notice(frame, "replay", NULL, _("line %zu of the recording is damaged"),
			     (size_t)damaged);
	allowance_next_sample(&replay->allowance);
	return 1;
}

static void keep_back(void *state, uint64_t bytes)
{
	struct replay *replay = state;

	replay->reader.back_bytes = spool_share(replay->reader.spool_fd, bytes);
}

static void close_replay(void *state)
{
	struct replay *replay = state;

	line_reader_close(&replay->reader);
	buffer_free(&replay->header);
	for (unsigned i = 0; i < replay->n_schemas; i++)
		free(replay->maps[i].columns);
	free(replay->maps);
	finder_close(&replay->finder);
	allowance_close(&replay->allowance);
	free(replay);
}

static int replay_lines_open(struct source *source, const struct recording_input *input, const char **why)
{
	struct replay *replay = alloc_zeroed(1, sizeof(*replay));
	int error = line_reader_open(&replay->reader, input->fd, input->first, input->back_bytes);

	replay->n_schemas = input->n_schemas;
	replay->maps = alloc_zeroed(replay->n_schemas, sizeof(*replay->maps));
	replay->finder = (struct finder){
		.fd = input->fd,
		.pipe = replay->reader.pipe,
		.interrupted = input->interrupted,
		.pass_next = pass_next,
	};
	allowance_open(&replay->allowance, replay->n_schemas);
	if (error)
		*why = strerror(-error);
	else
		error = read_header(replay, input->schemas, why);
	replay->reader.no_wait = true;
	if (error) {
		close_replay(replay);
		return error;
	}
	finder_give(&replay->finder, source);
	source->next = next;
	source->keep_back = keep_back;
	source->close = close_replay;
	return 0;
}

/* The first bytes; those of a pipe are taken from it. How many, or -errno. */
static ssize_t look_at(int fd, char bytes[RECORDING_MAGIC_BYTES])
{
	bool pipe = lseek(fd, 0, SEEK_CUR) < 0;
	size_t length = 0;

	while (length < RECORDING_MAGIC_BYTES) {
		ssize_t got = pipe ? read(fd, bytes + length, RECORDING_MAGIC_BYTES - length)
				   : pread(fd, bytes + length, RECORDING_MAGIC_BYTES - length, (off_t)length);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		length += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)length;
}

/* Told apart by the first bytes. */
int replay_open(struct source *source, const struct recording_input *input, const char **why)
{
	struct recording_input looked_at = *input;
	char bytes[RECORDING_MAGIC_BYTES];
	ssize_t length = look_at(input->fd, bytes);

	if (length < 0) {
		close(input->fd);
		*why = strerror((int)-length);
		return (int)length;
	}
	looked_at.first = span_of(bytes, (size_t)length);
	if (length == RECORDING_MAGIC_BYTES && memcmp(bytes, RECORDING_MAGIC, RECORDING_MAGIC_BYTES) == 0)
		return recording_open(source, &looked_at, why);
	return replay_lines_open(source, &looked_at, why);
}

bool recording_is_lines(const char *file)
{
	static const char suffix[] = ".jsonl";
	size_t length = strlen(file);

	return length >= sizeof(suffix) && strcmp(file + length - (sizeof(suffix) - 1), suffix) == 0;
}
