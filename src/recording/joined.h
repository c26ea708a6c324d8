/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several recordings of one machine, one after the other, as one source. */
#ifndef PANETOP_RECORDING_JOINED_H
#define PANETOP_RECORDING_JOINED_H

#include "model/frame.h"

struct joined;

/* Without samples so far; source->close() gives all back. The schemas are borrowed. */
struct joined *joined_open(struct source *source, const struct schema *const *schemas, unsigned n_schemas);

/*
 * Appends the recording in a file, which is owned from now on, even on failure. Few of such recordings are in
 * memory at a time. 0; or -errno, and why, translated: the others can still be read.
 */
int joined_add_file(struct joined *joined, int fd, const char **why);

/* Appends a recording that stays open, and is owned from now on. */
void joined_add_source(struct joined *joined, const struct source *recording);

/* Leaves out what was sampled at this time or later: 0, or -ENODATA if nothing is left. */
int joined_cut(struct joined *joined, uint64_t wall_ns);

/*
 * When nothing more is added: finds out between which recordings the machine was started again, since the
 * monotonic clock began again then. Their frames have a number of boots.
 */
void joined_number_boots(struct joined *joined);

#endif
