/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which capability is needed for which call, and what that gives: one list for the code and for --probe. */
#include <config.h>

#include <linux/capability.h>

#include "core/i18n.h"
#include "sys/privilege.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define ROW(of, takes, in, what) \
	.use = PRIVILEGE_##of, .capability = takes, .call = in, .gives = what

const struct privilege_row privilege_rows[] = {
	{ ROW(HIDDEN, CAP_SYS_PTRACE, "/proc/PID",
	      N_("processes of others where proc hides them (hidepid)")) },
	{ ROW(IO, CAP_SYS_PTRACE, "/proc/PID/io", N_("what processes of others read")) },
	{ ROW(IO, CAP_DAC_READ_SEARCH, "/proc/PID/io", N_("what processes of others read")) },
	{ ROW(MAPS, CAP_SYS_PTRACE, "/proc/PID/maps, smaps", N_("regions of processes of others")) },
	{ ROW(PAGEMAP, CAP_SYS_PTRACE, "/proc/PID/pagemap", N_("pages of processes of others")) },
	{ ROW(PAGEMAP, CAP_DAC_READ_SEARCH, "/proc/PID/pagemap", N_("pages of processes of others")) },
	{ ROW(PAGEMAP, CAP_SYS_ADMIN, "/proc/PID/pagemap", N_("numbers of page frames")) },
	{ ROW(MEMORY, CAP_SYS_PTRACE, "/proc/PID/mem", N_("contents of pages of others")) },
	{ ROW(MEMORY, CAP_DAC_READ_SEARCH, "/proc/PID/mem", N_("contents of pages of others")) },
	{ ROW(NODE, CAP_SYS_PTRACE, "move_pages(2)", N_("the memory node of pages of others")) },
	{ ROW(FILES, CAP_DAC_READ_SEARCH, "energy_uj, /proc/kpage*, tracing/events",
	      N_("energy counters, flags of page frames, tracepoints")) },
	{ ROW(PERF, CAP_PERFMON, "perf_event_open(2)", N_("events and counters of all processes and CPUs")) },
	{ ROW(PERF, CAP_SYS_ADMIN, "perf_event_open(2)",
	      N_("events and counters where the kernel refuses them to cap_perfmon")) },
	{ ROW(RINGS, CAP_IPC_LOCK, "mmap(2) of perf events",
	      N_("rings that hold what comes between two looks")) },
	{ ROW(TRACING, CAP_DAC_READ_SEARCH, "tracing/events/sched",
	      N_("arguments of programs that start")) },
	{ ROW(TRACING, CAP_SYS_ADMIN, "fsopen(2)",
	      N_("arguments of programs that start, where tracefs is not mounted")) },
	{ ROW(NETLINK, CAP_NET_ADMIN, "netlink(7)", N_("processes that end: exit records, proc connector")) },
	{ ROW(REAL_TIME, CAP_SYS_NICE, "sched_setattr(2)",
	      N_("real-time priority for threads that measure")) },
	{ ROW(LOCK, CAP_IPC_LOCK, "mlock(2), mlockall(2)",
	      N_("memory that stays while latency is measured")) },
	{ ROW(AWAKE, CAP_DAC_OVERRIDE, "/dev/cpu_dma_latency",
	      N_("idle states held off by --cpu-dma-latency")) },
	{ ROW(SIGNAL, CAP_KILL, "pidfd_send_signal(2)", N_("signals to processes of others")), .acts = true },
	{ ROW(NICE, CAP_SYS_NICE, "setpriority(2)", N_("priorities of processes of others")), .acts = true },
	{ ROW(MARKS, CAP_DAC_OVERRIDE, "/proc/PID/clear_refs",
	      N_("clearing the marks of writing of others")), .acts = true },
	{ ROW(DROP_CACHES, PRIVILEGE_USER_0, "/proc/sys/vm/drop_caches",
	      N_("dropping the caches")), .acts = true },
	{ ROW(TREE, CAP_DAC_READ_SEARCH, "--root", N_("files of another root, for user 0")) },
	{ ROW(TREE, CAP_SYS_PTRACE, "--root", N_("files of another root, for user 0")) },
};

const unsigned n_privilege_rows = sizeof(privilege_rows) / sizeof(privilege_rows[0]);

uint64_t privilege_acting(uint64_t uses)
{
	uint64_t acting = 0;

	for (unsigned i = 0; i < n_privilege_rows; i++)
		acting |= privilege_rows[i].acts ? PRIVILEGE_BIT(privilege_rows[i].use) : 0;
	return uses & acting;
}
