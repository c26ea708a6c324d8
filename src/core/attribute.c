/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading attributes: a single pread each, as the kernel makes them in one piece. */
#include <config.h>

#include "core/attribute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"

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

/* The length without its newline. */
static long read_file(struct env *env, int fd, char *bytes, size_t room)
{
	ssize_t length;

	do {
		length = pread(fd, bytes, room - 1, 0);
		env->reads++;
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	if (length > 0 && bytes[length - 1] == '\n')
		length--;
	bytes[length] = '\0';
	return length;
}

static long read_kept(struct attribute *attribute, struct env *env, char *bytes, size_t room)
{
	bool keep = attribute->kept || env->pids.n_kept < env->pids.kept_max;
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
		forget_file(attribute, env); /* the device may have gone and come back */
	return length;
}

long attribute_read(struct attribute *attribute, struct env *env, char *bytes, size_t room)
{
	long length = attribute->path ? read_kept(attribute, env, bytes, room) : -ENOENT;

	if (length < 0 && attribute->path)
		env_note_failure(env, attribute->path, (int)length);
	return length;
}

/* The text of a number, in bytes: 0 or -errno. */
static int read_number(struct attribute *attribute, struct env *env, char bytes[NUMBER_TEXT_MAX],
		       struct span *text)
{
	long length = attribute_read(attribute, env, bytes, NUMBER_TEXT_MAX);

	*text = span_of(bytes, length > 0 ? (size_t)length : 0);
	return length < 0 ? (int)length : 0;
}

int attribute_u64(struct attribute *attribute, struct env *env, uint64_t *value)
{
	char bytes[NUMBER_TEXT_MAX];
	struct span text;
	uint64_t number;
	int error = read_number(attribute, env, bytes, &text);

	if (!error && (!span_u64(&text, &number) || text.at != text.end))
		error = -EBADMSG;
	if (!error)
		*value = number;
	return error;
}

int attribute_i64(struct attribute *attribute, struct env *env, int64_t *value)
{
	char bytes[NUMBER_TEXT_MAX];
	struct span text;
	int64_t number;
	int error = read_number(attribute, env, bytes, &text);

	if (!error && (!span_i64(&text, &number) || text.at != text.end))
		error = -EBADMSG;
	if (!error)
		*value = number;
	return error;
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

int attribute_once_u64(struct env *env, const char *path, uint64_t *value)
{
	char bytes[NUMBER_TEXT_MAX];
	long length = attribute_once(env, path, bytes, sizeof(bytes));
	struct span text;

	if (length < 0)
		return (int)length;
	text = span_of(bytes, (size_t)length);
	return span_u64(&text, value) && text.at == text.end ? 0 : -EBADMSG;
}
