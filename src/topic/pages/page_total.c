/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page_total": sums over the selected process, and the kernel's own counts. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "sys/pids.h"
#include "topic/pages/page_act.h"
#include "topic/pages/page_map.h"
#include "topic/process/process_find.h"

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

static const struct column columns[] = {
	COLUMN(struct total_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .help = N_("process"), .source = "/proc"),
	COLUMN(struct total_row, command, .kind = COLUMN_LABEL, .grouping = "command", .title = N_("command"),
	       .width = 15, .help = N_("name of the process (comm), at most 15 bytes"),
	       .source = "/proc/PID/stat comm"),
	COLUMN(struct total_row, state, .kind = COLUMN_LABEL, .fleeting = true, .title = N_("state"),
	       .width = 5, .words = true,
	       .help = N_("R running, S sleeping, D waiting for a disk, Z zombie ...; gone: exited"),
	       .source = "/proc/PID/stat state"),
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
	COLUMN(struct total_row, minor_faults, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("minflt"), .width = 9, .rank = 2,
	       .help = N_("page faults since its start without I/O"), .source = "/proc/PID/stat minflt"),
	COLUMN(struct total_row, major_faults, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("majflt"), .width = 9, .rank = 2,
	       .help = N_("page faults since its start that waited for I/O"),
	       .source = "/proc/PID/stat majflt"),
	COLUMN(struct total_row, minor_faults_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("minflt/s"), .width = 9, .rank = 2, .hidden = true,
	       .rate_of = offsetof(struct total_row, minor_faults), .help = N_("in the last interval"),
	       .source = "growth of minor_faults / time"),
	COLUMN(struct total_row, major_faults_per_second, .kind = COLUMN_RATE, .additive = true,
	       .unit = UNIT_PER_SECOND, .title = N_("majflt/s"), .width = 9, .rank = 2, .hidden = true,
	       .rate_of = offsetof(struct total_row, major_faults), .help = N_("in the last interval"),
	       .source = "growth of major_faults / time"),
	COLUMN(struct total_row, threads, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("threads"),
	       .width = 7, .rank = 4, .help = N_("threads of the process"),
	       .source = "/proc/PID/stat num_threads"),
	COLUMN(struct total_row, oom_score, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("oom"),
	       .width = 5, .rank = 3,
	       .help = N_("the OOM killer kills the process with the highest score first"),
	       .source = "/proc/PID/oom_score"),
	COLUMN(struct total_row, oom_adjustment, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT,
	       .title = N_("oom adj"), .width = 7, .rank = 4,
	       .help = N_("-1000: never killed by the OOM killer; 1000: killed first"),
	       .source = "/proc/PID/oom_score_adj"),
	COLUMN(struct total_row, regions, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("regions"),
	       .width = 7, .rank = 4, .help = N_("mappings, including those of the kernel"),
	       .source = "/proc/PID/maps"),
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
	COLUMN(struct total_row, proportional_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES,
	       .title = N_("share"), .width = 7, .rank = 1, .optional = true,
	       .help = N_("proportional set size (PSS): shared pages divided by the number of sharers"),
	       .source = "/proc/PID/smaps, sum of Pss, with --shares"),
	COLUMN(struct total_row, swap_proportional_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES,
	       .title = N_("swapshare"), .width = 9, .rank = 2, .optional = true, .hidden = true,
	       .help = N_("proportional share of memory in swap"),
	       .source = "/proc/PID/smaps, sum of SwapPss, with --shares"),
	COLUMN(struct total_row, map_cpu_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("map cost"), .width = 8, .hidden = true,
	       .help = N_("CPU time that panetop used for this map"), .source = "panetop"),
	COLUMN(struct total_row, map_done_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO,
	       .title = N_("map done"), .width = 8, .hidden = true,
	       .help = N_("progress of a scan that takes several samples, by regions"), .source = "panetop"),
	COLUMN(struct total_row, start_seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS,
	       .title = N_("started"), .width = 10, .hidden = true, .help = N_("start time after boot"),
	       .source = "/proc/PID/stat starttime"),
};

static const struct schema schema = {
	.name = "page_total",
	.help = N_("pages, page faults and memory of the selected process"),
	.row_size = sizeof(struct total_row),
	SCHEMA_COLUMNS(columns),
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

/* Share of the regions that are counted already. */
static double done_ratio(const struct page_map *map)
{
	size_t n_regions = map->scanned ? map->scanned->n_regions : 0;

	return n_regions > 0 ? (double)map->scan.region / (double)n_regions : 1;
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
	row->command = arena_copy(&frame->arena, target->name, strlen(target->name));
	row->state = target->state == TARGET_LIVE ? pid_state_text(target->stat.state) : N_("gone");
	row->proportional_bytes = map->proportional_bytes;
	row->swap_proportional_bytes = map->swap_proportional_bytes;
	row->map_done_ratio = done_ratio(map);
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
