/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads stat, status and cgroup of single processes, never more than a few in a round. */
#include <config.h>

#include "topic/event/event_learn.h"

#include <errno.h>
#include <string.h>

#include "kernel/pid_stat.h"
#include "kernel/pid_status.h"
#include "sys/pids.h"

#define FILE_BYTES ((size_t)4096)
#define MEMORY_NS UINT64_C(100000000)

/* Events have the pids of our pid namespace. */
static struct span read_file(struct event_join *join, uint32_t pid, const char *name, char *bytes)
{
	long length = join->env->foreign_pids ? -EXDEV : pids_read(join->env, pid, name, bytes, FILE_BYTES);

	return span_of(bytes, length > 0 ? (size_t)length : 0);
}

static uint64_t tick_ns(const struct event_join *join)
{
	return UINT64_C(1000000000) / join->env->ticks_per_second;
}

static uint64_t start_ns(const struct event_join *join, const struct pid_stat *stat)
{
	uint64_t boot_ns = stat->start_ticks * tick_ns(join);

	return boot_ns > (uint64_t)join->boot_ahead_ns ? boot_ns - (uint64_t)join->boot_ahead_ns : 0;
}

static void take_places(struct event_process *process, const struct pid_stat *stat)
{
	process->terminal = stat->terminal;
	process->group = stat->process_group;
	process->session = stat->session;
}

static void take_comm(struct event_process *process, const struct pid_stat *stat)
{
	size_t length = span_length(stat->comm);
	char comm[EVENT_COMM_BYTES + 1] = "";

	memcpy(comm, stat->comm.at, length < EVENT_COMM_BYTES ? length : EVENT_COMM_BYTES);
	event_process_rename(process, comm, stat->flags & PID_FLAG_KERNEL_THREAD);
}

static bool read_stat(struct event_join *join, struct event_process *process)
{
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (!pid_stat_parse(read_file(join, process->pid, "stat", bytes), &stat))
		return false;
	process->start_ns = start_ns(join, &stat);
	process->start_ticks = stat.start_ticks;
	process->parent_pid = (uint32_t)stat.parent_pid;
	take_places(process, &stat);
	take_comm(process, &stat);
	return true;
}

static void read_users(struct event_join *join, struct event_process *process)
{
	char bytes[FILE_BYTES];

	pid_status_uids(read_file(join, process->pid, "status", bytes), &process->real_uid,
			&process->effective_uid);
}

static void read_cgroup(struct event_join *join, struct event_process *process)
{
	char bytes[FILE_BYTES];
	struct span text = read_file(join, process->pid, "cgroup", bytes);

	if (span_length(text) > 0)
		process->in_cgroup = event_cgroup_matches(text, join->choice.cgroup);
}

/* Does it descend from the root of the tree? Parents are known before their children, as pids go up. */
static bool is_in_tree(struct event_join *join, const struct event_process *process)
{
	for (unsigned depth = 0; process && depth < 64; depth++) {
		if (process->pid == join->choice.tree)
			return true;
		process = event_processes_find(join->processes, process->parent_pid);
	}
	return false;
}

static void find_places(struct event_join *join, struct event_process *process)
{
	if (join->choice.tree)
		process->in_tree = is_in_tree(join, process);
	if (*join->choice.cgroup)
		read_cgroup(join, process);
}

struct event_process *event_learn(struct event_join *join, uint32_t pid)
{
	struct event_process *process = event_processes_add(join->processes, pid);

	if (pid == 0 || join->reads_left == 0)
		return process;
	join->reads_left--;
	if (!read_stat(join, process))
		return process;
	read_users(join, process);
	find_places(join, process);
	return process;
}

void event_learn_again(struct event_join *join, struct event_process *process, bool comm_told)
{
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (*join->choice.cgroup)
		read_cgroup(join, process);
	if (join->reads_left == 0 && !join->choice.group)
		return;
	join->reads_left -= join->reads_left > 0;
	if (pid_stat_parse(read_file(join, process->pid, "stat", bytes), &stat)) {
		take_places(process, &stat);
		if (!comm_told)
			take_comm(process, &stat);
	}
	if (!join->told_users)
		read_users(join, process);
}

/* Its fork was told a moment later than it is said to have started, which may be in the tick after. */
void event_learn_start(struct event_join *join, struct event_process *process)
{
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (process->start_ticks != U64_UNKNOWN || process->start_ns == U64_UNKNOWN)
		return;
	process->start_ticks = (process->start_ns + (uint64_t)join->boot_ahead_ns) / tick_ns(join);
	if (join->reads_left == 0 || process->end_ns)
		return;
	join->reads_left--;
	if (pid_stat_parse(read_file(join, process->pid, "stat", bytes), &stat))
		process->start_ticks = stat.start_ticks;
}

void event_learn_memory(struct event_join *join, struct event_process *process, uint64_t time_ns)
{
	char bytes[FILE_BYTES];
	struct pid_status status;
	struct span text;

	if (join->reads_left == 0 || process->end_ns || time_ns < process->read_ns + MEMORY_NS)
		return;
	join->reads_left--;
	process->read_ns = time_ns;
	text = read_file(join, process->pid, "status", bytes);
	pid_status_parse(text, &status);
	process->resident_bytes = status.vm_resident;
	process->page_table_bytes = status.vm_page_tables;
}

void event_learn_all(struct event_join *join)
{
	const uint32_t *pids;
	size_t n_pids;

	join->env->tick++;
	if (join->env->foreign_pids || pids_list(join->env, &pids, &n_pids))
		return;
	for (size_t i = 0; i < n_pids; i++) {
		if (event_processes_find(join->processes, pids[i]))
			continue;
		join->reads_left = 1;
		event_learn(join, pids[i]);
	}
}

void event_learn_choice(struct event_join *join, const struct event_choice *choice)
{
	bool places = choice->tree != join->choice.tree || strcmp(choice->cgroup, join->choice.cgroup) != 0;
	const uint32_t *pids;
	size_t n_pids;

	join->choice = *choice;
	join->env->tick++;
	if (!places || pids_list(join->env, &pids, &n_pids))
		return;
	for (size_t i = 0; i < n_pids; i++) {
		struct event_process *process = event_processes_find(join->processes, pids[i]);

		if (process)
			find_places(join, process);
	}
}
