/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a command while panetop measures. */
#include <config.h>

#include "app/child_command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/child.h"
#include "sys/error_message.h"
#include "sys/privilege.h"

#define GRACE_NS UINT64_C(999999999) /* between SIGTERM and SIGKILL; fits one tv_nsec */

static void ignore(void *context, int error)
{
	(void)context;
	(void)error;
}

static void announce_phase(struct child_command *child, struct source *source, enum child_phase phase,
			   const char *name)
{
	const char *remedy;

	child->phase = phase;
	source->act(source->state, child->assertion->topic, name, ignore, NULL, &remedy);
}

int child_command_start(struct child_command *child, struct source *source)
{
	const struct spawn_plan plan = {
		.words = child->command,
		.variables = user_variables(),
		.files = source->files_before,
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
	};
	int error;

	announce_phase(child, source, CHILD_DURING, child->assertion->during);
	error = spawn_command(&plan, &child->pid);
	if (error) {
		error_message(child->command[0], "%s", strerror(error));
		child->pid = 0;
		return child->status = error == ENOENT ? 127 : 126;
	}
	return 0;
}

static void take_status(struct child_command *child, int status)
{
	child->pid = 0;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool child_command_reap(struct child_command *child, struct source *source)
{
	int status;

	if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return false;
	take_status(child, status);
	announce_phase(child, source, CHILD_AFTER, child->assertion->after);
	return true;
}

bool child_command_signal(struct child_command *child, int number, bool of_terminal)
{
	if (child->pid == 0 || child->killed)
		return false;
	child->killed = child->interrupted;
	if (child->killed)
		kill(child->pid, SIGKILL);
	else if (!of_terminal || getpgid(child->pid) != getpgrp())
		kill(child->pid, number);
	child->interrupted = true;
	return true;
}

/* SIGCHLD is blocked, so it stays pending until it is taken. */
static void await_end(const struct child_command *child)
{
	const uint64_t until_ns = clock_mono_ns(child->clock) + GRACE_NS;
	siginfo_t info = { 0 };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
		uint64_t now_ns = clock_mono_ns(child->clock);
		struct timespec left;

		if (now_ns >= until_ns)
			return;
		left = (struct timespec){ .tv_nsec = (long)(until_ns - now_ns) };
		sigtimedwait(&signals, NULL, &left);
	}
}

void child_command_close(struct child_command *child)
{
	int status;

	if (child->pid == 0)
		return;
	kill(child->pid, SIGTERM);
	if (!child->killed)
		await_end(child);
	if (spawn_kill(child->pid, &status))
		take_status(child, status);
}
