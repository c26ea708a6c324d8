/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads pagemap in large chunks, and uses PAGEMAP_SCAN for mostly absent regions. What pagemap does not have
 * comes from PAGEMAP_SCAN, too, or from the flags of the page frames.
 */
#include <config.h>

#include "topic/pages/page_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/pid/maps.h"
#include "sys/pids.h"

#define CHUNK ((size_t)131072) /* entries: 1 MiB */
#define GAP 128                /* reading this many absent pages is cheaper than a call */
#define SPARSE_PAGES 8192      /* smaller regions are never sparse */
#define SPARSE_SHARE 16        /* less than this fraction of the pages is present */
#define SMALLEST_HUGE 16       /* pages */
#define KINDS (PAGE_SCAN_HUGE | PAGE_SCAN_ZERO)
#define TOLD (PAGE_SCAN_PRESENT | KINDS)

void page_scan_free(struct page_scan *scan)
{
	page_scan_end(scan);
	free(scan->entries);
	free(scan->frame_flags);
	free(scan->ranges);
}

/* The frames or their flags cannot be read. */
static void forget_flags(struct page_scan *scan)
{
	scan->snapshot->knows_ksm &= !scan->with_ksm;
	scan->snapshot->knows_kinds &= scan->has_ioctl;
	if (scan->flags >= 0)
		close(scan->flags);
	scan->flags = -1;
}

void page_scan_begin(struct page_scan *scan, struct page_snapshot *snapshot, uint32_t pid,
		     const struct page_snapshot *before, bool with_ksm)
{
	struct env *env = scan->env;

	if (!scan->entries) {
		scan->entries = alloc_zeroed(CHUNK, sizeof(*scan->entries));
		scan->ranges = alloc_zeroed(PAGE_SCAN_RANGES, sizeof(*scan->ranges));
	}
	page_scan_end(scan);
	scan->snapshot = snapshot;
	scan->before = before;
	scan->region = 0;
	scan->walk = scan->kind_walk = scan->flag_walk = (struct page_walk){ 0 };
	scan->with_ksm = with_ksm;
	scan->zero_frame = 0;
	scan->pagemap = pids_open(env, pid, "pagemap", O_RDONLY);
	snapshot->pagemap_error = scan->pagemap < 0 ? scan->pagemap : 0;
	scan->has_ioctl = !snapshot->pagemap_error && page_file_has_scan(env, scan->pagemap);
	snapshot->knows_kinds = snapshot->knows_ksm = !snapshot->pagemap_error;
	if (snapshot->pagemap_error || (scan->has_ioctl && !with_ksm))
		return;
	if (!scan->frame_flags)
		scan->frame_flags = alloc_zeroed(CHUNK, sizeof(*scan->frame_flags));
	scan->flags = page_file_open(env, "proc/kpageflags");
	if (scan->flags < 0)
		forget_flags(scan);
}

void page_scan_end(struct page_scan *scan)
{
	if (scan->pagemap >= 0)
		close(scan->pagemap);
	if (scan->flags >= 0)
		close(scan->flags);
	scan->pagemap = scan->flags = -1;
	scan->snapshot = NULL;
}

/* As zero pages and those of KSM are. */
static bool is_shared_anonymous(uint64_t entry)
{
	return (entry & (PAGEMAP_PRESENT | PAGEMAP_FILE | PAGEMAP_EXCLUSIVE)) == PAGEMAP_PRESENT;
}

static bool is_sought(const struct page_scan *scan, uint64_t entry)
{
	return scan->has_ioctl ? is_shared_anonymous(entry) : entry & PAGEMAP_PRESENT;
}

/* The first of n pages and those after it that are like it, in consecutive frames. */
static size_t run_of_frames(const struct page_scan *scan, const uint64_t *entries, size_t n)
{
	size_t length = 1;

	while (length < n && is_sought(scan, entries[length]) &&
	       is_shared_anonymous(entries[length]) == is_shared_anonymous(entries[0]) &&
	       (entries[length] & PAGEMAP_FRAME) == (entries[0] & PAGEMAP_FRAME) + length)
		length++;
	return length;
}

static uint64_t kinds_of(const struct page_scan *scan, uint64_t flags)
{
	uint64_t kinds = PAGE_SCAN_PRESENT;

	if (scan->with_ksm && flags >> PAGE_FLAGS_KSM & 1)
		kinds |= PAGE_SCAN_KSM;
	if (scan->has_ioctl)
		return kinds;
	if (flags >> PAGE_FLAGS_ZERO & 1)
		kinds |= PAGE_SCAN_ZERO;
	if (flags >> PAGE_FLAGS_HUGE & 1 || flags >> PAGE_FLAGS_THP & 1)
		kinds |= PAGE_SCAN_HUGE;
	return kinds;
}

/* Looks up a run of pages. False: their frames or flags cannot be read. */
static bool count_run(struct page_scan *scan, uint64_t address, uint64_t frame, size_t length)
{
	struct page_range range = { .start = address, .end = address };

	if (frame > 0 && frame == scan->zero_frame && length == 1)
		scan->frame_flags[0] = UINT64_C(1) << PAGE_FLAGS_ZERO;
	else if (frame == 0 ||
		 page_file_read(scan->env, scan->flags, frame, scan->frame_flags, length) != (long)length)
		return false;
	if (length == 1 && scan->frame_flags[0] >> PAGE_FLAGS_ZERO & 1)
		scan->zero_frame = frame;
	for (size_t i = 0; i < length; i++) {
		uint64_t kinds = kinds_of(scan, scan->frame_flags[i]);

		if (kinds != range.what) {
			page_snapshot_count_range(scan->snapshot, &scan->flag_walk, &range);
			range = (struct page_range){ .start = range.end, .end = range.end, .what = kinds };
		}
		range.end += scan->snapshot->page_bytes;
	}
	page_snapshot_count_range(scan->snapshot, &scan->flag_walk, &range);
	return true;
}

/* Exclusive pages in few consecutive frames are no part of a huge page, unless the chunk cuts it. */
static void count_flags(struct page_scan *scan, uint64_t address, size_t n)
{
	for (size_t i = 0, length; i < n; i += length) {
		const uint64_t *entry = &scan->entries[i];
		uint64_t frame = *entry & PAGEMAP_FRAME;

		length = 1;
		if (!is_sought(scan, *entry))
			continue;
		length = run_of_frames(scan, entry, n - i);
		if (frame > 0 && !is_shared_anonymous(*entry) && length < SMALLEST_HUGE && i > 0 &&
		    i + length < n)
			continue;
		if (!count_run(scan, address + i * scan->snapshot->page_bytes, frame, length)) {
			forget_flags(scan);
			return;
		}
	}
}

/* Reads and counts the pages from start to end, at most a chunk. */
static int read_pages(struct page_scan *scan, uint64_t start, uint64_t end)
{
	struct page_snapshot *snapshot = scan->snapshot;
	size_t n = (size_t)((end - start) / snapshot->page_bytes);
	long got = page_file_read(scan->env, scan->pagemap, start / snapshot->page_bytes, scan->entries, n);

	if (got < 0)
		return (int)got;
	if ((size_t)got < n)
		return -ESTALE;
	page_snapshot_count(snapshot, &scan->walk, start, scan->entries, n);
	if (scan->flags >= 0)
		count_flags(scan, start, n);
	return 0;
}

/* Counts huge and zero pages. */
static int read_kinds(struct page_scan *scan, uint64_t start, uint64_t end)
{
	struct page_snapshot *snapshot = scan->snapshot;

	while (scan->has_ioctl && start < end) {
		long found = page_file_scan(scan->env, scan->pagemap, &start, end, KINDS, TOLD, scan->ranges);

		if (found < 0) {
			scan->has_ioctl = snapshot->knows_kinds = false;
			return found == -ESRCH ? -ESTALE : 0;
		}
		for (long i = 0; i < found; i++)
			page_snapshot_count_range(snapshot, &scan->kind_walk, &scan->ranges[i]);
	}
	return 0;
}

/* Is so little of the region present that PAGEMAP_SCAN pays off? */
static bool is_sparse(const struct page_scan *scan, const struct page_region *region)
{
	const struct page_region *last =
		scan->before ? page_snapshot_find(scan->before, region->start) : NULL;
	uint64_t pages = region->counts.pages;

	if (!scan->has_ioctl || pages < SPARSE_PAGES)
		return false;
	if (last)
		return last->counts.present + last->counts.swapped < last->counts.pages / SPARSE_SHARE;
	return scan->resident_pages < pages / 2;
}

/* Reads ranges that are close together at once. */
static int read_ranges(struct page_scan *scan, long n_ranges)
{
	const uint64_t page_bytes = scan->snapshot->page_bytes, chunk_bytes = CHUNK * page_bytes;
	const struct page_range *ranges = scan->ranges;
	int error = 0;

	for (long i = 0, last; i < n_ranges && !error; i = last + 1) {
		last = i;
		while (last + 1 < n_ranges && ranges[last + 1].start - ranges[last].end <= GAP * page_bytes &&
		       ranges[last + 1].end - ranges[i].start <= chunk_bytes)
			last++;
		for (uint64_t at = ranges[i].start; at < ranges[last].end && !error; at += chunk_bytes)
			error = read_pages(scan, at,
					   ranges[last].end - at > chunk_bytes ? at + chunk_bytes
									       : ranges[last].end);
	}
	return error;
}

static int scan_sparse(struct page_scan *scan, const struct page_region *region)
{
	struct page_snapshot *snapshot = scan->snapshot;
	long found = page_file_scan(scan->env, scan->pagemap, &snapshot->next, region->end,
				    PAGE_SCAN_PRESENT | PAGE_SCAN_SWAPPED, TOLD, scan->ranges);

	if (found == -ESRCH)
		return -ESTALE;
	if (found < 0) { /* read everything instead */
		scan->has_ioctl = snapshot->knows_kinds = false;
		return 0;
	}
	for (long i = 0; i < found; i++)
		page_snapshot_count_range(snapshot, &scan->kind_walk, &scan->ranges[i]);
	return read_ranges(scan, found);
}

/* End of a chunk that starts there: it includes following regions that are close. */
static uint64_t chunk_end(const struct page_scan *scan, uint64_t start)
{
	const struct page_snapshot *snapshot = scan->snapshot;
	uint64_t most = CHUNK * snapshot->page_bytes, end = snapshot->regions[scan->region].end;

	for (size_t i = scan->region + 1; i < snapshot->n_regions && end - start < most; i++) {
		const struct page_region *region = &snapshot->regions[i];

		if (region->special || region->start - end > GAP * snapshot->page_bytes ||
		    region->end - start > most || is_sparse(scan, region))
			break;
		end = region->end;
	}
	return end - start < most ? end : start + most;
}

/* In the files of another root, pages without data are absent: a hole may be larger than any memory. */
static void skip_hole(struct page_scan *scan)
{
	struct page_snapshot *snapshot = scan->snapshot;
	uint64_t data;

	if (!scan->env->live && page_file_data(scan->pagemap, snapshot->next / snapshot->page_bytes, &data) &&
	    data <= UINT64_MAX / snapshot->page_bytes && data * snapshot->page_bytes > snapshot->next)
		snapshot->next = data * snapshot->page_bytes;
}

static int scan_dense(struct page_scan *scan)
{
	struct page_snapshot *snapshot = scan->snapshot;
	uint64_t start = snapshot->next, end = chunk_end(scan, start);
	int error = read_pages(scan, start, end);

	if (!error)
		error = read_kinds(scan, start, end);
	snapshot->next = end;
	return error;
}

/* Moves to the next region that is not fully counted; false after the last. */
static bool find_region(struct page_scan *scan)
{
	struct page_snapshot *snapshot = scan->snapshot;

	while (scan->region < snapshot->n_regions && (snapshot->regions[scan->region].end <= snapshot->next ||
						      snapshot->regions[scan->region].special))
		scan->region++;
	if (scan->region == snapshot->n_regions)
		return false;
	if (snapshot->next < snapshot->regions[scan->region].start)
		snapshot->next = snapshot->regions[scan->region].start;
	return true;
}

/* After an exit or exec this memory map is empty: reads return nothing. */
static int check_alive(struct page_scan *scan)
{
	const struct page_snapshot *snapshot = scan->snapshot;
	uint64_t entry;

	if (snapshot->n_regions == 0 || snapshot->regions[0].special)
		return 0;
	return page_file_read(scan->env, scan->pagemap, snapshot->regions[0].start / snapshot->page_bytes,
			      &entry, 1) == 1
		       ? 0
		       : -ESTALE;
}

int page_scan_run(struct page_scan *scan, uint64_t until_ns)
{
	struct page_snapshot *snapshot = scan->snapshot;
	uint64_t cpu_ns = env_self_cpu_ns(scan->env);
	int error = 0;

	while (!error && !snapshot->pagemap_error && find_region(scan)) {
		const struct page_region *region;

		skip_hole(scan);
		if (!find_region(scan))
			break;
		region = &snapshot->regions[scan->region];
		error = is_sparse(scan, region) ? scan_sparse(scan, region) : scan_dense(scan);
		if (!error && env_mono_ns(scan->env) >= until_ns && find_region(scan)) {
			snapshot->cpu_ns += env_self_cpu_ns(scan->env) - cpu_ns;
			return 0;
		}
	}
	if (!error && !snapshot->pagemap_error)
		error = check_alive(scan);
	snapshot->cpu_ns += env_self_cpu_ns(scan->env) - cpu_ns;
	snapshot->complete = !error;
	return error;
}
