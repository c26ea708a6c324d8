/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pidfd, which since Linux 6.15 keeps the exit status of a process that its parent has reaped. */
#include <config.h>

#include "sys/exit_watch.h"

#include <errno.h>
#include <linux/types.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/system_call.h"

/* As linux/pidfd.h has it since Linux 6.15. */
struct exit_info {
	__u64 mask, cgroup;
	__u32 ids[11]; /* of the process and its users */
	__s32 exit_code;
};

#define GET_INFO _IOWR(0xFF, 11, struct exit_info)
#define INFO_EXIT (UINT64_C(1) << 3)

int exit_watch_open(uint32_t pid)
{
	int fd = (int)system_call(SYS_pidfd_open, (pid_t)pid, 0);

	return fd < 0 ? -errno : fd;
}

bool exit_watch_ended(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

bool exit_watch_reaped(int fd)
{
	return system_call(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 && errno == ESRCH;
}

bool exit_watch_status(int fd, int *status)
{
	struct exit_info info = { .mask = INFO_EXIT };

	if (fd < 0 || ioctl(fd, GET_INFO, &info) < 0 || !(info.mask & INFO_EXIT))
		return false;
	*status = info.exit_code;
	return true;
}
