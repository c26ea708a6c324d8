/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows the program it is preloaded into the directory RESCTRL as /sys/fs/resctrl, and is the kernel of it: a
 * new monitoring group has files, which go with it. RESCTRL.groups is what proc says of every process.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOUNT "sys/fs/resctrl"

static const char *const files[] = { "tasks", "mon_data/mon_L3_00/llc_occupancy" };
static const char *const directories[] = { "mon_data", "mon_data/mon_L3_00" };

/* The path that stands for it, in place when it is another one. */
static const char *mapped(const char *path, char place[4096])
{
	const char *root = getenv("RESCTRL");

	if (root && strncmp(path, MOUNT, strlen(MOUNT)) == 0)
		snprintf(place, 4096, "%s%s", root, path + strlen(MOUNT));
	else if (root && strstr(path, "/cpu_resctrl_groups"))
		snprintf(place, 4096, "%s.groups", root);
	else
		return path;
	return place;
}

static int is_group(const char *path)
{
	return strstr(path, "mon_groups/panetop-") != NULL;
}

static int open_mapped(int directory, const char *path, int flags, mode_t mode)
{
	char place[4096];

	return (int)syscall(SYS_openat, directory, mapped(path, place), flags, mode);
}

#define OPEN(name)                                                                                           \
	int name(int directory, const char *path, int flags, ...);                                           \
	int name(int directory, const char *path, int flags, ...)                                            \
	{                                                                                                    \
		va_list list;                                                                                \
		mode_t mode = 0;                                                                             \
                                                                                                             \
		va_start(list, flags);                                                                       \
		if (flags & (O_CREAT | __O_TMPFILE))                                                         \
			mode = va_arg(list, mode_t);                                                         \
		va_end(list);                                                                                \
		return open_mapped(directory, path, flags, mode);                                            \
	}

OPEN(openat)
OPEN(openat64)
OPEN(__openat_2)
OPEN(__openat64_2)

int faccessat(int directory, const char *path, int mode, int flags)
{
	char place[4096];

	(void)flags;
	return (int)syscall(SYS_faccessat, directory, mapped(path, place), mode);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
	char place[4096];

	if (syscall(SYS_mkdirat, directory, mapped(path, place), mode) < 0)
		return -1;
	for (unsigned i = 0; i < 2 && is_group(path); i++) {
		snprintf(place, sizeof(place), "%s/%s", path, directories[i]);
		syscall(SYS_mkdirat, directory, place, 0755);
	}
	for (unsigned i = 0; i < 2 && is_group(path); i++) {
		snprintf(place, sizeof(place), "%s/%s", path, files[i]);
		close((int)syscall(SYS_openat, directory, place, O_CREAT | O_WRONLY, 0644));
	}
	return 0;
}

int unlinkat(int directory, const char *path, int flags)
{
	char place[4096], below[8192];

	path = mapped(path, place);
	for (unsigned i = 0; i < 2 && is_group(path); i++) {
		snprintf(below, sizeof(below), "%s/%s", path, files[1 - i]);
		syscall(SYS_unlinkat, directory, below, 0);
	}
	for (unsigned i = 0; i < 2 && is_group(path); i++) {
		snprintf(below, sizeof(below), "%s/%s", path, directories[1 - i]);
		syscall(SYS_unlinkat, directory, below, AT_REMOVEDIR);
	}
	return (int)syscall(SYS_unlinkat, directory, path, flags);
}

#ifdef SYS_newfstatat
#define FSTATAT SYS_newfstatat
#else
#define FSTATAT SYS_fstatat64
#endif

int fstatat(int directory, const char *path, struct stat *status, int flags)
{
	char place[4096];

	return (int)syscall(FSTATAT, directory, mapped(path, place), status, flags);
}

int fstatat64(int directory, const char *path, struct stat64 *status, int flags)
{
	char place[4096];

	return (int)syscall(FSTATAT, directory, mapped(path, place), status, flags);
}
