/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page map of the selected process, shared by the pages topics and updated once per tick. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_MAP_H
#define PANETOP_TOPIC_PAGES_PAGE_MAP_H

#include "kernel/pid/pid_stat.h"
#include "topic/pages/page_snapshot.h"
#include "topic/process/target.h"
#include "topic/topic.h"

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

#define PAGE_MAP_MAPS "proc/PID/maps"
#define PAGE_MAP_PAGEMAP "proc/PID/pagemap"
#define PAGE_MAP_SMAPS "proc/PID/smaps"
#define PAGE_MAP_STATUS "proc/PID/status"
#define PAGE_MAP_KINDS "PAGEMAP_SCAN"
#define PAGE_MAP_SOFT_DIRTY "soft-dirty bit"
#define PAGE_MAP_FLAGS "proc/kpageflags"
#define PAGE_MAP_KSM "KSM flag"

/* Privileges that the topics over it use. */
#define PAGE_MAP_USES                                                                                        \
	(PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_PAGEMAP) | PRIVILEGE_BIT(PRIVILEGE_FILES) | \
	 PRIVILEGE_BIT(PRIVILEGE_HIDDEN))

struct page_map {
	struct env *env; /* borrowed, as settings and request */
	const struct topic_settings *settings;
	const struct sample_request *request;
	struct target *target;
	int error;     /* of the last update: -errno, why there are no regions */
	struct page_snapshot snapshots[2];
	struct page_snapshot *shown;   /* a complete one, or the one being scanned; NULL: none yet */
	struct page_snapshot *scanned; /* the incomplete one; NULL: none */
	struct page_scan scan;
	struct buffer text;                                   /* contents of maps or smaps */
	struct pid_status status;                             /* as read in this tick */
	bool soft_dirty;                                      /* this kernel has soft-dirty bits */
	bool ksm_flag;                                        /* page_file_has_ksm_flag() */
	uint64_t shares_ns;                                   /* CPU time of the last reading of smaps */
	uint64_t shares_mono_ns;                              /* … when; 0: never for this process */
	uint64_t proportional_bytes, swap_proportional_bytes; /* sums; U64_UNKNOWN */
	uint64_t notices_tick;                                /* notices are added once per tick */
};

/*
 * An update scans everything in batch, a slice on the screen. It fails when the regions cannot be read, which
 * is noted as a failure of PAGE_MAP_MAPS, but not without a process or after its exit.
 */
extern const struct reader page_map_reader;

/* For topics whose state is the map: on demand, since some have rows though it could not be read. */
extern const struct reading page_map_reads[];

/* The entry of pagemap for this address: 0 or -errno. */
int page_map_entry(struct env *env, uint32_t pid, uint64_t address, uint64_t *entry);

/*
 * For topics of one page: the page at request->page_address, in batch at --from, and its entry. False when
 * there is none; in batch with a notice.
 */
bool page_map_select(struct sample *sample, uint64_t *address, uint64_t *entry);

/* Are all pages below this address counted? */
bool page_map_knows(const struct page_snapshot *snapshot, uint64_t end);

/* count if it is known, else U64_UNKNOWN. */
static inline uint64_t page_map_count(uint64_t count, bool known)
{
	return known ? count : U64_UNKNOWN;
}

/* Zero pages. Without flags of frames they look like shared pages: known only if there are neither. */
static inline uint64_t page_map_zero(const struct page_snapshot *snapshot, const struct page_counts *counts)
{
	return snapshot->knows_kinds ? counts->zero : counts->maybe_zero == 0 ? 0 : U64_UNKNOWN;
}

/* Present pages that are neither of files nor zero pages. The process may change during the scan. */
static inline uint64_t page_map_anonymous(const struct page_snapshot *snapshot,
					  const struct page_counts *counts)
{
	uint64_t zero = page_map_zero(snapshot, counts), others = counts->file + zero;

	return zero == U64_UNKNOWN ? U64_UNKNOWN : counts->present > others ? counts->present - others : 0;
}

/* page_sources.c */

/* Adds notices about the process and about what cannot be read. */
void page_map_notices(struct page_map *map, struct frame *frame, const struct topic *topic);

/* For tests of sources: opens this file of panetop's own process, below another root that of process 1. */
int page_map_test_file(struct env *env, const char *name);

/* A notice that the regions cannot be read, for a topic that has rows nevertheless. */
void page_map_notice_unreadable(const struct page_map *map, struct frame *frame, const struct topic *topic);

/* Sources of the topics over it. */
extern const struct source_spec page_map_sources[];

#endif
