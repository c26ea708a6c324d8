/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens an event for each CPU, or for each thread of own processes on each CPU. */
#include <config.h>

#include "topic/profile/profile_events.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/vector.h"
#include "kernel/perf_record.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/system.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "sys/pids.h"

#define ONLINE_CPUS "sys/devices/system/cpu/online"
#define RING_BYTES ((size_t)1 << 19)
#define OWN_RING_BYTES ((size_t)1 << 18) /* of what an ordinary user may lock: 516 KiB for each CPU */
#define STACK_BYTES 8192
#define NS_PER_SECOND UINT64_C(1000000000)
#define OWN_EVENTS_MAX 512
#define STAT_BYTES 1024

/* What the kernel takes as a rate: of a clock ns, of cycles samples a second, for which it finds their
 * number. */
static uint64_t period_of(const struct profile_events *events, unsigned rate)
{
	return events->by_cycles ? rate : NS_PER_SECOND / rate;
}

static struct perf_event_attr attr_of(const struct profile_events *events)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = events->by_cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = events->by_cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.freq = events->by_cycles,
		.sample_period = period_of(events, events->rate),
		.sample_type = PROFILE_SAMPLE_TYPE,
		.sample_regs_user = PROFILE_REGISTERS,
		.sample_stack_user = STACK_BYTES,
		.exclude_callchain_user = 1, .exclude_idle = 1,
		.exclude_kernel = events->own_only,
		.exclude_hv = events->own_only,
		.inherit = events->own_only,
		.sample_id_all = 1, .mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)events->ring_bytes / 2,
	};
}

/* Owns the ring of a CPU, for the events of tasks; counts nothing itself. */
static int open_owner(const struct profile_events *events, uint32_t cpu)
{
	struct perf_event_attr attr = attr_of(events);

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.freq = 0;
	attr.inherit = attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 0;
	attr.sample_period = 0;
	return perf_open(events->env->perf, &attr, 0, (int)cpu, -1);
}

static int open_ring(struct profile_events *events, uint32_t cpu)
{
	struct perf_event_attr attr = attr_of(events);
	int fd = events->own_only ? open_owner(events, cpu)
				  : perf_open(events->env->perf, &attr, -1, (int)cpu, -1);

	if (fd < 0)
		return fd;
	*VECTOR_ADD(events->cpus, events->n_rings, events->cpu_capacity) = cpu;
	events->n_rings--;
	*VECTOR_ADD(events->rings, events->n_rings, events->ring_capacity) = fd;
	return 0;
}

static void close_rings(struct profile_events *events)
{
	for (size_t i = 0; i < events->n_rings; i++)
		close(events->rings[i]);
	events->n_rings = 0;
}

bool profile_events_fit(const struct profile_events *events)
{
	struct span online;
	uint32_t first, last;
	size_t n = 0;

	if (env_read(events->env, env_file(events->env, ONLINE_CPUS), &online) < 0)
		return true;
	while (cpu_list_next(&online, &first, &last))
		for (uint32_t cpu = first; cpu <= last; cpu++, n++)
			if (n == events->n_rings || events->cpus[n] != cpu)
				return false;
	return n == events->n_rings;
}

static int open_rings(struct profile_events *events)
{
	struct env *env = events->env;
	struct span online;
	uint32_t first, last;
	int error = env_read(env, env_file(env, ONLINE_CPUS), &online);

	while (!error && cpu_list_next(&online, &first, &last))
		for (uint32_t cpu = first; cpu <= last && !error; cpu++)
			error = open_ring(events, cpu);
	if (!error && events->n_rings == 0)
		error = -ENODEV;
	if (error)
		close_rings(events);
	return error;
}

static void close_task(const struct profile_events *events, struct own_task *task)
{
	for (size_t i = 0; i < events->n_rings; i++)
		descriptor_close(task->fds[i]);
	free(task->fds);
}

/* 0 or -errno of one of its events. */
static int open_task(struct profile_events *events, uint32_t pid, uint32_t tid)
{
	struct perf_event_attr attr = attr_of(events);
	struct own_task task = { .tid = tid, .pid = pid, .fds = alloc_zeroed(events->n_rings, sizeof(int)) };
	int error = 0;

	for (size_t i = 0; i < events->n_rings; i++)
		task.fds[i] = -1;
	for (size_t i = 0; i < events->n_rings && !error; i++) {
		task.fds[i] = perf_open(events->env->perf, &attr, (int)tid, (int)events->cpus[i], -1);
		error = task.fds[i] < 0 ? task.fds[i] : 0;
		if (!error && events->are_mapped)
			error = perf_ring_join(events->env->perf, task.fds[i], events->rings[i]);
	}
	if (error)
		close_task(events, &task);
	else
		*VECTOR_ADD(events->tasks, events->n_tasks, events->task_capacity) = task;
	return error;
}

static bool has_process(const struct profile_events *events, uint32_t pid)
{
	for (size_t i = 0; i < events->n_tasks; i++)
		if (events->tasks[i].pid == pid)
			return true;
	return false;
}

struct own_process {
	uint32_t pid, parent_pid;
	uint64_t ticks; /* CPU time so far */
};

static bool read_own(const struct profile_events *events, uint32_t pid, struct own_process *own)
{
	char text[STAT_BYTES];
	struct pid_stat stat;
	uint32_t uid;
	long length;

	if (!pids_owner(events->env, pid, &uid) || uid != geteuid())
		return false;
	length = pids_read(events->env, pid, "stat", text, sizeof(text));
	if (length <= 0 || !pid_stat_parse(span_of(text, (size_t)length), &stat))
		return false;
	*own = (struct own_process){ pid, stat.parent_pid, stat.user_ticks + stat.system_ticks };
	return true;
}

static int by_ticks(const void *a, const void *b)
{
	const struct own_process *one = a, *other = b;

	return one->ticks == other->ticks ? 0 : one->ticks > other->ticks ? -1 : 1;
}

static void open_process(struct profile_events *events, uint32_t pid)
{
	const uint32_t *tids;
	size_t n_tids;

	if (pids_threads(events->env, pid, &tids, &n_tids) < 0)
		return;
	if ((events->n_tasks + n_tids) * events->n_rings > OWN_EVENTS_MAX) {
		events->n_left_out++;
		return;
	}
	for (size_t i = 0; i < n_tids; i++)
		open_task(events, pid, tids[i]);
}

/* Their events count what they forked since, too; it goes on if they end. */
static void close_ended(struct profile_events *events)
{
	for (size_t i = 0; i < events->n_tasks;) {
		char text[STAT_BYTES];

		if (pids_read(events->env, events->tasks[i].tid, "stat", text, sizeof(text)) >= 0) {
			i++;
			continue;
		}
		close_task(events, &events->tasks[i]);
		events->tasks[i] = events->tasks[--events->n_tasks];
	}
}

/* Those with the most CPU time first. Later on, what a process of this user forked is in already. */
static void open_own(struct profile_events *events)
{
	bool later = events->n_tasks > 0;
	struct own_process *list = NULL;
	size_t n = 0, n_pids;
	size_t capacity = 0; /* cppcheck-suppress unreadVariable */
	const uint32_t *pids;

	events->n_left_out = 0;
	if (pids_list(events->env, &pids, &n_pids) < 0)
		return;
	for (size_t i = 0; i < n_pids; i++) {
		struct own_process own;
		uint32_t parent_uid;

		if (has_process(events, pids[i]) || !read_own(events, pids[i], &own))
			continue;
		if (later && (own.parent_pid <= 1 || !pids_owner(events->env, own.parent_pid, &parent_uid) ||
			      parent_uid == geteuid()))
			continue;
		*VECTOR_ADD(list, n, capacity) = own;
	}
	if (n > 0)
		qsort(list, n, sizeof(*list), by_ticks);
	for (size_t i = 0; i < n; i++)
		open_process(events, list[i].pid);
	free(list);
}

/* Does a thread of this process have an event of this kind? That of the ring is another one. */
static bool can_sample_tasks(const struct profile_events *events)
{
	struct perf_event_attr attr = attr_of(events);
	int fd = perf_open(events->env->perf, &attr, 0, -1, -1);

	descriptor_close(fd);
	return fd >= 0;
}

static int open_with_rights(struct profile_events *events)
{
	int error;

	events->own_only = false;
	events->ring_bytes = RING_BYTES;
	error = open_rings(events);
	if (error != -EACCES && error != -EPERM)
		return error;
	events->own_only = true;
	events->ring_bytes = OWN_RING_BYTES;
	return can_sample_tasks(events) ? open_rings(events) : error;
}

/* Cycles see code that interrupts cannot stop; most virtual machines have none, nor has every CPU of all. */
int profile_events_open(struct profile_events *events, struct env *env, unsigned rate)
{
	int error;

	*events = (struct profile_events){ .env = env, .rate = rate, .by_cycles = true };
	if (!env->live || env->foreign_pids || PROFILE_REGISTERS == 0)
		return -ENOTSUP;
	error = open_with_rights(events);
	if (!error)
		return 0;
	events->by_cycles = false;
	return open_with_rights(events);
}

void profile_events_close(struct profile_events *events)
{
	for (size_t i = 0; i < events->n_tasks; i++)
		close_task(events, &events->tasks[i]);
	close_rings(events);
	free(events->tasks);
	free(events->rings);
	free(events->cpus);
	*events = (struct profile_events){ 0 };
}

void profile_events_join(struct profile_events *events)
{
	events->are_mapped = true;
	for (size_t t = 0; t < events->n_tasks; t++)
		for (size_t i = 0; i < events->n_rings; i++)
			perf_ring_join(events->env->perf, events->tasks[t].fds[i], events->rings[i]);
}

void profile_events_follow(struct profile_events *events)
{
	if (!events->own_only)
		return;
	close_ended(events);
	open_own(events);
}

static int set_rate(const struct profile_events *events, int fd, unsigned rate)
{
	uint64_t value = period_of(events, rate);

	return events->env->perf->control(events->env->perf, fd, PERF_EVENT_IOC_PERIOD,
					  (unsigned long)&value);
}

int profile_events_set_rate(struct profile_events *events, unsigned rate)
{
	int error = 0;

	events->rate = rate;
	for (size_t i = 0; i < events->n_rings && !events->own_only && !error; i++)
		error = set_rate(events, events->rings[i], rate);
	for (size_t t = 0; t < events->n_tasks && !error; t++)
		for (size_t i = 0; i < events->n_rings && !error; i++)
			error = set_rate(events, events->tasks[t].fds[i], rate);
	return error;
}
