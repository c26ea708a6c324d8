/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source of the frames of a recording, from a file or a pipe. */
#ifndef PANETOP_RECORDING_READER_H
#define PANETOP_RECORDING_READER_H

#include "core/span.h"
#include "model/frame.h"

struct recording_input {
	int fd;              /* a file or a pipe; owned by the source, even on failure */
	struct span first;   /* bytes that were already taken from a pipe */
	uint64_t back_bytes; /* of a pipe that are kept on the disk, to go back to; 0: none */
	bool (*interrupted)(void); /* asked now and then: true ends next() with -EINTR */
	const struct schema *const *schemas;
	unsigned n_schemas;
};

/*
 * Blocks until the description; later next() returns -EAGAIN while a pipe is empty. Of the newest samples of
 * a pipe more than back_bytes may be kept, as far as one cannot be read without the others. On failure
 * returns -errno and sets *why to a translated sentence.
 */
int recording_open(struct source *source, const struct recording_input *input, const char **why);

#endif
