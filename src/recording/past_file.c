/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frees the oldest blocks of the file in place, and copies around the holes when the past is saved. */
#include <config.h>

#include "recording/past_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/lost_samples.h"
#include "recording/reader.h"
#include "recording/spool.h"
#include "recording/writer.h"

#define COPY_BYTES 65536
#define ROOM_BLOCKS 2 /* of the longest that was written */

struct past_file {
	int fd;
	uint64_t end; /* offset behind the last byte written */
	uint64_t age_ns, most_bytes;
	struct recording_writer *writer; /* opened with the first frame */
	size_t n_frames;                 /* that are in the file, or were dropped */
	size_t most_written;             /* at a time */
	uint64_t mono_ns;                /* of the last frame */
	struct lost_samples lost;
	char message[TEXT_MAX], given[TEXT_MAX]; /* about them: not given yet, and to be read */
	struct buffer waiting;           /* bytes of the writer that are not in the file yet */
	const struct schema *const *schemas;
	unsigned n_schemas;
};

static int open_in(const char *directory, const char *below)
{
	char path[PATH_MAX];

	if (!directory || *directory != '/')
		return -1;
	snprintf(path, sizeof(path), "%s%s", directory, below);
	return open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

static int open_unlinked(void)
{
	int fd = open_in(secure_getenv("XDG_CACHE_HOME"), "");

	if (fd < 0)
		fd = open_in(secure_getenv("HOME"), "/.cache");
	if (fd < 0)
		fd = open_in("/var/tmp", "");
	return fd < 0 ? spool_open() : fd;
}

struct past_file *past_file_open(double seconds, uint64_t bytes, const struct schema *const *schemas,
				 unsigned n_schemas)
{
	int fd = open_unlinked();
	struct past_file *file;

	if (fd < 0)
		return NULL;
	file = alloc_zeroed(1, sizeof(*file));
	*file = (struct past_file){
		.fd = fd,
		.age_ns = (uint64_t)(seconds * 1e9),
		.most_bytes = spool_share(fd, bytes),
		.schemas = schemas,
		.n_schemas = n_schemas,
	};
	return file;
}

void past_file_close(struct past_file *file)
{
	if (file->writer)
		recording_writer_close(file->writer);
	buffer_free(&file->waiting);
	close(file->fd);
	free(file);
}

/* What can go by now is given back to the disk. */
static void drop(struct past_file *file, uint64_t most_bytes)
{
	uint64_t from, to;

	recording_writer_keep(file->writer, most_bytes, file->age_ns);
	while (recording_writer_drop(file->writer, &from, &to))
		spool_drop(file->fd, (off_t)from, (off_t)to);
}

/* Where a file may not be longer, another one begins. */
static void forget_all(struct past_file *file)
{
	recording_writer_close(file->writer);
	file->writer = NULL;
	file->end = file->n_frames = 0;
	if (ftruncate(file->fd, 0) < 0)
		return; /* the new recording overwrites the old one */
}

/*
 * The next samples have room before they come, so that the oldest ones only go when newer ones are there,
 * also on a full disk; chains, which go as a whole, are short where there is little room.
 */
static void make_room(struct past_file *file)
{
	uint64_t near = file->most_bytes, free_bytes, room = ROOM_BLOCKS * (uint64_t)file->most_written;

	drop(file, file->most_bytes);
	for (uint64_t most = past_file_bytes(file), least = most / 2;
	     !spool_reserve(file->fd, (off_t)file->end, (off_t)room) && most > least; most -= most / 10)
		drop(file, most);
	free_bytes = past_file_bytes(file) + spool_free(file->fd) / 2;
	if (free_bytes < near)
		near = free_bytes;
	recording_writer_keep(file->writer, near, file->age_ns);
}

/* What does not fit is lost, not what is there. */
static void write_samples(struct past_file *file)
{
	size_t length = file->waiting.length;
	int error;

	if (recording_writer_frames(file->writer) <= file->n_frames)
		return;
	error = spool_write(file->fd, file->waiting.bytes, length, (off_t)file->end) < 0 ? -errno : 0;
	buffer_empty(&file->waiting);
	if (!error) {
		file->end += length;
		file->n_frames = recording_writer_frames(file->writer);
		if (length > file->most_written)
			file->most_written = length;
		lost_samples_end(&file->lost, file->message, sizeof(file->message));
		make_room(file);
		return;
	}
	lost_samples_add(&file->lost, recording_writer_frames(file->writer) - file->n_frames,
			 strerror(-error), file->mono_ns, file->message, sizeof(file->message));
	if (error == -EFBIG && file->end > 0)
		forget_all(file);
	else
		recording_writer_lose(file->writer, file->end, file->n_frames);
}

const char *past_file_keep(struct past_file *file, const struct frame *frame)
{
	if (!file->writer) {
		file->writer = recording_writer_open(frame, false);
		recording_writer_add_findings(file->writer);
	}
	file->mono_ns = frame->mono_ns;
	recording_writer_add(file->writer, frame, &file->waiting);
	write_samples(file);
	memcpy(file->given, file->message, sizeof(file->given));
	*file->message = '\0';
	return *file->given ? file->given : NULL;
}

uint64_t past_file_bytes(const struct past_file *file)
{
	struct stat status;

	return fstat(file->fd, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
}

/* Writes what the writer holds back, if that is possible. -ENODATA: nothing is kept. */
static int flush(struct past_file *file)
{
	if (file->writer) {
		recording_writer_flush(file->writer, &file->waiting);
		write_samples(file);
	}
	return file->n_frames > 0 ? 0 : -ENODATA;
}

int past_file_read(struct past_file *file, struct source *source)
{
	struct recording_input input = { .schemas = file->schemas, .n_schemas = file->n_schemas };
	const char *why;
	int error = flush(file);

	if (error)
		return error;
	input.fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (input.fd < 0)
		return -errno;
	return recording_open(source, &input, &why);
}

/* Holes stay holes. */
static int copy(int from, int to, off_t end)
{
	char bytes[COPY_BYTES];
	off_t at = 0;

	while (at < end && (at = lseek(from, at, SEEK_DATA)) >= 0) {
		off_t hole = lseek(from, at, SEEK_HOLE);

		while (at < hole) {
			size_t most = hole - at < COPY_BYTES ? (size_t)(hole - at) : COPY_BYTES;
			ssize_t got = pread(from, bytes, most, at);

			if (got <= 0 || spool_write(to, bytes, (size_t)got, at) < 0)
				return got == 0 ? -EIO : -errno;
			at += got;
		}
	}
	return ftruncate(to, end) < 0 ? -errno : 0;
}

int past_file_save(struct past_file *file, int fd)
{
	int error = flush(file);

	return error ? error : copy(file->fd, fd, (off_t)file->end);
}
