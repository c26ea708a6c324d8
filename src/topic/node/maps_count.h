/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts all pages of a process by node: in a helper, since numa_maps of a large one takes long. */
#ifndef PANETOP_TOPIC_NODE_MAPS_COUNT_H
#define PANETOP_TOPIC_NODE_MAPS_COUNT_H

#include "topic/node/node_list.h"

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

#endif
