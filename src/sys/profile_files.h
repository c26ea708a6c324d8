/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that the process without rights may read: it asks by a socket, panetop opens them with its rights,
 * and sends the descriptors. It does not trust the questions.
 */
#ifndef PANETOP_SYS_PROFILE_FILES_H
#define PANETOP_SYS_PROFILE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

enum profile_file_kind {
	PROFILE_FILE_MAPS,   /* /proc/PID/maps */
	PROFILE_FILE_MAPPED, /* the file that is mapped from start to end, or path with this inode */
	PROFILE_FILE_DEBUG,  /* path below /usr/lib/debug, where the process sees it */
	PROFILE_FILE_JIT,    /* /tmp/perf-PID.map of the process's own user */
	PROFILE_FILE_KERNEL, /* /proc/kallsyms */
	PROFILE_FILE_NAMED,  /* path that the user has named, with the rights of the user; none asks for it */
	N_PROFILE_FILE_KINDS,
};

struct profile_file {
	uint32_t kind, pid;
	uint64_t start, end;
	uint64_t device, inode; /* device: as in maps; 0: not known */
	char path[PATH_MAX];
};

/* Asks at this end of the socket: a descriptor, or -errno. It waits for the answer. */
int profile_file_ask(int channel, const struct profile_file *file);

/*
 * Opens it with the rights of panetop: a descriptor of a regular file or of proc, or -errno; -ETIMEDOUT and
 * -EBUSY: its file system hangs. to_read: of a file that a server has, a copy, which does not hang later.
 */
int profile_file_open(const struct profile_file *file, bool to_read);

/* Sends the descriptor, or the error, as answer. 0 or -errno. */
int profile_file_answer(int channel, int fd);

/* Maps files of others, and survives that they are cut short meanwhile. In a process with one thread. */

/* From now on what a file no longer has is zeros: sets the handler of SIGBUS. */
void file_maps_open(void);

/* All of it, private. Empty: it cannot be mapped, or has more bytes than most. */
struct span file_map(int fd, int protection, size_t most);
void file_unmap(struct span bytes); /* of file_map(), also where it is empty */

#endif
