/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing directories by getdents64, whose entries say what is a directory. */
#include <config.h>

#include "sys/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int directory_each(struct env *env, const char *path, void (*each)(void *context, const char *name),
		   void *context)
{
	_Alignas(struct dirent64) char entries[4096];
	int fd = openat(env->root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
	ssize_t length;

	if (fd < 0)
		return -errno;
	while ((length = getdents64(fd, entries, sizeof(entries))) > 0) {
		env->reads++;
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			at += entry->d_reclen;
			if ((entry->d_type == DT_DIR || entry->d_type == DT_LNK) && entry->d_name[0] != '.')
				each(context, entry->d_name);
		}
	}
	error = length < 0 ? -errno : 0;
	close(fd);
	return error;
}
