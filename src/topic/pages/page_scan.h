/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan of a process's pages into a map, whole or slice by slice. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_SCAN_H
#define PANETOP_TOPIC_PAGES_PAGE_SCAN_H

#include "topic/pages/page_snapshot.h"

struct page_scan {
	struct env *env; /* borrowed, as the snapshot */
	struct page_snapshot *snapshot;
	const struct page_snapshot *before; /* the last map, which tells what is sparse; NULL: none */
	int pagemap, flags;             /* descriptors of pagemap, and of kpageflags; -1 */
	uint64_t resident_pages;        /* about so many pages are present or swapped; U64_UNKNOWN */
	size_t region;                  /* where it is */
	struct page_walk walk, kind_walk, ksm_walk;
	uint64_t *entries; /* room for a chunk; owned, as all below */
	uint64_t *frame_flags;
	struct page_range *ranges;
};

void page_scan_free(struct page_scan *scan);

/*
 * Begins a scan of this process into snapshot, whose regions are known. with_ksm: look for pages merged by
 * KSM, too, which needs /proc/kpageflags. What is missing is in snapshot->pagemap_error and
 * snapshot->knows_….
 */
void page_scan_begin(struct page_scan *scan, struct page_snapshot *snapshot,
		     const struct page_snapshot *before, bool with_ksm);

/*
 * Goes on until it is done, or until CLOCK_MONOTONIC has passed: then true, if snapshot->complete. -ESTALE
 * when the process has another memory than when it was begun, or none.
 */
int page_scan_run(struct page_scan *scan, uint64_t until_ns);
void page_scan_end(struct page_scan *scan);

#endif
