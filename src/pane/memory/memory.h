/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the memory pane. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_H
#define PANETOP_PANE_MEMORY_MEMORY_H

#include "pane/common.h"

struct memory_sizes; /* of all processes, at one moment */

#define MEMORY_SIZES_KEPT 12

/* All zero: nothing is known yet. */
struct memory_growth {
	struct memory_sizes *kept[MEMORY_SIZES_KEPT]; /* by time, of one boot; owned */
	size_t n_kept;
	unsigned boot;
	bool dropped; /* older ones than the first were kept */
};

/* Takes the sizes of the processes of a frame, if they are due. It may be earlier than those before. */
void memory_growth_add(struct memory_growth *growth, const struct frame *frame);
void memory_growth_free(struct memory_growth *growth);

/* A process that grew, and since when. */
struct memory_grower {
	uint64_t since_ns;      /* 0: no sizes are old enough */
	const void *row;        /* of the table process; NULL: none grew */
	double bytes;
};

/* Of what was known when this frame was sampled: the same whenever it is shown. */
struct memory_grower memory_growth_most(const struct memory_growth *growth, const struct frame *frame);

enum memory_table {
	MEMORY_TABLE_MEMORY,
	MEMORY_TABLE_LIMIT,
	MEMORY_TABLE_MEMINFO,
	MEMORY_TABLE_CHECK,
	MEMORY_TABLE_RECLAIM,
	MEMORY_TABLE_PRESSURE,
	MEMORY_TABLE_PAGING,
	MEMORY_TABLE_SWAP,
	MEMORY_TABLE_READER,
	MEMORY_TABLE_PROCESS,
	MEMORY_TABLE_SCOPE,
	MEMORY_TABLE_CACHE_USE,
	MEMORY_TABLE_CACHE_FILE,
	MEMORY_TABLE_NODE,
	MEMORY_TABLE_LOCALITY,
	MEMORY_TABLE_NODE_PROCESS,
	MEMORY_TABLE_NODE_THREAD,
};

enum memory_series {
	MEMORY_SERIES_TOTAL,
	MEMORY_SERIES_ANONYMOUS,
	MEMORY_SERIES_KERNEL,
	MEMORY_SERIES_CACHES,
	MEMORY_SERIES_OTHERS,
	MEMORY_SERIES_PAGE_IN,
	MEMORY_SERIES_KILLED_AT_LIMITS, /* for the rule out_of_memory in all samples */
	MEMORY_SERIES_KILL, /* for findings, which judge kills of groups that are gone by it */
	MEMORY_SERIES_USED, /* the first of those of enum used_memory */
	MEMORY_SERIES_USED_END = MEMORY_SERIES_USED + USED_HTOP,
	MEMORY_SERIES_SCOPE,
	N_MEMORY_SERIES,
};

enum memory_view {
	MEMORY_SUMMARY,
	MEMORY_PROCESSES,
	MEMORY_EXTENDED,
	MEMORY_CHECKS,
	MEMORY_PAGING,
	MEMORY_SWAP,
	MEMORY_READERS,
	MEMORY_CACHE,
	MEMORY_NODES,
	MEMORY_SHARES,
};

/* The experiment of dropping the caches. */
struct memory_drop {
	enum { DROP_NONE, DROP_RUNNING, DROP_MADE, DROP_MEASURED } state;
	double before_bytes, after_bytes; /* of caches; after: in the first sample after it */
	uint64_t mono_ns, wall_ns;        /* of that sample */
};

struct memory_state {
	struct memory_drop drop;
	struct memory_growth growth;
};

/* Seconds of the graph; 0: a column per sample. */
double memory_span(const struct pane_context *context);

/* Used memory by the chosen definition: its series, and what it is called, translated. */
unsigned memory_used_series(const struct pane_context *context);
const char *memory_used_words(const struct pane_context *context);

extern const struct series memory_series[];

extern const struct pane_view memory_views[];

/* The row of the scope; NULL: there is none, and the pane shows the machine. */
const void *memory_scope_row(const struct pane_context *context);

#endif
