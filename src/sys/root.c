/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens files below a root; in a tree by openat2(2), or by following links itself. */
#include <config.h>

#include "sys/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

#define IN_ROOT 0x10
#define LINKS_MAX 40
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
		opened = (int)syscall(SYS_openat2, fd, path, &how, sizeof(how));
	if (opened < 0 && errno == EXDEV) /* a magic link of /proc */
		errno = ELOOP;
	return opened;
}

/* The part of a path that is resolved, without links, and the part that is not. */
struct walk {
	char done[2 * PATH_MAX]; /* a link longer than PATH_MAX is not followed */
	char rest[PATH_MAX];
	unsigned n_links;
};

static void go_up(struct walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	*(slash ? slash : walk->done) = '\0';
}

/* Moves the first name of the rest; false at the end of the path. */
static bool next_name(struct walk *walk)
{
	size_t start = strspn(walk->rest, "/"), length = strcspn(walk->rest + start, "/");
	size_t done = strlen(walk->done);
	const char *name = walk->rest + start;

	if (length == 0)
		return false;
	if (length == 2 && memcmp(name, "..", 2) == 0)
		go_up(walk);
	else if (!(length == 1 && *name == '.'))
		snprintf(walk->done + done, sizeof(walk->done) - done, "%s%.*s", done ? "/" : "", (int)length,
			 name);
	memmove(walk->rest, name + length, strlen(name + length) + 1);
	return true;
}

/* The link that done has led to is replaced by its target. 0 or -1. */
static int follow(struct walk *walk, const char *target)
{
	char rest[PATH_MAX];

	if (walk->n_links++ == LINKS_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (snprintf(rest, sizeof(rest), "%s%s", target, walk->rest) >= (int)sizeof(rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	go_up(walk);
	if (*target == '/')
		*walk->done = '\0';
	memcpy(walk->rest, rest, strlen(rest) + 1);
	return 0;
}

/* A tree that changes meanwhile may still lead out. */
static int open_by_hand(int fd, const char *path, int flags)
{
	char target[PATH_MAX];
	struct walk walk = { .done = "" };

	if (snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= (int)sizeof(walk.rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	while (next_name(&walk)) {
		bool last = walk.rest[strspn(walk.rest, "/")] == '\0';
		ssize_t length;

		if (last && (flags & O_NOFOLLOW))
			break;
		length = *walk.done ? readlinkat(fd, walk.done, target, sizeof(target) - 1) : -1;
		if (length < 0)
			continue; /* no link; if it does not exist, openat(2) will say so */
		target[length] = '\0';
		if (follow(&walk, target) < 0)
			return -1;
	}
	return openat(fd, *walk.done ? walk.done : ".", flags | O_NOFOLLOW);
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
