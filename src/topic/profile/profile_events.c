/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens an event for each CPU, or for each thread of own processes on each CPU. */
#include <config.h>

#include "topic/profile/profile_events.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/unknown.h"
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
#define PROOF_SAMPLES 20 /* that a process lacks, which then is not sampled … */
#define PROOF_TICKS 10   /* … and at least this CPU time, as the kernel counts it in whole ticks */
#define TRIES 3
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
		.read_format = PERF_RING_FORMAT,
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
	*VECTOR_ADD(events->enabled_ns, events->n_rings, events->enabled_capacity) = 0;
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

/* Such an event has ended for good, even if the CPU is back. */
static bool was_offline(struct profile_events *events, size_t ring)
{
	uint64_t before_ns = events->enabled_ns[ring];

	events->enabled_ns[ring] = perf_ring_state(events->rings[ring]).enabled_ns;
	return before_ns > 0 && before_ns != U64_UNKNOWN && events->enabled_ns[ring] == before_ns;
}

bool profile_events_fit(struct profile_events *events)
{
	struct span online;
	uint32_t first, last;
	size_t n = 0;

	if (env_read(events->env, env_file(events->env, ONLINE_CPUS), &online) < 0)
		return true;
	while (cpu_list_next(&online, &first, &last))
		for (uint32_t cpu = first; cpu <= last; cpu++, n++)
			if (n == events->n_rings || events->cpus[n] != cpu ||
			    (!events->own_only && was_offline(events, n)))
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

/* With them the kernel removes the events of all that these have forked. */
static void close_process(struct profile_events *events, uint32_t pid)
{
	for (size_t i = 0; i < events->n_tasks;) {
		if (events->tasks[i].pid != pid) {
			i++;
			continue;
		}
		close_task(events, &events->tasks[i]);
		events->tasks[i] = events->tasks[--events->n_tasks];
	}
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
	uint64_t start_ticks;
	uint64_t ticks;        /* CPU time of its own code so far … */
	uint64_t used;         /* … of it since the look before … */
	uint64_t proven_ticks; /* … and as of when it last was certain that its samples come */
	uint64_t due_ns;       /* since then one of them should have come; 0: not yet */
	bool is_new, is_wanted, is_missed;
	bool has_sample; /* since the look before … */
	bool is_known;   /* … or ever, or one may have been lost; not of one that certainly is not in */
	int error;       /* why none comes; 0: they come, or it has not run for long */
};

static struct own_process *find_own(const struct profile_events *events, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, events->n_processes, events->processes[at].pid < pid);
	return at < events->n_processes && events->processes[at].pid == pid ? &events->processes[at] : NULL;
}

void profile_events_saw(struct profile_events *events, uint32_t pid)
{
	struct own_process *own = find_own(events, pid);

	if (own)
		own->has_sample = own->is_known = true;
}

static bool is_wanted(const struct profile_look *look, uint32_t pid)
{
	return look->pid ? look->pid == pid : !scope_is_set(look->scope) || scope_has(look->scope, pid, NAN);
}

/* before: as it was at the look before; NULL: it is new. */
static bool read_own(const struct profile_events *events, const struct profile_look *look, uint32_t pid,
		     const struct own_process *before, struct own_process *own)
{
	char text[STAT_BYTES];
	struct pid_stat stat;
	uint32_t uid;
	long length;

	if (!pids_owner(events->env, pid, &uid) || uid != geteuid())
		return false;
	length = pids_read(events->env, pid, "stat", text, sizeof(text));
	if (length <= 0 || !pid_stat_parse(span_of(text, (size_t)length), &stat) ||
	    pid_stat_has_ended(&stat))
		return false;
	*own = (struct own_process){ .pid = pid, .start_ticks = stat.start_ticks, .is_new = true };
	if (before && before->start_ticks == stat.start_ticks) {
		*own = *before;
		own->is_new = false;
	}
	own->parent_pid = stat.parent_pid;
	own->is_wanted = is_wanted(look, pid);
	own->is_known |= look->has_gap;
	/* where it is not in, neither is what it forks, which may be gone before the next look */
	stat.user_ticks += own->is_known || has_process(events, pid) ? 0 : stat.children_user_ticks;
	own->used = u64_less(stat.user_ticks, own->ticks);
	own->ticks = stat.user_ticks;
	return true;
}

/* Has it run for long enough without a sample, and was all read since? */
static void judge(const struct profile_events *events, const struct profile_look *look,
		  struct own_process *own)
{
	uint64_t enough = events->env->ticks_per_second * PROOF_SAMPLES / events->least_rate;

	own->is_missed = false;
	if (own->has_sample)
		own->error = 0;
	if (own->is_new || own->has_sample || look->has_gap || own->ticks < own->proven_ticks) {
		own->proven_ticks = own->ticks;
		own->due_ns = 0;
	} else if (own->due_ns == 0) {
		if (own->ticks - own->proven_ticks >= (enough > PROOF_TICKS ? enough : PROOF_TICKS))
			own->due_ns = look->now_ns;
	} else if (look->read_ns > own->due_ns) {
		own->is_missed = true;
		own->proven_ticks = own->ticks;
		own->due_ns = 0;
	}
	own->has_sample = false;
}

static int look_at_own(struct profile_events *events, const struct profile_look *look)
{
	struct own_process *swapped = events->processes, own;
	size_t capacity = events->process_capacity, n = 0, n_pids, at = 0;
	const uint32_t *pids;
	int error = pids_list(events->env, &pids, &n_pids);

	if (error)
		return error;
	for (size_t i = 0; i < n_pids; i++) {
		while (at < events->n_processes && events->processes[at].pid < pids[i])
			at++;
		if (!read_own(events, look, pids[i],
			      at < events->n_processes && events->processes[at].pid == pids[i]
				      ? &events->processes[at]
				      : NULL,
			      &own))
			continue;
		judge(events, look, &own);
		*VECTOR_ADD(events->next, n, events->next_capacity) = own;
	}
	events->processes = events->next;
	events->process_capacity = events->next_capacity;
	events->n_processes = n;
	events->next = swapped;
	events->next_capacity = capacity;
	return 0;
}

/* What is wanted before the rest, then what used more CPU time. */
static int by_use(const void *a, const void *b)
{
	const struct own_process *one = *(struct own_process *const *)a,
				 *other = *(struct own_process *const *)b;

	if (one->is_wanted != other->is_wanted)
		return one->is_wanted ? -1 : 1;
	return one->used == other->used ? 0 : one->used > other->used ? -1 : 1;
}

/* Which one may be closed for this one: one that has ended, else the one that used least, and far less. */
static bool find_lesser(const struct profile_events *events, const struct own_process *own, uint32_t *pid)
{
	const struct own_process *least = NULL;

	for (size_t i = 0; i < events->n_tasks; i++) {
		const struct own_process *other = find_own(events, events->tasks[i].pid);

		*pid = events->tasks[i].pid;
		if (!other)
			return true;
		if ((other->is_wanted == own->is_wanted ? 2 * other->used < own->used : own->is_wanted) &&
		    (!least || by_use(&other, &least) > 0))
			least = other;
	}
	*pid = least ? least->pid : 0;
	return least != NULL;
}

/* False: there are too many. */
static bool make_room(struct profile_events *events, const struct own_process *own, size_t n_tids)
{
	uint32_t lesser;

	if (n_tids * events->n_rings > OWN_EVENTS_MAX)
		return false;
	while ((events->n_tasks + n_tids) * events->n_rings > OWN_EVENTS_MAX) {
		if (!find_lesser(events, own, &lesser))
			return false;
		close_process(events, lesser);
		if (find_own(events, lesser))
			find_own(events, lesser)->is_known = false;
	}
	return true;
}

/* 0 or -errno. *same: its threads were the same before and after. */
static int open_threads(struct profile_events *events, const struct own_process *own, bool *same)
{
	struct buffer before = { 0 };
	const uint32_t *tids;
	size_t n_tids;
	int error = pids_threads(events->env, own->pid, &tids, &n_tids);

	*same = true;
	if (error)
		return error;
	if (!make_room(events, own, n_tids))
		return -ENOSPC;
	buffer_add(&before, (const char *)tids, n_tids * sizeof(*tids));
	for (size_t i = 0; i < n_tids && !error; i++) {
		error = open_task(events, own->pid, tids[i]);
		error = error == -ESRCH ? 0 : error;
	}
	if (!error && pids_threads(events->env, own->pid, &tids, &n_tids) == 0)
		*same = n_tids * sizeof(*tids) == before.length &&
			(n_tids == 0 || memcmp(tids, before.bytes, before.length) == 0);
	buffer_free(&before);
	return error;
}

/*
 * All its threads, or none: 0 or -errno. A thread that another one starts meanwhile may be in or not: then
 * once more.
 */
static int open_process(struct profile_events *events, const struct own_process *own)
{
	bool same = false;
	int error = 0;

	for (int i = 0; i < TRIES && !same && !error; i++) {
		close_process(events, own->pid);
		error = open_threads(events, own, &same);
	}
	if (error)
		close_process(events, own->pid);
	return error == -ENOENT || error == -ESRCH ? 0 : error;
}

/* Was it begun by a process of another user? */
static bool is_of_other(const struct profile_events *events, const struct own_process *own)
{
	uint32_t uid;

	return own->parent_pid > 1 && pids_owner(events->env, own->parent_pid, &uid) && uid != geteuid();
}

static void count_lacks(struct profile_events *events)
{
	events->n_left_out = events->n_missed = 0;
	events->lack_wanted = false;
	for (size_t i = 0; i < events->n_processes; i++) {
		const struct own_process *own = &events->processes[i];
		events->lack_wanted |=
			own->is_wanted &&
			(own->error != 0 || own->is_missed || own->due_ns > 0 ||
			 (own->used > 0 && !own->is_known && !has_process(events, own->pid)));
		events->n_left_out += own->error == -ENOSPC;
		events->n_missed += own->error != 0 && own->error != -ENOSPC;
		if (own->error != 0 && own->error != -ENOSPC)
			events->missed_error = own->error;
	}
}

int profile_events_follow(struct profile_events *events, const struct profile_look *look)
{
	bool is_first = events->n_tasks == 0;
	struct own_process **list = NULL;
	size_t n = 0;
	size_t capacity = 0; /* cppcheck-suppress unreadVariable */
	int error;

	if (!events->own_only)
		return 0;
	error = look_at_own(events, look);
	if (error)
		return error;
	for (size_t i = 0; i < events->n_processes; i++) {
		struct own_process *own = &events->processes[i];

		if (is_first || own->is_missed || (own->is_new && is_of_other(events, own)))
			*VECTOR_ADD(list, n, capacity) = own;
	}
	if (n > 0)
		qsort(list, n, sizeof(*list), by_use);
	for (size_t i = 0; i < n; i++) {
		bool had_events = has_process(events, list[i]->pid); /* which are tried once more */

		error = had_events && list[i]->error == -ENODATA ? 0 : open_process(events, list[i]);
		list[i]->is_known &= !error;
		if (list[i]->is_missed)
			list[i]->error = error || !had_events ? error : -ENODATA;
	}
	free(list);
	count_lacks(events);
	return 0;
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

	*events = (struct profile_events){ .env = env, .rate = rate, .least_rate = rate, .by_cycles = true };
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
	free(events->enabled_ns);
	free(events->processes);
	free(events->next);
	*events = (struct profile_events){ 0 };
}

void profile_events_join(struct profile_events *events)
{
	int error;

	events->are_mapped = true;
	for (size_t t = 0; t < events->n_tasks; t = error ? 0 : t + 1) {
		error = 0;
		for (size_t i = 0; i < events->n_rings && !error; i++)
			error = perf_ring_join(events->env->perf, events->tasks[t].fds[i], events->rings[i]);
		if (error)
			close_process(events, events->tasks[t].pid);
	}
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

	for (size_t i = 0; i < events->n_rings && !events->own_only && !error; i++)
		error = set_rate(events, events->rings[i], rate);
	for (size_t t = 0; t < events->n_tasks && !error; t++)
		for (size_t i = 0; i < events->n_rings && !error; i++)
			error = set_rate(events, events->tasks[t].fds[i], rate);
	if (error)
		return error;
	events->rate = rate;
	events->least_rate = rate < events->least_rate ? rate : events->least_rate;
	return 0;
}
