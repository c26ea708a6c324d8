/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unlinked files. */
#include <config.h>

#include "recording/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MEMORY_PART 4

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

int spool_drop(int fd, off_t from, off_t to)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from);
}

bool spool_reserve(int fd, off_t from, off_t length)
{
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, from, length) == 0 || (errno != ENOSPC && errno != EDQUOT);
}

uint64_t spool_free(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 ? (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize : 0;
}

uint64_t spool_share(int fd, uint64_t bytes)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC))
		return bytes / MEMORY_PART;
	return bytes;
}

bool pipe_is_empty(int fd)
{
	struct pollfd pipe = { .fd = fd, .events = POLLIN };

	return poll(&pipe, 1, 0) == 0;
}
