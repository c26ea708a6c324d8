/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions: the parser, and how they are judged in a frame. */
#include <config.h>

#include "model/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void skip_blanks(struct span *rest)
{
	while (span_char(rest, ' ') || span_char(rest, '\t'))
		;
}

static bool is_name(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
}

static struct span take_name(struct span *rest)
{
	struct span name = { .at = rest->at };

	while (rest->at < rest->end && is_name(*rest->at))
		rest->at++;
	name.end = rest->at;
	return name;
}

/* Adds a byte to the value, of which used bytes are there; false when it is too long. */
static bool add_byte(char *value, size_t *used, char byte)
{
	if (*used + 1 >= CONDITION_VALUE_MAX)
		return false;
	value[(*used)++] = byte;
	value[*used] = '\0';
	return true;
}

/* Behind the first quote; in it a backslash takes the next byte as it is. */
static enum condition_error take_quoted(struct span *rest, char *value)
{
	size_t used = 0;

	while (rest->at < rest->end && *rest->at != '"') {
		if (*rest->at == '\\' && rest->at + 1 < rest->end)
			rest->at++;
		if (!add_byte(value, &used, *rest->at++))
			return CONDITION_TOO_LONG;
	}
	return span_char(rest, '"') ? CONDITION_GOOD : CONDITION_OPEN;
}

/* Up to a comma or bracket, without the blanks around it. */
static enum condition_error take_plain(struct span *rest, char *value)
{
	size_t used = 0;

	while (rest->at < rest->end && *rest->at != ',' && *rest->at != ')')
		if (!add_byte(value, &used, *rest->at++))
			return CONDITION_TOO_LONG;
	while (used > 0 && (value[used - 1] == ' ' || value[used - 1] == '\t'))
		value[--used] = '\0';
	return CONDITION_GOOD;
}

static enum condition_error take_select(struct span *rest, struct condition_select *select)
{
	struct span start, name;

	skip_blanks(rest);
	start = *rest;
	name = take_name(rest);
	skip_blanks(rest);
	if (span_length(name) > 0 && span_char(rest, '='))
		select->column = name;
	else
		*rest = start;
	skip_blanks(rest);
	return span_char(rest, '"') ? take_quoted(rest, select->value) : take_plain(rest, select->value);
}

/* Behind the bracket. */
static enum condition_error take_selects(struct span *rest, struct condition *condition)
{
	skip_blanks(rest);
	if (span_char(rest, ')'))
		return CONDITION_GOOD;
	do {
		enum condition_error error = CONDITION_TOO_LONG;

		if (condition->n_selects < CONDITION_SELECTS_MAX)
			error = take_select(rest, &condition->selects[condition->n_selects++]);
		if (error)
			return error;
		skip_blanks(rest);
	} while (span_char(rest, ','));
	return span_char(rest, ')') ? CONDITION_GOOD : CONDITION_OPEN;
}

bool relation_parse(struct span *rest, enum relation *relation)
{
	static const struct {
		const char *sign; /* those of two bytes first */
		enum relation relation;
	} signs[] = {
		{ "<=", RELATION_LESS_EQUAL }, { ">=", RELATION_GREATER_EQUAL },
		{ "==", RELATION_EQUAL },      { "!=", RELATION_NOT_EQUAL },
		{ "<", RELATION_LESS },        { ">", RELATION_GREATER },
	};

	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (span_starts(*rest, signs[i].sign)) {
			rest->at += strlen(signs[i].sign);
			*relation = signs[i].relation;
			return true;
		}
	}
	return false;
}

static enum condition_error set_limit(struct condition *condition, double number, enum unit unit)
{
	condition->limit = unit == UNIT_RATIO ? number / 100 : number;
	condition->unit = unit;
	return CONDITION_GOOD;
}

/* "500", "-1e3", "15%", "100us", "1.5GiB". */
static enum condition_error take_number(struct span *rest, struct condition *condition)
{
	struct span word = { .at = rest->at }, unit;
	char text[64];
	uint64_t bytes;
	double number;

	while (rest->at < rest->end && !strchr(" \t,", *rest->at))
		rest->at++;
	word.end = rest->at;
	unit = word;
	if (span_length(word) >= sizeof(text))
		return CONDITION_NO_NUMBER;
	snprintf(text, sizeof(text), "%.*s", (int)span_length(word), word.at);
	if (span_real(&unit, &number) && (unit.at == unit.end || span_is(unit, "%"))) {
		if (unit.at == unit.end)
			skip_blanks(rest);
		return set_limit(condition, number,
				 unit.at < unit.end || span_char(rest, '%') ? UNIT_RATIO : UNIT_NONE);
	}
	if (span_whole_seconds(text, 0, HUGE_VAL, &number))
		return set_limit(condition, number, UNIT_SECONDS);
	if (span_whole_bytes(text, 0, UINT64_MAX / 2, &bytes))
		return set_limit(condition, (double)bytes, UNIT_BYTES);
	rest->at = word.at;
	return CONDITION_NO_NUMBER;
}

static enum condition_error parse(struct span *rest, struct condition *condition)
{
	enum condition_error error = CONDITION_GOOD;

	condition->topic = take_name(rest);
	if (span_length(condition->topic) == 0)
		return CONDITION_NO_TOPIC;
	skip_blanks(rest);
	if (span_char(rest, '('))
		error = take_selects(rest, condition);
	if (!error && span_char(rest, '.')) {
		condition->column = take_name(rest);
		if (span_length(condition->column) == 0)
			return CONDITION_UNKNOWN_COLUMN;
	}
	skip_blanks(rest);
	if (!error && !relation_parse(rest, &condition->relation))
		error = CONDITION_NO_COMPARISON;
	skip_blanks(rest);
	return error ? error : take_number(rest, condition);
}

enum condition_error condition_parse(struct span *rest, struct condition *condition, struct span *wrong)
{
	enum condition_error error;

	*condition = (struct condition){ 0 };
	skip_blanks(rest);
	condition->text.at = rest->at;
	error = parse(rest, condition);
	condition->text.end = rest->at;
	while (condition->text.end > condition->text.at && condition->text.end[-1] == ' ')
		condition->text.end--;
	*wrong = error == CONDITION_NO_COMPARISON ? condition->text : *rest;
	skip_blanks(rest);
	return error;
}

/* The KEY column at this place among them; NULL: there are not that many. */
static const struct column *key_at(const struct schema *schema, unsigned place)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY && place-- == 0)
			return &schema->columns[i];
	return NULL;
}

static const struct column *find(const struct schema *schema, struct span key)
{
	int index = schema_column_span(schema, key);

	return index < 0 ? NULL : &schema->columns[index];
}

static bool has_unit(const struct column *column, enum unit unit)
{
	switch (unit) {
	case UNIT_NONE:
		return true;
	case UNIT_BYTES:
		return column && (column->unit == UNIT_BYTES || column->unit == UNIT_BYTES_PER_SECOND);
	default:
		return column && column->unit == unit;
	}
}

enum condition_error condition_bind(struct condition *condition, const struct schema *schema,
				    struct span *wrong)
{
	unsigned place = 0;

	condition->schema = schema;
	for (unsigned i = 0; i < condition->n_selects; i++) {
		struct condition_select *select = &condition->selects[i];
		bool named = span_length(select->column) > 0;

		*wrong = named ? select->column : span_text(select->value);
		select->bound = named ? find(schema, select->column) : key_at(schema, place++);
		if (!select->bound)
			return named ? CONDITION_UNKNOWN_COLUMN : CONDITION_TOO_MANY_KEYS;
	}
	*wrong = condition->column;
	condition->measured = NULL;
	if (span_length(condition->column) > 0) {
		condition->measured = find(schema, condition->column);
		if (!condition->measured)
			return CONDITION_UNKNOWN_COLUMN;
		if (condition->measured->type == VALUE_TEXT)
			return CONDITION_NOT_NUMERIC;
	}
	return has_unit(condition->measured, condition->unit) ? CONDITION_GOOD : CONDITION_OTHER_UNIT;
}

static bool has_value(const struct condition_select *select, const void *row)
{
	struct span text = span_text(select->value);
	double number;

	if (!row_is_known(row, select->bound))
		return false;
	if (select->bound->type == VALUE_TEXT)
		return strcmp(row_text(row, select->bound), select->value) == 0;
	return span_real(&text, &number) && text.at == text.end && number == row_number(row, select->bound);
}

bool condition_selects(const struct condition *condition, const void *row)
{
	if (schema_row_is_over(condition->schema, row))
		return false;
	for (unsigned i = 0; i < condition->n_selects; i++)
		if (!has_value(&condition->selects[i], row))
			return false;
	return true;
}

bool relation_holds(double value, enum relation relation, double limit)
{
	switch (relation) {
	case RELATION_LESS:
		return value < limit;
	case RELATION_LESS_EQUAL:
		return value <= limit;
	case RELATION_GREATER:
		return value > limit;
	case RELATION_GREATER_EQUAL:
		return value >= limit;
	case RELATION_EQUAL:
		return value == limit;
	case RELATION_NOT_EQUAL:
		return value < limit || value > limit;
	}
	return false;
}

bool condition_compares(const struct condition *condition, double value)
{
	return relation_holds(value, condition->relation, condition->limit);
}

struct condition_result condition_judge(const struct condition *condition, const struct frame *frame)
{
	const struct table *table = frame_table(frame, condition->schema->name);
	struct condition_result result = { .value = NAN };
	double n_rows = 0;

	if (!table || table->failed)
		return result;
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!condition_selects(condition, row))
			continue;
		n_rows++;
		if (!condition->measured)
			continue;
		result.row = row;
		result.value = row_number(row, condition->measured);
		result.holds = condition_compares(condition, result.value);
		if (!result.holds)
			return result;
	}
	if (condition->measured)
		return result;
	result.value = n_rows;
	result.holds = condition_compares(condition, n_rows);
	return result;
}
