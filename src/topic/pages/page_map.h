/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of the chosen process's pages, made once per tick at most for all topics that ask. */
#ifndef PANETOP_TOPIC_PAGES_PAGE_MAP_H
#define PANETOP_TOPIC_PAGES_PAGE_MAP_H

#include "kernel/pid_status.h"
#include "topic/pages/page_scan.h"
#include "topic/pages/target.h"
#include "topic/topic.h"

#define PAGE_MAP_MAPS "proc/PID/maps"
#define PAGE_MAP_PAGEMAP "proc/PID/pagemap"
#define PAGE_MAP_SMAPS "proc/PID/smaps"
#define PAGE_MAP_STATUS "proc/PID/status"
#define PAGE_MAP_KINDS "PAGEMAP_SCAN"
#define PAGE_MAP_SOFT_DIRTY "soft-dirty bit"
#define PAGE_MAP_FLAGS "proc/kpageflags"

/* The rights that the topics over it make use of. */
#define PAGE_MAP_USES                                                                                        \
	(PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_PAGEMAP) | PRIVILEGE_BIT(PRIVILEGE_FILES) | \
	 PRIVILEGE_BIT(PRIVILEGE_HIDDEN))

struct page_map {
	struct env *env; /* borrowed, as settings and request */
	const struct settings *settings;
	const struct sample_request *request;
	struct target *target;
	uint64_t tick; /* of the last update */
	int error;     /* -errno of that: why there are no regions */
	struct page_snapshot snapshots[2];
	struct page_snapshot *shown;   /* one of them, whole, or the one that is scanned; NULL: none yet */
	struct page_snapshot *scanned; /* the one that is not whole yet; NULL: none */
	struct page_scan scan;
	struct buffer text;                                   /* of maps or smaps, as read last */
	struct pid_status status;                             /* as read in this tick */
	bool soft_dirty;                                      /* this kernel has the bit */
	uint64_t shares_ns;                                   /* CPU time that reading smaps took last */
	uint64_t shares_mono_ns;                              /* … when; 0: never for this process */
	uint64_t proportional_bytes, swap_proportional_bytes; /* sums; U64_UNKNOWN */
	uint64_t notices_tick;                                /* notices are given once per tick */
};

/*
 * As the open of a topic whose state is the map: shared by all samplers of env, until env is closed, so that
 * the map of a process that has ended stays.
 */
int page_map_topic_open(struct sample *sample);

/*
 * Brings it up to date, once per tick: whole in batch, a slice of it on the screen. 0, also when there is no
 * process or it has ended; or -errno when its regions cannot be read, and then it is noted as a failure of
 * PAGE_MAP_MAPS.
 */
int page_map_update(struct page_map *map);

/* The one that somebody has open; NULL when nobody has. */
struct page_map *page_map_opened(const struct env *env);

/* What pagemap says of the page with this address: 0 or -errno. */
int page_map_entry(struct env *env, uint32_t pid, uint64_t address, uint64_t *entry);

/* Are all of the snapshot's pages below this address counted? */
bool page_map_knows(const struct page_snapshot *snapshot, uint64_t end);

/* A count that is known, else U64_UNKNOWN. */
static inline uint64_t page_map_count(uint64_t count, bool known)
{
	return known ? count : U64_UNKNOWN;
}

/* Pages of its own data: neither of a file nor of zeros. The process may change while it is looked at. */
static inline uint64_t page_map_anonymous(const struct page_snapshot *snapshot,
					  const struct page_counts *counts)
{
	uint64_t others = counts->file + (snapshot->knows_kinds ? counts->zero : 0);

	return counts->present > others ? counts->present - others : 0;
}

/* The rest is in page_sources.c. */

/* Notices: about the process, and what cannot be read of it. */
void page_map_notices(struct page_map *map, struct frame *frame, const struct topic *topic);

/* Of a test: can this file of panetop's own process be opened, or below another root that of process 1? */
int page_map_test_file(struct env *env, const char *name);

/* A notice that its regions cannot be read, from a topic that has something to show all the same. */
void page_map_notice_unreadable(const struct page_map *map, struct frame *frame, const struct topic *topic);

/* What the topics over it read, for --probe. */
extern const struct source_spec page_map_sources[];

#endif
