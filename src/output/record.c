/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording: blocks of recording/writer.c in one file or pipe, or in the files of a directory. */
#include <config.h>

#include <sys/resource.h>
#include <unistd.h>

#include "output/sink.h"
#include "recording/writer.h"
#include "sys/file_series.h"
#include "sys/machine_clock.h"

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
static int end(struct sink *sink)
{
	bool lost = sink->lost.last_lost;
	int error = sink->recording ? end_recording(sink) : 0;

	sink->lost.last_lost |= lost;
	return error ? error : record_end(sink);
}

const struct sink_format sink_record = { .name = "record", .records = true, .frame = frame, .end = end };
