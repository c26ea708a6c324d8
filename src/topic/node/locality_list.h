/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes with the most memory: on which nodes it is, and on which they run. */
#ifndef PANETOP_TOPIC_NODE_LOCALITY_LIST_H
#define PANETOP_TOPIC_NODE_LOCALITY_LIST_H

#include "topic/node/page_nodes.h"
#include "topic/node/thread_nodes.h"
#include "topic/process/process_list.h"

struct located {
	uint32_t pid;
	uint64_t start_ticks;
	const struct process *process; /* of this tick */
	struct thread_nodes threads;
	uint64_t *pages;         /* of the last look, by node; by_maps: bytes; owned */
	int error;               /* 0: pages are known; else -errno of the last look; -EAGAIN: none so far */
	struct page_nodes_part part;
	bool by_maps; /* they were counted, all of them, by numa_maps */
	uint64_t resident_bytes; /* at the last look, hugetlb included */
	uint64_t looked_ns;      /* CLOCK_MONOTONIC of the last look; 0: none */
	bool kept;               /* it is looked at in this tick, too */
};

struct maps_count;

struct locality_list {
	struct env *env; /* borrowed, as the request */
	const struct sample_request *request;
	struct node_list *nodes;
	struct process_list *processes;
	struct page_nodes look;
	struct located **list; /* those with the most memory first; owned, as what they point to */
	size_t n_list, capacity;
	const struct process **largest; /* room; owned */
	size_t largest_capacity;
	size_t turn;              /* whose threads are looked at first */
	unsigned generation;      /* of the nodes */
	uint64_t last_ns;         /* of the last update; 0: none */
	unsigned n_counted;       /* as of the request: which count by numa_maps has begun */
	struct maps_count *count; /* owned */
};

/* With one node nothing is looked at: all memory is local. */
extern const struct reader locality_reader;

/* The mean over its pages of the CPU time on their nodes, and what follows; NaN: unknown. */
struct locality {
	double local_ratio, error_ratio, distance;
	double best_ratio; /* what would be local if it ran on one node only, … */
	size_t best_node;  /* … this one, by index, which has most of its memory */
};

struct locality locality_of(const struct locality_list *list, const struct located *process);

/* The share of its memory on a node, by index; NaN: unknown. And by how much it may be off (2 sigma). */
double located_share(const struct locality_list *list, const struct located *process, size_t node,
		     double *error);

/* Bytes on a node; NaN. */
double located_bytes(const struct locality_list *list, const struct located *process, size_t node);

#endif
