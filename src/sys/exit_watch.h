/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds a process by a descriptor, to learn how it ended without being its parent. */
#ifndef PANETOP_SYS_EXIT_WATCH_H
#define PANETOP_SYS_EXIT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The descriptor, which the caller closes, or -errno. The process is in our own pid namespace. */
int exit_watch_open(uint32_t pid);

/* It has ended, and may be a zombie still. */
bool exit_watch_ended(int fd);

/* Its parent has waited for it, so that its number is free: it is not a zombie any more. */
bool exit_watch_reaped(int fd);

/* Its status as of wait(2), once it has ended; false before, and before Linux 6.15. */
bool exit_watch_status(int fd, int *status);

#endif
