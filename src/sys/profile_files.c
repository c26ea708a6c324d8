/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens regular files where a process sees them, and passes descriptors. A helper opens what may lie on a
 * mount that hangs, and copies what may begin to hang while it is read.
 */
#include <config.h>

#include "sys/profile_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/span.h"
#include "sys/helper.h"
#include "sys/machine.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define DEBUG_ROOT "/usr/lib/debug/"
#define STATUS_BYTES 4096
#define JIT_BYTES_MAX ((off_t)64 << 20)
#define PROC_PATH_MAX 96
#define OWN_FILE_MAX 32 /* "/proc/self/fd/N" */

/* No device or pipe is opened, only looked at. inode: 0: any. */
static int open_regular(int looked, uint64_t inode)
{
	char own[OWN_FILE_MAX];
	struct stat status;
	int fd = -1, error = 0;

	if (looked < 0)
		return -errno;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", looked);
	if (fstat(looked, &status) < 0)
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -EINVAL;
	else if (inode != 0 && status.st_ino != inode)
		error = -ESTALE;
	if (!error)
		fd = open(own, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (!error && fd < 0)
		error = -errno;
	close(looked);
	return error ? error : fd;
}

/* Below this root, as after chroot(2). */
static int open_below(const char *root_path, const char *path, uint64_t inode)
{
	struct root root;
	int error = root_open(&root, root_path), fd;

	if (error)
		return error;
	root.is_tree = true;
	fd = open_regular(root_open_at(&root, path, O_PATH), inode);
	close(root.fd);
	return fd;
}

/* Where the process sees it; else, once that has ended, where panetop does. */
static int open_seen(uint32_t pid, const char *path, uint64_t inode)
{
	char root[PROC_PATH_MAX];
	int fd;

	if (*path != '/')
		return -ENOENT;
	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", pid);
	fd = open_below(root, path, inode);
	return fd < 0 ? open_below("/", path, inode) : fd;
}

static int open_mapped(const struct profile_file *file)
{
	struct span seen = span_text(file->path);
	char path[PROC_PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, file->pid,
		 file->start, file->end);
	fd = open_regular(open(path, O_PATH | O_CLOEXEC), file->inode);
	/* A program that was replaced has no path but its exe. */
	if (fd < 0 && file->inode != 0 && span_take_end(&seen, PATH_DELETED)) {
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", file->pid);
		fd = open_regular(open(path, O_PATH | O_CLOEXEC), file->inode);
	}
	return fd < 0 ? open_seen(file->pid, file->path, file->inode) : fd;
}

/* The number of the process in the innermost namespace. */
static bool inner_pid(uint32_t pid, uint64_t *inner)
{
	char text[STATUS_BYTES + 1], *at;
	struct span rest;

	if (process_read((pid_t)pid, "status", text, sizeof(text)) == 0)
		return false;
	at = strstr(text, "\nNSpid:");
	*inner = pid;
	if (!at)
		return true;
	rest = span_of(at + strlen("\nNSpid:"), strcspn(at + 1, "\n") - strlen("NSpid:"));
	while (span_u64(&rest, inner))
		;
	return true;
}

static int open_jit(const struct profile_file *file)
{
	char path[PROC_PATH_MAX];
	struct stat status, process;
	struct root root;
	uint64_t inner;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, file->pid);
	if (!inner_pid(file->pid, &inner) || stat(path, &process) < 0)
		return -ESRCH;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", file->pid);
	fd = root_open(&root, path);
	if (fd < 0)
		return fd;
	root.is_tree = true;
	snprintf(path, sizeof(path), "tmp/perf-%" PRIu64 ".map", inner);
	fd = root_open_at(&root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	close(root.fd);
	if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
			status.st_uid != process.st_uid || status.st_size > JIT_BYTES_MAX)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int open_proc(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_kind(const struct profile_file *file)
{
	char maps_path[PROC_PATH_MAX];

	switch ((enum profile_file_kind)file->kind) {
	case PROFILE_FILE_MAPS:
		snprintf(maps_path, sizeof(maps_path), "/proc/%" PRIu32 "/maps", file->pid);
		return open_proc(maps_path);
	case PROFILE_FILE_MAPPED:
		return open_mapped(file);
	case PROFILE_FILE_DEBUG:
		return strncmp(file->path, DEBUG_ROOT, strlen(DEBUG_ROOT)) != 0 || strstr(file->path, "/../")
			       ? -EINVAL
			       : open_seen(file->pid, file->path, 0);
	case PROFILE_FILE_JIT:
		return open_jit(file);
	case PROFILE_FILE_KERNEL:
		return open_proc("/proc/kallsyms");
	case PROFILE_FILE_NAMED:
		return open_regular(open(file->path, O_PATH | O_CLOEXEC), 0);
	case N_PROFILE_FILE_KINDS:
		break;
	}
	return -EINVAL;
}

static int open_raised(const struct profile_file *file)
{
	uint64_t raised = file->kind == PROFILE_FILE_KERNEL  ? privilege_raise(PRIVILEGE_SYMBOLS)
			  : file->kind == PROFILE_FILE_NAMED ? 0
							     : privilege_raise_for(PRIVILEGE_MAPS, file->pid);
	int fd = memchr(file->path, '\0', sizeof(file->path)) ? open_kind(file) : -EINVAL;

	privilege_lower(raised);
	return fd;
}

struct opening {
	struct helper_job job;
	struct profile_file file;
	bool to_read;
};

static void open_in_helper(struct helper_job *job)
{
	const struct opening *opening = (const struct opening *)job;
	int fd = open_raised(&opening->file);

	if (fd >= 0 && opening->to_read && helper_is_served(fd))
		fd = helper_copy(fd);
	job->error = fd < 0 ? fd : 0;
	job->fd = fd < 0 ? -1 : fd;
}

int profile_file_open(const struct profile_file *file, bool to_read)
{
	struct opening *opening;

	if (file->kind == PROFILE_FILE_MAPS || file->kind == PROFILE_FILE_KERNEL)
		return open_raised(file);
	opening = helper_alloc(sizeof(*opening));
	opening->job.run = open_in_helper;
	/* where the device is not known, what is below the root of the process */
	opening->job.thing = file->device
				     ? file->device
				     : UINT64_MAX - (uint64_t)file->pid * N_PROFILE_FILE_KINDS - file->kind;
	opening->job.name = opening->file.path;
	opening->file = *file;
	opening->to_read = to_read;
	return helper_open(&opening->job);
}

int profile_file_answer(int channel, int fd)
{
	int32_t error = fd < 0 ? fd : 0;

	return descriptor_message_send(channel, &error, sizeof(error), fd);
}

int profile_file_ask(int channel, const struct profile_file *file)
{
	int32_t error = 0;
	int fd;

	if (descriptor_message_send(channel, file, sizeof(*file), -1) < 0 ||
	    descriptor_message_receive(channel, &error, sizeof(error), 0, &fd) < (ssize_t)sizeof(error))
		return -EPIPE;
	return fd >= 0 ? fd : error < 0 ? error : -EPIPE;
}

/* A page behind the end of its file is replaced, with all that follow, by pages of zeros. */

#define MAPS_MAX 1024

static struct span maps[MAPS_MAX]; /* empty: free; no vector, as the handler reads it */
static size_t page_bytes;

/* The last pages of a map, whatever its file has there. */
static void fill(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(page_bytes - 1);

	(void)number;
	(void)context;
	for (size_t i = 0; i < MAPS_MAX && info->si_code == BUS_ADRERR; i++) {
		uintptr_t end = (uintptr_t)maps[i].end;

		if (page < (uintptr_t)maps[i].at || page >= end)
			continue;
		if (mmap((void *)page, end - page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED)
			return;
	}
	_exit(1);
}

void file_maps_open(void)
{
	const struct sigaction action = { .sa_sigaction = fill, .sa_flags = SA_SIGINFO };
	sigset_t set;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

struct span file_map(int fd, int protection, size_t most)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status) < 0 || status.st_size <= 0 || (uint64_t)status.st_size > most)
		return (struct span){ 0 };
	for (size_t i = 0; i < MAPS_MAX; i++) {
		if (maps[i].at)
			continue;
		bytes = mmap(NULL, (size_t)status.st_size, protection, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
		if (bytes == MAP_FAILED)
			break;
		return maps[i] = span_of(bytes, (size_t)status.st_size);
	}
	return (struct span){ 0 };
}

void file_unmap(struct span bytes)
{
	for (size_t i = 0; i < MAPS_MAX && bytes.at; i++) {
		if (maps[i].at != bytes.at)
			continue;
		munmap((void *)(uintptr_t)bytes.at, span_length(bytes));
		maps[i] = (struct span){ 0 };
		return;
	}
}
