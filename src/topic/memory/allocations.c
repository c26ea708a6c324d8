/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel counts by the address of the cache, which is cheap; names are read while some are missing. */
#include <config.h>

#include "topic/memory/allocations.h"

#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"

#define ENTRIES_MAX 16384
#define NAMES_MAX 1024
#define TRIES_MAX 5 /* ticks without a name, although it allocates: this kernel has other arguments */
#define CACHE 2     /* the argument, since Linux 6.1 */

enum word { WORD_CACHE, WORD_PROCESS, N_WORDS };

static const struct bpf_program counts = {
	.name = N_("an object is allocated"),
	.tracepoint = "kmem_cache_alloc",
	.does = &bpf_count,
	.keys = { [WORD_CACHE] = { .is = BPF_PART_ARGUMENT, .argument = CACHE, .bytes = 8 },
		  [WORD_PROCESS] = { .is = BPF_PART_PROCESS } },
	.n_keys = N_WORDS,
};

const struct trace_plan trace_plan_slab = {
	.topic = "slab",
	.programs = &counts,
	.n_programs = 1,
	.n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
};

#define NAME_WORD(word)                                                                                      \
	{                                                                                                    \
		.is = BPF_PART_MEMBER, .name = "kmem_cache.name", .argument = CACHE, .points_to_text = true, \
		.text_offset = (word) * sizeof(uint64_t)                                                     \
	}

static const struct bpf_program names = {
	.name = N_("name of an object's cache"),
	.tracepoint = "kmem_cache_alloc",
	.does = &bpf_count,
	.keys = { { .is = BPF_PART_ARGUMENT, .argument = CACHE, .bytes = 8 },
		  NAME_WORD(0),
		  NAME_WORD(1),
		  NAME_WORD(2),
		  NAME_WORD(3) },
	.n_keys = 1 + CACHE_NAME_WORDS,
};

const struct trace_plan trace_plan_slab_names = {
	.topic = "slab",
	.programs = &names,
	.n_programs = 1,
	.n_words = 1 + CACHE_NAME_WORDS,
	.n_entries_max = NAMES_MAX,
};

void allocations_close(struct allocations *allocations)
{
	trace_close(&allocations->trace);
	trace_close(&allocations->names);
	free(allocations->caches);
	free(allocations->before);
	hash_free(&allocations->by_address);
	hash_free(&allocations->by_key);
}

static struct allocated_cache *cache_at(struct allocations *allocations, uint64_t address)
{
	uint32_t at;

	HASH_FIND(at, &allocations->by_address, hash_u64(address),
		  allocations->caches[at].address == address);
	if (at != HASH_NONE)
		return &allocations->caches[at];
	hash_add(&allocations->by_address, hash_u64(address), (uint32_t)allocations->n_caches);
	*VECTOR_ADD(allocations->caches, allocations->n_caches, allocations->caches_capacity) =
		(struct allocated_cache){ .address = address };
	return &allocations->caches[allocations->n_caches - 1];
}

static uint64_t hash_key(uint64_t cache, uint64_t process)
{
	return hash_u64(cache ^ process << 40);
}

static uint64_t count_before(const struct allocations *allocations, const uint64_t *key)
{
	const struct allocator *before = allocations->before;
	uint32_t at;

	HASH_FIND(at, &allocations->by_key, hash_key(key[WORD_CACHE], key[WORD_PROCESS]),
		  before[at].cache == key[WORD_CACHE] && before[at].process == key[WORD_PROCESS]);
	return at == HASH_NONE ? 0 : before[at].count;
}

static void add_entry(struct allocations *allocations, size_t entry)
{
	const uint64_t *key = trace_key(&allocations->trace, entry);
	uint64_t count = allocations->trace.values[entry].count;
	uint64_t grown = count - count_before(allocations, key);
	struct allocated_cache *cache = cache_at(allocations, key[WORD_CACHE]);

	cache->count += count;
	if (grown > cache->most) {
		cache->most = grown;
		cache->process = (uint32_t)key[WORD_PROCESS];
	}
	if (grown == 0 && allocations->trace.n_entries > ENTRIES_MAX / 2) {
		cache->forgotten += count;
		trace_forget(&allocations->trace, entry);
	}
}

static void keep_entries(struct allocations *allocations)
{
	const struct trace_set *trace = &allocations->trace;

	hash_clear(&allocations->by_key);
	VECTOR_RESERVE(allocations->before, trace->n_entries, allocations->before_capacity);
	allocations->n_before = trace->n_entries;
	for (size_t i = 0; i < trace->n_entries; i++) {
		const uint64_t *key = trace_key(trace, i);

		allocations->before[i] =
			(struct allocator){ key[WORD_CACHE], key[WORD_PROCESS], trace->values[i].count };
		hash_add(&allocations->by_key, hash_key(key[WORD_CACHE], key[WORD_PROCESS]), (uint32_t)i);
	}
}

static void take_names(struct allocations *allocations)
{
	const struct trace_set *set = &allocations->names;

	if (!trace_read(&allocations->names))
		return;
	for (size_t i = 0; i < set->n_entries; i++) {
		struct allocated_cache *cache = cache_at(allocations, trace_key(set, i)[0]);

		memcpy(cache->name, trace_key(set, i) + 1, CACHE_NAME_BYTES);
	}
}

/* Is a cache in use whose name may yet be found? */
static bool want_names(struct allocations *allocations)
{
	bool wanted = false;

	for (size_t i = 0; i < allocations->n_caches; i++) {
		struct allocated_cache *cache = &allocations->caches[i];

		if (*cache->name || cache->most == 0 || cache->tries == TRIES_MAX)
			continue;
		cache->tries++;
		wanted = true;
	}
	return wanted;
}

static void update_names(struct allocations *allocations, struct env *env,
			 const struct sample_request *request)
{
	bool wanted;

	if (allocations->naming)
		take_names(allocations);
	wanted = want_names(allocations);
	if (wanted && !allocations->naming)
		trace_open(&allocations->names, env, request, &trace_plan_slab_names);
	else if (!wanted && allocations->naming)
		trace_close(&allocations->names);
	allocations->naming = wanted;
}

bool allocations_update(struct allocations *allocations, struct env *env,
			const struct sample_request *request)
{
	if (!allocations->opened)
		trace_open(&allocations->trace, env, request, &trace_plan_slab);
	allocations->opened = true;
	if (!trace_read(&allocations->trace))
		return false;
	for (size_t i = 0; i < allocations->n_caches; i++) {
		allocations->caches[i].count = allocations->caches[i].forgotten;
		allocations->caches[i].most = 0;
		allocations->caches[i].process = 0;
	}
	for (size_t i = 0; i < allocations->trace.n_entries; i++)
		add_entry(allocations, i);
	keep_entries(allocations);
	update_names(allocations, env, request);
	return true;
}

static bool is_named(const struct allocated_cache *cache, struct span name)
{
	size_t length = span_length(name) < CACHE_NAME_BYTES ? span_length(name) : CACHE_NAME_BYTES;

	return strlen(cache->name) == length && memcmp(cache->name, name.at, length) == 0;
}

uint64_t allocations_of(const struct allocations *allocations, struct span cache, uint32_t *process)
{
	uint64_t count = U64_UNKNOWN, most = 0;

	*process = 0;
	for (size_t i = 0; i < allocations->n_caches; i++) {
		const struct allocated_cache *one = &allocations->caches[i];

		if (!is_named(one, cache))
			continue;
		count = count == U64_UNKNOWN ? one->count : count + one->count;
		if (one->most > most) {
			most = one->most;
			*process = one->process;
		}
	}
	return count;
}
