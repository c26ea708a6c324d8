/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes, finds and frees what the lists hold; which file of a process has its memory, and how fast it grew.
 */
#include <config.h>

#include "topic/process/process_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define GROWTH_NS UINT64_C(10000000000)      /* between the sizes that are kept */
#define GROWTH_LEAST_NS UINT64_C(3000000000) /* programs grow when they start: less says nothing */

struct process *process_in_list(struct process *const *list, size_t n_list, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, n_list, list[at]->pid < pid);
	return at < n_list && list[at]->pid == pid ? list[at] : NULL;
}

struct process *process_new(struct pool *pool, uint32_t pid)
{
	struct process *process = pool_take(pool);

	process->pid = pid;
	process->name = process->usual_name;
	process->uid = UINT32_MAX;
	process->start_ticks = process->virtual_pages = process->shared_pages = U64_UNKNOWN;
	process->proportional_bytes = U64_UNKNOWN;
	process->outside_tick = (uint32_t)ENV_NEVER;
	process->stat_file = process->statm_file = -1;
	return process;
}

const char *process_memory_file(const struct process *process, const char *name, char path[PROCESS_FILE_MAX])
{
	if (!process->living_tid)
		return name;
	snprintf(path, PROCESS_FILE_MAX, "task/%u/%s", process->living_tid, name);
	return path;
}

void process_release_files(struct env *env, struct process *process)
{
	pids_release(env, &process->stat_file);
	pids_release(env, &process->statm_file);
	if (process->io)
		pids_release(env, &process->io->file);
	for (size_t i = 0; process->wait && i < process->wait->n_threads; i++)
		pids_release(env, &process->wait->threads[i].file);
}

static void free_name(struct process *process)
{
	if (process->name != process->usual_name)
		free((char *)process->name);
	process->name = process->usual_name;
}

void process_set_name(struct process *process, struct span name)
{
	size_t length = span_length(name);
	char *copy = process->usual_name;

	free_name(process);
	if (length >= PROCESS_NAME_USUAL)
		process->name = copy = alloc_resize(NULL, length + 1, 1);
	memcpy(copy, name.at, length);
	copy[length] = '\0';
}

void process_set_stat(struct process *process, const struct pid_stat *stat)
{
	process->stat = (struct process_stat){
		.minor_faults = stat->minor_faults,
		.major_faults = stat->major_faults,
		.children_minor_faults = stat->children_minor_faults,
		.user_ticks = stat->user_ticks,
		.system_ticks = stat->system_ticks,
		.children_ticks = stat->children_user_ticks + stat->children_system_ticks,
		.resident_pages = stat->resident_pages,
		.parent_pid = stat->parent_pid,
		.threads = stat->threads,
		.processor = stat->processor < UINT32_MAX ? (uint32_t)stat->processor : UINT32_MAX,
		.session = stat->session,
		.terminal = stat->terminal,
		.priority = stat->priority,
		.nice = stat->nice,
		.state = pid_stat_goes_on(stat) ? '\0' : stat->state,
		.kernel_thread = stat->flags & PID_FLAG_KERNEL_THREAD,
	};
}

void process_free(struct pool *pool, struct process *process)
{
	free_name(process);
	free(process->command);
	free(process->io);
	if (process->wait)
		free(process->wait->threads);
	free(process->wait);
	free(process->group);
	pool_give(pool, process);
}

bool process_matches(const struct process *process, struct span list)
{
	struct span program = process->command ? span_of(process->command, process->program_length)
					       : span_text("");

	return process_pattern_matches(list, process->pid, span_text(process->name), program);
}

double process_growth(struct process *process, uint64_t bytes, uint64_t now_ns)
{
	const struct process_size now = { bytes, now_ns };

	if (bytes == U64_UNKNOWN)
		return NAN;
	if (process->older.mono_ns == 0)
		process->older = process->newer = now;
	if (now_ns - process->newer.mono_ns >= GROWTH_NS) {
		process->older = process->newer;
		process->newer = now;
	}
	if (now_ns - process->older.mono_ns < GROWTH_LEAST_NS)
		return NAN;
	return ((double)bytes - (double)process->older.bytes) * 1e9 /
	       (double)(now_ns - process->older.mono_ns);
}

/* Reads stat of single processes, for those who have no list of them. */

double process_start_seconds(const struct env *env, uint64_t start_ticks)
{
	return (double)start_ticks / (double)env->ticks_per_second;
}

uint64_t process_start_ticks(const struct env *env, double start_seconds)
{
	return (uint64_t)llround(start_seconds * (double)env->ticks_per_second);
}

int process_find(struct env *env, uint32_t pid, double start_seconds, struct pid_stat *stat)
{
	char bytes[1024];
	long length = pids_read(env, pid, "stat", bytes, sizeof(bytes));
	double start;

	if (length == -ENOENT)
		return -ESRCH;
	if (length < 0)
		return (int)length;
	if (!pid_stat_parse(span_of(bytes, (size_t)length), stat))
		return -ENODATA;
	stat->comm = span_text("");
	start = process_start_seconds(env, stat->start_ticks);
	return fabs(start - start_seconds) < 0.5 / (double)env->ticks_per_second ? 0 : -ESRCH;
}

bool process_read_stat(struct env *env, uint32_t pid, char *bytes, struct pid_stat *stat)
{
	long length = pids_read(env, pid, "stat", bytes, PROCESS_STAT_MAX);

	return length > 0 && pid_stat_parse(span_of(bytes, (size_t)length), stat);
}

uint32_t process_living_thread(struct env *env, uint32_t pid, struct pid_stat *stat)
{
	const uint32_t *tids;
	size_t n_tids;

	if (!pid_stat_goes_on(stat) || pids_threads(env, pid, &tids, &n_tids) < 0)
		return 0;
	for (size_t i = 0; i < n_tids; i++) {
		char bytes[PROCESS_STAT_MAX], name[48];
		struct pid_stat thread;
		long length;

		snprintf(name, sizeof(name), "task/%u/stat", tids[i]);
		length = pids_read(env, pid, name, bytes, sizeof(bytes));
		if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &thread) ||
		    pid_stat_main_ended(&thread))
			continue;
		stat->state = thread.state;
		stat->processor = thread.processor;
		stat->priority = thread.priority;
		stat->nice = thread.nice;
		stat->resident_pages = thread.resident_pages;
		return tids[i];
	}
	return 0;
}

struct span process_program(struct env *env, uint32_t pid, char *bytes, size_t room)
{
	long length = pids_read(env, pid, "cmdline", bytes, room);

	return span_of(bytes, length > 0 ? strnlen(bytes, (size_t)length) : 0);
}

bool process_any_in_group(struct env *env, uint64_t group)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;
	const uint32_t *pids;
	size_t n_pids;

	if (pids_list(env, &pids, &n_pids) < 0)
		return false;
	for (size_t i = 0; i < n_pids; i++)
		if (process_read_stat(env, pids[i], bytes, &stat) && stat.process_group == (int64_t)group)
			return true;
	return false;
}

/* The process is opened before its start time is checked, so that its pid cannot be reused in between. */

enum verb { VERB_SIGNAL, VERB_NICE, VERB_AFFINITY, VERB_POLICY, VERB_IO, N_VERBS };

struct order {
	enum verb verb;
	int number; /* of the signal; or the change of the nice value */
	struct control_cpus cpus;
	struct control_policy policy;
	struct control_io io;
	uint64_t pid;
	double start_seconds;
};

static bool parse_number(struct span *text, int *number)
{
	int64_t parsed;

	if (!span_i64(text, &parsed) || parsed < -64 || parsed > 64)
		return false;
	*number = (int)parsed;
	return true;
}

static bool parse_policy(struct span *text, struct control_policy *policy)
{
	struct span name;
	uint64_t priority;

	if (!span_word(text, &name) || !control_policy_find(name, &policy->policy) ||
	    !span_u64(text, &priority) || priority > 99)
		return false;
	policy->priority = (unsigned)priority;
	return true;
}

static bool parse_io(struct span *text, struct control_io *io)
{
	uint64_t class, level;

	if (!span_u64(text, &class) || !span_u64(text, &level) || class > CONTROL_IO_IDLE ||
	    level >= CONTROL_IO_LEVELS)
		return false;
	*io = (struct control_io){ .class = (unsigned)class, .level = (unsigned)level };
	return true;
}

static bool parse_verb(struct span *text, struct order *order)
{
	static const char *const verbs[] = { "signal", "nice", "affinity", "policy", "io" };
	struct span word;

	if (!span_word(text, &word))
		return false;
	for (order->verb = VERB_SIGNAL; order->verb < N_VERBS && !span_is(word, verbs[order->verb]);)
		order->verb++;
	switch (order->verb) {
	case VERB_SIGNAL:
		return parse_number(text, &order->number) && order->number >= 0;
	case VERB_NICE:
		return parse_number(text, &order->number);
	case VERB_AFFINITY:
		return span_word(text, &word) && control_cpus_parse(word, &order->cpus);
	case VERB_POLICY:
		return parse_policy(text, &order->policy);
	case VERB_IO:
		return parse_io(text, &order->io);
	case N_VERBS:
		break;
	}
	return false;
}

static bool parse(const char *action, struct order *order)
{
	struct span text = span_text(action);

	return parse_verb(&text, order) && span_u64(&text, &order->pid) &&
	       span_f64(&text, &order->start_seconds) && span_length(text) == 0 && order->pid > 0 &&
	       order->pid <= INT32_MAX;
}

/* pidfd_send_signal(2) accepts a directory of proc, too: it works for pids of another namespace. */
static int open_process(struct env *env, const struct order *order)
{
	int process;

	if (!env->foreign_pids) {
		process = (int)system_call(SYS_pidfd_open, (pid_t)order->pid, 0);
		return process < 0 ? -errno : process;
	}
	process = pids_open(env, (uint32_t)order->pid, ".", O_RDONLY | O_DIRECTORY);
	return process == -ENOENT ? -ESRCH : process;
}

static int send_signal(int process, int number)
{
	uint64_t raised = privilege_raise(PRIVILEGE_SIGNAL);
	int error = system_call(SYS_pidfd_send_signal, process, number, NULL, 0) < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

/* Linux keeps a nice value for each thread; threads that differ still differ then. */
static int renice(uint32_t tid, int step)
{
	int nice;

	errno = 0;
	nice = getpriority(PRIO_PROCESS, tid);
	if (errno != 0)
		return -errno;
	return system_call_by(SYS_setpriority, setpriority(PRIO_PROCESS, tid, nice + step)) < 0 ? -errno : 0;
}

static int control_thread(const struct order *order, uint32_t tid)
{
	switch (order->verb) {
	case VERB_NICE:
		return renice(tid, order->number);
	case VERB_AFFINITY:
		return control_set_cpus(tid, &order->cpus);
	case VERB_POLICY:
		return control_set_policy(tid, &order->policy);
	case VERB_IO:
		return control_set_io(tid, &order->io);
	case VERB_SIGNAL:
	case N_VERBS:
		break;
	}
	return -EINVAL;
}

/* A thread may exit meanwhile: not a failure. */
static int control_threads(struct env *env, const struct order *order)
{
	const uint32_t *tids;
	size_t n_tids;
	int error = pids_threads(env, (uint32_t)order->pid, &tids, &n_tids);

	for (size_t i = 0; i < n_tids && !error; i++) {
		error = control_thread(order, tids[i]);
		error = error == -ESRCH ? 0 : error;
	}
	return error == -ENOENT ? -ESRCH : error;
}

/* These calls take a pid: if the process is alive before and after, the pid was not reused. */
static int change(struct env *env, int process, const struct order *order)
{
	int error = send_signal(process, 0);
	uint64_t raised;

	if (error && error != -EPERM)
		return error;
	raised = privilege_raise(PRIVILEGE_NICE);
	error = control_threads(env, order);
	privilege_lower(raised);
	if (error)
		return error;
	error = send_signal(process, 0);
	return error == -EPERM ? 0 : error;
}

/* Where proc shows another pid namespace, only signals work, and only for processes of this one. */
static int check_reach(struct env *env, int process, const struct order *order)
{
	if (!env->foreign_pids || (order->verb == VERB_SIGNAL && send_signal(process, 0) != -EINVAL))
		return 0;
	env_note_failure(env, "proc", -EXDEV);
	return -EXDEV;
}

int process_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	struct order order;
	struct pid_stat stat;
	int process, error;

	if (!parse(action, &order))
		return -EINVAL;
	process = open_process(env, &order);
	if (process < 0)
		return process;
	error = process_find(env, (uint32_t)order.pid, order.start_seconds, &stat);
	if (!error)
		error = check_reach(env, process, &order);
	if (!error && done)
		error = order.verb == VERB_SIGNAL ? send_signal(process, order.number)
						  : change(env, process, &order);
	close(process);
	if (!error && done)
		done(context, 0);
	return error;
}
