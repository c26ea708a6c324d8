/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a command while it is measured. */
#include <config.h>

#include "app/child_command.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error_message.h"
#include "sys/env.h"

#define GRACE_NS UINT64_C(999999999) /* for a command that is ended, in one tv_nsec */

static void ignore(void *context, int error)
{
	(void)context;
	(void)error;
}

static void tell_phase(struct pressed *pressed, struct source *source, enum pressed_phase phase,
		       const char *name)
{
	const char *remedy;

	pressed->phase = phase;
	source->act(source->state, pressed->gate->topic, name, ignore, NULL, &remedy);
}

/* Descriptors that are open beyond the limit stay so. */
static int spawn_with_files(struct pressed *pressed, const posix_spawnattr_t *attributes, size_t files)
{
	struct rlimit ours;
	bool known = files > 0 && getrlimit(RLIMIT_NOFILE, &ours) == 0;
	int error;

	if (known)
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){ .rlim_cur = files, .rlim_max = ours.rlim_max });
	error = posix_spawnp(&pressed->pid, pressed->command[0], NULL, attributes, pressed->command, environ);
	if (known)
		setrlimit(RLIMIT_NOFILE, &ours);
	return error;
}

/* The command gets signals and limits as from a shell, not as our loop and our samplers need them. */
static int spawn(struct pressed *pressed, size_t files)
{
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int error;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = spawn_with_files(pressed, &attributes, files);
	posix_spawnattr_destroy(&attributes);
	return error;
}

int pressed_start(struct pressed *pressed, struct source *source)
{
	int error;

	tell_phase(pressed, source, PRESSED_DURING, pressed->gate->during);
	error = spawn(pressed, source->files_before);
	if (error) {
		error_message(pressed->command[0], "%s", strerror(error));
		pressed->pid = 0;
		return pressed->status = error == ENOENT ? 127 : 126;
	}
	return 0;
}

static void take_status(struct pressed *pressed, int status)
{
	pressed->pid = 0;
	pressed->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool pressed_reap(struct pressed *pressed, struct source *source)
{
	int status;

	if (pressed->pid == 0 || waitpid(pressed->pid, &status, WNOHANG) != pressed->pid)
		return false;
	take_status(pressed, status);
	tell_phase(pressed, source, PRESSED_AFTER, pressed->gate->after);
	return true;
}

bool pressed_signal(struct pressed *pressed, int number, bool of_terminal)
{
	if (pressed->pid == 0)
		return false;
	if (pressed->interrupted)
		kill(pressed->pid, SIGKILL);
	else if (!of_terminal || getpgid(pressed->pid) != getpgrp())
		kill(pressed->pid, number);
	pressed->interrupted = true;
	return true;
}

/* SIGCHLD is blocked, so it is there to be taken whenever it came. */
static bool ends_in_time(const struct pressed *pressed)
{
	const uint64_t until_ns = env_mono_ns() + GRACE_NS;
	siginfo_t info = { 0 };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitid(P_PID, (id_t)pressed->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0) {
		uint64_t now_ns = env_mono_ns();
		struct timespec left;

		if (now_ns >= until_ns)
			return false;
		left = (struct timespec){ .tv_nsec = (long)(until_ns - now_ns) };
		sigtimedwait(&child, NULL, &left);
	}
	return true;
}

void pressed_close(struct pressed *pressed)
{
	int status;

	if (pressed->pid == 0)
		return;
	kill(pressed->pid, SIGTERM);
	if (!ends_in_time(pressed))
		kill(pressed->pid, SIGKILL);
	if (waitpid(pressed->pid, &status, 0) == pressed->pid)
		take_status(pressed, status);
}
