/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for changes of files and directories, by inotify(7). */
#ifndef PANETOP_SYS_FILE_CHANGES_H
#define PANETOP_SYS_FILE_CHANGES_H

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

#endif
