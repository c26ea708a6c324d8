/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffers from and to descriptors: files, pipes, and terminals that may stop taking bytes. */
#ifndef PANETOP_SYS_BUFFER_IO_H
#define PANETOP_SYS_BUFFER_IO_H

#include <stddef.h>

#include "core/buffer.h"

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
