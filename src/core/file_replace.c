/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces a file as a whole, by a temporary file beside it and rename(2). */
#include <config.h>

#include "core/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"

/* The directory of path, with its slash: "" is the current one. */
static int directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* A file that does not exist yet, in a directory that does. */
static int resolve_new(const char *path, char *resolved)
{
	char directory[PATH_MAX], real[PATH_MAX];
	int length = directory_length(path);

	if (path[length] == '\0')
		return -EISDIR;
	if (snprintf(directory, sizeof(directory), "%.*s", length, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!realpath(length > 0 ? directory : ".", real))
		return -errno;
	if (snprintf(resolved, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real, path + length) >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

static int resolve(const char *path, char *resolved)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? resolve_new(path, resolved) : -errno;
	if (!realpath(path, resolved))
		return -errno;
	if (stat(resolved, &status) < 0)
		return -errno;
	return S_ISREG(status.st_mode) ? 0 : -EEXIST;
}

/* Hidden, and with another ending: programs that read all files of a directory pass it over. */
static int name_temporary(const char *target, char *temporary)
{
	int length = directory_length(target);

	return snprintf(temporary, PATH_MAX, "%.*s.%s.%ld", length, target, target + length, (long)getpid()) <
			       PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

/* A file that a killed process with the same number left is removed. */
static int open_temporary(const char *temporary)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(temporary, flags, 0644);

	if (fd < 0 && errno == EEXIST && unlink(temporary) == 0)
		fd = open(temporary, flags, 0644);
	return fd < 0 ? -errno : fd;
}

int file_replace_open(const char *path, char **target)
{
	char resolved[PATH_MAX], temporary[PATH_MAX];
	int fd, error = resolve(path, resolved);

	if (!error)
		error = name_temporary(resolved, temporary);
	if (error)
		return error;
	fd = open_temporary(temporary);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(temporary);
	*target = alloc_text(resolved);
	return 0;
}

int file_replace(const char *target, struct buffer *buffer)
{
	char temporary[PATH_MAX];
	int fd, error = name_temporary(target, temporary);

	if (error)
		return error;
	fd = open_temporary(temporary);
	if (fd < 0)
		return fd;
	error = buffer_write(buffer, fd, -1);
	if (close(fd) < 0 && !error)
		error = -errno;
	if (!error && rename(temporary, target) < 0)
		error = -errno;
	if (error)
		unlink(temporary);
	return error;
}
