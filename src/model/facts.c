/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks names up in what is made for a pane, in a row, and in a frame. */
#include <config.h>

#include "model/facts.h"

#include <stdio.h>
#include <string.h>

static struct fact column_fact(const struct table *table, const void *row, struct span name)
{
	const struct column *column = row ? schema_find_span(table->schema, name) : NULL;

	if (!column)
		return FACT_UNKNOWN;
	if (column->type == VALUE_TEXT)
		return (struct fact){ .text = table_text(table, row, column->key), .words = column->words };
	return (struct fact){ .number = row_number(row, column), .unit = column->unit };
}

/* path is TOPIC.COLUMN, TOPIC.KEY.COLUMN or TOPIC.KEY/OTHER.COLUMN. */
static struct fact frame_fact(const struct frame *frame, struct span path)
{
	char names[128], *key, *column, *other = NULL;
	const struct table *table;

	snprintf(names, sizeof(names), "%.*s", (int)span_length(path), path.at);
	column = strrchr(names, '.');
	*column++ = '\0';
	key = strchr(names, '.');
	if (key) {
		*key++ = '\0';
		other = strchr(key, '/');
	}
	if (other)
		*other++ = '\0';
	table = frame_table(frame, names);
	if (!table || table->n_rows == 0)
		return FACT_UNKNOWN;
	return column_fact(table, key ? table_find(table, key, other) : table_row(table, 0),
			   span_text(column));
}

struct fact row_fact(const struct facts *facts, struct span name)
{
	const struct row_facts *of = (const struct row_facts *)facts;

	for (size_t i = 0; i < of->n_made; i++)
		if (span_is(name, of->made[i].name))
			return of->made[i].fact;
	if (of->frame && memchr(name.at, '.', span_length(name)))
		return frame_fact(of->frame, name);
	return column_fact(of->table, of->row, name);
}
