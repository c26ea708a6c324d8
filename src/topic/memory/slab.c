/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "slab": the kernel's memory for its own objects, by cache. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "sys/pids.h"
#include "topic/memory/allocations.h"
#include "topic/topic.h"

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
	.name = "slab",
	.is_public = true,
	.help = N_("memory of kernel objects, by cache"),
	.sum_row = "all",
	SCHEMA_ROWS(struct slab_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = SUM_PATH, .gives = N_("memory of all kernel objects") },
	{ .path = PATH,
	  .gives = N_("memory of kernel objects by cache"),
	  .optional = true,
	  .remedies = { { EACCES, N_("run it as root, or give it the capability cap_dac_read_search") },
			{ ENOENT, N_("this kernel is built without /proc/slabinfo") } } },
	{ .path = TRACE_SOURCE,
	  .gives = N_("allocations of kernel objects, and who allocates"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_TYPES } },
	{ 0 },
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

static void add_allocations(struct sample *sample, struct slab_row *row)
{
	const struct state *state = sample->state;
	uint32_t process;

	row->allocations = allocations_of(&state->allocations, span_text(row->cache), &process);
	row->allocator = name_allocator(sample, process);
}

/* The bytes of all caches; U64_UNKNOWN where they are not listed. */
static uint64_t add_caches(struct sample *sample)
{
	struct slabinfo_line line;
	struct span text;
	uint64_t bytes = U64_UNKNOWN;
	struct state *state = sample->state;
	bool counted;

	if (env_read(sample->env, env_file(sample->env, PATH), &text) != 0)
		return U64_UNKNOWN;
	counted = allocations_update(&state->allocations, sample->env, sample->request);
	trace_notice(&state->allocations.trace, sample->frame, _("allocations are not counted"));
	while (slabinfo_next(&text, &line)) {
		struct slab_row *row = table_add(sample->table);

		row->cache = arena_copy(&sample->frame->arena, line.name.at, span_length(line.name));
		fill(row, &line, sample->env->page_bytes);
		if (counted)
			add_allocations(sample, row);
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
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF),
	.state_size = sizeof(struct state),
	.sample = sample_slab,
	.close = close_slab,
};
