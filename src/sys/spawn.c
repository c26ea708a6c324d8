/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Not by posix_spawn(3), which waits until the program is opened: its file may be on a mount that hangs. */
#include <config.h>

#include "sys/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/patience.h"

#define EARLY_MAX 1024
#define EXEC_MS 300 /* then its file does not answer, and it is on its own */

/* What is ignored by panetop alone is not, nor what it handles; nothing is blocked. */
static void restore_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 &&
		    (action.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGXFSZ))
			signal(number, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What exec(3) would close, but for report: a process that hangs there must keep no pipe or address. */
static void close_early(int report)
{
	for (int fd = STDERR_FILENO + 1; fd < EARLY_MAX; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0 && (flags & FD_CLOEXEC) && fd != report)
			close(fd);
	}
}

/* In the new process: only what is safe between fork(2) and exec(3). Those above the limit stay open. */
static _Noreturn void become(const struct spawn_plan *plan, int report)
{
	struct rlimit ours;
	int error;

	if (plan->own_session)
		setsid();
	else if (plan->own_group)
		setpgid(0, 0);
	dup2(plan->in, STDIN_FILENO);
	dup2(plan->out, STDOUT_FILENO);
	dup2(plan->err, STDERR_FILENO);
	if (plan->files > 0 && getrlimit(RLIMIT_NOFILE, &ours) == 0)
		setrlimit(RLIMIT_NOFILE,
			  &(struct rlimit){ .rlim_cur = plan->files, .rlim_max = ours.rlim_max });
	restore_signals();
	close_early(report);
	execvpe(plan->words[0], plan->words, plan->variables);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* The errno that the new process reports; 0: its program runs, or does not answer. */
static int report_of(int report)
{
	struct pollfd ready = { .fd = report, .events = POLLIN };
	int error;

	if (poll(&ready, 1, EXEC_MS) <= 0 || read(report, &error, sizeof(error)) != sizeof(error))
		return 0;
	return error;
}

int spawn_command(const struct spawn_plan *plan, pid_t *pid)
{
	int report[2], error, status;
	sigset_t all, before;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	*pid = fork();
	if (*pid == 0)
		become(plan, report[1]);
	error = *pid < 0 ? errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(report[1]);
	if (!error)
		error = report_of(report[0]);
	close(report[0]);
	if (error && *pid > 0)
		spawn_kill(*pid, &status);
	return error;
}

void spawn_signal(pid_t pid, int number)
{
	kill(-pid, number);
	if (getpgid(pid) != pid)
		kill(pid, number);
}

bool spawn_kill(pid_t pid, int *status)
{
	struct patience patience = { 0 };

	*status = SIGKILL;
	spawn_signal(pid, SIGKILL);
	while (waitpid(pid, status, WNOHANG) == 0)
		if (!patience_lasts(&patience))
			return false;
	return true;
}
