/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces a file as a whole: a reader sees the old or the new one, never a part. */
#ifndef PANETOP_CORE_FILE_REPLACE_H
#define PANETOP_CORE_FILE_REPLACE_H

#include "core/buffer.h"

/*
 * Sets *target (owned by the caller) to the path to replace: where path is a symbolic link, what it points
 * to. 0; -EEXIST if it exists and is not a regular file; -errno if no file can be made in its directory.
 */
int file_replace_open(const char *path, char **target);

/*
 * Writes and empties the buffer. All may read the file, unless the umask says otherwise. 0 or -errno; then
 * the old file is left.
 */
int file_replace(const char *target, struct buffer *buffer);

#endif
