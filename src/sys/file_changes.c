/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is in the directory of a file would wake up for each other file there: so writing is watched at the
 * file itself, and only its name at the directory.
 */
#include <config.h>

#include "sys/file_changes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/vector.h"

#define NAMES (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
#define GONE (IN_DELETE_SELF | IN_MOVE_SELF)
#define READ_BYTES 16384

struct file_changes {
	int fd;
	uint64_t lost;
	struct watched {
		char *path;
		const char *name; /* in its directory, part of path; NULL: it is one */
		int directory;    /* its watch: of the directory, or of the one that it is */
		int file;         /* that of the file itself; -1: it does not exist */
	} * files;
	size_t n, capacity;
};

struct file_changes *file_changes_open(void)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct file_changes *changes;

	if (fd < 0)
		return NULL;
	changes = alloc_zeroed(1, sizeof(*changes));
	changes->fd = fd;
	return changes;
}

void file_changes_close(struct file_changes *changes)
{
	if (!changes)
		return;
	for (size_t i = 0; i < changes->n; i++)
		free(changes->files[i].path);
	free(changes->files);
	close(changes->fd);
	free(changes);
}

/* -1 where it does not exist, or may not be read. */
static void watch_file(struct file_changes *changes, struct watched *file)
{
	file->file = inotify_add_watch(changes->fd, file->path, IN_CLOSE_WRITE | IN_MASK_ADD);
}

static int watch_directory(struct file_changes *changes, struct watched *file)
{
	char directory[PATH_MAX];
	int length = (int)(file->name - file->path);

	snprintf(directory, sizeof(directory), "%.*s", length, file->path);
	file->directory = inotify_add_watch(changes->fd, directory, NAMES | GONE | IN_ONLYDIR | IN_MASK_ADD);
	if (file->directory < 0)
		return -errno;
	watch_file(changes, file);
	return 0;
}

int file_changes_add(struct file_changes *changes, const char *path)
{
	struct watched file = { .file = -1 };
	const char *slash = strrchr(path, '/');
	struct stat status;
	int error = 0;

	if (*path != '/' || strlen(path) >= PATH_MAX)
		return -EINVAL;
	file.path = alloc_text(path);
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		file.directory =
			inotify_add_watch(changes->fd, path, NAMES | IN_CLOSE_WRITE | GONE | IN_MASK_ADD);
		error = file.directory < 0 ? -errno : 0;
	} else {
		file.name = file.path + (slash + 1 - path);
		error = watch_directory(changes, &file);
	}
	if (error)
		free(file.path);
	else
		*VECTOR_ADD(changes->files, changes->n, changes->capacity) = file;
	return error;
}

int file_changes_fd(const struct file_changes *changes)
{
	return changes->fd;
}

/* Another file may have its name now. */
static bool has_changed(struct file_changes *changes, struct watched *file, const struct inotify_event *event)
{
	bool of_name = event->len > 0 && file->name && strcmp(event->name, file->name) == 0;

	if (event->wd == file->directory && (event->mask & GONE)) {
		changes->lost++;
		return true;
	}
	if (!file->name)
		return event->wd == file->directory && (event->mask & (NAMES | IN_CLOSE_WRITE));
	if (event->wd == file->directory && of_name && (event->mask & NAMES)) {
		watch_file(changes, file);
		return true;
	}
	return event->wd == file->file && event->len == 0 && (event->mask & IN_CLOSE_WRITE);
}

void file_changes_read(struct file_changes *changes, void (*each)(void *context, size_t file), void *context)
{
	_Alignas(struct inotify_event) char bytes[READ_BYTES];
	ssize_t length;

	while ((length = read(changes->fd, bytes, sizeof(bytes))) > 0) {
		const struct inotify_event *event;

		for (char *at = bytes; at < bytes + length; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)(void *)at;
			changes->lost += (event->mask & IN_Q_OVERFLOW) != 0;
			for (size_t i = 0; i < changes->n; i++)
				if (has_changed(changes, &changes->files[i], event))
					each(context, i);
		}
	}
}

uint64_t file_changes_lost(const struct file_changes *changes)
{
	return changes->lost;
}
