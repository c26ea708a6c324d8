/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function for each kind of event: finds its process, updates what is known of it, filters, counts. */
#include <config.h>

#include "topic/event/event_resolve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/cgroup.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"

#define READS_PER_ROUND 64
#define LATE_NS UINT64_C(500000000)
#define FILE_BYTES ((size_t)4096)
#define MEMORY_NS UINT64_C(100000000)
#define CHECK_NS UINT64_C(100000000)
#define CHECK_NS_MAX UINT64_C(10000000000)

void event_resolve_open(struct event_resolver *resolver, struct env *env)
{
	*resolver = (struct event_resolver){ .env = env, .processes = event_processes_open() };
	event_statistics_open(&resolver->statistics);
	event_resolve_begin(resolver);
}

void event_resolve_free(struct event_resolver *resolver)
{
	event_processes_close(resolver->processes);
	event_statistics_free(&resolver->statistics);
	event_batch_free(&resolver->ready);
	event_ended_free(&resolver->ended);
	free(resolver->leaderless);
}

/* How far a clock is ahead of CLOCK_MONOTONIC: the minimum of three tries, as any may be interrupted. */
static int64_t ahead_ns(const struct env *env, uint64_t (*clock_ns)(const struct env *env))
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < 3; i++) {
		uint64_t mono_ns = env_mono_ns(env);
		int64_t ahead = (int64_t)(clock_ns(env) - mono_ns);

		least = ahead < least ? ahead : least;
	}
	return least;
}

void event_resolve_begin(struct event_resolver *resolver)
{
	resolver->wall_ahead_ns = ahead_ns(resolver->env, env_wall_ns);
	resolver->boot_ahead_ns = ahead_ns(resolver->env, env_boot_ns);
	resolver->reads_left = READS_PER_ROUND;
}

/* PIDs of events are those of the pid namespace that panetop runs in. */
static struct span read_file(struct event_resolver *resolver, uint32_t pid, const char *name, char *bytes)
{
	long length =
		resolver->env->foreign_pids ? -EXDEV : pids_read(resolver->env, pid, name, bytes, FILE_BYTES);

	return span_of(bytes, length > 0 ? (size_t)length : 0);
}

static uint64_t tick_ns(const struct event_resolver *resolver)
{
	return UINT64_C(1000000000) / resolver->env->ticks_per_second;
}

static uint64_t start_ns(const struct event_resolver *resolver, const struct pid_stat *stat)
{
	uint64_t boot_ns = stat->start_ticks * tick_ns(resolver);

	return boot_ns > (uint64_t)resolver->boot_ahead_ns ? boot_ns - (uint64_t)resolver->boot_ahead_ns : 0;
}

static void copy_session(struct event_process *process, const struct pid_stat *stat)
{
	process->terminal = stat->terminal;
	process->group = stat->process_group;
	process->session = stat->session;
}

static void copy_comm(struct event_process *process, const struct pid_stat *stat)
{
	char comm[EVENT_COMM_BYTES + 1];

	span_copy(comm, sizeof(comm), stat->comm);
	event_process_rename(process, comm, stat->flags & PID_FLAG_KERNEL_THREAD);
}

/* A first thread that ended is one of stat->threads until the last one ends, too. */
static void copy_threads(struct event_process *process, const struct pid_stat *stat, uint64_t counted_ns)
{
	process->first_ended = pid_stat_main_ended(stat);
	process->threads = (uint32_t)stat->threads;
	process->threads -= process->first_ended && process->threads > 0;
	process->counted_ns = counted_ns;
}

static void add_leaderless(struct event_resolver *resolver, struct event_process *process, uint64_t check_ns)
{
	uint32_t *pid =
		VECTOR_ADD(resolver->leaderless, resolver->n_leaderless, resolver->leaderless_capacity);

	*pid = process->pid;
	process->check_ns = check_ns;
	process->vanished = false;
}

static bool read_stat(struct event_resolver *resolver, struct event_process *process)
{
	uint64_t now_ns = env_mono_ns(resolver->env);
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (!pid_stat_parse(read_file(resolver, process->pid, "stat", bytes), &stat))
		return false;
	process->start_ns = start_ns(resolver, &stat);
	process->start_ticks = stat.start_ticks;
	process->parent_pid = (uint32_t)stat.parent_pid;
	copy_session(process, &stat);
	copy_comm(process, &stat);
	copy_threads(process, &stat, now_ns);
	process->exit_ns = now_ns;
	process->exit_code = UINT32_MAX;
	if (process->first_ended && process->threads > 0)
		add_leaderless(resolver, process, now_ns + CHECK_NS_MAX);
	return true;
}

static void read_users(struct event_resolver *resolver, struct event_process *process)
{
	char bytes[FILE_BYTES];

	pid_status_uids(read_file(resolver, process->pid, "status", bytes), &process->real_uid,
			&process->effective_uid);
}

static void read_cgroup(struct event_resolver *resolver, struct event_process *process)
{
	const struct event_filter *filter = &resolver->filter;
	char bytes[FILE_BYTES];
	struct span text = read_file(resolver, process->pid, "cgroup", bytes);

	struct span path;

	if (span_length(text) == 0)
		return;
	process->places &= event_filter_trees(filter);
	for (unsigned i = 0; i < CGROUP_PATHS; i++)
		if (cgroup_path_in(text, i, &path))
			process->places |= event_filter_groups(filter, path);
}

/* Parents are usually known before their children, as PIDs grow. */
static unsigned trees_of(struct event_resolver *resolver, const struct event_process *process)
{
	unsigned bits = 0;

	for (unsigned depth = 0; process && process->pid != 0 && depth < 64; depth++) {
		bits |= event_filter_roots(&resolver->filter, process->pid);
		process = event_processes_find(resolver->processes, process->parent_pid);
	}
	return bits;
}

static void find_filtered_places(struct event_resolver *resolver, struct event_process *process)
{
	if (event_filter_trees(&resolver->filter))
		process->places |= trees_of(resolver, process);
	if (event_filter_needs_groups(&resolver->filter))
		read_cgroup(resolver, process);
}

/* Adds a process, with nothing but its PID if it has exited or no reads are left. */
static struct event_process *look_up(struct event_resolver *resolver, uint32_t pid)
{
	struct event_process *process = event_processes_add(resolver->processes, pid);

	if (pid == 0 || resolver->reads_left == 0)
		return process;
	resolver->reads_left--;
	if (!read_stat(resolver, process))
		return process;
	read_users(resolver, process);
	find_filtered_places(resolver, process);
	return process;
}

/*
 * An exec may change group, session, terminal and users, and always the name. comm_known: its source gave it.
 */
static void reread_after_exec(struct event_resolver *resolver, struct event_process *process, bool comm_known)
{
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (event_filter_needs_groups(&resolver->filter))
		read_cgroup(resolver, process);
	if (resolver->reads_left == 0 && !resolver->filter.group)
		return;
	resolver->reads_left -= resolver->reads_left > 0;
	if (pid_stat_parse(read_file(resolver, process->pid, "stat", bytes), &stat)) {
		copy_session(process, &stat);
		if (!comm_known)
			copy_comm(process, &stat);
	}
	if (!resolver->reports_users)
		read_users(resolver, process);
}

/* The event of a fork comes slightly later than its starttime, which may be one tick earlier. */
static void find_start(struct event_resolver *resolver, struct event_process *process)
{
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (process->start_ticks != U64_UNKNOWN || process->start_ns == U64_UNKNOWN)
		return;
	process->start_ticks = (process->start_ns + (uint64_t)resolver->boot_ahead_ns) / tick_ns(resolver);
	if (resolver->reads_left == 0 || process->end_ns)
		return;
	resolver->reads_left--;
	if (pid_stat_parse(read_file(resolver, process->pid, "stat", bytes), &stat))
		process->start_ticks = stat.start_ticks;
}

/* The memory of a process that forks, at most ten times a second. */
static void read_memory(struct event_resolver *resolver, struct event_process *process, uint64_t time_ns)
{
	char bytes[FILE_BYTES];
	struct pid_status status;
	struct span text;

	if (resolver->reads_left == 0 || process->end_ns || time_ns < process->read_ns + MEMORY_NS)
		return;
	resolver->reads_left--;
	process->read_ns = time_ns;
	text = read_file(resolver, process->pid, "status", bytes);
	pid_status_parse(text, &status);
	process->resident_bytes = status.vm_resident;
	process->page_table_bytes = status.vm_page_tables;
}

void event_resolve_existing(struct event_resolver *resolver)
{
	const uint32_t *pids;
	size_t n_pids;

	resolver->env->tick++;
	if (resolver->env->foreign_pids || pids_list(resolver->env, &pids, &n_pids))
		return;
	for (size_t i = 0; i < n_pids; i++) {
		if (event_processes_find(resolver->processes, pids[i]))
			continue;
		resolver->reads_left = 1;
		look_up(resolver, pids[i]);
	}
}

void event_resolve_set_filter(struct event_resolver *resolver, const struct event_filter *filter)
{
	bool places = filter->n_terms != resolver->filter.n_terms ||
		      memcmp(filter->terms, resolver->filter.terms, sizeof(filter->terms)) != 0;
	const uint32_t *pids;
	size_t n_pids;

	resolver->filter = *filter;
	resolver->env->tick++;
	if (!places)
		return;
	event_statistics_free(&resolver->statistics); /* they were of other processes */
	event_statistics_open(&resolver->statistics);
	if (pids_list(resolver->env, &pids, &n_pids))
		return;
	for (size_t i = 0; i < n_pids; i++) {
		struct event_process *process = event_processes_find(resolver->processes, pids[i]);

		if (process) {
			process->places = 0;
			find_filtered_places(resolver, process);
		}
	}
}

/* NULL if it is not known, or another process has its PID by now: a parent is older than its child. */
static const struct event_process *parent_of(const struct event_resolver *resolver,
					     const struct event_process *process)
{
	const struct event_process *parent =
		process->parent_pid ? event_processes_find(resolver->processes, process->parent_pid) : NULL;
	bool younger = parent && parent->start_ns != U64_UNKNOWN && process->start_ns != U64_UNKNOWN &&
		       parent->start_ns > process->start_ns + tick_ns(resolver);

	return younger ? NULL : parent;
}

/* NULL if the filter rejects it. */
static struct event *add_event(struct event_resolver *resolver, const struct event_process *process,
			       const struct raw_event *raw)
{
	const struct event_process *parent;
	struct event *event;

	if (!event_filter_kind(&resolver->filter, raw->kind, raw->pid != raw->tid, raw->exit_code) ||
	    !event_filter_process(&resolver->filter, process))
		return NULL;
	event = event_batch_add(&resolver->ready, process);
	parent = parent_of(resolver, process);
	if (parent)
		event->parent = event_batch_parent(&resolver->ready, parent);
	event->number = ++resolver->number;
	event->wall_ns = raw->time_ns + (uint64_t)resolver->wall_ahead_ns;
	event->kind = raw->kind;
	event->pid = process->pid;
	event->tid = raw->tid;
	event->parent_pid = process->parent_pid;
	event->real_uid = process->real_uid;
	event->effective_uid = process->effective_uid;
	event->terminal = process->terminal;
	event->exit_code = raw->exit_code;
	event->duration_ns = U64_UNKNOWN;
	resolver->unnamed += !event->named;
	return event;
}

static void count(struct event_resolver *resolver, const struct event_process *process,
		  const struct raw_event *raw)
{
	bool of_thread = raw->pid != raw->tid;

	if (event_filter_process(&resolver->filter, process))
		event_statistics_count(&resolver->statistics, process, raw->kind, of_thread,
				       raw->kind == EVENT_EXIT && !of_thread && raw->exit_code != 0 &&
					       raw->exit_code != UINT32_MAX);
}

static struct event *report(struct event_resolver *resolver, const struct event_process *process,
			    const struct raw_event *raw)
{
	count(resolver, process, raw);
	return add_event(resolver, process, raw);
}

/* An event long after this PID exited belongs to a new process whose fork was missed. */
static struct event_process *process_of(struct event_resolver *resolver, uint32_t pid, uint64_t time_ns)
{
	struct event_process *process = event_processes_find(resolver->processes, pid);
	bool stale = process && process->end_ns && time_ns > process->end_ns + LATE_NS;

	return process && !stale ? process : look_up(resolver, pid);
}

/* All its threads have ended. */
static void end_process(struct event_resolver *resolver, struct event_process *process)
{
	const struct raw_event end = {
		.time_ns = process->exit_ns,
		.kind = EVENT_EXIT,
		.pid = process->pid,
		.tid = process->pid,
		.exit_code = process->core_code ? process->core_code : process->exit_code,
	};
	uint64_t lifetime_ns = U64_UNKNOWN;
	struct event *event;

	if (process->start_ns <= end.time_ns)
		lifetime_ns = end.time_ns - process->start_ns;
	event = report(resolver, process, &end);
	if (event)
		event->duration_ns = lifetime_ns;
	if (event_filter_process(&resolver->filter, process))
		event_statistics_exit(&resolver->statistics, process, lifetime_ns);
	if (resolver->keeps_ended)
		event_ended_add(&resolver->ended, process, end.time_ns);
	event_processes_exit(resolver->processes, process, end.time_ns);
}

static void resolve_fork(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *child = event_processes_find(resolver->processes, raw->pid), *parent;

	if (child && child->first_ended && !child->end_ns && raw->time_ns > child->counted_ns)
		end_process(resolver, child); /* its PID is used again */
	parent = process_of(resolver, raw->parent_pid, raw->time_ns);
	if (event_filter_process(&resolver->filter, parent)) {
		find_start(resolver, parent);
		read_memory(resolver, parent, raw->time_ns);
		event_statistics_fork(&resolver->statistics, parent);
	}
	count(resolver, parent, raw);
	child = event_processes_add(resolver->processes, raw->pid);
	parent = event_processes_find(resolver->processes, raw->parent_pid);
	child->start_ns = raw->time_ns;
	child->parent_pid = raw->parent_pid;
	if (parent && parent != child)
		event_process_inherit(child, parent);
	child->places |= event_filter_roots(&resolver->filter, raw->pid);
	add_event(resolver, child, raw);
}

/* The comm that the kernel gives after an exec, guessed from the first argument. */
static void copy_program(char comm[EVENT_COMM_BYTES + 1], const struct raw_event *raw)
{
	struct span program = span_of(raw->text, raw->program_length), directory;

	while (span_until(&program, '/', &directory)) {
	}
	span_copy(comm, EVENT_COMM_BYTES + 1, program);
}

static void resolve_exec(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);
	char comm[EVENT_COMM_BYTES + 1] = "";
	bool known = *raw->comm || process->called;

	if (known)
		strcpy(comm, *raw->comm ? raw->comm : process->name->comm);
	else if (raw->text)
		copy_program(comm, raw);
	process->called = false;
	process->first_ended = false;
	if (*comm)
		event_process_call(process, comm, raw->text, raw->program_length,
				   raw->is_command ? EVENT_NAME_COMMAND : EVENT_NAME_FILE);
	else
		event_processes_unname(resolver->processes, process);
	reread_after_exec(resolver, process, known);
	report(resolver, process, raw);
}

static void resolve_clone(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);

	process->threads += raw->time_ns > process->counted_ns;
	report(resolver, process, raw);
}

/* Resolved when its thread ends: the kernel announces a core before it looks whether it may dump one. */
static void resolve_core(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);

	process->core_ns = raw->time_ns;
	process->core_tid = raw->tid;
}

/* Only the thread that dumped it has the bit, not others that ended with it. */
static void note_core(struct event_resolver *resolver, struct event_process *process,
		      const struct raw_event *raw)
{
	const struct raw_event core = {
		.time_ns = process->core_ns,
		.kind = EVENT_CORE,
		.pid = process->pid,
		.tid = process->core_tid,
		.exit_code = UINT32_MAX,
	};

	if (raw->exit_code == UINT32_MAX || !(raw->exit_code & EVENT_CORE_DUMPED))
		return;
	process->core_code = raw->exit_code;
	if (process->core_ns > 0) {
		report(resolver, process, &core);
	}
	process->core_ns = 0;
}

/*
 * A process ends with its last thread. The first one may end before others; or another thread executes a
 * program, and takes its place and TID. A thread that ends alone has code 0 in all C libraries; others have
 * the code of the process.
 */
static void resolve_exit(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);
	bool of_first = raw->pid == raw->tid, waits = process->first_ended;

	process->threads -= process->threads > 0 && raw->time_ns > process->counted_ns;
	process->exit_ns = raw->time_ns;
	process->first_ended |= of_first;
	if (process->first_ended && (of_first || raw->exit_code != 0 || process->exit_code == UINT32_MAX))
		process->exit_code = raw->exit_code;
	if (of_first && raw->parent_pid)
		process->parent_pid = raw->parent_pid;
	note_core(resolver, process, raw);
	if (!of_first) {
		report(resolver, process, raw);
	}
	if (process->end_ns) /* by a look at /proc: this one came late */
		return;
	if (process->first_ended && process->threads == 0)
		end_process(resolver, process);
	else if (of_first && !waits)
		add_leaderless(resolver, process, raw->time_ns + CHECK_NS);
}

/* by_exec: the name of a program that starts; its exec follows. */
static void resolve_comm(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);
	char was[EVENT_COMM_BYTES + 1];
	const char *text = raw->pid == raw->tid ? was : raw->comm;
	struct event *event;

	memcpy(was, process->name->comm, sizeof(was));
	if (raw->pid == raw->tid)
		event_process_rename(process, raw->comm, process->name->kernel);
	process->called = raw->by_exec;
	if (raw->by_exec)
		return;
	event = report(resolver, process, raw);
	if (event)
		event->was = event_batch_text(&resolver->ready, text, strlen(text));
}

/* The event belongs to the tracer, but when tracing ends the kernel names only the traced process. */
static void resolve_ptrace(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *traced = process_of(resolver, raw->pid, raw->time_ns);
	uint32_t tracer_pid = raw->other_pid ? raw->other_pid : traced->tracer_pid;
	struct event_process *subject = tracer_pid ? process_of(resolver, tracer_pid, raw->time_ns) : traced;
	struct event *event;

	event = report(resolver, subject, raw);
	if (event) {
		event->other_pid = raw->pid;
		event->tid = subject->pid;
		event->attached = raw->other_pid != 0;
	}
	traced = event_processes_find(resolver->processes, raw->pid);
	if (traced)
		traced->tracer_pid = raw->other_pid;
}

static void resolve_users(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);
	struct event *event;

	if (raw->kind == EVENT_UID) {
		process->real_uid = raw->real;
		process->effective_uid = raw->effective;
	}
	event = report(resolver, process, raw);
	if (event) {
		event->real_id = raw->real;
		event->effective_id = raw->effective;
	}
}

static void resolve_session(struct event_resolver *resolver, const struct raw_event *raw)
{
	struct event_process *process = process_of(resolver, raw->pid, raw->time_ns);

	process->terminal = 0;
	process->group = process->session = (int32_t)raw->pid;
	report(resolver, process, raw);
}

void event_resolve(struct event_resolver *resolver, const struct raw_event *raw)
{
	static void (*const steps[N_EVENT_KINDS])(struct event_resolver *, const struct raw_event *) = {
		[EVENT_FORK] = resolve_fork,     [EVENT_EXEC] = resolve_exec, [EVENT_EXIT] = resolve_exit,
		[EVENT_CORE] = resolve_core,     [EVENT_COMM] = resolve_comm, [EVENT_CLONE] = resolve_clone,
		[EVENT_PTRACE] = resolve_ptrace, [EVENT_UID] = resolve_users, [EVENT_GID] = resolve_users,
		[EVENT_SID] = resolve_session,
	};

	steps[raw->kind](resolver, raw);
}

static bool is_gone(struct event_resolver *resolver, struct event_process *process, uint64_t now_ns)
{
	char bytes[FILE_BYTES];
	struct pid_stat stat;

	if (resolver->env->foreign_pids)
		return false;
	if (!pid_stat_parse(read_file(resolver, process->pid, "stat", bytes), &stat))
		return !resolver->env->live || (kill((pid_t)process->pid, 0) < 0 && errno != EPERM);
	copy_threads(process, &stat, now_ns);
	return process->first_ended && process->threads == 0;
}

/* The last exits may not be resolved yet when a process is gone: the next look ends it. */
static void check_leaderless(struct event_resolver *resolver, struct event_process *process, uint64_t now_ns)
{
	uint64_t age_ns = now_ns - process->exit_ns;
	bool gone = is_gone(resolver, process, now_ns);

	if (gone && process->vanished) {
		end_process(resolver, process);
		return;
	}
	process->vanished = gone;
	process->check_ns = now_ns + (gone ? CHECK_NS : age_ns < CHECK_NS_MAX ? age_ns : CHECK_NS_MAX);
}

uint64_t event_resolve_leaderless(struct event_resolver *resolver)
{
	uint64_t now_ns = env_mono_ns(resolver->env), next_ns = U64_UNKNOWN;

	for (size_t i = resolver->n_leaderless; i-- > 0;) {
		struct event_process *process =
			event_processes_find(resolver->processes, resolver->leaderless[i]);

		if (process && process->first_ended && !process->end_ns && now_ns >= process->check_ns)
			check_leaderless(resolver, process, now_ns);
		if (!process || !process->first_ended || process->end_ns)
			resolver->leaderless[i] = resolver->leaderless[--resolver->n_leaderless];
		else if (process->check_ns < next_ns)
			next_ns = process->check_ns;
	}
	return next_ns;
}
