/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cache_group": what the groups of resctrl get and use of caches and of memory bandwidth. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/cache/cache_monitor.h"
#include "topic/cache/cache_tree.h"
#include "topic/topic.h"

#define MIB_BYTES UINT64_C(1048576)
#define EIGHTH_OF_GB_BYTES UINT64_C(125000000)
#define MIB_WITHOUT_LIMIT (UINT64_C(1) << 31) /* the kernel writes about 2^32 */

enum on_request { REQUEST_TASKS = 1 };

struct cache_group_row {
	const char *group, *domain, *kind;
	uint64_t ways, cache_ways, code_ways;
	const char *mask, *code_mask;
	uint64_t occupancy_bytes, cache_bytes, allocated_bytes;
	double occupancy_ratio;
	uint64_t total_bytes, local_bytes;
	double total_bytes_per_second, local_bytes_per_second, local_ratio;
	double throttle_ratio;
	uint64_t limit_bytes_per_second, tasks;
	const char *process, *note, *mode;
};

#define ROW(field, ...) COLUMN(struct cache_group_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(group, .kind = COLUMN_KEY, .title = N_("group"), .width = 16,
	    .help = N_("group of resctrl, as a path: / has all tasks of no other group; what is below "
		       "mon_groups is a part of the group above it"),
	    .source = "/" CACHE_ROOT),
	ROW(domain, .kind = COLUMN_KEY, .title = N_("cache"), .width = 5,
	    .help = N_("id of an L3 cache; ID/NODE: the part of a NUMA node in it (SNC); L2:ID: an L2 cache"),
	    .source = "/" CACHE_ROOT "/GROUP/mon_data, schemata"),
	ROW(kind, .kind = COLUMN_LABEL, .title = N_("kind"), .width = 7, .rank = 4, .words = true,
	    .help = N_("control: it has ways and a limit of its own, and counts its monitoring groups, too; "
		       "monitor: it only counts"),
	    .source = "/" CACHE_ROOT),
	ROW(ways, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("ways"), .width = 4, .rank = 1,
	    .help = N_("ways of the cache that it may fill, with other groups where their masks overlap; of "
		       "data with CDP"),
	    .source = "bits of mask"),
	ROW(mask, .kind = COLUMN_LABEL, .title = N_("mask"), .width = 6, .rank = 3, .optional = true,
	    .help = N_("which ways, a bit for each, in hexadecimal"),
	    .source = "/" CACHE_ROOT "/GROUP/schemata"),
	ROW(code_ways, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("code"), .width = 4, .rank = 2,
	    .optional = true, .help = N_("ways for code, where it is apart from data (CDP)"),
	    .source = "bits of code_mask"),
	ROW(code_mask, .kind = COLUMN_LABEL, .title = N_("code mask"), .width = 9, .rank = 3,
	    .optional = true, .help = N_("which ways for code"), .source = "/" CACHE_ROOT "/GROUP/schemata"),
	ROW(cache_ways, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("of"), .width = 3,
	    .hidden = true, .help = N_("ways of the whole cache"),
	    .source = "bits of /" CACHE_ROOT "/info/L3/cbm_mask"),
	ROW(occupancy_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("occupies"), .width = 8,
	    .trend = true,
	    .help = N_("bytes of the cache with data that its tasks brought there; what they brought before "
		       "they joined is left out"),
	    .source = "/" CACHE_ROOT "/GROUP/mon_data/mon_L3_ID/llc_occupancy"),
	ROW(occupancy_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("%cache"), .width = 6,
	    .rank = 2, .help = N_("share of the cache that it occupies"),
	    .source = "occupancy_bytes / cache_bytes"),
	ROW(total_bytes_per_second, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND, .title = N_("memory"),
	    .width = 9, .rate_of = offsetof(struct cache_group_row, total_bytes),
	    .help = N_("bytes that moved between this cache and memory"),
	    .source = "growth of total_bytes / time"),
	ROW(local_bytes_per_second, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND, .title = N_("local"),
	    .width = 9, .rank = 3, .rate_of = offsetof(struct cache_group_row, local_bytes),
	    .help = N_("the part of it with memory of the same NUMA node"),
	    .source = "growth of local_bytes / time"),
	ROW(local_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("%local"), .width = 6,
	    .rank = 2, .rate_of = offsetof(struct cache_group_row, local_bytes),
	    .rate_over = offsetof(struct cache_group_row, total_bytes),
	    .help = N_("share with memory of the same NUMA node"),
	    .source = "growth of local_bytes / growth of total_bytes"),
	ROW(throttle_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("%allow"), .width = 6,
	    .rank = 1, .optional = true,
	    .help = N_("share of the memory bandwidth that it is allowed (MBA, a setting): 100 %: no limit"),
	    .source = "/" CACHE_ROOT "/GROUP/schemata MB"),
	ROW(limit_bytes_per_second, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES_PER_SECOND, .title = N_("limit"),
	    .width = 8, .rank = 1, .optional = true,
	    .help = N_(
		    "memory bandwidth that it is allowed, where it is set in bytes (AMD, mba_MBps); empty: "
		    "no limit"),
	    .source = "/" CACHE_ROOT "/GROUP/schemata MB"),
	ROW(tasks, .on_request = REQUEST_TASKS, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT,
	    .title = N_("tasks"), .width = 6, .rank = 3,
	    .help = N_("threads in it; those of its monitoring groups count, too"),
	    .source = "lines of /" CACHE_ROOT "/GROUP/tasks"),
	ROW(process, .kind = COLUMN_LABEL, .title = N_("process"), .width = 14, .rank = 1, .optional = true,
	    .help = N_("the process for which panetop made the group"), .source = "panetop"),
	ROW(note, .kind = COLUMN_LABEL, .title = N_("note"), .width = 10, .rank = 1, .optional = true,
	    .words = true, .help = N_("why a number is not known"),
	    .source = "/" CACHE_ROOT "/GROUP/mon_data"),
	ROW(mode, .kind = COLUMN_LABEL, .title = N_("mode"), .width = 9, .rank = 5, .optional = true,
	    .help = N_("shareable, exclusive, or pseudo-locked, as the kernel spells it"),
	    .source = "/" CACHE_ROOT "/GROUP/mode"),
	ROW(cache_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("size"), .width = 8,
	    .hidden = true, .help = N_("size of the whole cache"),
	    .source = "/sys/devices/system/cpu/cpuN/cache/indexN/size"),
	ROW(allocated_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("may have"), .width = 8,
	    .hidden = true, .help = N_("size of its ways, of data with CDP"),
	    .source = "/" CACHE_ROOT "/GROUP/size"),
	ROW(total_bytes, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .title = N_("memory"), .width = 8,
	    .hidden = true, .help = N_("bytes that moved between this cache and memory, since it counts"),
	    .source = "/" CACHE_ROOT "/GROUP/mon_data/mon_L3_ID/mbm_total_bytes"),
	ROW(local_bytes, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .title = N_("local"), .width = 8,
	    .hidden = true, .help = N_("the part of them with memory of the same NUMA node"),
	    .source = "/" CACHE_ROOT "/GROUP/mon_data/mon_L3_ID/mbm_local_bytes"),
};

static const struct schema schema = {
	.name = "cache_group",
	.help = N_("caches and memory bandwidth of the groups of resctrl (Intel RDT, AMD QoS, Arm MPAM)"),
	.row_size = sizeof(struct cache_group_row),
	SCHEMA_COLUMNS(columns),
};

#define NO_RESCTRL                                                                                           \
	{                                                                                                    \
		ENODEV,                                                                                      \
			N_("this CPU or kernel has no resctrl (Intel RDT, AMD QoS; "                         \
			   "CONFIG_X86_CPU_RESCTRL)"),                                                       \
			true                                                                                 \
	}

static const struct source_spec sources[] = {
	{ .path = CACHE_ROOT,
	  .gives = N_("caches and memory bandwidth by group of tasks"),
	  .test = cache_mounted,
	  .remedies = { NO_RESCTRL,
			{ ENOENT, N_("resctrl is not mounted, and panetop never mounts it; as root: mount -t "
				     "resctrl resctrl /sys/fs/resctrl") } } },
	{ .path = CACHE_MONITOR_GROUPS,
	  .gives = N_("a monitoring group for one process, at a key"),
	  .optional = true,
	  .test = cache_monitor_test,
	  .remedies = { NO_RESCTRL,
			{ EACCES, N_("run it as root, or give it the capability cap_dac_override") },
			{ EROFS, N_("it is mounted read-only, as in a container") },
			{ ENOENT,
			  N_("this CPU does not monitor groups (no CMT, no MBM), or resctrl is not "
			     "mounted"),
			  .unused = true } } },
	{ .path = CACHE_MEMBERSHIP,
	  .gives = N_("the groups that a process is in"),
	  .optional = true,
	  .test = cache_membership_test,
	  .remedies = { NO_RESCTRL,
			{ EBUSY, N_("it is in a monitoring group already, whose row has its numbers") },
			{ ENOSYS, N_("needs Linux 5.6"), .unused = true } } },
	{ 0 },
};

struct state {
	struct cache_tree tree;
};

static int open_groups(struct sample *sample)
{
	struct state *state = sample->state;

	return cache_tree_open(&state->tree, sample->env);
}

static void close_groups(struct sample *sample)
{
	struct state *state = sample->state;

	cache_tree_close(&state->tree);
}

static const char *domain_name(struct arena *arena, const struct cache_domain *domain)
{
	if (domain->level == 2)
		return arena_print(arena, "L2:%" PRIu64, domain->id);
	if (domain->node != CACHE_NO_NODE)
		return arena_print(arena, "%" PRIu64 "/%" PRIu64, domain->id, domain->node);
	return arena_print(arena, "%" PRIu64, domain->id);
}

static uint64_t bits(uint64_t mask)
{
	return mask == U64_UNKNOWN ? U64_UNKNOWN : (uint64_t)__builtin_popcountll(mask);
}

static const char *mask_text(struct arena *arena, uint64_t mask)
{
	return mask == U64_UNKNOWN ? NULL : arena_print(arena, "%" PRIx64, mask);
}

/* The kernel gives a group without one the power of two that the CPU has for it: 2048, newer ones more. */
static bool is_amd_limit(uint64_t eighths)
{
	return eighths < 2048 || (eighths & (eighths - 1)) != 0;
}

static void set_limit(struct cache_group_row *row, enum cache_bandwidth kind, uint64_t number)
{
	if (number == U64_UNKNOWN)
		return;
	if (kind == CACHE_PERCENT)
		row->throttle_ratio = (double)number / 100;
	else if (kind == CACHE_MIB_PER_SECOND)
		row->limit_bytes_per_second = number < MIB_WITHOUT_LIMIT ? number * MIB_BYTES : U64_BLANK;
	else
		row->limit_bytes_per_second = is_amd_limit(number) ? number * EIGHTH_OF_GB_BYTES : U64_BLANK;
}

/* What the group may use of the cache: that of its control group. */
static void fill_share(struct sample *sample, struct cache_group_row *row, const struct cache_group *group,
		       const struct cache_domain *domain)
{
	const struct cache_tree *tree = &((const struct state *)sample->state)->tree;
	const struct cache_domain *share = cache_tree_share(tree, group, domain);
	struct arena *arena = &sample->frame->arena;

	if (!share)
		return;
	row->ways = bits(share->mask);
	row->mask = mask_text(arena, share->mask);
	row->code_ways = bits(share->code_mask);
	row->code_mask = mask_text(arena, share->code_mask);
	row->cache_ways = bits(domain->level == 2 ? tree->l2_mask : tree->l3_mask);
	row->allocated_bytes = domain->node == CACHE_NO_NODE ? share->allocated_bytes : U64_BLANK;
	set_limit(row, tree->bandwidth, share->bandwidth);
}

static const char *note_of(const struct cache_domain *domain)
{
	static const char *const notes[] = {
		[RESCTRL_UNAVAILABLE] = N_("the CPU has no value at present"),
		[RESCTRL_UNASSIGNED] = N_("no counter is assigned to it"),
		[RESCTRL_ERROR] = N_("the kernel could not read it"),
	};

	for (unsigned event = 0; event < N_CACHE_EVENTS; event++)
		if (domain->states[event] != RESCTRL_COUNTED)
			return notes[domain->states[event]];
	return "";
}

static void fill_use(struct sample *sample, struct cache_group_row *row, const struct cache_group *group,
		     const struct cache_domain *domain)
{
	const struct cache_tree *tree = &((const struct state *)sample->state)->tree;

	row->cache_bytes =
		domain->node == CACHE_NO_NODE ? cache_tree_bytes(tree, domain->level, domain->id) : U64_BLANK;
	if (!domain->monitored)
		return;
	row->occupancy_bytes = domain->values[CACHE_OCCUPANCY];
	if (row->cache_bytes > 0)
		row->occupancy_ratio = u64_number(row->occupancy_bytes) / u64_number(row->cache_bytes);
	row->note = note_of(domain);
	if (group->is_new) /* another one had its name: the growth from that would be wrong */
		return;
	row->total_bytes = domain->values[CACHE_TOTAL];
	row->local_bytes = domain->values[CACHE_LOCAL];
}

/* "postgres (4711)"; NULL: it is not a group of this panetop. */
static const char *process_of(struct sample *sample, const struct cache_group *group)
{
	struct cache_monitored monitored;

	if (!cache_monitored(sample->env, &monitored) || strcmp(monitored.path, group->path) != 0)
		return NULL;
	return arena_print(&sample->frame->arena, "%s (%u)", monitored.name, monitored.pid);
}

static void add_row(struct sample *sample, const struct cache_group *group, bool is_control,
		    const struct cache_domain *domain)
{
	struct arena *arena = &sample->frame->arena;
	struct cache_group_row *row = table_add(sample->table);

	row->group = *group->path ? arena_copy(arena, group->path, strlen(group->path)) : "/";
	row->domain = domain_name(arena, domain);
	row->kind = is_control ? N_("control") : N_("monitor");
	row->tasks = group->n_tasks;
	row->process = process_of(sample, group);
	if (*group->mode)
		row->mode = arena_copy(arena, group->mode, strlen(group->mode));
	fill_share(sample, row, group, domain);
	fill_use(sample, row, group, domain);
}

static int sample_groups(struct sample *sample)
{
	struct state *state = sample->state;
	struct cache_tree *tree = &state->tree;
	int error = cache_tree_read(tree, sample_request_wants(sample->request, &schema, REQUEST_TASKS));

	if (error)
		return error;
	for (size_t g = 0; g < tree->n_groups; g++)
		for (size_t d = 0; d < tree->groups[g].n_domains; d++)
			add_row(sample, &tree->groups[g], tree->groups[g].control == g,
				&tree->groups[g].domains[d]);
	return sample->table->n_rows > 0 ? 0 : -ENODATA;
}

const struct topic topic_cache_group = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_RESCTRL),
	.state_size = sizeof(struct state),
	.open = open_groups,
	.sample = sample_groups,
	.close = close_groups,
	.act = cache_monitor_act,
};
