/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for changes of files and directories, by inotify(7). */
#ifndef PANETOP_SYS_FILE_CHANGES_H
#define PANETOP_SYS_FILE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_changes;

/* NULL with errno: the user has too many of them. */
struct file_changes *file_changes_open(void);
void file_changes_close(struct file_changes *changes); /* NULL is fine */

/*
 * A file, which need not exist, in a directory that does: it changes when it is closed after it was open for
 * writing, made, replaced or removed. Or a directory, which changes with what is in it, not below. They are
 * numbered from 0 in their order. 0 or -errno.
 */
int file_changes_add(struct file_changes *changes, const char *path);

int file_changes_fd(const struct file_changes *changes); /* readable when something has changed */

/* Calls each for the changes so far, with the number of the file. It does not wait. */
void file_changes_read(struct file_changes *changes, void (*each)(void *context, size_t file), void *context);

/* Times that changes were lost, as too many came, or that the directory of a file was removed. */
uint64_t file_changes_lost(const struct file_changes *changes);

/* Lets the kernel say when a control group ran out of memory. */

/*
 * A descriptor that reports *events of epoll when the memory of the group in this directory has run out, or
 * -errno: version 2 reports each change of memory.events, version 1 by memory.oom_control what leads to a
 * kill.
 */
int oom_watch_open(const char *directory, int version, uint32_t *events);

/* After a report: lets it report the next one. */
void oom_watch_reset(int fd);

/* Lets the kernel say when tasks have waited for a resource for a share of some time (PSI triggers). */

/*
 * resource: cpu, memory, io or irq; full: all tasks at once, else some. A descriptor that reports EPOLLPRI
 * once in each window_seconds in which they waited for this share (0 to 1), or -errno: -ENOENT where the
 * kernel counts no pressure, -EPERM and -EINVAL where it refuses this user or this window. The window is made
 * one of those that it accepts: 0.5 to 10 s; for users without CAP_SYS_RESOURCE 2, 4, 6, 8 or 10 s.
 */
int pressure_trigger_open(const char *resource, bool full, double share, double *window_seconds);

#endif
