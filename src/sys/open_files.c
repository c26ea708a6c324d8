/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads directory entries from where the last turn ended, and only as many as a turn allows. */
#include <config.h>

#include "sys/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/unknown.h"
#include "sys/pids.h"
#include "sys/privilege.h"

#define INFO_MAX 1024 /* what is wanted stands at the beginning */

struct reading {
	struct env *env;
	int directory, infos; /* infos < 0: not readable, or not wanted */
	const char *prefix;   /* of the links that are wanted; NULL: all are */
	void (*found)(void *context, const struct open_file *file);
	open_files_found *found_socket;
	void *context;
	bool done; /* no more are wanted */
};

static struct span read_info(const struct reading *reading, const char *name, char bytes[INFO_MAX])
{
	int fd = reading->infos < 0 ? -1 : openat(reading->infos, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t length;

	if (fd < 0)
		return span_text("");
	length = read(fd, bytes, INFO_MAX);
	close(fd);
	reading->env->reads++;
	return span_of(bytes, length > 0 ? (size_t)length : 0);
}

/* False: it was closed meanwhile. */
static bool read_file(struct reading *reading, const char *name)
{
	char target[PATH_MAX], bytes[INFO_MAX];
	struct open_file file = { 0 };
	ssize_t length;
	uint64_t fd;

	if (!span_whole_number(name, 0, INT32_MAX, &fd))
		return false;
	length = readlinkat(reading->directory, name, target, sizeof(target));
	reading->env->reads++;
	if (length < 0 && errno == ENOENT)
		return false;
	file.fd = (uint32_t)fd;
	file.link_error = length < 0 ? -errno : 0;
	file.link = span_of(target, length > 0 ? (size_t)length : 0);
	if (reading->prefix && !span_starts(file.link, reading->prefix))
		return true;
	file.info = read_info(reading, name, bytes);
	reading->found(reading->context, &file);
	return true;
}

/* Each entry has the position of the next one. */
static long read_entries(struct reading *reading, bool (*read_one)(struct reading *, const char *),
			 uint64_t *cookie, size_t most)
{
	_Alignas(struct dirent64) char entries[4096];
	ssize_t length;
	size_t n_read = 0;

	if (lseek(reading->directory, (off_t)*cookie, SEEK_SET) < 0)
		return -errno;
	while ((length = getdents64(reading->directory, (void *)entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			if (n_read == most || reading->done)
				return (long)n_read;
			n_read += read_one(reading, entry->d_name);
			*cookie = (uint64_t)entry->d_off;
			at += entry->d_reclen;
		}
	}
	*cookie = 0;
	return length < 0 ? -errno : (long)n_read;
}

static long read_files(struct reading *reading, uint32_t pid, uint64_t *cookie, size_t most)
{
	struct env *env = reading->env;
	uint64_t raised;
	long n_read;

	reading->directory = pids_open(env, pid, "fd", O_RDONLY | O_DIRECTORY);
	if (reading->directory < 0)
		return reading->directory;
	reading->infos = reading->prefix ? -1 : pids_open(env, pid, "fdinfo", O_RDONLY | O_DIRECTORY);
	raised = env->live ? privilege_raise_for(PRIVILEGE_DETAILS, pid) : 0;
	n_read = read_entries(reading, read_file, cookie, most);
	privilege_lower(raised);
	close(reading->directory);
	if (reading->infos >= 0)
		close(reading->infos);
	return n_read;
}

long open_files_read(struct env *env, uint32_t pid, uint64_t *cookie, size_t most,
		     void (*found)(void *context, const struct open_file *file), void *context)
{
	struct reading reading = { .env = env, .found = found, .context = context };

	return read_files(&reading, pid, cookie, most);
}

long open_files_below(struct env *env, uint32_t pid, const char *prefix, uint64_t *cookie, size_t most,
		      void (*found)(void *context, const struct open_file *file), void *context)
{
	struct reading reading = { .env = env, .prefix = prefix, .found = found, .context = context };

	return read_files(&reading, pid, cookie, most);
}

long open_files_info(struct env *env, uint32_t pid, uint32_t fd, char *bytes, size_t room)
{
	uint64_t raised = env->live ? privilege_raise_for(PRIVILEGE_DETAILS, pid) : 0;
	char path[64];
	long length;
	int file;

	snprintf(path, sizeof(path), "proc/%u/fdinfo/%u", pid, fd);
	file = root_open_at(&env->root, path, O_RDONLY | O_NOFOLLOW);
	length = file < 0 ? -1 : read(file, bytes, room);
	if (length < 0)
		length = -errno;
	privilege_lower(raised);
	env->reads++;
	if (file >= 0)
		close(file);
	return length;
}

/* "socket:[12345]". False: it is not open. */
static bool read_socket(struct reading *reading, const char *name)
{
	static const char prefix[] = "socket:[";
	char target[64];
	struct span rest;
	uint64_t fd, inode;
	ssize_t length;

	if (!span_whole_number(name, 0, INT32_MAX, &fd))
		return false;
	length = readlinkat(reading->directory, name, target, sizeof(target));
	reading->env->reads++;
	if (length < 0 && errno == ENOENT)
		return false;
	rest = span_of(target, length > 0 ? (size_t)length : 0);
	if (!span_starts(rest, prefix))
		return true;
	rest.at += sizeof(prefix) - 1;
	if (span_u64(&rest, &inode))
		reading->done = !reading->found_socket(reading->context, (uint32_t)fd, inode);
	return true;
}

long open_files_sockets(struct env *env, uint32_t pid, uint64_t *cookie, size_t most, open_files_found *found,
			void *context)
{
	struct reading reading = { .env = env, .found_socket = found, .context = context };
	uint64_t raised;
	long n_read;

	reading.directory = pids_open(env, pid, "fd", O_RDONLY | O_DIRECTORY);
	if (reading.directory < 0)
		return reading.directory;
	raised = env->live ? privilege_raise_for(PRIVILEGE_DETAILS, pid) : 0;
	n_read = read_entries(&reading, read_socket, cookie, most);
	privilege_lower(raised);
	close(reading.directory);
	return n_read;
}

#define TRIES 32 /* between two looks at the clock */

static bool is_known(const uint64_t *known, uint32_t n_known, uint32_t fd)
{
	return fd < n_known && (known[fd / 64] >> fd % 64 & 1);
}

bool open_files_new_sockets(struct env *env, uint32_t pid, const uint64_t *known, uint32_t n_known,
			    uint64_t n, uint32_t limit, uint64_t until_ns, open_files_found *found,
			    void *context)
{
	struct reading reading = { .env = env, .found_socket = found, .context = context };
	bool in_time = true;
	unsigned n_tried = 0;
	uint64_t raised;

	reading.directory = pids_open(env, pid, "fd", O_RDONLY | O_DIRECTORY);
	if (reading.directory < 0)
		return false;
	raised = env->live ? privilege_raise_for(PRIVILEGE_DETAILS, pid) : 0;
	for (uint32_t fd = 0; fd < limit && n > 0 && in_time && !reading.done; fd++) {
		char name[16];

		if (is_known(known, n_known, fd))
			continue;
		if (++n_tried % TRIES == 0)
			in_time = env_self_cpu_ns(env) < until_ns;
		snprintf(name, sizeof(name), "%u", fd);
		n -= read_socket(&reading, name);
	}
	privilege_lower(raised);
	close(reading.directory);
	return in_time;
}

uint64_t open_files_count(struct env *env, uint32_t pid)
{
	int directory = pids_open(env, pid, "fd", O_RDONLY | O_DIRECTORY);
	struct stat status;
	bool known;

	if (directory < 0)
		return U64_UNKNOWN;
	known = env->live && fstat(directory, &status) == 0 && status.st_size > 0;
	close(directory);
	return known ? (uint64_t)status.st_size : U64_UNKNOWN;
}
