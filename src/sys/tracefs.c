/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens tracefs: where it is mounted, else by a detached mount. */
#include <config.h>

#include "sys/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <unistd.h>

#include "sys/privilege.h"
#include "sys/system_call.h"

static int open_directory(const struct env *env, const char *path)
{
	int fd = root_open_at(&env->root, path, O_DIRECTORY | O_RDONLY), events, error;

	if (fd < 0)
		return -errno;
	events = openat(fd, "events", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	error = -errno;
	if (events < 0) {
		close(fd);
		return error;
	}
	close(events);
	return fd;
}

/* A detached mount, which ends with its descriptor. */
static int open_detached(void)
{
	int context = (int)system_call(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd = -1, error;

	if (context < 0)
		return -errno;
	if (system_call(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)system_call(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOEXEC);
	error = -errno;
	close(context);
	return fd < 0 ? error : fd;
}

int tracefs_open(const struct env *env, const char *path)
{
	uint64_t raised = privilege_raise(PRIVILEGE_TRACING);
	int found = open_directory(env, path);

	if (found == -ENOENT && env->live) {
		int detached = open_detached();

		found = detached >= 0 ? detached : found;
	}
	privilege_lower(raised);
	return found;
}

long tracefs_read(int tracefs, const char *path, char *bytes, size_t room)
{
	uint64_t raised = privilege_raise(PRIVILEGE_TRACING);
	int fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC), error;
	size_t length = 0;
	ssize_t more;

	privilege_lower(raised);
	if (fd < 0)
		return -errno;
	while ((more = read(fd, bytes + length, room - length)) > 0) /* a page at a time */
		length += (size_t)more;
	error = errno;
	close(fd);
	return more < 0 ? -error : (long)length;
}
