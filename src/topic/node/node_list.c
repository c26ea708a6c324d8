/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /sys/devices/system/node. */
#include <config.h>

#include "topic/node/node_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "core/vector.h"
#include "kernel/meminfo.h"
#include "kernel/system.h"

static const char *const count_names[N_NODE_COUNTS] = {
	[NODE_HIT] = "numa_hit",
	[NODE_MISS] = "numa_miss",
	[NODE_FOREIGN] = "numa_foreign",
	[NODE_OTHER] = "other_node",
};

static int open_list(void *state, const struct sample *sample)
{
	((struct node_list *)state)->env = sample->env;
	return 0;
}

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
	.name = "NUMA nodes",
	.state_size = sizeof(struct node_list),
	.open = open_list,
	.update = update,
	.close = close_list,
	.source = NODE_ONLINE,
};
