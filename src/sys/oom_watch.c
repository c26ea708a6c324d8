/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.events of version 2, which poll(2) follows; an eventfd for memory.oom_control of version 1. */
#include <config.h>

#include "sys/oom_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
	if (file >= 0)
		close(file);
	if (control >= 0)
		close(control);
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
