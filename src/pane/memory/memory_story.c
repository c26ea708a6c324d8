/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict first, then what was reclaimed, refaulted or killed: each with its condition. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/stories.h"

const void *memory_nearest_limit(const struct table *table, const char *resource)
{
	const void *nearest = NULL;
	double least = INFINITY;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		double left = table_number(table, row, "free_bytes");

		if (strcmp(table_text(table, row, "resource"), resource) != 0)
			continue;
		if (!nearest || left < least) {
			least = isnan(left) ? INFINITY : left;
			nearest = row;
		}
	}
	return nearest;
}

/* A running kernel thread of DAMON, which can page out on purpose. */
static const void *find_pager(const struct table *processes)
{
	const struct column *names = processes ? schema_known_column(processes->schema, "name") : NULL;

	for (size_t i = 0; names && i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);
		const char *name = row_text(row, names);

		if (name && strncmp(name, "kdamond.", strlen("kdamond.")) == 0 &&
		    table_number(processes, row, "cpu_ratio") > 0)
			return row;
	}
	return NULL;
}

static double or_none(double number)
{
	return isnan(number) ? 0 : number;
}

void memory_facts_make(struct memory_facts *facts, const struct frame *frame, const struct memory_seen *seen)
{
	const struct table *paging = frame_table(frame, "paging"), *processes = frame_table(frame, "process");
	const struct table *limits = frame_table(frame, "memory_limit");
	const struct table *memory = frame_table(frame, "memory");
	const void *window = paging && paging->n_rows > 0 ? table_row(paging, 0) : NULL;
	const void *limit = memory_nearest_limit(limits, "memory"), *pager = find_pager(processes);
	double limit_bytes = table_number(limits, limit, "limit_bytes");
	double limit_ratio = (table_number(limits, limit, "free_bytes") +
			      or_none(table_number(limits, limit, "caches_bytes"))) / limit_bytes;
	double total = frame_number(frame, "memory", "mem", "total_bytes");
	double available = frame_number(frame, "memory", "available", "free_bytes");
	double ratio = total > 0 ? available / total : NAN;
	/* because the machine ran out: it has reclaimed before, which no limit of a group causes */
	double killed = seen->stalls > 0 ? seen->killed - or_none(seen->killed_at_limits) : 0;
	bool limited = limit_bytes > 0 && limit_ratio <= ratio;
	const struct made_fact made[MEMORY_FACTS] = {
		/* of the machine, or of the limit if that is less; what is shown is rounded down */
		{ "left_ratio", number_fact(floor(100 * (limited ? limit_ratio : ratio)) / 100, UNIT_RATIO),
		  limited ? "(free_bytes + caches_bytes) / limit_bytes of the nearest limit, rounded down"
			  : "memory.available.free_bytes / memory.mem.total_bytes rounded down" },
		{ "near_limit_bytes", limited ? column_fact(limits, limit, "limit_bytes") : FACT_UNKNOWN },
		{ "available_bytes", limited ? FACT_UNKNOWN
					     : column_fact(memory, table_find(memory, "available", NULL),
							   "free_bytes") },
		{ "unwatched", text_fact(seen->unwatched) },
		{ "killed", number_fact(killed, UNIT_NONE),
		  "growth of reclaim.oom_kill.total - growth of group./.all_limit_oom_kills" },
		{ "swap_ins_per_second", number_fact(table_number(paging, window, "window_swap_ins") /
							     table_number(paging, window, "window_seconds"),
						     UNIT_PER_SECOND),
		  "window_swap_ins / window_seconds" },
		{ "pager", text_fact(pager ? table_text(processes, pager, "name") : NULL) },
		{ "pager_ratio", column_fact(processes, pager, "cpu_ratio") },
	};

	memcpy(facts->made, made, sizeof(made));
	facts->of = (struct row_facts){ { row_fact }, paging, window, facts->made, MEMORY_FACTS, frame };
}

#define STALLED "pressure.memory/some.avg10_ratio"
#define LEFT                                                                                                 \
	N_("[{left_ratio:%} left of the cgroup limit, {near_limit_bytes}.]"                                  \
	   "[{left_ratio:%} available: {available_bytes} of {memory.mem.total_bytes}.]")
#define WAITS                                                                                                \
	{                                                                                                    \
		.when = STALLED " >= 0.01",                                                                  \
		.text = N_("Tasks wait for it {pressure.memory/some.avg10_ratio:%} of 10 s."),               \
		.more = true                                                                                 \
	}
#define MEMORY_SHORT "finding.memory_short.state == now"
#define NO_GROUP_REFAULTS "not finding.group_refaults.state"
#define GROUP_REFAULTED "finding.group_refaults.state == earlier"
#define GROUP_REFAULTS "finding.group_refaults.state == now"
#define WAITS_NOT STALLED " < 0.00005" /* shown as 0.00 % */
#define RECLAIMS_NOT "window_seconds >= 5, window_evictions == 0, window_refaults == 0"

#define KILLED                                                                                               \
	{                                                                                                    \
		NULL,                                                                                        \
			PN_("Memory ran out, {killed} process was killed.",                                  \
			    "Memory ran out, {killed} processes were killed."),                              \
			"killed", .more = true                                                               \
	}

/* The machine has memory, a group of it has not. */
#define OF_GROUP(rule)                                                                                       \
	{ "finding." rule ".state == now", LEFT, .level = MEMORY_BAD },                                      \
	{                                                                                                    \
		.text = "{finding." rule ".subject}: {finding." rule ".text}", .more = true                  \
	}

/* Whether it is bad the findings say; without one, how it is. */
static const struct remark verdicts[] = {
	{ "finding.out_of_memory.state == now", LEFT, .level = MEMORY_BAD },
	KILLED,
	{ MEMORY_SHORT, LEFT, .level = MEMORY_BAD },
	WAITS,
	{ "finding.memory_limit.state == now", LEFT, .level = MEMORY_BAD },
	WAITS,
	OF_GROUP("group_killed"),
	OF_GROUP("group_refaults"),
	OF_GROUP("group_memory"),
	{ "killed > 0", LEFT, .level = MEMORY_HIGH },
	KILLED,
	{ "finding.memory_busy.state == now", LEFT, .level = MEMORY_HIGH },
	WAITS,
	{ STALLED " >= 0.01", LEFT, .level = MEMORY_OK },
	WAITS,
	{ "unwatched", LEFT, .level = MEMORY_UNKNOWN },
	{ NULL, N_("Tasks that wait for it: {unwatched}."), .more = true },
	{ WAITS_NOT ", " RECLAIMS_NOT, LEFT, .level = MEMORY_OK },
	{ NULL, N_("Nothing reclaimed, no task waits for it."), .more = true },
	{ WAITS_NOT, LEFT, .level = MEMORY_OK },
	{ NULL, N_("No task waits for it."), .more = true },
	{ NULL, LEFT, .level = MEMORY_OK },
	{ RECLAIMS_NOT, N_("Nothing reclaimed."), .more = true },
};

enum memory_level memory_verdict(struct buffer *out, const struct memory_facts *facts)
{
	if (!sentence_holds("left_ratio", &facts->of.facts))
		return MEMORY_UNKNOWN;
	return (enum memory_level)remarks_say(out, REMARKS(verdicts), &facts->of.facts);
}

/* Reclaim that freed fewer pages is not what the refaults come from. */
#define RECLAIMED "window_refaults > 0, window_evictions > 0, window_evictions >= 0.5 * window_refaults"
#define SWAPPED                                                                                              \
	{                                                                                                    \
		"window_swap_ins > 0",                                                                       \
			PN_("{window_swap_ins:.0} page was read back from swap.",                            \
			    "{window_swap_ins:.0} pages were read back from swap."),                         \
			"window_swap_ins", .more = true                                                      \
	}

static const struct remark stories[] = {
	{ "window_seconds < 5", N_("Watching for refaults ({window_seconds:.0} s so far).") },
	{ "window_refaults > 0, calm_seconds >= 30",
	  PN_("{window_refaults:.0} page refaulted (was read again after eviction) in {window_seconds}, "
	      "none in the last {calm_seconds:.0} s.",
	      "{window_refaults:.0} pages refaulted (were read again after eviction) in {window_seconds}, "
	      "none in the last {calm_seconds:.0} s."),
	  "window_refaults" },
	{ RECLAIMED ", " MEMORY_SHORT,
	  PN_("{window_refaults:.0} page refaulted (was read again after eviction) in {window_seconds} "
	      "({window_refaults_per_second}), {window_swap_ins:.0} read back from swap: memory is short.",
	      "{window_refaults:.0} pages refaulted (were read again after eviction) in {window_seconds} "
	      "({window_refaults_per_second}), {window_swap_ins:.0} read back from swap: memory is short."),
	  "window_refaults" },
	{ RECLAIMED ", window_refaults_per_second < 10",
	  PN_("Only {window_refaults:.0} page refaulted (was read again after eviction) in "
	      "{window_seconds}: {memory.mem.caches_bytes} of cache is about what is in use.",
	      "Only {window_refaults:.0} pages refaulted (were read again after eviction) in "
	      "{window_seconds}: {memory.mem.caches_bytes} of cache is about what is in use."),
	  "window_refaults" },
	SWAPPED,
	{ RECLAIMED,
	  PN_("{window_refaults:.0} page refaulted (was read again after eviction) in {window_seconds} "
	      "({window_refaults_per_second}): more is in use than {memory.mem.caches_bytes} of cache can "
	      "hold.",
	      "{window_refaults:.0} pages refaulted (were read again after eviction) in {window_seconds} "
	      "({window_refaults_per_second}): more is in use than {memory.mem.caches_bytes} of cache can "
	      "hold."),
	  "window_refaults" },
	SWAPPED,
	/* what refaults sooner may have been evicted before, by what is not seen */
	{ "window_refaults > 0, window_seconds < 60, " NO_GROUP_REFAULTS,
	  PN_("{window_refaults:.0} evicted page was read back in {window_seconds}; cause not known yet.",
	      "{window_refaults:.0} evicted pages were read back in {window_seconds}; cause not known yet."),
	  "window_refaults" },
	{ "window_refaults > 0, not window_evictions",
	  PN_("{window_refaults:.0} page refaulted in {window_seconds}; what was reclaimed is not known.",
	      "{window_refaults:.0} pages refaulted in {window_seconds}; what was reclaimed is not known."),
	  "window_refaults" },
	{ "window_refaults > 0, " GROUP_REFAULTS,
	  PN_("{window_refaults:.0} page refaulted in {window_seconds} without reclaim of the machine: "
	      "{finding.group_refaults.subject} is at its limit.",
	      "{window_refaults:.0} pages refaulted in {window_seconds} without reclaim of the machine: "
	      "{finding.group_refaults.subject} is at its limit."),
	  "window_refaults" },
	{ "window_refaults > 0, " GROUP_REFAULTED,
	  PN_("{window_refaults:.0} page refaulted in {window_seconds} without reclaim of the machine: "
	      "{finding.group_refaults.subject} was at its limit.",
	      "{window_refaults:.0} pages refaulted in {window_seconds} without reclaim of the machine: "
	      "{finding.group_refaults.subject} was at its limit."),
	  "window_refaults" },
	{ "window_refaults > 0, pager",
	  PN_("{window_refaults:.0} page refaulted in {window_seconds} without reclaim: likely paged out by "
	      "DAMON ({pager} runs, {pager_ratio:.1%} of a CPU).",
	      "{window_refaults:.0} pages refaulted in {window_seconds} without reclaim: likely paged out "
	      "by DAMON ({pager} runs, {pager_ratio:.1%} of a CPU)."),
	  "window_refaults" },
	{ "window_refaults > 0",
	  PN_("{window_refaults:.0} page refaulted in {window_seconds} without reclaim: paged out on "
	      "purpose (DAMON, MADV_PAGEOUT, memory.reclaim), by a memory.high or memory.max of a cgroup, "
	      "or evicted before this run.",
	      "{window_refaults:.0} pages refaulted in {window_seconds} without reclaim: paged out on "
	      "purpose (DAMON, MADV_PAGEOUT, memory.reclaim), by a memory.high or memory.max of a cgroup, "
	      "or evicted before this run."),
	  "window_refaults" },
	{ "window_swap_ins > 0",
	  PN_("{window_swap_ins:.0} page read back from swap in {window_seconds} ({swap_ins_per_second}).",
	      "{window_swap_ins:.0} pages read back from swap in {window_seconds} ({swap_ins_per_second})."),
	  "window_swap_ins" },
	/* without a refault, the evicted pages were not needed; if nothing was evicted, nothing is proved */
	{ "window_evictions > 0",
	  PN_("No refault in {window_seconds}, though {window_evictions:.0} page was reclaimed: of "
	      "{memory.mem.caches_bytes} of cache hardly anything would be read again.",
	      "No refault in {window_seconds}, though {window_evictions:.0} pages were reclaimed: of "
	      "{memory.mem.caches_bytes} of cache hardly anything would be read again."),
	  "window_evictions" },
	{ "not window_evictions", N_("No refault in {window_seconds}; what was reclaimed is not known.") },
	{ NULL, N_("No refault in {window_seconds}, and nothing reclaimed: whether "
		   "{memory.mem.caches_bytes} of cache are needed is not known.") },
};

void memory_story(struct buffer *out, const struct memory_facts *facts)
{
	if (sentence_holds("window_seconds > 0, window_refaults", &facts->of.facts))
		remarks_say(out, REMARKS(stories), &facts->of.facts);
}

#define ERROR_MAX 0.1 /* with more it is not known where a process has its memory */

/* Not where its memory is spread as evenly as its CPU time: then no node would be better. */
#define FAR                                                                                                  \
	{                                                                                                    \
		"whole, gain_bytes >= 0.01 * machine_bytes, gain_ratio >= 0.2, best_node",                   \
			N_("{command} ({pid}) runs far from its memory: {local_ratio:%} of it is local; on " \
			   "node {best_node} it would be {best_ratio:%}."),                                  \
			.more = true                                                                         \
	}
#define LOST                                                                                                 \
	{                                                                                                    \
		"whole, lost_per_second >= 10, lost_node",                                                   \
			N_("Node {lost_node} has too little free memory: {lost_per_second:rate} pages a "    \
			   "second had to be allocated elsewhere."),                                         \
			.more = true                                                                         \
	}

static const struct remark remarks[] = {
	{ "nodes < 1", N_("The kernel shows no NUMA nodes here.") },
	{ "nodes < 2", N_("The kernel knows one NUMA node: to it all memory is equally near, and no process "
			  "can be far from its memory.") },
	{ "known_bytes > 0",
	  PN_("{nodes} nodes: {near_ratio:%} of the {known_bytes} of {known} process is where it runs.",
	      "{nodes} nodes: {near_ratio:%} of the {known_bytes} of {known} processes is where they run."),
	  "known" },
	FAR,
	LOST,
	{ "processes > 0", N_("{nodes} nodes: on which of them the memory of these processes is, is not "
			      "known.") },
	FAR,
	LOST,
	{ NULL, N_("{nodes} nodes; no process was looked at.") },
	FAR,
	LOST,
};

/* Of the processes whose memory and CPU time are known, … */
struct sums {
	double known, known_bytes, far_bytes;
	const void *far; /* … the one of which another node would make most local; NULL: none */
	double gain_bytes;
};

static void add_process(struct sums *sums, const struct table *table, const void *row)
{
	double far_bytes = table_number(table, row, "far_bytes"), gain;

	if (isnan(far_bytes) || table_number(table, row, "error_ratio") > ERROR_MAX)
		return;
	sums->known++;
	sums->known_bytes += table_number(table, row, "resident_bytes");
	sums->far_bytes += far_bytes;
	gain = table_number(table, row, "resident_bytes") *
	       (table_number(table, row, "best_ratio") - table_number(table, row, "local_ratio"));
	if (sums->far && gain <= sums->gain_bytes)
		return;
	sums->far = row;
	sums->gain_bytes = gain;
}

/* The node that lost the most allocations to others; returns the memory of all. */
static double find_loser(const struct table *nodes, double *node, double *per_second)
{
	double machine_bytes = 0;

	for (size_t i = 0; i < nodes->n_rows; i++) {
		const void *row = table_row(nodes, i);
		double lost = table_number(nodes, row, "foreign_per_second");

		machine_bytes += table_number(nodes, row, "total_bytes");
		if (lost > *per_second) {
			*per_second = lost;
			*node = table_number(nodes, row, "node");
		}
	}
	return machine_bytes;
}

void node_story(struct buffer *out, const struct table *nodes, const struct table *processes, bool whole)
{
	double lost_per_second = 0, lost_node = NAN, gain_ratio;
	double machine_bytes = nodes ? find_loser(nodes, &lost_node, &lost_per_second) : NAN;
	size_t n_processes = processes ? processes->n_rows : 0;
	struct sums sums = { 0 };

	for (size_t i = 0; i < n_processes; i++)
		add_process(&sums, processes, table_row(processes, i));
	gain_ratio = table_number(processes, sums.far, "best_ratio") -
		     table_number(processes, sums.far, "local_ratio") -
		     table_number(processes, sums.far, "error_ratio");
	if (nodes) {
		const struct made_fact made[] = {
			{ "nodes", { .number = (double)nodes->n_rows } },
			{ "processes", { .number = (double)n_processes } },
			{ "known", { .number = sums.known } },
			{ "known_bytes", { .number = sums.known_bytes, .unit = UNIT_BYTES },
			  "sum of resident_bytes" },
			{ "near_ratio", number_fact(1 - sums.far_bytes / sums.known_bytes, UNIT_RATIO),
			  "1 - sum of far_bytes / sum of resident_bytes" },
			{ "machine_bytes", { .number = machine_bytes } },
			{ "gain_bytes", { .number = sums.gain_bytes } },
			{ "gain_ratio", { .number = gain_ratio } },
			{ "lost_node", { .number = lost_node } },
			{ "lost_per_second", number_fact(lost_per_second, UNIT_PER_SECOND),
			  "the most of node.foreign_per_second" },
			{ "whole", { .text = whole ? "yes" : "" } },
		};
		const struct row_facts facts = { { row_fact }, processes, sums.far, made, 11 };

		remarks_say(out, REMARKS(remarks), &facts.facts);
	}
}
