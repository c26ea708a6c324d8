/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers of /proc/pressure; see Documentation/accounting/psi.rst. */
#include <config.h>

#include "sys/pressure_trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
