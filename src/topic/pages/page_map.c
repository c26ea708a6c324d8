/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scans the selected process into snapshots, one after the other; on the screen in slices of time. */
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
#include "sys/loop.h"
#include "sys/pids.h"

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

	page_scan_free(&map->scan);
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

	if (fd >= 0)
		close(fd);
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

/* Forgets data of the previous process; its map stays until that of the next one starts. */
static void forget_last(struct page_map *map)
{
	map->shares_mono_ns = 0;
	if (map->target->state != TARGET_GONE)
		return;
	map->shown = map->scanned = NULL;
	pid_status_parse(span_text(""), &map->status);
}

static int update_map(void *state, const struct sample *sample)
{
	struct page_map *map = state;
	uint64_t generation = map->target->generation;

	map->error = reader_update(&target_reader, sample);
	if (map->error)
		return map->error;
	if (generation != map->target->generation)
		forget_last(map);
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

/* On demand, since the map is updated with the process that it was of before. */
static const struct reading reads[] = {
	READING_ON_DEMAND(struct page_map, target, &target_reader),
	{ 0 },
};

const struct reading page_map_reads[] = {
	{ .reader = &page_map_reader, .on_demand = true },
	{ 0 },
};

const struct reader page_map_reader = {
	.name = "pages of the selected process",
	.state_size = sizeof(struct page_map),
	.reads = reads,
	.open = open_map,
	.update = update_map,
	.close = close_map,
	.stays = true,
};
