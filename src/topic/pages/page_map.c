/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scans the selected process into snapshots, one after the other; on the screen in slices of time. pagemap
 * is read in large chunks, and mostly absent regions with PAGEMAP_SCAN. What pagemap does not have comes
 * from PAGEMAP_SCAN, too, or from the flags of the page frames.
 */
#include <config.h>

#include "topic/pages/page_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "kernel/pid/maps.h"
#include "sys/descriptor.h"
#include "sys/loop.h"
#include "sys/pids.h"

#define CHUNK ((size_t)131072) /* entries: 1 MiB */
#define GAP 128                /* reading this many absent pages is cheaper than a call */
#define SPARSE_PAGES 8192      /* smaller regions are never sparse */
#define SPARSE_SHARE 16        /* less than this fraction of the pages is present */
#define SMALLEST_HUGE 16       /* pages */
#define KINDS (PAGE_SCAN_HUGE | PAGE_SCAN_ZERO)
#define TOLD (PAGE_SCAN_PRESENT | KINDS)

static void page_scan_end(struct page_scan *scan)
{
	descriptor_close(scan->pagemap);
	descriptor_close(scan->flags);
	scan->pagemap = scan->flags = -1;
	scan->snapshot = NULL;
}

/* The frames or their flags cannot be read. */
static void forget_flags(struct page_scan *scan)
{
	scan->snapshot->knows_ksm &= !scan->with_ksm;
	scan->snapshot->knows_kinds &= scan->has_ioctl;
	descriptor_close(scan->flags);
	scan->flags = -1;
}

/*
 * Starts a scan of pid into snapshot, whose regions are known. with_ksm: also count pages merged by KSM,
 * which needs /proc/kpageflags, as huge and zero pages do before Linux 6.7. snapshot->pagemap_error and
 * knows_… say what is not available.
 */
static void page_scan_begin(struct page_scan *scan, struct page_snapshot *snapshot, uint32_t pid,
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

/*
 * Continues until the scan is complete or until_ns (CLOCK_MONOTONIC) has passed; snapshot->complete says
 * which. 0; or -ESTALE if the memory map of the process was replaced by an exec, or removed by its exit.
 */
static int page_scan_run(struct page_scan *scan, uint64_t until_ns)
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

#define SLICE_NS UINT64_C(50000000) /* a key may wait this long */
#define SHARES_PART 20              /* reading smaps takes at most this fraction of the time */
#define STATUS_MAX 4096
#define TRIES 2
#define FOLD_SHARE 4

static int open_map(void *state, const struct sample *sample)
{
	struct page_map *map = state;
	struct env *env = sample->env;

	map->env = env;
	map->settings = sample->settings;
	map->request = sample->request;
	map->notices_tick = ENV_NEVER;
	map->scan = (struct page_scan){ .env = env, .pagemap = -1, .flags = -1 };
	map->proportional_bytes = map->swap_proportional_bytes = U64_UNKNOWN;
	map->soft_dirty = !env->live || page_file_has_soft_dirty();
	map->ksm_flag = !env->live || page_file_has_ksm_flag(env);
	return 0;
}

static void close_map(void *state)
{
	struct page_map *map = state;

	page_scan_end(&map->scan);
	free(map->scan.entries);
	free(map->scan.frame_flags);
	free(map->scan.ranges);
	page_snapshot_free(&map->snapshots[0]);
	page_snapshot_free(&map->snapshots[1]);
	buffer_free(&map->text);
}

bool page_map_knows(const struct page_snapshot *snapshot, uint64_t end)
{
	return !snapshot->pagemap_error && (snapshot->complete || end <= snapshot->next);
}

int page_map_entry(struct env *env, uint32_t pid, uint64_t address, uint64_t *entry)
{
	int fd = pids_open(env, pid, "pagemap", O_RDONLY);
	long got = fd < 0 ? fd : page_file_read(env, fd, address / env->page_bytes, entry, 1);

	descriptor_close(fd);
	return got < 0 ? (int)got : got == 1 ? 0 : -ENODATA;
}

bool page_map_select(struct sample *sample, uint64_t *address, uint64_t *entry)
{
	struct page_map *map = sample->state;
	const struct sample_request *request = sample->request;
	uint64_t wanted = request->batch ? map->settings->map.from : request->page_address;
	int error = reader_update(&page_map_reader, sample);

	if (request->batch && error)
		page_map_notice_unreadable(map, sample->frame, sample->topic);
	else if (request->batch)
		page_map_notices(map, sample->frame, sample->topic);
	if (error || map->target->state != TARGET_LIVE || target_has_no_memory(map->target))
		return false;
	*address = wanted / map->env->page_bytes * map->env->page_bytes;
	if (*address == 0 && request->batch)
		frame_notice(sample->frame, sample->topic->schema->name, _("use --from=ADDRESS"),
			     _("no page selected"));
	return *address > 0 && page_map_entry(map->env, map->target->memory_pid, *address, entry) == 0;
}

static uint64_t resident_pages(const struct page_map *map)
{
	const struct pid_status *status = &map->status;
	uint64_t bytes = status->vm_resident;

	if (bytes != U64_UNKNOWN && status->vm_swap != U64_UNKNOWN)
		bytes += status->vm_swap;
	return bytes == U64_UNKNOWN ? U64_UNKNOWN : bytes / map->env->page_bytes;
}

/* Larger regions must be mostly absent; a power of two, so that it does not change with every page. */
static uint64_t fold_pages(const struct page_map *map)
{
	uint64_t resident = resident_pages(map), fold = 1;

	if (resident == U64_UNKNOWN)
		return U64_UNKNOWN;
	while (fold < FOLD_SHARE * resident && fold < UINT64_C(1) << 50)
		fold *= 2;
	return fold;
}

/* The screen requests a window; batch uses the options. */
static struct cell_layout wanted_layout(const struct page_map *map)
{
	const struct sample_request *request = map->request;
	uint64_t page = map->env->page_bytes;
	struct cell_layout layout = {
		.from = map->settings->map.from / page * page,
		.to = (map->settings->map.to + page - 1) / page * page,
	};

	if (request->cells.most > 0) {
		layout.fold_pages = fold_pages(map);
		layout.cell_pages = request->cells.cell_pages;
		layout.anchor = request->cells.anchor;
		layout.before = request->cells.before;
		layout.most = request->cells.most;
	} else {
		layout.most = (size_t)map->settings->map.cells;
	}
	return layout;
}

/* May the process have pages merged by KSM? Most machines do not use it, which saves the look-ups. */
static bool has_ksm(struct page_map *map)
{
	struct span text;
	uint64_t shared = 0, merging = 0;
	char bytes[64];
	long length;

	if (env_read(map->env, env_file(map->env, "sys/kernel/mm/ksm/pages_shared"), &text) < 0 ||
	    !span_u64(&text, &shared) || shared == 0)
		return false;
	length = pids_read(map->env, map->target->memory_pid, "ksm_merging_pages", bytes, sizeof(bytes));
	text = span_of(bytes, length > 0 ? (size_t)length : 0);
	return length < 0 || !span_u64(&text, &merging) || merging > 0;
}

static void read_status(struct page_map *map)
{
	char bytes[STATUS_MAX];
	long length = pids_read(map->env, map->target->memory_pid, "status", bytes, sizeof(bytes));

	pid_status_parse(span_of(bytes, length > 0 ? (size_t)length : 0), &map->status);
}

/* Shares from the last reading of smaps stay with their regions. */
static void keep_shares(struct page_snapshot *snapshot, const struct page_snapshot *before)
{
	for (size_t i = 0; before && i < snapshot->n_regions; i++) {
		const struct page_region *region = page_snapshot_find(before, snapshot->regions[i].start);

		if (region && region->end == snapshot->regions[i].end)
			snapshot->regions[i].proportional_bytes = region->proportional_bytes;
	}
}

/* Reads the regions again and starts a scan. */
static int begin(struct page_map *map, const struct cell_layout *layout)
{
	const struct target *target = map->target;
	struct page_snapshot *snapshot =
		map->shown == &map->snapshots[0] ? &map->snapshots[1] : &map->snapshots[0];
	const struct page_snapshot *before =
		map->shown && map->shown->generation == target->generation ? map->shown : NULL;
	int error = pids_read_text(map->env, target->memory_pid, "maps", &map->text);
	bool ksm;

	if (error)
		return error;
	snapshot->pid = target->pid;
	snapshot->generation = target->generation;
	snapshot->mono_ns = env_mono_ns(map->env);
	snapshot->page_bytes = map->env->page_bytes;
	snapshot->knows_soft_dirty = map->soft_dirty;
	page_snapshot_parse(snapshot, span_of(map->text.bytes, map->text.length));
	page_snapshot_cut(snapshot, layout);
	if (map->shares_mono_ns > 0)
		keep_shares(snapshot, before);
	map->scan.resident_pages = resident_pages(map);
	ksm = has_ksm(map);
	page_scan_begin(&map->scan, snapshot, target->memory_pid, before, ksm && map->ksm_flag);
	snapshot->knows_ksm &= !ksm || map->ksm_flag;
	map->scanned = snapshot;
	return 0;
}

static bool is_current(const struct page_map *map, const struct page_snapshot *snapshot,
		       const struct cell_layout *layout)
{
	return snapshot && snapshot->generation == map->target->generation &&
	       cell_layout_is_same(&snapshot->layout, layout);
}

/* Shows an incomplete snapshot only if there is no complete one with the same cells. */
static void choose(struct page_map *map, const struct cell_layout *layout)
{
	if (map->scanned && map->scanned->complete) {
		map->shown = map->scanned;
		map->scanned = NULL;
		page_scan_end(&map->scan);
	} else if (map->scanned && !is_current(map, map->shown, layout)) {
		map->shown = map->scanned;
	}
}

/*
 * On the screen a slice. In batch all of it, unless a signal waits that may end the run: a process may have
 * reserved so much that this takes a minute.
 */
static int run_scan(struct page_map *map)
{
	struct env *env = map->env;
	int error;

	if (!map->request->batch)
		return page_scan_run(&map->scan, env_mono_ns(env) + SLICE_NS);
	do {
		error = page_scan_run(&map->scan, 0);
		env->cut = !error && !map->scanned->complete && loop_signal_waits();
	} while (!error && !map->scanned->complete && !env->cut);
	return error;
}

/* An exec between two reads replaces the memory of the process: start again. */
static int scan(struct page_map *map)
{
	const struct cell_layout layout = wanted_layout(map);
	int error = -ESTALE;

	for (unsigned tries = 0; tries < TRIES && error == -ESTALE; tries++) {
		if (!is_current(map, map->scanned, &layout)) {
			error = begin(map, &layout);
			if (error)
				return error;
		}
		error = run_scan(map);
		if (error == -ESTALE && !map->env->live) { /* the file is shorter than its maps */
			map->scanned->pagemap_error = -ENODATA;
			map->scanned->complete = true;
			error = 0;
		} else if (error) {
			if (map->shown == map->scanned)
				map->shown = NULL;
			map->scanned = NULL;
			page_scan_end(&map->scan);
		}
	}
	choose(map, &layout);
	return error == -ESTALE ? 0 : error;
}

static void parse_shares(struct page_map *map)
{
	struct span text = span_of(map->text.bytes, map->text.length);
	struct maps_region found;
	struct smaps_sizes sizes;

	map->proportional_bytes = map->swap_proportional_bytes = 0;
	while (smaps_next(&text, &found, &sizes)) {
		struct page_region *region = page_snapshot_find(map->shown, found.start);

		map->proportional_bytes = u64_sum(map->proportional_bytes, sizes.proportional_bytes);
		map->swap_proportional_bytes =
			u64_sum(map->swap_proportional_bytes, sizes.swap_proportional_bytes);
		if (region && region->end == found.end)
			region->proportional_bytes = sizes.proportional_bytes;
	}
}

/* smaps is costly: it is read only on request, and limited to a fraction of the time. */
static void read_shares(struct page_map *map)
{
	uint64_t now = env_mono_ns(map->env), cpu_ns = env_self_cpu_ns(map->env);

	if (!map->settings->map.shares) {
		map->shares_mono_ns = 0;
		map->proportional_bytes = map->swap_proportional_bytes = U64_UNKNOWN;
		return;
	}
	if (map->shares_mono_ns == 0 || now - map->shares_mono_ns >= SHARES_PART * map->shares_ns) {
		if (pids_read_text(map->env, map->target->memory_pid, "smaps", &map->text) < 0)
			return;
		map->shares_mono_ns = now;
		parse_shares(map);
		map->shares_ns = env_self_cpu_ns(map->env) - cpu_ns;
	}
}

static int update_map(void *state, const struct sample *sample)
{
	struct page_map *map = state;
	uint64_t generation = map->target->generation;

	map->error = reader_update(&target_reader, sample);
	if (map->error)
		return map->error;
	if (generation != map->target->generation) {
		map->shares_mono_ns = 0;
		if (map->target->state == TARGET_GONE) { /* else its map stays for a while */
			map->shown = map->scanned = NULL;
			pid_status_parse(span_text(""), &map->status);
		}
	}
	if (map->target->state == TARGET_NONE ||
	    (map->target->state == TARGET_SOUGHT && map->target->least_ticks == 0))
		map->shown = map->scanned = NULL; /* the last map stays while waiting for the next process */
	if (map->target->state != TARGET_LIVE)
		return 0;
	read_status(map);
	if (target_has_no_memory(map->target)) {
		map->shown = map->scanned = NULL;
		return 0;
	}
	map->error = scan(map);
	if (map->error == -ESRCH || map->error == -ENOENT) {
		if (map->target->memory_pid == map->target->pid)
			map->target->state = TARGET_GONE;
		map->error = 0;
	} else if (map->error) {
		env_note_failure(map->env, PAGE_MAP_MAPS, map->error);
		map->shown = NULL;
	}
	if (map->shown)
		read_shares(map);
	return map->error;
}

const struct reading page_map_reads[] = {
	{ .reader = &page_map_reader, .on_demand = true },
	{ 0 },
};

const struct reader page_map_reader = {
	.name = "pages of the selected process",
	.state_size = sizeof(struct page_map),
	/* On demand, since the map is updated with the process that it was of before. */
	.reads = READINGS(READING_ON_DEMAND(struct page_map, target, &target_reader)),
	.open = open_map,
	.update = update_map,
	.close = close_map,
	.stays = true,
};

#define FIRST_PROCESS 1
#define OTHERS_TRIED 32

static int try_file(struct env *env, uint32_t pid, const char *name)
{
	int fd = pids_open(env, pid, name, O_RDONLY);

	descriptor_close(fd);
	return fd < 0 ? fd : 0;
}

int page_map_test_file(struct env *env, const char *name)
{
	return try_file(env, env->live ? env->own_pid : FIRST_PROCESS, name);
}

/* A process of another user; for root any other process. */
static bool is_of_other(const struct env *env, uint32_t pid)
{
	uint32_t own, other;

	return pid != env->own_pid && pids_owner(env, env->own_pid, &own) &&
	       pids_owner(env, pid, &other) && (own == 0 || other != own);
}

/* Some processes refuse everyone, like the first one of a container: one that can be opened is enough. */
static int test_others(struct env *env)
{
	const uint32_t *pids;
	size_t n_pids;
	int error = pids_list(env, &pids, &n_pids), refused = 0;

	if (!env->live)
		return page_map_test_file(env, "pagemap");
	for (size_t i = 0, tried = 0; !error && i < n_pids && tried < OTHERS_TRIED; i++) {
		int found = is_of_other(env, pids[i]) ? try_file(env, pids[i], "pagemap") : -ESRCH;

		if (!found)
			return 0;
		if (found == -ESRCH || found == -ENOENT) /* a kernel thread, or it exited */
			continue;
		refused = found;
		tried++;
	}
	return error ? error : refused ? refused : -ESRCH;
}

static int test_maps(struct env *env)
{
	return page_map_test_file(env, "maps");
}

static int test_pagemap(struct env *env)
{
	return page_map_test_file(env, "pagemap");
}

static int test_smaps(struct env *env)
{
	return page_map_test_file(env, "smaps");
}

static int test_status(struct env *env)
{
	return page_map_test_file(env, "status");
}

static int test_kinds(struct env *env)
{
	int fd = env->live ? pids_open(env, env->own_pid, "pagemap", O_RDONLY) : -ENOTTY;
	int error = fd < 0 ? fd : page_file_has_scan(env, fd) ? 0 : -ENOTTY;

	descriptor_close(fd);
	return error;
}

static int test_soft_dirty(struct env *env)
{
	return env->live && !page_file_has_soft_dirty() ? -ENOTSUP : 0;
}

/* Without the privilege the kernel reports frame numbers as 0. */
static int test_frames(struct env *env)
{
	uint64_t entry = 0;
	int error = -ENOTSUP;

	if (env->live)
		error = page_map_entry(env, env->own_pid, (uint64_t)(uintptr_t)&entry, &entry);
	if (!error && !(entry & PAGEMAP_FRAME))
		error = -EPERM;
	return error;
}

static int test_flags(struct env *env)
{
	return page_file_try(env, PAGE_MAP_FLAGS);
}

static int test_ksm(struct env *env)
{
	return env->live && !page_file_has_ksm_flag(env) ? -ENOTSUP : 0;
}

static const char ptrace[] = N_("run it as root, or give it the capability cap_sys_ptrace");
static const char pagemap[] =
	N_("run it as root, or give it the capabilities cap_sys_ptrace and cap_dac_read_search");

const struct source_spec page_map_sources[] = {
	{ .path = PAGE_MAP_MAPS,
	  .gives = N_("the regions of a process"),
	  .test = test_maps,
	  .remedies = { { EACCES, ptrace }, { EPERM, ptrace } } },
	{ .path = PAGE_MAP_PAGEMAP,
	  .gives = N_("the pages of a process"),
	  .test = test_pagemap,
	  .remedies = { { EACCES, pagemap },
			{ EPERM, pagemap },
			{ ENOENT, N_("this kernel was built without CONFIG_PROC_PAGE_MONITOR") } } },
	{ .path = "processes of others",
	  .gives = N_("regions, pages and bytes of processes of other users"),
	  .optional = true,
	  .test = test_others,
	  .remedies = { { EACCES, pagemap },
			{ EPERM, pagemap },
			{ ESRCH, N_("no process of another user is visible; if hidepid hides them: give it "
				    "the capability "
				    "cap_sys_ptrace") } } },
	{ .path = PAGE_MAP_STATUS, .gives = N_("the kernel's own counts of memory"), .test = test_status },
	{ .path = PAGE_MAP_SMAPS,
	  .gives = N_("proportional shares, on request"),
	  .optional = true,
	  .test = test_smaps,
	  .remedies = { { EACCES, ptrace }, { EPERM, ptrace } } },
	{ .path = PAGE_MAP_KINDS,
	  .gives = N_("huge and zero pages without privileges, and fast maps of sparse processes"),
	  .optional = true,
	  .test = test_kinds,
	  .remedies = { { ENOTTY, N_("needs Linux 6.7") } } },
	{ .path = PAGE_MAP_SOFT_DIRTY,
	  .gives = N_("pages that were written"),
	  .optional = true,
	  .test = test_soft_dirty,
	  .remedies = { { ENOTSUP, N_("this kernel was built without CONFIG_MEM_SOFT_DIRTY") } } },
	{ .path = "page frame numbers",
	  .gives = N_("frame number of a page, needed for its flags"),
	  .optional = true,
	  .test = test_frames,
	  .remedies = { { EPERM, N_("run it as root, or give it the capability cap_sys_admin") } } },
	{ .path = PAGE_MAP_FLAGS,
	  .gives = N_("flags of page frames, among them those merged by KSM"),
	  .optional = true,
	  .test = test_flags },
	{ .path = PAGE_MAP_KSM,
	  .gives = N_("pages merged by KSM"),
	  .optional = true,
	  .test = test_ksm,
	  .remedies = { { ENOTSUP, N_("this kernel marks all anonymous pages as merged, as Linux 6.12 does; "
				      "needs a newer one") } } },
	{ 0 },
};

static const char *remedy_of(const struct page_map *map, const char *path, int error)
{
	return source_remedy(map->env, topic_source(&topic_page_total, path), -error);
}

void page_map_notices(struct page_map *map, struct frame *frame, const struct topic *topic)
{
	const char *name = topic->schema->name;
	const struct page_snapshot *snapshot = map->shown;

	if (map->notices_tick == map->env->tick)
		return;
	map->notices_tick = map->env->tick;
	target_notices(map->target, frame, name);
	if (!snapshot && map->target->state == TARGET_GONE)
		frame_notice(frame, name, NULL, _("%u %s has exited"), map->target->pid, map->target->name);
	if (!snapshot || map->target->state != TARGET_LIVE)
		return;
	if (snapshot->pagemap_error == -ENODATA)
		frame_notice(frame, name, NULL, _("/proc/%u/pagemap is shorter than the regions"),
			     snapshot->pid);
	else if (snapshot->pagemap_error)
		frame_notice(frame, name, remedy_of(map, PAGE_MAP_PAGEMAP, snapshot->pagemap_error),
			     _("/proc/%u/pagemap: %s; the regions are known, their pages are not"),
			     snapshot->pid, strerror(-snapshot->pagemap_error));
	if (snapshot->n_regions > 0 && snapshot->n_cells == 0) /* which is known only with the regions */
		frame_notice(frame, name, _("see the table region"),
			     _("nothing is mapped between --from and --to"));
	if (!map->ksm_flag && !snapshot->pagemap_error && !snapshot->knows_ksm)
		frame_notice(frame, name, remedy_of(map, PAGE_MAP_KSM, -ENOTSUP),
			     _("pages merged by KSM are not known"));
}

void page_map_notice_unreadable(const struct page_map *map, struct frame *frame, const struct topic *topic)
{
	frame_notice(frame, topic->schema->name, remedy_of(map, PAGE_MAP_MAPS, map->error),
		     _("/proc/%u/maps: %s; the regions are not known"), map->target->pid,
		     strerror(-map->error));
}
