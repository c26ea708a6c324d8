/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads attributes: a single pread each, as the kernel prints them in one piece. */
#include <config.h>

#include "sys/attribute.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/buffer_io.h"

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

static long read_file(struct env *env, int fd, char *bytes, size_t room)
{
	env->reads++;
	return read_fd(fd, bytes, room);
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
	length = read_file(env, fd, bytes, room);
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
	long length;

	if (fd < 0)
		return fd;
	length = read_file(env, fd, bytes, room);
	close(fd);
	return length;
}

long attribute_at(const struct root *root, const char *path, char *bytes, size_t room)
{
	int fd = root_open_at(root, path, O_RDONLY | O_NOCTTY);
	long length;

	if (fd < 0)
		return -errno;
	length = read_fd(fd, bytes, room);
	close(fd);
	return length;
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
	long length;

	if (fd < 0)
		return -errno;
	length = read_file(env, fd, bytes, room);
	close(fd);
	return length;
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
