/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What decides the exit status of a batch run: conditions on its last sample (--assert), and its command. */
#ifndef PANETOP_APP_ASSERTION_H
#define PANETOP_APP_ASSERTION_H

#include <sys/types.h>

#include "app/run_plan.h"
#include "model/frame.h"
#include "model/rule.h"
#include "screen/pane.h"
#include "sys/machine.h"

#define ASSERTION_BROKEN 3 /* exit status */

struct assertion {
	struct assertion_part {
		struct condition condition;
		struct condition_result result; /* of the last sample; its row is gone */
		struct buffer found;            /* what it is instead; empty while it holds */
	} *parts;
	size_t n_parts, capacity;
};

/* 0, or 2 after an error message about the conditions of options; assertion_close() follows either. */
int assertion_open(struct assertion *assertion, const struct options *options, const struct run_plan *run);

/* The last frame counts. */
void assertion_take(struct assertion *assertion, const struct frame *frame);

/* 0, or ASSERTION_BROKEN after an error message for each condition that fails or is unknown. */
int assertion_judge(const struct assertion *assertion);
void assertion_close(struct assertion *assertion);

/* panetop PANE -- COMMAND: runs a command while measuring, and returns its exit status. */
enum child_phase { CHILD_BEFORE, CHILD_DURING, CHILD_AFTER };

struct child_command {
	const struct machine_clock *clock;      /* borrowed */
	char *const *command;                   /* ends with NULL; NULL: no command */
	const struct pane_assertion *assertion; /* whose topic is notified of phases */
	enum child_phase phase;
	pid_t pid;
	int status;       /* its exit status, or 128 + the signal that ended it */
	bool interrupted; /* a signal was passed on to it */
	bool killed;      /* … and then another came */
};

/* Starts the command: 0, or after an error message 127 (not found) or 126 (cannot be run). */
int child_command_start(struct child_command *child, struct source *source);

/* Call after SIGCHLD; true if the command has ended. */
bool child_command_reap(struct child_command *child, struct source *source);

/*
 * Passes a signal on to the command, unless the terminal has sent it to both; a second signal kills it. False
 * if the command is not running, or hangs where it was killed.
 */
bool child_command_signal(struct child_command *child, int number, bool of_terminal);

/* Ends a command that still runs: SIGTERM, a second later SIGKILL. */
void child_command_close(struct child_command *child);

#endif
