/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as JSON lines, and opening a replay of either kind. */
#ifndef PANETOP_OUTPUT_RECORDING_H
#define PANETOP_OUTPUT_RECORDING_H

#include <stdbool.h>

#include "core/span.h"
#include "model/source.h"

#define RECORDING_LINES "recording" /* what the first line says */
#define RECORDING_LINES_FORMAT 1

/* Is a recording with this name made of JSON lines? */
bool recording_is_lines(const char *file);

/*
 * Opens a source of the frames in fd, and takes ownership of fd even on failure. Blocks until the first
 * bytes; later next() returns -EAGAIN while a pipe is empty. go_back allows seeking back in a pipe by
 * spooling it to a temporary file. On failure returns -errno and sets *why to a translated sentence.
 */
int replay_open(struct source *source, int fd, bool go_back, const struct schema *const *schemas,
		unsigned n_schemas, const char **why);

/* The same for JSON lines. first: the bytes that were already taken from a pipe. */
int replay_lines_open(struct source *source, int fd, struct span first, bool go_back,
		      const struct schema *const *schemas, unsigned n_schemas, const char **why);

#endif
