/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to the fields of a row through their columns; tables, whose memory is reused from tick to tick. */
#include <config.h>

#include "model/frame.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/vector.h"

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

const struct column *schema_first_key(const struct schema *schema, bool is_text)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind == COLUMN_KEY &&
		    (schema->columns[i].type == VALUE_TEXT) == is_text)
			return &schema->columns[i];
	return NULL;
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

static _Thread_local const struct origins *collected; /* what adds to it is deep below what draws */

void origins_collect(const struct origins *origins)
{
	collected = origins;
}

size_t origins_end(void)
{
	return collected ? collected->out->length : 0;
}

void origins_drop(size_t end)
{
	if (collected)
		collected->out->length = end;
}

bool origin_add(const struct origin *origin)
{
	return collected && collected->add(collected, origin);
}

void frame_open(struct frame *frame, const struct schema *const *schemas, unsigned n_schemas)
{
	*frame = (struct frame){ .n_tables = n_schemas };
	frame->tables = alloc_zeroed(n_schemas, sizeof(*frame->tables));
	for (unsigned i = 0; i < n_schemas; i++) {
		struct table *table = &frame->tables[i];

		table->schema = schemas[i];
		table->blank = alloc_zeroed(1, schemas[i]->row_size);
		row_clear(table->blank, schemas[i]);
		table->arena = &frame->arena;
		if (schemas[i]->apart_size) {
			table->blank_block = alloc_zeroed(1, schemas[i]->apart_size);
			row_clear_block(table->blank_block, schemas[i]);
		}
	}
}

void frame_close(struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		free(frame->tables[i].rows);
		free(frame->tables[i].whole);
		free(frame->tables[i].blank);
		free(frame->tables[i].blank_block);
		free(frame->tables[i].fresh);
		free(frame->tables[i].doubts);
	}
	free(frame->tables);
	arena_free(&frame->arena);
	*frame = (struct frame){ 0 };
}

static void clear_table(struct table *table)
{
	size_t row_size = table->schema->row_size;

	if (recent_use_is_outgrown(&table->recent, table->n_rows * row_size, table->capacity * row_size)) {
		free(table->rows);
		table->rows = NULL;
		table->capacity = 0;
	}
	table->n_rows = table->n_doubts = 0;
	table->present = table->failed = table->partial = table->joined = table->is_split = false;
	table->mono_ns = table->interval_ns = 0;
}

void frame_clear(struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		clear_table(&frame->tables[i]);
	arena_reset(&frame->arena);
	frame->mono_ns = frame->wall_ns = frame->interval_ns = frame->since_ns = 0;
	frame->boot = 0;
	frame->host = NULL;
	frame->only_events = frame->cut = false;
	frame->named_there = frame->named_absent = false;
	frame->n_notices = 0;
}

const struct notice *frame_newest_notice(const struct frame *frame, const char *topic)
{
	for (unsigned i = frame->n_notices; i-- > 0;)
		if (strcmp(frame->notices[i].topic, topic) == 0)
			return &frame->notices[i];
	return NULL;
}

struct table *frame_slot(const struct frame *frame, const char *topic)
{
	for (unsigned i = 0; i < frame->n_tables; i++) {
		const char *name = frame->tables[i].schema->name;

		if (*name == *topic && strcmp(name, topic) == 0) /* most begin with another letter */
			return &frame->tables[i];
	}
	return NULL;
}

struct table *frame_table(const struct frame *frame, const char *topic)
{
	struct table *table = frame_slot(frame, topic);

	return table && table->present ? table : NULL;
}

void *table_add_bare(struct table *table)
{
	size_t size = table->schema->row_size;
	void *row;

	table->rows = vector_reserve(table->rows, &table->capacity, table->n_rows + 1, size);
	row = table_row(table, table->n_rows++);
	memcpy(row, table->blank, size);
	return row;
}

static void add_block(struct table *table, void *row, const void *copied)
{
	void *block = arena_take(table->arena, table->schema->apart_size);

	memcpy(block, copied, table->schema->apart_size);
	memcpy((char *)row + table->schema->apart, &block, sizeof(block));
}

void *table_add(struct table *table)
{
	void *row = table_add_bare(table);

	if (table->blank_block)
		add_block(table, row, table->blank_block);
	return row;
}

void table_reserve(struct table *table, size_t n_rows)
{
	table->rows = vector_reserve(table->rows, &table->capacity, n_rows, table->schema->row_size);
	VECTOR_RESERVE(table->fresh, n_rows, table->n_fresh);
}

bool table_is_fresh(const struct table *table, const void *row)
{
	size_t index = (size_t)((const char *)row - table->rows) / table->schema->row_size;

	return table->joined && table->fresh[index];
}

#define NAMES_MAX 2 /* of a row */

/* The first KEY columns of text; how many there are. */
static unsigned name_columns(const struct schema *schema, const struct column *names[NAMES_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < schema->n_columns && n < NAMES_MAX; i++)
		if (schema->columns[i].kind == COLUMN_KEY && schema->columns[i].type == VALUE_TEXT)
			names[n++] = &schema->columns[i];
	return n;
}

static bool has_text(const void *row, const struct column *column, const char *wanted)
{
	const char *text = row_text(row, column);

	return text && strcmp(text, wanted) == 0;
}

const void *table_find(const struct table *table, const char *key, const char *other)
{
	const struct column *names[NAMES_MAX];
	unsigned n = table ? name_columns(table->schema, names) : 0;

	for (size_t i = 0; n > (other ? 1 : 0) && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (has_text(row, names[0], key) && (!other || has_text(row, names[1], other)))
			return row;
	}
	return NULL;
}

static bool is_called(const struct schema *schema, const void *row, const char *key)
{
	const struct column *names[NAMES_MAX];

	return name_columns(schema, names) > 0 && has_text(row, names[0], key);
}

bool table_row_is(const struct table *table, const void *row, const char *key)
{
	return is_called(table->schema, row, key);
}

bool schema_row_is_sum(const struct schema *schema, const void *row)
{
	return schema->sum_row && is_called(schema, row, schema->sum_row);
}

bool table_row_has_key(const struct table *table, const void *row, const char *key)
{
	const struct schema *schema = table->schema;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_KEY && column->type == VALUE_TEXT && has_text(row, column, key))
			return true;
	}
	return false;
}

static const struct column *known_column(const struct table *table, const char *key)
{
	return table ? schema_known_column(table->schema, key) : NULL;
}

double table_number(const struct table *table, const void *row, const char *key)
{
	const struct column *column = known_column(table, key);

	return row && column ? row_number(row, column) : NAN;
}

const void *table_most(const struct table *table, const char *key, double least)
{
	const struct column *column = known_column(table, key);
	const void *most = NULL;

	for (size_t i = 0; column && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double number = row_number(row, column);

		if (isnan(number) || number < least || (most && number <= row_number(most, column)) ||
		    schema_row_is_sum(table->schema, row))
			continue;
		most = row;
	}
	return most;
}

uint64_t table_u64(const struct table *table, const void *row, const char *key)
{
	const struct column *column = known_column(table, key);

	assert(!column || column->type == VALUE_U64);
	return row && column && row_is_known(row, column) ? row_u64(row, column) : U64_UNKNOWN;
}

const char *table_text(const struct table *table, const void *row, const char *key)
{
	const struct column *column = known_column(table, key);
	const char *text;

	assert(!column || column->type == VALUE_TEXT);
	text = row && column ? row_text(row, column) : NULL;
	return text ? text : "";
}

double frame_number(const struct frame *frame, const char *topic, const char *row, const char *column)
{
	const struct table *table = frame_slot(frame, topic);
	const struct column *found;
	const void *of = NULL;

	assert(table);
	if (!table)
		return NAN;
	if (table->present && table->n_rows > 0)
		of = row ? table_find(table, row, NULL) : table_row(table, 0);
	found = known_column(table, column);
	if (!of || !found)
		return NAN;
	if (row_is_known(of, found))
		origin_add(&(struct origin){ .schema = table->schema, .row = of, .column = found });
	return row_number(of, found);
}

static const char *copy(struct frame *frame, const char *text)
{
	return text ? arena_copy(&frame->arena, text, strlen(text)) : NULL;
}

/* In place of those of another frame. */
static void copy_texts(struct frame *to, void *row, const struct schema *schema)
{
	for (unsigned c = 0; c < schema->n_columns; c++)
		if (schema->columns[c].type == VALUE_TEXT)
			row_set_text(row, &schema->columns[c], copy(to, row_text(row, &schema->columns[c])));
}

static void copy_table(struct frame *to, struct table *table, const struct table *from)
{
	table->present = from->present;
	table->failed = from->failed;
	table->mono_ns = from->mono_ns;
	table->interval_ns = from->interval_ns;
	if (from->joined && from->n_rows > 0 && from->schema->shape != SHAPE_EVENTS) {
		VECTOR_RESERVE(table->fresh, from->n_rows, table->n_fresh);
		memcpy(table->fresh, from->fresh, from->n_rows * sizeof(*table->fresh));
		table->joined = true;
	}
	if (!from->present || from->n_rows == 0 || from->schema->shape == SHAPE_EVENTS)
		return;
	table_reserve(table, from->n_rows);
	memcpy(table->rows, from->rows, from->n_rows * from->schema->row_size);
	table->n_rows = from->n_rows;
	for (size_t i = 0; table->blank_block && i < table->n_rows; i++) {
		const void *block = row_block(table_row(table, i), table->schema->apart);

		if (block)
			add_block(table, table_row(table, i), block);
	}
	for (size_t i = 0; i < table->n_rows; i++)
		copy_texts(to, table_row(table, i), table->schema);
}

size_t table_append(struct frame *to, struct table *table, const struct table *from)
{
	const struct schema *schema = from->schema;
	size_t first = table->n_rows;

	for (size_t i = 0; i < from->n_rows; i++) {
		const void *row = table_row(from, i);
		bool apart = schema->apart_size > 0 && row_block(row, schema->apart);
		void *added = apart ? table_add(table) : table_add_bare(table);

		row_copy(added, row, schema);
		copy_texts(to, added, schema);
	}
	return first;
}

void frame_copy(struct frame *to, const struct frame *from)
{
	frame_clear(to);
	frame_add(to, from);
}

void frame_add(struct frame *to, const struct frame *from)
{
	to->mono_ns = from->mono_ns;
	to->wall_ns = from->wall_ns;
	to->interval_ns = from->interval_ns;
	to->boot = from->boot;
	to->host = copy(to, from->host);
	for (unsigned i = 0; i < from->n_tables; i++)
		copy_table(to, &to->tables[i], &from->tables[i]);
	for (unsigned i = 0; i < from->n_notices; i++)
		frame_notice(to, from->notices[i].topic, from->notices[i].remedy, "%s",
			     from->notices[i].text);
}

void frame_notice(struct frame *frame, const char *topic, const char *remedy, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strcmp(frame->notices[i].text, text) == 0 && strcmp(frame->notices[i].topic, topic) == 0)
			return;
	if (frame->n_notices == FRAME_NOTICES_MAX)
		return;
	frame->notices[frame->n_notices++] = (struct notice){
		.topic = copy(frame, topic), .text = copy(frame, text), .remedy = copy(frame, remedy)
	};
}
