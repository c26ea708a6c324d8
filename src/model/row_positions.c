/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of rows in a hash table by their keys. */
#include <config.h>

#include "model/row_positions.h"

#include <stdlib.h>

#include "core/alloc.h"

void row_positions_free(struct row_positions *positions)
{
	free(positions->slots);
	*positions = (struct row_positions){ 0 };
}

/* The slot of the row with this key, or the free one where it belongs. */
static struct row_position *slot_of(const struct row_positions *positions, uint64_t key_hash)
{
	size_t slot = key_hash & (positions->n_slots - 1);

	while (positions->slots[slot].position != ROW_POSITION_NONE && positions->slots[slot].key_hash != key_hash)
		slot = (slot + 1) & (positions->n_slots - 1);
	return &positions->slots[slot];
}

static void make_room(struct row_positions *positions, size_t n_rows)
{
	size_t wanted = positions->n_slots ? positions->n_slots : 64;

	while (wanted < 2 * n_rows)
		wanted *= 2;
	if (wanted > positions->n_slots)
		positions->slots = alloc_resize(positions->slots, wanted, sizeof(*positions->slots));
	positions->n_slots = wanted;
	for (size_t i = 0; i < positions->n_slots; i++)
		positions->slots[i].position = ROW_POSITION_NONE;
}

void row_positions_store(struct row_positions *positions, const struct schema *schema, const void *const *rows, size_t n_rows)
{
	make_room(positions, n_rows < ROW_POSITIONS_MAX ? n_rows : ROW_POSITIONS_MAX);
	for (size_t i = 0; i < n_rows && i < ROW_POSITIONS_MAX; i++) {
		uint64_t key_hash = row_hash_key(schema, rows[i]);

		*slot_of(positions, key_hash) = (struct row_position){ key_hash, (uint32_t)i };
	}
}

uint32_t row_positions_find(const struct row_positions *positions, const struct schema *schema, const void *row)
{
	return positions->n_slots > 0 ? slot_of(positions, row_hash_key(schema, row))->position : ROW_POSITION_NONE;
}
