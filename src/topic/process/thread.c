/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "thread": what each thread uses. Threads are read only of processes that ran. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/users.h"

struct thread_row {
	uint64_t tid;
	double start_seconds, cpu_ratio, cpu_seconds;
	uint64_t pid, uid, processor, switches, kernel_thread;
	double wait_seconds, wait_ratio, switches_per_second;
	const char *state, *user, *name, *process, *program;
};

#define ROW(field, ...) COLUMN(struct thread_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(cpu_ratio, A_RATE(RATIO, N_("%CPU"), 6), .additive = true, .high = 0.5, .alarming = 0.9,
	    .trend = true, .of_cpu = true, .rate_of = offsetof(struct thread_row, cpu_seconds),
	    .help = N_("share of one CPU in the last interval"), .source = "growth of cpu_seconds / time"),
	ROW(tid, A_KEY(N_("TID"), 7), .fleeting = true, .help = N_("thread ID"), .source = "/proc/PID/task"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true, .help = N_("start time, after boot"),
	    .source = "/proc/PID/task/TID/stat starttime"),
	ROW(pid, A_LABEL(N_("PID"), 7), .help = N_("PID of its process"), .source = "/proc"),
	ROW(state, A_LABEL(N_("S"), 1), .fleeting = true, .rank = 2, .text = TEXT_STATE,
	    .help = N_("R runs or waits for a CPU, S sleeps, D waits for a device, T stopped, I idle"),
	    .source = "/proc/PID/task/TID/stat state"),
	ROW(processor, A_LABEL(N_("CPU"), 3), .fleeting = true, .rank = 2, .help = N_("CPU it last ran on"),
	    .source = "/proc/PID/task/TID/stat processor"),
	ROW(cpu_seconds, A_COUNTER(SECONDS, N_("time"), 9), .rank = 1, .help = N_("CPU time since its start"),
	    .source = "/proc/PID/task/TID/schedstat, else utime + stime of stat"),
	ROW(wait_ratio, A_RATE(RATIO, N_("%wait"), 6), .additive = true, .rank = 2, .high = 0.5,
	    .alarming = 0.9, .rate_of = offsetof(struct thread_row, wait_seconds),
	    .help = N_("share of the time that it was ready to run but had no CPU; the kernel counts a wait "
		       "when it is over: what is longer than the interval counts in the next ones"),
	    .source = "growth of wait_seconds / time"),
	ROW(switches_per_second, A_RATE(PER_SECOND, N_("switch/s"), 8), .hidden = true,
	    .rate_of = offsetof(struct thread_row, switches), .help = N_("context switches to it"),
	    .source = "growth of switches / time"),
	ROW(wait_seconds, A_COUNTER(SECONDS, N_("waited"), 8), .hidden = true,
	    .help = N_("time it waited for a CPU since its start"),
	    .source = "/proc/PID/task/TID/schedstat, second number"),
	ROW(switches, A_COUNTER(COUNT, N_("switches"), 8), .hidden = true,
	    .help = N_("context switches to it since its start"),
	    .source = "/proc/PID/task/TID/schedstat, third number"),
	ROW(user, A_LABEL(N_("user"), 8), .personal = true, .rank = 3,
	    .help = N_("effective user of its process"), .source = "owner of /proc/PID, /etc/passwd"),
	ROW(uid, A_LABEL(N_("UID"), 6), .personal = true, .hidden = true, .help = N_("UID of its process"),
	    .source = "owner of /proc/PID"),
	ROW(kernel_thread, A_LABEL(N_("kthread"), 7), .hidden = true,
	    .help = N_("1: a kernel thread; 0: of a process"),
	    .source = "/proc/PID/stat flags, PF_KTHREAD"),
	ROW(name, A_LABEL(N_("thread"), 16), .help = N_("name of the thread"),
	    .source = "/proc/PID/task/TID/stat comm"),
	ROW(process, A_LABEL(N_("process"), 16), .grouping = "command", .rank = 4,
	    .help = N_("name of its process"), .source = "/proc/PID/stat comm"),
	ROW(program, A_LABEL(N_("program"), 16), .personal = true, .hidden = true,
	    .help = N_("the first word of the command line of its process"), .source = "/proc/PID/cmdline"),
};

static const struct schema schema = {
	.name = "thread", .help = N_("threads and the CPU time they use"), .from_zero = true,
	SCHEMA_ROWS(struct thread_row, columns),
};

struct thread {
	uint32_t tid;
	uint64_t start_ticks;
	uint64_t run_ns; /* U64_UNKNOWN: not readable, or used in part before it was first seen */
	struct pid_schedstat schedstat; /* wait_ns U64_UNKNOWN: not counted */
	uint64_t reported_wait_ns; /* … less what is left of a wait that was longer than its intervals */
	uint64_t reported_run_ns;  /* along with it; 0: nothing was */
	bool stale; /* the last read failed: what follows is from an earlier tick */
	char state;
	uint64_t processor;
	char name[PROCESS_NAME_MAX];
};

/* The threads of a process, as they were when it last ran. */
struct group {
	uint32_t pid;
	uint64_t start_ticks;
	struct thread *threads; /* by tid */
	size_t n_threads, capacity;
	bool stale; /* not all of them could be read */
};

struct state {
	struct process_list *processes;
	const struct sample_request *request;
	struct group *groups; /* by pid */
	size_t n_groups, capacity;
	struct group *previous; /* room for the next list; the same capacity */
	struct thread *room;  /* for the threads of a group that is read again */
	size_t room_capacity;
	uint64_t boot_ns;     /* of the previous update; 0: none */
	uint64_t mono_ns;     /* of the previous sample */
	size_t n_failed;      /* in this tick */
	int failure;          /* -errno of the last of them */
};

/* All 0, without what is not counted, where there is no schedstat. 0 or -errno. */
static int read_schedstat(struct env *env, uint32_t pid, uint32_t tid, struct pid_schedstat *schedstat)
{
	char bytes[128], name[48];
	long length;

	snprintf(name, sizeof(name), "task/%u/schedstat", tid);
	length = pids_read(env, pid, name, bytes, sizeof(bytes));
	if (length < 0 || !pid_schedstat_parse(span_of(bytes, (size_t)length), schedstat) ||
	    schedstat->run_ns == 0)
		*schedstat = (struct pid_schedstat){ .wait_ns = U64_UNKNOWN, .runs = U64_UNKNOWN };
	return length < 0 && length != -ENOENT ? (int)length : 0;
}

static int read_thread(struct env *env, uint32_t pid, struct thread *thread)
{
	char bytes[1024], name[48];
	struct pid_stat stat;
	long length;
	int error;

	snprintf(name, sizeof(name), "task/%u/stat", thread->tid);
	length = pids_read(env, pid, name, bytes, sizeof(bytes));
	if (length < 0)
		return (int)length;
	if (!pid_stat_parse(span_of(bytes, (size_t)length), &stat))
		return -EBADMSG;
	error = read_schedstat(env, pid, thread->tid, &thread->schedstat);
	if (error)
		return error;
	thread->run_ns = thread->schedstat.run_ns;
	if (thread->run_ns == 0)
		thread->run_ns = (stat.user_ticks + stat.system_ticks) *
				 (UINT64_C(1000000000) / env->ticks_per_second);
	thread->start_ticks = stat.start_ticks;
	thread->state = stat.state;
	thread->processor = stat.processor;
	span_copy(thread->name, sizeof(thread->name), stat.comm);
	return 0;
}

static bool has_ended(int error)
{
	return error == -ENOENT || error == -ESRCH;
}

static void set_stale(struct thread *thread)
{
	thread->stale = true;
	thread->run_ns = U64_UNKNOWN;
}

static void note_failure(struct state *state, struct group *group, int error, size_t n_threads)
{
	group->stale = true;
	state->n_failed += n_threads;
	state->failure = error;
}

/*
 * Adds a thread to room, unless it has exited. known: the one that had this tid before; NULL: none. A thread
 * that existed then but could not be read has no time in this tick: all of it would count as just used.
 */
static void add_thread(struct state *state, struct group *group, uint32_t tid, const struct thread *known,
			size_t *n_threads)
{
	struct thread *thread = &state->room[*n_threads];
	int error;

	*thread = (struct thread){ .tid = tid };
	error = read_thread(state->processes->env, group->pid, thread);
	if (has_ended(error))
		return;
	if (error) {
		note_failure(state, group, error, 1);
		if (!known)
			return;
		*thread = *known;
		set_stale(thread);
	} else if (known && known->start_ticks == thread->start_ticks) {
		thread->reported_wait_ns = known->reported_wait_ns;
		thread->reported_run_ns = known->reported_run_ns;
	} else if (process_list_existed_at(state->processes, thread->start_ticks, state->boot_ns)) {
		thread->run_ns = U64_UNKNOWN;
		group->stale = true;
	}
	++*n_threads;
}

static void refresh(struct state *state, struct group *group)
{
	const uint32_t *tids;
	size_t n_tids, at = 0, n_threads = 0, capacity = group->capacity;
	struct thread *threads = group->threads;
	int error = pids_threads(state->processes->env, group->pid, &tids, &n_tids);

	group->stale = false;
	if (error < 0 && !has_ended(error)) {
		note_failure(state, group, error, group->n_threads > 0 ? group->n_threads : 1);
		for (size_t i = 0; i < group->n_threads; i++)
			set_stale(&threads[i]);
		return;
	}
	if (error < 0)
		n_tids = 0;
	VECTOR_RESERVE(state->room, n_tids, state->room_capacity);
	for (size_t i = 0; i < n_tids; i++) {
		while (at < group->n_threads && threads[at].tid < tids[i])
			at++;
		add_thread(state, group, tids[i],
			    at < group->n_threads && threads[at].tid == tids[i] ? &threads[at] : NULL,
			    &n_threads);
	}
	group->threads = state->room;
	group->capacity = state->room_capacity;
	group->n_threads = n_threads;
	state->room = threads;
	state->room_capacity = capacity;
}

static void update(struct state *state)
{
	const struct process_list *processes = state->processes;
	struct group *previous;
	size_t n_previous = state->n_groups, at = 0, capacity = state->capacity;

	VECTOR_RESERVE(state->groups, processes->n_all, capacity);
	VECTOR_RESERVE(state->previous, processes->n_all, state->capacity);
	previous = state->groups;
	state->groups = state->previous;
	state->previous = previous;
	state->n_groups = state->n_failed = 0;
	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];
		struct group *group = &state->groups[state->n_groups++];

		while (at < n_previous && previous[at].pid < process->pid)
			free(previous[at++].threads);
		*group = at < n_previous && previous[at].pid == process->pid ? previous[at++]
									     : (struct group){ 0 };
		if (group->pid != process->pid || group->start_ticks != process->start_ticks) {
			group->pid = process->pid;
			group->start_ticks = process->start_ticks;
			group->n_threads = 0;
			group->stale = true;
		}
		if (process->ran || group->stale)
			refresh(state, group);
	}
	while (at < n_previous)
		free(previous[at++].threads);
	state->boot_ns = processes->boot_ns;
}

/* In an interval it has waited at most as long as it did not run. */
static void report_wait(struct thread *thread, uint64_t interval_ns)
{
	uint64_t wait_ns = thread->schedstat.wait_ns, run_ns = thread->run_ns, ran_ns, most_ns;

	if (wait_ns == U64_UNKNOWN || run_ns == U64_UNKNOWN)
		return;
	ran_ns = run_ns > thread->reported_run_ns ? run_ns - thread->reported_run_ns : 0;
	most_ns = interval_ns > ran_ns ? interval_ns - ran_ns : 0;
	thread->reported_wait_ns = thread->reported_run_ns == 0
					   ? wait_ns
					   : pid_wait_so_far(thread->reported_wait_ns, wait_ns, 1, most_ns);
	thread->reported_run_ns = run_ns;
}

static void add_row(struct env *env, struct frame *frame, struct table *table, const struct process *process,
		    const struct thread *thread, const char *process_name, const char *program)
{
	struct thread_row *row = table_add(table);

	row->tid = thread->tid;
	row->start_seconds = process_start_seconds(env, thread->start_ticks);
	row->pid = process->pid;
	if (thread->run_ns != U64_UNKNOWN)
		row->cpu_seconds = (double)thread->run_ns / 1e9;
	if (thread->run_ns != U64_UNKNOWN && thread->schedstat.wait_ns != U64_UNKNOWN) {
		row->wait_seconds = (double)thread->reported_wait_ns / 1e9;
		row->switches = thread->schedstat.runs;
	}
	if (!thread->stale) {
		row->processor = thread->processor;
		row->state = pid_state_text(thread->state);
	}
	if (!process->stale)
		row->kernel_thread = process_is_kernel_thread(process);
	if (process->uid != UINT32_MAX) {
		row->uid = process->uid;
		row->user = users_name(env, process->uid);
	}
	row->name = arena_copy(&frame->arena, thread->name, strlen(thread->name));
	row->process = process_name;
	row->program = program;
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct state *state = sample->state;

	sample->table->mono_ns = state->processes->mono_ns;
	update(state);
	if (state->n_failed > 0)
		frame_notice(frame, schema.name, source_remedy(sample->env, NULL, -state->failure),
			     P_("%zu thread could not be read: %s",
				"%zu threads could not be read: %s", state->n_failed),
			     state->n_failed, strerror(-state->failure));
	for (size_t i = 0; i < state->n_groups; i++) {
		const struct process *process = state->processes->all[i];
		const char *process_name = arena_copy(&frame->arena, process->name, strlen(process->name));
		const char *program = process->command ? arena_copy(&frame->arena, process->command,
								 process->program_length) : NULL;

		for (size_t t = 0; t < state->groups[i].n_threads; t++) {
			struct thread *thread = &state->groups[i].threads[t];

			report_wait(thread, state->processes->mono_ns - state->mono_ns);
			add_row(sample->env, frame, sample->table, process, thread, process_name, program);
		}
	}
	state->mono_ns = state->processes->mono_ns;
	return 0;
}

static void close_thread(struct sample *sample)
{
	struct state *state = sample->state;

	for (size_t i = 0; i < state->n_groups; i++)
		free(state->groups[i].threads);
	free(state->room);
	free(state->groups);
	free(state->previous);
}

const struct topic topic_thread = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/self/schedstat",
		  .gives = N_("exact CPU time of threads, and how long they wait for a CPU"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_SCHED_INFO: CPU time is "
					     "in ticks") } } }),
	.state_size = sizeof(struct state), .uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .sample = sample,
	.close = close_thread,
};
