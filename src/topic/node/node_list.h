/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NUMA nodes of the machine: their memory, their counters, and which CPUs they have. */
#ifndef PANETOP_TOPIC_NODE_NODE_LIST_H
#define PANETOP_TOPIC_NODE_NODE_LIST_H

#include <stdbool.h>

#include "kernel/meminfo.h"
#include "topic/reader.h"

#define NODE_ONLINE "sys/devices/system/node/online"
#define NODES_MAX 1024       /* as in the kernel */
#define NODE_NONE UINT32_MAX /* not the index of a node */

enum node_count { NODE_HIT, NODE_MISS, NODE_FOREIGN, NODE_OTHER, N_NODE_COUNTS };

struct node {
	uint64_t number;
	struct node_meminfo memory;
	uint64_t counts[N_NODE_COUNTS]; /* pages, since boot; U64_UNKNOWN */
	struct span cpus, distances;    /* as the kernel writes them; valid until the next tick */
	uint64_t cpus_hash;             /* 0: not read yet */
	bool cpus_changed;              /* since the last tick: one went offline or came online */
};

struct node_list {
	struct env *env;    /* borrowed */
	struct node *nodes; /* by number; owned, as what follows */
	size_t n_nodes, capacity;
	uint32_t *of_cpu; /* index of the node of each CPU, or NODE_NONE */
	size_t n_cpus, cpu_capacity;
	uint16_t *distances; /* n_nodes × n_nodes, from the first to the second; 0: unknown */
	size_t distance_capacity;
	unsigned generation; /* grows when nodes come or go */
};

/* Fails with -ENOENT on a kernel without CONFIG_NUMA. */
extern const struct reader node_reader;

/* NODE_NONE: there is none. */
uint32_t node_list_find(const struct node_list *list, uint64_t number);
uint32_t node_list_of_cpu(const struct node_list *list, uint64_t cpu);

/* From the CPUs of one node to the memory of another, by index; 0: unknown. */
unsigned node_list_distance(const struct node_list *list, size_t from, size_t to);

#endif
