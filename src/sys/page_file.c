/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of page_file.h, with definitions that linux/fs.h before 6.7 lacks. */
#include <config.h>

#include "sys/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/privilege.h"

#define SOFT_DIRTY (UINT64_C(1) << 55)
#define FRAME (SOFT_DIRTY - 1)
#define FLAG_KSM (UINT64_C(1) << 21) /* of kpageflags */

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

bool page_file_data(int fd, uint64_t first, uint64_t *entry)
{
	off_t found = lseek(fd, (off_t)(first * sizeof(*entry)), SEEK_DATA);

	if (found < 0 && errno == ENXIO) /* no more data */
		found = lseek(fd, 0, SEEK_END);
	if (found < 0)
		return false;
	*entry = (uint64_t)found / sizeof(*entry);
	return true;
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

bool page_file_has_scan(struct env *env, int fd)
{
	struct page_range ranges[PAGE_SCAN_RANGES];
	uint64_t start = 0;

	return page_file_scan(env, fd, &start, env->page_bytes, PAGE_SCAN_ZERO, 0, ranges) != -ENOTTY;
}

long page_file_bytes(int fd, uint64_t address, void *bytes, size_t n)
{
	ssize_t length = pread(fd, bytes, n, (off_t)address);

	return length < 0 ? -errno : length;
}

/* The entry of a page of this process; its frame needs the privilege. */
static bool own_entry(const void *address, uint64_t *entry)
{
	uint64_t raised = privilege_raise(PRIVILEGE_PAGEMAP); /* with file capabilities root owns our own */
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t offset = (off_t)((uintptr_t)address / (uintptr_t)sysconf(_SC_PAGESIZE) * sizeof(*entry));
	bool got;

	privilege_lower(raised);
	got = fd >= 0 && pread(fd, entry, sizeof(*entry), offset) == (ssize_t)sizeof(*entry);
	if (fd >= 0)
		close(fd);
	return got;
}

static bool written_entry(uint64_t *entry)
{
	volatile uint64_t written = 1; /* writes to its page */

	return own_entry((const void *)&written, entry);
}

bool page_file_has_soft_dirty(void)
{
	uint64_t entry;

	return written_entry(&entry) && (entry & SOFT_DIRTY);
}

bool page_file_lacks_soft_dirty(void)
{
	uint64_t entry;

	return written_entry(&entry) && !(entry & SOFT_DIRTY);
}

bool page_file_has_ksm_flag(const struct env *env)
{
	size_t length = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t entry = 0, flags = 0;
	int fd = page_file_open(env, "proc/kpageflags");

	if (page != MAP_FAILED) {
		*page = 1;
		if (fd < 0 || !own_entry((const void *)page, &entry) || !(entry & FRAME) ||
		    pread(fd, &flags, sizeof(flags), (off_t)((entry & FRAME) * sizeof(flags))) < 0)
			flags = 0;
		munmap((void *)page, length);
	}
	if (fd >= 0)
		close(fd);
	return !(flags & FLAG_KSM);
}

int page_file_nodes(uint32_t pid, void **addresses, int *nodes, size_t n)
{
	uint64_t raised = privilege_raise(PRIVILEGE_NODE);
	long failed = system_call(SYS_move_pages, (pid_t)pid, (unsigned long)n, addresses, NULL, nodes, 0);
	int error = failed < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

int page_file_node(uint32_t pid, uint64_t address)
{
	void *page = (void *)(uintptr_t)address; /* NOLINT: of another process, never dereferenced */
	int node = -ENOENT, error = page_file_nodes(pid, &page, &node, 1);

	return error ? error : node;
}

bool page_file_hides_marked(void)
{
	size_t length = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool hides = false;

	if (page == MAP_FAILED)
		return false;
	*page = 1;
	if (page_file_node(env_self_pid(), (uintptr_t)page) >= 0 &&
	    mprotect((void *)page, length, PROT_NONE) == 0) /* marks are made in the same way */
		hides = page_file_node(env_self_pid(), (uintptr_t)page) < 0;
	munmap((void *)page, length);
	return hides;
}
