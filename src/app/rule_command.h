/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the commands of rules: without a shell, a limited number at a time, each for a limited time. */
#ifndef PANETOP_APP_RULE_COMMAND_H
#define PANETOP_APP_RULE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/rule.h"
#include "sys/machine.h"

#define RULE_COMMANDS_MAX 32         /* at a time; the others wait */
#define RULE_COMMANDS_WAITING 100000 /* more are not run */
#define RULE_COMMAND_SECONDS 60.0    /* then it gets SIGTERM, and soon after SIGKILL */
#define RULE_COMMAND_WORDS 64

/* A command as it was written, in words. */
struct rule_command {
	char *bytes;                         /* of the words; owned */
	char *words[RULE_COMMAND_WORDS + 1]; /* ends with NULL */
};

/*
 * Splits it at blanks, without those in '...' and "..." and behind a backslash; expands nothing. False: it
 * has no word, too many, or an open quote; rule_command_free() in either case.
 */
bool rule_command_parse(struct rule_command *command, const char *text);
void rule_command_free(struct rule_command *command);

struct rule_commands;

/*
 * done gets each firing when its command has ended, or at once without one; it owns it. Where output is, the
 * commands' standard output goes to standard error; else both go nowhere. files: their limit; 0: ours. After
 * these seconds one gets SIGTERM, and soon after SIGKILL.
 */
struct rule_commands *rule_commands_open(const struct machine_clock *clock, bool output, size_t files,
					 double seconds, void (*done)(void *context, struct firing *firing),
					 void *context);

/* Ends the commands that run, at once; where one does not end, it is left behind, with a message. */
void rule_commands_close(struct rule_commands *commands);

/* Takes a firing, and starts its command (borrowed; NULL: none), or lets it wait for others. */
void rule_commands_add(struct rule_commands *commands, const struct rule_command *command,
		       struct firing *firing);

/* Becomes readable when one has ended or has run for too long; then call rule_commands_go_on(). */
int rule_commands_fd(const struct rule_commands *commands);
void rule_commands_go_on(struct rule_commands *commands);

#endif
