/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --assert: "COLUMN < NUMBER, …", with <, <=, > or >=. */
#include <config.h>

#include "app/assertion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error_message.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "topic/topic.h"

static void skip_blanks(struct span *rest)
{
	while (span_char(rest, ' ') || span_char(rest, '\t'))
		;
}

/* The name ends at a blank or comparison. */
static struct span take_name(struct span *rest)
{
	struct span name;

	skip_blanks(rest);
	name.at = rest->at;
	while (rest->at < rest->end && !strchr(" \t<>=,", *rest->at))
		rest->at++;
	name.end = rest->at;
	return name;
}

static bool take_comparison(struct span *rest, struct assertion_condition *condition)
{
	skip_blanks(rest);
	condition->less = span_char(rest, '<');
	if (!condition->less && !span_char(rest, '>'))
		return false;
	condition->or_equal = span_char(rest, '=');
	return true;
}

static bool is_measured(const struct column *column)
{
	return column->type != VALUE_TEXT && column->kind != COLUMN_KEY;
}

static void refuse_column(const struct schema *schema, struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < schema->n_columns; i++)
		if (is_measured(&schema->columns[i]))
			near_name_try(&near, schema->columns[i].key);
	if (near.name)
		error_message("--assert", _("unknown column '%.*s' of %s; did you mean %s?"), length, name.at,
			      schema->name, near.name);
	else
		error_message("--assert", _("'%.*s' is not a numeric column of %s; see panetop --describe"),
			      length, name.at, schema->name);
}

/* Letters right after a number; false after an error message. */
static bool has_known_unit(const struct span *rest)
{
	const char *end = rest->at;

	while (end < rest->end && !strchr(" \t<>=,", *end))
		end++;
	if (end > rest->at)
		error_message("--assert", _("unknown unit '%.*s': use s, ms, us or ns"),
			      (int)(end - rest->at), rest->at);
	return end == rest->at;
}

/* Parses one condition; false after an error message. */
static bool take_condition(struct assertion *assertion, const struct schema *schema, struct span *rest)
{
	struct assertion_condition *condition = &assertion->conditions[assertion->n_conditions];
	struct span name = take_name(rest);
	int index = schema_column_span(schema, name);

	if (index < 0 || !is_measured(&schema->columns[index])) {
		refuse_column(schema, name);
		return false;
	}
	condition->column = &schema->columns[index];
	condition->seen = NAN;
	if (!take_comparison(rest, condition) || !span_seconds(rest, &condition->limit)) {
		error_message("--assert",
			      _("'%s' must be followed by <, <=, > or >= and a number, as in '%s < 100e-6'"),
			      condition->column->key, condition->column->key);
		return false;
	}
	if (!has_known_unit(rest))
		return false;
	skip_blanks(rest);
	assertion->n_conditions++;
	return true;
}

static const struct pane_assertion *find_assertion(const struct options *options)
{
	for (unsigned i = 0; i < options->n_panes; i++)
		if (options->panes[i]->assertion)
			return options->panes[i]->assertion;
	return NULL;
}

int assertion_open(struct assertion *assertion, const struct options *options)
{
	const struct pane_assertion *wanted = find_assertion(options);
	struct span rest = span_text(options->assertion ? options->assertion : "");
	const struct schema *schema;

	*assertion = (struct assertion){ 0 };
	if (!options->assertion || !wanted)
		return 0;
	assertion->topic = options->command ? wanted->phases : wanted->topic;
	assertion->row = options->command ? wanted->during : wanted->row;
	schema = topic_find(assertion->topic)->schema;
	do {
		if (assertion->n_conditions == ASSERTION_CONDITIONS_MAX) {
			error_message("--assert", _("too many conditions (at most %d)"),
				      ASSERTION_CONDITIONS_MAX);
			return 2;
		}
		if (!take_condition(assertion, schema, &rest))
			return 2;
	} while (span_char(&rest, ','));
	if (rest.at == rest.end)
		return 0;
	error_message("--assert", _("unexpected '%.*s'; separate conditions with commas"),
		      (int)span_length(rest), rest.at);
	return 2;
}

void assertion_take(struct assertion *assertion, const struct frame *frame)
{
	for (unsigned i = 0; i < assertion->n_conditions; i++) {
		struct assertion_condition *condition = &assertion->conditions[i];

		condition->seen =
			frame_number(frame, assertion->topic, assertion->row, condition->column->key);
	}
}

static bool holds(const struct assertion_condition *condition)
{
	if (condition->or_equal && condition->seen == condition->limit)
		return true;
	return condition->less ? condition->seen < condition->limit : condition->seen > condition->limit;
}

int assertion_judge(const struct assertion *assertion)
{
	int status = 0;

	for (unsigned i = 0; i < assertion->n_conditions; i++) {
		const struct assertion_condition *condition = &assertion->conditions[i];

		if (holds(condition))
			continue;
		status = ASSERTION_BROKEN;
		if (isnan(condition->seen))
			error_message("--assert", _("%s of row '%s' is unknown"), condition->column->key,
				      assertion->row);
		else
			error_message("--assert", _("failed: %s is %.9g, not %s%s %.9g"),
				      condition->column->key, condition->seen, condition->less ? "<" : ">",
				      condition->or_equal ? "=" : "", condition->limit);
	}
	return status;
}
