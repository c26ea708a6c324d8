/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of control groups, as several kernels print them. */
#include "suite.h"

#include <dirent.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "kernel/cgroup.h"
#include "sys/env.h"

START_TEST(mounts_of_hierarchies)
{
	struct span text =
		span_text("24 1 0:22 / /sys rw - sysfs sysfs rw\n"
			  "42 31 0:39 /docker /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
			  "41 31 0:38 / /cg\\040x rw - cgroup2 cgroup2 rw\n");
	static struct cgroup_mount mount;

	ck_assert(cgroup_mount_next(&text, &mount));
	ck_assert_int_eq(mount.version, 1);
	ck_assert(cgroup_mount_has(&mount, "cpuacct") && !cgroup_mount_has(&mount, "cpua"));
	ck_assert_str_eq(mount.point, "sys/fs/cgroup/cpu,cpuacct");
	ck_assert(cgroup_mount_next(&text, &mount));
	ck_assert_int_eq(mount.version, 2);
	ck_assert_str_eq(mount.point, "cg x");
	ck_assert(!cgroup_mount_next(&text, &mount));
}

/* The number of this directory below one of cgroup2, or skips the test. */
static uint64_t number_of(int mount, const char *name)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} of = { .handle = { .handle_bytes = MAX_HANDLE_SZ } };
	uint64_t number;
	int id;

	if (name_to_handle_at(mount, name, &of.handle, &id, 0) < 0 ||
	    of.handle.handle_bytes != sizeof(number))
		skip_test("groups have no numbers before Linux 5.5");
	memcpy(&number, of.handle.f_handle, sizeof(number));
	return number;
}

/* Where cgroup2 is mounted; -1: nowhere. */
static int open_groups(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int mount = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (mount >= 0 && fstatfs(mount, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return mount;
		if (mount >= 0)
			close(mount);
	}
	return -1;
}

START_TEST(groups_have_paths_by_their_numbers)
{
	int mount = open_groups();
	DIR *groups = mount < 0 ? NULL : fdopendir(dup(mount));
	char path[300], wanted[300] = "";
	const struct dirent *entry;

	if (!groups)
		skip_test("there is no cgroup2");
	while (!*wanted && (entry = readdir(groups)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			snprintf(wanted, sizeof(wanted), "/%s", entry->d_name);
	closedir(groups);
	if (!cgroup_path_by_number(mount, number_of(mount, "."), path, sizeof(path)))
		skip_test("a right is missing");
	ck_assert_str_eq(path, "/");
	ck_assert(!cgroup_path_by_number(mount, UINT64_MAX, path, sizeof(path)));
	if (*wanted) {
		uint64_t number = number_of(mount, wanted + 1);

		ck_assert(cgroup_path_by_number(mount, number, path, sizeof(path)));
		ck_assert_str_eq(path, wanted);
		ck_assert(cgroup_path_by_number(mount, number, path, strlen(wanted) + 1));
		ck_assert_str_eq(path, wanted);
		ck_assert(!cgroup_path_by_number(mount, number, path, strlen(wanted)));
	}
	close(mount);
}
