/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes with the most memory: on which nodes it is, and on which they run. */
#ifndef PANETOP_TOPIC_NODE_LOCALITY_LIST_H
#define PANETOP_TOPIC_NODE_LOCALITY_LIST_H

#include "core/buffer.h"
#include "topic/node/node_list.h"
#include "topic/process/process_list.h"

struct maps_count;

struct maps_count *maps_count_open(struct env *env);
void maps_count_close(struct maps_count *count);

/* Begins, unless another one goes on: 0 or -errno. start_ticks: of the process. */
int maps_count_begin(struct maps_count *count, uint32_t pid, uint64_t start_ticks);

/* Has it ended since the last call? Then of which process, 0 or -errno, and its bytes[n_nodes] by node. */
bool maps_count_take(struct maps_count *count, const struct node_list *nodes, uint32_t *pid,
		     uint64_t *start_ticks, uint64_t *bytes, int *error);

/* At once, for those who may wait: 0 or -errno. */
int maps_count_now(struct maps_count *count, const struct node_list *nodes, uint32_t pid, uint64_t *bytes);

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

/* Threads that have moved, of those that live. */
size_t thread_nodes_wandering(const struct thread_nodes *process);

/* Its share of the CPU time by node, by index; NaN: unknown. */
double thread_nodes_share(const struct thread_nodes *process, const struct node_list *nodes, size_t node);

#define PAGE_NODES_SAMPLE 4096 /* present pages of a process that is not small */

/* Room and random numbers for looks, one after the other. All zero but env and nodes, and random. */
struct page_nodes {
	struct env *env; /* borrowed, as nodes */
	const struct node_list *nodes;
	uint64_t random;    /* the state of the random numbers: a seed */
	struct buffer maps; /* owned, as what follows */
	struct page_stretch {
		uint64_t start, before; /* address; pages in the stretches before this one */
	} * stretches;
	size_t n_stretches, capacity;
	uint64_t n_pages; /* of all stretches */
	void **addresses; /* NULL until the first look */
	int *status;
	bool is_blind; /* as page_file_hides_marked() */
	int pagemap;   /* during a look, where it is blind, else -1 or an error */
	size_t n_missing, n_looked_up, n_marked; /* not located; of these looked up there; and present */
};

struct page_nodes_part {
	bool whole;    /* all pages were looked at, not a sample */
	double unseen; /* of those that are present: the part that was not located; NAN: unknown */
};

void page_nodes_free(struct page_nodes *look);

/*
 * Adds up the present pages of a process by node in pages[n_nodes]. resident_pages: about as many as it has.
 * 0, or -errno: -EPERM, -EACCES where they are hidden; -ESRCH, it has
 * exited; -E2BIG, it has too many regions; -ENODATA: none was found.
 */
int page_nodes_look(struct page_nodes *look, uint32_t pid, uint64_t resident_pages, uint64_t *pages,
		    struct page_nodes_part *part);

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
