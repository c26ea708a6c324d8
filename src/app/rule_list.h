/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of a run, from options and files, checked: each with its command. */
#ifndef PANETOP_APP_RULE_LIST_H
#define PANETOP_APP_RULE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "app/options.h"
#include "model/rule.h"
#include "sys/machine.h"

/* The index of its topic; n_topics: there is none of this name. */
unsigned condition_topic(struct span name);

/* Each prints a message about what is wrong in "what", and returns the exit status 2. */
int condition_refuse_topic(const char *what, struct span name);
int condition_refuse_syntax(const char *what, enum condition_error error, struct span wrong);

/* As condition_bind(); takes rules of findings by their earlier names, too. 0, or as above. */
int condition_take(const char *what, struct condition *condition, const struct schema *schema);

#define RULE_COMMANDS_MAX 32         /* at a time; the others wait */
#define RULE_COMMANDS_WAITING 100000 /* more are not run */
#define RULE_COMMAND_SECONDS 60.0    /* then it gets SIGTERM, and soon after SIGKILL */
#define RULE_COMMAND_WORDS 64

/* Commands run without a shell, a limited number at a time, each for a limited time. In words: */
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

/* What no table has: process(command=NAME).exits and .starts, file(path=PATH).changes. */
enum rule_event { RULE_EVENT_NONE, RULE_EVENT_END, RULE_EVENT_START, RULE_EVENT_CHANGE };

struct listed_rule {
	struct rule rule;
	char *text; /* as written; owned */
	enum rule_event event;
	bool has_command;
	struct rule_command command;
};

struct rule_list {
	struct listed_rule *rules;
	size_t n_rules, capacity;
};

/*
 * Adds a rule with its command (NULL: it is only noted); where: its option, or its file and line. All zero is
 * an empty list. 0, or 2 after an error message.
 */
int rule_list_add(struct rule_list *list, const char *where, const char *text, const char *command);

/* Reads those of options or of the directory. 0, or an exit status; rule_list_free() in either case. */
int rule_options_read(const struct options *options, struct rule_list *list);
void rule_list_shorten(struct rule_list *list, size_t n_rules); /* to the first ones */
void rule_list_free(struct rule_list *list);

size_t rule_list_events(const struct rule_list *list, enum rule_event event); /* how many are about it */

/* Of a rule with an event: the name of the program, or the path. */
const char *listed_rule_name(const struct listed_rule *listed);

#endif
