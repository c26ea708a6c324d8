/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of NUMA nodes mean, in sentences that hold only where their condition does. */
#ifndef PANETOP_PANE_MEMORY_NODE_STORY_H
#define PANETOP_PANE_MEMORY_NODE_STORY_H

#include "model/sentence.h"

/*
 * Is memory where the CPUs are? Adds translated sentences about tables of the topics node and locality, none
 * where nothing is known. Not whole: only how much is local.
 */
void node_story(struct buffer *out, const struct table *nodes, const struct table *processes, bool whole);

#endif
