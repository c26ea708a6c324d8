/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unlinked files. */
#include <config.h>

#include "recording/spool.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int spool_open(void)
{
	const char *directory = secure_getenv("TMPDIR");
	int fd = open(directory && *directory ? directory : P_tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *file;

	if (fd >= 0)
		return fd;
	file = tmpfile(); /* file systems without O_TMPFILE */
	if (!file)
		return -1;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	return fd;
}

int spool_write(int fd, const char *bytes, size_t length, off_t offset)
{
	while (length > 0) {
		ssize_t written = pwrite(fd, bytes, length, offset);

		if (written < 0)
			return -1;
		offset += written;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

bool pipe_is_empty(int fd)
{
	struct pollfd pipe = { .fd = fd, .events = POLLIN };

	return poll(&pipe, 1, 0) == 0;
}
