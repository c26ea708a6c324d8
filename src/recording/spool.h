/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unlinked files: the copy of a pipe, so that one can step back in it. */
#ifndef PANETOP_RECORDING_SPOOL_H
#define PANETOP_RECORDING_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

int spool_open(void); /* a descriptor, or -1 with errno set */

/* Writes all of it at offset; 0 or -1 with errno set. */
int spool_write(int fd, const char *bytes, size_t length, off_t offset);

/* Gives bytes back to the disk; they read as zeros then. 0 or -1 with errno set. */
int spool_drop(int fd, off_t from, off_t to);

/* Room for bytes that may come, with the length of the file as it is. False: there is less. */
bool spool_reserve(int fd, off_t from, off_t length);

/* Bytes that are free where it is. */
uint64_t spool_free(int fd);

/* This many bytes, or a quarter of them where the file system is memory. */
uint64_t spool_share(int fd, uint64_t bytes);

/* Would a read of the pipe wait now? */
bool pipe_is_empty(int fd);

#endif
