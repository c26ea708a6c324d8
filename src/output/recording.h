/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What writer and reader of recordings agree on, and the opening of a replay. */
#ifndef PANETOP_OUTPUT_RECORDING_H
#define PANETOP_OUTPUT_RECORDING_H

#include <stdbool.h>

#include "model/source.h"

#define RECORDING_MAGIC "recording"
#define RECORDING_FORMAT 1

/*
 * A source of the frames in fd, which it owns from then on, failure included. It waits for the first line;
 * afterwards next() gives -EAGAIN while a pipe has nothing. With go_back one can go back even in a pipe: it
 * is copied to a temporary file. On failure *why is a translated sentence and -errno comes back.
 */
int replay_open(struct source *source, int fd, bool go_back, const struct schema *const *schemas,
		unsigned n_schemas, const char **why);

/* How the recording ended, such as in the middle of a line; NULL when there is nothing to say. */
const char *replay_remark(const struct source *source);

#endif
