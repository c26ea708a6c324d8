/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the column of a metric by its name, and the row of a series by its labels. */
#include <config.h>

#include "fleet/stored_series.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "output/exposition.h"

#define KEPT_MAX ((size_t)16 << 20) /* bytes of all that is kept of the answers … */
#define FRAME_MAX ((size_t)4 << 20) /* … and of the rows of a frame */
#define ROW_SLOTS 32                /* bytes in the table of rows by their keys */
#define MACHINE "instance"
#define BYTE_BITS 8

/* What a metric is. */
struct metric {
	char name[EXPOSITION_NAME_MAX];
	unsigned schema;
	const struct column *column; /* NULL: the labels of its series are texts of the row */
	double scale;                /* of its value in the column */
};

/* A text of a row: of a key, or any other one. */
struct text {
	const struct column *column;
	const char *value;
};

struct stored_row {
	unsigned schema;
	uint32_t machine;
	size_t text, n_texts;
};

struct series {
	const struct metric *metric;
	uint32_t row;
	size_t value;         /* the first of its steps */
	size_t text, n_texts; /* of an info: those that are no keys */
};

struct stored_series {
	const struct schema *const *schemas;
	unsigned n_schemas;
	struct metric *metrics;
	size_t n_metrics, metric_capacity;
	struct hash by_name;

	struct stored_steps steps;
	struct arena arena;
	const char **machines; /* their names */
	size_t n_machines, machine_capacity;
	struct hash by_machine;
	struct stored_row *rows;
	size_t n_rows, row_capacity;
	struct hash by_keys;
	struct text *texts;
	size_t n_texts, text_capacity;
	struct series *series;
	size_t n_series, series_capacity;
	double *values; /* NaN: there is none */
	size_t n_values, value_capacity;
	size_t text_bytes; /* in the arena */
};

static void add_metric(struct stored_series *stored, unsigned schema, const struct column *column,
		       const char *name)
{
	bool of_bits = column && (column->unit == UNIT_BITS || column->unit == UNIT_BITS_PER_SECOND);
	struct metric *metric = VECTOR_ADD(stored->metrics, stored->n_metrics, stored->metric_capacity);

	*metric = (struct metric){ .schema = schema, .column = column, .scale = of_bits ? BYTE_BITS : 1 };
	snprintf(metric->name, sizeof(metric->name), "%s", name);
}

struct stored_series *stored_series_open(const struct schema *const *schemas, unsigned n_schemas)
{
	struct stored_series *stored = alloc_zeroed(1, sizeof(*stored));
	char name[EXPOSITION_NAME_MAX];

	stored->schemas = schemas;
	stored->n_schemas = n_schemas;
	for (unsigned s = 0; s < n_schemas; s++) {
		for (unsigned c = 0; c < schemas[s]->n_columns; c++)
			if (exposition_metric(schemas[s], &schemas[s]->columns[c], name))
				add_metric(stored, s, &schemas[s]->columns[c], name);
		if (exposition_info(schemas[s], name))
			add_metric(stored, s, NULL, name);
	}
	for (size_t i = 0; i < stored->n_metrics; i++)
		hash_add(&stored->by_name, hash_bytes(HASH_SEED, span_text(stored->metrics[i].name)),
			 (uint32_t)i);
	return stored;
}

void stored_series_begin(struct stored_series *stored, const struct stored_steps *steps)
{
	stored->steps = *steps;
	stored->n_machines = stored->n_rows = stored->n_texts = stored->n_series = stored->n_values = 0;
	stored->text_bytes = 0;
	hash_clear(&stored->by_machine);
	hash_clear(&stored->by_keys);
	arena_free(&stored->arena);
}

void stored_series_close(struct stored_series *stored)
{
	arena_free(&stored->arena);
	hash_free(&stored->by_name);
	hash_free(&stored->by_machine);
	hash_free(&stored->by_keys);
	free(stored->metrics);
	free(stored->machines);
	free(stored->rows);
	free(stored->texts);
	free(stored->series);
	free(stored->values);
	free(stored);
}

static const struct metric *find_metric(const struct stored_series *stored, const char *name)
{
	uint32_t at;

	HASH_FIND(at, &stored->by_name, hash_bytes(HASH_SEED, span_text(name)),
		  strcmp(stored->metrics[at].name, name) == 0);
	return at == HASH_NONE ? NULL : &stored->metrics[at];
}

static const char *label_value(const json_t *labels, const struct schema *schema, const struct column *column)
{
	const char *label = exposition_label(schema, column);

	return label ? json_string_value(json_object_get(labels, label)) : NULL;
}

static const char *keep_text(struct stored_series *stored, const char *text)
{
	size_t length = strlen(text);

	stored->text_bytes += length + 1;
	return arena_copy(&stored->arena, text, length);
}

static void add_text(struct stored_series *stored, const struct column *column, const char *value)
{
	*VECTOR_ADD(stored->texts, stored->n_texts, stored->text_capacity) =
		(struct text){ column, keep_text(stored, value) };
}

static uint32_t machine_of(struct stored_series *stored, const json_t *labels)
{
	const char *name = json_string_value(json_object_get(labels, MACHINE));
	uint64_t hash = hash_bytes(HASH_SEED, span_text(name ? name : ""));
	uint32_t at;

	HASH_FIND(at, &stored->by_machine, hash, strcmp(stored->machines[at], name ? name : "") == 0);
	if (at != HASH_NONE)
		return at;
	at = (uint32_t)stored->n_machines;
	*VECTOR_ADD(stored->machines, stored->n_machines, stored->machine_capacity) =
		name ? keep_text(stored, name) : "";
	hash_add(&stored->by_machine, hash, at);
	return at;
}

/* Rows of one topic and machine with the same keys are one. */
static uint64_t hash_keys(const json_t *labels, const struct stored_row *row, const struct schema *of)
{
	uint64_t hash = hash_u64((uint64_t)row->machine << 32 | row->schema);

	for (unsigned c = 0; c < of->n_columns; c++) {
		const char *value = label_value(labels, of, &of->columns[c]);

		if (value)
			hash = hash_bytes(hash_u64(hash + c), span_text(value));
	}
	return hash;
}

static bool has_keys(const struct stored_series *stored, const struct stored_row *row, const json_t *labels,
		     const struct stored_row *wanted)
{
	const struct schema *of = stored->schemas[row->schema];
	size_t n = 0;

	if (row->schema != wanted->schema || row->machine != wanted->machine)
		return false;
	for (unsigned c = 0; c < of->n_columns; c++) {
		const char *value = label_value(labels, of, &of->columns[c]);

		if (!value)
			continue;
		if (n == row->n_texts || stored->texts[row->text + n].column != &of->columns[c] ||
		    strcmp(stored->texts[row->text + n].value, value) != 0)
			return false;
		n++;
	}
	return n == row->n_texts;
}

static uint32_t row_of(struct stored_series *stored, const json_t *labels, unsigned schema)
{
	const struct schema *of = stored->schemas[schema];
	struct stored_row row = { .schema = schema,
				  .machine = machine_of(stored, labels),
				  .text = stored->n_texts };
	uint64_t hash = hash_keys(labels, &row, of);
	uint32_t at;

	HASH_FIND(at, &stored->by_keys, hash, has_keys(stored, &stored->rows[at], labels, &row));
	if (at != HASH_NONE)
		return at;
	for (unsigned c = 0; c < of->n_columns; c++) {
		const char *value = label_value(labels, of, &of->columns[c]);

		if (value)
			add_text(stored, &of->columns[c], value);
	}
	row.n_texts = stored->n_texts - row.text;
	at = (uint32_t)stored->n_rows;
	*VECTOR_ADD(stored->rows, stored->n_rows, stored->row_capacity) = row;
	hash_add(&stored->by_keys, hash, at);
	return at;
}

/* "[seconds, "number"]", of a moment that is one of the steps. */
static void take_value(struct stored_series *stored, const struct series *series, const json_t *pair)
{
	double at = json_number_value(json_array_get(pair, 0));
	const char *text = json_string_value(json_array_get(pair, 1));
	double step = round((at - stored->steps.first) / stored->steps.seconds), value;
	char *end;

	if (!text || !(step >= 0 && step < stored->steps.n))
		return;
	value = strtod(text, &end);
	if (end > text && !*end && isfinite(value))
		stored->values[series->value + (size_t)step] = value * series->metric->scale;
}

/* The other texts of a row, which its info has as labels. */
static void take_info(struct stored_series *stored, struct series *series, const json_t *labels)
{
	const struct schema *schema = stored->schemas[series->metric->schema];

	series->text = stored->n_texts;
	for (unsigned c = 0; c < schema->n_columns; c++) {
		const struct column *column = &schema->columns[c];
		const char *value = column->kind == COLUMN_LABEL && column->type == VALUE_TEXT
					    ? json_string_value(json_object_get(labels, column->key))
					    : NULL;

		if (value && !exposition_label(schema, column))
			add_text(stored, column, value);
	}
	series->n_texts = stored->n_texts - series->text;
}

static size_t kept_bytes(const struct stored_series *stored)
{
	return stored->n_series * sizeof(*stored->series) + stored->n_values * sizeof(*stored->values) +
	       stored->n_rows * (sizeof(*stored->rows) + ROW_SLOTS) +
	       stored->n_texts * sizeof(*stored->texts) + stored->text_bytes;
}

int stored_series_take(void *context, const json_t *result, const char **why)
{
	struct stored_series *stored = context;
	const json_t *labels = json_object_get(result, "metric"), *values = json_object_get(result, "values");
	const char *name = json_string_value(json_object_get(labels, "__name__"));
	const struct metric *metric = name ? find_metric(stored, name) : NULL;
	struct series *series;

	if (!metric)
		return 0;
	if (kept_bytes(stored) > KEPT_MAX) {
		*why = _("the answer is too long");
		return -EMSGSIZE;
	}
	series = VECTOR_ADD(stored->series, stored->n_series, stored->series_capacity);
	*series = (struct series){ .metric = metric,
				   .row = row_of(stored, labels, metric->schema),
				   .value = stored->n_values };
	for (unsigned step = 0; step < stored->steps.n; step++)
		*VECTOR_ADD(stored->values, stored->n_values, stored->value_capacity) = NAN;
	for (size_t i = 0; i < json_array_size(values); i++)
		take_value(stored, series, json_array_get(values, i));
	if (!metric->column)
		take_info(stored, series, labels);
	return 0;
}

static void set_text(void *row, const struct text *text, struct frame *frame)
{
	struct span rest = span_text(text->value);
	uint64_t number;

	if (text->column->type == VALUE_TEXT)
		row_set_text(row, text->column, arena_copy(&frame->arena, text->value, strlen(text->value)));
	else if (text->column->type == VALUE_U64 && span_u64(&rest, &number) && span_length(rest) == 0)
		row_set_u64(row, text->column, number);
}

static void set_value(void *row, const struct column *column, double value)
{
	if (column->type == VALUE_F64)
		row_set_f64(row, column, value);
	else if (column->type == VALUE_U64 && value >= 0 && value < (double)U64_BLANK)
		row_set_u64(row, column, (uint64_t)value);
}

/* Whole commands are not stored: where there is one, the name stands for it. */
static void set_command(void *row, const struct schema *schema, const struct text *name)
{
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (schema->columns[c].text == TEXT_COMMAND && !row_is_known(row, &schema->columns[c]) &&
		    name->column->grouping)
			row_set_text(row, &schema->columns[c], row_text(row, name->column));
}

static size_t set_texts(void *row, const struct stored_series *stored, size_t first, size_t n,
			struct frame *frame)
{
	size_t bytes = 0;

	for (size_t i = first; i < first + n; i++) {
		set_text(row, &stored->texts[i], frame);
		bytes += strlen(stored->texts[i].value);
	}
	return bytes;
}

/*
 * The row of the frame, which is added when its first value comes. numbers: of each row, from 1; 0: not yet.
 * *bytes grows by those that it takes.
 */
static void *row_in(struct frame *frame, const struct stored_series *stored, uint32_t *numbers, uint32_t at,
		    size_t *bytes)
{
	const struct stored_row *row = &stored->rows[at];
	struct table *table = &frame->tables[row->schema];
	void *added;

	if (numbers[at] > 0)
		return table_row(table, numbers[at] - 1);
	added = table_add(table);
	table->present = true;
	table->mono_ns = frame->mono_ns;
	numbers[at] = (uint32_t)table->n_rows;
	*bytes += schema_row_bytes(table->schema) + set_texts(added, stored, row->text, row->n_texts, frame);
	for (size_t i = 0; i < row->n_texts; i++)
		set_command(added, table->schema, &stored->texts[row->text + i]);
	return added;
}

size_t stored_series_machines(const struct stored_series *stored)
{
	return stored->n_machines;
}

const char *stored_series_machine(const struct stored_series *stored, size_t machine)
{
	return stored->machines[machine];
}

size_t stored_series_fill(const struct stored_series *stored, size_t machine, unsigned step,
			  struct frame *frame)
{
	double at = stored->steps.first + step * stored->steps.seconds;
	uint32_t *numbers = alloc_zeroed(stored->n_rows + 1, sizeof(*numbers));
	size_t n = 0, bytes = 0;

	frame->wall_ns = frame->mono_ns = (uint64_t)(at * 1e9);
	for (size_t i = 0; i < stored->n_series; i++) {
		const struct series *series = &stored->series[i];
		double value = stored->values[series->value + step];
		void *row;

		if (isnan(value) || (machine != STORED_ALL && stored->rows[series->row].machine != machine))
			continue;
		row = row_in(frame, stored, numbers, series->row, &bytes);
		if (series->metric->column)
			set_value(row, series->metric->column, value);
		bytes += set_texts(row, stored, series->text, series->n_texts, frame);
		n++;
		if (bytes > FRAME_MAX) {
			frame_notice(frame, "source", NULL, _("Prometheus: %s"), _("the answer is too long"));
			break;
		}
	}
	free(numbers);
	return n;
}
