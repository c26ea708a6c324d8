/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks on which nodes the threads of a process run, and which of them move from node to node. */
#ifndef PANETOP_TOPIC_NODE_THREAD_NODES_H
#define PANETOP_TOPIC_NODE_THREAD_NODES_H

#include "topic/node/node_list.h"

#define THREAD_NAME_ROOM 16

struct thread_nodes {
	struct node_thread {
		uint32_t tid, node;          /* node: index, as last seen; NODE_NONE */
		uint64_t start_ticks, ticks; /* of CPU time, as last seen; U64_UNKNOWN: not seen so far */
		uint64_t moves;              /* looks that saw it on another node than the look before */
		char name[THREAD_NAME_ROOM];
	} * threads, *room; /* by tid; owned, as cpu */
	size_t n_threads, capacity, room_capacity;
	double *cpu;          /* CPU time by node, in ticks: half of it is forgotten after a while */
	uint64_t looked_ns;   /* CLOCK_MONOTONIC of the last look; 0: none */
	uint64_t began_ticks; /* when the first look was, since boot */
	size_t next;          /* index of the thread that the next look begins with */
	uint64_t moves;       /* of all threads, those that ended included */
};

void thread_nodes_free(struct thread_nodes *process);

/* Another look at threads of the process, of many in turns. -ESRCH: it has exited. */
int thread_nodes_look(struct thread_nodes *process, struct env *env, const struct node_list *nodes,
		      uint32_t pid, uint64_t now_ns);

/* Threads that have moved, of those that live. */
size_t thread_nodes_wandering(const struct thread_nodes *process);

/* Its share of the CPU time by node, by index; NaN: unknown. */
double thread_nodes_share(const struct thread_nodes *process, const struct node_list *nodes, size_t node);

#endif
