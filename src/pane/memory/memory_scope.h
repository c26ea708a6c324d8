/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of the memory pane where there is a scope. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_SCOPE_H
#define PANETOP_PANE_MEMORY_MEMORY_SCOPE_H

#include "pane/memory/memory_story.h"
#include "screen/context.h"
#include "screen/graph.h"

#define MEMORY_PARTS 4

/* The row of the scope; NULL: there is none, and the pane shows the machine. */
const void *memory_scope_row(const struct pane_context *context);

/* The limit of its control group; without one all memory. */
double memory_scope_most(const struct pane_context *context);

/* What it has is made of; returns how many parts. */
unsigned memory_scope_parts(const struct pane_context *context, struct graph_part parts[MEMORY_PARTS]);

/* Is it near its limit? Adds a translated sentence; UNKNOWN: it has no limit, but there is a sentence. */
enum memory_level memory_scope_verdict(struct buffer *out, const struct pane_context *context);

/* By what its memory is counted, and what is not in it: the same. */
void memory_scope_story(struct buffer *out, const struct pane_context *context);

#endif
