/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording: blocks of recording/writer.c in one file or pipe, or in the files of a directory; or JSON
 * lines, the first of which lists the columns, while each of the others is one raw frame. Where samples
 * cannot be written they are lost, what was written stays whole, and it goes on there.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/i18n.h"
#include "output/json.h"
#include "output/recording.h"
#include "output/sink.h"
#include "recording/writer.h"
#include "sys/descriptor.h"
#include "sys/machine.h"
#include "sys/user_file.h"

static bool record_is_file(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

bool record_is_removed(const struct sink *sink)
{
	struct stat status;

	return sink->fd >= 0 && sink->own_file && fstat(sink->fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_nlink == 0;
}

int sink_drop(struct sink *sink, uint64_t from, uint64_t to)
{
	return fallocate(sink->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			 (off_t)(to - from)) < 0
		       ? -errno
		       : 0;
}

/* The old file stays until these samples are there. A mounted one cannot be replaced; it is written again. */
static int replace_old(struct sink *sink)
{
	int error = user_file_replace(sink->old, &sink->buffer, S_IRUSR | S_IWUSR, false);
	int fd = error ? -1 : fcntl(sink->old->present, F_DUPFD_CLOEXEC, 0);

	if (!error)
		return fd < 0 ? -errno : fd;
	if (error == -EBUSY)
		sink->fd = user_file_create(sink->old, S_IRUSR | S_IWUSR);
	return error;
}

static int write_buffer(struct sink *sink)
{
	int fd, error;

	if (sink->fd < 0) {
		fd = sink->parts ? file_series_add(sink->parts, &sink->buffer) : replace_old(sink);
		if (fd < 0)
			return fd;
		sink->fd = fd;
		return 0;
	}
	if (record_is_removed(sink) && !sink->nameless)
		return -ENOENT;
	error = sink_flush(sink);
	return !error && sink->own_file ? user_file_finish(sink->fd, false) : error;
}

/* Can it be written again some time? */
static bool may_go_on(const struct sink *sink, int error)
{
	if (error == -ECANCELED)
		return false;
	if (sink->parts)
		return !file_series_is_removed(sink->parts);
	if (sink->fd < 0)
		return !user_file_is_removed(sink->old);
	return sink->own_file && record_is_file(sink->fd) && (sink->nameless || !record_is_removed(sink));
}

/* Where a torn end cannot be cut off, the next samples are written over it. */
static void cut_back(struct sink *sink)
{
	off_t end = (off_t)sink->good_bytes;

	if (sink->fd >= 0 && sink->own_file && record_is_file(sink->fd) && ftruncate(sink->fd, end) <= 0)
		lseek(sink->fd, end, SEEK_SET);
	buffer_empty(&sink->buffer);
}

static void record_lose(struct sink *sink, unsigned long n_samples, int error)
{
	uint64_t now_ns = clock_mono_ns(sink->clock);
	char text[TEXT_MAX];

	if (lost_samples_add(&sink->lost, n_samples, strerror(-error), now_ns, text, sizeof(text)))
		error_message(sink->name, "%s", text);
}

/* 0: written, or lost where there may be room later. Else as sink_flush(). */
static int record_write(struct sink *sink, unsigned long n_samples, bool *written)
{
	long long length = (long long)sink->buffer.length;
	int error = write_buffer(sink);
	char text[TEXT_MAX];

	*written = !error;
	if (!error) {
		sink->good_bytes += length;
		sink->good_frames += n_samples;
		if (lost_samples_end(&sink->lost, text, sizeof(text)))
			error_message(sink->name, "%s", text);
		return 0;
	}
	cut_back(sink);
	if (!may_go_on(sink, error)) {
		sink->frames = sink->good_frames;
		return error;
	}
	if (n_samples > 0)
		record_lose(sink, n_samples, error);
	return 0;
}

/* -EIO after a message if the last samples were lost. */
static int record_end(struct sink *sink)
{
	char text[TEXT_MAX];

	if (lost_samples_rest(&sink->lost, text, sizeof(text)))
		error_message(sink->name, "%s", text);
	sink->reported = sink->lost.last_lost;
	return sink->lost.last_lost ? -EIO : 0;
}

#define KEPT_PARTS 10 /* as many files remain in a directory where the oldest ones go */

/* Where a file may not be longer, it ends before. */
static uint64_t longest_part(const struct sink *sink)
{
	uint64_t most = sink->keep_bytes > 0 ? sink->keep_bytes / KEPT_PARTS : INT32_MAX;
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur / 2 < most)
		most = limit.rlim_cur / 2;
	return most;
}

static bool is_part_over(const struct sink *sink, const struct frame *frame)
{
	return (uint64_t)sink->good_bytes >= longest_part(sink) || record_is_removed(sink) ||
	       (sink->keep_ns > 0 && frame->mono_ns - sink->part_mono_ns >= sink->keep_ns / KEPT_PARTS);
}

/*
 * Of files: what has gone by since the first sample, also while suspended; but never later than the clock,
 * which may have been wrong then. So nothing goes because the clock was set.
 */
static void note_time(struct sink *sink, const struct frame *frame)
{
	uint64_t elapsed_ns;

	if (sink->first_wall_ns == 0) {
		sink->first_wall_ns = frame->wall_ns;
		sink->first_boot_ns = clock_boot_ns(sink->clock);
		file_series_judge(sink->parts, frame->wall_ns);
	} else if (frame->mono_ns > sink->last_mono_ns) {
		sink->sampled_ns += frame->mono_ns - sink->last_mono_ns;
	}
	sink->last_mono_ns = frame->mono_ns;
	elapsed_ns = clock_boot_ns(sink->clock) - sink->first_boot_ns;
	if (elapsed_ns < sink->sampled_ns) /* in a replay */
		elapsed_ns = sink->sampled_ns;
	sink->now_ns = sink->first_wall_ns + elapsed_ns;
	if (frame->wall_ns < sink->now_ns)
		sink->now_ns = frame->wall_ns;
}

/* The first sample of a file is older than its last one by a part's length; the next block has room, too. */
static int drop_parts(struct sink *sink)
{
	uint64_t most_ns = sink->keep_ns - sink->keep_ns / KEPT_PARTS, now_ns = sink->now_ns, most_bytes = 0;

	file_series_note(sink->parts, (uint64_t)sink->good_bytes, now_ns);
	if (sink->keep_bytes > 0)
		most_bytes = sink->keep_bytes > sink->most_written ? sink->keep_bytes - sink->most_written
								   : 1;
	return file_series_keep(sink->parts, most_bytes,
				sink->keep_ns > 0 && now_ns > most_ns ? now_ns - most_ns : 0);
}

static void close_part(struct sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	sink->fd = -1;
	sink->good_bytes = 0;
	sink->part_frames = 0;
	recording_writer_close(sink->recording);
	sink->recording = NULL;
	buffer_empty(&sink->buffer);
}

/* Only once newer samples are there. */
static void drop_oldest(struct sink *sink)
{
	uint64_t from, to;
	int error = 0;

	if (sink->parts)
		error = drop_parts(sink);
	else if (recording_writer_drop(sink->recording, &from, &to))
		sink_drop(sink, from, to); /* that it can was checked at the start */
	if (error)
		record_lose(sink, 0, error);
}

static int write_samples(struct sink *sink)
{
	unsigned long n_samples = recording_writer_frames(sink->recording) - sink->part_frames;
	size_t length = sink->buffer.length;
	bool written;
	int error = record_write(sink, n_samples, &written);

	if (!written) {
		recording_writer_lose(sink->recording, (uint64_t)sink->good_bytes, sink->part_frames);
		return error;
	}
	sink->part_frames += n_samples;
	if (length > sink->most_written)
		sink->most_written = length;
	drop_oldest(sink);
	return 0;
}

/* Blocks can be found without the index: where there is no room for it, nothing is lost. */
static int end_recording(struct sink *sink)
{
	bool written = true;
	int error = 0;

	recording_writer_flush(sink->recording, &sink->buffer);
	if (sink->buffer.length > 0)
		error = write_samples(sink);
	if (!error && sink->part_frames > 0) {
		recording_writer_end(sink->recording, &sink->buffer);
		error = record_write(sink, 0, &written);
	}
	if (sink->parts)
		close_part(sink);
	return error;
}

/* The reader of a pipe waits for each sample. A file begins with its first one, so that it is there. */
static int frame(struct sink *sink, const struct frame *frame)
{
	int error = 0;

	if (sink->parts) {
		if (sink->recording && is_part_over(sink, frame))
			error = end_recording(sink);
		note_time(sink, frame);
	}
	if (error)
		return error;
	if (!sink->recording) {
		sink->recording = recording_writer_open(frame, sink->fd >= 0 && !record_is_file(sink->fd));
		if (!sink->parts)
			recording_writer_keep(sink->recording, sink->keep_bytes, sink->keep_ns);
		sink->part_mono_ns = frame->mono_ns;
	}
	recording_writer_add(sink->recording, frame, &sink->buffer);
	if (sink->part_frames == 0)
		recording_writer_flush(sink->recording, &sink->buffer);
	return recording_writer_frames(sink->recording) > sink->part_frames ? write_samples(sink) : 0;
}

/* Of what was lost until the end, a last short block may find room. */
static int end_record(struct sink *sink)
{
	bool lost = sink->lost.last_lost;
	int error = sink->recording ? end_recording(sink) : 0;

	sink->lost.last_lost |= lost;
	return error ? error : record_end(sink);
}

const struct sink_format sink_record = {
	.name = "record", .records = true, .frame = frame, .end = end_record
};

static void add_schema(struct json_writer *json, const struct schema *schema)
{
	jsonw_key_open(json, schema->name, '{');
	jsonw_key_text(json, "shape", shape_name(schema->shape));
	jsonw_key_open(json, "columns", '[');
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_RATE)
			continue;
		jsonw_open(json, '{');
		jsonw_key_text(json, "key", column->key);
		jsonw_key_text(json, "type", type_name(column->type));
		jsonw_key_text(json, "kind", kind_name(column->kind));
		jsonw_key_text(json, "unit", unit_name(column->unit));
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

static void add_header(struct json_writer *json, const struct frame *frame)
{
	jsonw_open(json, '{');
	jsonw_key_text(json, "panetop", RECORDING_LINES);
	jsonw_key(json, "format");
	jsonw_u64(json, RECORDING_LINES_FORMAT);
	jsonw_key_text(json, "version", PACKAGE_VERSION);
	jsonw_key_open(json, "topics", '{');
	for (unsigned i = 0; i < frame->n_tables; i++)
		add_schema(json, frame->tables[i].schema);
	jsonw_close(json, '}');
	jsonw_close(json, '}');
}

/* Numbers too large for the integers of JSON readers are written as text. */
static void add_value(struct json_writer *json, const struct column *column, const void *row)
{
	char digits[24];

	if (column->type == VALUE_TEXT) {
		jsonw_text(json, row_text(row, column));
	} else if (row_is_blank(row, column)) {
		jsonw_bool(json, false);
	} else if (!row_is_known(row, column)) {
		jsonw_null(json);
	} else if (column->type == VALUE_F64) {
		jsonw_f64(json, row_f64(row, column));
	} else if (row_u64(row, column) > INT64_MAX) {
		snprintf(digits, sizeof(digits), "%" PRIu64, row_u64(row, column));
		jsonw_text(json, digits);
	} else {
		jsonw_u64(json, row_u64(row, column));
	}
}

static void add_table(struct json_writer *json, const struct table *table)
{
	jsonw_key_open(json, table->schema->name, '{');
	jsonw_key(json, "mono_ns");
	jsonw_u64(json, table->mono_ns);
	if (table->failed) {
		jsonw_key(json, "failed");
		jsonw_bool(json, true);
	}
	jsonw_key_open(json, "rows", '[');
	for (size_t r = 0; r < table->n_rows; r++) {
		jsonw_open(json, '[');
		for (unsigned c = 0; c < table->schema->n_columns; c++)
			if (table->schema->columns[c].kind != COLUMN_RATE)
				add_value(json, &table->schema->columns[c], table_row(table, r));
		jsonw_close(json, ']');
	}
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

/* The clock comes first: a seek only reads the start of a line. */
static void add_frame(struct json_writer *json, const struct frame *frame)
{
	jsonw_open(json, '{');
	jsonw_key(json, "wall_ns");
	jsonw_u64(json, frame->wall_ns);
	jsonw_key(json, "mono_ns");
	jsonw_u64(json, frame->mono_ns);
	jsonw_key_text(json, "host", frame->host);
	jsonw_key_open(json, "tables", '{');
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (frame->tables[i].present && !frame->tables[i].schema->derived)
			add_table(json, &frame->tables[i]);
	jsonw_close(json, '}');
	jsonw_key_open(json, "notices", '[');
	for (unsigned i = 0; i < frame->n_notices; i++)
		jsonw_notice(json, &frame->notices[i]);
	jsonw_close(json, ']');
	jsonw_close(json, '}');
}

static int add_line(struct sink *sink, const struct frame *frame)
{
	struct json_writer json = { .out = &sink->buffer };
	bool written;

	if (sink->good_bytes == 0) {
		add_header(&json, frame);
		buffer_char(&sink->buffer, '\n');
		json.need_comma = false;
	}
	add_frame(&json, frame);
	buffer_char(&sink->buffer, '\n');
	return record_write(sink, 1, &written);
}

const struct sink_format sink_record_lines = {
	.name = "record", .records = true, .frame = add_line, .end = record_end
};
