/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names in a directory: kept and compared with the last listing, or just visited once. */
#ifndef PANETOP_SYS_LISTING_H
#define PANETOP_SYS_LISTING_H

#include "core/buffer.h"
#include "sys/env.h"

/* All zero but path: not listed yet. */
struct listing {
	const char *path; /* relative to the root; borrowed */
	bool opened;
	int fd;                     /* valid if opened */
	struct buffer text, before; /* the names of this and the last listing, each with its NUL */
	char **names;               /* sorted, with numbers by value; valid until the next listing */
	size_t n_names, capacity;
};

/*
 * Lists it: 0 or -errno, which leaves no names. *changed: the names differ from the last listing. Names that
 * begin with a dot are skipped.
 */
int listing_read(struct listing *listing, struct env *env, bool *changed);
void listing_free(struct listing *listing);

/*
 * Calls each with the name of every directory, or link to one as in sysfs, in the directory at path, without
 * keeping anything. A name is valid until each returns. 0 or -errno.
 */
int listing_each_directory(struct env *env, const char *path, void (*each)(void *context, const char *name),
			   void *context);

/*
 * Which directory is at path, and how many links it has: 2, and one for each directory in it, or 1 where the
 * file system does not count them. 0 or -errno.
 */
int listing_look(const struct env *env, const char *path, uint64_t *inode, uint64_t *n_links);

#endif
