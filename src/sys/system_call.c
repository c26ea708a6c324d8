/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which system calls a filter answers by ending the process: a child makes each of them, with nonsense. */
#include <config.h>

#include "sys/system_call.h"

#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* What filters refuse or are too old to know; what every program needs is not asked for. */
static struct {
	long number;
	bool kills;
} calls[] = {
	{ SYS_bpf, false },
	{ SYS_capset, false },
	{ SYS_close_range, false },
	{ SYS_fsconfig, false },
	{ SYS_fsmount, false },
	{ SYS_fsopen, false },
	{ SYS_ioprio_get, false },
	{ SYS_ioprio_set, false },
	{ SYS_mlock, false },
	{ SYS_mlockall, false },
	{ SYS_move_pages, false },
	{ SYS_open_by_handle_at, false },
	{ SYS_openat2, false },
	{ SYS_perf_event_open, false },
	{ SYS_pidfd_open, false },
	{ SYS_pidfd_send_signal, false },
	{ SYS_sched_setaffinity, false },
	{ SYS_sched_setattr, false },
	{ SYS_sched_setscheduler, false },
	{ SYS_setfsgid, false },
	{ SYS_setfsuid, false },
	{ SYS_setns, false },
	{ SYS_setpriority, false },
	{ SYS_statx, false },
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static bool filtered;

/* Each call refuses these arguments before it does anything. */
static void make_calls(volatile size_t *at)
{
	signal(SIGSYS, SIG_DFL);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no core file */
	for (; *at < N_CALLS; (*at)++)
		syscall(calls[*at].number, -1L, -1L, -1L, -1L, -1L, -1L);
	_exit(0);
}

/* False: the child has come to the end, or there is none. */
static bool goes_on(volatile size_t *at)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		make_calls(at);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (child < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
		return false;
	calls[(*at)++].kills = true;
	return *at < N_CALLS;
}

void system_calls_try(void)
{
	volatile size_t *at;

	filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
	if (!filtered)
		return;
	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return;
	while (goes_on(at))
		;
	munmap((void *)at, sizeof(*at));
}

bool system_calls_filtered(void)
{
	return filtered;
}

bool system_call_kills(long number)
{
	for (size_t i = 0; filtered && i < N_CALLS; i++)
		if (calls[i].number == number)
			return calls[i].kills;
	return false;
}
