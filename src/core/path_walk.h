/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of a path, one by one, with the targets of symbolic links put in their place: text alone. */
#ifndef PANETOP_CORE_PATH_WALK_H
#define PANETOP_CORE_PATH_WALK_H

#include <limits.h>
#include <stdbool.h>

/* The part of a path that is resolved, without links, and the part that is not. */
struct path_walk {
	char done[2 * PATH_MAX]; /* begins without a slash; from PATH_MAX on it is too long for a file */
	char rest[PATH_MAX];
	unsigned n_links;
};

enum path_step {
	PATH_END,
	PATH_NAME,  /* done got another name */
	PATH_BACK,  /* "." or "..": nothing new is in done */
	PATH_ABOVE, /* ".." with nothing done: the parent of where the walk began */
};

/* 0 or -ENAMETOOLONG. */
int path_walk_start(struct path_walk *walk, const char *path);

/* Moves the first name of the rest. */
enum path_step path_walk_next(struct path_walk *walk);

/* Is the name that was moved the last one? A slash behind it does not count. */
bool path_walk_is_last(const struct path_walk *walk);

/*
 * Puts the target of a link in the place of the last name in done, which is empty if the target begins with a
 * slash. 0; -ELOOP after 40 links, as in the kernel; or -ENAMETOOLONG.
 */
int path_walk_follow(struct path_walk *walk, const char *target);

#endif
