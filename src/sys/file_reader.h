/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that may block, read by a worker: one list of them at a time, so that nobody waits for one that
 * hangs. */
#ifndef PANETOP_SYS_FILE_READER_H
#define PANETOP_SYS_FILE_READER_H

#include "sys/env.h"

#define FILE_READER_BYTES_MAX ((size_t)1024)

struct file_reader;

/* One that was read. */
struct file_text {
	uint32_t number; /* as it was asked for */
	uint64_t tag;    /* likewise */
	long length;     /* of bytes, or -errno */
	char *bytes;     /* with a NUL behind them; may be changed */
};

/* A list of so many at most. worker is borrowed; NULL: they are read at once, and one that hangs is waited
 * for. */
struct file_reader *file_reader_open(struct env *env, struct worker *worker, size_t most);
void file_reader_close(struct file_reader *reader);

/* May more be asked for? Not while the worker reads, nor until what it read was taken. */
bool file_reader_is_free(const struct file_reader *reader);

/* The path is relative to the root. False when there is no room for more, or the path is too long. */
bool file_reader_ask(struct file_reader *reader, uint32_t number, uint64_t tag, const char *path);

/* Has them read, and waits so long for the last of them at most. */
void file_reader_submit(struct file_reader *reader, struct env *env, uint64_t wait_ns);

/* The next one that was read, valid until the next file_reader_ask(); false after the last. */
bool file_reader_next(struct file_reader *reader, struct file_text *text);

/* The number of the one that has kept the worker for so long; -1: none. */
int64_t file_reader_stuck(const struct file_reader *reader, uint64_t ns);

#endif
