/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "touched": how much of its resident memory the selected process used in a window of time. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "sys/pids.h"
#include "topic/pages/touch_list.h"
#include "topic/process/process_find.h"
#include "topic/process/target.h"
#include "topic/topic.h"

struct touched_row {
	uint64_t pid;
	double start_seconds;
	uint64_t start_address, end_address;
	uint64_t resident_bytes, touched_bytes, untouched_bytes, huge_bytes, last_touched_bytes;
	uint64_t file_touched_bytes;
	double touched_ratio, window_seconds, age_seconds, watched_seconds, open_seconds, cost_seconds;
	uint64_t windows;
	const char *permissions, *path, *state;
};

#define ROW(field, ...) COLUMN(struct touched_row, field, __VA_ARGS__)
#define BYTES(field, heading, what, from, ...)                                                               \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading, .width = 8, .help = what,     \
	    .source = from, __VA_ARGS__)
#define TIME(field, heading, what, from, ...)                                                                \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = heading, .width = 7, .help = what,   \
	    .source = from, __VA_ARGS__)
#define SMAPS "/proc/PID/smaps"

static const struct column columns[] = {
	ROW(pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7, .hidden = true,
	    .help = N_("process"), .source = "/proc"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true, .help = N_("start time, after boot"),
	    .source = "/proc/PID/stat starttime"),
	ROW(start_address, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_ADDRESS, .title = N_("start"),
	    .width = 12, .help = N_("address of the first byte of the region; 0: all of them"),
	    .source = SMAPS),
	ROW(end_address, .kind = COLUMN_LABEL, .unit = UNIT_ADDRESS, .title = N_("end"), .width = 12,
	    .hidden = true, .help = N_("address after its last byte"), .source = SMAPS),
	BYTES(touched_bytes, N_("touched"),
	      N_("in pages that were used in the window; a huge page counts whole, and a page of a file also "
		 "when another process used it"),
	      SMAPS " Referenced, after 1 was written to clear_refs", .rank = 0),
	BYTES(resident_bytes, N_("resident"), N_("resident at its end, without hugetlb pages"), SMAPS " Rss",
	      .rank = 0),
	BYTES(untouched_bytes, N_("rest"), N_("resident, and not used in the window"),
	      "resident_bytes - touched_bytes", .rank = 2),
	ROW(touched_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("%touched"), .width = 8,
	    .rank = 1, .help = N_("share of what is resident"), .source = "touched_bytes / resident_bytes"),
	BYTES(huge_bytes, N_("huge"), N_("resident as huge pages, each of which is touched whole or not"),
	      SMAPS " AnonHugePages + ShmemPmdMapped + FilePmdMapped", .rank = 4),
	BYTES(last_touched_bytes, N_("last"),
	      N_("touched in the last window that found it touched, which was age_seconds ago"),
	      SMAPS " Referenced of that window", .hidden = true),
	BYTES(file_touched_bytes, N_("files"),
	      N_("the part of touched_bytes in mapped files: their pages also count when another process "
		 "used them, as those of libraries often are"),
	      SMAPS ", sum of Referenced over regions with a path", .hidden = true),
	TIME(age_seconds, N_("age"),
	     N_("since the last reading that found it touched; unknown if none has: then it was not used for "
		"watched_seconds"),
	     "CLOCK_MONOTONIC since that reading", .rank = 1, .whole = true),
	TIME(window_seconds, N_("window"), N_("measured from the end of the clearing to the reading"),
	     "CLOCK_MONOTONIC", .rank = 3, .of_interval = true),
	TIME(watched_seconds, N_("watched"), N_("since the first clearing"), "CLOCK_MONOTONIC",
	     .hidden = true),
	TIME(open_seconds, N_("open"), N_("how long the window that is not complete yet has been open"),
	     "CLOCK_MONOTONIC", .hidden = true),
	ROW(windows, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("windows"), .width = 7,
	    .hidden = true, .help = N_("complete windows so far"), .source = "panetop"),
	TIME(cost_seconds, N_("cost"),
	     N_("CPU time of the last clearing and the last reading: the kernel walks all page tables of the "
		"process, about 40 ms for each GiB of 4 KiB pages"),
	     "CPU time of the thread that does both, and of what has CPUs drop translations", .hidden = true),
	ROW(state, .kind = COLUMN_LABEL, .fleeting = true, .title = N_("state"), .width = 9, .hidden = true,
	    .words = true,
	    .help = N_("clearing, open: the numbers are of the window so far, or of the last complete one; "
		       "measured; replaced: it executed another program, and the window begins again; ended"),
	    .source = "panetop"),
	ROW(permissions, .kind = COLUMN_LABEL, .title = N_("perm"), .width = 4, .rank = 3,
	    .help = N_("r read, w write, x execute, p private, s shared"), .source = SMAPS),
	ROW(path, .kind = COLUMN_LABEL, .title = N_("path"), .width = 16, .rank = 0,
	    .help = N_("path of the file, or the kernel's name; empty: anonymous memory; all: the sum"),
	    .source = SMAPS),
};

static const struct schema schema = {
	.name = "touched",
	.help = N_("memory that the selected process used in a window of time, by region: only where it is "
		   "requested"),
	.none = N_("no window was started"),
	.over_interval = true,
	.disturbs = true,
	.row_size = sizeof(struct touched_row),
	SCHEMA_COLUMNS(columns),
};

/* Nothing is written to it. */
static int test_clear_refs(struct env *env)
{
	int fd = env->live ? pids_open(env, env->own_pid, "clear_refs", O_WRONLY) : -ENOTSUP;

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int test_smaps(struct env *env)
{
	int fd = env->live ? pids_open(env, env->own_pid, "smaps", O_RDONLY) : -ENOTSUP;

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static const char rights[] =
	N_("run it as root, or give it the capabilities cap_sys_ptrace and cap_dac_override");

static const struct source_spec sources[] = {
	{ .path = TOUCH_CLEAR_REFS,
	  .gives = N_("touched memory, on request: clears the accessed bits"),
	  .optional = true,
	  .test = test_clear_refs,
	  .remedies = { { EACCES, rights },
			{ EPERM, rights },
			{ ENOTSUP, N_("only processes of this machine can be measured") },
			{ ENOENT, N_("this kernel was built without CONFIG_PROC_PAGE_MONITOR") } } },
	{ .path = TOUCH_SMAPS,
	  .gives = N_("touched memory, on request: what was used since"),
	  .optional = true,
	  .test = test_smaps,
	  .remedies = { { EACCES, rights },
			{ EPERM, rights },
			{ ENXIO, N_("it is a kernel thread, which has no memory of its own") },
			{ ENOTSUP, N_("only processes of this machine can be measured") },
			{ ENOENT, N_("this kernel was built without CONFIG_PROC_PAGE_MONITOR") } } },
	{ 0 },
};

struct state {
	struct target *target;
	struct touch_list *list;
};

static const struct reading reads[] = {
	READING(struct state, target, &target_reader),
	READING_ON_DEMAND(struct state, list, &touch_reader),
	{ 0 },
};

static const char *state_text(const struct touch_look *look)
{
	switch (look->state) {
	case TOUCH_CLEARING:
		return look->replaced ? N_("replaced") : N_("clearing");
	case TOUCH_OPEN:
		return N_("open");
	case TOUCH_DONE:
		return N_("measured");
	case TOUCH_REPLACED:
		return N_("replaced");
	case TOUCH_ENDED:
		return N_("ended");
	default:
		return N_("failed");
	}
}

static void set_sizes(struct touched_row *row, uint64_t resident_bytes, uint64_t touched_bytes,
		      uint64_t huge_bytes)
{
	row->resident_bytes = resident_bytes;
	row->touched_bytes = touched_bytes;
	row->huge_bytes = huge_bytes;
	row->untouched_bytes = u64_less(resident_bytes, touched_bytes);
	if (touched_bytes < U64_BLANK && resident_bytes - 1 < U64_BLANK - 1)
		row->touched_ratio = (double)touched_bytes / (double)resident_bytes;
}

static struct touched_row *add_row(struct sample *sample, const struct touch_look *look)
{
	struct touched_row *row = table_add(sample->table);

	row->pid = look->pid;
	row->start_seconds = process_start_seconds(sample->env, look->start_ticks);
	if (look->report.read_ns > 0)
		row->window_seconds = look->report.window_seconds;
	return row;
}

static double since(const struct sample *sample, uint64_t ns)
{
	uint64_t now_ns = sample->table->mono_ns;

	return now_ns > ns ? (double)(now_ns - ns) / 1e9 : 0;
}

static void add_sum(struct sample *sample, const struct touch_look *look)
{
	const struct touch_report *report = &look->report;
	struct touched_row *row = add_row(sample, look);

	row->start_address = 0;
	row->path = "all";
	row->permissions = "";
	row->state = state_text(look);
	row->windows = look->n_windows;
	if (report->read_ns > 0) {
		set_sizes(row, report->resident_bytes, report->touched_bytes, report->huge_bytes);
		row->file_touched_bytes = report->file_touched_bytes;
		row->cost_seconds = (double)look->cost_ns / 1e9;
	}
	if (look->begun_ns > 0)
		row->watched_seconds = since(sample, look->begun_ns);
	if (look->state == TOUCH_OPEN)
		row->open_seconds = since(sample, look->cleared_ns);
}

static void add_region(struct sample *sample, const struct touch_look *look,
		       const struct touch_region *region)
{
	struct arena *arena = &sample->frame->arena;
	struct touched_row *row = add_row(sample, look);

	row->start_address = region->start;
	row->end_address = region->end;
	set_sizes(row, region->resident_bytes, region->touched_bytes, region->huge_bytes);
	if (region->seen_ns > 0) {
		row->age_seconds = since(sample, region->seen_ns);
		row->last_touched_bytes = region->seen_bytes;
	}
	row->permissions = arena_copy(arena, region->permissions, strlen(region->permissions));
	row->path = arena_copy(arena, look->report.paths.bytes + region->path, region->path_length);
}

static void add_rows(struct sample *sample, const struct touch_look *look)
{
	add_sum(sample, look);
	for (size_t i = 0; i < look->report.n_regions && look->report.read_ns > 0; i++)
		if (look->report.regions[i].start > 0) /* which is the key of the sum */
			add_region(sample, look, &look->report.regions[i]);
}

static void notice_look(struct sample *sample, const struct target *target, const struct touch_look *look)
{
	const struct source_spec *source = topic_source(sample->topic, TOUCH_CLEAR_REFS);

	if (look->state == TOUCH_FAILED)
		frame_notice(sample->frame, schema.name, source_remedy(sample->env, source, -look->error),
			     _("touched memory of %u %s: %s"), target->pid, target->name,
			     strerror(-look->error));
	else if (look->replaced)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%u %s has executed another program: its window begins again"), target->pid,
			     target->name);
	else if (look->poll.in_flight && sample->request->batch)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%u %s: its memory is still being read; its window goes on"), target->pid,
			     target->name);
}

/* Between two samples, where -t names it: what else may want this table starts no window. */
static const struct touch_look *look_in_batch(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct target *target = state->target;
	struct touch_look *look;

	target_notices(target, sample->frame, schema.name);
	if (!sample->request->touches) {
		frame_notice(sample->frame, schema.name, N_("use -t touched"),
			     _("touched memory is only measured where it is named"));
		return NULL;
	}
	if (!sample->env->live)
		frame_notice(sample->frame, schema.name, NULL,
			     _("touched memory is measured of processes of this machine only"));
	if (target->state == TARGET_GONE)
		frame_notice(sample->frame, schema.name, NULL, _("%u %s has exited"), target->pid,
			     target->name);
	if (!sample->env->live || target->state != TARGET_LIVE || target_has_no_memory(target))
		return NULL;
	look = touch_list_want(state->list, target->pid, target->memory_pid, target->start_ticks, true);
	touch_list_wait(state->list);
	return look;
}

/* What was measured of a process that has exited stays. */
static const struct touch_look *look_on_screen(const struct state *state)
{
	const struct target *target = state->target;

	return target->state == TARGET_LIVE || target->state == TARGET_GONE
		       ? touch_list_find(state->list, target->pid, target->start_ticks)
		       : NULL;
}

static int sample(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct target *target = state->target;
	const struct touch_look *look;

	if (!sample->request->batch)
		touch_list_step(state->list);
	look = sample->request->batch ? look_in_batch(sample) : look_on_screen(state);
	if (!look)
		return 0;
	sample->table->mono_ns = env_mono_ns(sample->env);
	notice_look(sample, target, look);
	if (look->state != TOUCH_FAILED)
		add_rows(sample, look);
	return 0;
}

const struct topic topic_touched = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.uses = PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_FILES) |
		PRIVILEGE_BIT(PRIVILEGE_HIDDEN) | PRIVILEGE_BIT(PRIVILEGE_MARKS),
	.reads = reads,
	.sample = sample,
	.act = touch_list_act,
};
