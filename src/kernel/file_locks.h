/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/locks: who holds the lock of a file that a process waits for (fs/locks.c, locks_show()). */
#ifndef PANETOP_KERNEL_FILE_LOCKS_H
#define PANETOP_KERNEL_FILE_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/*
 * The process that took the lock for which pid waits: it, or who has inherited the open file from it, holds
 * it. False: pid waits for none, or the holder is not one process of this PID namespace, such as that of a
 * lock of an open file description.
 */
bool file_locks_holder(struct span text, uint64_t pid, uint64_t *holder);

#endif
