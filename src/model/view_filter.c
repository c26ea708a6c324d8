/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows that a view wants. */
#include <config.h>

#include "model/view_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/span.h"

/* NULL: no such column, or no value. */
static const char *text_in(const struct schema *schema, int column, const void *row)
{
	return column < 0 ? NULL : row_text(row, &schema->columns[column]);
}

static bool is_on_list(const struct view_choice *choice, const struct schema *schema, const void *row)
{
	const struct column *number = choice->number < 0 ? NULL : &schema->columns[choice->number];
	const struct column *other = choice->other < 0 ? NULL : &schema->columns[choice->other];
	const char *text = text_in(schema, choice->text, row);
	struct span rest = span_text(choice->list), item;
	uint64_t value;

	while (span_item(&rest, &item)) {
		if (text && span_is(item, text))
			return true;
		if (!span_is_u64(item, &value))
			continue;
		if ((number && row_number(row, number) == (double)value) ||
		    (other && row_number(row, other) == (double)value))
			return true;
	}
	return false;
}

static bool passes_choice(const struct view_choice *choice, const struct schema *schema, const void *row)
{
	if (choice->list)
		return is_on_list(choice, schema, row);
	return choice->number < 0 ||
	       row_number(row, &schema->columns[choice->number]) != (double)choice->excluded;
}

/* A row without a pid is of several processes: its topic has chosen them. */
bool view_filter_scopes(const struct view_filter *filter, const struct schema *schema, const void *row)
{
	const struct column *pid;

	if (!filter->scope)
		return true;
	if (filter->scope_pid < 0)
		return scope_has_group(filter->scope, row_text(row, &schema->columns[filter->scope_path]));
	pid = &schema->columns[filter->scope_pid];
	if (!row_is_known(row, pid))
		return true;
	return scope_has(filter->scope, row_u64(row, pid),
			 filter->scope_start < 0 ? NAN
						 : row_number(row, &schema->columns[filter->scope_start]));
}

static bool is_of_group(const struct view_filter *filter, const struct schema *schema, const void *row)
{
	const char *path = text_in(schema, filter->group_column, row);

	if (!filter->group)
		return true;
	return path && (filter->group_alone ? strcmp(path, filter->group) == 0
					    : scope_path_is_below(path, filter->group));
}

bool view_filter_accepts(const struct view_filter *filter, const struct schema *schema, const void *row)
{
	if (!isnan(filter->threshold) && row != filter->pinned &&
	    !(row_number(row, &schema->columns[filter->threshold_column]) >= filter->threshold))
		return false;
	if (filter->scope && !view_filter_scopes(filter, schema, row))
		return false;
	if (!is_of_group(filter, schema, row))
		return false;
	for (unsigned i = 0; i < filter->n_choices; i++)
		if (!passes_choice(&filter->choices[i], schema, row))
			return false;
	return !filter->pattern || pattern_matches(filter->pattern, schema, row) ||
	       (filter->digits && pid_begins_with(filter->digits, schema, row));
}

static bool has_capital(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

int pattern_compile(regex_t *pattern, const char *text)
{
	return regcomp(pattern, text, REG_EXTENDED | (has_capital(text) ? 0 : REG_ICASE));
}

bool pid_begins_with(const char *text, const struct schema *schema, const void *row)
{
	const struct column *pid = schema_find(schema, "pid");
	size_t length = strspn(text, "0123456789");
	char digits[24];

	if (length == 0 || text[length] != '\0' || !pid || pid->type != VALUE_U64 || !row_is_known(row, pid))
		return false;
	snprintf(digits, sizeof(digits), "%" PRIu64, row_u64(row, pid));
	return strncmp(digits, text, length) == 0;
}

bool pattern_matches(const regex_t *pattern, const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		const char *text =
			column->type == VALUE_TEXT ? column_words(column, row_text(row, column)) : NULL;

		if (text && regexec(pattern, text, 0, NULL, 0) == 0)
			return true;
	}
	return false;
}
