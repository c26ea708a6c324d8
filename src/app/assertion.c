/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --assert: "TOPIC(SELECT).COLUMN < NUMBER, …"; of the pane latency also "COLUMN < NUMBER". */
#include <config.h>

#include "app/assertion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "model/units.h"
#include "sys/error_message.h"
#include "topic/topic.h"

#define ROWS_SHOWN 3

static const char option[] = "--assert";

static int refuse_syntax(enum condition_error error, struct span wrong)
{
	int length = (int)span_length(wrong);

	if (error == CONDITION_OPEN)
		error_message(option, _("a bracket or quote is not closed"));
	else if (error == CONDITION_TOO_LONG)
		error_message(option, _("a condition has too many values, or a value is too long"));
	else if (error == CONDITION_NO_COMPARISON)
		error_message(option,
			      _("'%.*s': <, <=, >, >=, == or != must follow, as in system.load1 < 4"), length,
			      wrong.at);
	else if (error == CONDITION_NO_NUMBER)
		error_message(option, _("a number must follow, as in 4, 15%%, 100us or 500MiB; not '%.*s'"),
			      length, wrong.at);
	else
		error_message(option, _("'%.*s': a condition begins as in memory(mem).used_bytes"), length,
			      wrong.at);
	return 2;
}

static int refuse_column(const struct schema *schema, struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < schema->n_columns; i++)
		near_name_try(&near, schema->columns[i].key);
	if (near.name)
		error_message(option, _("unknown column '%.*s' of %s; did you mean %s?"), length, name.at,
			      schema->name, near.name);
	else
		error_message(option, _("unknown column '%.*s' of %s; see panetop --describe %s"), length,
			      name.at, schema->name, schema->name);
	return 2;
}

static int refuse_binding(enum condition_error error, const struct condition *condition, struct span wrong)
{
	const char *topic = condition->schema->name;
	int length = (int)span_length(wrong);

	if (error == CONDITION_UNKNOWN_COLUMN)
		return refuse_column(condition->schema, wrong);
	if (error == CONDITION_NOT_NUMERIC)
		error_message(option, _("'%.*s' is not a numeric column of %s; see panetop --describe"),
			      length, wrong.at, topic);
	else if (error == CONDITION_TOO_MANY_KEYS)
		error_message(option,
			      _("'%.*s': %s has fewer keys; other columns are chosen by COLUMN=VALUE"),
			      length, wrong.at, topic);
	else if (condition->measured)
		error_message(option, _("%s of %s has the unit %s, not the one of the condition"),
			      condition->measured->key, topic, unit_name(condition->measured->unit));
	else
		error_message(option, _("the number of rows of %s has no unit"), topic);
	return 2;
}

static int refuse_topic(struct span name)
{
	struct near_name near = { .typed = name };
	int length = (int)span_length(name);

	for (unsigned i = 0; i < n_topics; i++)
		near_name_try(&near, topics[i]->schema->name);
	if (near.name)
		error_message(option, _("unknown topic '%.*s'; did you mean %s?"), length, name.at,
			      near.name);
	else
		error_message(option, _("unknown topic '%.*s'; see panetop --describe"), length, name.at);
	return 2;
}

/* Index of the topic, or n_topics. */
static unsigned topic_index(struct span name)
{
	unsigned i = 0;

	while (i < n_topics && !span_is(name, topics[i]->schema->name))
		i++;
	return i;
}

static const struct pane_assertion *find_assertion(const struct options *options)
{
	for (unsigned i = 0; i < options->n_panes; i++)
		if (options->panes[i]->assertion)
			return options->panes[i]->assertion;
	return NULL;
}

/* "p99_seconds < 1e-4" is about a row of the pane. */
static void complete(struct condition *condition, const struct options *options)
{
	const struct pane_assertion *wanted = find_assertion(options);
	bool bare = condition->n_selects == 0 && span_length(condition->column) == 0;
	struct condition_select *select = &condition->selects[0];

	if (!wanted || !bare || topic_index(condition->topic) < n_topics)
		return;
	condition->column = condition->topic;
	condition->topic = span_text(options->command ? wanted->phases : wanted->topic);
	snprintf(select->value, sizeof(select->value), "%s", options->command ? wanted->during : wanted->row);
	condition->n_selects = 1;
}

static int add_condition(struct assertion *assertion, const struct options *options,
			 const struct run_plan *run, struct span *rest)
{
	struct assertion_part part = { .result.value = NAN };
	struct span wrong;
	enum condition_error error = condition_parse(rest, &part.condition, &wrong);
	unsigned topic;

	if (error)
		return refuse_syntax(error, wrong);
	complete(&part.condition, options);
	topic = topic_index(part.condition.topic);
	if (topic == n_topics)
		return refuse_topic(part.condition.topic);
	error = condition_bind(&part.condition, topics[topic]->schema, &wrong);
	if (error)
		return refuse_binding(error, &part.condition, wrong);
	if (!run->wanted[topic]) {
		error_message(option, _("this run does not sample %s; add -t %s, or a pane that has it"),
			      topics[topic]->schema->name, topics[topic]->schema->name);
		return 2;
	}
	*VECTOR_ADD(assertion->parts, assertion->n_parts, assertion->capacity) = part;
	return 0;
}

int assertion_open(struct assertion *assertion, const struct options *options, const struct run_plan *run)
{
	struct span rest = span_text(options->assertion ? options->assertion : "");
	int status;

	*assertion = (struct assertion){ 0 };
	if (!options->assertion)
		return 0;
	do {
		status = add_condition(assertion, options, run, &rest);
		if (status != 0)
			return status;
	} while (span_char(&rest, ','));
	if (rest.at == rest.end)
		return 0;
	error_message(option, _("unexpected '%.*s'; separate conditions with commas"),
		      (int)span_length(rest), rest.at);
	return 2;
}

/* The keys of a row, before the first one gap. */
static void add_keys(struct buffer *out, const char *gap, const struct schema *schema, const void *row)
{

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		char number[VALUE_TEXT_MAX];

		if (column->kind != COLUMN_KEY || !row_is_known(row, column))
			continue;
		buffer_print(out, "%s%s", gap,
			     column->type == VALUE_TEXT
				     ? row_text(row, column)
				     : number_text(number, column, row_number(row, column), true));
		gap = " ";
	}
}

/* The rows that were counted, with the sentence that they may have. */
static void add_rows(struct buffer *out, const struct condition *condition, const struct table *table)
{
	const struct schema *schema = condition->schema;
	unsigned n_shown = 0;

	for (size_t r = 0; r < table->n_rows && n_shown < ROWS_SHOWN; r++) {
		const void *row = table_row(table, r);

		if (!condition_selects(condition, row))
			continue;
		add_keys(out, n_shown++ > 0 ? "; " : ": ", schema, row);
		for (unsigned i = 0; i < schema->n_columns; i++)
			if (schema->columns[i].prose && row_is_known(row, &schema->columns[i]))
				buffer_print(out, ": %s", row_text(row, &schema->columns[i]));
	}
}

/* What is found instead of what the condition wants. */
static void describe(struct assertion_part *part, const struct frame *frame)
{
	const struct condition *condition = &part->condition;
	char number[VALUE_TEXT_MAX];

	if (isnan(part->result.value)) {
		buffer_text(&part->found, _("unknown"));
	} else if (!condition->measured) {
		buffer_print(&part->found, "%.0f", part->result.value);
		add_rows(&part->found, condition, frame_table(frame, condition->schema->name));
		return;
	} else {
		buffer_text(&part->found, amount_text(number, condition->measured->unit, part->result.value));
	}
	if (part->result.row && condition->n_selects == 0)
		add_keys(&part->found, ", ", condition->schema, part->result.row);
}

void assertion_take(struct assertion *assertion, const struct frame *frame)
{
	for (size_t i = 0; i < assertion->n_parts; i++) {
		struct assertion_part *part = &assertion->parts[i];

		part->result = condition_judge(&part->condition, frame);
		buffer_empty(&part->found);
		if (!part->result.holds)
			describe(part, frame);
		part->result.row = NULL;
	}
}

int assertion_judge(const struct assertion *assertion)
{
	int status = 0;

	for (size_t i = 0; i < assertion->n_parts; i++) {
		const struct assertion_part *part = &assertion->parts[i];

		if (part->result.holds)
			continue;
		status = ASSERTION_BROKEN;
		error_message(option, _("failed: %.*s; it is %.*s"), (int)span_length(part->condition.text),
			      part->condition.text.at, (int)part->found.length, part->found.bytes);
	}
	return status;
}

void assertion_close(struct assertion *assertion)
{
	for (size_t i = 0; i < assertion->n_parts; i++)
		buffer_free(&assertion->parts[i].found);
	free(assertion->parts);
}
