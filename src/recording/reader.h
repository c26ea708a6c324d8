/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source of the frames of a recording, from a file or a pipe. */
#ifndef PANETOP_RECORDING_READER_H
#define PANETOP_RECORDING_READER_H

#include "core/span.h"
#include "model/source.h"

/*
 * Takes ownership of fd even on failure. first: the bytes that were already taken from a pipe. Blocks until
 * the description; later next() returns -EAGAIN while a pipe is empty. go_back allows seeking back in a pipe.
 * On failure returns -errno and sets *why to a translated sentence.
 */
int recording_open(struct source *source, int fd, struct span first, bool go_back,
		   const struct schema *const *schemas, unsigned n_schemas, const char **why);

#endif
