/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open addressing with linear probing, at most half full. */
#include <config.h>

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define FIRST_SLOTS ((size_t)64)

static void insert(struct hash *table, struct hash_slot entry)
{
	size_t mask = table->n_slots - 1, slot = entry.hash & mask;

	while (table->slots[slot].number != 0)
		slot = (slot + 1) & mask;
	table->slots[slot] = entry;
}

void hash_reserve(struct hash *table, size_t count)
{
	struct hash_slot *old = table->slots;
	size_t n_old = table->n_slots;

	if (2 * count <= n_old)
		return;
	for (table->n_slots = n_old ? n_old : FIRST_SLOTS; table->n_slots < 2 * count;)
		table->n_slots *= 2;
	table->slots = alloc_zeroed(table->n_slots, sizeof(*table->slots));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].number != 0)
			insert(table, old[i]);
	free(old);
}

void hash_add(struct hash *table, uint64_t hash, uint32_t index)
{
	hash_reserve(table, table->count + 1);
	insert(table, (struct hash_slot){ hash_fold(hash), index + 1 });
	table->count++;
}

void hash_clear(struct hash *table)
{
	if (table->count > 0)
		memset(table->slots, 0, table->n_slots * sizeof(*table->slots));
	table->count = 0;
}

void hash_free(struct hash *table)
{
	free(table->slots);
	*table = (struct hash){ 0 };
}
