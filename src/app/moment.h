/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of a recording, as options name them. */
#ifndef PANETOP_APP_MOMENT_H
#define PANETOP_APP_MOMENT_H

#include "model/frame.h"

/* "12:03", "12:03:07", "2026-11-22T12:03:07", or "-5m" before the end. */
bool moment_is_valid(const char *text);

/*
 * The index of the last sample at or before it, or within its second. 0, or the exit status after an error
 * message about the recording with this name. Waits until a pipe has ended.
 */
int moment_find(const struct source *source, const char *name, const char *text, size_t *index);

/* The same of two times with a comma between, of --between: the second sample is a later one. */
int moment_find_both(const struct source *source, const char *name, const char *between, size_t index[2]);

/* Reads a recording to its end, waiting for a pipe; CLOCK_REALTIME of the first and the last sample. */
void moment_read_all(const struct source *source, uint64_t *first_ns, uint64_t *last_ns);

#endif
