/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory below which samplers read: "/", or that of --root, out of which no link leads. */
#ifndef PANETOP_SYS_ROOT_H
#define PANETOP_SYS_ROOT_H

#include <stdbool.h>
#include <sys/types.h>

struct root {
	int fd;         /* owned */
	bool is_tree;   /* not "/": links in it are relative to it, as after chroot(2) */
	bool by_kernel; /* by openat2(2), since Linux 5.6 */
};

/* 0 or -errno. */
int root_open(struct root *root, const char *path);

/*
 * As openat(2), close-on-exec, for reading or with O_PATH. Files of a tree that belong to the user keep their
 * access times.
 */
int root_open_at(const struct root *root, const char *path, int flags);

/* As readlinkat(2). */
ssize_t root_read_link(const struct root *root, const char *path, char *target, size_t room);

#endif
