/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panetop PANE -- COMMAND: a command that runs while it is measured, and whose exit status becomes ours. */
#ifndef PANETOP_APP_CHILD_COMMAND_H
#define PANETOP_APP_CHILD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/source.h"
#include "screen/pane.h"

enum child_phase { CHILD_BEFORE, CHILD_DURING, CHILD_AFTER };

struct child_command {
	char *const *command;         /* ends with NULL; NULL: there is none */
	const struct pane_assertion *assertion; /* whose topic is told of the phases */
	enum child_phase phase;
	pid_t pid;
	int status;       /* exit status for ours, 128 + signal when one ended it */
	bool interrupted; /* it was sent a signal on our behalf */
};

/* Starts the command: 0, or after an error message 127 when there is none, 126 when it cannot be run. */
int child_command_start(struct child_command *child, struct source *source);

/* To be called after SIGCHLD; true when the command has ended. */
bool child_command_reap(struct child_command *child, struct source *source);

/*
 * Hands a signal on to the command, but one of the terminal, which gave it to the command, too. A second one
 * kills it. False when it does not run.
 */
bool child_command_signal(struct child_command *child, int number, bool of_terminal);

/* Ends the command if it still runs, and waits for it; a second later it is killed. */
void child_command_close(struct child_command *child);

#endif
