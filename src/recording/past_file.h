/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The past of a live screen: a recording in an unlinked file, of which the oldest part goes. */
#ifndef PANETOP_RECORDING_PAST_FILE_H
#define PANETOP_RECORDING_PAST_FILE_H

#include "model/frame.h"

struct past_file;

/*
 * In a file of mode 0600 below $XDG_CACHE_HOME, ~/.cache or /var/tmp, the first of them that takes one. It
 * keeps samples of the last seconds with their findings, and at most bytes of them; on tmpfs, which is
 * memory, a quarter. NULL: no file could be made; errno says why. The schemas are borrowed.
 */
struct past_file *past_file_open(double seconds, uint64_t bytes, const struct schema *const *schemas,
				 unsigned n_schemas);
void past_file_close(struct past_file *file);

/*
 * Adds a frame. What cannot be written is lost, and what was kept stays; on a full disk the oldest frames go
 * when newer ones have been written. A message about that, translated, for a moment; or NULL.
 */
const char *past_file_keep(struct past_file *file, const struct frame *frame);

/* Bytes on the disk. */
uint64_t past_file_bytes(const struct past_file *file);

/* A source of all frames that are kept now: 0 or -errno. */
int past_file_read(struct past_file *file, struct source *source);

/* Copies it to an empty file: 0 or -errno. */
int past_file_save(struct past_file *file, int fd);

#endif
