/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step for each kind of event: who it is of, what changes, whether it is wanted, and its numbers. */
#include <config.h>

#include "topic/event/event_join.h"

#include <string.h>

#include "core/unknown.h"
#include "topic/event/event_learn.h"

#define READS_PER_ROUND 64
#define LATE_NS UINT64_C(500000000)

void event_join_open(struct event_join *join, struct env *env)
{
	*join = (struct event_join){ .env = env, .processes = event_processes_open() };
	event_statistics_open(&join->statistics);
	event_join_begin(join);
}

void event_join_free(struct event_join *join)
{
	event_processes_close(join->processes);
	event_statistics_free(&join->statistics);
	event_batch_free(&join->ready);
	event_ended_free(&join->ended);
}

/* How far a clock is ahead of CLOCK_MONOTONIC: the least of three tries, any of which may be interrupted. */
static int64_t ahead_ns(uint64_t (*clock_ns)(void))
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < 3; i++) {
		uint64_t mono_ns = env_mono_ns();
		int64_t ahead = (int64_t)(clock_ns() - mono_ns);

		least = ahead < least ? ahead : least;
	}
	return least;
}

void event_join_begin(struct event_join *join)
{
	join->wall_ahead_ns = ahead_ns(env_wall_ns);
	join->boot_ahead_ns = ahead_ns(env_boot_ns);
	join->reads_left = READS_PER_ROUND;
}

static bool is_wanted(const struct event_join *join, const struct event_process *process,
		      const struct raw_event *raw)
{
	return event_choice_kind(&join->choice, raw->kind, raw->pid != raw->tid, raw->exit_code) &&
	       event_choice_process(&join->choice, process);
}

/* NULL when it is not wanted. */
static struct event *add_event(struct event_join *join, const struct event_process *process,
			       const struct raw_event *raw)
{
	struct event *event;

	if (!is_wanted(join, process, raw))
		return NULL;
	event = event_batch_add(&join->ready, process);
	event->number = ++join->number;
	event->wall_ns = raw->time_ns + (uint64_t)join->wall_ahead_ns;
	event->kind = raw->kind;
	event->pid = process->pid;
	event->tid = raw->tid;
	event->parent_pid = process->parent_pid;
	event->real_uid = process->real_uid;
	event->effective_uid = process->effective_uid;
	event->terminal = process->terminal;
	event->exit_code = raw->exit_code;
	event->duration_ns = U64_UNKNOWN;
	join->unnamed += !event->named;
	return event;
}

static void count(struct event_join *join, const struct event_process *process, const struct raw_event *raw)
{
	bool of_thread = raw->pid != raw->tid;

	if (event_choice_process(&join->choice, process))
		event_statistics_count(&join->statistics, process, raw->kind, of_thread,
				       raw->kind == EVENT_EXIT && !of_thread && raw->exit_code != 0 &&
					       raw->exit_code != UINT32_MAX);
}

/* What is told of one long after its end is of another with its pid, whose beginning was not told. */
static struct event_process *process_of(struct event_join *join, uint32_t pid, uint64_t time_ns)
{
	struct event_process *process = event_processes_find(join->processes, pid);
	bool stale = process && process->end_ns && time_ns > process->end_ns + LATE_NS;

	return process && !stale ? process : event_learn(join, pid);
}

static void take_fork(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *parent = process_of(join, raw->parent_pid, raw->time_ns), *child;

	if (event_choice_process(&join->choice, parent)) {
		event_learn_start(join, parent);
		event_learn_memory(join, parent, raw->time_ns);
		event_statistics_fork(&join->statistics, parent);
	}
	count(join, parent, raw);
	child = event_processes_add(join->processes, raw->pid);
	parent = event_processes_find(join->processes, raw->parent_pid);
	child->start_ns = raw->time_ns;
	child->parent_pid = raw->parent_pid;
	if (parent && parent != child)
		event_process_inherit(child, parent);
	child->in_tree |= join->choice.tree && raw->pid == join->choice.tree;
	add_event(join, child, raw);
}

/* As the kernel calls it after the file, where nobody told: what the first argument ends in. */
static void copy_program(char comm[EVENT_COMM_BYTES + 1], const struct raw_event *raw)
{
	struct span program = span_of(raw->text, raw->program_length), directory;

	while (span_until(&program, '/', &directory)) {
	}
	if (span_length(program) > EVENT_COMM_BYTES)
		program.end = program.at + EVENT_COMM_BYTES;
	memcpy(comm, program.at, span_length(program));
}

static void take_exec(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *process = process_of(join, raw->pid, raw->time_ns);
	char comm[EVENT_COMM_BYTES + 1] = "";
	bool told = *raw->comm || process->called;

	if (told)
		strcpy(comm, *raw->comm ? raw->comm : process->name->comm);
	else if (raw->text)
		copy_program(comm, raw);
	process->called = false;
	if (*comm)
		event_process_call(process, comm, raw->text, raw->program_length,
				   raw->is_command ? EVENT_NAME_COMMAND : EVENT_NAME_FILE);
	else
		event_processes_unname(join->processes, process);
	event_learn_again(join, process, told);
	count(join, process, raw);
	add_event(join, process, raw);
}

static void take_exit(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *process = process_of(join, raw->pid, raw->time_ns);
	uint64_t lifetime_ns = U64_UNKNOWN;
	struct event *event;

	if (raw->parent_pid && raw->pid == raw->tid)
		process->parent_pid = raw->parent_pid;
	if (raw->pid == raw->tid && process->start_ns <= raw->time_ns)
		lifetime_ns = raw->time_ns - process->start_ns;
	count(join, process, raw);
	event = add_event(join, process, raw);
	if (event)
		event->duration_ns = lifetime_ns;
	if (raw->pid != raw->tid)
		return;
	if (event_choice_process(&join->choice, process))
		event_statistics_end(&join->statistics, process, lifetime_ns);
	if (join->keeps_ended)
		event_ended_add(&join->ended, process, raw->time_ns);
	event_processes_end(join->processes, process, raw->time_ns);
}

/* With by_exec it is only the name of the program that starts, told before the rest. */
static void take_comm(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *process = process_of(join, raw->pid, raw->time_ns);
	char was[EVENT_COMM_BYTES + 1];
	struct event *event;

	memcpy(was, process->name->comm, sizeof(was));
	if (raw->pid == raw->tid)
		event_process_rename(process, raw->comm, process->name->kernel);
	process->called = raw->by_exec;
	if (raw->by_exec)
		return;
	count(join, process, raw);
	event = add_event(join, process, raw);
	if (event)
		event->was = event_batch_text(&join->ready, was, strlen(was));
}

/* The event is the tracer's; the kernel tells the end only of the one that was traced. */
static void take_ptrace(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *traced = process_of(join, raw->pid, raw->time_ns);
	uint32_t tracer_pid = raw->other_pid ? raw->other_pid : traced->tracer_pid;
	struct event_process *subject = tracer_pid ? process_of(join, tracer_pid, raw->time_ns) : traced;
	struct event *event;

	count(join, subject, raw);
	event = add_event(join, subject, raw);
	if (event) {
		event->other_pid = raw->pid;
		event->tid = subject->pid;
		event->attached = raw->other_pid != 0;
	}
	traced = event_processes_find(join->processes, raw->pid);
	if (traced)
		traced->tracer_pid = raw->other_pid;
}

static void take_users(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *process = process_of(join, raw->pid, raw->time_ns);
	struct event *event;

	if (raw->kind == EVENT_UID) {
		process->real_uid = raw->real;
		process->effective_uid = raw->effective;
	}
	count(join, process, raw);
	event = add_event(join, process, raw);
	if (event) {
		event->real_id = raw->real;
		event->effective_id = raw->effective;
	}
}

static void take_session(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *process = process_of(join, raw->pid, raw->time_ns);

	process->terminal = 0;
	process->group = process->session = raw->pid;
	count(join, process, raw);
	add_event(join, process, raw);
}

static void take_other(struct event_join *join, const struct raw_event *raw)
{
	struct event_process *process = process_of(join, raw->pid, raw->time_ns);

	count(join, process, raw);
	add_event(join, process, raw);
}

void event_join_take(struct event_join *join, const struct raw_event *raw)
{
	static void (*const steps[N_EVENT_KINDS])(struct event_join *, const struct raw_event *) = {
		[EVENT_FORK] = take_fork,   [EVENT_EXEC] = take_exec,	  [EVENT_EXIT] = take_exit,
		[EVENT_CORE] = take_other,  [EVENT_COMM] = take_comm,	  [EVENT_CLONE] = take_other,
		[EVENT_PTRACE] = take_ptrace, [EVENT_UID] = take_users,	  [EVENT_GID] = take_users,
		[EVENT_SID] = take_session,
	};

	steps[raw->kind](join, raw);
}
