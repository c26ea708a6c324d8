/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics and columns by name: those of other versions may have other ones. */
#include <config.h>

#include "recording/description.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/bytes.h"
#include "core/hash.h"

#define TOPICS_MAX 4096
#define COLUMNS_MAX 4096

static void put_name(struct buffer *out, const char *name)
{
	put_bytes(out, name, strlen(name));
}

static void add_column(struct buffer *out, const struct column *column)
{
	put_name(out, column->key);
	put_name(out, type_name(column->type));
	put_name(out, kind_name(column->kind));
	put_name(out, unit_name(column->unit));
}

static void add_topic(struct buffer *out, const struct schema *schema)
{
	unsigned n_columns = 0;

	for (unsigned i = 0; i < schema->n_columns; i++)
		n_columns += schema->columns[i].kind != COLUMN_RATE;
	put_name(out, schema->name);
	put_name(out, shape_name(schema->shape));
	put_varint(out, n_columns);
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind != COLUMN_RATE)
			add_column(out, &schema->columns[i]);
}

void description_add(struct buffer *out, const struct frame *frame)
{
	put_varint(out, frame->n_tables);
	for (unsigned i = 0; i < frame->n_tables; i++)
		add_topic(out, frame->tables[i].schema);
}

static bool take_type(struct span *in, enum value_type *type)
{
	struct span name;

	if (!take_bytes(in, &name))
		return false;
	for (*type = VALUE_U64; *type <= VALUE_TEXT; (*type)++)
		if (span_is(name, type_name(*type)))
			return true;
	return false;
}

static bool take_topic(struct described_topic *topic, struct span *in, const struct schema *const *schemas,
		       unsigned n_schemas)
{
	struct span shape, key, kind, unit;
	uint64_t n_columns;

	topic->table = -1;
	if (!take_bytes(in, &topic->name) || !take_bytes(in, &shape) || !take_varint(in, &n_columns) ||
	    n_columns == 0 || n_columns > COLUMNS_MAX)
		return false;
	for (unsigned i = 0; i < n_schemas; i++)
		if (span_is(topic->name, schemas[i]->name))
			topic->table = (int)i;
	topic->n_columns = (unsigned)n_columns;
	topic->types = alloc_zeroed(n_columns + 1, sizeof(*topic->types));
	topic->columns = alloc_zeroed(n_columns + 1, sizeof(*topic->columns));
	for (unsigned i = 0; i < n_columns; i++) {
		int column;

		if (!take_bytes(in, &key) || !take_type(in, &topic->types[i]) || !take_bytes(in, &kind) ||
		    !take_bytes(in, &unit))
			return false;
		column = topic->table >= 0 ? schema_column_span(schemas[topic->table], key) : -1;
		if (column >= 0 && schemas[topic->table]->columns[column].kind != COLUMN_RATE)
			topic->columns[i] = &schemas[topic->table]->columns[column];
	}
	return true;
}

static bool same_name(const struct described_topic *one, const struct described_topic *other)
{
	return span_length(one->name) == span_length(other->name) &&
	       memcmp(one->name.at, other->name.at, span_length(one->name)) == 0;
}

static bool has_topic_twice(const struct description *description)
{
	const struct described_topic *topics = description->topics;
	struct hash names = { 0 };
	uint32_t same = HASH_NONE;

	for (unsigned i = 0; i < description->n_topics && same == HASH_NONE; i++) {
		uint64_t hash = hash_bytes(HASH_SEED, topics[i].name);

		HASH_FIND(same, &names, hash, same_name(&topics[same], &topics[i]));
		hash_add(&names, hash, i);
	}
	hash_free(&names);
	return same != HASH_NONE;
}

bool description_parse(struct description *description, struct span in, const struct schema *const *schemas,
		       unsigned n_schemas)
{
	uint64_t n_topics;

	*description = (struct description){ .n_tables = n_schemas };
	if (!take_varint(&in, &n_topics) || n_topics > TOPICS_MAX)
		return false;
	description->topics = alloc_zeroed(n_topics + 1, sizeof(*description->topics));
	for (; description->n_topics < n_topics; description->n_topics++)
		if (!take_topic(&description->topics[description->n_topics], &in, schemas, n_schemas)) {
			description->n_topics++; /* what it has so far is given back */
			return false;
		}
	return !has_topic_twice(description);
}

void description_free(struct description *description)
{
	for (unsigned i = 0; i < description->n_topics; i++) {
		free(description->topics[i].types);
		free(description->topics[i].columns);
	}
	free(description->topics);
}
