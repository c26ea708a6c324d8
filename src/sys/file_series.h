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

#include "core/buffer.h"

#define FILE_SERIES_MAX 100 /* files; more are neither kept nor read */

struct series_file {
	uint32_t number;
	uint64_t bytes;
	uint64_t end_ns; /* CLOCK_REALTIME when it was written last */
};

struct file_series {
	int directory;      /* owned */
	const char *ending; /* of names, with its dot; borrowed */
	bool (*is_empty)(int fd); /* of a file with bytes: has it no samples? */
	bool of_any;              /* others may have written it, too */
	mode_t mode;        /* of new files: the group may read them where it may read the directory */
	struct series_file *files; /* oldest first */
	size_t n_files, capacity;
};

/*
 * Takes over a descriptor of the directory, even on failure, and lists it, without what is empty. 0; -EPERM:
 * others than its owner may write into it, and it is not of_any; or -errno.
 */
int file_series_open(struct file_series *series, int directory, const char *ending, bool (*is_empty)(int fd),
		     bool of_any);
void file_series_close(struct file_series *series);

/* For who writes: removes what is empty. 0; -EWOULDBLOCK, another process writes; or -errno. */
int file_series_lock(struct file_series *series);

/* The files end before now, one after the other: what a wrong clock says otherwise is not used. */
void file_series_judge(struct file_series *series, uint64_t now_ns);

/* Was the directory removed? No more files can be made. */
bool file_series_is_removed(const struct file_series *series);

/* Opens one of the files for reading: a descriptor; -EPERM: others than the owner may have written it. */
int file_series_read(const struct file_series *series, size_t index);

/* Makes the next file of these bytes, or none, and empties the buffer: a descriptor for more, or -errno. */
int file_series_add(struct file_series *series, struct buffer *first);

/* What the newest file has by now. */
void file_series_note(struct file_series *series, uint64_t bytes, uint64_t end_ns);

/*
 * Removes oldest files, never the newest one: until all have at most this many bytes, and those that were
 * written last before this time. 0: no limit. Before that the newest one has to be on the disk: 0, or -errno,
 * and nothing is removed.
 */
int file_series_keep(struct file_series *series, uint64_t most_bytes, uint64_t since_ns);

#endif
