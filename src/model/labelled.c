/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the column behind the fields of a row, so that all other columns read both. */
#include <config.h>

#include "model/labelled.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"

struct labelled {
	struct schema *schemas; /* owned, with their columns */
	const struct schema **list;
	unsigned n_schemas;
};

static void make_schema(struct schema *schema, const struct schema *of)
{
	bool has_one = schema_find(of, LABELLED_COLUMN) != NULL;
	struct column *columns = alloc_zeroed(of->n_columns + 1, sizeof(*columns));

	memcpy(columns, of->columns, of->n_columns * sizeof(*columns));
	*schema = *of;
	schema->columns = columns;
	if (has_one)
		return;
	columns[schema->n_columns++] = (struct column){
		.key = LABELLED_COLUMN,
		.title = N_("host"),
		.help = N_("machine that the row is of, where there are several"),
		.source = "--source; --replay",
		.type = VALUE_TEXT,
		.kind = COLUMN_KEY,
		.offset = (uint16_t)of->row_size,
		.width = 10,
	};
	schema->row_size = of->row_size + sizeof(const char *);
}

struct labelled *labelled_open(const struct schema *const *schemas, unsigned n_schemas)
{
	struct labelled *labelled = alloc_zeroed(1, sizeof(*labelled));

	labelled->n_schemas = n_schemas;
	labelled->schemas = alloc_zeroed(n_schemas, sizeof(*labelled->schemas));
	labelled->list = alloc_zeroed(n_schemas, sizeof(*labelled->list));
	for (unsigned i = 0; i < n_schemas; i++) {
		make_schema(&labelled->schemas[i], schemas[i]);
		labelled->list[i] = &labelled->schemas[i];
	}
	return labelled;
}

void labelled_close(struct labelled *labelled)
{
	if (!labelled)
		return;
	for (unsigned i = 0; i < labelled->n_schemas; i++)
		free((void *)labelled->schemas[i].columns);
	free(labelled->schemas);
	free(labelled->list);
	free(labelled);
}

const struct schema *const *labelled_schemas(const struct labelled *labelled)
{
	return labelled->list;
}

const struct schema *labelled_schema(const struct labelled *labelled, const char *name)
{
	int index = schema_index(labelled->list, labelled->n_schemas, name);

	return index < 0 ? NULL : labelled->list[index];
}

static void add_table(struct frame *to, struct table *table, const struct table *from, const char *host)
{
	const struct column *label = schema_find(table->schema, LABELLED_COLUMN);
	size_t first = table_append(to, table, from);

	table->present = true;
	table->mono_ns = from->mono_ns;
	table->interval_ns = from->interval_ns;
	for (size_t i = first; i < table->n_rows; i++)
		row_set_text(table_row(table, i), label, host);
}

void labelled_add(struct frame *to, const struct frame *from, const char *host, bool events)
{
	const char *name = arena_copy(&to->arena, host, strlen(host));

	for (unsigned i = 0; i < from->n_tables; i++) {
		const struct table *table = &from->tables[i];
		bool own = to->tables[i].schema->row_size == table->schema->row_size;

		if (table->present && !own && (table->schema->shape == SHAPE_EVENTS) == events)
			add_table(to, &to->tables[i], table, name);
	}
	for (unsigned i = 0; i < from->n_notices && !events; i++)
		frame_notice(to, from->notices[i].topic, from->notices[i].remedy, "%s: %s", host,
			     from->notices[i].text);
}
