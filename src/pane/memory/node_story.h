/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of NUMA nodes mean, in sentences that hold only where their rule does. */
#ifndef PANETOP_PANE_MEMORY_NODE_STORY_H
#define PANETOP_PANE_MEMORY_NODE_STORY_H

#include <stddef.h>

/* What the sentences follow from; NaN: unknown. */
struct node_facts {
	double nodes;                  /* of the machine */
	double machine_bytes;          /* the memory of all */
	double processes;              /* that are listed … */
	double known;                  /* … and that of these whose memory and CPU time are known */
	double known_bytes, far_bytes; /* their memory, and what of it is not where they run */
	const char *far_name;          /* the process that would gain most, NULL: none */
	double far_pid, far_local, far_error;
	double best_node, best_ratio;      /* what of its memory would be local there */
	double gain_bytes;                 /* of it, that would be local there and are not */
	double lost_node, lost_per_second; /* the node that lost the most allocations to others, pages */
};

/* Is memory where the CPUs are? Writes translated sentences, empty where nothing is known; returns text. */
char *node_story(const struct node_facts *facts, char *text, size_t room);

#endif
