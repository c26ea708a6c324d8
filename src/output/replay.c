/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a recording of either kind, told apart by its first bytes. */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "output/recording.h"
#include "recording/block.h"

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
