/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory of files that follow each other, named by numbers: the newest one grows, the oldest ones go.
 * Only its owner may write into it.
 */
#ifndef PANETOP_SYS_FILE_SERIES_H
#define PANETOP_SYS_FILE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FILE_SERIES_MAX 100 /* files; more are neither kept nor read */

struct series_file {
	uint32_t number;
	uint64_t bytes;
	uint64_t end_ns; /* CLOCK_REALTIME when it was written last */
};

struct file_series {
	int directory;      /* owned */
	const char *ending; /* of names, with its dot; borrowed */
	mode_t mode;        /* of new files: the group may read them where it may read the directory */
	struct series_file *files; /* oldest first */
	size_t n_files, capacity;
};

/*
 * Takes over a descriptor of the directory, even on failure, and lists it. 0; -EPERM: others than its owner
 * may write into it; or -errno.
 */
int file_series_open(struct file_series *series, int directory, const char *ending);
void file_series_close(struct file_series *series);

/* For who writes: -EWOULDBLOCK, another process does so. */
int file_series_lock(const struct file_series *series);

/* Opens one of the files for reading: a descriptor; -EPERM: others than the owner may have written it. */
int file_series_read(const struct file_series *series, size_t index);

/* Makes the next file: a descriptor or -errno. */
int file_series_add(struct file_series *series);

/* What the newest file has by now. */
void file_series_note(struct file_series *series, uint64_t bytes, uint64_t end_ns);

/*
 * Removes oldest files, never the newest one: until all have at most this many bytes, and those that were
 * written last before this time. 0: no limit.
 */
void file_series_keep(struct file_series *series, uint64_t most_bytes, uint64_t since_ns);

#endif
