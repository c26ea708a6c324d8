/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lists of files of all packages, in the worker. */
#include <config.h>

#include "topic/profile/package_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/span.h"
#include "sys/buffer_io.h"
#include "sys/worker.h"

#define LISTS "var/lib/dpkg/info"
#define ENDING ".list"
#define NAME_BYTES 128
#define LIST_BYTES_MAX ((size_t)16 << 20)
#define MERGED "/usr" /* before what packages still name without */
#define SOUGHT_MAX 64

struct sought {
	struct worker_job job;
	struct sought *next;
	bool busy, orphan;
	int lists;             /* the directory, up to when it is read */
	char name[NAME_BYTES]; /* written by the worker, and shown when it is done */
	char path[];
};

struct package_names {
	struct sought *first;
	unsigned n;
};

static const char key;

static void close_names(void *state)
{
	struct package_names *names = state;

	while (names->first) {
		struct sought *sought = names->first;

		names->first = sought->next;
		if (sought->busy)
			sought->orphan = true;
		else
			free(sought);
	}
}

static bool has_line(struct span text, const char *path)
{
	struct span line;

	while (span_line(&text, &line))
		if (span_is(line, path))
			return true;
	return false;
}

static bool lists_file(const struct buffer *list, const char *path)
{
	struct span text = span_of(list->bytes, list->length);

	return has_line(text, path) ||
	       (strncmp(path, MERGED "/", sizeof(MERGED)) == 0 && has_line(text, path + sizeof(MERGED) - 1));
}

/* "libc6:amd64.list": those of libc6 have another name than all that are made automatically. */
static void name_package(struct sought *sought, const char *list)
{
	int length = (int)strcspn(list, ":");

	if (!list[length])
		length -= (int)sizeof(ENDING) - 1;
	snprintf(sought->name, sizeof(sought->name), "%.*s%s", length, list,
		 strncmp(list, "libc6:", 6) == 0 ? "-dbg" : "-dbgsym");
}

static bool is_list(const char *name)
{
	size_t length = strlen(name);

	return length > sizeof(ENDING) - 1 && strcmp(name + length - (sizeof(ENDING) - 1), ENDING) == 0;
}

static void run(struct worker_job *job)
{
	struct sought *sought = (struct sought *)job;
	DIR *lists = fdopendir(sought->lists);
	struct buffer list = { 0 };
	struct dirent *entry;

	if (lists)
		sought->lists = -1;
	while (lists && !*sought->name && (entry = readdir(lists))) {
		int fd = is_list(entry->d_name)
				 ? openat(dirfd(lists), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
				 : -1;

		if (fd < 0)
			continue;
		buffer_empty(&list);
		if (buffer_read(&list, fd, LIST_BYTES_MAX) == 0 && lists_file(&list, sought->path))
			name_package(sought, entry->d_name);
		close(fd);
	}
	if (lists)
		closedir(lists);
	buffer_free(&list);
}

static void done(struct worker_job *job)
{
	struct sought *sought = (struct sought *)job;

	sought->busy = false;
	if (sought->lists >= 0)
		close(sought->lists);
	if (sought->orphan)
		free(sought);
}

static struct sought *seek(struct env *env, struct package_names *names, const char *path)
{
	size_t length = strlen(path);
	struct sought *sought = alloc_zeroed(1, sizeof(*sought) + length + 1);

	memcpy(sought->path, path, length + 1);
	sought->next = names->first;
	names->first = sought;
	names->n++;
	sought->lists = env_open_file(env, LISTS);
	if (sought->lists < 0)
		return sought;
	sought->busy = true;
	sought->job = (struct worker_job){ .run = run, .done = done };
	worker_submit(env->worker, &sought->job);
	return sought;
}

const char *package_names_find(struct env *env, const char *path)
{
	struct package_names *names = env_state(env, &key);
	struct sought *sought;

	if (!names)
		names = env_state_add(env, &key, sizeof(*names), close_names);
	sought = names->first;
	while (sought && strcmp(sought->path, path) != 0)
		sought = sought->next;
	if (!sought && names->n < SOUGHT_MAX && *path == '/')
		sought = seek(env, names, path);
	return sought && !sought->busy ? sought->name : "";
}
