/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes: the small files of sys that hold one value each, of which a machine has thousands. */
#ifndef PANETOP_SYS_ATTRIBUTE_H
#define PANETOP_SYS_ATTRIBUTE_H

#include "sys/env.h"

#define ATTRIBUTE_TEXT_MAX 4096 /* no attribute of sys is longer */

/* Stays open between reads, as far as the limit of open files has room. All zero is none. */
struct attribute {
	char *path; /* relative to the root; owned. NULL: none */
	bool kept;  /* fd is open */
	int fd;
};

void attribute_open(struct attribute *attribute, const char *path); /* nothing is read yet */
void attribute_close(struct attribute *attribute, struct env *env);

/*
 * One read: the length without a newline at the end, or -errno, which is noted as a failure. bytes get a
 * NUL; what does not fit is cut off. -ENOENT of an attribute that is none.
 */
long attribute_read(struct attribute *attribute, struct env *env, char *bytes, size_t room);

/* The whole text is one number: 0, -EBADMSG when it is not, or -errno. *value is left alone on failure. */
int attribute_u64(struct attribute *attribute, struct env *env, uint64_t *value);

/*
 * In place of attribute_read() where a device may keep its reader waiting: the main thread holds it open, as
 * far as there is room, a helper asks it, as often as it likes, and what that gave goes to attribute_heard().
 * One that a helper may still be at is disowned, and discarded when it is back. NULL path: -ENOENT.
 */
void attribute_hold(struct attribute *attribute, struct env *env);
long attribute_ask(const struct attribute *attribute, int root_fd, char *bytes, size_t room);
void attribute_heard(struct attribute *attribute, struct env *env, long length);
void attribute_disown(const struct attribute *attribute, struct env *env);
void attribute_discard(struct attribute *attribute);

/* For helpers: reads path once, without rights beyond those of the user, as long as it takes. */
long attribute_at(int root_fd, const char *path, char *bytes, size_t room);

/* Reads path once, as attribute_read(), but a failure is the caller's to note. */
long attribute_once(struct env *env, const char *path, char *bytes, size_t room);
int attribute_once_u64(struct env *env, const char *path, uint64_t *value);

#endif
