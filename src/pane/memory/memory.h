/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the memory pane. */
#ifndef PANETOP_PANE_MEMORY_MEMORY_H
#define PANETOP_PANE_MEMORY_MEMORY_H

#include "screen/context.h"

enum memory_table {
	MEMORY_TABLE_MEMORY,
	MEMORY_TABLE_LIMIT,
	MEMORY_TABLE_MEMINFO,
	MEMORY_TABLE_CHECK,
	MEMORY_TABLE_RECLAIM,
	MEMORY_TABLE_PRESSURE,
	MEMORY_TABLE_PAGING,
	MEMORY_TABLE_READER,
};

enum memory_series {
	MEMORY_SERIES_TOTAL,
	MEMORY_SERIES_ANONYMOUS,
	MEMORY_SERIES_KERNEL,
	MEMORY_SERIES_CACHES,
	MEMORY_SERIES_OTHERS,
	MEMORY_SERIES_PAGE_IN,
	N_MEMORY_SERIES,
};

enum memory_view { MEMORY_SUMMARY, MEMORY_EXTENDED, MEMORY_CHECKS, MEMORY_PAGING, MEMORY_READERS };

/* The experiment of dropping the caches. */
struct memory_drop {
	enum { DROP_NONE, DROP_RUNNING, DROP_MADE, DROP_MEASURED } state;
	double before_bytes, after_bytes; /* of caches; after: in the first sample after it */
	uint64_t mono_ns, wall_ns;        /* of that sample */
};

struct memory_state {
	struct memory_drop drop;
};

/* Seconds of the graph; 0: a column per sample. */
double memory_span(const struct pane_context *context);

/* The definition of the column used as a formula in words, translated. */
const char *memory_formula(const struct pane_context *context);

extern const struct series memory_series[];

void memory_draw(struct pane_context *context, struct canvas *canvas);

/* What the sentence about the page cache is based on, all over the same time; NaN: unknown. */
struct memory_facts {
	double seconds;         /* time observed; 0: none */
	double calm_seconds;    /* of these, since the last refault */
	double refaulted_pages; /* dropped or swapped out, and wanted again */
	double evicted_pages;   /* reclaimed by the kernel */
	double swapped_in_pages;
	double caches_bytes;    /* now */
	double stalled_ratio;   /* share of the last 10 s in which some task stalled on memory */
};

/* Is the page cache worth its memory? A translated sentence, empty when nothing is known. Returns text. */
char *memory_story(const struct memory_facts *facts, char *text, size_t room);

#endif
