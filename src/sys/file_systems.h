/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mounted file systems, by calls that may hang: the kernel's in the program, a script in a test. */
#ifndef PANETOP_SYS_FILE_SYSTEMS_H
#define PANETOP_SYS_FILE_SYSTEMS_H

#include <stdint.h>
#include <sys/statvfs.h>

/* For helpers, too: what they use is in memory that is shared with them. */
struct file_systems {
	/* Id in mountinfo of the mount to which a path leads; UINT64_MAX: unknown, as before Linux 5.8. */
	uint64_t (*mount_at)(const char *path);
	int (*space)(const char *path, struct statvfs *space); /* as statvfs(3) */
	void (*sync)(void);                                    /* as sync(2) */
};

extern const struct file_systems real_file_systems;

#endif
