/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and schemas: access to the fields of a row through their descriptors. */
#include <config.h>

#include "model/column.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/typed_name.h"

int schema_column_span(const struct schema *schema, struct span key)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (span_is(key, schema->columns[i].key))
			return (int)i;
	return -1;
}

int schema_column(const struct schema *schema, const char *key)
{
	return schema_column_span(schema, span_text(key));
}

static const char *without_sign(const char *heading)
{
	return *heading == '%' || *heading == '~' ? heading + 1 : heading;
}

/* "steal" is %steal, with the key steal_ratio, rather than a hidden column with just that heading. */
static unsigned heading_match(const struct column *column, const char *heading, struct span typed)
{
	if (span_is(typed, heading) && *heading)
		return column->hidden ? 6 : 8;
	if (!column->hidden && span_is(typed, without_sign(heading)) &&
	    strncmp(column->key, typed.at, span_length(typed)) == 0)
		return 7;
	if (typed_is(typed, without_sign(heading)) && typed_begins(typed, column->key))
		return 5;
	if (typed_is(typed, heading))
		return 4;
	if (typed_is(typed, without_sign(heading)))
		return 3;
	return typed_begins(typed, without_sign(heading)) ? 1 : 0;
}

unsigned column_match(const struct column *column, struct span typed)
{
	unsigned english, translated;

	if (span_is(typed, column->key))
		return 10;
	if (typed_is(typed, column->key))
		return 9;
	english = heading_match(column, column->title, typed);
	translated = heading_match(column, column_title(column), typed);
	english = english > translated ? english : translated;
	return english < 2 && typed_begins(typed, column->key) ? 2 : english;
}

int schema_match(const struct schema *schema, struct span typed)
{
	unsigned best = 0, n_best = 0, n_shown = 0;
	int found = COLUMN_UNKNOWN, shown = COLUMN_UNKNOWN;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		unsigned match = column_match(&schema->columns[i], typed);

		if (match == 0 || match < best)
			continue;
		if (match > best)
			n_best = n_shown = 0;
		best = match;
		found = (int)i;
		n_best++;
		if (schema->columns[i].hidden)
			continue;
		shown = (int)i;
		n_shown++;
	}
	return n_best <= 1 ? found : n_shown == 1 ? shown : COLUMN_AMBIGUOUS;
}

int schema_index(const struct schema *const *schemas, unsigned n_schemas, const char *topic)
{
	for (unsigned i = 0; i < n_schemas; i++)
		if (strcmp(schemas[i]->name, topic) == 0)
			return (int)i;
	return -1;
}

void schema_want(const struct schema *const *schemas, unsigned n_schemas, const char *topic, bool *wanted)
{
	int index = topic ? schema_index(schemas, n_schemas, topic) : -1;

	if (index >= 0)
		wanted[index] = true;
}

const struct column *schema_find_span(const struct schema *schema, struct span key)
{
	int index = schema_column_span(schema, key);

	return index < 0 ? NULL : &schema->columns[index];
}

const struct column *schema_find(const struct schema *schema, const char *key)
{
	return schema_find_span(schema, span_text(key));
}

const struct column *schema_known_column(const struct schema *schema, const char *key)
{
	const struct column *column = schema_find(schema, key);

	assert(column);
	return column;
}

const char *column_title(const struct column *column)
{
	return _(column->title);
}

const char *column_name(const struct column *column)
{
	const char *title = column_title(column);

	return *title ? title : column->key;
}

const char *column_words(const struct column *column, const char *text)
{
	return column->words && text ? _(text) : text;
}

const char *unit_name(enum unit unit)
{
	static const char *const names[N_UNITS] = {
		[UNIT_NONE] = "none", [UNIT_COUNT] = "count", [UNIT_BYTES] = "bytes",
		[UNIT_SECONDS] = "seconds", [UNIT_TIME] = "time", [UNIT_RATIO] = "ratio",
		[UNIT_PER_SECOND] = "per_second", [UNIT_BYTES_PER_SECOND] = "bytes_per_second",
		[UNIT_BITS] = "bits", [UNIT_BITS_PER_SECOND] = "bits_per_second",
		[UNIT_HERTZ] = "hertz", [UNIT_ADDRESS] = "address", [UNIT_WATTS] = "watts",
		[UNIT_JOULES] = "joules", [UNIT_CELSIUS] = "celsius", [UNIT_VOLTS] = "volts",
		[UNIT_RPM] = "rpm",
	};

	return names[unit];
}

const char *unit_suffix(enum unit unit)
{
	return unit == UNIT_NONE || unit == UNIT_COUNT || unit == UNIT_TIME ? NULL : unit_name(unit);
}

const char *kind_name(enum column_kind kind)
{
	static const char *const names[] = {
		[COLUMN_KEY] = "key",         [COLUMN_LABEL] = "label", [COLUMN_GAUGE] = "gauge",
		[COLUMN_COUNTER] = "counter", [COLUMN_RATE] = "rate",   [COLUMN_BOUND] = "bound",
	};

	return names[kind];
}

const char *type_name(enum value_type type)
{
	static const char *const names[] = {
		[VALUE_U64] = "u64", [VALUE_F64] = "f64", [VALUE_TEXT] = "text",
	};

	return names[type];
}

const char *shape_name(enum shape shape)
{
	static const char *const names[] = {
		[SHAPE_TABLE] = "table", [SHAPE_EVENTS] = "events", [SHAPE_HISTOGRAM] = "histogram",
	};

	return names[shape];
}

bool row_is_blank(const void *row, const struct column *column)
{
	return column->type == VALUE_U64 && row_u64(row, column) == U64_BLANK;
}

double row_number(const void *row, const struct column *column)
{
	if (column->type == VALUE_TEXT || !row_is_known(row, column))
		return NAN;
	return column->type == VALUE_U64 ? (double)row_u64(row, column) : row_f64(row, column);
}

/* Where the unknown of this type is. */
static const void *unknown(enum value_type type)
{
	static const uint64_t number = U64_UNKNOWN;
	static const double real = NAN;
	static const char *const text;

	return type == VALUE_U64 ? (const void *)&number : type == VALUE_F64 ? (const void *)&real : &text;
}

static size_t value_bytes(enum value_type type)
{
	/* cppcheck-suppress duplicateValueTernary ; pointers of 32 bits are shorter */
	return type == VALUE_TEXT ? sizeof(const char *) : sizeof(uint64_t);
}

const void *row_field_apart(const void *row, const struct column *column)
{
	const char *block = row_block(row, column->apart);

	return block ? block + (column->offset - APART_OFFSET) : unknown(column->type);
}

static void set_field(void *row, const struct column *column, const void *value)
{
	char *block = column->apart ? row_block(row, column->apart) : row;

	if (block)
		memcpy(block + column->offset - (column->apart ? APART_OFFSET : 0), value,
		       value_bytes(column->type));
}

void row_set_u64(void *row, const struct column *column, uint64_t value)
{
	set_field(row, column, &value);
}

void row_set_f64(void *row, const struct column *column, double value)
{
	set_field(row, column, &value);
}

void row_set_text(void *row, const struct column *column, const char *value)
{
	set_field(row, column, &value);
}

void row_clear(void *row, const struct schema *schema)
{
	memset(row, 0, schema->row_size);
	for (unsigned i = 0; i < schema->n_columns; i++)
		set_field(row, &schema->columns[i], unknown(schema->columns[i].type));
}

void row_clear_block(void *block, const struct schema *schema)
{
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->apart)
			memcpy((char *)block + (column->offset - APART_OFFSET), unknown(column->type),
			       value_bytes(column->type));
	}
}

static void set_block(void *row, const struct schema *schema, void *block)
{
	if (schema->apart_size)
		memcpy((char *)row + schema->apart, &block, sizeof(block));
}

void *row_new(const struct schema *schema)
{
	char *row = alloc_zeroed(1, schema_row_bytes(schema));

	set_block(row, schema, row + schema->row_size);
	return row;
}

void row_copy(void *to, const void *from, const struct schema *schema)
{
	void *block = schema->apart_size ? row_block(to, schema->apart) : NULL;
	const void *copied = schema->apart_size ? row_block(from, schema->apart) : NULL;

	memcpy(to, from, schema->row_size);
	set_block(to, schema, block);
	if (block && copied)
		memcpy(block, copied, schema->apart_size);
	else if (block)
		row_clear_block(block, schema);
}

bool row_same_key(const struct schema *schema, const void *one, const void *other)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY && !row_same_value(&schema->columns[i], one, other))
			return false;
	return true;
}

bool row_next_key(const struct schema *schema, const void *row, unsigned *next, struct span *bytes)
{
	while (*next < schema->n_columns) {
		const struct column *column = &schema->columns[(*next)++];
		const char *text;

		if (column->kind != COLUMN_KEY)
			continue;
		if (column->type != VALUE_TEXT) {
			*bytes = span_of(row_field(row, column), 8);
			return true;
		}
		text = row_text(row, column);
		*bytes = span_of(text ? text : "", text ? strlen(text) + 1 : 1);
		return true;
	}
	return false;
}

uint64_t row_hash_key(const struct schema *schema, const void *row)
{
	uint64_t hash = HASH_SEED;
	struct span bytes;

	for (unsigned next = 0; row_next_key(schema, row, &next, &bytes);)
		hash = hash_bytes(hash, bytes);
	return hash;
}
