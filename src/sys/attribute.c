/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads attributes: a single pread each, as the kernel prints them in one piece. */
#include <config.h>

#include "sys/attribute.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/descriptor.h"

#define NUMBER_TEXT_MAX 64

void attribute_open(struct attribute *attribute, const char *path)
{
	*attribute = (struct attribute){ .path = alloc_text(path) };
}

static void forget_file(struct attribute *attribute, struct env *env)
{
	if (!attribute->kept)
		return;
	close(attribute->fd);
	attribute->kept = false;
	env->pids.n_kept--;
}

void attribute_close(struct attribute *attribute, struct env *env)
{
	forget_file(attribute, env);
	free(attribute->path);
	*attribute = (struct attribute){ 0 };
}

/* The length without the newline. A pipe, which tests use for a slow device, has no offset. */
static long read_fd(int fd, char *bytes, size_t room)
{
	ssize_t length;

	do {
		length = pread(fd, bytes, room - 1, 0);
		if (length < 0 && errno == ESPIPE)
			length = read(fd, bytes, room - 1);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	if (length > 0 && bytes[length - 1] == '\n')
		length--;
	bytes[length] = '\0';
	return length;
}

/* Closes it; an error instead of a descriptor stays. */
static long read_once(int fd, char *bytes, size_t room)
{
	long length = fd < 0 ? fd : read_fd(fd, bytes, room);

	descriptor_close(fd);
	return length;
}

static long read_kept(struct attribute *attribute, struct env *env, char *bytes, size_t room)
{
	bool keep = attribute->kept || (env->pids.n_kept < env->pids.kept_max &&
					!served_has(&env->served, attribute->path));
	int fd = attribute->kept ? attribute->fd : env_open_file(env, attribute->path);
	long length;

	if (fd < 0)
		return fd;
	if (keep && !attribute->kept) {
		attribute->fd = fd;
		attribute->kept = true;
		env->pids.n_kept++;
	}
	env->reads++;
	length = read_fd(fd, bytes, room);
	if (!keep)
		close(fd);
	else if (length < 0)
		forget_file(attribute, env); /* the device may have been replaced */
	return length;
}

long attribute_read(struct attribute *attribute, struct env *env, char *bytes, size_t room)
{
	long length = attribute->path ? read_kept(attribute, env, bytes, room) : -ENOENT;

	if (length < 0 && attribute->path)
		env_note_failure(env, attribute->path, (int)length);
	return length;
}

int attribute_u64(struct attribute *attribute, struct env *env, uint64_t *value)
{
	char bytes[NUMBER_TEXT_MAX];
	long length = attribute_read(attribute, env, bytes, sizeof(bytes));
	uint64_t number;

	if (length < 0)
		return (int)length;
	if (!span_is_u64(span_of(bytes, (size_t)length), &number))
		return -EBADMSG;
	*value = number;
	return 0;
}

long attribute_once(struct env *env, const char *path, char *bytes, size_t room)
{
	int fd = env_open_file(env, path);

	env->reads += fd >= 0;
	return read_once(fd, bytes, room);
}

long attribute_at(const struct root *root, const char *path, char *bytes, size_t room)
{
	int fd = root_open_at(root, path, O_RDONLY | O_NOCTTY);

	return read_once(fd < 0 ? -errno : fd, bytes, room);
}

int attribute_once_u64(struct env *env, const char *path, uint64_t *value)
{
	char bytes[NUMBER_TEXT_MAX];
	long length = attribute_once(env, path, bytes, sizeof(bytes));

	if (length < 0)
		return (int)length;
	return span_is_u64(span_of(bytes, (size_t)length), value) ? 0 : -EBADMSG;
}

long attribute_in(struct env *env, int directory, const char *name, char *bytes, size_t room)
{
	int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);

	env->reads += fd >= 0;
	return read_once(fd < 0 ? -errno : fd, bytes, room);
}

int attribute_text(struct env *env, const char *path, size_t most, struct buffer *text)
{
	int fd = env_open_file(env, path), error;

	if (fd < 0)
		return fd;
	env->reads++;
	error = buffer_read(text, fd, most);
	close(fd);
	return error;
}

/* Listing directories by getdents64, whose entries say which are directories. */

#define NAMES_BYTES_MAX ((size_t)16 << 20)

static void close_listing(struct listing *listing)
{
	if (listing->opened)
		close(listing->fd);
	listing->opened = false;
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

	if (listing->opened && lseek(listing->fd, 0, SEEK_SET) < 0)
		return -errno;
	if (!listing->opened)
		listing->fd = root_open_at(&env->root, listing->path, O_RDONLY | O_DIRECTORY);
	listing->opened = listing->fd >= 0;
	if (!listing->opened)
		return -errno;
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

int listing_read(struct listing *listing, struct env *env, bool *changed)
{
	struct buffer before = listing->before;
	int error;

	listing->before = listing->text;
	listing->text = before;
	buffer_empty(&listing->text);
	error = served_by_server(&env->served, listing->path) ? read_served_names(listing, env)
							      : read_names(listing, env);
	if (error) {
		buffer_empty(&listing->text);
		close_listing(listing);
		env_note_failure(env, listing->path, error);
	}
	*changed = listing->text.length != listing->before.length ||
		   (listing->text.length > 0 &&
		    memcmp(listing->text.bytes, listing->before.bytes, listing->text.length) != 0);
	listing->n_names = 0; /* the bytes may have moved even if they are the same */
	for (size_t at = 0; at < listing->text.length; at += strlen(listing->text.bytes + at) + 1)
		*VECTOR_ADD(listing->names, listing->n_names, listing->capacity) = listing->text.bytes + at;
	if (listing->n_names > 0)
		qsort(listing->names, listing->n_names, sizeof(*listing->names), compare_names);
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

int listing_look(const struct env *env, const char *path, uint64_t *inode, uint64_t *n_links)
{
	struct stat stat;
	int fd = env->root.is_tree ? root_open_at(&env->root, path, O_PATH | O_DIRECTORY) : -1;
	int failed = env->root.is_tree ? fd < 0 || fstat(fd, &stat) < 0
				       : fstatat(env->root.fd, path, &stat, 0) < 0;
	int error = failed ? -errno : 0;

	descriptor_close(fd);
	if (error)
		return error;
	*inode = stat.st_ino;
	*n_links = stat.st_nlink;
	return 0;
}
