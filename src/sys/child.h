/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a child process, and ends it without waiting for long. For threads, too. */
#ifndef PANETOP_SYS_CHILD_H
#define PANETOP_SYS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t child_cpu_ns(pid_t child); /* 0: not known */

/* Does the kernel keep it waiting, for a disk or a file system? */
bool child_waits_for_disk(pid_t child);

/* Does it run, or wait for a CPU? Also of a thread, and of another process. */
bool child_runs(pid_t child);

/* Its name, or that of another process; empty: it has ended. */
void process_name(pid_t pid, char *name, size_t room);

/* Kills and reaps it. False: it has not ended yet, as the kernel keeps it waiting. */
bool child_end(pid_t child);
bool child_has_ended(pid_t child); /* and is reaped */

#endif
