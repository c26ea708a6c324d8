/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a command while it is measured. */
#include <config.h>

#include "pressed.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/complain.h"

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

/* The command gets signals as it would from a shell, not as our loop needs them. */
static int spawn(struct pressed *pressed)
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
	error = posix_spawnp(&pressed->pid, pressed->command[0], NULL, &attributes, pressed->command,
			     environ);
	posix_spawnattr_destroy(&attributes);
	return error;
}

int pressed_start(struct pressed *pressed, struct source *source)
{
	int error;

	tell_phase(pressed, source, PRESSED_DURING, pressed->gate->during);
	error = spawn(pressed);
	if (error) {
		complain(pressed->command[0], "%s", strerror(error));
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

bool pressed_signal(struct pressed *pressed, int number)
{
	if (pressed->pid == 0)
		return false;
	kill(pressed->pid, pressed->interrupted ? SIGKILL : number);
	pressed->interrupted = true;
	return true;
}

void pressed_close(struct pressed *pressed)
{
	int status;

	if (pressed->pid == 0)
		return;
	kill(pressed->pid, SIGTERM);
	if (waitpid(pressed->pid, &status, 0) == pressed->pid)
		take_status(pressed, status);
}
