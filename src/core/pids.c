/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that /proc lists, by getdents64 on a directory that stays open. */
#include <config.h>

#include "core/pids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	list->sorted &= list->count == 0 || list->pids[list->count - 1] < pid;
	list->pids[list->count++] = pid;
}

static int compare_pids(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

static int read_directory(struct env *env, int fd, struct env_pids *list)
{
	_Alignas(struct dirent64) char entries[16384];

	list->count = 0;
	list->sorted = true;
	for (;;) {
		ssize_t length = getdents64(fd, entries, sizeof(entries));

		env->reads++;
		if (length < 0)
			return -errno;
		if (length == 0)
			break;
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);
			uint32_t pid;

			if (parse_pid(entry->d_name, &pid))
				add_pid(list, pid);
			at += entry->d_reclen;
		}
	}
	if (!list->sorted) /* proc itself lists them so, a copy of it may not */
		qsort(list->pids, list->count, sizeof(*list->pids), compare_pids);
	return 0;
}

static int read_proc(struct env *env)
{
	struct env_pids *list = &env->pids;

	if (list->fd < 0)
		list->fd = openat(env->root_fd, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (list->fd < 0 || lseek(list->fd, 0, SEEK_SET) < 0)
		return -errno;
	return read_directory(env, list->fd, list);
}

int pids_threads(struct env *env, uint32_t pid, const uint32_t **tids, size_t *n_tids)
{
	char path[48];
	int fd, error;

	snprintf(path, sizeof(path), "proc/%u/task", pid);
	fd = openat(env->root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = read_directory(env, fd, &env->threads);
	close(fd);
	*tids = env->threads.pids;
	*n_tids = env->threads.count;
	return error;
}

int pids_list(struct env *env, const uint32_t **pids, size_t *n_pids)
{
	struct env_pids *list = &env->pids;

	if (list->tick != env->tick) {
		list->error = read_proc(env);
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

static int open_file(struct env *env, uint32_t pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "proc/%u/%s", pid, name);
	fd = openat(env->root_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static long read_file(struct env *env, int fd, char *bytes, size_t room)
{
	ssize_t length = pread(fd, bytes, room, 0);

	env->reads++;
	return length < 0 ? -errno : length;
}

long pids_read(struct env *env, uint32_t pid, const char *name, char *bytes, size_t room)
{
	int fd = open_file(env, pid, name);
	long length;

	if (fd < 0)
		return fd;
	length = read_file(env, fd, bytes, room);
	close(fd);
	return length;
}

bool pids_owner(const struct env *env, uint32_t pid, uint32_t *uid)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "proc/%u", pid);
	if (fstatat(env->root_fd, path, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	*uid = status.st_uid;
	return true;
}

long pids_read_kept(struct env *env, int *file, uint32_t pid, const char *name, char *bytes, size_t room)
{
	long length;

	if (*file < 0) {
		*file = open_file(env, pid, name);
		if (*file < 0) {
			length = *file;
			*file = -1;
			return length;
		}
		env->pids.n_kept++;
	}
	length = read_file(env, *file, bytes, room);
	if (length < 0 || env->pids.n_kept > env->pids.kept_max)
		pids_release(env, file);
	return length;
}

void pids_release(struct env *env, int *file)
{
	if (*file < 0)
		return;
	close(*file);
	*file = -1;
	env->pids.n_kept--;
}
