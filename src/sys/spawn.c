/* SPDX-License-Identifier: GPL-2.0-or-later */
/* posix_spawn(3), without what panetop has changed for itself. */
#include <config.h>

#include "sys/spawn.h"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

/* Descriptors above the lowered limit stay open. */
static int spawn_with_files(const struct spawn_plan *plan, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, pid_t *pid)
{
	struct rlimit ours;
	bool known = plan->files > 0 && getrlimit(RLIMIT_NOFILE, &ours) == 0;
	int error;

	if (known)
		setrlimit(RLIMIT_NOFILE,
			  &(struct rlimit){ .rlim_cur = plan->files, .rlim_max = ours.rlim_max });
	error = posix_spawnp(pid, plan->words[0], actions, attributes, plan->words, plan->variables);
	if (known)
		setrlimit(RLIMIT_NOFILE, &ours);
	return error;
}

int spawn_command(const struct spawn_plan *plan, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
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
	posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      (plan->own_session ? POSIX_SPAWN_SETSID
						       : plan->own_group ? POSIX_SPAWN_SETPGROUP
									 : 0)));
	posix_spawn_file_actions_init(&actions);
	if (plan->in != STDIN_FILENO)
		posix_spawn_file_actions_adddup2(&actions, plan->in, STDIN_FILENO);
	if (plan->out != STDOUT_FILENO)
		posix_spawn_file_actions_adddup2(&actions, plan->out, STDOUT_FILENO);
	if (plan->err != STDERR_FILENO)
		posix_spawn_file_actions_adddup2(&actions, plan->err, STDERR_FILENO);
	error = spawn_with_files(plan, &actions, &attributes, pid);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}
