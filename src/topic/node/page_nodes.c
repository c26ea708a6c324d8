/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses pages by their address, evenly over the memory, and asks move_pages(2) for their nodes. */
#include <config.h>

#include "topic/node/page_nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "kernel/pid/maps.h"
#include "sys/pids.h"

#define BATCH ((size_t)PAGE_NODES_SAMPLE)
#define DRAWS_MAX (8 * BATCH)      /* addresses of a look, most of which may be of absent pages */
#define WHOLE_PAGES (2 * BATCH)    /* that are not chosen from, but all looked at */
#define MAPS_MAX ((size_t)4 << 20) /* bytes of maps: some 40,000 regions */
#define MARKS_MAX 1024             /* of what is not located, that are looked up in pagemap */
#define FEW_PAGES 65536            /* resident pages that a scan finds in less than a millisecond */
#define SPARSE 4                   /* pages of its regions for each resident one, from which a scan … */
#define SCAN_NS UINT64_C(10000000) /* … is tried, for at most this time of a CPU */

void page_nodes_free(struct page_nodes *look)
{
	buffer_free(&look->maps);
	free(look->stretches);
	free(look->addresses);
	free(look->status);
}

/* SplitMix64: below n, which is far below 2^64, so that no number is notably more likely. */
static uint64_t random_below(struct page_nodes *look, uint64_t n)
{
	uint64_t mixed = look->random += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (mixed ^ mixed >> 31) % n;
}

static void empty(struct page_nodes *look)
{
	look->n_stretches = 0;
	look->n_pages = 0;
}

static void add_stretch(struct page_nodes *look, uint64_t start, uint64_t end)
{
	*VECTOR_ADD(look->stretches, look->n_stretches, look->capacity) =
		(struct page_stretch){ .start = start, .before = look->n_pages };
	look->n_pages += (end - start) / look->env->page_bytes;
}

/* What no access is permitted to is reserved, as a rule, and may be many times what is present. */
static bool has_memory(const struct maps_region *region)
{
	return !maps_is_special(region) && memcmp(region->permissions.at, "---", 3) != 0;
}

static int read_regions(struct page_nodes *look, uint32_t pid)
{
	int error = pids_read_most(look->env, pid, "maps", MAPS_MAX, &look->maps);
	struct span text = span_of(look->maps.bytes, look->maps.length);
	struct maps_region region;

	if (error)
		return error;
	if (look->maps.length >= MAPS_MAX)
		return -E2BIG;
	empty(look);
	while (maps_next(&text, &region))
		if (has_memory(&region))
			add_stretch(look, region.start, region.end);
	return 0;
}

/* False: it took too long, or failed; the stretches are then incomplete. */
static bool scan_region(struct page_nodes *look, int pagemap, const struct maps_region *region,
			uint64_t until_ns)
{
	struct page_range ranges[PAGE_SCAN_RANGES];
	uint64_t start = region->start;

	while (start < region->end) {
		long n =
			page_file_scan(look->env, pagemap, &start, region->end, PAGE_SCAN_PRESENT, 0, ranges);

		for (long i = 0; i < n; i++)
			add_stretch(look, ranges[i].start, ranges[i].end);
		if (n < 0 || env_self_cpu_ns(look->env) > until_ns)
			return false;
	}
	return true;
}

/* Replaces the regions by the stretches of them that are present; false: they are as they were. */
static bool find_present(struct page_nodes *look, uint32_t pid)
{
	int pagemap = pids_open(look->env, pid, "pagemap", O_RDONLY);
	bool found = pagemap >= 0 && page_file_has_scan(look->env, pagemap);
	struct span text = span_of(look->maps.bytes, look->maps.length);
	uint64_t until_ns = env_self_cpu_ns(look->env) + SCAN_NS;
	struct maps_region region;

	if (found)
		empty(look);
	while (found && maps_next(&text, &region))
		if (has_memory(&region) && !scan_region(look, pagemap, &region, until_ns)) {
			close(pagemap);
			read_regions(look, pid);
			return false;
		}
	if (pagemap >= 0)
		close(pagemap);
	return found;
}

static void *address_of(const struct page_nodes *look, uint64_t page)
{
	const struct page_stretch *stretch;
	size_t at;

	VECTOR_BOUND(at, look->n_stretches, look->stretches[at].before <= page);
	stretch = &look->stretches[at - 1];
	return (void *)(uintptr_t)(stretch->start +
				   (page - stretch->before) * look->env->page_bytes); /* NOLINT */
}

/* Is a page that is not located present nevertheless? */
static void count_missing(struct page_nodes *look, const void *address)
{
	uint64_t entry = 0;

	look->n_missing++;
	if (look->pagemap < 0 || look->n_looked_up == MARKS_MAX)
		return;
	look->n_looked_up++;
	page_file_read(look->env, look->pagemap, (uintptr_t)address / look->env->page_bytes, &entry, 1);
	look->n_marked += (entry & PAGEMAP_PRESENT) != 0;
}

/* Those of the first n addresses that are located: their number, or -errno. */
static long count(struct page_nodes *look, uint32_t pid, size_t n, uint64_t *pages)
{
	int error = page_file_nodes(pid, look->addresses, look->status, n);
	long found = 0;

	if (error)
		return error;
	look->env->reads++;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = look->status[i] < 0 ? NODE_NONE
						    : node_list_find(look->nodes, (uint64_t)look->status[i]);

		if (node == NODE_NONE) {
			count_missing(look, look->addresses[i]);
		} else {
			pages[node]++;
			found++;
		}
	}
	return found;
}

static long look_at_all(struct page_nodes *look, uint32_t pid, uint64_t *pages)
{
	long found = 0;

	for (uint64_t page = 0; page < look->n_pages;) {
		size_t n = 0;
		long more;

		while (n < BATCH && page < look->n_pages)
			look->addresses[n++] = address_of(look, page++);
		more = count(look, pid, n, pages);
		if (more < 0)
			return more;
		found += more;
	}
	return found;
}

/* Each is chosen from all, so that a page may be chosen twice: what the error of a share assumes. */
static long look_at_some(struct page_nodes *look, uint32_t pid, uint64_t *pages)
{
	size_t drawn = 0, n = BATCH;
	long found = 0;

	while (found < PAGE_NODES_SAMPLE && drawn < DRAWS_MAX) {
		size_t missing = (size_t)(PAGE_NODES_SAMPLE - found);
		long more;

		if (found > 0) /* as many as should be enough */
			n = missing * drawn / (size_t)found + 1;
		n = n < BATCH ? n : BATCH;
		/* cppcheck-suppress knownConditionTrueFalse ; n is above 0 */
		for (size_t i = 0; i < n; i++)
			look->addresses[i] = address_of(look, random_below(look, look->n_pages));
		more = count(look, pid, n, pages);
		if (more < 0)
			return more;
		found += more;
		drawn += n;
	}
	return found;
}

/* The part of the present pages that was not located; NAN: they cannot be looked up. */
static double unseen(const struct page_nodes *look, long found)
{
	double marked = 0;

	if (look->is_blind && look->n_missing > 0)
		marked = look->pagemap < 0 ? NAN
					   : (double)look->n_missing * (double)look->n_marked /
						     (double)look->n_looked_up;
	return marked / (marked + (double)found);
}

int page_nodes_look(struct page_nodes *look, uint32_t pid, uint64_t resident_pages, uint64_t *pages,
		    struct page_nodes_part *part)
{
	int error = read_regions(look, pid);
	long found;

	if (error)
		return error;
	if (!look->addresses) {
		look->addresses = alloc_zeroed(BATCH, sizeof(*look->addresses));
		look->status = alloc_zeroed(BATCH, sizeof(*look->status));
		look->is_blind = page_file_hides_marked();
	}
	memset(pages, 0, look->nodes->n_nodes * sizeof(*pages));
	if (look->n_pages > WHOLE_PAGES &&
	    (resident_pages <= FEW_PAGES || look->n_pages / SPARSE > resident_pages))
		find_present(look, pid);
	look->n_missing = look->n_looked_up = look->n_marked = 0;
	look->pagemap = look->is_blind ? pids_open(look->env, pid, "pagemap", O_RDONLY) : -1;
	part->whole = look->n_pages <= WHOLE_PAGES;
	found = part->whole ? look_at_all(look, pid, pages) : look_at_some(look, pid, pages);
	part->unseen = unseen(look, found);
	if (look->pagemap >= 0)
		close(look->pagemap);
	return found < 0 ? (int)found : found == 0 ? -ENODATA : 0;
}
