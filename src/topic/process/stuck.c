/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "stuck": tasks in uninterruptible sleep (D), since when, and what they wait for.
 *
 * A task gets into D only by running. So the state of a process that was read when it last ran holds, and its
 * threads are looked through once after that, some in each sample. As long as it has not run again, it is
 * in the same wait, however short the looks are.
 *
 * A file of such a task may block who reads it: its call and its memory are read by helpers. A path is only
 * read as text, never looked up.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/cgroup.h"
#include "kernel/pid/pid_syscall.h"
#include "kernel/system.h"
#include "sys/pids.h"
#include "topic/cgroup.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define TASKS_MAX 64
#define DETAILS_MAX 16  /* tasks of which more is read in a sample */
#define LOOKS_MAX 48    /* threads that are looked at in a sample */
#define DETAILS_SECONDS 1 /* a wait for a disk is over by then */
#define LOAD_LEAST 0.05 /* a task that has been in D for 5 s makes a load of 0.08 */
#define TEXT_BYTES 256

struct stuck_row {
	uint64_t tid;
	double start_seconds, stuck_seconds;
	uint64_t pid;
	const char *process, *thread, *call, *function, *path, *frozen;
};

#define TEXT(field, what, where, ...)                                                                        \
	ROW(field, .kind = COLUMN_LABEL, .help = (what), .source = (where), __VA_ARGS__)

#define ROW(field, ...) COLUMN(struct stuck_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(stuck_seconds, A_GAUGE(SECONDS, N_("in D"), 6), .whole = true,
	    .help = N_("time in this one sleep, as far as it was observed"),
	    .source = "time between samples, as long as the third number of schedstat is the same"),
	ROW(process, A_KEY(N_("process"), 16), .fleeting = true, .grouping = "command",
	    .help = N_("process name, at most 15 bytes"), .source = "/proc/PID/stat comm"),
	ROW(pid, A_LABEL(N_("PID"), 7), .help = N_("PID of its process"), .source = "/proc"),
	ROW(tid, A_KEY(N_("TID"), 7), .fleeting = true, .rank = 3, .help = N_("thread ID"),
	    .source = "/proc/PID/task"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true, .help = N_("start time, after boot"),
	    .source = "/proc/PID/task/TID/stat starttime"),
	TEXT(thread, N_("name of the thread; blank: the main thread"), "/proc/PID/task/TID/stat comm",
	     .title = N_("thread"), .width = 12, .rank = 4, .optional = true),
	TEXT(call, N_("system call that it is in"), "/proc/PID/task/TID/syscall", .title = N_("system call"),
	     .width = 11, .rank = 1, .fleeting = true),
	TEXT(function, N_("function of the kernel that it waits in"), "/proc/PID/task/TID/wchan",
	     .title = N_("function"), .width = 20, .rank = 2, .fleeting = true),
	TEXT(path,
	     N_("file that the call works on; a path as the program gave it, at most 255 bytes: a relative "
		"one begins in its directory, or in that of a descriptor"),
	     "/proc/PID/fd, or /proc/PID/mem, by the arguments of the call", .title = N_("file"), .width = 24,
	     .personal = true, .fleeting = true),
	TEXT(frozen, N_("its control group is frozen: it waits for nothing"),
	     "/proc/PID/task/TID/wchan, else v1 freezer.state, v2 cgroup.events", .title = N_("frozen"),
	     .width = 6, .words = true, .optional = true, .fleeting = true),
};

static const struct schema schema = {
	.name = "stuck",
	.help = N_("tasks in uninterruptible sleep (D), and what they wait for; no threads of the kernel"),
	.none = N_("no task is in uninterruptible sleep (D)"), SCHEMA_ROWS(struct stuck_row, columns),
};

/* In one sleep: when it has run meanwhile, it is another one. */
struct task {
	uint32_t pid, tid;
	uint64_t number; /* of this sleep, among all that were seen */
	uint64_t start_ticks, runs, since_ns;
	bool asked;  /* for its details */
	bool frozen;
	char state;
	char name[PROCESS_NAME_MAX], call[32], function[64], path[TEXT_BYTES];
};

struct state {
	struct process_list *processes;
	struct task tasks[TASKS_MAX];
	size_t n_tasks;
	uint64_t n_sleeps;
	uint32_t next_pid, next_tid; /* whose turn it is to be looked at */
	struct command_reader *calls, *paths; /* NULL: nothing was read yet */
};

static void file_of(const struct task *task, const char *name, char path[PROCESS_FILE_MAX])
{
	snprintf(path, PROCESS_FILE_MAX, "task/%u/%s", task->tid, name);
}

static void copy_text(char *out, size_t room, struct span text)
{
	snprintf(out, room, "%.*s", (int)span_length(text), text.at);
}

/* Its state, name, start, and how often it has run. False: it is not in D. */
static bool read_task(struct env *env, struct task *task)
{
	char bytes[PROCESS_STAT_MAX], path[PROCESS_FILE_MAX];
	struct pid_schedstat schedstat;
	struct pid_stat stat;
	long length;

	file_of(task, "stat", path);
	length = pids_read(env, task->pid, path, bytes, sizeof(bytes));
	if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat) || stat.state != 'D')
		return false;
	copy_text(task->name, sizeof(task->name), stat.comm);
	task->start_ticks = stat.start_ticks;
	task->runs = stat.user_ticks + stat.system_ticks;
	file_of(task, "schedstat", path);
	length = pids_read(env, task->pid, path, bytes, sizeof(bytes));
	if (length > 0 && pid_schedstat_parse(span_of(bytes, (size_t)length), &schedstat))
		task->runs = schedstat.runs;
	return true;
}

static bool is_known(const struct state *state, uint32_t pid, uint32_t tid)
{
	for (size_t i = 0; i < state->n_tasks; i++)
		if (state->tasks[i].pid == pid && state->tasks[i].tid == tid)
			return true;
	return false;
}

static void look_at(struct state *state, uint32_t pid, uint32_t tid)
{
	struct task task = { .pid = pid, .tid = tid, .since_ns = state->processes->mono_ns };

	if (state->n_tasks == TASKS_MAX || is_known(state, pid, tid) ||
	    !read_task(state->processes->env, &task))
		return;
	task.number = ++state->n_sleeps;
	state->tasks[state->n_tasks++] = task;
}

/* A task that has run is forgotten, or begins another sleep. */
static void look_again(struct state *state)
{
	size_t n_tasks = 0;

	for (size_t i = 0; i < state->n_tasks; i++) {
		struct task task = { .pid = state->tasks[i].pid,
				     .tid = state->tasks[i].tid,
				     .since_ns = state->processes->mono_ns };

		if (!read_task(state->processes->env, &task))
			continue;
		if (task.start_ticks == state->tasks[i].start_ticks && task.runs == state->tasks[i].runs)
			task = state->tasks[i];
		else
			task.number = ++state->n_sleeps;
		state->tasks[n_tasks++] = task;
	}
	state->n_tasks = n_tasks;
}

/* A thread that has been in D for seconds is part of the load. */
static bool may_have_threads(struct env *env)
{
	struct loadavg loadavg;
	struct span text;

	return env_read(env, env_file(env, "proc/loadavg"), &text) < 0 || !loadavg_parse(text, &loadavg) ||
	       loadavg.load1 >= LOAD_LEAST;
}

/* From next_tid on. How many looks are left. */
static size_t look_through(struct state *state, struct process *process, size_t looks)
{
	const uint32_t *tids;
	size_t n_tids, at;

	if (state->next_tid == 0)
		process->looked_tick = (uint32_t)state->processes->env->tick;
	if (pids_threads(state->processes->env, process->pid, &tids, &n_tids) < 0)
		n_tids = 0;
	looks -= looks < n_tids / LOOKS_MAX ? looks : n_tids / LOOKS_MAX; /* to list them costs, too */
	VECTOR_BOUND(at, n_tids, tids[at] < state->next_tid);
	for (; at < n_tids && looks > 0; at++, looks--)
		look_at(state, process->pid, tids[at]);
	state->next_pid = process->pid + (at == n_tids);
	state->next_tid = at < n_tids ? tids[at] : 0;
	return looks;
}

static bool is_due(const struct process *process)
{
	return process->stat.threads > 1 && (uint32_t)process->ran_tick > process->looked_tick &&
	       !process_is_kernel_thread(process);
}

/* In a circle, so that each has its turn. */
static void look_for_threads(struct state *state)
{
	const struct process_list *list = state->processes;
	size_t first, looks = LOOKS_MAX;

	VECTOR_BOUND(first, list->n_all, list->all[first]->pid < state->next_pid);
	for (size_t i = 0; i < list->n_all && looks > 0; i++) {
		struct process *process = list->all[(first + i) % list->n_all];
		bool goes_on = state->next_tid != 0 && process->pid == state->next_pid;

		if (!goes_on)
			state->next_tid = 0;
		if (goes_on || is_due(process))
			looks = look_through(state, process, looks);
	}
}

static void look_for_processes(struct state *state)
{
	const struct process_list *list = state->processes;

	for (size_t i = 0; i < list->n_all; i++) {
		const struct process *process = list->all[i];

		if (process->stat.state == 'D' && !process->stale && !process_is_kernel_thread(process))
			look_at(state, process->pid,
				process->living_tid ? process->living_tid : process->pid);
	}
}

/* Is its group frozen? For users who may not know where it waits. */
static bool is_in_frozen_group(struct env *env, const struct task *task)
{
	char bytes[CGROUP_PATH_MAX];
	long length = pids_read(env, task->pid, "cgroup", bytes, sizeof(bytes));
	struct cgroup_place place;
	struct span text;
	uint64_t frozen;

	if (length < 0 || env_read(env, env_file(env, "proc/self/mountinfo"), &text) < 0 ||
	    !cgroup_find(span_of(bytes, (size_t)length), text, "freezer", &place))
		return false;
	if (place.version == 1)
		return cgroup_read(env, &place, "freezer.state", &text) == 0 && span_starts(text, "FR");
	return cgroup_read(env, &place, "cgroup.events", &text) == 0 &&
	       cgroup_value_parse(text, "frozen", &frozen) && frozen == 1;
}

/* "0" stands for: this user may not know. */
static void read_function(struct env *env, struct task *task)
{
	char bytes[sizeof(task->function)], path[PROCESS_FILE_MAX];
	long length;

	file_of(task, "wchan", path);
	length = pids_read(env, task->pid, path, bytes, sizeof(bytes) - 1);
	if (length > 0 && !span_is(span_of(bytes, (size_t)length), "0"))
		copy_text(task->function, sizeof(task->function), span_of(bytes, (size_t)length));
	task->frozen = *task->function ? strstr(task->function, "refrigerator") != NULL
				       : is_in_frozen_group(env, task);
}

static void open_readers(struct state *state)
{
	if (state->calls)
		return;
	state->calls = command_reader_open(state->processes->env, "proc/PID/syscall");
	state->paths = command_reader_open(state->processes->env, "proc/PID/mem");
}

static void ask_for_calls(struct state *state)
{
	uint64_t now_ns = state->processes->mono_ns;
	size_t n_asked = 0;

	for (size_t i = 0; i < state->n_tasks && n_asked < DETAILS_MAX; i++) {
		struct task *task = &state->tasks[i];
		char path[PROCESS_FILE_MAX];

		if (task->asked || now_ns - task->since_ns < DETAILS_SECONDS * UINT64_C(1000000000))
			continue;
		open_readers(state);
		read_function(state->processes->env, task);
		file_of(task, "syscall", path);
		task->asked = command_reader_ask(state->calls, task->pid, path, task->number);
		n_asked++;
	}
	if (n_asked > 0)
		command_reader_submit(state->calls);
}

static struct task *find_task(struct state *state, uint64_t number)
{
	for (size_t i = 0; i < state->n_tasks; i++)
		if (state->tasks[i].number == number)
			return &state->tasks[i];
	return NULL;
}

/* The link of a descriptor is text of the kernel, too. */
static void set_call(struct state *state, struct task *task, const struct pid_syscall *call)
{
	const char *known = pid_syscall_name(call);
	char name[PROCESS_FILE_MAX], target[TEXT_BYTES];
	uint64_t address;
	long length;

	if (!known)
		return;
	snprintf(task->call, sizeof(task->call), "%s", known);
	if (pid_syscall_path(call, &address)) {
		command_reader_ask_at(state->paths, task->pid, "mem", address, task->number);
		return;
	}
	if (pid_syscall_fd(call) < 0)
		return;
	snprintf(name, sizeof(name), "fd/%lld", (long long)pid_syscall_fd(call));
	length = pids_read_link(state->processes->env, task->pid, name, target, sizeof(target));
	if (length > 0)
		copy_text(task->path, sizeof(task->path), span_of(target, (size_t)length));
}

static void take_details(struct state *state)
{
	struct command_line line;
	struct pid_syscall call;
	struct task *task;

	while (command_reader_next(state->calls, &line)) {
		task = find_task(state, line.tag);
		if (task && pid_syscall_parse(span_of(line.text, line.length), &call))
			set_call(state, task, &call);
	}
	command_reader_submit(state->paths);
	while (command_reader_next(state->paths, &line)) {
		task = find_task(state, line.tag);
		if (task)
			copy_text(task->path, sizeof(task->path), span_of(line.text, line.program_length));
	}
}

static void add_row(struct sample *sample, const struct task *task, const struct process *process)
{
	const struct state *state = sample->state;
	struct stuck_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;

	row->process = arena_copy(arena, process->name, strlen(process->name));
	row->pid = task->pid;
	row->tid = task->tid;
	row->start_seconds = process_start_seconds(sample->env, task->start_ticks);
	row->stuck_seconds = (double)(state->processes->mono_ns - task->since_ns) / 1e9;
	row->thread = task->tid == task->pid ? "" : arena_copy(arena, task->name, strlen(task->name));
	row->call = *task->call ? arena_copy(arena, task->call, strlen(task->call)) : NULL;
	row->function = *task->function ? arena_copy(arena, task->function, strlen(task->function)) : NULL;
	row->path = *task->path ? arena_copy(arena, task->path, strlen(task->path)) : NULL;
	row->frozen = task->frozen ? N_("yes") : "";
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;

	sample->table->mono_ns = state->processes->mono_ns;
	look_again(state);
	look_for_processes(state);
	if (may_have_threads(sample->env))
		look_for_threads(state);
	ask_for_calls(state);
	if (state->calls)
		take_details(state);
	for (size_t i = 0; i < state->n_tasks; i++) {
		const struct process *process = process_list_find(state->processes, state->tasks[i].pid);

		if (process)
			add_row(sample, &state->tasks[i], process);
	}
	return 0;
}

static void close_stuck(struct sample *sample)
{
	struct state *state = sample->state;

	if (!state->calls)
		return;
	command_reader_close(state->calls);
	command_reader_close(state->paths);
}

const struct topic topic_stuck = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/self/schedstat", .gives = N_("whether a task has run since"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_SCHED_INFO: CPU time "
					     "stands for it") } } },
		{ .path = "proc/self/wchan", .gives = N_("where in the kernel it waits"), .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_KALLSYMS") } } },
		{ .path = "proc/self/syscall", .gives = N_("the system call that it waits in"),
		  .optional = true,
		  .remedies = { { ENOENT,
				  N_("this kernel was built without CONFIG_HAVE_ARCH_TRACEHOOK") } } }),
	.state_size = sizeof(struct state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_MEMORY) |
		PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .sample = sample,
	.close = close_stuck,
};
