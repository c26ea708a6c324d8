/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames to the bytes of a recording; who has the file writes them, and may drop its oldest blocks. */
#ifndef PANETOP_RECORDING_WRITER_H
#define PANETOP_RECORDING_WRITER_H

#include "core/buffer.h"
#include "model/frame.h"

struct recording_writer;

/*
 * For frames with the tables of this one. eager: a block for each sample, for a reader that waits at the
 * other end of a pipe.
 */
struct recording_writer *recording_writer_open(const struct frame *frame, bool eager);
void recording_writer_close(struct recording_writer *writer);

/* Findings of frames are recorded, too: what was shown is shown again. Else replays judge by their rules. */
void recording_writer_add_findings(struct recording_writer *writer);

/* Each appends to out what is to be written next, which may be nothing yet. */
void recording_writer_add(struct recording_writer *writer, const struct frame *frame, struct buffer *out);
void recording_writer_flush(struct recording_writer *writer, struct buffer *out); /* what is held back */
void recording_writer_end(struct recording_writer *writer, struct buffer *out);   /* and the index */

/* Samples in all blocks that were given out. */
size_t recording_writer_frames(const struct recording_writer *writer);

/*
 * What was given out behind these bytes and these samples could not be written. It is forgotten, and what
 * comes next needs nothing of it.
 */
void recording_writer_lose(struct recording_writer *writer, uint64_t good_bytes, size_t good_frames);

/* How much is to be kept: bytes, and the age of samples; 0: all. */
void recording_writer_keep(struct recording_writer *writer, uint64_t most_bytes, uint64_t most_ns);

/* True: the oldest chains are over that. They are forgotten, and these bytes of the file can go. */
bool recording_writer_drop(struct recording_writer *writer, uint64_t *from, uint64_t *to);

#endif
