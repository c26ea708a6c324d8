/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/fd and fdinfo: what a file descriptor refers to. */
#ifndef PANETOP_KERNEL_PID_FD_H
#define PANETOP_KERNEL_PID_FD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "core/unknown.h"

/* The target of its link, which is text of the kernel: nothing is looked up in a file system. */
struct pid_fd_link {
	const char *kind;      /* N_(): "file", "device", "pipe", "socket", "memfd"; NULL: as of anonymous */
	struct span anonymous; /* kind of an anonymous inode, as the kernel calls it: "eventpoll" */
	struct span path;      /* of a file; else the link as it is */
	bool deleted;          /* the kernel marks it so; the file may also be called so */
	uint64_t inode;        /* of a pipe or socket; U64_UNKNOWN */
};

void pid_fd_link_parse(struct span link, struct pid_fd_link *parsed);

struct pid_fd_info {
	uint64_t position, flags; /* U64_UNKNOWN */
	uint64_t mount, inode;    /* U64_UNKNOWN before Linux 3.15 and 5.14 */
};

void pid_fd_info_parse(struct span text, struct pid_fd_info *info);

/* "rw,append,nonblock": how it was opened; at most PID_FD_FLAGS_MAX bytes with the NUL. */
#define PID_FD_FLAGS_MAX 96
char *pid_fd_flags_text(uint64_t flags, char out[PID_FD_FLAGS_MAX]);

bool pid_fd_is_directory(uint64_t flags);

#endif
