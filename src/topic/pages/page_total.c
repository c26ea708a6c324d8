/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "page_total": sums over the selected process, and the kernel's own counts; on request all its pages
 * are faulted in by reading a byte of each, and its soft-dirty bits cleared.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/i18n.h"
#include "sys/descriptor.h"
#include "sys/device_poll.h"
#include "sys/pids.h"
#include "topic/pages/page_map.h"
#include "topic/process/process_entry.h"

/* Runs in a helper: faulting in many pages takes long, and one of a hung file for ever. */
struct force {
	struct device_poll poll;
	uint32_t pid;
	int error; /* -ECANCELED until it has run to its end */
	uint64_t page_bytes;
	struct page_range *ranges; /* owned, of helper_alloc() */
	size_t n_ranges;
	void (*done)(void *context, int error);
	void *context;
};

/* Continues after a page that cannot be read, for example past the end of a file. */
static int touch_all(const struct force *force, int mem)
{
	char byte;

	for (size_t i = 0; i < force->n_ranges; i++)
		for (uint64_t at = force->ranges[i].start; at < force->ranges[i].end; at += force->page_bytes)
			if (page_file_bytes(mem, at, &byte, 1) == 0)
				return -ESRCH; /* it exited */
	return 0;
}

static void force_in(struct device_poll *poll)
{
	struct force *force = (struct force *)poll;
	int mem = pids_open_at(poll->root, force->pid, "mem", O_RDONLY);

	force->error = mem < 0 ? mem : touch_all(force, mem);
	descriptor_close(mem);
}

static void force_done(struct device_poll *poll)
{
	struct force *force = (struct force *)poll;

	force->done(force->context, force->error);
	device_poll_drop(poll);
}

static void free_force(struct device_poll *poll)
{
	helper_free(((struct force *)poll)->ranges);
	helper_free(poll);
}

/* Regions without read permission are skipped: the process made them so on purpose. */
static void collect_ranges(struct force *force, const struct page_snapshot *snapshot)
{
	force->ranges = helper_alloc(snapshot->n_regions * sizeof(*force->ranges));
	for (size_t i = 0; i < snapshot->n_regions; i++) {
		const struct page_region *region = &snapshot->regions[i];

		if (!region->special && region->permissions[0] == 'r')
			force->ranges[force->n_ranges++] =
				(struct page_range){ .start = region->start, .end = region->end };
	}
}

static int force_pages(const struct page_map *map, void (*done)(void *context, int error), void *context)
{
	struct force *force = helper_alloc(sizeof(*force));

	force->poll = (struct device_poll){ .read = force_in, .finished = force_done, .lost = force_done,
					    .free = free_force };
	device_poll_open(&force->poll, map->env, "proc/PID/mem");
	force->error = -ECANCELED;
	force->pid = map->target->memory_pid;
	force->page_bytes = map->env->page_bytes;
	force->done = done;
	force->context = context;
	collect_ranges(force, map->shown);
	device_poll_submit(&force->poll);
	return 0;
}

static int clear_marks(int clear_refs, void (*done)(void *context, int error), void *context)
{
	int error = write(clear_refs, "4\n", 2) < 0 ? -errno : 0;

	close(clear_refs);
	if (!error)
		done(context, 0);
	return error;
}

/*
 * See act in struct topic. action: "force PID" or "clear PID". -ESRCH if another process is mapped or the
 * process has exited; -ENOTSUP if this kernel has no soft-dirty bits.
 */
static int page_act(struct env *env, const char *action, void (*done)(void *context, int error),
		    void *context)
{
	const struct page_map *map = reader_state(&page_map_reader, env);
	struct span text = span_text(action), verb;
	uint64_t pid;
	bool force;
	int fd;

	if (!span_word(&text, &verb) || !span_u64(&text, &pid))
		return -EINVAL;
	force = span_is(verb, "force");
	if (!map || !map->shown || map->target->pid != pid || map->target->state != TARGET_LIVE)
		return -ESRCH;
	if (!force && !map->soft_dirty) {
		env_note_failure(env, PAGE_MAP_SOFT_DIRTY, -ENOTSUP);
		return -ENOTSUP;
	}
	fd = pids_open(env, map->target->memory_pid, force ? "mem" : "clear_refs",
		       force ? O_RDONLY : O_WRONLY);
	if (fd == -ENOENT)
		return -ESRCH;
	if (fd < 0) {
		env_note_failure(env, PAGE_MAP_PAGEMAP, fd);
		return fd;
	}
	if (!done || !target_is_same(map->target)) {
		close(fd);
		return done ? -ESRCH : 0;
	}
	if (!force)
		return clear_marks(fd, done, context);
	close(fd);
	return force_pages(map, done, context);
}

struct total_row {
	uint64_t pid;
	const char *command, *state;
	uint64_t mapped_pages, present_pages, swapped_pages, file_pages, anonymous_pages;
	uint64_t huge_pages, zero_pages, ksm_pages, exclusive_pages, soft_dirty_pages;
	uint64_t minor_faults, major_faults;
	double minor_faults_per_second, major_faults_per_second;
	uint64_t threads, oom_score;
	double oom_adjustment;
	uint64_t regions;
	uint64_t vm_peak_bytes, vm_size_bytes, vm_locked_bytes, vm_pinned_bytes, vm_resident_peak_bytes;
	uint64_t vm_resident_bytes, resident_anonymous_bytes, resident_file_bytes, resident_shared_bytes;
	uint64_t vm_data_bytes, vm_stack_bytes, vm_program_bytes, vm_library_bytes, vm_page_tables_bytes;
	uint64_t vm_swap_bytes, hugetlb_bytes, proportional_bytes, swap_proportional_bytes;
	double map_cpu_seconds, map_done_ratio;
	double start_seconds;
};

#define PAGES(field, heading, what, from, ...)                                                               \
	COLUMN(struct total_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = heading,          \
	       .width = 9, .help = what, .source = from, __VA_ARGS__)
#define VM(field, heading, what, line)                                                                       \
	COLUMN(struct total_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading,          \
	       .width = 9, .hidden = true, .help = what, .source = "/proc/PID/status " line)
#define PAGEMAP "/proc/PID/pagemap"
#define COL(field, ...) COLUMN_OF(struct total_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true),
	COL(command, LABEL, NONE, N_("command"), 15, N_("name of the process (comm), at most 15 bytes"),
	    "/proc/PID/stat comm", .grouping = "command"),
	COL(state, LABEL, NONE, N_("state"), 5,
	    N_("R running, S sleeping, D waiting for a disk, Z zombie ...; gone: exited"),
	    "/proc/PID/stat state", .fleeting = true, .words = true),
	PAGES(mapped_pages, N_("mapped"), N_("mapped pages, present or not"), "/proc/PID/maps", .rank = 0,
	      .additive = true),
	PAGES(present_pages, N_("present"), N_("present pages, with zero pages"), PAGEMAP " bit 63",
	      .rank = 0, .additive = true),
	PAGES(swapped_pages, N_("swapped"), N_("in swap; shared memory there counts as absent"),
	      PAGEMAP " bit 62", .rank = 0, .additive = true),
	PAGES(file_pages, N_("file"), N_("present pages of files or shared memory"), PAGEMAP " bit 61",
	      .rank = 1, .additive = true),
	PAGES(anonymous_pages, N_("anon"), N_("present anonymous pages, without zero pages"),
	      "present - file - zero", .rank = 1, .additive = true),
	PAGES(huge_pages, N_("huge"), N_("present pages that are parts of huge pages"),
	      "PAGEMAP_SCAN of pagemap; before Linux 6.7 /proc/kpageflags", .rank = 3),
	PAGES(zero_pages, N_("zero"), N_("present pages that are the shared zero page"),
	      "PAGEMAP_SCAN of pagemap; before Linux 6.7 /proc/kpageflags", .rank = 3),
	PAGES(ksm_pages, N_("ksm"), N_("present pages that KSM has merged with equal ones"),
	      "/proc/kpageflags bit 21", .rank = 4),
	PAGES(exclusive_pages, N_("excl"), N_("present pages that no other process maps"), PAGEMAP " bit 56",
	      .rank = 4),
	PAGES(soft_dirty_pages, N_("written"), N_("written since the soft-dirty bits were cleared"),
	      PAGEMAP " bit 55", .rank = 4, .optional = true),
	COL(minor_faults, COUNTER, COUNT, N_("minflt"), 9, N_("page faults since its start without I/O"),
	    "/proc/PID/stat minflt", .rank = 2),
	COL(major_faults, COUNTER, COUNT, N_("majflt"), 9,
	    N_("page faults since its start that waited for I/O"), "/proc/PID/stat majflt", .rank = 2),
	COL(minor_faults_per_second, RATE, PER_SECOND, N_("minflt/s"), 9, N_("in the last interval"),
	    "growth of minor_faults / time", .rank = 2, .hidden = true,
	    .rate_of = offsetof(struct total_row, minor_faults)),
	COL(major_faults_per_second, RATE, PER_SECOND, N_("majflt/s"), 9, N_("in the last interval"),
	    "growth of major_faults / time", .additive = true, .rank = 2, .hidden = true,
	    .rate_of = offsetof(struct total_row, major_faults)),
	COL(threads, GAUGE, COUNT, N_("threads"), 7, N_("threads of the process"),
	    "/proc/PID/stat num_threads", .rank = 4),
	COL(oom_score, GAUGE, COUNT, N_("oom"), 5,
	    N_("the OOM killer kills the process with the highest score first"), "/proc/PID/oom_score",
	    .rank = 3),
	COL(oom_adjustment, GAUGE, COUNT, N_("oom adj"), 7,
	    N_("-1000: never killed by the OOM killer; 1000: killed first"), "/proc/PID/oom_score_adj",
	    .rank = 4),
	COL(regions, GAUGE, COUNT, N_("regions"), 7, N_("mappings, including those of the kernel"),
	    "/proc/PID/maps", .rank = 4),
	VM(vm_peak_bytes, N_("peak"), N_("highest virtual size so far"), "VmPeak"),
	VM(vm_size_bytes, N_("virt"), N_("virtual size"), "VmSize"),
	VM(vm_locked_bytes, N_("locked"), N_("locked by the process, cannot be swapped out"), "VmLck"),
	VM(vm_pinned_bytes, N_("pinned"), N_("pinned for a device, cannot be moved"), "VmPin"),
	VM(vm_resident_peak_bytes, N_("rss peak"), N_("highest resident size so far"), "VmHWM"),
	VM(vm_resident_bytes, N_("rss"), N_("resident size, without zero pages and hugetlb"), "VmRSS"),
	VM(resident_anonymous_bytes, N_("rss anon"), N_("resident anonymous memory"), "RssAnon"),
	VM(resident_file_bytes, N_("rss file"), N_("resident file pages"), "RssFile"),
	VM(resident_shared_bytes, N_("rss shmem"), N_("resident shared memory and tmpfs"), "RssShmem"),
	VM(vm_data_bytes, N_("data"), N_("private writable mappings"), "VmData"),
	VM(vm_stack_bytes, N_("stack"), N_("main stack"), "VmStk"),
	VM(vm_program_bytes, N_("program"), N_("code of the program"), "VmExe"),
	VM(vm_library_bytes, N_("library"), N_("code of the libraries"), "VmLib"),
	VM(vm_page_tables_bytes, N_("pgtables"), N_("page tables (kernel memory)"), "VmPTE"),
	VM(vm_swap_bytes, N_("swap"), N_("anonymous memory in swap"), "VmSwap"),
	VM(hugetlb_bytes, N_("hugetlb"), N_("hugetlb pages"), "HugetlbPages"),
	COL(proportional_bytes, GAUGE, BYTES, N_("share"), 7,
	    N_("proportional set size (PSS): shared pages divided by the number of sharers"),
	    "/proc/PID/smaps, sum of Pss, with --shares", .rank = 1, .optional = true),
	COL(swap_proportional_bytes, GAUGE, BYTES, N_("swapshare"), 9,
	    N_("proportional share of memory in swap"), "/proc/PID/smaps, sum of SwapPss, with --shares",
	    .rank = 2, .optional = true, .hidden = true),
	COL(map_cpu_seconds, GAUGE, SECONDS, N_("map cost"), 8, N_("CPU time that panetop used for this map"),
	    "panetop", .hidden = true),
	COL(map_done_ratio, GAUGE, RATIO, N_("map done"), 8,
	    N_("progress of a scan that takes several samples, by regions"), "panetop", .hidden = true),
	COL(start_seconds, LABEL, SECONDS, N_("started"), 10, N_("start time after boot"),
	    "/proc/PID/stat starttime", .hidden = true),
};

static const struct schema schema = {
	.name = "page_total",
	.help = N_("pages, page faults and memory of the selected process"),
	SCHEMA_ROWS(struct total_row, columns),
};

static void fill_pages(struct total_row *row, const struct page_snapshot *snapshot)
{
	const struct page_counts *total = &snapshot->total;
	bool known = snapshot->complete && !snapshot->pagemap_error;

	row->regions = snapshot->n_regions;
	row->mapped_pages = total->pages;
	row->present_pages = page_map_count(total->present, known);
	row->swapped_pages = page_map_count(total->swapped, known);
	row->file_pages = page_map_count(total->file, known);
	row->anonymous_pages = page_map_count(page_map_anonymous(snapshot, total), known);
	row->exclusive_pages = page_map_count(total->exclusive, known);
	row->soft_dirty_pages = page_map_count(total->soft_dirty, known && snapshot->knows_soft_dirty);
	row->huge_pages = page_map_count(total->huge, known && snapshot->knows_kinds);
	row->zero_pages = page_map_count(page_map_zero(snapshot, total), known);
	row->ksm_pages = page_map_count(total->ksm, known && snapshot->knows_ksm);
	if (snapshot->complete)
		row->map_cpu_seconds = (double)snapshot->cpu_ns / 1e9;
}

static void fill_status(struct total_row *row, const struct pid_status *status)
{
	row->vm_peak_bytes = status->vm_peak;
	row->vm_size_bytes = status->vm_size;
	row->vm_locked_bytes = status->vm_locked;
	row->vm_pinned_bytes = status->vm_pinned;
	row->vm_resident_peak_bytes = status->vm_resident_peak;
	row->vm_resident_bytes = status->vm_resident;
	row->resident_anonymous_bytes = status->resident_anonymous;
	row->resident_file_bytes = status->resident_file;
	row->resident_shared_bytes = status->resident_shared;
	row->vm_data_bytes = status->vm_data;
	row->vm_stack_bytes = status->vm_stack;
	row->vm_program_bytes = status->vm_program;
	row->vm_library_bytes = status->vm_library;
	row->vm_page_tables_bytes = status->vm_page_tables;
	row->vm_swap_bytes = status->vm_swap;
	row->hugetlb_bytes = status->huge_pages;
}

/* A number that may be negative. */
static bool read_number(struct env *env, uint32_t pid, const char *name, double *value)
{
	char bytes[32];
	long length = pids_read(env, pid, name, bytes, sizeof(bytes));
	struct span text = span_of(bytes, length > 0 ? (size_t)length : 0);
	bool negative = span_char(&text, '-');
	uint64_t number;

	if (!span_u64(&text, &number))
		return false;
	*value = negative ? -(double)number : (double)number;
	return true;
}

static void fill_process(struct total_row *row, struct env *env, const struct target *target)
{
	double score;

	if (target->stat.state) {
		row->minor_faults = target->stat.minor_faults;
		row->major_faults = target->stat.major_faults;
		row->threads = target->stat.threads;
	}
	row->start_seconds = process_start_seconds(env, target->start_ticks);
	if (target->state != TARGET_LIVE)
		return;
	if (read_number(env, target->pid, "oom_score", &score) && score >= 0)
		row->oom_score = (uint64_t)score;
	if (read_number(env, target->pid, "oom_score_adj", &score))
		row->oom_adjustment = score;
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct page_map *map = sample->state;
	const struct target *target = map->target;
	int error = reader_update(&page_map_reader, sample);
	struct total_row *row;

	if (!error)
		page_map_notices(map, frame, sample->topic);
	if (target->state == TARGET_NONE || (target->state == TARGET_SOUGHT && !map->shown))
		return error;
	if (target->stat_mono_ns > 0) /* of an ended process it stays, so that it has no rates */
		sample->table->mono_ns = target->stat_mono_ns;
	row = table_add(sample->table);
	row->pid = target->pid;
	row->command = frame_text(frame, target->name);
	row->state = target->state == TARGET_LIVE ? pid_state_text(target->stat.state) : N_("gone");
	row->proportional_bytes = map->proportional_bytes;
	row->swap_proportional_bytes = map->swap_proportional_bytes;
	row->map_done_ratio = map->scanned && map->scanned->n_regions > 0
				      ? (double)map->scan.region / (double)map->scanned->n_regions
				      : 1;
	fill_process(row, sample->env, target);
	fill_status(row, &map->status);
	if (map->shown)
		fill_pages(row, map->shown);
	else if (error)
		page_map_notice_unreadable(map, frame, sample->topic);
	return 0;
}

const struct topic topic_page_total = {
	.schema = &schema,
	.sources = page_map_sources,
	.uses = PAGE_MAP_USES | PRIVILEGE_BIT(PRIVILEGE_MEMORY) | PRIVILEGE_BIT(PRIVILEGE_MARKS),
	.reads = page_map_reads,
	.sample = sample,
	.act = page_act,
};
