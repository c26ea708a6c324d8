/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open(2): opening and reading groups of events. */
#include <config.h>

#include "sys/perf.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/privilege.h"

int perf_open(const struct perf_event_attr *attr, int tid, int cpu, int leader)
{
	uint64_t raised = privilege_raise(PRIVILEGE_PERF);
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	privilege_lower(raised);
	return fd < 0 ? -errno : (int)fd;
}

int perf_start(int leader)
{
	return ioctl(leader, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

long perf_read(int leader, void *bytes, size_t room)
{
	ssize_t length = read(leader, bytes, room);

	return length < 0 ? -errno : (long)length;
}
