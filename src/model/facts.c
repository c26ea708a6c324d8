/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks names up in what is made for a pane, in a row, and in a frame. */
#include <config.h>

#include "model/facts.h"

#include <stdio.h>
#include <string.h>

static struct fact find_column(const struct table *table, const void *row, struct span name)
{
	const struct column *column = row ? schema_find_span(table->schema, name) : NULL;
	struct fact fact = FACT_UNKNOWN;

	if (!column)
		return fact;
	fact.origin = (struct origin){ .schema = table->schema, .row = row, .column = column };
	fact.words = column->words;
	if (column->type == VALUE_TEXT)
		fact.text = table_text(table, row, column->key);
	else
		fact.number = row_number(row, column);
	fact.unit = column->unit;
	return fact;
}

struct fact column_fact(const struct table *table, const void *row, const char *column)
{
	return find_column(table, row, span_text(column));
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
	return find_column(table, key ? table_find(table, key, other) : table_row(table, 0),
			   span_text(column));
}

struct fact made_fact_of(const struct made_fact *made)
{
	struct fact fact = made->fact;

	if (made->from)
		fact.origin = (struct origin){ .name = made->name, .from = made->from, .number = fact.number,
					       .unit = fact.unit };
	return fact;
}

struct fact row_fact(const struct facts *facts, struct span name)
{
	const struct row_facts *of = (const struct row_facts *)facts;

	for (size_t i = 0; i < of->n_made; i++)
		if (span_is(name, of->made[i].name))
			return made_fact_of(&of->made[i]);
	if (of->frame && memchr(name.at, '.', span_length(name)))
		return frame_fact(of->frame, name);
	return find_column(of->table, of->row, name);
}

void fact_drawn(const struct facts *facts, const struct fact *fact)
{
	const struct origin *origin = &fact->origin;

	if (origin->column && !fact->text && origin->column->kind != COLUMN_KEY)
		origin_add(origin);
	else if (origin->from && (fact->text || origin_add(origin)))
		facts_drawn(facts, origin->from);
}

void facts_drawn(const struct facts *facts, const char *names)
{
	while (*names) {
		size_t length = strcspn(names, " ,()");
		struct fact fact = length > 0 ? facts->find(facts, span_of(names, length)) : FACT_UNKNOWN;

		if (fact_is_known(&fact))
			fact_drawn(facts, &fact);
		names += length + (names[length] != '\0');
	}
}
