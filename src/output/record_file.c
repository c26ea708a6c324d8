/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a recording: where samples cannot be written they are lost, what was written stays whole, and
 * it goes on there.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/i18n.h"
#include "output/sink.h"
#include "sys/error_message.h"
#include "sys/file_series.h"
#include "sys/machine_clock.h"
#include "sys/user_file.h"

bool record_is_file(int fd)
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

void record_lose(struct sink *sink, unsigned long n_samples, int error)
{
	uint64_t now_ns = clock_mono_ns(sink->clock);
	char text[TEXT_MAX];

	if (lost_samples_add(&sink->lost, n_samples, strerror(-error), now_ns, text, sizeof(text)))
		error_message(sink->name, "%s", text);
}

static void report_end(struct sink *sink)
{
	char text[TEXT_MAX];

	if (lost_samples_end(&sink->lost, text, sizeof(text)))
		error_message(sink->name, "%s", text);
}

int record_write(struct sink *sink, unsigned long n_samples, bool *written)
{
	long long length = (long long)sink->buffer.length;
	int error = write_buffer(sink);

	*written = !error;
	if (!error) {
		sink->good_bytes += length;
		sink->good_frames += n_samples;
		report_end(sink);
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

int record_end(struct sink *sink)
{
	char text[TEXT_MAX];

	if (lost_samples_rest(&sink->lost, text, sizeof(text)))
		error_message(sink->name, "%s", text);
	sink->reported = sink->lost.last_lost;
	return sink->lost.last_lost ? -EIO : 0;
}
