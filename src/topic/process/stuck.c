/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "stuck" and "convoy". The first: tasks in uninterruptible sleep (D), since when, and for what.
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
#include <inttypes.h>
#include <linux/futex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/cgroup.h"
#include "kernel/mounts.h"
#include "kernel/pid/pid_syscall.h"
#include "kernel/system.h"
#include "sys/attribute.h"
#include "sys/pids.h"
#include "topic/cgroup.h"
#include "topic/cpu/proc_stat.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define TASKS_MAX 64
#define DETAILS_MAX 16  /* tasks of which more is read in a sample */
#define LOOKS_MAX 48    /* threads that are looked at in a sample */
#define DETAILS_SECONDS 1 /* a wait for a disk is over by then */
#define CLOCKS_SECONDS 1.0 /* by which clocks of CPUs may differ */
#define LOAD_LEAST 0.05 /* a task that has been in D for 5 s makes a load of 0.08 */
#define TEXT_BYTES 256
#define MOUNTS_BYTES_MAX ((size_t)1024 * 1024)

struct stuck_row {
	uint64_t tid;
	double start_seconds, stuck_seconds;
	uint64_t pid;
	const char *process, *begun, *thread, *call, *function, *path, *mount, *frozen;
};

#define TEXT(field, what, where, ...)                                                                        \
	ROW(field, .kind = COLUMN_LABEL, .help = (what), .source = (where), __VA_ARGS__)

#define ROW(field, ...) COLUMN(struct stuck_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(stuck_seconds, A_GAUGE(SECONDS, N_("in D"), 6), .whole = true,
	    .help = N_("time in this one sleep; see the column begun"),
	    .source = "/proc/PID/task/TID/sched se.exec_start, less that of panetop; else time between "
		      "samples, as long as the third number of schedstat is the same"),
	TEXT(begun,
	     N_("before: it was in this sleep before it was first seen, so that the time is the least; "
		"blank: the time is known to a second"),
	     "/proc/PID/task/TID/sched", .title = N_("begun"), .width = 6, .rank = 3, .words = true,
	     .optional = true, .fleeting = true),
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
	TEXT(mount, N_("where the file system of that file is mounted, as the process sees it"),
	     "/proc/PID/mountinfo, /proc/PID/cwd", .title = N_("mount"), .width = 12, .rank = 5,
	     .hidden = true, .fleeting = true),
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
	bool dated;  /* since_ns is when it began, not when it was seen first */
	bool frozen;
	char state;
	char name[PROCESS_NAME_MAX], call[32], function[64], path[TEXT_BYTES], mount[TEXT_BYTES];
	char directory[TEXT_BYTES]; /* in which a relative path begins; empty: not known */
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
	span_copy(task->name, sizeof(task->name), stat.comm);
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

/* When it ran last, by the clock of its CPU, and what that clock may have left out: seconds. */
struct last_run {
	uint64_t cpu;
	double clock, interrupts, stolen;
};

static bool read_last_run(struct env *env, uint32_t pid, uint32_t tid, struct last_run *last)
{
	char bytes[ATTRIBUTE_TEXT_MAX], path[PROCESS_FILE_MAX];
	const struct task task = { .tid = tid };
	const struct proc_stat *times;
	struct pid_stat stat;
	long length;

	file_of(&task, "stat", path);
	length = pids_read(env, pid, path, bytes, sizeof(bytes));
	if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat) ||
	    proc_stat_read(env, &times) < 0)
		return false;
	file_of(&task, "sched", path);
	length = pids_read(env, pid, path, bytes, sizeof(bytes));
	if (length < 0 || !pid_sched_parse(span_of(bytes, (size_t)length), &last->clock))
		return false;
	last->cpu = stat.processor;
	for (size_t i = 0; i < times->n_cpus; i++) {
		const struct cpu_times *of = &times->cpus[i];

		if (of->cpu != last->cpu || of->steal == U64_UNKNOWN)
			continue;
		last->stolen = (double)of->steal / (double)env->ticks_per_second;
		last->interrupts = cpu_times_measures_interrupts(&times->all)
					   ? (double)(of->irq + of->softirq) / (double)env->ticks_per_second
					   : 0;
		return true;
	}
	return false;
}

/*
 * Since when it is in this sleep, by when it ran last: our own clock is that of now. Clocks of two CPUs
 * differ by the interrupts and the stolen time that the kernel takes off them, if it does.
 */
static void date(struct env *env, uint64_t now_ns, struct task *task)
{
	double seen = (double)(now_ns - task->since_ns) / 1e9, stolen, interrupts, slept;
	struct last_run own, again, its;

	if (env->own_pid == 0 || !read_last_run(env, env->own_pid, env->own_pid, &own) ||
	    !read_last_run(env, task->pid, task->tid, &its) ||
	    !read_last_run(env, env->own_pid, env->own_pid, &again) || again.cpu != own.cpu)
		return;
	stolen = own.stolen - its.stolen;
	interrupts = own.interrupts - its.interrupts;
	slept = own.clock - its.clock + fmin(stolen, 0) + fmin(interrupts, 0);
	if (slept > seen && slept * 1e9 < (double)now_ns)
		task->since_ns = now_ns - (uint64_t)(slept * 1e9);
	task->dated = slept > seen - CLOCKS_SECONDS && fabs(stolen) + fabs(interrupts) < CLOCKS_SECONDS;
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
		span_copy(task->function, sizeof(task->function), span_of(bytes, (size_t)length));
	task->frozen = *task->function ? strstr(task->function, "refrigerator") != NULL
				       : is_in_frozen_group(env, task);
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
		if (!state->calls) {
			state->calls = command_reader_open(state->processes->env, "proc/PID/syscall");
			state->paths = command_reader_open(state->processes->env, "proc/PID/mem");
		}
		date(state->processes->env, now_ns, task);
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

/* How long the part of the path is that this is; 0: it is none of it. */
static size_t prefix_length(const char *path, const char *mount)
{
	size_t length = strlen(mount);

	return strncmp(path, mount, length) == 0 &&
			       (path[length] == '/' || path[length] == '\0' || strcmp(mount, "/") == 0)
		       ? length
		       : 0;
}

/* Of two mounts at one place the later one covers the other. */
static void find_mount(struct env *env, struct task *task)
{
	char path[2 * TEXT_BYTES], name[PROCESS_FILE_MAX];
	struct buffer mounts = { 0 };
	struct mount_info info;
	struct span rest;

	snprintf(path, sizeof(path), "%s%s%s", *task->path == '/' ? "" : task->directory,
		 *task->path == '/' ? "" : "/", task->path);
	snprintf(name, sizeof(name), "proc/%u/mountinfo", task->pid);
	if (!*task->path || *path != '/' || strstr(path, "/../") ||
	    attribute_text(env, name, MOUNTS_BYTES_MAX, &mounts) < 0)
		*path = '\0';
	rest = span_of(mounts.bytes, mounts.length);
	while (*path && mountinfo_next(&rest, &info)) {
		char *point = mountinfo_text(info.point);
		size_t length = prefix_length(path, point);

		if (length > 0 && length >= strlen(task->mount))
			span_copy(task->mount, sizeof(task->mount), span_text(point));
		free(point);
	}
	buffer_free(&mounts);
}

static void read_link(struct env *env, const struct task *task, int64_t fd, char text[TEXT_BYTES])
{
	char name[PROCESS_FILE_MAX] = "cwd", target[TEXT_BYTES];
	long length;

	if (fd >= 0)
		snprintf(name, sizeof(name), "fd/%lld", (long long)fd);
	length = pids_read_link(env, task->pid, name, target, sizeof(target));
	if (length > 0)
		span_copy(text, TEXT_BYTES, span_of(target, (size_t)length));
}

/* The link of a descriptor is text of the kernel, too. */
static void set_call(struct state *state, struct task *task, const struct pid_syscall *call)
{
	const char *known = pid_syscall_name(call);
	struct env *env = state->processes->env;
	uint64_t address;
	int64_t directory;

	if (!known)
		return;
	snprintf(task->call, sizeof(task->call), "%s", known);
	if (pid_syscall_path(call, &address, &directory)) {
		read_link(env, task, directory, task->directory);
		command_reader_ask_at(state->paths, task->pid, "mem", address, task->number);
		return;
	}
	if (pid_syscall_fd(call) < 0)
		return;
	read_link(env, task, pid_syscall_fd(call), task->path);
	find_mount(env, task);
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
		if (!task)
			continue;
		span_copy(task->path, sizeof(task->path), span_of(line.text, line.program_length));
		find_mount(state->processes->env, task);
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
	row->begun = task->dated ? "" : N_("before");
	row->thread = task->tid == task->pid ? "" : arena_copy(arena, task->name, strlen(task->name));
	row->call = *task->call ? arena_copy(arena, task->call, strlen(task->call)) : NULL;
	row->function = *task->function ? arena_copy(arena, task->function, strlen(task->function)) : NULL;
	row->path = *task->path ? arena_copy(arena, task->path, strlen(task->path)) : NULL;
	row->mount = *task->mount ? arena_copy(arena, task->mount, strlen(task->mount)) : NULL;
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
		{ .path = "proc/self/sched", .gives = N_("since when a task sleeps"), .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_SCHED_DEBUG: the time "
					     "begins when it is first seen") } } },
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

/*
 * Topic "convoy": mutexes that most threads of a process wait for.
 *
 * Only busy processes of several threads are looked at, a few in each sample, and of each first some threads:
 * most are no convoy, which these show. A thread that waits for a mutex of the C library is in futex(2) with
 * FUTEX_WAIT and the value 2; idle threads of a pool wait for a condition variable, which is another call.
 * Whether the holder works is what makes a convoy of it: a pool may have a leader that sleeps with the lock.
 */

#define GAP_NS UINT64_C(5000000000) /* for which a convoy may be missed */
#define CONVOYS_MAX 6       /* processes that are looked at in a sample … */
#define NEW_MAX 3         /* … of them those that were no convoy in the last one */
#define FIRST_THREADS 8   /* of each, at first … */
#define THREADS_MAX 48    /* … and where at least half of these wait for one mutex */
#define THREADS_LEAST 5   /* a process with fewer has no convoy */
#define WAITING_LEAST 4
#define BUSY_RATIO 0.1    /* of a CPU, in the last interval */
#define LOCKED_CONTENDED 2 /* value of a mutex that others wait for */
#define OWNER_OFFSET 8    /* of the TID of its holder in pthread_mutex_t */
#define LOOK_WEIGHT 0.2   /* of the newest look at a holder, among all */
#define VOTES_LEAST 4     /* for a holder that is named, as after three looks in a row */
#define VOTES_MAX 8

struct convoy_row {
	uint64_t pid;
	double start_seconds, convoy_seconds, waiting_ratio, holder_busy_ratio;
	uint64_t waiting_threads, looked_threads, threads, holder_tid;
	const char *process, *lock, *holder;
};

#define CONVOY(field, ...) COLUMN(struct convoy_row, field, __VA_ARGS__)

static const struct column convoy_columns[] = {
	CONVOY(convoy_seconds, A_GAUGE(SECONDS, N_("for"), 6), .whole = true,
	       .help = N_("time for which this was so, at looks at most 5 s apart"),
	       .source = "time between samples"),
	CONVOY(waiting_threads, A_GAUGE(COUNT, N_("waiting"), 7),
	       .help = N_("threads that wait for the mutex, of those that were looked at, at most 48"),
	       .source = "/proc/PID/task/TID/syscall: futex with FUTEX_WAIT and the value 2"),
	CONVOY(looked_threads, A_GAUGE(COUNT, N_("of"), 5), .hidden = true,
	       .help = N_("threads that were looked at; unknown: all were"),
	       .source = "/proc/PID/task/TID/syscall"),
	CONVOY(waiting_ratio, A_GAUGE(RATIO, N_("%wait"), 6), .help = N_("their share"),
	       .source = "waiting_threads / threads that were looked at"),
	CONVOY(threads, A_LABEL(N_("threads"), 7), .fleeting = true, .rank = 2,
	       .help = N_("threads of the process"), .source = "/proc/PID/stat num_threads"),
	CONVOY(process, A_KEY(N_("process"), 16), .fleeting = true, .grouping = "command",
	       .help = N_("process name, at most 15 bytes"), .source = "/proc/PID/stat comm"),
	CONVOY(pid, A_PROCESS_ID, .help = N_("process ID")),
	CONVOY(start_seconds, A_PROCESS_START),
	CONVOY(lock, A_LABEL(N_("mutex"), 14), .fleeting = true, .rank = 1,
	       .help = N_("its address in the process"), .source = "/proc/PID/task/TID/syscall"),
	CONVOY(holder, A_LABEL(N_("held by"), 15), .fleeting = true,
	       .help = N_("name of the thread that held it at most of the last looks; unknown: none did"),
	       .source = "/proc/PID/task/TID/stat comm"),
	CONVOY(holder_tid, A_LABEL(N_("TID"), 7), .fleeting = true, .help = N_("thread ID of the holder"),
	       .source = "/proc/PID/mem, 8 bytes behind the address of the mutex"),
	CONVOY(holder_busy_ratio, A_GAUGE(RATIO, N_("%works"), 6), .rank = 3,
	       .help = N_("share of looks at which its holder ran or waited for a disk, the newest counting "
			  "most; unknown: no holder was found"),
	       .source = "/proc/PID/task/TID/syscall and stat of holders, an estimate"),
};

static const struct schema convoy_schema = {
	.name = "convoy", .help = N_("mutexes of the C library that most threads of a busy process wait for"),
	.none = N_("no mutex was found that most threads of a process wait for"),
	SCHEMA_ROWS(struct convoy_row, convoy_columns),
};

/* A process that is looked at. */
struct look {
	uint32_t pid, holder, named; /* holder: now; named: of the last looks, where it has the votes */
	unsigned votes;
	uint64_t start_ticks, threads, since_ns;
	uint64_t seen_ns; /* when it was a convoy last; 0: never */
	uint32_t tids[THREADS_MAX];
	size_t n_tids, n_read;
	uint64_t locks[THREADS_MAX]; /* that threads wait for */
	size_t n_locks, n_waiting;   /* waiting: for most */
	uint64_t most, lock;         /* that most of them wait for, now and when it was a convoy last */
	uint64_t waiting_threads, looked_threads; /* for lock, of these; and their share then */
	double waiting_ratio;
	double busy;                 /* see LOOK_WEIGHT; NaN: not known */
	char holder_state, name[PROCESS_NAME_MAX]; /* name: of named */
};

struct convoy_state {
	struct process_list *processes;
	struct look looks[CONVOYS_MAX]; /* in this sample; afterwards those that are convoys */
	size_t n_looks;
	uint32_t next_pid;             /* whose turn it is */
	struct command_reader *reader; /* NULL: nothing was read yet */
};

static bool is_candidate(const struct process_list *list, const struct process *process)
{
	double passed_ns = (double)(list->mono_ns - list->last_ns);

	return process->stat.threads >= THREADS_LEAST && !process_is_kernel_thread(process) &&
	       list->last_ns > 0 && process->used_ns != U64_UNKNOWN &&
	       (double)process->used_ns >= BUSY_RATIO * passed_ns;
}

/* A look may come while the lock is passed on, or while the process has no CPU. */
static bool convoy_goes_on(const struct convoy_state *state, const struct look *look)
{
	return look->seen_ns > 0 && state->processes->mono_ns - look->seen_ns < GAP_NS;
}

/* Convoys of the last samples go on, if they are still candidates. */
static void keep_convoys(struct convoy_state *state)
{
	size_t n_looks = 0;

	for (size_t i = 0; i < state->n_looks; i++) {
		const struct look *look = &state->looks[i];
		const struct process *process = process_list_find(state->processes, look->pid);

		if (process && process->start_ticks == look->start_ticks &&
		    (is_candidate(state->processes, process) || convoy_goes_on(state, look)))
			state->looks[n_looks++] = *look;
	}
	state->n_looks = n_looks;
}

static bool is_looked_at(const struct convoy_state *state, uint32_t pid)
{
	for (size_t i = 0; i < state->n_looks; i++)
		if (state->looks[i].pid == pid)
			return true;
	return false;
}

/* Others in turn. */
static void choose_others(struct convoy_state *state)
{
	const struct process_list *list = state->processes;
	size_t first, n_new = 0;

	VECTOR_BOUND(first, list->n_all, list->all[first]->pid < state->next_pid);
	for (size_t i = 0; i < list->n_all && n_new < NEW_MAX && state->n_looks < CONVOYS_MAX; i++) {
		const struct process *process = list->all[(first + i) % list->n_all];

		if (!is_candidate(list, process) || is_looked_at(state, process->pid))
			continue;
		state->looks[state->n_looks++] = (struct look){ .pid = process->pid,
								.start_ticks = process->start_ticks,
								.busy = NAN };
		state->next_pid = process->pid + 1;
		n_new++;
	}
}

/* Some of many, spread over all. */
static void choose_threads(struct convoy_state *state, struct look *look)
{
	const uint32_t *tids;
	size_t n_tids = 0;

	look->n_tids = look->n_read = look->n_locks = look->n_waiting = 0;
	if (pids_threads(state->processes->env, look->pid, &tids, &n_tids) < 0)
		return;
	look->threads = n_tids;
	look->n_tids = n_tids < THREADS_MAX ? n_tids : THREADS_MAX;
	for (size_t i = 0; i < look->n_tids; i++)
		look->tids[i] = tids[i * n_tids / look->n_tids];
}

/* The first ones, or all others. */
static void ask(struct convoy_state *state, size_t index, bool first)
{
	const struct look *look = &state->looks[index];
	size_t step = (look->n_tids + FIRST_THREADS - 1) / FIRST_THREADS;
	char path[PROCESS_FILE_MAX];

	for (size_t i = 0; i < look->n_tids; i++) {
		if ((i % step == 0) != first)
			continue;
		snprintf(path, sizeof(path), "task/%u/syscall", look->tids[i]);
		command_reader_ask(state->reader, look->pid, path, index);
	}
}

/* Is it a thread that waits for a mutex? */
static bool waits_for_mutex(struct span text, uint64_t *lock)
{
	struct pid_syscall call;
	const char *name = pid_syscall_parse(text, &call) ? pid_syscall_name(&call) : NULL;

	if (!name || strcmp(name, "futex") != 0 ||
	    ((uint32_t)call.arguments[1] & (uint32_t)FUTEX_CMD_MASK) != FUTEX_WAIT ||
	    (uint32_t)call.arguments[2] != LOCKED_CONTENDED)
		return false;
	*lock = call.arguments[0];
	return true;
}

/* What was read of all threads that were requested. */
static void take(struct convoy_state *state)
{
	struct command_line line;

	command_reader_submit(state->reader);
	while (command_reader_next(state->reader, &line)) {
		struct look *look = &state->looks[line.tag];
		uint64_t lock;

		look->n_read += line.length > 0;
		if (waits_for_mutex(span_of(line.text, line.length), &lock) && look->n_locks < THREADS_MAX)
			look->locks[look->n_locks++] = lock;
	}
}

/* The mutex of most threads. */
static void count_waiting(struct look *look)
{
	look->n_waiting = 0;
	for (size_t i = 0; i < look->n_locks; i++) {
		size_t n = 0;

		for (size_t j = 0; j < look->n_locks; j++)
			n += look->locks[j] == look->locks[i];
		if (n <= look->n_waiting)
			continue;
		look->n_waiting = n;
		look->most = look->locks[i];
	}
}

static bool is_half(const struct look *look)
{
	return look->n_waiting > 0 && 2 * look->n_waiting >= look->n_read;
}

/* It is a convoy, which goes on as long as the mutex is the same. */
static void see(struct look *look, uint64_t now_ns)
{
	if (look->most != look->lock) {
		look->since_ns = now_ns;
		look->busy = NAN;
		look->votes = 0;
		look->lock = look->most;
	}
	look->seen_ns = now_ns;
	look->waiting_threads = look->n_waiting;
	look->looked_threads = look->n_read;
	look->waiting_ratio = (double)look->n_waiting / (double)look->n_read;
}

/* Only convoys stay, also of the last seconds. */
static void look_at_threads(struct convoy_state *state)
{
	size_t n_looks = 0;

	for (size_t i = 0; i < state->n_looks; i++) {
		choose_threads(state, &state->looks[i]);
		ask(state, i, true);
	}
	take(state);
	for (size_t i = 0; i < state->n_looks; i++) {
		count_waiting(&state->looks[i]);
		if (is_half(&state->looks[i]))
			ask(state, i, false);
	}
	take(state);
	for (size_t i = 0; i < state->n_looks; i++) {
		count_waiting(&state->looks[i]);
		if (state->looks[i].n_waiting >= WAITING_LEAST && is_half(&state->looks[i]))
			see(&state->looks[i], state->processes->mono_ns);
		if (convoy_goes_on(state, &state->looks[i]))
			state->looks[n_looks++] = state->looks[i];
	}
	state->n_looks = n_looks;
}

/* Each look takes one from whoever is named, and gives two to the holder if that is the same. */
static void vote(struct look *look, struct span name)
{
	if (look->votes == 0) {
		look->named = look->holder;
		span_copy(look->name, sizeof(look->name), name);
	}
	if (look->named == look->holder && look->votes < VOTES_MAX)
		look->votes += 2;
}

/* What is 8 bytes behind a lock may be anything: the holder is a thread of the process. */
static void find_holders(struct convoy_state *state)
{
	struct env *env = state->processes->env;
	struct command_line line;

	for (size_t i = 0; i < state->n_looks; i++)
		command_reader_ask_at(state->reader, state->looks[i].pid, "mem",
				      state->looks[i].lock + OWNER_OFFSET, i);
	command_reader_submit(state->reader);
	for (size_t i = 0; i < state->n_looks; i++) {
		state->looks[i].holder = 0;
		state->looks[i].votes -= state->looks[i].votes > 0;
	}
	while (command_reader_next(state->reader, &line)) {
		struct look *look = &state->looks[line.tag];
		uint32_t owner = 0;
		char path[PROCESS_FILE_MAX], bytes[PROCESS_STAT_MAX];
		struct pid_stat stat;
		long length;

		if (line.length >= sizeof(owner))
			memcpy(&owner, line.text, sizeof(owner));
		if (owner == 0 || owner > INT32_MAX)
			continue;
		snprintf(path, sizeof(path), "task/%u/stat", owner);
		length = pids_read(env, look->pid, path, bytes, sizeof(bytes));
		if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
			continue;
		look->holder = owner;
		look->holder_state = stat.state;
		vote(look, stat.comm);
	}
}

/* A thread that sleeps in futex(2) has passed it on meanwhile, which says nothing. */
static void look_at_holders(struct convoy_state *state)
{
	struct command_line line;
	struct pid_syscall call;

	for (size_t i = 0; i < state->n_looks; i++) {
		char path[PROCESS_FILE_MAX];

		snprintf(path, sizeof(path), "task/%u/syscall", state->looks[i].holder);
		if (state->looks[i].holder != 0)
			command_reader_ask(state->reader, state->looks[i].pid, path, i);
	}
	command_reader_submit(state->reader);
	while (command_reader_next(state->reader, &line)) {
		struct look *look = &state->looks[line.tag];
		bool known = pid_syscall_parse(span_of(line.text, line.length), &call);
		const char *name = known ? pid_syscall_name(&call) : NULL;
		bool busy = look->holder_state == 'R' || look->holder_state == 'D' ||
			    (known && call.running);

		if (!known || (!busy && name && strcmp(name, "futex") == 0))
			continue;
		if (isnan(look->busy))
			look->busy = busy;
		look->busy += LOOK_WEIGHT * (busy - look->busy);
	}
}

static void convoy_add_row(struct sample *sample, const struct look *look)
{
	const struct convoy_state *state = sample->state;
	const struct process *process = process_list_find(state->processes, look->pid);
	struct arena *arena = &sample->frame->arena;
	struct convoy_row *row;

	if (!process)
		return;
	row = table_add(sample->table);
	row->process = arena_copy(arena, process->name, strlen(process->name));
	row->pid = look->pid;
	row->start_seconds = process_start_seconds(sample->env, look->start_ticks);
	row->convoy_seconds = (double)(state->processes->mono_ns - look->since_ns) / 1e9;
	row->waiting_threads = look->waiting_threads;
	row->waiting_ratio = look->waiting_ratio;
	row->looked_threads = look->looked_threads < look->threads ? look->looked_threads : U64_UNKNOWN;
	row->threads = look->threads;
	row->lock = arena_print(arena, "0x%" PRIx64, look->lock);
	row->holder_busy_ratio = look->busy;
	if (look->votes < VOTES_LEAST)
		return;
	row->holder = arena_copy(arena, look->name, strlen(look->name));
	row->holder_tid = look->named;
}

static int sample_convoy(struct sample *sample)
{
	struct convoy_state *state = sample->state;
	struct command_line line;

	sample->table->mono_ns = state->processes->mono_ns;
	keep_convoys(state);
	choose_others(state);
	if (state->n_looks == 0)
		return 0;
	if (!state->reader)
		state->reader = command_reader_open(sample->env, "proc/PID/task/TID/syscall");
	/* where CPUs are busy, answers come too late, and those of the last seconds hold */
	while (command_reader_next(state->reader, &line))
		;
	if (command_reader_is_free(state->reader))
		look_at_threads(state);
	if (command_reader_is_free(state->reader))
		find_holders(state);
	if (command_reader_is_free(state->reader))
		look_at_holders(state);
	for (size_t i = 0; i < state->n_looks; i++)
		if (convoy_goes_on(state, &state->looks[i]))
			convoy_add_row(sample, &state->looks[i]);
	return 0;
}

static void close_convoy(struct sample *sample)
{
	struct convoy_state *state = sample->state;

	if (state->reader)
		command_reader_close(state->reader);
}

const struct topic topic_convoy = {
	.schema = &convoy_schema,
	.sources = SOURCES(
		{ .path = "proc/self/syscall", .gives = N_("the mutex that a thread waits for"),
		  .optional = true,
		  .remedies = { { ENOENT,
				  N_("this kernel was built without CONFIG_HAVE_ARCH_TRACEHOOK") } } }),
	.state_size = sizeof(struct convoy_state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_MEMORY) |
		PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READINGS(READING(struct convoy_state, processes, &process_reader)), .sample = sample_convoy,
	.close = close_convoy,
};
