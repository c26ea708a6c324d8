/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /sys/devices/system/node. */
#include <config.h>

#include "topic/node/node_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/meminfo.h"
#include "kernel/system.h"
#include "topic/cpu/proc_stat.h"
#include "topic/topic.h"

static const char *const count_names[N_NODE_COUNTS] = {
	[NODE_HIT] = "numa_hit",
	[NODE_MISS] = "numa_miss",
	[NODE_FOREIGN] = "numa_foreign",
	[NODE_OTHER] = "other_node",
};

static void close_list(void *state)
{
	struct node_list *list = state;

	free(list->nodes);
	free(list->of_cpu);
	free(list->distances);
}

uint32_t node_list_find(const struct node_list *list, uint64_t number)
{
	size_t at;

	VECTOR_BOUND(at, list->n_nodes, list->nodes[at].number < number);
	return at < list->n_nodes && list->nodes[at].number == number ? (uint32_t)at : NODE_NONE;
}

uint32_t node_list_of_cpu(const struct node_list *list, uint64_t cpu)
{
	return cpu < list->n_cpus ? list->of_cpu[cpu] : NODE_NONE;
}

unsigned node_list_distance(const struct node_list *list, size_t from, size_t to)
{
	return list->distances[from * list->n_nodes + to];
}

/* The numbers of the nodes; the rest of each is read later. */
static void find_nodes(struct node_list *list, struct span online)
{
	size_t n_before = list->n_nodes, n = 0;
	bool same = true;
	uint32_t first, last;

	while (cpu_list_next(&online, &first, &last) && (n == 0 || first > list->nodes[n - 1].number))
		for (uint32_t number = first; number <= last && n < NODES_MAX; number++, n++) {
			VECTOR_RESERVE(list->nodes, n + 1, list->capacity);
			if (n < n_before && list->nodes[n].number == number)
				continue;
			same = false;
			list->nodes[n] = (struct node){ .number = number };
		}
	list->n_nodes = n;
	if (!same || n != n_before)
		list->generation++;
}

/* Empty where it cannot be read. */
static struct span read_file(struct node_list *list, const struct node *node, const char *name)
{
	struct span text = span_text("");
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/node/node%u/%s", (unsigned)node->number, name);
	if (env_read(list->env, env_file(list->env, path), &text))
		return span_text("");
	return text;
}

static struct span first_line(struct span text)
{
	struct span line = text;

	return span_line(&text, &line) ? line : span_text("");
}

static void map_cpus(struct node_list *list, uint32_t index)
{
	struct span cpus = list->nodes[index].cpus;
	uint32_t first, last;

	while (cpu_list_next(&cpus, &first, &last)) {
		VECTOR_RESERVE(list->of_cpu, (size_t)last + 1, list->cpu_capacity);
		for (; list->n_cpus <= last; list->n_cpus++)
			list->of_cpu[list->n_cpus] = NODE_NONE;
		for (uint32_t cpu = first; cpu <= last; cpu++)
			list->of_cpu[cpu] = index;
	}
}

static void read_distances(struct node_list *list, size_t from)
{
	struct span rest = list->nodes[from].distances;
	uint64_t distance;

	for (size_t to = 0; to < list->n_nodes; to++)
		list->distances[from * list->n_nodes + to] =
			span_u64(&rest, &distance) && distance <= UINT16_MAX ? (uint16_t)distance : 0;
}

static void read_node(struct node_list *list, size_t index)
{
	struct node *node = &list->nodes[index];
	uint64_t before = node->cpus_hash;

	node_meminfo_parse(read_file(list, node, "meminfo"), &node->memory);
	vmstat_parse(read_file(list, node, "numastat"), count_names, N_NODE_COUNTS, node->counts);
	node->cpus = first_line(read_file(list, node, "cpulist"));
	node->cpus_hash = hash_bytes(HASH_SEED, node->cpus);
	node->cpus_changed = before != 0 && node->cpus_hash != before;
	node->distances = first_line(read_file(list, node, "distance"));
	map_cpus(list, (uint32_t)index);
	read_distances(list, index);
}

static int update(void *state, const struct sample *sample)
{
	struct node_list *list = state;
	struct span online;
	int error = env_read(sample->env, env_file(sample->env, NODE_ONLINE), &online);

	list->env = sample->env;
	list->n_cpus = 0;
	if (error)
		return error;
	find_nodes(list, online);
	VECTOR_RESERVE(list->distances, list->n_nodes * list->n_nodes, list->distance_capacity);
	for (size_t i = 0; i < list->n_nodes; i++)
		read_node(list, i);
	return list->n_nodes > 0 ? 0 : -ENODATA;
}

const struct reader node_reader = {
	.name = "NUMA nodes", .state_size = sizeof(struct node_list), .update = update, .close = close_list,
	.source = NODE_ONLINE,
};

/* Topic "node": what memory each NUMA node has, how far the others are, and which allocations missed it. */

#define NUMASTAT "/sys/devices/system/node/nodeN/numastat "
#define MEMINFO "/sys/devices/system/node/nodeN/meminfo "

struct node_row {
	uint64_t node;
	uint64_t total_bytes, free_bytes, used_bytes, anonymous_bytes, file_bytes;
	double cpu_ratio, hits_per_second, misses_per_second, foreign_per_second, other_per_second;
	double busy_seconds, cpu_seconds;
	uint64_t hits, misses, foreign, other;
	const char *cpus, *distances;
};

#define ROW(field, ...) COLUMN(struct node_row, field, __VA_ARGS__)

#define BYTES(field, heading, from, ...)                                                                     \
	ROW(field, A_GAUGE(BYTES, heading, 7), .source = from, __VA_ARGS__)

#define PAGES(of, heading, cells, what, from, ...)                                                           \
	ROW(of##_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = heading, .width = cells, \
	    .rate_of = offsetof(struct node_row, of), .help = what, .source = "growth of " #of " / time",    \
	    __VA_ARGS__),                                                                                    \
		ROW(of, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .hidden = true, .title = N_(#of),        \
		    .width = 10, .help = what, .source = NUMASTAT from)

static const struct column columns[] = {
	ROW(node, A_KEY(N_("node"), 4), .help = N_("number of the NUMA node"), .source = "/" NODE_ONLINE),
	ROW(cpus, A_LABEL(N_("CPUs"), 7), .rank = 2, .help = N_("its CPUs; empty: it has memory only"),
	    .source = "/sys/devices/system/node/nodeN/cpulist"),
	ROW(cpu_ratio, A_RATE(RATIO, N_("%busy"), 5), .rank = 2,
	    .rate_of = offsetof(struct node_row, busy_seconds),
	    .rate_over = offsetof(struct node_row, cpu_seconds),
	    .help = N_("share of the time of its CPUs in which they were busy"),
	    .source = "growth of busy_seconds / growth of cpu_seconds"),
	BYTES(total_bytes, N_("total"), MEMINFO "MemTotal", .rank = 1, .help = N_("its memory")),
	BYTES(used_bytes, N_("used"), "total_bytes - free_bytes", .rank = 3,
	      .help = N_("its memory that is not free; most of it may be page cache")),
	BYTES(free_bytes, N_("free"), MEMINFO "MemFree", .help = N_("its memory that is not used at all")),
	BYTES(anonymous_bytes, N_("anon"), MEMINFO "AnonPages", .rank = 4,
	      .help = N_("memory of processes on it that is not of files")),
	BYTES(file_bytes, N_("file"), MEMINFO "FilePages", .rank = 4,
	      .help = N_("page cache and shared memory on it")),
	PAGES(hits, N_("hit/s"), 6, N_("pages allocated on it that were wanted on it"), "numa_hit"),
	PAGES(misses, N_("miss/s"), 6,
	      N_("pages allocated on it although another node was wanted, which had none free"), "numa_miss"),
	PAGES(foreign, N_("lost/s"), 6,
	      N_("pages that were wanted on it and had to be allocated on another node"), "numa_foreign",
	      .rank = 1),
	PAGES(other, N_("other/s"), 8, N_("pages allocated on it by CPUs of other nodes"), "other_node",
	      .rank = 1),
	ROW(distances, A_LABEL(N_("distances"), 9), .rank = 1,
	    .help = N_("to each node, in the order of their numbers, as the firmware says: 10 is itself, and "
		       "20 twice as far"),
	    .source = "/sys/devices/system/node/nodeN/distance"),
	ROW(busy_seconds, A_COUNTER(SECONDS, N_("busy"), 8), .hidden = true,
	    .help = N_("time that its CPUs were busy, since boot"),
	    .source = "/proc/stat, of the CPUs in cpus"),
	ROW(cpu_seconds, A_COUNTER(SECONDS, N_("time"), 8), .hidden = true,
	    .help = N_("time that its CPUs were busy, idle or waiting for a disk, since boot"),
	    .source = "/proc/stat, of the CPUs in cpus"),
};

static const struct schema schema = {
	.name = "node", .is_public = true,
	.help = N_("memory of NUMA nodes, their distances, and allocations that missed them"),
	.none = N_("this kernel knows no NUMA nodes"), SCHEMA_ROWS(struct node_row, columns),
};

/*
 * Unknown where no CPU of it has a line, as where all are offline, and in a tick in which one comes, with all
 * that it counted before, or goes.
 */
static void add_times(struct node_row *row, const struct node_list *nodes, size_t index,
		      const struct proc_stat *stat, uint64_t hertz)
{
	double busy = 0, idle = 0;
	bool any = false;

	if (nodes->nodes[index].cpus_changed)
		return;
	for (size_t i = 0; i < stat->n_cpus; i++) {
		const struct cpu_times *times = &stat->cpus[i];

		if (node_list_of_cpu(nodes, times->cpu) != index)
			continue;
		any = true;
		busy += cpu_times_busy(times);
		idle += (times->idle == U64_UNKNOWN ? 0 : (double)times->idle) +
			(times->iowait == U64_UNKNOWN ? 0 : (double)times->iowait);
	}
	if (!any)
		return;
	row->busy_seconds = busy / (double)hertz;
	row->cpu_seconds = (busy + idle) / (double)hertz;
}

static const char *copy(struct frame *frame, struct span text)
{
	return arena_copy(&frame->arena, text.at, span_length(text));
}

static int sample_nodes(struct sample *sample)
{
	const struct node_list *nodes = sample->state;
	const struct proc_stat *stat = NULL;
	int error = proc_stat_read(sample->env, &stat);

	for (size_t i = 0; i < nodes->n_nodes; i++) {
		const struct node *node = &nodes->nodes[i];
		struct node_row *row = table_add(sample->table);

		row->node = node->number;
		row->total_bytes = node->memory.total;
		row->free_bytes = node->memory.free;
		row->used_bytes = u64_less(node->memory.total, node->memory.free);
		row->anonymous_bytes = node->memory.anonymous;
		row->file_bytes = node->memory.file;
		row->hits = node->counts[NODE_HIT];
		row->misses = node->counts[NODE_MISS];
		row->foreign = node->counts[NODE_FOREIGN];
		row->other = node->counts[NODE_OTHER];
		row->cpus = copy(sample->frame, node->cpus);
		row->distances = copy(sample->frame, node->distances);
		if (!error)
			add_times(row, nodes, i, stat, sample->env->ticks_per_second);
	}
	return 0;
}

const struct topic topic_node = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = NODE_ONLINE, .gives = N_("NUMA nodes: their memory, CPUs and distances"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_NUMA"),
				  .unused = true } } }),
	.reads = READING_ONE(&node_reader), .sample = sample_nodes,
};
