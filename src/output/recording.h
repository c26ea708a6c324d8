/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format version that writer and reader of recordings share, and opening a replay. */
#ifndef PANETOP_OUTPUT_RECORDING_H
#define PANETOP_OUTPUT_RECORDING_H

#include <stdbool.h>

#include "model/source.h"

#define RECORDING_MAGIC "recording"
#define RECORDING_FORMAT 1

/*
 * Opens a source of the frames in fd, and takes ownership of fd even on failure. Blocks until the first line;
 * later next() returns -EAGAIN while a pipe is empty. go_back allows seeking back in a pipe by spooling it to
 * a temporary file. On failure returns -errno and sets *why to a translated sentence.
 */
int replay_open(struct source *source, int fd, bool go_back, const struct schema *const *schemas,
		unsigned n_schemas, const char **why);

/* What was wrong with the end of the recording, such as a torn line; NULL: nothing. */
const char *replay_remark(const struct source *source);

#endif
