/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping the list of processes: a look at every clock, and into the stat file of those whose clock moved. */
#include <config.h>

#include "topic/process/process_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/pid_status.h"
#include "kernel/system.h"
#include "sys/pids.h"
#include "topic/process/cgroup_cpu_time.h"
#include "topic/process/command_lines.h"

#define LOOKS_PER_TICK ((size_t)64)
#define STILL_TICKS 60 /* after which the file of a process that does nothing is closed */

static const char key;

static void *open_tasks(struct env *env)
{
	struct tasks *tasks = alloc_zeroed(1, sizeof(*tasks));

	tasks->env = env;
	tasks->tick = ENV_NEVER;
	tasks->clocks = env_has_process_clocks(env);
	tasks->commands = command_lines_open(env);
	tasks->cpu_sum = cgroup_cpu_time_open(env);
	return tasks;
}

static void close_tasks(void *state)
{
	struct tasks *tasks = state;

	for (size_t i = 0; i < tasks->n_gone; i++)
		task_free(tasks->gone[i]);
	for (size_t i = 0; i < tasks->n_all; i++) {
		pids_release(tasks->env, &tasks->all[i]->stat_file);
		task_free(tasks->all[i]);
	}
	command_lines_close(tasks->commands);
	cgroup_cpu_time_close(tasks->cpu_sum);
	free(tasks->cpu_ns);
	free(tasks->gone);
	free(tasks->before);
	free(tasks->all);
	free(tasks);
}

struct tasks *tasks_open(struct env *env)
{
	return env_share(env, &key, open_tasks, close_tasks);
}

struct tasks *tasks_opened(const struct env *env)
{
	return env_shared_state(env, &key);
}

void tasks_close(struct tasks *tasks)
{
	env_unshare(tasks->env, &key);
}

struct task *tasks_find(const struct tasks *tasks, uint32_t pid)
{
	return task_find(tasks->all, tasks->n_all, pid);
}

struct task *tasks_find_gone(const struct tasks *tasks, uint32_t pid)
{
	return task_find(tasks->gone, tasks->n_gone, pid);
}

/* What it used in the interval is split as the ticks of its file grew; where none did, as the last time. */
static void find_share(struct task *task, const struct pid_stat *stat)
{
	uint64_t user = stat->user_ticks - task->stat.user_ticks;
	uint64_t system = stat->system_ticks - task->stat.system_ticks;

	if (stat->user_ticks >= task->stat.user_ticks && stat->system_ticks >= task->stat.system_ticks &&
	    user + system > 0)
		task->system_share = (double)system / (double)(user + system);
}

/* In a copy of proc the owner is that of the copy, if the status file does not tell better. */
static void find_user(struct env *env, struct task *task)
{
	char bytes[2048];
	uint32_t real;
	long length;

	pids_owner(env, task->pid, &task->uid);
	if (env->live)
		return;
	length = pids_read(env, task->pid, "status", bytes, sizeof(bytes));
	if (length > 0)
		pid_status_uids(span_of(bytes, (size_t)length), &real, &task->uid);
}

static void take_name(struct task *task, struct span comm)
{
	size_t length = span_length(comm) < TASK_NAME_MAX ? span_length(comm) : TASK_NAME_MAX - 1;

	if (strncmp(task->name, comm.at, length) != 0 || task->name[length] != '\0')
		task->command_tick = 0; /* it may have become another program */
	memcpy(task->name, comm.at, length);
	task->name[length] = '\0';
}

enum look { LOOK_SAME, LOOK_OTHER, LOOK_ENDED, LOOK_HIDDEN, LOOK_UNREAD };

/* Files that stay open only to save time make room for others, and from now on fewer stay open. */
static bool give_back_files(struct tasks *tasks)
{
	struct env_pids *pids = &tasks->env->pids;
	size_t n_kept = pids->n_kept;

	for (size_t i = 0; i < tasks->n_all; i++)
		pids_release(tasks->env, &tasks->all[i]->stat_file);
	for (size_t i = 0; i < tasks->n_before; i++)
		pids_release(tasks->env, &tasks->before[i]->stat_file);
	if (pids->n_kept == n_kept)
		return false;
	pids->kept_max = (pids->n_kept + n_kept) / 2;
	return true;
}

static long read_file(struct tasks *tasks, struct env *env, struct task *task, char *bytes, size_t room)
{
	long length = pids_read_kept(env, &task->stat_file, task->pid, "stat", bytes, room);

	if ((length == -EMFILE || length == -ENFILE) && give_back_files(tasks))
		length = pids_read_kept(env, &task->stat_file, task->pid, "stat", bytes, room);
	return length;
}

/* The clock of a process can be asked even when its file cannot be read. */
static void take_time(const struct tasks *tasks, struct task *task, uint64_t cpu_ns)
{
	bool fresh = task->start_ticks == U64_UNKNOWN;
	uint64_t used_ns = cpu_ns > task->cpu_ns ? cpu_ns - task->cpu_ns : 0;
	uint64_t system_ns = (uint64_t)((double)used_ns * task->system_share);

	task->used_ns = fresh && tasks->updates == 0 ? U64_UNKNOWN : used_ns;
	task->moved = fresh || used_ns > 0;
	task->cpu_ns += used_ns;
	task->system_ns += system_ns;
	if (tasks->n_cpus > 0) {
		task->machine_ns += used_ns / tasks->n_cpus;
		task->machine_system_ns += system_ns / tasks->n_cpus;
	}
	task->timed = true;
}

static enum look look_of_error(struct tasks *tasks, struct task *task, uint64_t cpu_ns, int error)
{
	if (error == -ENOENT || error == -ESRCH)
		return LOOK_ENDED;
	if (error == -EACCES || error == -EPERM)
		return LOOK_HIDDEN;
	tasks->n_unread++;
	tasks->unread_error = error;
	task->unread = true;
	task->used_ns = U64_UNKNOWN;
	task->timed = false;
	if (cpu_ns != U64_UNKNOWN)
		take_time(tasks, task, cpu_ns);
	return LOOK_UNREAD;
}

bool tasks_began_before(const struct tasks *tasks, uint64_t start_ticks, uint64_t boot_ns)
{
	uint64_t tick_ns = UINT64_C(1000000000) / tasks->env->ticks_per_second;

	return tasks->clocks && start_ticks + 2 < boot_ns / tick_ns;
}

/* Reads the stat file; cpu_ns is what its clock says, or U64_UNKNOWN to take the ticks of the file. */
static enum look read_stat(struct tasks *tasks, struct env *env, struct task *task, uint64_t cpu_ns)
{
	bool fresh = task->start_ticks == U64_UNKNOWN;
	struct pid_stat stat;
	char bytes[1024];
	long length = read_file(tasks, env, task, bytes, sizeof(bytes));

	if (length >= 0 && !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
		length = -EBADMSG;
	if (length < 0)
		return look_of_error(tasks, task, cpu_ns, (int)length);
	if (!fresh && stat.start_ticks != task->start_ticks)
		return LOOK_OTHER;
	if (cpu_ns == U64_UNKNOWN)
		cpu_ns = (stat.user_ticks + stat.system_ticks) *
			 (UINT64_C(1000000000) / env->ticks_per_second);
	find_share(task, &stat);
	take_time(tasks, task, cpu_ns);
	if (fresh && tasks_began_before(tasks, stat.start_ticks, tasks->last_boot_ns)) {
		task->used_ns = U64_UNKNOWN;
		task->timed = false;
		tasks->n_appeared++;
	}
	task->start_ticks = stat.start_ticks;
	take_name(task, stat.comm);
	stat.comm = span_text("");
	task->stat = stat;
	task->unread = false;
	find_user(env, task);
	return LOOK_SAME;
}

/* One look at a process: at its file if its clock moved, or if it is its turn. */
static enum look look_at(struct tasks *tasks, struct env *env, struct task *task, uint64_t cpu_ns, bool turn)
{
	bool fresh = task->start_ticks == U64_UNKNOWN;
	enum look look = LOOK_SAME;

	if (tasks->clocks && cpu_ns == U64_UNKNOWN)
		return LOOK_ENDED;
	if (tasks->clocks && !fresh && cpu_ns < task->cpu_ns)
		return LOOK_OTHER;
	task->moved = false;
	task->timed = true;
	task->used_ns = tasks->updates == 0 ? U64_UNKNOWN : 0;
	if (fresh || turn || task->unread || !tasks->clocks || cpu_ns != task->cpu_ns)
		look = read_stat(tasks, env, task, cpu_ns);
	if (task->moved)
		task->moved_tick = env->tick;
	if (fresh || (turn && env->tick - task->moved_tick > STILL_TICKS))
		pids_release(env, &task->stat_file);
	return look;
}

static void add_gone(struct tasks *tasks, struct env *env, struct task *task)
{
	pids_release(env, &task->stat_file);
	if (tasks->n_gone == tasks->gone_capacity) {
		tasks->gone_capacity = tasks->gone_capacity ? 2 * tasks->gone_capacity : 64;
		tasks->gone = alloc_resize(tasks->gone, tasks->gone_capacity, sizeof(struct task *));
	}
	tasks->gone[tasks->n_gone++] = task;
}

/* The process with this pid goes on the list as the one that was known (NULL: none), as another, or not. */
static void add_process(struct tasks *tasks, struct env *env, uint32_t pid, uint64_t cpu_ns,
			struct task *known, bool turn)
{
	struct task *task = known ? known : task_new(pid);
	enum look look = look_at(tasks, env, task, cpu_ns, turn);

	if (look == LOOK_OTHER) {
		add_gone(tasks, env, task);
		known = NULL;
		task = task_new(pid);
		look = look_at(tasks, env, task, cpu_ns, turn);
	}
	if (look == LOOK_SAME || (look == LOOK_UNREAD && known)) {
		tasks->all[tasks->n_all++] = task;
		return;
	}
	tasks->n_hidden += look == LOOK_HIDDEN;
	tasks->n_missing += look != LOOK_ENDED;
	if (known) {
		add_gone(tasks, env, task);
	} else {
		pids_release(env, &task->stat_file);
		task_free(task);
	}
}

static void make_room(struct tasks *tasks, size_t wanted)
{
	if (wanted <= tasks->capacity)
		return;
	tasks->capacity = wanted + wanted / 4;
	tasks->all = alloc_resize(tasks->all, tasks->capacity, sizeof(struct task *));
	tasks->before = alloc_resize(tasks->before, tasks->capacity, sizeof(struct task *));
}

static void forget_gone(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->n_gone; i++)
		task_free(tasks->gone[i]);
	tasks->n_gone = 0;
}

/* All clocks at once, before any file is read: so they are of one moment, however long the files take. */
static void read_clocks(struct tasks *tasks, const uint32_t *pids, size_t n_pids)
{
	if (n_pids > tasks->cpu_capacity) {
		tasks->cpu_capacity = n_pids + n_pids / 4;
		tasks->cpu_ns = alloc_resize(tasks->cpu_ns, tasks->cpu_capacity, sizeof(*tasks->cpu_ns));
	}
	tasks->mono_ns = env_mono_ns();
	tasks->last_boot_ns = tasks->boot_ns;
	tasks->boot_ns = env_boot_ns();
	for (size_t i = 0; i < n_pids; i++)
		if (!tasks->clocks || !env_process_cpu_ns(pids[i], &tasks->cpu_ns[i]))
			tasks->cpu_ns[i] = U64_UNKNOWN;
	tasks->run_ns = tasks->cpu_sum ? cgroup_cpu_time_grown(tasks->cpu_sum) : U64_UNKNOWN;
}

/* Both lists go up by pid, so that they are merged in one pass. */
static void merge(struct tasks *tasks, struct env *env, const uint32_t *pids, size_t n_pids)
{
	struct task **before = tasks->all;
	size_t n_before = tasks->n_all, at = 0, first = tasks->next_look;

	tasks->all = tasks->before;
	tasks->before = before;
	tasks->n_before = n_before;
	tasks->n_all = tasks->n_hidden = tasks->n_unread = tasks->n_missing = tasks->n_appeared = 0;
	for (size_t i = 0; i < n_pids; i++) {
		struct task *known = NULL;

		while (at < n_before && before[at]->pid < pids[i])
			add_gone(tasks, env, before[at++]);
		if (at < n_before && before[at]->pid == pids[i])
			known = before[at++];
		add_process(tasks, env, pids[i], tasks->cpu_ns[i], known,
			    i >= first && i < first + LOOKS_PER_TICK);
	}
	while (at < n_before)
		add_gone(tasks, env, before[at++]);
	tasks->n_before = 0; /* some of these are gone */
	tasks->next_look = first + LOOKS_PER_TICK < n_pids ? first + LOOKS_PER_TICK : 0;
}

/* Where the clocks of processes tell that they ended, it is enough to list those that are new. */
static int list_pids(const struct tasks *tasks, const uint32_t **pids, size_t *n_pids)
{
	struct env *env = tasks->env;
	struct stat_totals totals;
	struct loadavg loadavg;
	struct span text;

	if (!tasks->clocks || env_read(env, env_file(env, "proc/loadavg"), &text) < 0 ||
	    !loadavg_parse(text, &loadavg) || loadavg.last_pid > INT32_MAX ||
	    env_read(env, env_file(env, "proc/stat"), &text) < 0)
		return pids_list(env, pids, n_pids);
	stat_totals_parse(text, &totals);
	if (totals.forks == U64_UNKNOWN)
		return pids_list(env, pids, n_pids);
	return pids_list_new(env,
			     &(struct env_pids_mark){ .forks = totals.forks, .last_pid = loadavg.last_pid },
			     pids, n_pids);
}

static void follow_cpus(struct tasks *tasks)
{
	struct stat_totals totals;
	struct span text;

	if (env_read(tasks->env, env_file(tasks->env, "proc/stat"), &text) < 0)
		return;
	stat_totals_parse(text, &totals);
	if (totals.cpus != U64_UNKNOWN)
		tasks->n_cpus = totals.cpus;
}

static int update(struct tasks *tasks)
{
	struct env *env = tasks->env;
	const uint32_t *pids;
	size_t n_pids;
	int error = list_pids(tasks, &pids, &n_pids);

	if (error)
		return error;
	forget_gone(tasks);
	follow_cpus(tasks);
	make_room(tasks, n_pids);
	read_clocks(tasks, pids, n_pids);
	merge(tasks, env, pids, n_pids);
	command_lines_update(tasks->commands, env, tasks->all, tasks->n_all,
			     tasks->commands_now   ? COMMANDS_NOW
			     : tasks->all_commands ? COMMANDS_IN_TURN
						   : COMMANDS_OF_MOVED);
	tasks->updates++;
	return 0;
}

int tasks_update(struct tasks *tasks)
{
	if (tasks->tick != tasks->env->tick) {
		tasks->error = update(tasks);
		tasks->tick = tasks->env->tick;
	}
	if (tasks->error)
		env_note_failure(tasks->env, "proc", tasks->error);
	return tasks->error;
}
