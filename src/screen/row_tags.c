/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of keys, in the order in which they were tagged. */
#include <config.h>

#include "screen/row_tags.h"

#include <stdlib.h>

#include "core/vector.h"

/* Its index; n: it is not tagged. */
static size_t find(const struct row_tags *tags, uint64_t key)
{
	size_t at = 0;

	while (at < tags->n && tags->keys[at] != key)
		at++;
	return at;
}

bool row_tags_has(const struct row_tags *tags, const struct schema *schema, const void *row)
{
	return tags->n > 0 && find(tags, row_hash_key(schema, row)) < tags->n;
}

void row_tags_toggle(struct row_tags *tags, const struct schema *schema, const void *row)
{
	uint64_t key = row_hash_key(schema, row);
	size_t at = find(tags, key);

	if (at < tags->n)
		tags->keys[at] = tags->keys[--tags->n];
	else
		*VECTOR_ADD(tags->keys, tags->n, tags->capacity) = key;
}

/* Moves the tags that it finds to the front. */
void row_tags_keep(struct row_tags *tags, const struct table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->n_rows && kept < tags->n; i++) {
		uint64_t key = row_hash_key(table->schema, table_row(table, i));
		size_t at = find(tags, key);

		if (at == tags->n || at < kept)
			continue;
		tags->keys[at] = tags->keys[kept];
		tags->keys[kept++] = key;
	}
	tags->n = kept;
}

void row_tags_clear(struct row_tags *tags)
{
	tags->n = 0;
}

void row_tags_free(struct row_tags *tags)
{
	free(tags->keys);
	*tags = (struct row_tags){ 0 };
}
