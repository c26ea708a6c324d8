/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a path apart. */
#include <config.h>

#include "core/path_walk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX 40

int path_walk_start(struct path_walk *walk, const char *path)
{
	*walk->done = '\0';
	walk->n_links = 0;
	return snprintf(walk->rest, sizeof(walk->rest), "%s", path) < (int)sizeof(walk->rest) ? 0
											      : -ENAMETOOLONG;
}

static enum path_step go_up(struct path_walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	if (!*walk->done)
		return PATH_ABOVE;
	*(slash ? slash : walk->done) = '\0';
	return PATH_BACK;
}

enum path_step path_walk_next(struct path_walk *walk)
{
	size_t start = strspn(walk->rest, "/"), length = strcspn(walk->rest + start, "/");
	const char *name = walk->rest + start;
	enum path_step step = PATH_BACK;

	if (length == 0)
		return PATH_END;
	if (length == 2 && memcmp(name, "..", 2) == 0) {
		step = go_up(walk);
	} else if (!(length == 1 && *name == '.')) {
		size_t done = strlen(walk->done);

		snprintf(walk->done + done, sizeof(walk->done) - done, "%s%.*s", done ? "/" : "", (int)length,
			 name);
		step = PATH_NAME;
	}
	memmove(walk->rest, name + length, strlen(name + length) + 1);
	return step;
}

bool path_walk_is_last(const struct path_walk *walk)
{
	return walk->rest[strspn(walk->rest, "/")] == '\0';
}

int path_walk_follow(struct path_walk *walk, const char *target)
{
	char rest[PATH_MAX];

	if (walk->n_links++ == LINKS_MAX)
		return -ELOOP;
	if (snprintf(rest, sizeof(rest), "%s%s", target, walk->rest) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	go_up(walk);
	if (*target == '/')
		*walk->done = '\0';
	memcpy(walk->rest, rest, strlen(rest) + 1);
	return 0;
}
