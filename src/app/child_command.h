/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panetop PANE -- COMMAND: a command that runs while it is measured, and whose exit status becomes ours. */
#ifndef PANETOP_APP_CHILD_COMMAND_H
#define PANETOP_APP_CHILD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/source.h"
#include "screen/pane.h"

enum pressed_phase { PRESSED_BEFORE, PRESSED_DURING, PRESSED_AFTER };

struct pressed {
	char *const *command;         /* ends with NULL; NULL: there is none */
	const struct pane_gate *gate; /* whose topic is told of the phases */
	enum pressed_phase phase;
	pid_t pid;
	int status;       /* exit status for ours, 128 + signal when one ended it */
	bool interrupted; /* it was sent a signal on our behalf */
};

/* Starts the command: 0, or after an error message 127 when there is none, 126 when it cannot be run. */
int pressed_start(struct pressed *pressed, struct source *source);

/* To be called after SIGCHLD; true when the command has ended. */
bool pressed_reap(struct pressed *pressed, struct source *source);

/*
 * Hands a signal on to the command, but one of the terminal, which gave it to the command, too. A second one
 * kills it. False when it does not run.
 */
bool pressed_signal(struct pressed *pressed, int number, bool of_terminal);

/* Ends the command if it still runs, and waits for it; a second later it is killed. */
void pressed_close(struct pressed *pressed);

#endif
