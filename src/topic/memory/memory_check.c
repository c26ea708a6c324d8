/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "memory_check": whether the lines of /proc/meminfo add up, and what they leave unaccounted. */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "topic/topic.h"

#define PARTS_MAX 20

struct check_row {
	const char *formula;
	uint64_t sum_bytes, total_bytes;
	double error_bytes, error_ratio;
};

#define ROW(field, ...) COLUMN(struct check_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(formula, A_KEY(N_("formula"), 30),
	    .help = N_("lines of /proc/meminfo that are summed, and the line they should equal"),
	    .source = "/proc/meminfo"),
	ROW(sum_bytes, A_GAUGE(BYTES, N_("sum"), 9), .rank = 2, .help = N_("sum of the parts"),
	    .source = "the left side of the formula"),
	ROW(total_bytes, A_GAUGE(BYTES, N_("total"), 9), .rank = 3,
	    .help = N_("total as printed by the kernel"), .source = "the right side of the formula"),
	ROW(error_bytes, A_GAUGE(BYTES, N_("error"), 9), .rank = 1,
	    .help = N_("sum minus total; for MemTotal, a negative error is memory that no line accounts for; "
		       "where VmallocUsed includes kernel stacks, the sum has them twice"),
	    .source = "sum - total"),
	ROW(error_ratio, A_GAUGE(RATIO, N_("%error"), 6), .rank = 1,
	    .help = N_("the error as a share of the total"), .source = "(sum - total) / total"),
};

static const struct schema schema = {
	.name = "memory_check", .is_public = true,
	.help = N_("identities between the lines of /proc/meminfo, with their errors"), .one_unit = true,
	SCHEMA_ROWS(struct check_row, columns),
};

struct part {
	const char *key;
	size_t offset;
};

#define PART(key, field) { key, offsetof(struct meminfo, field) }

/*
 * Every kernel prints the first n_required parts: without them there is nothing to check. Other parts that a
 * kernel does not print are left out of the formula.
 */
static const struct check {
	struct part whole, parts[PARTS_MAX];
	unsigned n_required;
} checks[] = {
	{ PART("Active", active),
	  { PART("Active(anon)", active_anon), PART("Active(file)", active_file) },
	  .n_required = 2 },
	{ PART("Inactive", inactive),
	  { PART("Inactive(anon)", inactive_anon), PART("Inactive(file)", inactive_file) },
	  .n_required = 2 },
	{ PART("Slab", slab),
	  { PART("SReclaimable", reclaimable_slab), PART("SUnreclaim", unreclaimable_slab) },
	  .n_required = 2 },
	/* by use: the lists of page reclaim */
	{ PART("MemTotal", total),
	  { PART("MemFree", free), PART("Active", active), PART("Inactive", inactive), PART("Slab", slab),
	    PART("Unevictable", unevictable), PART("KernelStack", kernel_stack),
	    PART("PageTables", page_tables), PART("SecPageTables", secondary_page_tables),
	    PART("Percpu", percpu), PART("VmallocUsed", vmalloc_used), PART("Hugetlb", hugetlb),
	    PART("Zswap", zswap), PART("Bounce", bounce) },
	  .n_required = 4 },
	/* by content: anonymous memory and page cache */
	{ PART("MemTotal", total),
	  { PART("MemFree", free), PART("Buffers", buffers), PART("Cached", cached),
	    PART("AnonPages", anon_pages), PART("Slab", slab), PART("SwapCached", swap_cached),
	    PART("KernelStack", kernel_stack), PART("PageTables", page_tables),
	    PART("SecPageTables", secondary_page_tables), PART("Percpu", percpu),
	    PART("VmallocUsed", vmalloc_used), PART("Hugetlb", hugetlb), PART("Zswap", zswap),
	    PART("Bounce", bounce) },
	  .n_required = 5 },
};

static uint64_t value_of(const struct meminfo *meminfo, const struct part *part)
{
	uint64_t value;

	memcpy(&value, (const char *)meminfo + part->offset, sizeof(value));
	return value;
}

static bool can_be_checked(const struct check *check, const struct meminfo *meminfo)
{
	for (unsigned i = 0; i < check->n_required; i++)
		if (value_of(meminfo, &check->parts[i]) == U64_UNKNOWN)
			return false;
	return value_of(meminfo, &check->whole) != U64_UNKNOWN;
}

static const char *add_parts(struct arena *arena, const struct check *check, const struct meminfo *meminfo,
			     uint64_t *sum)
{
	const char *formula = "";

	*sum = 0;
	for (const struct part *part = check->parts; part->key; part++) {
		uint64_t value = value_of(meminfo, part);

		if (value == U64_UNKNOWN)
			continue;
		*sum = u64_sum(*sum, value);
		formula = arena_print(arena, "%s%s%s", formula, *formula ? " + " : "", part->key);
	}
	return arena_print(arena, "%s = %s", formula, check->whole.key);
}

static void add_check(struct frame *frame, struct table *table, const struct check *check,
		      const struct meminfo *meminfo)
{
	struct check_row *row = table_add(table);

	row->formula = add_parts(&frame->arena, check, meminfo, &row->sum_bytes);
	row->total_bytes = value_of(meminfo, &check->whole);
	if (row->sum_bytes == U64_UNKNOWN)
		return;
	row->error_bytes = (double)row->sum_bytes - (double)row->total_bytes;
	if (row->total_bytes > 0)
		row->error_ratio = row->error_bytes / (double)row->total_bytes;
}

static int sample(struct sample *sample)
{
	struct meminfo meminfo;
	struct span text;
	int error = env_read(sample->env, env_file(sample->env, "proc/meminfo"), &text);

	if (error)
		return error;
	meminfo_parse(text, &meminfo);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (can_be_checked(&checks[i], &meminfo))
			add_check(sample->frame, sample->table, &checks[i], &meminfo);
	return sample->table->n_rows > 0 ? 0 : -ENODATA;
}

const struct topic topic_memory_check = {
	.schema = &schema, .sources = SOURCES(
		{ .path = "proc/meminfo", .gives = N_("sizes of all kinds of memory") }), .sample = sample,
};
