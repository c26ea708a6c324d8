/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is in the directory of a file would wake up for each other file there: so writing is watched at the
 * file itself, and only its name at the directory.
 */
#include <config.h>

#include "sys/file_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/vector.h"
#include "sys/descriptor.h"

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

int file_changes_add(struct file_changes *changes, const char *path)
{
	struct watched file = { .file = -1 };
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	struct stat status;
	int error;

	if (*path != '/' || strlen(path) >= PATH_MAX)
		return -EINVAL;
	file.path = alloc_text(path);
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		file.directory =
			inotify_add_watch(changes->fd, path, NAMES | IN_CLOSE_WRITE | GONE | IN_MASK_ADD);
	} else {
		file.name = file.path + (slash + 1 - path);
		snprintf(directory, sizeof(directory), "%.*s", (int)(slash + 1 - path), path);
		file.directory =
			inotify_add_watch(changes->fd, directory, NAMES | GONE | IN_ONLYDIR | IN_MASK_ADD);
	}
	error = file.directory < 0 ? -errno : 0;
	if (!error && file.name)
		watch_file(changes, &file);
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

/* memory.events of version 2, which poll(2) follows; an eventfd for memory.oom_control of version 1. */

static int open_in(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* "DESCRIPTOR_OF_THE_EVENTFD DESCRIPTOR_OF_THE_FILE" */
static int register_event(const char *directory, int event_fd)
{
	int file = open_in(directory, "memory.oom_control", O_RDONLY);
	int control = open_in(directory, "cgroup.event_control", O_WRONLY), error = 0;
	char text[32];

	if (file >= 0 && control >= 0) {
		snprintf(text, sizeof(text), "%d %d", event_fd, file);
		error = write(control, text, strlen(text)) < 0 ? -errno : 0;
	}
	error = file < 0 ? file : control < 0 ? control : error;
	descriptor_close(file);
	descriptor_close(control);
	return error;
}

int oom_watch_open(const char *directory, int version, uint32_t *events)
{
	int fd, error;

	if (version == 2) {
		*events = EPOLLPRI;
		fd = open_in(directory, "memory.events", O_RDONLY);
		if (fd >= 0)
			oom_watch_reset(fd);
		return fd;
	}
	*events = EPOLLIN;
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	error = fd < 0 ? -errno : register_event(directory, fd);
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

void oom_watch_reset(int fd)
{
	char bytes[512];

	while (pread(fd, bytes, sizeof(bytes), 0) < 0 && errno == ESPIPE)
		if (read(fd, bytes, sizeof(uint64_t)) < 0)
			break;
}

/* Triggers of /proc/pressure; see Documentation/accounting/psi.rst. */

#define WINDOW_MIN 0.5
#define WINDOW_MAX 10.0
#define WINDOW_STEP 2.0 /* without rights */

static int open_with(const char *resource, bool full, double share, double window_seconds)
{
	char path[64], text[64];
	int fd, length;

	snprintf(path, sizeof(path), "/proc/pressure/%s", resource);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = snprintf(text, sizeof(text), "%s %.0f %.0f", full ? "full" : "some",
			  fmax(share * window_seconds * 1e6, 1), window_seconds * 1e6);
	if (write(fd, text, (size_t)length + 1) >= 0)
		return fd;
	length = -errno;
	close(fd);
	return length;
}

int pressure_trigger_open(const char *resource, bool full, double share, double *window_seconds)
{
	int fd;

	*window_seconds = fmin(fmax(*window_seconds, WINDOW_MIN), WINDOW_MAX);
	fd = open_with(resource, full, share, *window_seconds);
	if (fd >= 0 || fmod(*window_seconds, WINDOW_STEP) <= 0)
		return fd;
	*window_seconds = ceil(*window_seconds / WINDOW_STEP) * WINDOW_STEP;
	return open_with(resource, full, share, *window_seconds);
}
