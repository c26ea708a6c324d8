/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smaps is opened before the clearing and read through that descriptor, which stays bound to the memory that
 * the process had then: after an exec it is empty, and the pages of the new program are not taken for touched
 * ones.
 */
#include <config.h>

#include "topic/pages/touch_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/pid/maps.h"
#include "model/column.h"
#include "sys/error_message.h"
#include "sys/pids.h"
#include "sys/process_control.h"
#include "topic/process/process_find.h"

#define TEXT_BYTES_MAX ((size_t)256 << 20) /* 64 k regions take 50 MiB */

static void close_files(struct touch_look *look)
{
	if (look->smaps >= 0)
		close(look->smaps);
	if (look->clear_refs >= 0)
		close(look->clear_refs);
	look->smaps = look->clear_refs = -1;
}

static void add_region(struct touch_report *report, const struct maps_region *region,
		       const struct smaps_sizes *sizes)
{
	struct touch_region *added;

	report->resident_bytes = u64_sum(report->resident_bytes, sizes->resident_bytes);
	report->touched_bytes = u64_sum(report->touched_bytes, sizes->referenced_bytes);
	report->huge_bytes = u64_sum_known(report->huge_bytes, sizes->huge_bytes);
	if (span_starts(region->path, "/"))
		report->file_touched_bytes = u64_sum(report->file_touched_bytes, sizes->referenced_bytes);
	if (sizes->resident_bytes == 0)
		return;
	added = VECTOR_ADD(report->regions, report->n_regions, report->capacity);
	*added = (struct touch_region){
		.start = region->start,
		.end = region->end,
		.resident_bytes = sizes->resident_bytes,
		.touched_bytes = sizes->referenced_bytes,
		.huge_bytes = sizes->huge_bytes,
		.path = report->paths.length,
		.path_length = span_length(region->path),
	};
	memcpy(added->permissions, region->permissions.at, MAPS_PERMISSIONS);
	buffer_add(&report->paths, region->path.at, added->path_length);
}

static void parse_regions(struct touch_report *report, struct span text)
{
	struct maps_region region;
	struct smaps_sizes sizes;

	while (smaps_next(&text, &region, &sizes))
		if (!maps_is_special(&region))
			add_region(report, &region, &sizes);
}

static void parse_rollup(struct touch_report *report, struct span text)
{
	struct span name;
	uint64_t bytes;

	report->resident_bytes = report->touched_bytes = report->file_touched_bytes = U64_UNKNOWN;
	while (smaps_rollup_next(&text, &name, &bytes)) {
		if (span_is(name, "Rss"))
			report->resident_bytes = bytes;
		else if (span_is(name, "Referenced"))
			report->touched_bytes = bytes;
		else if (span_is(name, "AnonHugePages"))
			report->huge_bytes = bytes;
	}
}

static void empty_report(struct touch_report *report)
{
	report->n_regions = 0;
	report->resident_bytes = report->touched_bytes = report->file_touched_bytes = 0;
	report->huge_bytes = U64_UNKNOWN;
	buffer_empty(&report->paths);
}

static void free_report(struct touch_report *report)
{
	free(report->regions);
	buffer_free(&report->paths);
}

/* In a helper. Empty where an exec or an exit has taken the memory away. */
static int read_sizes(struct touch_look *look)
{
	struct touch_report *fresh = &look->fresh;
	uint64_t cpu_ns = clock_thread_cpu_ns(look->poll.clock);
	int error;

	empty_report(fresh);
	buffer_empty(&look->text);
	if (lseek(look->smaps, 0, SEEK_SET) < 0)
		return -errno;
	fresh->read_ns = clock_mono_ns(look->poll.clock);
	fresh->window_seconds = (double)(fresh->read_ns - look->cleared_ns) / 1e9;
	error = buffer_read(&look->text, look->smaps, TEXT_BYTES_MAX);
	look->poll.reads++;
	look->read_cpu_ns = clock_thread_cpu_ns(look->poll.clock) - cpu_ns;
	if (look->text.length >= TEXT_BYTES_MAX)
		return -EFBIG; /* it goes on */
	if (error || look->text.length == 0)
		return error ? error : -ESRCH;
	if (look->by_region)
		parse_regions(fresh, span_of(look->text.bytes, look->text.length));
	else
		parse_rollup(fresh, span_of(look->text.bytes, look->text.length));
	return 0;
}

/*
 * The kernel leaves CPUs the translations that they keep (since Linux 5.12). It drops them when soft-dirty
 * bits are cleared, which does nothing else on a kernel that has none; elsewhere it has to be made to.
 */
static int clear_bits(struct touch_look *look)
{
	uint64_t cpu_ns = clock_thread_cpu_ns(look->poll.clock), beside_ns = 0;
	int error = pwrite(look->clear_refs, "1\n", 2, 0) < 0 ? -errno : 0;

	if (!error && !look->drops_translations)
		error = tlb_drop(&beside_ns);
	else if (!error && pwrite(look->clear_refs, "4\n", 2, 0) < 0)
		error = -errno;
	look->fresh_cleared_ns = clock_mono_ns(look->poll.clock);
	look->clear_cpu_ns = clock_thread_cpu_ns(look->poll.clock) - cpu_ns + beside_ns;
	return error;
}

static void run(struct device_poll *poll)
{
	struct touch_look *look = (struct touch_look *)poll;

	look->read_error = look->reads ? read_sizes(look) : 0;
	look->error = look->read_error;
	if (!look->error && look->clears)
		look->error = clear_bits(look);
}

static void finish(struct device_poll *poll)
{
	((struct touch_look *)poll)->finished = true;
}

static void free_look(struct device_poll *poll)
{
	struct touch_look *look = (struct touch_look *)poll;

	close_files(look);
	free_report(&look->report);
	free_report(&look->fresh);
	buffer_free(&look->text);
	free(look);
}

struct touch_look *touch_look_open(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks,
				   bool by_region)
{
	struct touch_look *look = alloc_zeroed(1, sizeof(*look));
	char key[64];

	*look = (struct touch_look){ .env = env,
				     .pid = pid,
				     .file_pid = file_pid,
				     .start_ticks = start_ticks,
				     .by_region = by_region,
				     .state = TOUCH_REPLACED,
				     .wanted_tick = ENV_NEVER,
				     .smaps = -1,
				     .clear_refs = -1,
				     .drops_translations = page_file_lacks_soft_dirty() };
	look->poll = (struct device_poll){
		.read = run, .finished = finish, .free = free_look, .in_thread = true
	};
	snprintf(key, sizeof(key), "proc/%u/clear_refs", pid);
	device_poll_open(&look->poll, env, key);
	return look;
}

void touch_look_close(struct touch_look *look)
{
	device_poll_drop(&look->poll);
}

static bool is_alive(struct env *env, uint32_t pid, uint64_t start_ticks)
{
	char bytes[PROCESS_STAT_MAX];
	struct pid_stat stat;

	return process_read_stat(env, pid, bytes, &stat) && stat.start_ticks == start_ticks &&
	       !pid_stat_has_ended(&stat);
}

/* While the process lives its files are those of no other that has its pid. */
static int open_files(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks, bool by_region,
		      int *smaps, int *clear_refs, const char **path)
{
	*clear_refs = -1;
	*path = TOUCH_SMAPS;
	*smaps = pids_open(env, file_pid, by_region ? "smaps" : "smaps_rollup", O_RDONLY);
	if (*smaps >= 0) {
		*path = TOUCH_CLEAR_REFS;
		*clear_refs = pids_open(env, file_pid, "clear_refs", O_WRONLY);
	}
	if (!is_alive(env, pid, start_ticks))
		return -ESRCH;
	return *smaps < 0 ? *smaps : *clear_refs < 0 ? *clear_refs : 0;
}

int touch_look_try(struct env *env, uint32_t pid, uint32_t file_pid, uint64_t start_ticks, const char **path)
{
	int smaps, clear_refs, error;

	error = open_files(env, pid, file_pid, start_ticks, true, &smaps, &clear_refs, path);
	if (smaps >= 0)
		close(smaps);
	if (clear_refs >= 0)
		close(clear_refs);
	return error;
}

static void submit(struct touch_look *look, bool reads, bool clears)
{
	look->reads = reads;
	look->clears = clears;
	look->finished = false;
	device_poll_submit(&look->poll);
}

void touch_look_begin(struct touch_look *look)
{
	const char *path;

	close_files(look);
	look->cleared_ns = look->read_ns = 0;
	look->error = open_files(look->env, look->pid, look->file_pid, look->start_ticks, look->by_region,
				 &look->smaps, &look->clear_refs, &path);
	look->state = !look->error ? TOUCH_CLEARING : look->error == -ESRCH ? TOUCH_ENDED : TOUCH_FAILED;
	if (look->state == TOUCH_FAILED)
		env_note_failure(look->env, path, look->error);
	if (look->error)
		return;
	submit(look, false, true);
	if (!look->poll.in_flight && !look->finished) /* one that was given up still blocks: later */
		look->state = TOUCH_REPLACED;
}

void touch_look_read(struct touch_look *look, bool ends_window)
{
	look->ends_window = ends_window;
	submit(look, true, ends_window && look->again);
}

static void take_seen(struct touch_region *region, uint64_t seen_ns, uint64_t seen_bytes)
{
	if (seen_ns <= region->seen_ns)
		return;
	region->seen_ns = seen_ns;
	region->seen_bytes = seen_bytes;
}

/* A region may have grown at either end since. */
static void keep_seen(struct touch_report *fresh, const struct touch_report *before)
{
	size_t at = 0;

	for (size_t i = 0; i < fresh->n_regions; i++) {
		struct touch_region *region = &fresh->regions[i];

		while (at < before->n_regions && before->regions[at].end <= region->start)
			at++;
		for (size_t k = at; k < before->n_regions && before->regions[k].start < region->end; k++)
			take_seen(region, before->regions[k].seen_ns, before->regions[k].seen_bytes);
		if (region->touched_bytes > 0 && region->touched_bytes != U64_UNKNOWN)
			take_seen(region, fresh->read_ns, region->touched_bytes);
	}
}

static void take_report(struct touch_look *look)
{
	struct touch_report before = look->report;

	keep_seen(&look->fresh, &before);
	look->report = look->fresh;
	look->fresh = before;
	look->read_ns = look->report.read_ns;
	look->n_windows += look->ends_window;
	look->replaced = false;
}

static void take_failure(struct touch_look *look)
{
	bool replaced = look->error == -ESRCH && is_alive(look->env, look->pid, look->start_ticks);

	close_files(look);
	look->state = replaced ? TOUCH_REPLACED : look->error == -ESRCH ? TOUCH_ENDED : TOUCH_FAILED;
	if (look->state == TOUCH_FAILED)
		env_note_failure(look->env, look->read_error ? TOUCH_SMAPS : TOUCH_CLEAR_REFS, look->error);
	if (!replaced)
		return;
	look->report.n_regions = 0; /* of another program */
	look->report.read_ns = look->begun_ns = 0;
	look->replaced = true;
	look->n_windows = 0;
}

void touch_look_take(struct touch_look *look)
{
	if (!look->finished)
		return;
	look->finished = false;
	look->cost_ns = look->clear_cpu_ns + look->read_cpu_ns;
	if (look->reads && !look->read_error)
		take_report(look);
	if (look->error) {
		take_failure(look);
		return;
	}
	if (look->clears)
		look->cleared_ns = look->fresh_cleared_ns;
	if (look->begun_ns == 0)
		look->begun_ns = look->cleared_ns;
	if (look->clears || !look->ends_window)
		look->state = TOUCH_OPEN;
	else
		look->state = TOUCH_DONE;
	if (look->state == TOUCH_DONE)
		close_files(look);
}
