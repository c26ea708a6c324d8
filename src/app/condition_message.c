/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a condition, in the words of its user. */
#include <config.h>

#include "app/condition_message.h"

#include "core/i18n.h"
#include "core/typed_name.h"
#include "sys/error_message.h"
#include "topic/topic.h"

int condition_refuse_syntax(const char *what, enum condition_error error, struct span wrong)
{
	int length = (int)span_length(wrong);

	if (error == CONDITION_OPEN)
		error_message(what, _("a bracket or quote is not closed"));
	else if (error == CONDITION_TOO_LONG)
		error_message(what, _("a condition has too many values, or a value is too long"));
	else if (error == CONDITION_NO_COMPARISON)
		error_message(what, _("'%.*s': <, <=, >, >=, == or != must follow, as in system.load1 < 4"),
			      length, wrong.at);
	else if (error == CONDITION_NO_NUMBER)
		error_message(what, _("a number must follow, as in 4, 15%%, 100us or 500MiB; not '%.*s'"),
			      length, wrong.at);
	else
		error_message(what, _("'%.*s': a condition begins as in memory(mem).used_bytes"), length,
			      wrong.at);
	return 2;
}

static int refuse_column(const char *what, const struct schema *schema, struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < schema->n_columns; i++)
		near_name_try(&near, schema->columns[i].key);
	if (near.name)
		error_message(what, _("unknown column '%.*s' of %s; did you mean %s?"), length, name.at,
			      schema->name, near.name);
	else
		error_message(what, _("unknown column '%.*s' of %s; see panetop --describe %s"), length,
			      name.at, schema->name, schema->name);
	return 2;
}

int condition_refuse_binding(const char *what, enum condition_error error, const struct condition *condition,
			     struct span wrong)
{
	const char *topic = condition->schema->name;
	int length = (int)span_length(wrong);

	if (error == CONDITION_UNKNOWN_COLUMN)
		return refuse_column(what, condition->schema, wrong);
	if (error == CONDITION_NOT_NUMERIC)
		error_message(what, _("'%.*s' is not a numeric column of %s; see panetop --describe"), length,
			      wrong.at, topic);
	else if (error == CONDITION_TOO_MANY_KEYS)
		error_message(what, _("'%.*s': %s has fewer keys; other columns are chosen by COLUMN=VALUE"),
			      length, wrong.at, topic);
	else if (condition->measured)
		error_message(what, _("%s of %s has the unit %s, not the one of the condition"),
			      condition->measured->key, topic, unit_name(condition->measured->unit));
	else
		error_message(what, _("the number of rows of %s has no unit"), topic);
	return 2;
}

int condition_refuse_topic(const char *what, struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < n_topics; i++)
		near_name_try(&near, topics[i]->schema->name);
	if (near.name)
		error_message(what, _("unknown topic '%.*s'; did you mean %s?"), length, name.at, near.name);
	else
		error_message(what, _("unknown topic '%.*s'; see panetop --describe"), length, name.at);
	return 2;
}

unsigned condition_topic(struct span name)
{
	unsigned i = 0;

	while (i < n_topics && !span_is(name, topics[i]->schema->name))
		i++;
	return i;
}
