/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory pane: its tables, options and keys; memory_draw.c has its views. */
#include <config.h>

#include "pane/memory/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "pane/processes.h"

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

void memory_facts_make(struct memory_facts *facts, const struct frame *frame, const char *unwatched)
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
	/* a service that panetop is in says nothing about the machine */
	bool limited = limit_bytes > 0 && limit_ratio <= ratio &&
		       !isnan(frame_number(frame, "system", NULL, "container_cpus"));
	const struct made_fact made[MEMORY_FACTS] = {
		/* of the machine, or of the container if that is less; what is shown is rounded down */
		{ "left_ratio", number_fact(floor(100 * (limited ? limit_ratio : ratio)) / 100, UNIT_RATIO),
		  limited ? "(free_bytes + caches_bytes) / limit_bytes of the nearest limit, rounded down"
			  : "memory.available.free_bytes / memory.mem.total_bytes rounded down" },
		{ "near_limit_bytes", limited ? column_fact(limits, limit, "limit_bytes") : FACT_UNKNOWN },
		{ "available_bytes", limited ? FACT_UNKNOWN
					     : column_fact(memory, table_find(memory, "available", NULL),
							   "free_bytes") },
		{ "unwatched", text_fact(unwatched) },
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
	{ .when = STALLED " >= 0.01",                                                                        \
	  .text = N_("Tasks wait for it {pressure.memory/some.avg10_ratio:%} of 10 s."),                     \
	  .more = true }
#define MEMORY_SHORT "finding.memory_short.state == now"
#define NO_GROUP_REFAULTS "not finding.group_refaults.state"
#define GROUP_REFAULTED "finding.group_refaults.state == earlier"
#define GROUP_REFAULTS "finding.group_refaults.state == now"
#define WAITS_NOT STALLED " < 0.00005" /* shown as 0.00 % */
#define RECLAIMS_NOT "window_seconds >= 5, window_evictions == 0, window_refaults == 0"

#define OUT_BEFORE "finding.out_of_memory.state == earlier"
#define EARLIER                                                                                              \
	{ .when = OUT_BEFORE, .text = N_("Earlier: {finding.out_of_memory.text}"), .more = true }
#define SLAB_GROWS "not near_limit_bytes, finding.kernel_growth.state == now"
#define SWAP_FULL "not near_limit_bytes, finding.swap_full.state == now"

/* Each finding that grades memory has its fact here: memory_busy what is left, memory_short the waits. */
static const struct remark verdicts[] = {
	{ "finding.out_of_memory.state == now", LEFT },
	{ .text = "{finding.out_of_memory.text}", .more = true },
	WAITS,
	{ SLAB_GROWS, "{finding.kernel_growth.text}" },
	{ .text = LEFT, .more = true },
	EARLIER,
	WAITS,
	{ SWAP_FULL, LEFT },
	{ .text = "{finding.swap_full.text}", .more = true },
	EARLIER,
	{ OUT_BEFORE, LEFT },
	EARLIER,
	WAITS,
	{ STALLED " >= 0.01", LEFT },
	WAITS,
	{ "unwatched", LEFT, .level = GRADE_UNKNOWN },
	{ NULL, N_("Tasks that wait for it: {unwatched}."), .more = true },
	{ WAITS_NOT ", " RECLAIMS_NOT, LEFT },
	{ NULL, N_("Nothing reclaimed, no task waits for it."), .more = true },
	{ WAITS_NOT, LEFT },
	{ NULL, N_("No task waits for it."), .more = true },
	{ NULL, LEFT },
	{ RECLAIMS_NOT, N_("Nothing reclaimed."), .more = true },
};

int memory_verdict(struct buffer *out, const struct memory_facts *facts)
{
	const char *rules = RULES_OF_MEMORY_PANE;
	bool limited = sentence_holds("near_limit_bytes", &facts->of.facts);
	enum grade grade;
	int level;

	if (!sentence_holds("left_ratio", &facts->of.facts))
		return GRADE_UNKNOWN;
	if (limited)
		rules = RULES_OF_MEMORY_LIMIT;
	grade = grade_of_rules(facts->of.frame, rules, false);
	if (limited && grade == GRADE_CALM) /* the limit may be that of the scope */
		grade = grade_of_rules(facts->of.frame, rules, true);
	level = remarks_say(out, REMARKS(verdicts), &facts->of.facts);
	return grade > GRADE_CALM ? (int)grade : level;
}

enum grade memory_group_story(struct buffer *out, const struct frame *frame, bool of_scope)
{
	const struct table *findings = frame_table(frame, "finding");

	for (size_t i = 0; findings && i < findings->n_rows; i++) {
		const void *row = table_row(findings, i);
		const struct row_facts facts = { { row_fact }, findings, row };
		bool is_of_scope = strcmp(table_text(findings, row, "of"), "scope") == 0;

		if (schema_row_is_over(findings->schema, row) || is_of_scope != of_scope ||
		    !text_is_one_of(table_text(findings, row, "rule"), span_text(RULES_OF_GROUP_MEMORY)))
			continue;
		sentence_add(out, "{subject}: {text}", &facts.facts);
		return grade_of_severity(table_text(findings, row, "severity"));
	}
	return GRADE_CALM;
}

/* Reclaim that freed fewer pages is not what the refaults come from. */
#define RECLAIMED "window_refaults > 0, window_evictions > 0, window_evictions >= 0.5 * window_refaults"
#define SWAPPED                                                                                              \
	{ "window_swap_ins > 0",                                                                             \
	  PN_("{window_swap_ins:.0} page was read back from swap.",                                          \
	      "{window_swap_ins:.0} pages were read back from swap."),                                       \
	  "window_swap_ins", .more = true }

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
	/* how many of these are its own, its finding says */
	{ "window_refaults > 0, " GROUP_REFAULTS,
	  N_("Pages refault without reclaim of the machine: {finding.group_refaults.subject} is at its "
	     "limit.") },
	{ "window_refaults > 0, " GROUP_REFAULTED,
	  N_("Pages refaulted without reclaim of the machine: {finding.group_refaults.subject} was at its "
	     "limit.") },
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
	{ "whole, gain_bytes >= 0.01 * machine_bytes, gain_ratio >= 0.2, best_node",                         \
	  N_("{command} ({pid}) runs far from its memory: {local_ratio:%} of it is local; on "               \
	     "node {best_node} it would be {best_ratio:%}."),                                                \
	  .more = true }
#define LOST                                                                                                 \
	{ "whole, lost_per_second >= 10, lost_node",                                                         \
	  N_("Node {lost_node} has too little free memory: {lost_per_second:rate} pages a "                  \
	     "second had to be allocated elsewhere."),                                                       \
	  .more = true }

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

#define KEEP_NS UINT64_C(30000000000)
#define OLD_ENOUGH_NS UINT64_C(5000000000)

struct size {
	double pid, start_seconds, bytes;
};

struct memory_sizes {
	uint64_t mono_ns;
	size_t n_sizes;
	struct size sizes[]; /* by pid */
};

static int compare(const void *one, const void *other)
{
	const struct size *left = one, *right = other;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* The columns of the table process, looked up once for all rows. */
struct reader {
	const struct column *pid, *start_seconds, *bytes;
};

static struct reader reader_of(const struct table *processes)
{
	return (struct reader){ schema_known_column(processes->schema, "pid"),
				schema_known_column(processes->schema, "start_seconds"),
				schema_known_column(processes->schema, "resident_bytes") };
}

static struct size size_of_row(const struct reader *reader, const void *row)
{
	return (struct size){ row_number(row, reader->pid), row_number(row, reader->start_seconds),
			      row_number(row, reader->bytes) };
}

static struct memory_sizes *take(const struct table *processes, uint64_t mono_ns)
{
	struct memory_sizes *taken =
		alloc_zeroed(1, sizeof(*taken) + processes->n_rows * sizeof(taken->sizes[0]));
	struct reader reader = reader_of(processes);

	taken->mono_ns = mono_ns;
	for (size_t i = 0; i < processes->n_rows; i++) {
		struct size size = size_of_row(&reader, table_row(processes, i));

		if (!isnan(size.bytes))
			taken->sizes[taken->n_sizes++] = size;
	}
	qsort(taken->sizes, taken->n_sizes, sizeof(taken->sizes[0]), compare);
	return taken;
}

static const struct table *processes_of(const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process");

	return processes && processes->present && processes->n_rows > 0 ? processes : NULL;
}

static void insert(struct memory_growth *growth, size_t at, struct memory_sizes *sizes)
{
	struct memory_sizes **kept = growth->kept;

	if (growth->n_kept == MEMORY_SIZES_KEPT && at == 0) {
		free(kept[--growth->n_kept]);
	} else if (growth->n_kept == MEMORY_SIZES_KEPT) {
		free(kept[0]);
		memmove(kept, kept + 1, --growth->n_kept * sizeof(*kept));
		growth->dropped = true;
		at--;
	}
	memmove(kept + at + 1, kept + at, (growth->n_kept++ - at) * sizeof(*kept));
	kept[at] = sizes;
}

/* Those of the first frame of each half minute, in whatever order frames come. */
void memory_growth_add(struct memory_growth *growth, const struct frame *frame)
{
	const struct table *processes = processes_of(frame);
	uint64_t period = frame->mono_ns / KEEP_NS;
	size_t at;

	if (growth->boot != frame->boot)
		memory_growth_free(growth);
	growth->boot = frame->boot;
	VECTOR_BOUND(at, growth->n_kept, growth->kept[at]->mono_ns / KEEP_NS < period);
	if (!processes)
		return;
	if (at == growth->n_kept || growth->kept[at]->mono_ns / KEEP_NS > period) {
		insert(growth, at, take(processes, frame->mono_ns));
	} else if (frame->mono_ns < growth->kept[at]->mono_ns) {
		free(growth->kept[at]);
		growth->kept[at] = take(processes, frame->mono_ns);
	}
}

void memory_growth_free(struct memory_growth *growth)
{
	for (size_t i = 0; i < growth->n_kept; i++)
		free(growth->kept[i]);
	*growth = (struct memory_growth){ 0 };
}

/* The last but one until then; of the first minute the first. NULL: none is known any more. */
static const struct memory_sizes *sizes_before(const struct memory_growth *growth, const struct frame *frame)
{
	size_t n_until;

	VECTOR_BOUND(n_until, growth->n_kept, growth->kept[n_until]->mono_ns <= frame->mono_ns);
	if (n_until == 0 || growth->boot != frame->boot || (n_until == 1 && growth->dropped))
		return NULL;
	return growth->kept[n_until > 1 ? n_until - 2 : 0];
}

/* Bytes that it grew by; NaN: it is new, or its size is not known. */
static double growth_since(const struct memory_sizes *then, const struct size *now)
{
	size_t at;

	VECTOR_BOUND(at, then->n_sizes, then->sizes[at].pid < now->pid);
	if (at == then->n_sizes || then->sizes[at].pid > now->pid ||
	    fabs(then->sizes[at].start_seconds - now->start_seconds) > 0)
		return NAN;
	return now->bytes - then->sizes[at].bytes;
}

struct memory_grower memory_growth_most(const struct memory_growth *growth, const struct frame *frame)
{
	const struct memory_sizes *then = sizes_before(growth, frame);
	const struct table *processes = processes_of(frame);
	struct memory_grower most = { 0 };
	struct reader reader;

	if (!then || !processes || frame->mono_ns < then->mono_ns + OLD_ENOUGH_NS)
		return most;
	most.since_ns = then->mono_ns;
	reader = reader_of(processes);
	for (size_t i = 0; i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);
		struct size now = size_of_row(&reader, row);
		double bytes = growth_since(then, &now);

		if (bytes > most.bytes) {
			most.bytes = bytes;
			most.row = row;
		}
	}
	return most;
}

static const struct pane_table tables[] = {
	[MEMORY_TABLE_MEMORY] = { .topic = "memory", .headline = true, .of_machine = true },
	[MEMORY_TABLE_LIMIT] = { .topic = "memory_limit", .headline = true, .of_machine = true },
	[MEMORY_TABLE_MEMINFO] = { .topic = "meminfo", .columns = "key,value_bytes,count,meaning" },
	[MEMORY_TABLE_CHECK] = { .topic = "memory_check",
				 .columns = "error_bytes,error_ratio,sum_bytes,total_bytes,formula" },
	[MEMORY_TABLE_RECLAIM] = { .topic = "reclaim" },
	[MEMORY_TABLE_PRESSURE] = { .topic = "pressure" },
	[MEMORY_TABLE_PAGING] = { .topic = "paging" },
	[MEMORY_TABLE_SWAP] = { .topic = "swap" },
	[MEMORY_TABLE_READER] = { .topic = "page_reader", .lazy = true, .sort = "read_bytes_per_second" },
	[MEMORY_TABLE_PROCESS] = { .topic = "process", .lazy = true, .own_columns = true,
				   .columns = "resident_bytes,growth_bytes_per_second,memory_ratio,"
					      "swapped_bytes,pid,user,command", .sort = "resident_bytes" },
	[MEMORY_TABLE_SCOPE] = { .topic = "scope_use", .headline = true, .scoped = true },
	[MEMORY_TABLE_CACHE_USE] = { .topic = "cache_use", .lazy = true, .sort = "asked_pages_per_second" },
	[MEMORY_TABLE_CACHE_FILE] = { .topic = "cache_file", .lazy = true, .of_machine = true,
				      .sort = "asked_pages_per_second" },
	[MEMORY_TABLE_NODE] = { .topic = "node", .lazy = true, .of_machine = true },
	[MEMORY_TABLE_LOCALITY] = { .topic = "locality", .lazy = true, .sort = "far_bytes" },
	[MEMORY_TABLE_NODE_PROCESS] = { .topic = "node_process", .lazy = true },
	[MEMORY_TABLE_NODE_THREAD] = { .topic = "node_thread", .lazy = true, .sort = "moves" },
	{ 0 },
};

const struct series memory_series[] = {
	[MEMORY_SERIES_TOTAL] = { "memory", "mem", "total_bytes" },
	[MEMORY_SERIES_ANONYMOUS] = { "memory", "mem", "anonymous_bytes" },
	[MEMORY_SERIES_KERNEL] = { "memory", "mem", "kernel_bytes" },
	[MEMORY_SERIES_CACHES] = { "memory", "mem", "caches_bytes" },
	[MEMORY_SERIES_OTHERS] = { "memory", "mem", "others_bytes" },
	[MEMORY_SERIES_PAGE_IN] = { "paging", NULL, "page_in_bytes" },
	[MEMORY_SERIES_KILLED_AT_LIMITS] = { "group", "/", "all_limit_oom_kills", .while_shown = true },
	[MEMORY_SERIES_KILL] = { "kill", "/", "age_seconds", .while_shown = true },
	[MEMORY_SERIES_USED + USED_PROCPS] = { "memory", "mem", "used_procps_bytes" },
	[MEMORY_SERIES_USED + USED_TOTAL_FREE] = { "memory", "mem", "used_bytes" },
	[MEMORY_SERIES_USED + USED_HTOP] = { "memory", "mem", "used_htop_bytes" },
	[MEMORY_SERIES_SCOPE] = { "scope_use", NULL, "memory_bytes" },
};

/* Columns for "used". Without a choice those of the table add up, and the graph has what free(1) calls so. */
static const struct {
	const char *column, *words;
} used_definitions[] = {
	[USED_PROCPS] = { "used_procps_bytes", N_("used") },
	[USED_TOTAL_FREE] = { "used_bytes", N_("used, with cache,") },
	[USED_HTOP] = { "used_htop_bytes", N_("used (htop)") },
};

#define OF_TABLE USED_TOTAL_FREE
#define OF_GRAPH USED_PROCPS

#define N_DEFINITIONS (sizeof(used_definitions) / sizeof(used_definitions[0]))

static unsigned chosen_definition(const struct settings *settings, unsigned otherwise)
{
	return settings->memory.used == USED_NOT_CHOSEN ? otherwise : settings->memory.used;
}

static void adjust(const struct settings *settings, const struct sample_request *request, struct view *view)
{
	const char *forms[N_DEFINITIONS + 1] = { NULL };

	(void)request;
	for (size_t d = 0; d < N_DEFINITIONS; d++)
		forms[d] = used_definitions[d].column;
	if (strcmp(view->schema->name, "memory") == 0)
		view_choose_form(view, forms, forms[chosen_definition(settings, OF_TABLE)]);
}

double memory_span(const struct pane_context *context)
{
	return graph_span_seconds(context->settings->memory.span);
}

unsigned memory_used_series(const struct pane_context *context)
{
	if (memory_scope_row(context))
		return MEMORY_SERIES_SCOPE;
	return MEMORY_SERIES_USED + chosen_definition(context->settings, OF_GRAPH);
}

const char *memory_used_words(const struct pane_context *context)
{
	if (memory_scope_row(context))
		return _("in the scope");
	return _(used_definitions[chosen_definition(context->settings, OF_GRAPH)].words);
}

static double caches_now(const struct frame *frame)
{
	return frame_number(frame, "memory", "mem", "caches_bytes");
}

static void say_failed(struct pane_context *context, int error, const char *remedy)
{
	char text[TEXT_MAX];

	screen_warn(context->screen, MESSAGE_PANE, _("the caches cannot be dropped: %s"),
		       failure_text(text, error, remedy));
}

static void dropped(struct pane_context *context, int error)
{
	struct memory_state *memory = context_state(context);

	memory->drop.state = error ? DROP_NONE : DROP_MADE;
	if (error) {
		say_failed(context, error, NULL);
		return;
	}
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       _("caches dropped; watch what reads them in again"));
	screen_show_view(context, MEMORY_READERS);
}

static void drop_caches(struct pane_context *context)
{
	struct memory_state *memory = context_state(context);
	const char *remedy;
	int error;

	memory->drop =
		(struct memory_drop){ .state = DROP_RUNNING, .before_bytes = caches_now(context->frame) };
	screen_message(context->screen, MESSAGE_PANE, "%s",
		       _("writing dirty data to disk, then dropping the caches..."));
	error = screen_act(context, "reclaim", "drop-caches", dropped, &remedy);
	if (!error)
		return;
	memory->drop.state = DROP_NONE;
	say_failed(context, error, remedy);
}

/* Asks only if it is possible. */
static void ask_drop(struct pane_context *context)
{
	const char *remedy;
	int error = screen_act(context, "reclaim", "drop-caches", NULL, &remedy);

	if (error)
		say_failed(context, error, remedy);
	else
		screen_ask(context,
			   _("Drop all caches, to see what is read again? Dirty data is written first; "
			     "nothing is lost, "
			     "but everything is slower for a while."),
			   drop_caches);
}

/* Growth is counted from the first frame after the drop. */
static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct memory_state *memory = context_state(context);
	struct memory_drop *drop = &memory->drop;

	memory_growth_add(&memory->growth, frame);
	if (drop->state != DROP_MADE)
		return;
	drop->state = DROP_MEASURED;
	drop->after_bytes = caches_now(frame);
	drop->mono_ns = frame->mono_ns;
	drop->wall_ns = frame->wall_ns;
	history_mark(&context->history, drop->mono_ns, 'D');
}

static void close_memory(void *state)
{
	memory_growth_free(&((struct memory_state *)state)->growth);
}

static bool shows_processes(const struct pane_context *context)
{
	return context->view == MEMORY_SUMMARY || context->view == MEMORY_PROCESSES;
}

/* What the pane cpu does better: it gets the selected process, or its own first one. */
#define HAND_OVER(name, action)                                                                              \
	static void name(struct pane_context *context)                                                       \
	{                                                                                                    \
		screen_hand_over(context, "cpu", action);                                                    \
	}

HAND_OVER(tree, ACTION_TREE)
HAND_OVER(threads, ACTION_THREADS)
HAND_OVER(user, ACTION_USER)
HAND_OVER(sort_by_cpu, ACTION_SORT_CPU)
HAND_OVER(sort_by_time, ACTION_SORT_TIME)

static void act(struct pane_context *context, unsigned index)
{
	struct subject subject;

	if (index > 0)
		ask_drop(context);
	else if (!screen_subject(context, &subject))
		process_signal(context);
	else
		screen_show_view(context, MEMORY_PROCESSES);
}

/* The first entry, which Enter takes, is never the one that drops the caches. */
static void show_actions(struct pane_context *context)
{
	struct subject subject;
	const char *refusal = screen_subject(context, &subject);
	const struct table *processes = frame_table(context->frame, "process");
	const void *process = refusal ? NULL : table_with_pid(processes, subject.process.pid);
	struct menu_item items[2];
	unsigned n_items = 0;
	char text[TEXT_MAX];

	if (!refusal) {
		screen_select_subject(context, &subject); /* it stays that one */
		snprintf(text, sizeof(text), _("Send a signal to %s (%u)"), subject.process.name,
			 subject.process.pid);
		items[n_items++] = (struct menu_item){
			text, process ? table_text(processes, process, "command") : NULL
		};
	} else {
		items[n_items++] = (struct menu_item){ _("Processes by memory"),
						       _("select one, and F9 acts on it") };
	}
	items[n_items++] = (struct menu_item){ _("Drop the caches"),
					       _("experiment (root): watch what reads them in again") };
	screen_menu(context, _("Actions"), items, n_items, 0, act);
}

static void wants(const struct settings *settings, struct sample_request *request)
{
	request->numa_maps = settings->memory.numa_maps;
}

static const struct pane_action pane_actions[] = {
	{ ACTION_ACT, show_actions, NULL, N_("menu of actions: signal a process, drop the caches") },
	{ ACTION_TREE, tree, NULL, NULL },
	{ ACTION_THREADS, threads, NULL, NULL },
	{ ACTION_USER, user, NULL, NULL },
	{ ACTION_SORT_CPU, sort_by_cpu, NULL, NULL },
	{ ACTION_SORT_TIME, sort_by_time, NULL, NULL },
	{ 0 },
};

static const char *const used_labels[] = { N_("total - available (as free and top)"),
					   N_("total - free (cache is used, too)"), N_("as htop") };
static const char *const axis_labels[] = { N_("from zero, with the parts"), N_("the range of the values") };
static const char *const span_labels[] = { N_("5 min"), N_("1 h"), N_("a column per sample") };

static const struct pane_setting choices[] = {
	{ "used", N_("Definition of used"), used_labels },
	{ "span", N_("Span of the graph"), span_labels },
	{ "axis", N_("Axis of the graph"), axis_labels },
	{ 0 },
};

static bool is_of_processes(enum action action)
{
	for (const struct pane_action *bound = pane_actions; bound->act; bound++)
		if (bound->action == action)
			return action != ACTION_ACT;
	return false;
}

static const char *refuses(const struct pane_context *context, enum action action)
{
	if (is_of_processes(action) && !shows_processes(context))
		return _("works in the views Overview and Processes (Esc)");
	return action == ACTION_ACT && screen_replays(context)
		       ? _("a recording has nothing to signal or to drop")
		       : NULL;
}

static const char unscoped[] =
	N_("Meminfo, Sum checks and Paging are of the machine: the kernel counts them only as a whole");

/* Their titles say so. */
static bool tells(const struct pane_context *context, const struct notice *notice)
{
	return memory_scope_row(context) && strcmp(notice->text, _(unscoped)) == 0;
}

/* The rows that the list of processes shows. */
static void sampling(struct pane_context *context)
{
	process_rows_request(context, 1UL << MEMORY_TABLE_PROCESS);
}

const struct pane pane_memory = {
	.name = "memory",
	.digit = '3',
	.title = N_("Memory"),
	.question = N_("Is there enough memory, and who has it?"),
	.unscoped = unscoped,
	.tables = tables,
	.series = memory_series,
	.n_series = N_MEMORY_SERIES,
	.views = memory_views,
	.actions = pane_actions,
	.choices = choices,
	.refuses = refuses,
	.tells = tells,
	.state_size = sizeof(struct memory_state),
	.close = close_memory,
	.adjust = adjust,
	.wants = wants,
	.sampling = sampling,
	.sampled = sampled,
};
