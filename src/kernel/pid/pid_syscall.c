/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of the call with its arguments; its name where the numbers are those of this architecture. */
#include <config.h>

#include "kernel/pid/pid_syscall.h"

#include <string.h>
#include <sys/syscall.h>

/* All that the C library knows of this architecture; made by the Makefile. */
static const struct {
	uint64_t number;
	const char *name;
} calls[] = {
#include "kernel/pid/system_call_names.h"
};

/* Their first argument is a file descriptor; those that may wait. */
static const char *const of_file[] = {
	"read", "pread64", "readv", "preadv", "preadv2", "write", "pwrite64", "writev", "pwritev",
	"pwritev2", "recvfrom", "recvmsg", "recvmmsg", "sendto", "sendmsg", "sendmmsg", "accept", "accept4",
	"connect", "fsync", "fdatasync", "sync_file_range", "flock", "fcntl", "ioctl", "ftruncate",
	"fallocate", "getdents", "getdents64", "epoll_wait", "epoll_pwait", "epoll_pwait2", "splice", "tee",
	"vmsplice", "fstat", "close", "io_uring_enter", "readahead", "fadvise64", "syncfs", "lseek",
	"mq_timedreceive", "mq_timedsend",
};

/* Which argument is the path of a file. */
static const struct {
	const char *name;
	unsigned argument;
} of_path[] = {
	{ "open", 0 },       { "openat", 1 },     { "openat2", 1 },   { "creat", 0 },      { "stat", 0 },
	{ "lstat", 0 },      { "newfstatat", 1 }, { "fstatat64", 1 }, { "statx", 1 },      { "statfs", 0 },
	{ "access", 0 },     { "faccessat", 1 },  { "faccessat2", 1 }, { "execve", 0 },     { "execveat", 1 },
	{ "readlink", 0 },   { "readlinkat", 1 }, { "chdir", 0 },     { "unlink", 0 },     { "unlinkat", 1 },
	{ "rename", 0 },     { "renameat", 1 },   { "renameat2", 1 }, { "mkdir", 0 },      { "mkdirat", 1 },
	{ "rmdir", 0 },      { "truncate", 0 },   { "chmod", 0 },     { "fchmodat", 1 },   { "chown", 0 },
	{ "lchown", 0 },     { "fchownat", 1 },   { "utimensat", 1 }, { "getxattr", 0 },   { "lgetxattr", 0 },
	{ "setxattr", 0 },   { "lsetxattr", 0 },  { "listxattr", 0 }, { "llistxattr", 0 }, { "mount", 1 },
	{ "umount2", 0 },    { "statfs64", 0 },
};

static bool take_hex(struct span *text, uint64_t *value)
{
	struct span word;

	if (!span_word(text, &word) || !span_take_start(&word, "0x"))
		return false;
	return span_hex(&word, value) && word.at == word.end;
}

bool pid_syscall_parse(struct span text, struct pid_syscall *call)
{
	struct span line = text, word;
	uint64_t stack, address;
	int64_t number;

	*call = (struct pid_syscall){ 0 };
	if (span_line(&text, &line))
		text = line;
	if (!span_word(&text, &word))
		return false;
	if (span_is(word, "running")) {
		call->running = true;
		return true;
	}
	if (!span_i64(&word, &number) || word.at != word.end)
		return false;
	call->none = number < 0;
	call->number = call->none ? 0 : (uint64_t)number;
	for (size_t i = 0; !call->none && i < 6; i++)
		if (!take_hex(&text, &call->arguments[i]))
			return false;
	if (!take_hex(&text, &stack) || !take_hex(&text, &address))
		return false;
	/* in a 64-bit kernel the stack of a 32-bit process is below 4 GiB, that of a 64-bit process above */
	call->foreign = (stack > UINT32_MAX) != (sizeof(void *) == 8);
	return true;
}

const char *pid_syscall_name(const struct pid_syscall *call)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == call->number && !call->running && !call->none && !call->foreign)
			return calls[i].name;
	return NULL;
}

/* From include/uapi/linux/futex.h. */
enum { OPERATION_BITS = 0x7f, WAIT = 0, LOCK_PI = 6, LOCK_PI2 = 13 };
/* The value of such a mutex. Conditions and semaphores wait with a set of bits. */
#define LOCKED_WITH_WAITERS 2

uint64_t pid_syscall_lock(const struct pid_syscall *call)
{
	const char *name = pid_syscall_name(call);
	uint64_t operation = call->arguments[1] & OPERATION_BITS;

	if (!name || strcmp(name, "futex") != 0)
		return 0;
	return operation == LOCK_PI || operation == LOCK_PI2 ||
			       (operation == WAIT && (uint32_t)call->arguments[2] == LOCKED_WITH_WAITERS)
		       ? call->arguments[0]
		       : 0;
}

int64_t pid_syscall_fd(const struct pid_syscall *call)
{
	const char *name = pid_syscall_name(call);

	for (size_t i = 0; name && i < sizeof(of_file) / sizeof(of_file[0]); i++)
		if (strcmp(of_file[i], name) == 0 && call->arguments[0] <= INT32_MAX)
			return (int64_t)call->arguments[0];
	return -1;
}

bool pid_syscall_path(const struct pid_syscall *call, uint64_t *address, int64_t *directory)
{
	const char *name = pid_syscall_name(call);

	for (size_t i = 0; name && i < sizeof(of_path) / sizeof(of_path[0]); i++) {
		if (strcmp(of_path[i].name, name) != 0)
			continue;
		*address = call->arguments[of_path[i].argument];
		*directory = of_path[i].argument == 1 && call->arguments[0] <= INT32_MAX
				     ? (int64_t)call->arguments[0]
				     : -1;
		return *address != 0; /* the file of a descriptor alone */
	}
	return false;
}
