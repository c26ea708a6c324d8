/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many kernel objects were allocated from each cache, and which process ran meanwhile most often. */
#ifndef PANETOP_TOPIC_MEMORY_ALLOCATIONS_H
#define PANETOP_TOPIC_MEMORY_ALLOCATIONS_H

#include "core/hash.h"
#include "topic/trace/trace.h"

#define CACHE_NAME_WORDS 4
#define CACHE_NAME_BYTES (CACHE_NAME_WORDS * sizeof(uint64_t)) /* longer names are cut */

struct allocations {
	struct trace_set trace, names; /* names: while some are not known */
	bool opened, naming;
	struct allocated_cache {
		uint64_t address;
		char name[CACHE_NAME_BYTES + 1]; /* empty: not known … */
		unsigned tries;                  /* … after this many ticks */
		uint64_t forgotten, count;       /* forgotten: part of count */
		uint32_t process;                /* that allocated most in the last tick; 0: none */
		uint64_t most;
	} * caches; /* owned */
	size_t n_caches, caches_capacity;
	struct hash by_address;
	struct allocator {
		uint64_t cache, process, count;
	} * before; /* of the last tick; owned */
	size_t n_before, before_capacity;
	struct hash by_key;
};

void allocations_close(struct allocations *allocations);

/* Once per tick; begins to count at the first call. False: see trace.error. */
bool allocations_update(struct allocations *allocations, struct env *env,
			const struct sample_request *request);

/*
 * Since counting began, U64_UNKNOWN: not known, and the process that allocated most in the last tick, or 0.
 * What kmalloc() takes is not counted.
 */
uint64_t allocations_of(const struct allocations *allocations, struct span cache, uint32_t *process);

#endif
