/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process is opened before its start time is checked, so that its pid cannot be reused in between. */
#include <config.h>

#include "topic/process/process_act.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/pids.h"
#include "sys/privilege.h"
#include "topic/process/process_find.h"

struct order {
	bool nice;
	bool down;       /* number is negative */
	uint64_t number; /* of the signal; or the change of the nice value */
	uint64_t pid;
	double start_seconds;
};

static bool parse(const char *action, struct order *order)
{
	struct span text = span_text(action), verb;

	if (!span_word(&text, &verb))
		return false;
	order->nice = span_is(verb, "nice");
	span_char(&text, ' ');
	order->down = span_char(&text, '-');
	return (order->nice || span_is(verb, "signal")) && span_u64(&text, &order->number) &&
	       span_u64(&text, &order->pid) && span_f64(&text, &order->start_seconds) &&
	       order->number <= 64 && order->pid > 0 && order->pid <= INT32_MAX;
}

/* pidfd_send_signal(2) accepts a directory of proc, too: it works for pids of another namespace. */
static int open_process(struct env *env, const struct order *order)
{
	int process;

	if (!env->foreign_pids) {
		process = (int)syscall(SYS_pidfd_open, (pid_t)order->pid, 0);
		return process < 0 ? -errno : process;
	}
	process = pids_open(env, (uint32_t)order->pid, ".", O_RDONLY | O_DIRECTORY);
	return process == -ENOENT ? -ESRCH : process;
}

static int send_signal(int process, int number)
{
	uint64_t raised = privilege_raise(PRIVILEGE_SIGNAL);
	int error = syscall(SYS_pidfd_send_signal, process, number, NULL, 0) < 0 ? -errno : 0;

	privilege_lower(raised);
	return error;
}

/* setpriority(2) takes a pid: if the process is alive before and after, the pid was not reused. */
static int renice(int process, const struct order *order, const struct pid_stat *stat)
{
	int wanted = (int)stat->nice + (order->down ? -(int)order->number : (int)order->number);
	int error = send_signal(process, 0);
	uint64_t raised;

	if (error && error != -EPERM)
		return error;
	raised = privilege_raise(PRIVILEGE_NICE);
	error = setpriority(PRIO_PROCESS, (id_t)order->pid, wanted) < 0 ? -errno : 0;
	privilege_lower(raised);
	if (error)
		return error;
	error = send_signal(process, 0);
	return error == -EPERM ? 0 : error;
}

/* Where proc shows another pid namespace, nice cannot work, nor signals to processes outside of this one. */
static int check_reach(struct env *env, int process, const struct order *order)
{
	if (!env->foreign_pids || (!order->nice && send_signal(process, 0) != -EINVAL))
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
		error = order.nice ? renice(process, &order, &stat) : send_signal(process, (int)order.number);
	close(process);
	if (!error && done)
		done(context, 0);
	return error;
}
