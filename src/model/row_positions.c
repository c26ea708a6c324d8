/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of rows in a hash table by their keys. */
#include <config.h>

#include "model/row_positions.h"

#include <stdlib.h>

#include "core/alloc.h"

void places_free(struct places *places)
{
	free(places->slots);
	*places = (struct places){ 0 };
}

/* That of the row with this key, or the free one where it belongs. */
static struct place *slot_of(const struct places *places, uint64_t key_hash)
{
	size_t slot = key_hash & (places->n_slots - 1);

	while (places->slots[slot].number != PLACE_NONE && places->slots[slot].key_hash != key_hash)
		slot = (slot + 1) & (places->n_slots - 1);
	return &places->slots[slot];
}

static void make_room(struct places *places, size_t n_rows)
{
	size_t wanted = places->n_slots ? places->n_slots : 64;

	while (wanted < 2 * n_rows)
		wanted *= 2;
	if (wanted > places->n_slots)
		places->slots = alloc_resize(places->slots, wanted, sizeof(*places->slots));
	places->n_slots = wanted;
	for (size_t i = 0; i < places->n_slots; i++)
		places->slots[i].number = PLACE_NONE;
}

void places_note(struct places *places, const struct schema *schema, const void *const *rows, size_t n_rows)
{
	make_room(places, n_rows < PLACES_MAX ? n_rows : PLACES_MAX);
	for (size_t i = 0; i < n_rows && i < PLACES_MAX; i++) {
		uint64_t key_hash = row_hash_key(schema, rows[i]);

		*slot_of(places, key_hash) = (struct place){ key_hash, (uint32_t)i };
	}
}

uint32_t places_find(const struct places *places, const struct schema *schema, const void *row)
{
	return places->n_slots > 0 ? slot_of(places, row_hash_key(schema, row))->number : PLACE_NONE;
}
