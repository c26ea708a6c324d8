/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that parses what others wrote, and can do nothing else. */
#ifndef PANETOP_SYS_CONFINE_H
#define PANETOP_SYS_CONFINE_H

/*
 * From now on this process, with all its threads to come, has no capability and gains none, and can use
 * memory and the descriptors that it has and gets: all system calls but these fail with EPERM, so that it
 * opens no file, starts no program and reaches no other process, whoever its user is. 0 or -errno: -EINVAL
 * where the kernel has no filters of system calls (CONFIG_SECCOMP_FILTER), -ENOTSUP on another architecture.
 */
int confine_process(void);

/* Closes all descriptors from first to last. */
void descriptors_close(int first, int last);

#endif
