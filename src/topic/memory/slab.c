/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "slab": the kernel's memory for its own objects, by cache. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/meminfo.h"
#include "sys/pids.h"
#include "topic/topic.h"
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

/* The kernel counts by the address of the cache, which is cheap; names are read while some are missing. */

#define ENTRIES_MAX 16384
#define NAMES_MAX 1024
#define TRIES_MAX 5 /* ticks without a name, although it allocates: this kernel has other arguments */
#define CACHE 2     /* the argument, since Linux 6.1 */

enum word { WORD_CACHE, WORD_PROCESS, N_WORDS };

static const struct bpf_program counts = {
	.name = N_("an object is allocated"), .tracepoint = "kmem_cache_alloc", .does = &bpf_count,
	.keys = { [WORD_CACHE] = { .is = BPF_PART_ARGUMENT, .argument = CACHE, .bytes = 8 },
		  [WORD_PROCESS] = { .is = BPF_PART_PROCESS } },
	.n_keys = N_WORDS,
};

const struct trace_plan trace_plan_slab = {
	.topic = "slab", .programs = &counts, .n_programs = 1, .n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
};

#define NAME_WORD(word)                                                                                      \
	{                                                                                                    \
		.is = BPF_PART_MEMBER, .name = "kmem_cache.name", .argument = CACHE, .points_to_text = true, \
		.text_offset = (word) * sizeof(uint64_t)                                                     \
	}

static const struct bpf_program names = {
	.name = N_("name of an object's cache"), .tracepoint = "kmem_cache_alloc", .does = &bpf_count,
	.keys = { { .is = BPF_PART_ARGUMENT, .argument = CACHE, .bytes = 8 },
		  NAME_WORD(0),
		  NAME_WORD(1),
		  NAME_WORD(2),
		  NAME_WORD(3) },
	.n_keys = 1 + CACHE_NAME_WORDS,
};

const struct trace_plan trace_plan_slab_names = {
	.topic = "slab", .programs = &names, .n_programs = 1, .n_words = 1 + CACHE_NAME_WORDS,
	.n_entries_max = NAMES_MAX,
};

static void allocations_close(struct allocations *allocations)
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

/* Once per tick; begins to count at the first call. False: see trace.error. */
static bool allocations_update(struct allocations *allocations, struct env *env,
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

/*
 * Since counting began, U64_UNKNOWN: not known, and the process that allocated most in the last tick, or 0.
 * What kmalloc() takes is not counted.
 */
static uint64_t allocations_of(const struct allocations *allocations, struct span cache, uint32_t *process)
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

#define PATH "proc/slabinfo"
#define SUM_PATH "proc/meminfo"

struct slab_row {
	const char *cache;
	uint64_t objects, active, bytes, object_bytes;
	double used_ratio, growth_bytes_per_second, objects_per_second, allocations_per_second;
	uint64_t allocations;
	const char *allocator;
};

#define ROW(field, ...) COLUMN(struct slab_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(cache, A_KEY(N_("cache"), 20),
	    .help = N_("cache of kernel objects, by one name of those that the kernel merged; all: the sum; "
		       "(not in a cache): larger objects"),
	    .source = "/" PATH " name"),
	ROW(bytes, A_GAUGE(BYTES, N_("size"), 7), .trend = true,
	    .help = N_("memory of its slabs, used or not"),
	    .source = "/" PATH " num_slabs * pagesperslab * page size; of all: /" SUM_PATH " Slab, or the "
											   "caches where "
											   "they are more"),
	ROW(growth_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("growth"), 9),
	    .rate_of = offsetof(struct slab_row, bytes),
	    .help = N_("change of the size; less than 0 when it shrinks"),
	    .source = "change of bytes / time"),
	ROW(objects_per_second, A_RATE(PER_SECOND, N_("objects/s"), 9), .rank = 1,
	    .rate_of = offsetof(struct slab_row, active),
	    .help = N_("change of the number of objects in use"), .source = "change of active / time"),
	ROW(allocations_per_second, A_RATE(PER_SECOND, N_("alloc/s"), 8), .rank = 1, .optional = true,
	    .rate_of = offsetof(struct slab_row, allocations),
	    .help = N_("objects allocated; unknown until the cache is used, and of kmalloc"),
	    .source = "growth of allocations / time"),
	ROW(allocator, A_LABEL(N_("most by"), 16), .rank = 2, .optional = true, .fleeting = true,
	    .help = N_("process that ran when most of them were allocated, in the last interval; interrupts "
		       "allocate in its place"),
	    .source = "BPF at kmem_cache_alloc; /proc/PID/comm"),
	ROW(allocations, A_COUNTER(COUNT, N_("allocated"), 10), .hidden = true, .optional = true,
	    .help = N_("objects allocated one at a time since panetop began to count; since Linux 6.1"),
	    .source = "BPF at kmem_cache_alloc"),
	ROW(active, A_GAUGE(COUNT, N_("in use"), 9),
	    .help = N_("objects in use; free ones in the slabs of a CPU count as used"),
	    .source = "/" PATH " active_objs"),
	ROW(objects, A_GAUGE(COUNT, N_("objects"), 9), .rank = 2,
	    .help = N_("objects that its slabs have room for"), .source = "/" PATH " num_objs"),
	ROW(used_ratio, A_GAUGE(RATIO, N_("%used"), 6), .rank = 1,
	    .help = N_("objects in use of those that there is room for"), .source = "active / objects"),
	ROW(object_bytes, A_GAUGE(BYTES, N_("each"), 6), .rank = 3,
	    .help = N_("size of an object with what the kernel adds for alignment and checks"),
	    .source = "/" PATH " objsize"),
};

static const struct schema schema = {
	.name = "slab", .is_public = true, .help = N_("memory of kernel objects, by cache"), .sum_row = "all",
	SCHEMA_ROWS(struct slab_row, columns),
};

static void fill(struct slab_row *row, const struct slabinfo_line *line, uint64_t page_bytes)
{
	row->objects = line->objects;
	row->active = line->active;
	row->object_bytes = line->object_bytes;
	if (__builtin_mul_overflow(line->pages, page_bytes, &row->bytes))
		row->bytes = U64_UNKNOWN;
	if (line->objects > 0)
		row->used_ratio = (double)line->active / (double)line->objects;
}

struct state {
	struct allocations allocations;
};

static void close_slab(struct sample *sample)
{
	struct state *state = sample->state;

	allocations_close(&state->allocations);
}

/* "find (4711)"; NULL: none, or it has exited. */
static const char *name_allocator(struct sample *sample, uint32_t pid)
{
	char name[64];
	long length = pid == 0 ? 0 : pids_read(sample->env, pid, "comm", name, sizeof(name));

	if (length <= 1)
		return NULL;
	return arena_print(&sample->frame->arena, "%.*s (%u)", (int)length - 1, name, pid);
}

/* The bytes of all caches; U64_UNKNOWN where they are not listed. */
static uint64_t add_caches(struct sample *sample)
{
	struct slabinfo_line line;
	struct span text;
	uint64_t bytes = U64_UNKNOWN;
	struct state *state = sample->state;
	uint32_t process;
	bool counted;

	if (env_read(sample->env, env_file(sample->env, PATH), &text) != 0)
		return U64_UNKNOWN;
	counted = allocations_update(&state->allocations, sample->env, sample->request);
	trace_notice(&state->allocations.trace, sample->frame, _("allocations are not counted"));
	while (slabinfo_next(&text, &line)) {
		struct slab_row *row = table_add(sample->table);

		row->cache = arena_copy(&sample->frame->arena, line.name.at, span_length(line.name));
		fill(row, &line, sample->env->page_bytes);
		if (counted) {
			row->allocations =
				allocations_of(&state->allocations, span_text(row->cache), &process);
			row->allocator = name_allocator(sample, process);
		}
		bytes = bytes == U64_UNKNOWN ? row->bytes : u64_sum(bytes, row->bytes);
	}
	return bytes;
}

static int sample_slab(struct sample *sample)
{
	struct slab_row *row;
	struct meminfo meminfo;
	struct span text;
	uint64_t caches;
	int error = env_read(sample->env, env_file(sample->env, SUM_PATH), &text);

	if (error)
		return error;
	meminfo_parse(text, &meminfo);
	row = table_add(sample->table);
	row->cache = "all";
	caches = add_caches(sample);
	row = table_row(sample->table, 0);
	row->bytes = meminfo.slab;
	if (caches == U64_UNKNOWN || meminfo.slab == U64_UNKNOWN)
		return 0;
	if (caches > meminfo.slab) {
		row->bytes = caches;
		return 0;
	}
	row = table_add(sample->table);
	row->cache = "(not in a cache)";
	row->bytes = meminfo.slab - caches;
	return 0;
}

const struct topic topic_slab = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = SUM_PATH, .gives = N_("memory of all kernel objects") },
		{ .path = PATH, .gives = N_("memory of kernel objects by cache"), .optional = true,
		  .remedies = { { EACCES,
				  N_("run it as root, or give it the capability cap_dac_read_search") },
				{ ENOENT, N_("this kernel is built without /proc/slabinfo") } } },
		{ .path = TRACE_SOURCE, .gives = N_("allocations of kernel objects, and who allocates"),
		  .optional = true, .test = trace_test, .remedies = { TRACE_REMEDIES, TRACE_REMEDY_TYPES } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF), .state_size = sizeof(struct state), .sample = sample_slab,
	.close = close_slab,
};
