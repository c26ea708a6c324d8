/* SPDX-License-Identifier: GPL-2.0-or-later */
/* B - A: schemas with signed numbers, and the join of two tables. */
#include <config.h>

#include "model/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"

struct differences {
	struct schema *schemas; /* owned, with their columns */
	const struct schema **list;
	unsigned n_schemas;
	struct hash rows; /* of the earlier table: the last one of each key */
	struct earlier_row {
		bool joined;
		uint32_t first; /* in the last one of a key: the first one that is not joined */
		uint32_t next;  /* the next one of its key; HASH_NONE: it is the last one */
	} *earlier;
	size_t n_earlier; /* capacity */
	const struct column *name; /* on which rows are joined that are sums by name; NULL: on their keys */
};

/* Names, numbers that are names, and times of day have no difference. */
static bool is_counted(const struct column *column)
{
	bool measures = column->kind == COLUMN_GAUGE || column->kind == COLUMN_COUNTER ||
			column->kind == COLUMN_RATE;
	bool names = column->kind == COLUMN_GAUGE && column->type == VALUE_U64 && column->unit == UNIT_NONE;

	return measures && !names && column->type != VALUE_TEXT && column->unit != UNIT_TIME &&
	       column->unit != UNIT_ADDRESS;
}

static struct column difference_column(const struct column *of)
{
	struct column column = *of;

	column.rate_of = column.rate_over = column.aged_by = 0;
	if (!is_counted(of))
		return column;
	column.type = VALUE_F64; /* as large as a u64 */
	column.kind = of->kind == COLUMN_RATE ? COLUMN_GAUGE : of->kind;
	column.difference = true;
	column.high = column.alarming = 0;
	column.trend = column.of_interval = false;
	return column;
}

static void make_schema(struct schema *schema, const struct schema *of)
{
	struct column *columns = alloc_zeroed(of->n_columns + 1, sizeof(*columns));

	for (unsigned i = 0; i < of->n_columns; i++)
		columns[i] = difference_column(&of->columns[i]);
	columns[of->n_columns] = (struct column){
		.key = DIFFERENCE_COLUMN,
		.title = N_("change"),
		.help = N_("of a difference: new in the later sample, ended since the earlier one, or "
			   "neither"),
		.source = "the KEY columns of both samples",
		.type = VALUE_TEXT,
		.kind = COLUMN_LABEL,
		.offset = (uint16_t)of->row_size,
		.width = 6,
		.optional = true,
		.words = true,
	};
	*schema = *of;
	schema->columns = columns;
	schema->n_columns = of->n_columns + 1;
	schema->row_size = of->row_size + sizeof(const char *);
	schema->over_interval = schema->derived = false;
	schema->percent_base = NULL;
}

struct differences *differences_open(const struct schema *const *schemas, unsigned n_schemas)
{
	struct differences *differences = alloc_zeroed(1, sizeof(*differences));

	differences->n_schemas = n_schemas;
	differences->schemas = alloc_zeroed(n_schemas, sizeof(*differences->schemas));
	differences->list = alloc_zeroed(n_schemas, sizeof(*differences->list));
	for (unsigned i = 0; i < n_schemas; i++) {
		make_schema(&differences->schemas[i], schemas[i]);
		differences->list[i] = &differences->schemas[i];
	}
	return differences;
}

void differences_close(struct differences *differences)
{
	if (!differences)
		return;
	for (unsigned i = 0; i < differences->n_schemas; i++)
		free((void *)differences->schemas[i].columns);
	free(differences->schemas);
	free(differences->list);
	free(differences->earlier);
	hash_free(&differences->rows);
	free(differences);
}

const struct schema *const *differences_schemas(const struct differences *differences)
{
	return differences->list;
}

const struct schema *differences_schema(const struct differences *differences, const char *topic)
{
	int index = schema_index(differences->list, differences->n_schemas, topic);

	return index < 0 ? NULL : differences->list[index];
}

/* Does the row lack its first KEY column, so that it stands for what is gone? */
static bool is_nameless(const struct schema *schema, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY)
			return !row_is_known(row, &schema->columns[i]);
	return false;
}

static double less(const struct column *column, const void *now, const void *before)
{
	uint64_t late, early;

	if (!row_is_known(now, column) || !row_is_known(before, column))
		return NAN;
	if (column->type != VALUE_U64)
		return row_f64(now, column) - row_f64(before, column);
	late = row_u64(now, column);
	early = row_u64(before, column);
	return late >= early ? (double)(late - early) : -(double)(early - late);
}

/* Of a row that only one sample has. */
static double alone(const struct schema *schema, const struct column *column, const void *row, bool ended)
{
	/* what is absent from a table of all rows is nothing of an amount, rather than unknown */
	bool amount = column->kind == COLUMN_COUNTER || (column->kind == COLUMN_RATE && !column->rate_over) ||
		      (column->kind == COLUMN_GAUGE &&
		       (column->unit == UNIT_BYTES || column->unit == UNIT_COUNT));

	if (!schema->from_zero || !amount || (ended && column->kind == COLUMN_COUNTER))
		return NAN;
	return ended ? -row_number(row, column) : row_number(row, column);
}

/* Are all rows sums of those of a name, as others stored them? */
static bool is_of_sums(const struct table *table, const struct column *name)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!is_nameless(table->schema, row) || !row_is_known(row, name))
			return false;
	}
	return table->n_rows > 0;
}

static const struct column *name_of_sums(const struct table *before, const struct table *now)
{
	const struct schema *schema = now->schema;

	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].grouping)
			return is_of_sums(before, &schema->columns[i]) && is_of_sums(now, &schema->columns[i])
				       ? &schema->columns[i]
				       : NULL;
	return NULL;
}

/* before or now is NULL in a row of only one sample: a name that is not stored is among all others then. */
static void add_row(const struct differences *differences, struct table *table, const struct schema *schema,
		    const void *before, const void *now)
{
	const void *one = now ? now : before;
	void *row = table_add(table);
	bool nameless = differences->name ? !before || !now : !before && is_nameless(schema, now);
	const char *change = nameless ? NULL : !before ? DIFFERENCE_NEW : !now ? DIFFERENCE_ENDED : "";

	row_copy(row, one, schema);
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (!is_counted(column))
			continue;
		row_set_f64(row, column,
			    nameless        ? NAN
			    : before && now ? less(column, now, before)
					    : alone(schema, column, one, !now));
	}
	row_set_text(row, &table->schema->columns[schema->n_columns], change);
}

static uint64_t hash_of(const struct differences *differences, const struct schema *schema, const void *row)
{
	return differences->name ? hash_bytes(HASH_SEED, span_text(row_text(row, differences->name)))
				 : row_hash_key(schema, row);
}

static bool is_joined(const struct differences *differences, const struct schema *schema, const void *row)
{
	return differences->name || !is_nameless(schema, row);
}

/* The last row with the key of row, or HASH_NONE. */
static uint32_t find_row(const struct differences *differences, const struct table *before, const void *row)
{
	uint32_t at;

	HASH_FIND(at, &differences->rows, hash_of(differences, before->schema, row),
		  differences->name ? row_same_value(differences->name, table_row(before, at), row)
				    : row_same_key(before->schema, table_row(before, at), row));
	return at;
}

static void index_rows(struct differences *differences, const struct table *before)
{
	hash_clear(&differences->rows);
	hash_reserve(&differences->rows, before->n_rows);
	VECTOR_RESERVE(differences->earlier, before->n_rows, differences->n_earlier);
	for (uint32_t i = (uint32_t)before->n_rows; i-- > 0;) {
		struct earlier_row *earlier = &differences->earlier[i];
		const void *row = table_row(before, i);
		uint32_t last;

		*earlier = (struct earlier_row){ !is_joined(differences, before->schema, row), i, HASH_NONE };
		if (earlier->joined)
			continue;
		last = find_row(differences, before, row);
		if (last == HASH_NONE) {
			hash_add(&differences->rows, hash_of(differences, before->schema, row), i);
		} else {
			earlier->next = differences->earlier[last].first;
			differences->earlier[last].first = i;
		}
	}
}

/* Of several rows with the same key the first one that no row was joined with. */
static const void *take_row(struct differences *differences, const struct table *before, const void *row)
{
	uint32_t last =
		is_joined(differences, before->schema, row) ? find_row(differences, before, row) : HASH_NONE;
	uint32_t at;

	if (last == HASH_NONE || differences->earlier[last].first == HASH_NONE)
		return NULL;
	at = differences->earlier[last].first;
	differences->earlier[last].first = differences->earlier[at].next;
	differences->earlier[at].joined = true;
	return table_row(before, at);
}

static void join(struct differences *differences, struct table *table, const struct table *before,
		 const struct table *now)
{
	differences->name = name_of_sums(before, now);
	index_rows(differences, before);
	for (size_t i = 0; i < now->n_rows; i++) {
		const void *row = table_row(now, i);

		add_row(differences, table, now->schema, take_row(differences, before, row), row);
	}
	for (size_t i = 0; i < before->n_rows; i++)
		if (!differences->earlier[i].joined)
			add_row(differences, table, before->schema, table_row(before, i), NULL);
	table->present = true;
	table->mono_ns = now->mono_ns;
}

static void copy_notices(struct frame *to, const struct frame *from)
{
	for (unsigned i = 0; i < from->n_notices; i++)
		frame_notice(to, from->notices[i].topic, from->notices[i].remedy, "%s",
			     from->notices[i].text);
}

void frame_difference(struct differences *differences, struct frame *difference, const struct frame *before,
		      const struct frame *now, bool same_run)
{
	uint64_t from_ns = same_run ? before->mono_ns : before->wall_ns;
	uint64_t to_ns = same_run ? now->mono_ns : now->wall_ns;

	frame_clear(difference);
	difference->mono_ns = now->mono_ns;
	difference->wall_ns = now->wall_ns;
	difference->since_ns = before->wall_ns;
	difference->interval_ns = to_ns > from_ns ? to_ns - from_ns : 0;
	difference->host = now->host;
	copy_notices(difference, now);
	copy_notices(difference, before);
	for (unsigned i = 0; i < difference->n_tables; i++) {
		const struct table *early = &before->tables[i], *late = &now->tables[i];
		bool had = early->present && !early->failed, has = late->present && !late->failed;

		if (late->schema->shape == SHAPE_EVENTS)
			continue;
		if (had && has)
			join(differences, &difference->tables[i], early, late);
		else if (had || has)
			frame_notice(difference, late->schema->name, NULL,
				     has ? _("%s is not in the earlier sample: no difference")
						    : _("%s is not in the later sample: no difference"),
				     late->schema->name);
	}
}
