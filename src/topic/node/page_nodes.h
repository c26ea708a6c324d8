/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks on which nodes the pages of a process are: some of them, chosen at random, or all of a small one. */
#ifndef PANETOP_TOPIC_NODE_PAGE_NODES_H
#define PANETOP_TOPIC_NODE_PAGE_NODES_H

#include "core/buffer.h"
#include "topic/node/node_list.h"

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

#endif
