/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of the kernel; files below a root: in a tree by openat2(2), or by following links itself. */
#include <config.h>

#include "sys/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/path_walk.h"
#include "sys/privilege.h"

static bool read_clock(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	struct timespec now;

	(void)clock;
	if (clock_gettime(which, &now) < 0)
		return false;
	*ns = clock_timespec_ns(now);
	return true;
}

static void pause_for(const struct machine_clock *clock, uint64_t ns)
{
	struct timespec left = clock_timespec(ns);

	(void)clock;
	nanosleep(&left, NULL);
}

const struct machine_clock real_clock = { read_clock, pause_for };

static _Atomic uint64_t stepped_ns; /* CLOCK_MONOTONIC as of the last step; 0: there was none */

void stepped_clock_step(uint64_t ns)
{
	uint64_t before_ns = atomic_load(&stepped_ns);

	atomic_store(&stepped_ns, (before_ns > 0 ? before_ns : real_mono_ns()) + ns);
}

/* The others are as far from CLOCK_MONOTONIC as the kernel's: one may be set, and the machine may sleep. */
static bool read_stepped(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	uint64_t mono_ns = atomic_load(&stepped_ns);

	if (!read_clock(clock, which, ns))
		return false;
	if (mono_ns > 0 && which == CLOCK_MONOTONIC)
		*ns = mono_ns;
	else if (mono_ns > 0 && (which == CLOCK_REALTIME || which == CLOCK_BOOTTIME))
		*ns += mono_ns - real_mono_ns();
	return true;
}

const struct machine_clock stepped_clock = { read_stepped, pause_for };

#define IN_ROOT 0x10
#define TRIES_MAX 16 /* where directories of the tree are being renamed */

struct open_argument {
	uint64_t flags, mode, resolve;
};

static int open_in_root(int fd, const char *path, int flags)
{
	struct open_argument how = { .flags = (uint64_t)flags, .resolve = IN_ROOT };
	int opened = -1;

	errno = EAGAIN;
	for (int tries = 0; opened < 0 && errno == EAGAIN && tries < TRIES_MAX; tries++)
		opened = (int)system_call(SYS_openat2, fd, path, &how, sizeof(how));
	if (opened < 0 && errno == EXDEV) /* a magic link of /proc */
		errno = ELOOP;
	return opened;
}

/* A tree that changes meanwhile may still lead out. */
static int open_by_hand(int fd, const char *path, int flags)
{
	char target[PATH_MAX];
	struct path_walk walk;
	int error = path_walk_start(&walk, path);

	while (!error && path_walk_next(&walk) != PATH_END) {
		ssize_t length;

		if (path_walk_is_last(&walk) && (flags & O_NOFOLLOW))
			break;
		length = *walk.done ? readlinkat(fd, walk.done, target, sizeof(target) - 1) : -1;
		if (length < 0)
			continue; /* no link; if it does not exist, openat(2) will say so */
		target[length] = '\0';
		error = path_walk_follow(&walk, target);
	}
	if (!error)
		return openat(fd, *walk.done ? walk.done : ".", flags | O_NOFOLLOW);
	errno = -error;
	return -1;
}

static int open_in_tree(const struct root *root, const char *path, int flags)
{
	return root->by_kernel ? open_in_root(root->fd, path, flags) : open_by_hand(root->fd, path, flags);
}

int root_open(struct root *root, const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), probe;

	if (fd < 0)
		return -errno;
	*root = (struct root){ .fd = fd, .is_tree = strcmp(path, "/") != 0 };
	if (!root->is_tree)
		return 0;
	probe = open_in_root(fd, ".", O_PATH | O_CLOEXEC);
	root->by_kernel = probe >= 0;
	if (probe >= 0)
		close(probe);
	return 0;
}

int root_open_at(const struct root *root, const char *path, int flags)
{
	int fd;

	flags |= O_CLOEXEC;
	if (!root->is_tree)
		return openat(root->fd, path, flags);
	fd = open_in_tree(root, path, (flags & O_PATH) ? flags : flags | O_NOATIME);
	return fd < 0 && errno == EPERM ? open_in_tree(root, path, flags) : fd;
}

ssize_t root_read_link(const struct root *root, const char *path, char *target, size_t room)
{
	int fd = root_open_at(root, path, O_PATH | O_NOFOLLOW);
	ssize_t length = fd < 0 ? -1 : readlinkat(fd, "", target, room);

	if (fd >= 0)
		close(fd);
	return length;
}
