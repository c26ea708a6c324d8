/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts a command with the signals and limits that it would get from a shell. */
#ifndef PANETOP_SYS_SPAWN_H
#define PANETOP_SYS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All borrowed. */
struct spawn_plan {
	char *const *words;     /* the first one is found in PATH, if it has no slash; ends with NULL */
	char *const *variables; /* ends with NULL */
	size_t files;           /* its limit of open files; 0: ours */
	bool own_group;         /* it leads a process group */
	bool own_session;       /* … and a session without a terminal */
	int in, out, err;       /* become its descriptors 0, 1 and 2; 0, 1 and 2: they are ours */
};

/* 0, or an errno: ENOENT where there is no such program. 0 too where its file does not answer. */
int spawn_command(const struct spawn_plan *plan, pid_t *pid);

/* To a child that was not reaped, and to the group that it leads, which it may have left. */
void spawn_signal(pid_t pid, int number);

/* SIGKILL; reaps it. False: it does not end, such as in a call that the kernel holds: it is left behind. */
bool spawn_kill(pid_t pid, int *status);

#endif
