/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording: writes the blocks of recording/writer.c to a file or pipe. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "output/sink.h"
#include "recording/writer.h"

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

/* The reader of a pipe waits for each sample. */
static int frame(struct sink *sink, const struct frame *frame)
{
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
	recording_writer_end(sink->recording, &sink->buffer);
	return write_blocks(sink);
}

const struct sink_format sink_record = { .name = "record", .records = true, .frame = frame, .end = end };
