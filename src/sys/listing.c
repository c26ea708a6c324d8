/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing directories by getdents64, whose entries say which are directories. */
#include <config.h>

#include "sys/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/vector.h"
#include "sys/buffer_io.h"

#define NAMES_BYTES_MAX ((size_t)16 << 20)

static void close_listing(struct listing *listing)
{
	if (listing->opened)
		close(listing->fd);
	listing->opened = false;
}

static int open_listing(struct listing *listing, struct env *env)
{
	if (listing->opened)
		return lseek(listing->fd, 0, SEEK_SET) < 0 ? -errno : 0;
	listing->fd = root_open_at(&env->root, listing->path, O_RDONLY | O_DIRECTORY);
	listing->opened = listing->fd >= 0;
	return listing->opened ? 0 : -errno;
}

static int read_served_names(struct listing *listing, struct env *env)
{
	int fd = served_open(&env->served, &env->root, listing->path, true), error;

	if (fd < 0)
		return fd;
	error = buffer_read(&listing->text, fd, NAMES_BYTES_MAX);
	close(fd);
	env->reads++;
	return error;
}

static int read_names(struct listing *listing, struct env *env)
{
	_Alignas(struct dirent64) char entries[8192];
	ssize_t length;

	while ((length = getdents64(listing->fd, (void *)entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			if (entry->d_name[0] != '.')
				buffer_add(&listing->text, entry->d_name, strlen(entry->d_name) + 1);
			at += entry->d_reclen;
		}
	}
	env->reads++;
	return length < 0 ? -errno : 0;
}

static int compare_names(const void *one, const void *other)
{
	return strverscmp(*(char *const *)one, *(char *const *)other);
}

static void sort_names(struct listing *listing)
{
	listing->n_names = 0;
	for (size_t at = 0; at < listing->text.length; at += strlen(listing->text.bytes + at) + 1)
		*VECTOR_ADD(listing->names, listing->n_names, listing->capacity) = listing->text.bytes + at;
	if (listing->n_names > 0)
		qsort(listing->names, listing->n_names, sizeof(*listing->names), compare_names);
}

static bool same_bytes(const struct buffer *one, const struct buffer *other)
{
	return one->length == other->length &&
	       (one->length == 0 || memcmp(one->bytes, other->bytes, one->length) == 0);
}

int listing_read(struct listing *listing, struct env *env, bool *changed)
{
	struct buffer before = listing->before;
	int error;

	listing->before = listing->text;
	listing->text = before;
	buffer_empty(&listing->text);
	if (served_by_server(&env->served, listing->path)) {
		error = read_served_names(listing, env);
	} else {
		error = open_listing(listing, env);
		if (!error)
			error = read_names(listing, env);
	}
	if (error) {
		buffer_empty(&listing->text);
		close_listing(listing);
		env_note_failure(env, listing->path, error);
	}
	*changed = !same_bytes(&listing->text, &listing->before);
	sort_names(listing); /* the bytes may have moved even if they are the same */
	return error;
}

void listing_free(struct listing *listing)
{
	close_listing(listing);
	buffer_free(&listing->text);
	buffer_free(&listing->before);
	free(listing->names);
	*listing = (struct listing){ .path = listing->path };
}

/* The directory, or the one above it. */
static bool is_itself(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int listing_each_directory(struct env *env, const char *path, void (*each)(void *context, const char *name),
			   void *context)
{
	_Alignas(struct dirent64) char entries[4096];
	int fd = root_open_at(&env->root, path, O_RDONLY | O_DIRECTORY), error;
	ssize_t length;

	if (fd < 0)
		return -errno;
	while ((length = getdents64(fd, (void *)entries, sizeof(entries))) > 0) {
		env->reads++;
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			at += entry->d_reclen;
			if ((entry->d_type == DT_DIR || entry->d_type == DT_LNK) && !is_itself(entry->d_name))
				each(context, entry->d_name);
		}
	}
	error = length < 0 ? -errno : 0;
	close(fd);
	return error;
}

static int stat_in_tree(const struct env *env, const char *path, struct stat *stat)
{
	int fd = root_open_at(&env->root, path, O_PATH | O_DIRECTORY);
	int error = fd < 0 || fstat(fd, stat) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

int listing_look(const struct env *env, const char *path, uint64_t *inode, uint64_t *n_links)
{
	struct stat stat;
	int error = env->root.is_tree                           ? stat_in_tree(env, path, &stat)
		    : fstatat(env->root.fd, path, &stat, 0) < 0 ? -errno
								: 0;

	if (error)
		return error;
	*inode = stat.st_ino;
	*n_links = stat.st_nlink;
	return 0;
}
