/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of rows in a hash table by their keys. */
#include <config.h>

#include "model/row_positions.h"

void row_positions_free(struct row_positions *positions)
{
	hash_free(&positions->by_key);
}

/* Equal hashes count as equal keys: at worst two rows swap. */
static uint32_t position_of(const struct row_positions *positions, uint64_t key_hash)
{
	uint32_t at;

	HASH_FIND(at, &positions->by_key, key_hash, true);
	/* cppcheck-suppress uninitvar */
	return at;
}

void row_positions_store(struct row_positions *positions, const struct schema *schema,
			 const void *const *rows, size_t n_rows)
{
	hash_clear(&positions->by_key);
	for (size_t i = 0; i < n_rows && i < ROW_POSITIONS_MAX; i++) {
		uint64_t key_hash = row_hash_key(schema, rows[i]);

		if (position_of(positions, key_hash) == ROW_POSITION_NONE)
			hash_add(&positions->by_key, key_hash, (uint32_t)i);
	}
}

uint32_t row_positions_find(const struct row_positions *positions, const struct schema *schema,
			    const void *row)
{
	return position_of(positions, row_hash_key(schema, row));
}
