/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process is opened before its start time is checked, so that its pid cannot be reused in between. */
#include <config.h>

#include "topic/process/process_act.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/pids.h"
#include "sys/privilege.h"
#include "sys/process_control.h"
#include "topic/process/process_find.h"

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
