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

#endif
