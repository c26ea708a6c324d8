/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the clock of every process, and the stat file of those that ran. */
#include <config.h>

#include "topic/process/process_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/cgroup.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/system.h"
#include "sys/pids.h"
#include "topic/cpu/proc_stat.h"
#include "topic/process/cgroup_cpu_time.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_entry.h"
#include "topic/process/scope_members.h"
#include "topic/trace/trace.h"

#define TURNS_MIN ((size_t)64) /* processes per tick whose stat file is read although they did not run */
#define ROUND_NS UINT64_C(15000000000) /* in which the stat files of all are read … */
#define WALK_ROUND_NS UINT64_C(120000000000) /* … where a walk says which have changed */
#define WALK_MIN 500  /* processes: with fewer, their clocks take less time than loading the program */
#define IDLE_TICKS 60 /* after which the stat file of an idle process is closed */

/* Takes the place of the clock of every process, and of reading those that have not changed. */
static const struct bpf_program walk_program = {
	.name = N_("run times of all processes"), .tracepoint = "bpf_iter_task_next", .does = &bpf_walk,
};

const struct trace_plan trace_plan_process = {
	.topic = "process", .programs = &walk_program, .n_programs = 1, .n_entries_max = BPF_WALK_MAX,
	.by_pid = true,
};

static int open_list(void *state, const struct sample *sample)
{
	struct process_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	list->pool.size = sizeof(struct process);
	list->io_tick = list->wait_tick = ENV_NEVER;
	list->clocks = env_has_process_clocks(list->env);
	list->commands = command_lines_open(list->env);
	list->cpu_sum = cgroup_cpu_time_open(list->env);
	return 0;
}

static void close_walk(struct process_list *list)
{
	if (list->walk)
		trace_close(list->walk);
	free(list->walk);
	list->walk = NULL;
}

static void free_exited(struct process_list *list)
{
	for (size_t i = 0; i < list->n_exited; i++)
		process_free(&list->pool, list->exited[i]);
	list->n_exited = 0;
}

static void close_list(void *state)
{
	struct process_list *list = state;

	close_walk(list);
	free_exited(list);
	for (size_t i = 0; i < list->n_all; i++) {
		process_release_files(list->env, list->all[i]);
		process_free(&list->pool, list->all[i]);
	}
	command_lines_close(list->commands);
	scope_containers_free(list->containers);
	cgroup_cpu_time_close(list->cpu_sum);
	free(list->wait_room);
	free(list->cpu_ns);
	free(list->marks);
	hash_free(&list->walked_at);
	free(list->exited);
	free(list->previous);
	free(list->all);
	pool_free(&list->pool);
}

struct process *process_list_find(const struct process_list *list, uint32_t pid)
{
	return process_in_list(list->all, list->n_all, pid);
}

struct process *process_list_find_exited(const struct process_list *list, uint32_t pid)
{
	return process_in_list(list->exited, list->n_exited, pid);
}

/* The split of CPU time follows the growth of the ticks in stat; without growth it stays. */
static void update_system_share(struct process *process, const struct pid_stat *stat)
{
	uint64_t user = stat->user_ticks - process->stat.user_ticks;
	uint64_t system = stat->system_ticks - process->stat.system_ticks;

	if (stat->user_ticks >= process->stat.user_ticks &&
	    stat->system_ticks >= process->stat.system_ticks && user + system > 0)
		process->system_share = (double)system / (double)(user + system);
}

/* In a copy of proc the owner of the directory is whoever copied it: only the status file has the user. */
static void read_user(struct env *env, struct process *process)
{
	char bytes[2048];
	uint32_t real;
	long length;

	if (env->live) {
		pids_owner(env, process->pid, &process->uid);
		return;
	}
	length = pids_read(env, process->pid, "status", bytes, sizeof(bytes));
	if (length > 0)
		pid_status_uids(span_of(bytes, (size_t)length), &real, &process->uid);
}

static void set_name(struct process *process, struct span comm)
{
	if (span_length(comm) >= PROCESS_NAME_MAX)
		comm.end = comm.at + PROCESS_NAME_MAX - 1;
	if (span_is(comm, process->name))
		return;
	process_set_name(process, comm);
	process->command_tick = 0; /* it may have executed another program */
}

enum probe { PROBE_SAME, PROBE_PID_REUSED, PROBE_EXITED, PROBE_DENIED, PROBE_FAILED };

/* Closes the stat files that are open only to save time, and keeps fewer from now on. */
static bool release_files(struct process_list *list)
{
	struct env_pids *pids = &list->env->pids;
	size_t n_kept = pids->n_kept;

	for (size_t i = 0; i < list->n_all; i++)
		process_release_files(list->env, list->all[i]);
	for (size_t i = 0; i < list->n_previous; i++)
		process_release_files(list->env, list->previous[i]);
	/* cppcheck-suppress knownConditionTrueFalse */
	if (pids->n_kept == n_kept)
		return false;
	pids->kept_max = (pids->n_kept + n_kept) / 2;
	return true;
}

static long read_file(struct process_list *list, struct env *env, struct process *process, char *bytes,
		      size_t room)
{
	long length = pids_read_kept(env, &process->stat_file, process->pid, "stat", bytes, room);

	if ((length == -EMFILE || length == -ENFILE) && release_files(list))
		length = pids_read_kept(env, &process->stat_file, process->pid, "stat", bytes, room);
	return length;
}

static void add_time(const struct process_list *list, struct process *process, uint64_t cpu_ns)
{
	bool fresh = process->start_ticks == U64_UNKNOWN;
	uint64_t used_ns = cpu_ns > process->cpu_ns ? cpu_ns - process->cpu_ns : 0;
	uint64_t system_ns = (uint64_t)((double)used_ns * process->system_share);

	process->used_ns = fresh && list->updates == 0 ? U64_UNKNOWN : used_ns;
	process->ran = fresh || used_ns > 0;
	process->cpu_ns += used_ns;
	process->system_ns += system_ns;
	process->clock_valid = true;
}

static enum probe probe_error(struct process_list *list, struct process *process, uint64_t cpu_ns, int error)
{
	if (error == -ENOENT || error == -ESRCH)
		return PROBE_EXITED;
	if (error == -EACCES || error == -EPERM)
		return PROBE_DENIED;
	list->n_failed++;
	list->failure = error;
	process->stale = true;
	process->used_ns = U64_UNKNOWN;
	process->clock_valid = false;
	if (cpu_ns != U64_UNKNOWN)
		add_time(list, process, cpu_ns);
	return PROBE_FAILED;
}

bool process_list_existed_at(const struct process_list *list, uint64_t start_ticks, uint64_t boot_ns)
{
	uint64_t tick_ns = UINT64_C(1000000000) / list->env->ticks_per_second;

	return list->clocks && start_ticks + 2 < boot_ns / tick_ns;
}

static long read_statm(struct env *env, struct process *process, char *bytes, size_t room)
{
	char name[PROCESS_FILE_MAX];

	if (!process->living_tid)
		return pids_read_kept(env, &process->statm_file, process->pid, "statm", bytes, room);
	return pids_read(env, process->pid, process_memory_file(process, "statm", name), bytes, room);
}

/* The sum in stat is faster, but leaves out what each CPU has not added yet: most of a small process. */
static void read_sizes(struct env *env, struct process *process)
{
	struct pid_statm statm = { 0 };
	char bytes[128];
	long length;

	if (!process_is_kernel_thread(process)) {
		length = read_statm(env, process, bytes, sizeof(bytes));
		if (length > 0 && pid_statm_parse(span_of(bytes, (size_t)length), &statm))
			process->stat.resident_pages = statm.resident_pages;
		else
			statm.virtual_pages = statm.shared_pages = U64_UNKNOWN;
		if (!process->stat.state)
			process->stat.resident_pages = statm.virtual_pages = statm.shared_pages = U64_UNKNOWN;
	}
	process->virtual_pages = statm.virtual_pages;
	process->shared_pages = statm.shared_pages;
}

/* cpu_ns: its clock; U64_UNKNOWN: use the ticks of the stat file. */
static enum probe read_stat(struct process_list *list, struct env *env, struct process *process,
			    uint64_t cpu_ns)
{
	bool fresh = process->start_ticks == U64_UNKNOWN;
	struct pid_stat stat;
	char bytes[1024];
	long length = read_file(list, env, process, bytes, sizeof(bytes));

	if (length >= 0 && !pid_stat_parse(span_of(bytes, (size_t)length), &stat))
		length = -EBADMSG;
	if (length < 0)
		return probe_error(list, process, cpu_ns, (int)length);
	if (!fresh && stat.start_ticks != process->start_ticks)
		return PROBE_PID_REUSED;
	if (cpu_ns == U64_UNKNOWN)
		cpu_ns = (stat.user_ticks + stat.system_ticks) *
			 (UINT64_C(1000000000) / env->ticks_per_second);
	update_system_share(process, &stat);
	add_time(list, process, cpu_ns);
	if (fresh && process_list_existed_at(list, stat.start_ticks, list->last_boot_ns)) {
		process->used_ns = U64_UNKNOWN;
		process->clock_valid = false;
		list->n_appeared++;
	}
	process->found_ended = fresh && list->updates > 0 && stat.state == 'Z' && stat.threads <= 1;
	list->n_found_ended += process->found_ended;
	process->start_ticks = stat.start_ticks;
	set_name(process, stat.comm);
	process->living_tid = process_living_thread(env, process->pid, &stat);
	process_set_stat(process, &stat);
	read_sizes(env, process);
	process->stale = false;
	process->read_ns = list->mono_ns;
	read_user(env, process);
	return PROBE_SAME;
}

enum due { DUE_NOT, DUE_IN_TURN, DUE_CHANGED, DUE_VISIBLE };

static enum probe probe_process(struct process_list *list, struct env *env, struct process *process,
				uint64_t cpu_ns, uint64_t mark, enum due due)
{
	bool fresh = process->start_ticks == U64_UNKNOWN;
	enum probe probe = PROBE_SAME;

	if (list->clocks && cpu_ns == U64_UNKNOWN)
		return PROBE_EXITED;
	if (list->clocks && !fresh && cpu_ns < process->cpu_ns && list->walked &&
	    !env_process_cpu_ns(env, process->pid, &cpu_ns))
		return PROBE_EXITED;
	if (list->clocks && !fresh && cpu_ns < process->cpu_ns)
		return PROBE_PID_REUSED;
	process->ran = false;
	process->clock_valid = true;
	process->used_ns = list->updates == 0 ? U64_UNKNOWN : 0;
	if (fresh || due != DUE_NOT || process->stale || !list->clocks || cpu_ns != process->cpu_ns) {
		probe = read_stat(list, env, process, cpu_ns);
		process->mark = mark;
	}
	if (process->ran)
		process->ran_tick = env->tick;
	if (fresh || (due == DUE_IN_TURN && env->tick - process->ran_tick > IDLE_TICKS))
		process_release_files(env, process);
	return probe;
}

static void keep_group(struct process *process, struct span path)
{
	size_t length = span_length(path);

	if (length == 0 || (process->group && span_is(path, process->group)))
		return;
	process->group = alloc_resize(process->group, length + 1, 1);
	memcpy(process->group, path.at, length);
	process->group[length] = '\0';
}

static bool scope_has_path(const struct scope *scope, struct span path)
{
	char text[CGROUP_PATH_MAX];
	size_t length = span_length(path);

	if (length >= sizeof(text))
		return false;
	memcpy(text, path.at, length);
	text[length] = '\0';
	return scope_has_group(scope, text);
}

/* In version 1 a process may be in a group of the scope by another path than the one that stands for it. */
static struct span path_for(const struct scope *scope, struct span cgroups)
{
	struct span usual = cgroup_path(cgroups), path;

	if (!scope_needs_groups(scope) || scope_has_path(scope, usual))
		return usual;
	for (unsigned i = 0; i < CGROUP_PATHS; i++)
		if (cgroup_path_in(cgroups, i, &path) && scope_has_path(scope, path))
			return path;
	return usual;
}

/* A process may be moved. */
static void read_group(const struct process_list *list, struct process *process)
{
	char bytes[2 * CGROUP_PATH_MAX];
	long length = pids_read(list->env, process->pid, "cgroup", bytes, sizeof(bytes));

	process->group_tick = (uint32_t)list->env->tick;
	keep_group(process, path_for(list->request ? list->request->scope : NULL,
				     span_of(bytes, length > 0 ? (size_t)length : 0)));
}

static bool scope_wants_groups(const struct process_list *list)
{
	return list->request && scope_needs_groups(list->request->scope);
}

/* A process that ran may have been moved: its children are then of the scope, or no longer. */
static bool wants_group_of(const struct process_list *list, const struct process *process, bool due)
{
	if (!list->groups && !scope_wants_groups(list))
		return false;
	return !process->group || due || (process->ran && scope_wants_groups(list));
}

void process_list_read_groups(struct process_list *list, uint32_t pid)
{
	for (size_t i = 0; i < list->n_all; i++)
		if (!list->all[i]->group && (pid == 0 || list->all[i]->pid == pid))
			read_group(list, list->all[i]);
}

const char *process_list_group(struct process_list *list, struct process *process)
{
	if (process->group_tick != (uint32_t)list->env->tick)
		read_group(list, process);
	return process->group;
}

static void add_exited(struct process_list *list, struct env *env, struct process *process)
{
	process_release_files(env, process);
	*VECTOR_ADD(list->exited, list->n_exited, list->exited_capacity) = process;
}

/* What is outside of the scope is known since the previous tick. */
static bool is_shown(const struct process_list *list, const struct process *process, enum due due)
{
	bool idle = list->all_commands || (list->request && list->request->processes);

	return due == DUE_VISIBLE || (list->scoped && idle && !process->outside);
}

/* known: the process that had this pid in the previous tick; NULL: none. */
static void add_process(struct process_list *list, struct env *env, uint32_t pid, size_t at,
			struct process *known, enum due due)
{
	struct process *process = known ? known : process_new(&list->pool, pid);
	uint64_t cpu_ns = list->cpu_ns[at], mark = list->walked ? list->marks[at] : 0;
	enum probe probe;

	if (known && known->mark == 0)
		known->mark = mark;
	if (due == DUE_NOT && list->walked && (mark == 0 || (known && mark != known->mark)))
		due = DUE_CHANGED;
	probe = probe_process(list, env, process, cpu_ns, mark, due);

	if (probe == PROBE_EXITED && known && cpu_ns != U64_UNKNOWN)
		probe = PROBE_PID_REUSED; /* its file is closed, but the pid has a clock */
	if (probe == PROBE_PID_REUSED) {
		add_exited(list, env, process);
		known = NULL;
		process = process_new(&list->pool, pid);
		probe = probe_process(list, env, process, cpu_ns, mark, due);
	}
	if (probe == PROBE_SAME || (probe == PROBE_FAILED && known)) {
		list->all[list->n_all++] = process;
		process->shown = is_shown(list, process, due);
		if (wants_group_of(list, process, due != DUE_NOT))
			read_group(list, process);
		return;
	}
	list->n_denied += probe == PROBE_DENIED;
	list->n_missing += probe != PROBE_EXITED;
	if (known) {
		add_exited(list, env, process);
	} else {
		process_release_files(env, process);
		process_free(&list->pool, process);
	}
}

/* NULL: clocks are to be read instead. */
static const struct bpf_walk *walk(struct process_list *list, size_t n_pids)
{
	const struct bpf_walk *walked;

	if (!list->walk_tried && list->clocks && list->request && list->updates > 0 && n_pids >= WALK_MIN) {
		list->walk_tried = true;
		list->walk = alloc_zeroed(1, sizeof(*list->walk));
		trace_open(list->walk, list->env, list->request, &trace_plan_process);
	}
	walked = list->walk ? trace_walk(list->walk) : NULL;
	if (!walked)
		close_walk(list);
	return walked;
}

/* Processes are walked as they were created: by pid, unless pids began again. */
static bool is_by_pid(const struct bpf_walk *walk)
{
	for (uint32_t i = 1; i < walk->n_processes; i++)
		if (walk->processes[i].pid <= walk->processes[i - 1].pid)
			return false;
	return true;
}

/* NULL: it was not walked. next: where the search goes on for a larger pid, if they are by pid. */
static const struct bpf_walked *find_walked(const struct process_list *list, const struct bpf_walk *walk,
					    uint32_t pid, bool by_pid, uint32_t *next)
{
	uint32_t at;

	if (by_pid) {
		while (*next < walk->n_processes && walk->processes[*next].pid < pid)
			++*next;
		at = *next < walk->n_processes && walk->processes[*next].pid == pid ? *next : HASH_NONE;
	} else {
		HASH_FIND(at, &list->walked_at, hash_u64(pid), walk->processes[at].pid == pid);
	}
	return at == HASH_NONE ? NULL : &walk->processes[at];
}

/* Where a process changed meanwhile, its clock says how long it ran. */
static void read_walk(struct process_list *list, const struct bpf_walk *walk, const uint32_t *pids,
		      size_t n_pids)
{
	bool by_pid = is_by_pid(walk);
	uint32_t next = 0;

	VECTOR_RESERVE(list->marks, n_pids, list->mark_capacity);
	if (!by_pid) {
		hash_clear(&list->walked_at);
		hash_reserve(&list->walked_at, walk->n_processes);
		for (uint32_t i = 0; i < walk->n_processes; i++)
			hash_add(&list->walked_at, hash_u64(walk->processes[i].pid), i);
	}
	for (size_t i = 0; i < n_pids; i++) {
		const struct bpf_walked *process = find_walked(list, walk, pids[i], by_pid, &next);

		list->marks[i] = process ? process->mark : 0;
		if (process && process->unseen == 0 && pids[i] != list->env->own_pid)
			list->cpu_ns[i] = process->run_ns;
		else if (!env_process_cpu_ns(list->env, pids[i], &list->cpu_ns[i]))
			list->cpu_ns[i] = U64_UNKNOWN;
	}
}

/* All clocks are read before any file, so that they show the same moment. */
static void read_clocks(struct process_list *list, const uint32_t *pids, size_t n_pids)
{
	const struct bpf_walk *walked;

	VECTOR_RESERVE(list->cpu_ns, n_pids, list->cpu_capacity);
	list->last_ns = list->mono_ns;
	list->mono_ns = env_mono_ns(list->env);
	list->last_boot_ns = list->boot_ns;
	list->boot_ns = env_boot_ns(list->env);
	walked = walk(list, n_pids);
	list->walked = walked != NULL;
	list->env->pids.exits_known = walked != NULL;
	if (walked)
		read_walk(list, walked, pids, n_pids);
	for (size_t i = 0; i < n_pids && !walked; i++)
		if (!list->clocks || !env_process_cpu_ns(list->env, pids[i], &list->cpu_ns[i]))
			list->cpu_ns[i] = U64_UNKNOWN;
	list->run_ns = list->cpu_sum ? cgroup_cpu_time_grown(list->cpu_sum) : U64_UNKNOWN;
	if (list->clocks_read)
		list->clocks_read(list->clocks_context);
}

/* Which processes of a merge have their stat files read although they may not have run. */
struct turns {
	size_t first, count, n_pids; /* the first index, and how many from there on, around the end */
	size_t visible;              /* index of the next one on the screen */
};

/*
 * As many as it takes for all to have their turn within a round. What was not read while its tables rested is
 * not read at once afterwards.
 */
static size_t count_turns(const struct process_list *list, size_t n_pids)
{
	bool again = list->updates > 0 && list->env->tick > list->tick;
	uint64_t passed_ns = (list->mono_ns - list->last_ns) / (again ? list->env->tick - list->tick : 1);
	uint64_t round_ns = list->walked ? WALK_ROUND_NS : ROUND_NS;
	size_t turns = n_pids;

	if (passed_ns < round_ns)
		turns = (size_t)((double)passed_ns / (double)round_ns * (double)n_pids) + 1;
	return turns > TURNS_MIN ? turns : TURNS_MIN;
}

static struct turns begin_turns(struct process_list *list, const uint32_t *pids, size_t n_pids)
{
	struct turns turns = { .count = count_turns(list, n_pids), .n_pids = n_pids };

	VECTOR_BOUND(turns.first, n_pids, pids[turns.first] < list->next_turn);
	list->next_turn = turns.count < n_pids ? pids[(turns.first + turns.count) % n_pids] : 0;
	return turns;
}

static enum due is_due(const struct process_list *list, struct turns *turns, size_t at, uint32_t pid)
{
	const struct sample_request *request = list->request;
	size_t n_visible = request ? request->n_visible : 0;

	while (turns->visible < n_visible && request->visible[turns->visible] < pid)
		turns->visible++;
	if (turns->visible < n_visible && request->visible[turns->visible] == pid)
		return DUE_VISIBLE;
	return at - turns->first + (at < turns->first ? turns->n_pids : 0) < turns->count ? DUE_IN_TURN
											  : DUE_NOT;
}

/* Both lists are sorted by pid. */
static void merge(struct process_list *list, struct env *env, const uint32_t *pids, size_t n_pids)
{
	struct process **previous = list->all;
	size_t n_previous = list->n_all, at = 0;
	struct turns turns = begin_turns(list, pids, n_pids);

	list->all = list->previous;
	list->previous = previous;
	list->n_previous = n_previous;
	list->n_all = list->n_denied = list->n_failed = list->n_missing = list->n_appeared = 0;
	list->n_found_ended = 0;
	for (size_t i = 0; i < n_pids; i++) {
		struct process *known = NULL;

		while (at < n_previous && previous[at]->pid < pids[i])
			add_exited(list, env, previous[at++]);
		if (at < n_previous && previous[at]->pid == pids[i])
			known = previous[at++];
		add_process(list, env, pids[i], i, known, is_due(list, &turns, i, pids[i]));
	}
	while (at < n_previous)
		add_exited(list, env, previous[at++]);
	list->n_previous = 0; /* some of these are freed soon */
}

/* Those whose parent has ended, reaped or not, have another one, although they did not run. */
static void read_new_parents(struct process_list *list)
{
	uint64_t parent_pid = 0;
	bool has_ended = false;

	for (size_t i = 0; i < list->n_all; i++) {
		struct process *process = list->all[i];
		char bytes[PROCESS_STAT_MAX];
		struct pid_stat stat;

		if (process->stat.parent_pid != parent_pid) { /* most have the one of the process before */
			uint32_t pid = (uint32_t)(parent_pid = process->stat.parent_pid);
			const struct process *parent = process_list_find(list, pid);

			has_ended = parent ? parent->stat.state == 'Z'
					   : process_list_find_exited(list, pid) != NULL;
		}
		if (has_ended && process_read_stat(list->env, process->pid, bytes, &stat) &&
		    stat.start_ticks == process->start_ticks)
			process->stat.parent_pid = stat.parent_pid;
	}
}

/* Exits show in the clocks, so only new pids have to be found. */
static int list_pids(const struct process_list *list, const uint32_t **pids, size_t *n_pids)
{
	struct env *env = list->env;
	const struct proc_stat *stat;
	struct loadavg loadavg;
	struct span text;

	if (!list->clocks || env_read(env, env_file(env, "proc/loadavg"), &text) < 0 ||
	    !loadavg_parse(text, &loadavg) || loadavg.last_pid > INT32_MAX ||
	    proc_stat_read(env, &stat) < 0 || stat->totals.forks == U64_UNKNOWN)
		return pids_list(env, pids, n_pids);
	return pids_list_new(
		env,
		&(struct env_pids_mark){ .forks = stat->totals.forks, .last_pid = loadavg.last_pid },
		pids, n_pids);
}

static void feed_scope(struct process_list *list)
{
	struct scope *scope = list->request ? list->request->scope : NULL;

	if (scope_find(scope, SCOPE_CONTAINER))
		scope_containers_find(&list->containers, scope, list->env, list->all, list->n_all);
	if (list->scoped || scope_is_set(scope))
		scope_members_find(scope, list->env, list->all, list->n_all);
	list->scoped = scope_is_set(scope);
}

static int update(void *state, const struct sample *sample)
{
	struct process_list *list = state;
	struct env *env = sample->env;
	const uint32_t *pids;
	size_t n_pids, capacity = list->capacity;
	bool marks_known = list->walked;
	int error = list_pids(list, &pids, &n_pids);

	if (error)
		return error;
	free_exited(list);
	VECTOR_RESERVE(list->all, n_pids, capacity);
	VECTOR_RESERVE(list->previous, n_pids, list->capacity);
	read_clocks(list, pids, n_pids);
	merge(list, env, pids, n_pids);
	/* else all are read, or those that have changed */
	if (list->clocks && !(marks_known && list->walked))
		read_new_parents(list);
	if (!list->request || !list->request->no_arguments)
		command_lines_update(list->commands, env, list->all, list->n_all,
				     list->commands_now   ? COMMANDS_NOW
				     : list->all_commands ? COMMANDS_IN_TURN
							  : COMMANDS_OF_ACTIVE);
	feed_scope(list);
	list->updates++;
	list->tick = env->tick;
	return 0;
}

const struct reader process_reader = {
	.name = "processes", .state_size = sizeof(struct process_list), .open = open_list, .update = update,
	.close = close_list, .source = "proc",
};
