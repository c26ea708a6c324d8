/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks rules, and says what is wrong with one. */
#include <config.h>

#include "app/rule_list.h"

#include <stdlib.h>
#include <string.h>

#include "app/condition_message.h"
#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "sys/error_message.h"
#include "topic/topic.h"

static int refuse_syntax(const char *where, enum rule_error error, struct span wrong)
{
	int length = (int)span_length(wrong);

	if (error == RULE_NO_DURATION)
		error_message(where, _("a duration must follow, as in 30s or 5min; not '%.*s'"), length,
			      wrong.at);
	else if (error == RULE_UNEXPECTED)
		error_message(where,
			      _("unexpected '%.*s'; behind a condition can stand: for 30s, until CONDITION, "
				"at most once per 5min"),
			      length, wrong.at);
	else if (error == RULE_TWICE)
		error_message(where, _("'%.*s': this is there twice"), length, wrong.at);
	else
		return condition_refuse_syntax(where, (enum condition_error)error, wrong);
	return 2;
}

static int bind(const char *where, struct condition *condition)
{
	unsigned topic = condition_topic(condition->topic);
	enum condition_error error;
	struct span wrong;

	if (topic == n_topics)
		return condition_refuse_topic(where, condition->topic);
	error = condition_bind(condition, topics[topic]->schema, &wrong);
	return error ? condition_refuse_binding(where, error, condition, wrong) : 0;
}

static enum rule_event event_of(const struct rule *rule)
{
	const struct condition *when = &rule->when;

	if (!rule->of_rows || when->n_selects != 1 || *when->selects[0].value == '\0')
		return RULE_EVENT_NONE;
	if (span_is(when->topic, "file") && span_is(when->selects[0].column, "path") &&
	    span_is(when->column, "changes"))
		return RULE_EVENT_CHANGE;
	if (!span_is(when->topic, "process") || !span_is(when->selects[0].column, "command"))
		return RULE_EVENT_NONE;
	return span_is(when->column, "exits")    ? RULE_EVENT_END
	       : span_is(when->column, "starts") ? RULE_EVENT_START
						 : RULE_EVENT_NONE;
}

static int check(struct listed_rule *listed, const char *where)
{
	struct rule *rule = &listed->rule;
	struct span wrong;
	enum rule_error error = rule_parse(span_text(listed->text), rule, &wrong);
	int status;

	if (error)
		return refuse_syntax(where, error, wrong);
	listed->event = event_of(rule);
	status = listed->event ? 0 : bind(where, &rule->when);
	rule->of_growth = status == 0 && rule->of_rows && rule->when.measured &&
			  rule->when.measured->kind == COLUMN_COUNTER;
	if (status == 0 && rule->of_rows && rule->when.measured && !rule->of_growth)
		return condition_refuse_syntax(where, CONDITION_NO_COMPARISON, rule->when.text);
	if ((listed->event || rule->of_growth) && (rule->has_hold || rule->has_until)) {
		error_message(where,
			      _("what starts, ends, changes or grows has no duration: only at most once per "
				"5min can follow"));
		return 2;
	}
	if (listed->event == RULE_EVENT_CHANGE && *listed_rule_name(listed) != '/') {
		error_message(where, _("'%s': expected a whole path, from / on"), listed_rule_name(listed));
		return 2;
	}
	return status == 0 && rule->has_until ? bind(where, &rule->until) : status;
}

int rule_list_add(struct rule_list *list, const char *where, const char *text, const char *command)
{
	struct listed_rule *listed = VECTOR_ADD(list->rules, list->n_rules, list->capacity);
	int status;

	*listed = (struct listed_rule){ .text = alloc_text(text), .has_command = command != NULL };
	status = check(listed, where);
	if (status != 0 || !command)
		return status;
	if (rule_command_parse(&listed->command, command))
		return 0;
	error_message(where,
		      _("'%s': expected a program and its arguments, at most %d words; quotes are closed"),
		      command, RULE_COMMAND_WORDS);
	return 2;
}

void rule_list_shorten(struct rule_list *list, size_t n_rules)
{
	while (list->n_rules > n_rules) {
		struct listed_rule *last = &list->rules[--list->n_rules];

		free(last->text);
		rule_command_free(&last->command);
	}
}

void rule_list_free(struct rule_list *list)
{
	rule_list_shorten(list, 0);
	free(list->rules);
	*list = (struct rule_list){ 0 };
}

size_t rule_list_events(const struct rule_list *list, enum rule_event event)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n_rules; i++)
		n += list->rules[i].event == event;
	return n;
}

const char *listed_rule_name(const struct listed_rule *listed)
{
	return listed->rule.when.selects[0].value;
}
