/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes: the small files of /sys with one value each, of which a machine has thousands. */
#ifndef PANETOP_SYS_ATTRIBUTE_H
#define PANETOP_SYS_ATTRIBUTE_H

#include "core/buffer.h"
#include "sys/env.h"

#define ATTRIBUTE_TEXT_MAX 4096 /* no attribute of /sys is longer */

/* Stays open between reads, as far as the limit of open files allows. All zero: none. */
struct attribute {
	char *path; /* relative to the root; owned. NULL: none */
	bool kept;  /* fd is open */
	int fd;
};

void attribute_open(struct attribute *attribute, const char *path); /* reads nothing yet */
void attribute_close(struct attribute *attribute, struct env *env);

/*
 * One read: the length without a newline at the end, or -errno, which is noted as a failure. bytes get a
 * NUL; a longer text is cut. -ENOENT without a path.
 */
long attribute_read(struct attribute *attribute, struct env *env, char *bytes, size_t room);

/*
 * The whole text as one number: 0, -EBADMSG when it is not one, or -errno. A failure does not change *value.
 */
int attribute_u64(struct attribute *attribute, struct env *env, uint64_t *value);

/* For helpers: reads path once, blocking, without privileges beyond those of the user. */
long attribute_at(const struct root *root, const char *path, char *bytes, size_t room);

/* As attribute_read(), once; the caller notes a failure. */
long attribute_once(struct env *env, const char *path, char *bytes, size_t room);
int attribute_once_u64(struct env *env, const char *path, uint64_t *value);

/* The same for a file in an open directory, without raised privileges. */
long attribute_in(struct env *env, int directory, const char *name, char *bytes, size_t room);

/* Appends all of a text that may take many reads, up to about most bytes: 0 or -errno. */
int attribute_text(struct env *env, const char *path, size_t most, struct buffer *text);

/* The names in a directory: kept and compared with the last listing, or just visited once. */

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
