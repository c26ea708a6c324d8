/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as JSON lines, and opening a replay of either kind. */
#ifndef PANETOP_OUTPUT_RECORDING_H
#define PANETOP_OUTPUT_RECORDING_H

#include <sys/types.h>

#include "core/buffer.h"
#include "recording/reader.h"

#define RECORDING_PART_ENDING ".recording" /* of files in a directory of recordings */
#define RECORDING_LINES "recording" /* what the first line says */
#define RECORDING_LINES_FORMAT 1

/* Is a recording with this name made of JSON lines? */
bool recording_is_lines(const char *file);

/* As recording_open(), of either kind; input->first is empty. */
int replay_open(struct source *source, const struct recording_input *input, const char **why);

/* Lines of a file or a pipe by their offset; a pipe can be spooled to allow going back. */
struct line_reader {
	int fd;               /* owned */
	bool pipe;            /* fd cannot be read at an offset */
	size_t longest;       /* about as many bytes a line may have */
	bool no_wait;         /* an empty pipe returns -EAGAIN; other readers of it may block */
	int spool_fd;         /* owned; copy of the pipe so far; -1: none */
	off_t spooled;        /* its length */
	int spool_error;      /* positive: why the newest bytes are not in it; 0: they are */
	off_t hole, hole_end; /* what is missing in it is between them */
	off_t dropped;        /* up to here it is given back to the disk */
	uint64_t back_bytes;  /* that may lie in it */
	struct buffer window; /* bytes from window_offset on */
	off_t window_offset;
};

/* What this machine has the memory to parse: JSON takes more than a hundred times its bytes. */
size_t line_reader_longest(void);

/*
 * 0 or -errno. fd may be a file or a pipe; it is closed by line_reader_close(). The newest back_bytes of a
 * pipe can be read again. first: the bytes that were already taken from a pipe.
 */
int line_reader_open(struct line_reader *reader, int fd, struct span first, uint64_t back_bytes);
void line_reader_close(struct line_reader *reader);

/*
 * The line that starts at offset, without its newline, valid until the next call; *next is where the
 * following one starts. 1; 0 at the end; -EAGAIN with no_wait when a pipe has no whole line yet;
 * -EPIPE when the file ends within the line; -EFBIG for a line that is too long; another -errno of the read.
 */
int line_reader_get(struct line_reader *reader, off_t offset, struct span *line, off_t *next);

/* Lines before this offset are not read again. 0 or -errno. */
int line_reader_drop(struct line_reader *reader, off_t offset);

#endif
