/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of page_file.h, with definitions that linux/fs.h before 6.7 lacks. */
#include <config.h>

#include "sys/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/privilege.h"

#define SOFT_DIRTY (UINT64_C(1) << 55)

struct scan_argument {
	uint64_t size, flags;
	uint64_t start, end;
	uint64_t walk_end; /* out: where the walk ended */
	uint64_t ranges, n_ranges, max_pages;
	uint64_t inverted, all_of, any_of, tell;
};

#define SCAN _IOWR('f', 16, struct scan_argument)

int page_file_open(const struct env *env, const char *path)
{
	return env_open_file(env, path);
}

int page_file_try(const struct env *env, const char *path)
{
	int fd = page_file_open(env, path);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

long page_file_read(struct env *env, int fd, uint64_t first, uint64_t *entries, size_t n)
{
	size_t got = 0, wanted = n * sizeof(*entries);

	while (got < wanted) {
		ssize_t length = pread(fd, (char *)entries + got, wanted - got,
				       (off_t)(first * sizeof(*entries) + got));

		env->reads++;
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		if (length == 0)
			break;
		got += (size_t)length;
	}
	return (long)(got / sizeof(*entries));
}

long page_file_scan(struct env *env, int fd, uint64_t *start, uint64_t end, uint64_t any, uint64_t tell,
		    struct page_range *ranges)
{
	struct scan_argument argument = {
		.size = sizeof(argument),
		.start = *start,
		.end = end,
		.ranges = (uint64_t)(uintptr_t)ranges,
		.n_ranges = PAGE_SCAN_RANGES,
		.any_of = any,
		.tell = tell,
	};
	long found;

	env->reads++;
	found = ioctl(fd, SCAN, &argument);
	if (found < 0)
		return -errno;
	*start = argument.walk_end > *start && argument.walk_end < end ? argument.walk_end : end;
	return found;
}

long page_file_bytes(int fd, uint64_t address, void *bytes, size_t n)
{
	ssize_t length = pread(fd, bytes, n, (off_t)address);

	return length < 0 ? -errno : length;
}

bool page_file_has_soft_dirty(void)
{
	volatile uint64_t written = 0; /* writes to its page */
	uint64_t entry = 0;
	uint64_t raised = privilege_raise(PRIVILEGE_PAGEMAP); /* with file capabilities root owns our own */
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t offset = (off_t)((uintptr_t)&written / (uintptr_t)sysconf(_SC_PAGESIZE) * sizeof(entry));

	privilege_lower(raised);
	if (fd < 0)
		return false;
	written = pread(fd, &entry, sizeof(entry), offset) == (ssize_t)sizeof(entry);
	close(fd);
	return written && (entry & SOFT_DIRTY);
}

int page_file_node(uint32_t pid, uint64_t address)
{
	void *page = (void *)(uintptr_t)address; /* NOLINT: of another process, never dereferenced */
	uint64_t raised = privilege_raise(PRIVILEGE_NODE);
	int node = -ENOENT;

	if (syscall(SYS_move_pages, (pid_t)pid, 1UL, &page, NULL, &node, 0) < 0)
		node = -errno;
	privilege_lower(raised);
	return node;
}
