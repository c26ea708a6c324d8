/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording: writes the blocks of recording/writer.c to a file or pipe. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/i18n.h"
#include "output/sink.h"
#include "recording/writer.h"
#include "sys/error_message.h"
#include "sys/file_series.h"

#define KEPT_PARTS 10 /* as many files remain in a directory where the oldest ones go */

static bool is_file(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int sink_drop(struct sink *sink, uint64_t from, uint64_t to)
{
	return fallocate(sink->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			 (off_t)(to - from)) < 0
		       ? -errno
		       : 0;
}

static int drop_oldest(struct sink *sink)
{
	uint64_t from, to;

	return recording_writer_drop(sink->recording, &from, &to) ? sink_drop(sink, from, to) : 0;
}

/* Truncates a partly written block, if the file was opened for this run only. */
static int write_blocks(struct sink *sink)
{
	long long length = (long long)sink->buffer.length;
	int error = sink_flush(sink);

	if (!error) {
		sink->good_bytes += length;
		sink->good_frames = recording_writer_frames(sink->recording);
		return drop_oldest(sink);
	}
	sink->frames = sink->good_frames;
	if (sink->own_file && ftruncate(sink->fd, (off_t)sink->good_bytes) < 0)
		return error; /* a pipe or device: the reader tolerates a torn end */
	return error;
}

static bool is_part_over(const struct sink *sink, const struct frame *frame)
{
	return (sink->keep_bytes > 0 && (uint64_t)sink->good_bytes >= sink->keep_bytes / KEPT_PARTS) ||
	       (sink->keep_ns > 0 && frame->mono_ns - sink->part_mono_ns >= sink->keep_ns / KEPT_PARTS);
}

/* Before the buffer is written. The first sample of a file is older than its last one by a part's length. */
static void drop_parts(struct sink *sink)
{
	uint64_t most_ns = sink->keep_ns - sink->keep_ns / KEPT_PARTS, now_ns = sink->part_wall_ns;

	file_series_note(sink->parts, (uint64_t)sink->good_bytes + sink->buffer.length, now_ns);
	file_series_keep(sink->parts, sink->keep_bytes,
			 sink->keep_ns > 0 && now_ns > most_ns ? now_ns - most_ns : 0);
}

/* The file is made when there is something to write: a run that is killed at once leaves none. */
static int write_part(struct sink *sink)
{
	long long length = (long long)sink->buffer.length;
	int error;

	if (sink->fd < 0)
		sink->fd = file_series_add(sink->parts);
	if (sink->fd < 0)
		return sink->fd;
	drop_parts(sink);
	error = sink_flush(sink);
	if (!error)
		sink->good_bytes += length;
	else if (ftruncate(sink->fd, (off_t)sink->good_bytes) < 0)
		return error; /* the reader tolerates a torn end */
	return error;
}

static void close_part(struct sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	sink->fd = -1;
	sink->good_bytes = 0;
	recording_writer_close(sink->recording);
	sink->recording = NULL;
	buffer_empty(&sink->buffer);
}

/* Where there is no room it goes on in another part as soon as there is; samples between are lost. */
static int judge_part(struct sink *sink, int error)
{
	if (!error) {
		sink->loses = false;
		return 0;
	}
	if (error != -ENOSPC && error != -EDQUOT)
		return error;
	if (!sink->loses)
		error_message(sink->name, _("%s; samples are lost until it can be written again"),
			      strerror(-error));
	sink->loses = true;
	close_part(sink);
	return 0;
}

static int end_part(struct sink *sink)
{
	int error;

	recording_writer_end(sink->recording, &sink->buffer);
	error = sink->buffer.length > 0 ? judge_part(sink, write_part(sink)) : 0;
	close_part(sink);
	return error;
}

static int add_to_part(struct sink *sink, const struct frame *frame)
{
	int error = sink->recording && is_part_over(sink, frame) ? end_part(sink) : 0;

	if (error)
		return error;
	if (!sink->recording) {
		sink->recording = recording_writer_open(frame, false);
		sink->part_mono_ns = frame->mono_ns;
	}
	sink->part_wall_ns = frame->wall_ns;
	recording_writer_add(sink->recording, frame, &sink->buffer);
	return sink->buffer.length > 0 ? judge_part(sink, write_part(sink)) : 0;
}

/* The reader of a pipe waits for each sample. */
static int frame(struct sink *sink, const struct frame *frame)
{
	if (sink->parts)
		return add_to_part(sink, frame);
	if (!sink->recording) {
		sink->recording = recording_writer_open(frame, !is_file(sink->fd));
		recording_writer_keep(sink->recording, sink->keep_bytes, sink->keep_ns);
	}
	recording_writer_add(sink->recording, frame, &sink->buffer);
	return sink->buffer.length > 0 ? write_blocks(sink) : 0;
}

static int end(struct sink *sink)
{
	if (!sink->recording)
		return 0;
	if (sink->parts)
		return end_part(sink);
	recording_writer_end(sink->recording, &sink->buffer);
	return write_blocks(sink);
}

const struct sink_format sink_record = { .name = "record", .records = true, .frame = frame, .end = end };
