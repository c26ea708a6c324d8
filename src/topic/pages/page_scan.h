/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scans the pages of a process into a snapshot, at once or in slices. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_SCAN_H
#define PANETOP_TOPIC_PAGES_PAGE_SCAN_H

#include "topic/pages/page_snapshot.h"

struct page_scan {
	struct env *env; /* borrowed, like the snapshots */
	struct page_snapshot *snapshot;
	const struct page_snapshot
		*before;         /* the previous one, which shows which regions are sparse; NULL: none */
	int pagemap, flags;      /* descriptors of pagemap and kpageflags; -1: not open */
	uint64_t resident_pages; /* present or swapped pages, approximately; U64_UNKNOWN */
	size_t region;           /* index of the current one */
	bool has_ioctl, with_ksm; /* has_ioctl: PAGEMAP_SCAN, Linux 6.7 */
	uint64_t zero_frame;      /* 0: not yet seen */
	struct page_walk walk, kind_walk, flag_walk;
	uint64_t *entries; /* for a chunk; owned, like all below */
	uint64_t *frame_flags;
	struct page_range *ranges;
};

void page_scan_free(struct page_scan *scan);

/*
 * Starts a scan of pid into snapshot, whose regions are known. with_ksm: also count pages merged by KSM,
 * which needs /proc/kpageflags, as huge and zero pages do before Linux 6.7. snapshot->pagemap_error and
 * knows_… say what is not available.
 */
void page_scan_begin(struct page_scan *scan, struct page_snapshot *snapshot, uint32_t pid,
		     const struct page_snapshot *before, bool with_ksm);

/*
 * Continues until the scan is complete or until_ns (CLOCK_MONOTONIC) has passed; snapshot->complete says
 * which. 0; or -ESTALE if the memory map of the process was replaced by an exec, or removed by its exit.
 */
int page_scan_run(struct page_scan *scan, uint64_t until_ns);
void page_scan_end(struct page_scan *scan);

#endif
