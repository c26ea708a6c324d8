/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open(2), which the C library has no function for. */
#include <config.h>

#include "sys/machine_perf.h"

#include <sys/ioctl.h>

#include "sys/system_call.h"

static int real_open(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		     int leader)
{
	long fd = system_call(SYS_perf_event_open, attr, tid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	(void)perf;
	return fd < 0 ? -errno : (int)fd;
}

static int real_control(const struct machine_perf *perf, int event, unsigned long request,
			unsigned long argument)
{
	(void)perf;
	return ioctl(event, request, argument) < 0 ? -errno : 0;
}

const struct machine_perf real_perf = { real_open, real_control };
