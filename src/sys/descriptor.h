/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes from and to descriptors, and messages on standard error, for people. */
#ifndef PANETOP_SYS_DESCRIPTOR_H
#define PANETOP_SYS_DESCRIPTOR_H

#include <stddef.h>
#include <unistd.h>

#include "core/buffer.h"

/*
 * Prints "panetop: what: why" on standard error as one cleaned line; what may be NULL, why is a format. Never
 * waits: a line that standard error does not take now is kept; without room it is dropped and counted.
 */
void error_message(const char *what, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* All messages so far, a line each without the name of the program; empty: none. */
const char *error_message_log(void);

/* Sends the kept lines, as far as standard error takes them now, then the number of dropped lines. */
void error_message_retry(void);

/* At the end of the program: waits for at most a second until standard error has taken the kept lines. */
void error_message_close(void);

/* -1: there is none. */
static inline void descriptor_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Buffers from and to descriptors: files, pipes, and terminals that may stop taking bytes. */

/* Appends what fd gives, up to its end or about most bytes. 0 or -errno. */
int buffer_read(struct buffer *buffer, int fd, size_t most);

/*
 * Writes all of it, waiting while fd would block, and empties the buffer. 0; -ECANCELED when cancel_fd (-1:
 * none) became readable during a wait; else -errno. After an error, how much was written is unknown.
 */
int buffer_write(struct buffer *buffer, int fd, int cancel_fd);

/* Writes what fd takes without blocking for more than a moment, and keeps the rest. 0 or -errno. */
int buffer_write_now(struct buffer *buffer, int fd);

#endif
