/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of a group is the handle of its directory. */
#include <config.h>

#include "sys/cgroup_path.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/privilege.h"
#include "sys/system_call.h"

#define HANDLE_KERNFS 0xfe /* FILEID_KERNFS of linux/exportfs.h */

static ssize_t name_of(int fd, char name[PATH_MAX])
{
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, PATH_MAX - 1);
	name[length < 0 ? 0 : length] = '\0';
	return length;
}

bool cgroup_path_by_number(int mount, uint64_t number, char *path, size_t room)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(number)];
	} of = { .handle = { .handle_bytes = sizeof(number), .handle_type = HANDLE_KERNFS } };
	char top[PATH_MAX], name[PATH_MAX];
	uint64_t raised = privilege_raise(PRIVILEGE_TRACING);
	ssize_t above;
	int fd;

	memcpy(of.handle.f_handle, &number, sizeof(number));
	fd = system_call_by(SYS_open_by_handle_at,
			    open_by_handle_at(mount, &of.handle, O_PATH | O_CLOEXEC));
	privilege_lower(raised);
	if (fd < 0)
		return false;
	above = name_of(mount, top);
	if (name_of(fd, name) < above || above < 0 || memcmp(name, top, (size_t)above) != 0)
		above = -1;
	close(fd);
	return above >= 0 && snprintf(path, room, "%s", name[above] ? name + above : "/") < (int)room;
}
