/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lists of files of all packages, in a helper. */
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
#include "sys/device_poll.h"
#include "sys/error_message.h"

#define LISTS "var/lib/dpkg/info"
#define ENDING ".list"
#define NAME_BYTES 128
#define LIST_BYTES_MAX ((size_t)16 << 20)
#define MERGED "/usr" /* before what packages still name without */
#define SOUGHT_MAX 64

struct sought {
	struct device_poll poll;
	struct sought *next;
	bool known;
	char name[NAME_BYTES]; /* written by the helper, and shown when it is known */
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
		device_poll_drop(&sought->poll);
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

static void find_package(struct device_poll *poll)
{
	struct sought *sought = (struct sought *)poll;
	int fd = root_open_at(poll->root, LISTS, O_RDONLY | O_DIRECTORY);
	DIR *lists = fd < 0 ? NULL : fdopendir(fd);
	struct buffer list = { 0 };
	struct dirent *entry;

	while (lists && !*sought->name && (entry = readdir(lists))) {
		struct span name = span_text(entry->d_name);

		fd = span_take_end(&name, ENDING)
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

static void note_package(struct device_poll *poll)
{
	((struct sought *)poll)->known = true;
}

static void free_sought(struct device_poll *poll)
{
	helper_free(poll);
}

static struct sought *seek(struct env *env, struct package_names *names, const char *path)
{
	size_t length = strlen(path);
	struct sought *sought = helper_alloc(sizeof(*sought) + length + 1);

	memcpy(sought->path, path, length + 1);
	sought->next = names->first;
	names->first = sought;
	names->n++;
	sought->poll =
		(struct device_poll){ .read = find_package, .finished = note_package, .free = free_sought };
	device_poll_open(&sought->poll, env, LISTS);
	return sought;
}

/* The one that was sought first. */
static void forget_last(struct package_names *names)
{
	struct sought **last = &names->first;

	while (*last && (*last)->next)
		last = &(*last)->next;
	if (!*last)
		return;
	device_poll_drop(&(*last)->poll);
	*last = NULL;
	names->n--;
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
	if (!sought && names->n == SOUGHT_MAX)
		forget_last(names);
	if (!sought && names->n < SOUGHT_MAX && *path == '/')
		sought = seek(env, names, path);
	if (sought && !sought->known && !sought->poll.in_flight)
		device_poll_submit(&sought->poll);
	return sought && sought->known ? sought->name : "";
}
