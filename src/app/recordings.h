/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as options name them: times of one, and the files of one that is in parts in a directory. */
#ifndef PANETOP_APP_RECORDINGS_H
#define PANETOP_APP_RECORDINGS_H

#include "model/frame.h"
#include "recording/joined.h"
#include "sys/user_file.h"

/* Appends all files but those that report has the reason of, translated, why they are left out. */
void recording_parts_add(const struct file_series *series, struct joined *joined,
			 void (*report)(void *context, const char *why), void *context);

/* Of a directory that the user names, whose descriptor is taken over. 0; or -errno, which was reported. */
int recording_parts_open(struct source *source, int directory, const char *name,
			 const struct schema *const *schemas, unsigned n_schemas);

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
