/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "limit": the resource limits of the selected process, and how near it is to them. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/pid/pid_stat.h"
#include "model/units.h"
#include "sys/pids.h"
#include "topic/detail/process_page.h"

struct limit_row {
	uint64_t pid;
	double start_seconds;
	const char *name;
	uint64_t used, soft, hard;
	double used_ratio;
	const char *used_text, *soft_text, *hard_text, *unit;
};

#define ROW(field, ...) COLUMN(struct limit_row, field, __VA_ARGS__)
#define LIMITS "/proc/PID/limits"
#define TEXT(field, heading, what, from)                                                                     \
	ROW(field, .kind = COLUMN_LABEL, .title = heading, .width = 10, .help = what, .source = from,        \
	    .fleeting = true)
#define NUMBER(field, heading, what, from)                                                                   \
	ROW(field, .kind = COLUMN_GAUGE, .title = heading, .width = 10, .hidden = true, .help = what,        \
	    .source = from)
#define USED                                                                                                 \
	"/proc/PID/status VmSize, VmData, VmStk, VmLck, VmRSS, SigQ; /proc/PID/fd; CPU time of "             \
	"/proc/PID/stat"

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	ROW(start_seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS, .title = N_("started"), .width = 10,
	    .hidden = true, .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"),
	ROW(name, A_KEY(N_("limit"), 21), .help = N_("resource limit, as the kernel calls it"),
	    .source = LIMITS),
	TEXT(used_text, N_("used"), N_("used of it; - where the kernel does not show it by process"), USED),
	ROW(used_ratio, A_GAUGE(RATIO, N_("%used"), 6), .high = 0.8, .alarming = 0.95,
	    .help = N_("share of the soft limit that is used"), .source = "used / soft"),
	TEXT(soft_text, N_("soft"), N_("the limit that applies; the process may raise it up to the hard one"),
	     LIMITS),
	TEXT(hard_text, N_("hard"), N_("only a privileged process may raise this one"), LIMITS),
	ROW(unit, A_LABEL(N_("unit"), 9), .help = N_("unit of used, soft and hard; us: microseconds"),
	    .source = LIMITS),
	NUMBER(used, N_("used"), N_("used of it, in the unit of the row"), USED),
	NUMBER(soft, N_("soft"), N_("the limit that applies; blank: unlimited"), LIMITS),
	NUMBER(hard, N_("hard"), N_("up to this a process may raise it; blank: unlimited"), LIMITS),
};

static const struct schema schema = {
	.name = "limit",
	.help = N_("resource limits of the selected process, and how near it is"),
	SCHEMA_ROWS(struct limit_row, columns),
};

/* Limits are compared with these. */
struct use {
	struct pid_status status;
	struct pid_signals signals;
	uint64_t files, cpu_seconds;
};

static struct use read_use(struct process_page *page)
{
	struct span status = process_page_text(page, PAGE_STATUS);
	const struct pid_stat *stat = &page->target->stat;
	struct use use = { .files = U64_UNKNOWN, .cpu_seconds = U64_UNKNOWN };

	pid_status_parse(status, &use.status);
	if (!pid_status_signals(status, &use.signals))
		use.signals.queued = U64_UNKNOWN;
	if (stat->state)
		use.cpu_seconds = (stat->user_ticks + stat->system_ticks) / page->env->ticks_per_second;
	if (process_page_is_alive(page))
		use.files = open_files_count(page->env, page->target->memory_pid);
	return use;
}

static uint64_t used_of(const struct use *use, struct span name)
{
	const struct {
		const char *name;
		uint64_t used;
	} known[] = {
		{ "Max cpu time", use->cpu_seconds },
		{ "Max data size", use->status.vm_data },
		{ "Max stack size", use->status.vm_stack },
		{ "Max resident set", use->status.vm_resident },
		{ "Max open files", use->files },
		{ "Max locked memory", use->status.vm_locked },
		{ "Max address space", use->status.vm_size },
		{ "Max pending signals", use->signals.queued },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (span_is(name, known[i].name))
			return known[i].used;
	return U64_UNKNOWN;
}

static const char *value_words(struct arena *arena, uint64_t value, struct span unit)
{
	char text[VALUE_TEXT_MAX];

	if (value == PID_UNLIMITED)
		return "unlimited";
	if (value == U64_UNKNOWN)
		return NULL;
	return span_is(unit, "bytes") ? arena_print(arena, "%s", size_short(text, (double)value))
				      : arena_print(arena, "%" PRIu64, value);
}

static void add_limit(struct sample *sample, const struct process_page *page, const struct use *use,
		      const struct pid_limit *limit)
{
	struct arena *arena = &sample->frame->arena;
	struct limit_row *row = table_add(sample->table);

	_Static_assert(PID_UNLIMITED == U64_BLANK, "an unlimited limit is blank");
	row->pid = page->target->pid;
	row->start_seconds = process_page_start(page);
	row->name = arena_copy(arena, limit->name.at, span_length(limit->name));
	row->unit = arena_copy(arena, limit->unit.at, span_length(limit->unit));
	row->used = used_of(use, limit->name);
	row->soft = limit->soft;
	row->hard = limit->hard;
	row->used_text = value_words(arena, row->used, limit->unit);
	row->soft_text = value_words(arena, row->soft, limit->unit);
	row->hard_text = value_words(arena, row->hard, limit->unit);
	if (row->used < U64_BLANK && row->soft < U64_BLANK && row->soft > 0)
		row->used_ratio = (double)row->used / (double)row->soft;
}

static int sample_limits(struct sample *sample)
{
	struct process_page *page = sample->state;
	struct pid_limit limit;
	struct span text;
	struct use use;

	if (!process_page_has_process(page))
		return 0;
	text = process_page_text(page, PAGE_LIMITS);
	use = read_use(page);
	while (pid_limits_next(&text, &limit))
		add_limit(sample, page, &use, &limit);
	return 0;
}

const struct topic topic_limit = {
	.schema = &schema,
	.sources = process_page_sources,
	.uses = PROCESS_PAGE_USES,
	.reads = READING_ONE(&process_page_reader),
	.sample = sample_limits,
};
