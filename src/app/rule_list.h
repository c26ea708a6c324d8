/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of a run, from options and files, checked: each with its command. */
#ifndef PANETOP_APP_RULE_LIST_H
#define PANETOP_APP_RULE_LIST_H

#include "app/rule_command.h"
#include "model/rule.h"

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
void rule_list_shorten(struct rule_list *list, size_t n_rules); /* to the first ones */
void rule_list_free(struct rule_list *list);

size_t rule_list_events(const struct rule_list *list, enum rule_event event); /* how many are about it */

/* Of a rule with an event: the name of the program, or the path. */
const char *listed_rule_name(const struct listed_rule *listed);

#endif
