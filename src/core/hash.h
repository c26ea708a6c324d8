/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of indexes into an array of the caller, which holds the keys and compares them:
 *
 *	struct hash by_pid;			all zero is an empty table
 *	uint32_t at;
 *
 *	HASH_FIND(at, &by_pid, hash_u64(pid), processes[at].pid == pid);
 *	if (at == HASH_NONE) {
 *		at = (uint32_t)n_processes;
 *		*VECTOR_ADD(processes, n_processes, capacity) = (struct process){ .pid = pid };
 *		hash_add(&by_pid, hash_u64(pid), at);
 *	}
 *	hash_free(&by_pid);
 *
 * Entries cannot be removed one by one; hash_clear() removes all.
 */
#ifndef PANETOP_CORE_HASH_H
#define PANETOP_CORE_HASH_H

#include "core/span.h"

#define HASH_NONE UINT32_MAX
#define HASH_SEED UINT64_C(0xcbf29ce484222325)

struct hash {
	struct hash_slot {
		uint32_t hash;
		uint32_t number; /* index + 1; 0: free */
	} *slots;
	size_t n_slots, count; /* n_slots: a power of two, at least twice count */
};

/* FNV-1a: continues before (HASH_SEED at the start) with these bytes. */
static inline uint64_t hash_bytes(uint64_t before, struct span bytes)
{
	for (; bytes.at < bytes.end; bytes.at++)
		before = (before ^ (unsigned char)*bytes.at) * UINT64_C(0x100000001b3);
	return before;
}

static inline uint64_t hash_u64(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t hash_fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* The next index with this hash in the chain of slots that starts at hash_fold(hash), or HASH_NONE. */
static inline uint32_t hash_next(const struct hash *table, uint32_t folded, size_t *slot)
{
	if (table->n_slots == 0)
		return HASH_NONE;
	for (;;) {
		const struct hash_slot *entry = &table->slots[(*slot)++ & (table->n_slots - 1)];

		if (entry->number == 0 || entry->hash == folded)
			return entry->number - 1;
	}
}

/*
 * Sets at to the index with this 64-bit hash for which is_it, an expression of at, holds; else to HASH_NONE.
 */
#define HASH_FIND(at, table, wanted, is_it)                                              \
	do {                                                                             \
		uint32_t folded_ = hash_fold(wanted);                                    \
		size_t slot_ = folded_;                                                  \
		do                                                                       \
			(at) = hash_next((table), folded_, &slot_);                      \
		while ((at) != HASH_NONE && !(is_it));                                   \
	} while (0)

void hash_reserve(struct hash *table, size_t count);

/* Adds an index that is not in the table yet. */
void hash_add(struct hash *table, uint64_t hash, uint32_t index);
void hash_clear(struct hash *table); /* keeps its memory */
void hash_free(struct hash *table);

#endif
