/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/syscall: the system call that a thread is in. */
#ifndef PANETOP_KERNEL_PID_SYSCALL_H
#define PANETOP_KERNEL_PID_SYSCALL_H

#include "core/span.h"

struct pid_syscall {
	bool running; /* on a CPU: what it does there is not known */
	bool none;    /* it waits outside of a system call, such as for a page */
	uint64_t number;
	uint64_t arguments[6];
	bool foreign; /* of another ABI than ours, as it seems: its number means something else */
};

/* False if malformed. */
bool pid_syscall_parse(struct span text, struct pid_syscall *call);

/* NULL: none, or newer than the C library, or of another ABI. */
const char *pid_syscall_name(const struct pid_syscall *call);

/*
 * The address of the lock that it waits for: of a mutex of the C library, or one that inherits priorities;
 * 0: none that is known as a lock, since a condition without work waits in futex, too.
 */
uint64_t pid_syscall_lock(const struct pid_syscall *call);

/* The file descriptor that it works on; -1: none. */
int64_t pid_syscall_fd(const struct pid_syscall *call);

/*
 * The address of the path that it works on, and the descriptor of the directory in which a relative one
 * begins; -1: the current one. False: none.
 */
bool pid_syscall_path(const struct pid_syscall *call, uint64_t *address, int64_t *directory);

#endif
