/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that /proc lists, by getdents64 on a directory that stays open. */
#include <config.h>

#include "core/pids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"

#define FIRST_PIDS ((size_t)512)

static bool parse_pid(const char *name, uint32_t *pid)
{
	struct span text = span_text(name);
	uint64_t value;

	if (*name < '1' || *name > '9' || !span_u64(&text, &value) || text.at != text.end ||
	    value > INT32_MAX)
		return false;
	*pid = (uint32_t)value;
	return true;
}

static void add_pid(struct env_pids *list, uint32_t pid)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : FIRST_PIDS;
		list->pids = alloc_resize(list->pids, list->capacity, sizeof(*list->pids));
	}
	list->pids[list->count++] = pid;
}

static int read_directory(struct env *env)
{
	struct env_pids *list = &env->pids;
	_Alignas(struct dirent64) char entries[16384];

	if (list->fd < 0)
		list->fd = openat(env->root_fd, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (list->fd < 0 || lseek(list->fd, 0, SEEK_SET) < 0)
		return -errno;
	list->count = 0;
	for (;;) {
		ssize_t length = getdents64(list->fd, entries, sizeof(entries));

		env->reads++;
		if (length < 0)
			return -errno;
		if (length == 0)
			return 0;
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);
			uint32_t pid;

			if (parse_pid(entry->d_name, &pid))
				add_pid(list, pid);
			at += entry->d_reclen;
		}
	}
}

int pids_list(struct env *env, const uint32_t **pids, size_t *n_pids)
{
	struct env_pids *list = &env->pids;

	if (list->tick != env->tick) {
		list->error = read_directory(env);
		list->tick = env->tick;
	}
	if (list->error) {
		env_note_failure(env, "proc", list->error);
		return list->error;
	}
	*pids = list->pids;
	*n_pids = list->count;
	return 0;
}

long pids_read(struct env *env, uint32_t pid, const char *name, char *bytes, size_t room)
{
	char path[64];
	ssize_t length;
	int fd, error;

	snprintf(path, sizeof(path), "proc/%u/%s", pid, name);
	fd = openat(env->root_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	length = read(fd, bytes, room);
	error = errno;
	env->reads++;
	close(fd);
	return length < 0 ? -error : length;
}
