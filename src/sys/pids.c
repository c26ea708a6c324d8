/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that /proc lists, by getdents64 on a directory that stays open. */
#include <config.h>

#include "sys/pids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/unknown.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/privilege.h"

#define TEXT_PART 4096 /* the most that /proc returns per read */
#define FILE_MAX ((size_t)256 * 1024 * 1024)
#define PART_MAX 1024            /* pids in a partial listing of new processes */
#define PARTS_MAX 7              /* partial listings before the next full one … */
#define PARTS_MAX_EXITS_KNOWN 60 /* … where it is for new processes alone */

static bool parse_pid(const char *name, uint32_t *pid)
{
	uint64_t value;

	if (*name == '0' || !span_whole_number(name, 1, INT32_MAX, &value))
		return false;
	*pid = (uint32_t)value;
	return true;
}

static int compare_pids(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

static int open_directory(struct env *env, off_t offset)
{
	struct env_pids *list = &env->pids;

	if (list->fd < 0)
		list->fd = root_open_at(&env->root, "proc", O_RDONLY | O_DIRECTORY);
	return list->fd < 0 || lseek(list->fd, offset, SEEK_SET) < 0 ? -errno : 0;
}

/* The entries at the current offset: their length, 0 at the end, or -errno. */
static ssize_t read_entries(struct env *env, int fd, void *entries, size_t room)
{
	ssize_t length = getdents64(fd, entries, room);

	env->reads++;
	return length < 0 ? -errno : length;
}

/* Each entry has the offset of the next one. */
static void add_entries(struct env_pids *list, const char *entries, ssize_t length)
{
	const struct dirent64 *before = NULL;

	for (ssize_t at = 0; at < length;) {
		const struct dirent64 *entry = (const void *)(entries + at);
		uint32_t pid;

		if (parse_pid(entry->d_name, &pid)) {
			list->sorted &= list->count == 0 || list->pids[list->count - 1] < pid;
			*VECTOR_ADD(list->pids, list->count, list->capacity) = pid;
			if (before)
				list->offset = (long)before->d_off - (long)pid;
		}
		before = entry;
		at += entry->d_reclen;
	}
}

/* The directory from the current offset to the end: 0 or -errno. */
static int read_all(struct env *env, int fd, struct env_pids *list)
{
	_Alignas(struct dirent64) char entries[16384];
	ssize_t length;

	list->count = 0;
	list->sorted = true;
	list->offset = -1;
	list->n_parts = 0;
	while ((length = read_entries(env, fd, entries, sizeof(entries))) > 0)
		add_entries(list, entries, length);
	if (!list->sorted) /* as in a copy of /proc */
		qsort(list->pids, list->count, sizeof(*list->pids), compare_pids);
	return (int)length;
}

int pids_threads(struct env *env, uint32_t pid, const uint32_t **tids, size_t *n_tids)
{
	char path[48];
	int fd, error;

	snprintf(path, sizeof(path), "proc/%u/task", pid);
	fd = root_open_at(&env->root, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return -errno;
	error = read_all(env, fd, &env->threads);
	close(fd);
	*tids = env->threads.pids;
	*n_tids = env->threads.count;
	return error;
}

/* Reads the pids above first up to last into pids, which has room for PART_MAX; their number, or -errno. */
static ssize_t read_part(struct env *env, uint32_t first, uint32_t last, uint32_t *pids)
{
	_Alignas(struct dirent64) char entries[2048];
	ssize_t length = open_directory(env, (off_t)first + 1 + env->pids.offset), n_pids = 0;

	if (length < 0)
		return length;
	while ((length = read_entries(env, env->pids.fd, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(entries + at);
			uint32_t pid;

			at += entry->d_reclen;
			if (!parse_pid(entry->d_name, &pid) || pid <= first)
				continue;
			if (pid > last)
				return n_pids;
			if (n_pids < PART_MAX)
				pids[n_pids++] = pid;
		}
	}
	return length < 0 ? length : n_pids;
}

/* Index of the first pid above this one. */
static size_t first_above(const struct env_pids *list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, list->count, list->pids[at] <= pid);
	return at;
}

static int update_part(struct env *env, uint32_t first, uint32_t last)
{
	struct env_pids *list = &env->pids;
	size_t start = first_above(list, first), end = first_above(list, last), count;
	uint32_t pids[PART_MAX];
	ssize_t n_pids = read_part(env, first, last, pids);

	if (n_pids < 0)
		return (int)n_pids;
	count = list->count - (end - start) + (size_t)n_pids;
	VECTOR_RESERVE(list->pids, count, list->capacity);
	memmove(list->pids + start + n_pids, list->pids + end, (list->count - end) * sizeof(*list->pids));
	memcpy(list->pids + start, pids, (size_t)n_pids * sizeof(*list->pids));
	list->count = count;
	return 0;
}

/* Are the new pids a known range? Not when pids may have wrapped. */
static bool knows_part(const struct env_pids *list, uint64_t tick, const struct env_pids_mark *now)
{
	const struct env_pids_mark *then = &list->marks[1];
	unsigned parts_max = list->exits_known ? PARTS_MAX_EXITS_KNOWN : PARTS_MAX;

	return list->tick + 1 == tick && list->error == 0 && list->sorted && list->offset >= 0 &&
	       list->n_parts < parts_max && then->forks != 0 && now->forks >= then->forks &&
	       now->forks - then->forks <= PART_MAX && now->last_pid >= then->last_pid &&
	       now->last_pid - then->last_pid <= PART_MAX;
}

/* A process whose pid was just allocated may be missing in the last listing: starts at the one before. */
static int update(struct env *env, const struct env_pids_mark *now)
{
	struct env_pids *list = &env->pids;
	const struct env_pids_mark then = list->marks[1];
	bool part = now && knows_part(list, env->tick, now);
	int error;

	list->marks[1] = list->marks[0];
	list->marks[0] = now ? *now : (struct env_pids_mark){ 0 };
	if (!part) {
		error = open_directory(env, 0);
		return error ? error : read_all(env, list->fd, list);
	}
	list->n_parts++;
	if (now->forks == then.forks)
		return 0;
	return update_part(env, (uint32_t)then.last_pid, (uint32_t)now->last_pid);
}

int pids_list_new(struct env *env, const struct env_pids_mark *now, const uint32_t **pids, size_t *n_pids)
{
	struct env_pids *list = &env->pids;

	if (list->tick != env->tick) {
		list->error = update(env, now);
		list->tick = env->tick;
	}
	if (list->error) {
		env_note_failure(env, "proc", list->error);
		return list->error;
	}
	*pids = list->pids;
	*n_pids = list->count;
	return 0;
}

int pids_list(struct env *env, const uint32_t **pids, size_t *n_pids)
{
	return pids_list_new(env, NULL, pids, n_pids);
}

/* The files of a process that need privileges. */
static enum privilege_use use_of(const struct root *root, const char *name)
{
	static const struct {
		const char *name;
		enum privilege_use use;
	} guarded[] = {
		{ "io", PRIVILEGE_IO },
		{ "maps", PRIVILEGE_MAPS },
		{ "smaps", PRIVILEGE_MAPS },
		{ "smaps_rollup", PRIVILEGE_MAPS },
		{ "numa_maps", PRIVILEGE_MAPS },
		{ "fd", PRIVILEGE_DETAILS },
		{ "fdinfo", PRIVILEGE_DETAILS },
		{ "cwd", PRIVILEGE_DETAILS },
		{ "exe", PRIVILEGE_DETAILS },
		{ "root", PRIVILEGE_DETAILS },
		{ "environ", PRIVILEGE_DETAILS },
		{ "syscall", PRIVILEGE_DETAILS },
		{ "wchan", PRIVILEGE_DETAILS },
		{ "pagemap", PRIVILEGE_PAGEMAP },
		{ "mem", PRIVILEGE_MEMORY },
		{ "clear_refs", PRIVILEGE_MARKS },
		{ "ns/net", PRIVILEGE_DETAILS },
	};

	if (strncmp(name, "task/", strlen("task/")) == 0 && strrchr(name, '/'))
		name = strrchr(name, '/') + 1;

	for (size_t i = 0; !root->is_tree && i < sizeof(guarded) / sizeof(guarded[0]); i++)
		if (guarded[i].name[0] == name[0] && strcmp(guarded[i].name, name) == 0)
			return guarded[i].use;
	return PRIVILEGE_NONE;
}

int pids_open_at(const struct root *root, uint32_t pid, const char *name, int flags)
{
	uint64_t raised = privilege_raise_for(use_of(root, name), pid);
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "proc/%u/%s", pid, name);
	fd = root_open_at(root, path, flags | O_NONBLOCK | O_NOCTTY);
	privilege_lower(raised);
	return fd < 0 ? -errno : fd;
}

int pids_open(struct env *env, uint32_t pid, const char *name, int flags)
{
	return pids_open_at(&env->root, pid, name, flags);
}

long pids_read_link(struct env *env, uint32_t pid, const char *name, char *target, size_t room)
{
	uint64_t raised = privilege_raise_for(use_of(&env->root, name), pid);
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "proc/%u/%s", pid, name);
	length = root_read_link(&env->root, path, target, room);
	env->reads++;
	privilege_lower(raised);
	return length < 0 ? -errno : length;
}

/* Some files, such as io, check privileges again at each read. */
static long read_file(struct env *env, int fd, uint32_t pid, const char *name, char *bytes, size_t room)
{
	uint64_t raised = privilege_raise_for(use_of(&env->root, name), pid);
	ssize_t length = pread(fd, bytes, room, 0);

	env->reads++;
	privilege_lower(raised);
	return length < 0 ? -errno : length;
}

long pids_read(struct env *env, uint32_t pid, const char *name, char *bytes, size_t room)
{
	int fd = pids_open(env, pid, name, O_RDONLY);
	long length;

	if (fd < 0)
		return fd;
	length = read_file(env, fd, pid, name, bytes, room);
	close(fd);
	return length;
}

int pids_read_most(struct env *env, uint32_t pid, const char *name, size_t most, struct buffer *text)
{
	int fd = pids_open(env, pid, name, O_RDONLY);
	uint64_t raised;
	char bytes[TEXT_PART];
	ssize_t length;

	if (fd < 0)
		return fd;
	buffer_empty(text);
	raised = privilege_raise_for(use_of(&env->root, name), pid);
	do {
		length = read(fd, bytes, sizeof(bytes));
		env->reads++;
		if (length > 0)
			buffer_add(text, bytes, (size_t)length);
	} while (length > 0 && text->length < most);
	length = length < 0 ? -errno : 0;
	privilege_lower(raised);
	close(fd);
	return (int)length;
}

int pids_read_text(struct env *env, uint32_t pid, const char *name, struct buffer *text)
{
	return pids_read_most(env, pid, name, FILE_MAX, text);
}

bool pids_owner(const struct env *env, uint32_t pid, uint32_t *uid)
{
	struct stat status;
	char path[64];
	int fd = -1, error;

	snprintf(path, sizeof(path), "proc/%u", pid);
	if (env->live) {
		error = fstatat(env->root.fd, path, &status, AT_SYMLINK_NOFOLLOW);
	} else {
		fd = root_open_at(&env->root, path, O_PATH | O_NOFOLLOW);
		error = fd < 0 ? -1 : fstat(fd, &status);
	}
	descriptor_close(fd);
	if (error < 0)
		return false;
	*uid = status.st_uid;
	return true;
}

long pids_read_kept(struct env *env, int *file, uint32_t pid, const char *name, char *bytes, size_t room)
{
	long length;

	if (*file < 0) {
		*file = pids_open(env, pid, name, O_RDONLY);
		if (*file < 0) {
			length = *file;
			*file = -1;
			return length;
		}
		env->pids.n_kept++;
	}
	length = read_file(env, *file, pid, name, bytes, room);
	if (length < 0 || env->pids.n_kept > env->pids.kept_max)
		pids_release(env, file);
	return length;
}

void pids_release(struct env *env, int *file)
{
	if (*file < 0)
		return;
	close(*file);
	*file = -1;
	env->pids.n_kept--;
}

/* Reads directory entries from where the last turn ended, and only as many as a turn allows. */

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

/* Where the descriptor with this name points; length: -1 with errno. False: it was closed meanwhile. */
static bool read_link(struct reading *reading, const char *name, uint64_t *fd, char *target, size_t room,
		      ssize_t *length)
{
	if (!span_whole_number(name, 0, INT32_MAX, fd))
		return false;
	*length = readlinkat(reading->directory, name, target, room);
	reading->env->reads++;
	return *length >= 0 || errno != ENOENT;
}

/* False: it was closed meanwhile. */
static bool read_descriptor(struct reading *reading, const char *name)
{
	char target[PATH_MAX], bytes[INFO_MAX];
	struct open_file file = { 0 };
	ssize_t length;
	uint64_t fd;
	int info;

	if (!read_link(reading, name, &fd, target, sizeof(target), &length))
		return false;
	file.fd = (uint32_t)fd;
	file.link_error = length < 0 ? -errno : 0;
	file.link = span_of(target, length > 0 ? (size_t)length : 0);
	if (reading->prefix && !span_starts(file.link, reading->prefix))
		return true;
	info = reading->infos < 0 ? -1 : openat(reading->infos, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	length = info < 0 ? 0 : read(info, bytes, sizeof(bytes));
	reading->env->reads += info >= 0;
	descriptor_close(info);
	file.info = span_of(bytes, length > 0 ? (size_t)length : 0);
	reading->found(reading->context, &file);
	return true;
}

/* "socket:[12345]". False: it is not open. */
static bool read_socket(struct reading *reading, const char *name)
{
	static const char prefix[] = "socket:[";
	char target[64];
	struct span rest;
	uint64_t fd, inode;
	ssize_t length;

	if (!read_link(reading, name, &fd, target, sizeof(target), &length))
		return false;
	rest = span_of(target, length > 0 ? (size_t)length : 0);
	if (!span_starts(rest, prefix))
		return true;
	rest.at += sizeof(prefix) - 1;
	if (span_u64(&rest, &inode))
		reading->done = !reading->found_socket(reading->context, (uint32_t)fd, inode);
	return true;
}

/* Each entry has the position of the next one. */
static long read_turn(struct reading *reading, bool (*read_one)(struct reading *, const char *),
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
	reading->infos = reading->prefix || reading->found_socket
				 ? -1
				 : pids_open(env, pid, "fdinfo", O_RDONLY | O_DIRECTORY);
	raised = env->live ? privilege_raise_for(PRIVILEGE_DETAILS, pid) : 0;
	n_read = read_turn(reading, reading->found_socket ? read_socket : read_descriptor, cookie, most);
	privilege_lower(raised);
	close(reading->directory);
	descriptor_close(reading->infos);
	return n_read;
}

long open_files_read(struct env *env, uint32_t pid, uint64_t *cookie, size_t most,
		     void (*found)(void *context, const struct open_file *file), void *context)
{
	return open_files_below(env, pid, NULL, cookie, most, found, context);
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
	descriptor_close(file);
	return length;
}

long open_files_sockets(struct env *env, uint32_t pid, uint64_t *cookie, size_t most, open_files_found *found,
			void *context)
{
	struct reading reading = { .env = env, .found_socket = found, .context = context };

	return read_files(&reading, pid, cookie, most);
}

#define TRIES 32 /* between two looks at the clock */

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

		if (fd < n_known && (known[fd / 64] >> fd % 64 & 1))
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

/* PAGEMAP_SCAN, with definitions that linux/fs.h before 6.7 lacks. */

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

	descriptor_close(fd);
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
	descriptor_close(fd);
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
	descriptor_close(fd);
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
