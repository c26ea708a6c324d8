/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "process_detail": what the selected process is, where it waits, and how it ended. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "core/i18n.h"
#include "kernel/cgroup.h"
#include "kernel/mounts.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_syscall.h"
#include "sys/pids.h"
#include "topic/cgroup.h"
#include "topic/cpu/cpu_allowance.h"
#include "topic/detail/process_page.h"
#include "topic/process/process_entry.h"
#include "topic/users.h"

#define PARENTS_MAX 16
#define THREADS_MAX ((size_t)512) /* whose states are read in each sample */
#define LOCK_THREADS_MAX ((size_t)256) /* whose system calls are, too */
#define COMMAND_MAX ((size_t)4096)

struct detail_row {
	uint64_t pid;
	double start_seconds;
	const char *name, *state, *main_thread, *command, *parents, *user;
	uint64_t ppid, uid, process_group, session, tracer_pid, threads;
	uint64_t running_threads, waiting_threads, stopped_threads, lock_threads;
	const char *lock_address;
	double disk_seconds, disk_ratio;
	const char *executable, *executable_state, *directory, *root, *cgroup, *limit_group;
	uint64_t started_time;
	const char *wait_channel, *system_call, *system_call_file, *lock_holder;
	uint64_t lock_holder_pid;
	uint64_t group_periods, group_throttled_periods;
	double throttled_ratio, group_limit_ratio;
	const char *memory_limit_group;
	uint64_t memory_limit_bytes, group_refaults;
	double memory_full_ratio, group_refaults_per_second;
	const char *frozen;
	const char *policy, *cpus;
	double nice;
	const char *nice_within;
	uint64_t oom_score;
	double oom_adjustment;
	double cpu_seconds, cpu_ratio;
	uint64_t resident_bytes, resident_peak_bytes, anonymous_bytes, file_bytes, shared_memory_bytes,
		swapped_bytes;
	uint64_t call_read_bytes, call_write_bytes;
	double call_read_bytes_per_second, call_write_bytes_per_second;
	uint64_t open_files;
	uint64_t stop_signal, exited_time, exit_code, exit_signal;
};

#define ROW(field, ...) COLUMN(struct detail_row, field, __VA_ARGS__)
#define NUMBER(field, heading, what, from, ...)                                                              \
	ROW(field, A_LABEL(heading, 7), .help = what, .source = from, __VA_ARGS__)
#define COUNT(field, heading, what, from, ...)                                                               \
	ROW(field, A_GAUGE(COUNT, heading, 7), .help = what, .source = from, __VA_ARGS__)
#define TEXT(field, heading, what, from, ...)                                                                \
	ROW(field, A_LABEL(heading, 12), .help = what, .source = from, __VA_ARGS__)
#define SIZE(field, heading, what, line)                                                                     \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading, .width = 8, .rank = 6,        \
	    .hidden = true, .help = what, .source = "/proc/PID/status " line)

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .help = N_("process ID")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(started_time, .kind = COLUMN_LABEL, .unit = UNIT_TIME, .title = N_("since"), .width = 12,
	    .rank = 4, .help = N_("start time"), .source = "CLOCK_REALTIME - CLOCK_BOOTTIME + start_seconds"),
	TEXT(name, N_("name"), N_("name, at most 15 bytes"), "/proc/PID/stat comm", .grouping = "command"),
	ROW(state, A_LABEL(N_("S"), 1), .fleeting = true, .text = TEXT_STATE,
	    .help = N_("of its main thread: R runs or waits for a CPU, S sleeps, D waits for a device, T "
		       "stopped, t traced, Z zombie, X exited"),
	    .source = "/proc/PID/stat state"),
	TEXT(main_thread, N_("main"),
	     N_("ended: its main thread has ended, and others go on; then state, memory, files and what it "
		"waits for are of the first that lives"),
	     "/proc/PID/stat state, num_threads", .hidden = true, .words = true, .fleeting = true),
	TEXT(user, N_("user"), N_("effective user"), "/proc/PID/status Uid, /etc/passwd", .rank = 2,
	     .personal = true),
	NUMBER(uid, N_("UID"), N_("effective UID"), "/proc/PID/status Uid", .hidden = true, .personal = true),
	NUMBER(ppid, N_("parent"), N_("parent process: it started or adopted this one"),
	       "/proc/PID/stat ppid", .rank = 2),
	TEXT(parents, N_("parents"), N_("its parent, the parent of that one, and so on, with their PIDs"),
	     "/proc/PID/stat ppid", .rank = 8, .hidden = true),
	NUMBER(process_group, N_("group"), N_("process group"), "/proc/PID/stat pgrp", .hidden = true),
	NUMBER(session, N_("session"), N_("session"), "/proc/PID/stat session", .hidden = true),
	COUNT(threads, N_("threads"), N_("threads"), "/proc/PID/stat num_threads", .rank = 3,
	      .additive = true),
	COUNT(running_threads, N_("running"), N_("threads that run or wait for a CPU"),
	      "/proc/PID/task/TID/stat state R", .rank = 5),
	COUNT(waiting_threads, N_("disk"),
	      N_("threads that wait uninterruptibly: for a device, a page, a lock of the kernel"),
	      "/proc/PID/task/TID/stat state D", .rank = 5),
	COUNT(stopped_threads, N_("stopped"), N_("threads that are stopped by a signal or a tracer"),
	      "/proc/PID/task/TID/stat state T, t", .hidden = true),
	COUNT(lock_threads, N_("at lock"),
	      N_("threads that wait for the same lock: a mutex of the C library, or one that inherits "
		 "priorities; known of at most 256 threads"),
	      "/proc/PID/task/TID/syscall futex", .hidden = true),
	TEXT(lock_address, N_("lock at"), N_("address of that lock in the process"),
	     "/proc/PID/task/TID/syscall futex", .hidden = true, .fleeting = true),
	ROW(disk_seconds, A_COUNTER(SECONDS, N_("blkio"), 8), .hidden = true,
	    .help = N_("time that its living threads waited for block devices; known where the kernel "
		       "accounts delays"),
	    .source = "/proc/PID/task/TID/stat delayacct_blkio_ticks; /proc/sys/kernel/task_delayacct"),
	ROW(disk_ratio, A_RATE(RATIO, N_("%blkio"), 7), .rank = 5,
	    .rate_of = offsetof(struct detail_row, disk_seconds),
	    .help = N_("share of the time that threads waited for block devices, all threads together"),
	    .source = "growth of disk_seconds / time"),
	TEXT(wait_channel, N_("waits in"), N_("function of the kernel in which its main thread waits"),
	     "/proc/PID/wchan", .fleeting = true, .rank = 4),
	TEXT(system_call, N_("system call"),
	     N_("system call that its main thread is in; a number where its name is not known"),
	     "/proc/PID/syscall", .fleeting = true, .rank = 4),
	TEXT(system_call_file, N_("of file"), N_("open file that this system call works on"),
	     "/proc/PID/fd, by the first argument of /proc/PID/syscall", .fleeting = true, .rank = 6),
	TEXT(lock_holder, N_("lock of"),
	     N_("process that took the lock of a file for which its main thread waits; empty where it has "
		"ended: then another one has inherited the open file"),
	     "/proc/locks, /proc/PID/stat comm", .hidden = true, .fleeting = true),
	NUMBER(lock_holder_pid, N_("held by"),
	       N_("process ID of the one that took the lock of a file for which its main thread waits"),
	       "/proc/locks", .hidden = true, .fleeting = true),
	NUMBER(tracer_pid, N_("tracer"), N_("process that traces it; 0: none"), "/proc/PID/status TracerPid",
	       .hidden = true),
	TEXT(frozen, N_("frozen"), N_("yes: its control group is frozen, so it does not run"),
	     "cgroup.events frozen; freezer.state", .hidden = true, .words = true, .fleeting = true),
	ROW(group_periods, A_COUNTER(COUNT, N_("periods"), 8), .hidden = true,
	    .help = N_("periods in which its control group with a CPU limit ran"),
	    .source = "cpu.stat nr_periods"),
	ROW(group_throttled_periods, A_COUNTER(COUNT, N_("throttled"), 9), .hidden = true,
	    .help = N_("of these, periods in which that group was throttled"),
	    .source = "cpu.stat nr_throttled"),
	ROW(throttled_ratio, A_RATE(RATIO, N_("%throt"), 7), .rank = 6, .optional = true,
	    .rate_of = offsetof(struct detail_row, group_throttled_periods),
	    .rate_over = offsetof(struct detail_row, group_periods),
	    .help = N_("share of the periods in which its control group was throttled by its CPU limit"),
	    .source = "growth of group_throttled_periods / growth of group_periods"),
	ROW(group_limit_ratio, A_GAUGE(RATIO, N_("%limit"), 7), .hidden = true,
	    .help = N_("CPU limit of its control group, or of the nearest one above with a limit; 100 is one "
		       "CPU"),
	    .source = "cpu.max; cpu.cfs_quota_us / cpu.cfs_period_us"),
	TEXT(limit_group, N_("limited"), N_("control group whose CPU limit that is, in the hierarchy cpu"),
	     "/proc/PID/cgroup, cpu.max, cpu.cfs_quota_us", .hidden = true),
	ROW(memory_limit_bytes, A_GAUGE(BYTES, N_("limit"), 8), .hidden = true,
	    .help = N_("memory limit of its control group, or of the one above that is nearest to its own"),
	    .source = "memory.max; memory.limit_in_bytes"),
	ROW(memory_full_ratio, A_GAUGE(RATIO, N_("%used"), 6), .hidden = true,
	    .help = N_("share of that limit in use, page cache included"),
	    .source = "memory.current, memory.usage_in_bytes / memory_limit_bytes"),
	TEXT(memory_limit_group, N_("limited"), N_("control group whose memory limit that is"),
	     "/proc/PID/cgroup, memory.max, memory.limit_in_bytes", .hidden = true),
	ROW(group_refaults_per_second, A_RATE(PER_SECOND, N_("refault/s"), 9), .hidden = true,
	    .rate_of = offsetof(struct detail_row, group_refaults),
	    .help = N_("pages of that group that were reclaimed and are needed again"),
	    .source = "growth of group_refaults / time"),
	ROW(group_refaults, A_COUNTER(COUNT, N_("refaults"), 9), .hidden = true,
	    .help = N_("pages of that group that were needed again after they were reclaimed"),
	    .source = "memory.stat workingset_refault"),
	ROW(nice, A_GAUGE(COUNT, N_("nice"), 4), .rank = 7,
	    .help = N_("priority: -20 is the highest, 19 the lowest"), .source = "/proc/PID/stat nice"),
	TEXT(nice_within, N_("within"),
	     N_("among whom nice counts: machine, all others; session: only those of its session, as the "
		"kernel shares CPUs between sessions first; group: only those of its control group"),
	     "/proc/PID/cgroup, cpu.weight, cpu.shares; /proc/PID/autogroup, "
	     "/proc/sys/kernel/sched_autogroup_enabled",
	     .hidden = true, .words = true),
	TEXT(policy, N_("policy"), N_("scheduling policy: other, fifo, rr, batch, idle, deadline, ext"),
	     "/proc/PID/stat policy", .rank = 8, .hidden = true),
	TEXT(cpus, N_("CPUs"), N_("CPUs that it may run on"), "/proc/PID/status Cpus_allowed_list", .rank = 8,
	     .hidden = true),
	COUNT(oom_score, N_("oom"), N_("the OOM killer kills the process with the highest score first"),
	      "/proc/PID/oom_score", .rank = 7),
	COUNT(oom_adjustment, N_("oom adj"), N_("-1000: never killed by the OOM killer; 1000: killed first"),
	      "/proc/PID/oom_score_adj", .hidden = true),
	ROW(cpu_seconds, A_COUNTER(SECONDS, N_("time"), 8), .rank = 6,
	    .help = N_("CPU time of all its threads since its start"),
	    .source = "CPU clock of the process, else utime + stime of /proc/PID/stat"),
	ROW(cpu_ratio, A_RATE(RATIO, N_("%CPU"), 6), .additive = true, .rank = 1, .high = 0.5,
	    .alarming = 0.9, .of_cpu = true, .rate_of = offsetof(struct detail_row, cpu_seconds),
	    .help = N_("share of one CPU in the last interval, all threads together"),
	    .source = "growth of cpu_seconds / time"),
	SIZE(resident_bytes, N_("rss"), N_("resident size"), "VmRSS"),
	SIZE(resident_peak_bytes, N_("rss peak"), N_("highest resident size so far"), "VmHWM"),
	SIZE(anonymous_bytes, N_("rss anon"), N_("resident anonymous memory"), "RssAnon"),
	SIZE(file_bytes, N_("rss file"), N_("resident file pages"), "RssFile"),
	SIZE(shared_memory_bytes, N_("shmem"), N_("resident shared memory and tmpfs"), "RssShmem"),
	SIZE(swapped_bytes, N_("swap"), N_("anonymous memory in swap"), "VmSwap"),
	ROW(call_read_bytes, A_COUNTER(BYTES, N_("calls read"), 10), .hidden = true,
	    .help = N_("read by system calls since its start: from the cache, pipes and terminals, too"),
	    .source = "/proc/PID/io rchar"),
	ROW(call_write_bytes, A_COUNTER(BYTES, N_("calls wrote"), 11), .hidden = true,
	    .help = N_("written by system calls since its start: to the cache, pipes and terminals, too"),
	    .source = "/proc/PID/io wchar"),
	ROW(call_read_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("calls rd/s"), 10), .rank = 7,
	    .rate_of = offsetof(struct detail_row, call_read_bytes),
	    .help = N_("read by system calls in the last interval"),
	    .source = "growth of call_read_bytes / time"),
	ROW(call_write_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("calls wr/s"), 10), .rank = 7,
	    .rate_of = offsetof(struct detail_row, call_write_bytes),
	    .help = N_("written by system calls in the last interval"),
	    .source = "growth of call_write_bytes / time"),
	COUNT(open_files, N_("files"), N_("open file descriptors"),
	      "size of /proc/PID/fd since Linux 6.2, else its entries", .rank = 4, .additive = true),
	TEXT(executable, N_("executable"), N_("file that it executes; empty: a kernel thread"),
	     "/proc/PID/exe", .rank = 5, .personal = true),
	TEXT(executable_state, N_("file"),
	     N_("deleted: the file was deleted or replaced since the process started"), "/proc/PID/exe",
	     .hidden = true, .words = true),
	TEXT(directory, N_("directory"), N_("current working directory"), "/proc/PID/cwd", .rank = 6,
	     .personal = true),
	TEXT(root, N_("root"), N_("its root directory, as panetop sees it"), "/proc/PID/root", .hidden = true,
	     .personal = true),
	TEXT(cgroup, N_("cgroup"), N_("control group"), "/proc/PID/cgroup", .rank = 6),
	NUMBER(stop_signal, N_("stop"),
	       N_("signal that stopped it; unknown once its parent has read that, as a shell does, and "
		  "before Linux 5.17"),
	       "/proc/PID/stat exit_code", .hidden = true),
	ROW(exited_time, .kind = COLUMN_LABEL, .unit = UNIT_TIME, .title = N_("exited"), .width = 12,
	    .rank = 1, .optional = true, .help = N_("time of the first sample after its exit"),
	    .source = "CLOCK_REALTIME"),
	NUMBER(exit_code, N_("code"), N_("exit code; unknown where the kernel did not show it"),
	       "PIDFD_GET_INFO since Linux 6.15; /proc/PID/stat exit_code of a zombie", .rank = 1,
	       .optional = true),
	NUMBER(exit_signal, N_("signal"), N_("signal that killed it"),
	       "PIDFD_GET_INFO since Linux 6.15; /proc/PID/stat exit_code of a zombie", .rank = 1,
	       .optional = true),
	TEXT(command, N_("command"), N_("whole command line; [name]: a kernel thread"), "/proc/PID/cmdline",
	     .text = TEXT_COMMAND, .rank = 0, .personal = true),
};

static const struct schema schema = {
	.name = "process_detail", .help = N_("what the selected process is, and what it waits for"),
	.has_secrets = true, SCHEMA_ROWS(struct detail_row, columns),
};

struct state {
	struct process_page *page;
	struct slow_text *command;
	uint64_t parents_pid; /* of the process whose parents these are; they stay when it has ended */
	double parents_start;
	char parents[PARENTS_MAX * 32];
};

static uint64_t started_time(const struct env *env, double start_seconds)
{
	double seconds = (double)env_boot_ns(env) / 1e9 - start_seconds;

	return env->live && seconds >= 0 ? env_wall_ns(env) - (uint64_t)(seconds * 1e9) : U64_UNKNOWN;
}

/* NULL: there is none. */
static const char *copy_span(struct arena *arena, struct span span)
{
	return span.at ? arena_copy(arena, span.at, span_length(span)) : NULL;
}

/* "bash 812 < sshd 700 < systemd 1", as far as they can be read. */
static void write_parents(struct env *env, uint64_t pid, char *text, size_t room)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;
	size_t used = 0;

	*text = '\0';
	for (unsigned i = 0; i < PARENTS_MAX && pid > 0 && pid <= INT32_MAX && used < room; i++) {
		if (!process_read_stat(env, (uint32_t)pid, bytes, &stat))
			break;
		used += (size_t)snprintf(text + used, room - used, "%s%.*s %llu", used ? " < " : "",
					 (int)span_length(stat.comm), stat.comm.at, (unsigned long long)pid);
		pid = stat.parent_pid;
	}
}

static void set_parents(struct detail_row *row, struct state *state, struct arena *arena)
{
	const struct process_page *page = state->page;

	if (process_page_is_alive(page)) {
		write_parents(page->env, page->target->stat.parent_pid, state->parents,
			      sizeof(state->parents));
		state->parents_pid = row->pid;
		state->parents_start = row->start_seconds;
	}
	if (state->parents_pid == row->pid && state->parents_start == row->start_seconds)
		row->parents = arena_copy(arena, state->parents, strlen(state->parents));
}

static double cpu_seconds(const struct process_page *page)
{
	const struct pid_stat *stat = &page->target->stat;
	uint64_t ns;

	if (env_has_process_clocks(page->env) && process_page_is_alive(page) &&
	    env_process_cpu_ns(page->env, page->target->pid, &ns))
		return (double)ns / 1e9;
	return (double)(stat->user_ticks + stat->system_ticks) / (double)page->env->ticks_per_second;
}

static void set_main_thread(struct detail_row *row, const struct target *target)
{
	if (target->state != TARGET_LIVE || pid_stat_has_ended(&target->stat))
		return;
	if (target->memory_pid != target->pid || pid_stat_goes_on(&target->stat))
		row->main_thread = N_("ended");
	else
		row->main_thread = N_("lives");
}

static void set_stat(struct detail_row *row, const struct process_page *page)
{
	const struct pid_stat *stat = &page->target->stat;

	if (!process_page_is_alive(page))
		row->state = "X";
	if (!stat->state)
		return;
	set_main_thread(row, page->target);
	if (!row->state && !pid_stat_goes_on(stat))
		row->state = pid_state_text(stat->state);
	row->ppid = stat->parent_pid;
	if (stat->process_group >= 0)
		row->process_group = (uint64_t)stat->process_group;
	if (stat->session >= 0)
		row->session = (uint64_t)stat->session;
	row->threads = stat->threads;
	row->cpu_seconds = cpu_seconds(page);
	row->nice = (double)stat->nice;
}

struct thread_sums {
	uint64_t running, waiting, stopped, disk_ticks, policy;
	char main_state; /* 0: it was not read */
	bool complete;
	uint64_t locks[LOCK_THREADS_MAX]; /* addresses for which threads wait */
	size_t n_locks;
	bool locks_known;
};

/* A thread that waits in a system call. */
static void add_lock(struct thread_sums *sums, struct env *env, uint32_t pid, uint32_t tid)
{
	char bytes[PROCESS_STAT_MAX], name[48];
	struct pid_syscall call;
	long length;

	snprintf(name, sizeof(name), "task/%u/syscall", tid);
	length = pids_read(env, pid, name, bytes, sizeof(bytes));
	if (length == -ESRCH) /* it has exited */
		return;
	if (length <= 0 || !pid_syscall_parse(span_of(bytes, (size_t)length), &call) || call.foreign)
		sums->locks_known = false;
	else if (pid_syscall_lock(&call))
		sums->locks[sums->n_locks++] = pid_syscall_lock(&call);
}

/* How many wait for the lock that most wait for. */
static void set_locks(struct detail_row *row, const struct thread_sums *sums, struct arena *arena)
{
	uint64_t most = 0;

	row->lock_address = "";
	for (size_t i = 0; i < sums->n_locks; i++) {
		uint64_t count = 0;

		for (size_t k = 0; k < sums->n_locks; k++)
			count += sums->locks[k] == sums->locks[i];
		if (count <= most)
			continue;
		most = count;
		row->lock_address = arena_print(arena, "0x%llx", (unsigned long long)sums->locks[i]);
	}
	row->lock_threads = most;
}

static void add_thread(struct thread_sums *sums, struct span text, bool main)
{
	uint64_t policy, disk_ticks;
	struct pid_stat stat;

	if (!pid_stat_parse(text, &stat)) {
		sums->complete = false;
		return;
	}
	if (main)
		sums->main_state = stat.state;
	sums->running += stat.state == 'R';
	sums->waiting += stat.state == 'D';
	sums->stopped += stat.state == 'T' || stat.state == 't';
	if (!pid_stat_late_fields(text, &policy, &disk_ticks))
		return;
	sums->disk_ticks += disk_ticks;
	if (main)
		sums->policy = policy;
}

/* main_tid: whose scheduling policy is that of the process. */
static void read_threads(struct thread_sums *sums, struct env *env, uint32_t pid, uint32_t main_tid)
{
	char bytes[PROCESS_STAT_MAX], name[48];
	const uint32_t *tids;
	size_t n_tids;

	if (pids_threads(env, pid, &tids, &n_tids) < 0 || n_tids > THREADS_MAX)
		return;
	sums->complete = n_tids > 0;
	sums->locks_known = n_tids > 1 && n_tids <= LOCK_THREADS_MAX;
	for (size_t i = 0; i < n_tids; i++) {
		long length;

		snprintf(name, sizeof(name), "task/%u/stat", tids[i]);
		length = pids_read(env, pid, name, bytes, sizeof(bytes));
		if (length == -ENOENT || length == -ESRCH)
			continue;
		add_thread(sums, span_of(bytes, length > 0 ? (size_t)length : 0), tids[i] == main_tid);
		if (sums->locks_known)
			add_lock(sums, env, pid, tids[i]);
	}
}

/* Since Linux 5.14 delays are accounted only on request, where the kernel can; before, always. */
static bool accounts_delays(struct env *env)
{
	uint64_t on, major, minor;
	struct span text;

	if (!env_exists(env, "proc/sys/kernel/task_delayacct"))
		return env_read(env, env_file(env, "proc/sys/kernel/osrelease"), &text) < 0 ||
		       !span_u64(&text, &major) || !span_char(&text, '.') || !span_u64(&text, &minor) ||
		       major < 5 || (major == 5 && minor < 14);
	return env_read(env, env_file(env, "proc/sys/kernel/task_delayacct"), &text) == 0 &&
	       span_u64(&text, &on) && on;
}

static void set_threads(struct detail_row *row, struct env *env, const struct target *target,
			struct arena *arena)
{
	static const char *const policies[] = { "other", "fifo", "rr",       "batch",
						NULL,    "idle", "deadline", "ext" };
	struct thread_sums sums = { .policy = U64_UNKNOWN };

	read_threads(&sums, env, target->pid, target->memory_pid);
	if (sums.policy < sizeof(policies) / sizeof(policies[0]))
		row->policy = policies[sums.policy];
	if (!sums.complete)
		return;
	if (sums.main_state) /* of the same moment as the numbers beside it */
		row->state = pid_state_text(sums.main_state);
	row->running_threads = sums.running;
	row->waiting_threads = sums.waiting;
	row->stopped_threads = sums.stopped;
	if (sums.locks_known)
		set_locks(row, &sums, arena);
	if (accounts_delays(env))
		row->disk_seconds = (double)sums.disk_ticks / (double)env->ticks_per_second;
}

/* "0" stands for: it does not wait, or this user may not know. */
static void set_wait_channel(struct detail_row *row, struct process_page *page, struct arena *arena)
{
	struct span text = process_page_text(page, PAGE_WAIT_CHANNEL);

	if (span_length(text) > 0 && !span_is(text, "0") && process_page_is_alive(page))
		row->wait_channel = copy_span(arena, text);
}

static void set_system_call(struct detail_row *row, struct process_page *page, struct arena *arena)
{
	struct span text = process_page_text(page, PAGE_SYSCALL);
	char name[32], target[256];
	struct pid_syscall call;
	const char *known;
	long length;

	if (!process_page_is_alive(page) || span_length(text) == 0 || !pid_syscall_parse(text, &call) ||
	    call.running || call.none)
		return;
	known = pid_syscall_name(&call);
	row->system_call = known ? known : arena_print(arena, "%llu", (unsigned long long)call.number);
	if (pid_syscall_fd(&call) < 0)
		return;
	snprintf(name, sizeof(name), "fd/%lld", (long long)pid_syscall_fd(&call));
	length = pids_read_link(page->env, page->target->memory_pid, name, target, sizeof(target));
	if (length > 0)
		row->system_call_file = arena_copy(arena, target, (size_t)length);
}

static bool waits_for_file_lock(const struct detail_row *row)
{
	const char *call = row->system_call ? row->system_call : "";
	const char *channel = row->wait_channel ? row->wait_channel : "";

	return strcmp(call, "flock") == 0 || strcmp(call, "fcntl") == 0 ||
	       strcmp(channel, "locks_lock_inode_wait") == 0 || strcmp(channel, "fcntl_setlk") == 0;
}

static void set_lock_holder(struct detail_row *row, const struct process_page *page, struct arena *arena)
{
	struct env *env = page->env;
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;
	struct span text;

	if (!waits_for_file_lock(row) || env_read(env, env_file(env, "proc/locks"), &text) < 0 ||
	    !file_locks_holder(text, row->pid, &row->lock_holder_pid))
		return;
	row->lock_holder = "";
	if (row->lock_holder_pid <= INT32_MAX &&
	    process_read_stat(env, (uint32_t)row->lock_holder_pid, bytes, &stat))
		row->lock_holder = copy_span(arena, stat.comm);
}

static void set_links(struct detail_row *row, struct process_page *page, struct arena *arena)
{
	struct span executable = process_page_text(page, PAGE_EXECUTABLE);

	row->directory = copy_span(arena, process_page_text(page, PAGE_DIRECTORY));
	row->root = copy_span(arena, process_page_text(page, PAGE_ROOT));
	row->executable_state = "";
	if (span_take_end(&executable, PATH_DELETED))
		row->executable_state = N_("deleted");
	row->executable = copy_span(arena, executable);
	for (unsigned item = PAGE_EXECUTABLE; item <= PAGE_ROOT; item++) {
		int error = page->texts[item].error;
		const char **field = item == PAGE_EXECUTABLE  ? &row->executable
				     : item == PAGE_DIRECTORY ? &row->directory
							      : &row->root;

		if (error && (!*field || !**field))
			*field = error == -EACCES || error == -EPERM ? NULL : "";
	}
}

#define AUTOGROUPS "proc/sys/kernel/sched_autogroup_enabled"

static bool has_autogroups(struct env *env)
{
	struct span text;
	uint64_t on;

	return env_read(env, env_file(env, AUTOGROUPS), &text) == 0 && span_u64(&text, &on) && on;
}

static bool has_file(struct env *env, const struct cgroup_place *place, const char *name)
{
	struct span text;

	return cgroup_read(env, place, name, &text) == 0;
}

/* Version 1 has weights at its top, too, and version 2 in every group below one that hands CPU time out. */
static bool is_weighed(struct env *env, struct cgroup_place place)
{
	if (place.version == 1)
		return has_file(env, &place, "cpu.shares") &&
		       (*place.group || !has_file(env, &place, "release_agent"));
	do {
		if (has_file(env, &place, "cpu.weight"))
			return true;
	} while (cgroup_up(&place));
	return false;
}

/* The scheduler shares CPUs among control groups and sessions first; nice is a share within one. */
static const char *nice_within(struct process_page *page, const struct cgroup_place *place)
{
	struct env *env = page->env;

	if (is_weighed(env, *place))
		return N_("group");
	if (!has_autogroups(env))
		return N_("machine");
	if (process_page_text(page, PAGE_AUTOGROUP), page->texts[PAGE_AUTOGROUP].error)
		return NULL;
	return page->texts[PAGE_AUTOGROUP].text.length > 0 ? N_("session") : N_("machine");
}

static void read_throttling(struct detail_row *row, struct env *env, const struct cgroup_place *place)
{
	struct cgroup_cpu_stat stat;
	struct span text;

	if (cgroup_read(env, place, "cpu.stat", &text) < 0)
		return;
	cgroup_cpu_stat_parse(text, &stat);
	row->group_periods = stat.periods;
	row->group_throttled_periods = stat.throttled_periods;
}

static void set_frozen(struct detail_row *row, struct env *env, const struct cgroup_place *place)
{
	struct span text, line;
	uint64_t value;

	if (place->version == 1 && cgroup_read(env, place, "freezer.state", &text) == 0 &&
	    span_line(&text, &line))
		row->frozen = span_is(line, "THAWED") ? N_("no") : N_("yes");
	else if (place->version == 2 && cgroup_read(env, place, "cgroup.events", &text) == 0 &&
		 cgroup_value_parse(text, "frozen", &value))
		row->frozen = value ? N_("yes") : N_("no");
}

/* Of the group of this place; false: it has no limit, or that cannot be read. */
static bool read_memory_limit(struct env *env, const struct cgroup_place *place, uint64_t *limit,
			      double *used)
{
	static const char *const names[][2] = { { "memory.limit_in_bytes", "memory.usage_in_bytes" },
						{ "memory.max", "memory.current" } };
	const char *const *files = names[place->version - 1];
	struct span text;
	uint64_t bytes;

	if (cgroup_read(env, place, files[0], &text) < 0 || !cgroup_limit_parse(text, limit) ||
	    *limit == CGROUP_NO_LIMIT || *limit == 0 || cgroup_read(env, place, files[1], &text) < 0 ||
	    !cgroup_limit_parse(text, &bytes))
		return false;
	*used = (double)bytes / (double)*limit;
	return true;
}

static void set_memory_limit(struct detail_row *row, struct env *env, struct cgroup_place place,
			     struct arena *arena)
{
	struct cgroup_memory_stat stat;
	struct span text;
	uint64_t limit;
	double used;

	do {
		if (!read_memory_limit(env, &place, &limit, &used) || used <= row->memory_full_ratio)
			continue;
		row->memory_limit_bytes = limit;
		row->memory_full_ratio = used;
		row->memory_limit_group = arena_print(arena, "/%s", place.group);
		if (cgroup_read(env, &place, "memory.stat", &text) < 0)
			continue;
		cgroup_memory_stat_parse(text, place.version, &stat);
		row->group_refaults = stat.refaults;
	} while (cgroup_up(&place));
}

static void set_cgroup(struct detail_row *row, struct process_page *page, struct arena *arena)
{
	struct span text = process_page_text(page, PAGE_CGROUP), mounts;
	struct env *env = page->env;
	struct cgroup_place place;
	double limit;

	if (span_length(cgroup_path(text)) > 0)
		row->cgroup = copy_span(arena, cgroup_path(text));
	if (!process_page_is_alive(page) || env_read(env, env_file(env, "proc/self/mountinfo"), &mounts) < 0)
		return;
	if (cgroup_find(text, mounts, "freezer", &place))
		set_frozen(row, env, &place);
	if (cgroup_find(text, mounts, "memory", &place))
		set_memory_limit(row, env, place, arena);
	if (!cgroup_find(text, mounts, "cpu", &place))
		return;
	row->nice_within = nice_within(page, &place);
	do {
		limit = cpu_allowance_quota(env, &place);
	} while (limit == 0 && cgroup_up(&place));
	if (limit == 0)
		return;
	row->group_limit_ratio = limit;
	row->limit_group = arena_print(arena, "%s%s", *place.group == '/' ? "" : "/", place.group);
	read_throttling(row, env, &place);
}

static void set_status(struct detail_row *row, struct process_page *page, struct arena *arena)
{
	struct span text = process_page_text(page, PAGE_STATUS), value;
	struct pid_status status;
	uint32_t real, effective;

	pid_status_parse(text, &status);
	if (pid_status_uids(text, &real, &effective)) {
		row->uid = effective;
		row->user = users_name(page->env, effective);
	}
	row->resident_bytes = status.vm_resident;
	row->resident_peak_bytes = status.vm_resident_peak;
	row->anonymous_bytes = status.resident_anonymous;
	row->file_bytes = status.resident_file;
	row->shared_memory_bytes = status.resident_shared;
	row->swapped_bytes = status.vm_swap;
	if (pid_status_line(text, "TracerPid", &value))
		span_u64(&value, &row->tracer_pid);
	if (pid_status_line(text, "Cpus_allowed_list", &value))
		row->cpus = copy_span(arena, value);
}

static void set_numbers(struct detail_row *row, struct process_page *page)
{
	struct span text = process_page_text(page, PAGE_OOM_SCORE);
	struct pid_io io;
	int64_t number;
	uint64_t score;

	if (span_u64(&text, &score))
		row->oom_score = score;
	text = process_page_text(page, PAGE_OOM_ADJUSTMENT);
	if (span_i64(&text, &number))
		row->oom_adjustment = (double)number;
	if (!pid_io_parse(process_page_text(page, PAGE_IO), &io))
		return;
	row->call_read_bytes = io.call_read_bytes;
	row->call_write_bytes = io.call_write_bytes;
}

static void set_exit(struct detail_row *row, const struct process_page *page)
{
	if (page->gone_wall_ns)
		row->exited_time = page->gone_wall_ns;
	if (page->exit_known && WIFSIGNALED(page->exit_status))
		row->exit_signal = (uint64_t)WTERMSIG(page->exit_status);
	else if (page->exit_known)
		row->exit_code = (uint64_t)WEXITSTATUS(page->exit_status);
}

static const char *command_text(const struct target *target, struct slow_text *slow, struct arena *arena)
{
	struct span text = slow_text_get(slow, target);
	char *copy;

	while (text.end > text.at && text.end[-1] == '\0')
		text.end--;
	if (span_length(text) == 0)
		return (target->stat.flags & PID_FLAG_KERNEL_THREAD)
			       ? arena_print(arena, "[%s]", target->name)
			       : NULL;
	copy = arena_take(arena, span_length(text) + 1);
	for (size_t i = 0; i < span_length(text); i++)
		copy[i] = text.at[i] ? text.at[i] : ' ';
	copy[span_length(text)] = '\0';
	return copy;
}

/* The kernel writes 0 where the user may not know it. */
static void set_stop_signal(struct detail_row *row, const struct process_page *page)
{
	char bytes[PROCESS_STAT_MAX];
	long length;
	int status;

	if (page->target->stat.state != 'T')
		return;
	length = pids_read(page->env, page->target->pid, "stat", bytes, sizeof(bytes));
	if (length > 0 && pid_stat_exit_status(span_of(bytes, (size_t)length), &status) &&
	    (status == SIGSTOP || status == SIGTSTP || status == SIGTTIN || status == SIGTTOU))
		row->stop_signal = (uint64_t)status;
}

static void set_live(struct detail_row *row, struct process_page *page, struct arena *arena)
{
	struct env *env = page->env;

	set_threads(row, env, page->target, arena);
	set_stop_signal(row, page);
	row->open_files = open_files_count(env, page->target->memory_pid);
}

static int sample_detail(struct sample *sample)
{
	struct state *state = sample->state;
	struct process_page *page = state->page;
	struct arena *arena = &sample->frame->arena;
	struct detail_row *row;

	if (!process_page_has_process(page))
		return 0;
	if (page->target->stat_mono_ns > 0) /* of an ended process it stays, so that it has no rates */
		sample->table->mono_ns = page->target->stat_mono_ns;
	row = table_add(sample->table);
	row->pid = page->target->pid;
	row->start_seconds = process_page_start(page);
	row->started_time = started_time(page->env, row->start_seconds);
	row->name = arena_copy(arena, page->target->name, strlen(page->target->name));
	row->command = command_text(page->target, state->command, arena);
	set_stat(row, page);
	set_parents(row, state, arena);
	if (process_page_is_alive(page))
		set_live(row, page, arena);
	set_wait_channel(row, page, arena);
	set_system_call(row, page, arena);
	set_lock_holder(row, page, arena);
	set_links(row, page, arena);
	set_cgroup(row, page, arena);
	set_status(row, page, arena);
	set_numbers(row, page);
	set_exit(row, page);
	if (page->texts[PAGE_DIRECTORY].error == -EACCES)
		process_page_denied(page, sample);
	return 0;
}

static int open_detail(struct sample *sample)
{
	struct state *state = sample->state;

	state->command = slow_text_open(sample->env, "cmdline", COMMAND_MAX);
	return 0;
}

static void close_detail(struct sample *sample)
{
	struct state *state = sample->state;

	slow_text_close(state->command);
}

const struct topic topic_process_detail = {
	.schema = &schema, .sources = process_page_sources, .state_size = sizeof(struct state),
	.uses = PROCESS_PAGE_USES, .reads = READINGS(READING(struct state, page, &process_page_reader)),
	.open = open_detail, .sample = sample_detail, .close = close_detail,
};
