/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "signal", "limit", "environment" and "process_memory": tables about the selected process. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "core/error_name.h"
#include "core/i18n.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_stat.h"
#include "model/units.h"
#include "sys/pids.h"
#include "topic/detail/process_page.h"

#define SIGNALS 64
#define STANDARD_SIGNALS 31

struct signal_row {
	uint64_t pid;
	double start_seconds;
	uint64_t number;
	const char *name, *action, *blocked, *pending;
};

#define ROW(field, ...) COLUMN(struct signal_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(number, A_KEY(N_("signal"), 6), .help = N_("number of the signal"), .source = "signal(7)"),
	ROW(name, A_LABEL(N_("name"), 8), .help = N_("name of the signal; RTMIN+n: a real-time signal"),
	    .source = "signal(7)"),
	ROW(action, A_LABEL(N_("action"), 8), .words = true, .fleeting = true,
	    .help = N_("caught: a function of the program gets it; ignored; default: as the kernel does"),
	    .source = "/proc/PID/status SigCgt, SigIgn"),
	ROW(blocked, A_LABEL(N_("blocked"), 8), .words = true, .fleeting = true,
	    .help = N_("yes: the main thread gets it later, once it unblocks it"),
	    .source = "/proc/PID/status SigBlk"),
	ROW(pending, A_LABEL(N_("pending"), 8), .words = true, .fleeting = true,
	    .help = N_("yes: it was sent, and the process has not got it yet"),
	    .source = "/proc/PID/status ShdPnd, SigPnd"),
};

static const struct schema schema = {
	.name = "signal", .help = N_("what the selected process does with signals"),
	SCHEMA_ROWS(struct signal_row, columns),
};

static bool has(uint64_t set, unsigned number)
{
	return set >> (number - 1) & 1;
}

static const char *yes_no(bool yes)
{
	return yes ? N_("yes") : N_("no");
}

static const char *name_of(struct arena *arena, unsigned number)
{
	const char *name = signal_name(number);

	if (name)
		return name;
	return (int)number >= SIGRTMIN && (int)number <= SIGRTMAX
		       ? arena_print(arena, "RTMIN+%d", (int)number - SIGRTMIN)
		       : arena_print(arena, "%u", number); /* used by the C library */
}

static void add_signal(struct sample *sample, const struct process_page *page,
		       const struct pid_signals *signals, unsigned number)
{
	struct signal_row *row = table_add(sample->table);

	row->pid = page->target->pid;
	row->start_seconds = process_page_start(page);
	row->number = number;
	row->name = name_of(&sample->frame->arena, number);
	row->action = has(signals->caught, number)    ? N_("caught")
		      : has(signals->ignored, number) ? N_("ignored")
						      : N_("default");
	row->blocked = yes_no(has(signals->blocked, number));
	row->pending = yes_no(has(signals->pending | signals->thread_pending, number));
}

static int sample_signals(struct sample *sample)
{
	struct process_page *page = sample->state;
	struct pid_signals signals;
	uint64_t any;

	if (!process_page_has_process(page) ||
	    !pid_status_signals(process_page_text(page, PAGE_STATUS), &signals))
		return 0;
	any = signals.caught | signals.ignored | signals.blocked | signals.pending | signals.thread_pending;
	for (unsigned number = 1; number <= SIGNALS; number++)
		if (number <= STANDARD_SIGNALS || has(any, number))
			add_signal(sample, page, &signals, number);
	return 0;
}

const struct topic topic_signal = {
	.schema = &schema, .sources = process_page_sources, .uses = PROCESS_PAGE_USES,
	.reads = READING_ONE(&process_page_reader), .sample = sample_signals,
};

/* Topic "limit": the resource limits of the selected process, and how near it is to them. */

struct limit_row {
	uint64_t pid;
	double start_seconds;
	const char *name;
	uint64_t used, soft, hard;
	double used_ratio;
	const char *used_text, *soft_text, *hard_text, *unit;
};

#define LIMIT(field, ...) COLUMN(struct limit_row, field, __VA_ARGS__)
#define LIMITS "/proc/PID/limits"
#define TEXT(field, heading, what, from)                                                                     \
	LIMIT(field, A_LABEL(heading, 10), .help = what, .source = from, .fleeting = true)
#define NUMBER(field, heading, what, from)                                                                   \
	LIMIT(field, A_GAUGE(NONE, heading, 10), .hidden = true, .help = what, .source = from)
#define USED                                                                                                 \
	"/proc/PID/status VmSize, VmData, VmStk, VmLck, VmRSS, SigQ; /proc/PID/fd; CPU time of "             \
	"/proc/PID/stat"

static const struct column limit_columns[] = {
	LIMIT(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	LIMIT(start_seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS, .title = N_("started"), .width = 10,
	      .hidden = true, .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"),
	LIMIT(name, A_KEY(N_("limit"), 21), .help = N_("resource limit, as the kernel calls it"),
	      .source = LIMITS),
	TEXT(used_text, N_("used"), N_("used of it; - where the kernel does not show it by process"), USED),
	LIMIT(used_ratio, A_GAUGE(RATIO, N_("%used"), 6), .high = 0.8, .alarming = 0.95,
	      .help = N_("share of the soft limit that is used"), .source = "used / soft"),
	TEXT(soft_text, N_("soft"), N_("the limit that applies; the process may raise it up to the hard one"),
	     LIMITS),
	TEXT(hard_text, N_("hard"), N_("only a privileged process may raise this one"), LIMITS),
	LIMIT(unit, A_LABEL(N_("unit"), 9), .help = N_("unit of used, soft and hard; us: microseconds"),
	      .source = LIMITS),
	NUMBER(used, N_("used"), N_("used of it, in the unit of the row"), USED),
	NUMBER(soft, N_("soft"), N_("the limit that applies; blank: unlimited"), LIMITS),
	NUMBER(hard, N_("hard"), N_("up to this a process may raise it; blank: unlimited"), LIMITS),
};

static const struct schema limit_schema = {
	.name = "limit", .help = N_("resource limits of the selected process, and how near it is"),
	SCHEMA_ROWS(struct limit_row, limit_columns),
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
	.schema = &limit_schema, .sources = process_page_sources, .uses = PROCESS_PAGE_USES,
	.reads = READING_ONE(&process_page_reader), .sample = sample_limits,
};

/* Topic "environment": the environment that the selected process was started with; it may hold secrets. */

struct variable_row {
	uint64_t pid;
	double start_seconds;
	uint64_t number;
	const char *name, *value;
};

#define VARIABLE(field, ...) COLUMN(struct variable_row, field, __VA_ARGS__)
#define ENVIRON "/proc/PID/environ"

static const struct column variable_columns[] = {
	VARIABLE(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	VARIABLE(start_seconds, A_PROCESS_START),
	VARIABLE(number, A_KEY(N_("number"), 6), .hidden = true,
		 .help = N_("position in the environment, from 1"), .source = ENVIRON),
	VARIABLE(name, A_LABEL(N_("name"), 20),
		 .help = N_("name of the variable; empty: the program has overwritten this part"),
		 .source = ENVIRON),
	VARIABLE(value, A_LABEL(N_("value"), 24), .personal = true,
		 .help = N_("its value when the program was executed; later changes are not visible"),
		 .source = ENVIRON),
};

static const struct schema variable_schema = {
	.name = "environment", .help = N_("environment of the selected process; it may hold secrets"),
	.has_secrets = true, SCHEMA_ROWS(struct variable_row, variable_columns),
};

struct state {
	struct process_page *page;
	struct slow_text *text;
};

static void add_variable(struct sample *sample, const struct process_page *page, struct span text,
			 uint64_t number)
{
	struct variable_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;
	struct span name;

	row->pid = page->target->pid;
	row->start_seconds = process_page_start(page);
	row->number = number;
	if (!span_until(&text, '=', &name))
		name = span_text("");
	row->name = arena_copy(arena, name.at, span_length(name));
	row->value = arena_copy(arena, text.at, span_length(text));
}

static void add_variables(struct sample *sample, const struct process_page *page, struct span text)
{
	uint64_t number = 0;

	while (text.at < text.end) {
		struct span variable = span_of(text.at, strnlen(text.at, span_length(text)));

		if (span_length(variable) > 0)
			add_variable(sample, page, variable, ++number);
		text.at = variable.end < text.end ? variable.end + 1 : text.end;
	}
}

static int sample_environment(struct sample *sample)
{
	struct state *state = sample->state;
	int error;

	if (!process_page_has_process(state->page))
		return 0;
	add_variables(sample, state->page, slow_text_get(state->text, state->page->target));
	error = slow_text_error(state->text);
	if (error == -EACCES || error == -EPERM)
		process_page_denied(state->page, sample);
	else if (slow_text_is_cut(state->text))
		frame_notice(sample->frame, variable_schema.name, NULL, "%s",
			     _("the environment is longer than 256 KiB; the rest is not shown"));
	return 0;
}

static int open_text(struct sample *sample, const char *name, size_t most)
{
	((struct state *)sample->state)->text = slow_text_open(sample->env, name, most);
	return 0;
}

static int open_environment(struct sample *sample)
{
	return open_text(sample, "environ", (size_t)256 * 1024);
}

static void close_text(struct sample *sample)
{
	slow_text_close(((struct state *)sample->state)->text);
}

const struct topic topic_environment = {
	.schema = &variable_schema, .sources = process_page_sources, .state_size = sizeof(struct state),
	.uses = PROCESS_PAGE_USES, .reads = READINGS(READING(struct state, page, &process_page_reader)),
	.open = open_environment, .sample = sample_environment, .close = close_text,
};

/* Topic "process_memory": the memory of the selected process by kind. */

struct memory_row {
	uint64_t pid;
	double start_seconds;
	const char *key;
	uint64_t value_bytes;
	const char *meaning;
};

#define MEMORY(field, ...) COLUMN(struct memory_row, field, __VA_ARGS__)
#define FILES "/proc/PID/smaps_rollup, status"

static const struct column memory_columns[] = {
	MEMORY(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	MEMORY(start_seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS, .title = N_("started"), .width = 10,
	       .hidden = true, .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"),
	MEMORY(key, A_KEY(N_("key"), 15), .help = N_("as the kernel spells it"), .source = FILES),
	MEMORY(value_bytes, A_GAUGE(BYTES, N_("value"), 8), .help = N_("its size"), .source = FILES),
	MEMORY(meaning, A_LABEL(N_("meaning"), 24), .words = true, .help = N_("what the kernel counts there"),
	       .source = "proc(5)"),
};

static const struct schema memory_schema = {
	.name = "process_memory", .help = N_("memory of the selected process by kind"),
	SCHEMA_ROWS(struct memory_row, memory_columns),
};

static const struct {
	const char *key, *meaning;
} meanings[] = {
	{ "Rss", N_("resident, shared pages in full") },
	{ "Pss", N_("resident, shared pages divided by the number of sharers") },
	{ "Pss_Dirty", N_("dirty part of Pss") },
	{ "Pss_Anon", N_("anonymous part of Pss") },
	{ "Pss_File", N_("files in Pss") },
	{ "Pss_Shmem", N_("shared memory in Pss") },
	{ "Shared_Clean", N_("mapped by others, too, and unchanged") },
	{ "Shared_Dirty", N_("mapped by others, too, and changed") },
	{ "Private_Clean", N_("mapped by it alone, and unchanged: freed if it exits") },
	{ "Private_Dirty", N_("mapped by it alone, and changed: freed if it exits") },
	{ "Referenced", N_("used lately") },
	{ "Anonymous", N_("not of a file") },
	{ "KSM", N_("merged with equal pages") },
	{ "LazyFree", N_("given back by madvise(2), not yet freed") },
	{ "AnonHugePages", N_("in transparent huge pages") },
	{ "ShmemPmdMapped", N_("shared memory in huge pages") },
	{ "FilePmdMapped", N_("files in huge pages") },
	{ "Shared_Hugetlb", N_("hugetlb pages, shared") },
	{ "Private_Hugetlb", N_("hugetlb pages of it alone") },
	{ "Swap", N_("swapped out") },
	{ "SwapPss", N_("swapped out, shared pages divided by the number of sharers") },
	{ "Locked", N_("locked, in Pss") },
	{ "VmPeak", N_("highest virtual size so far") },
	{ "VmSize", N_("virtual size") },
	{ "VmLck", N_("locked by the process, cannot be swapped out") },
	{ "VmPin", N_("pinned for a device, cannot be moved") },
	{ "VmHWM", N_("highest resident size so far") },
	{ "VmRSS", N_("resident size") },
	{ "RssAnon", N_("resident anonymous memory") },
	{ "RssFile", N_("resident file pages") },
	{ "RssShmem", N_("resident shared memory and tmpfs") },
	{ "VmData", N_("private writable mappings") },
	{ "VmStk", N_("main stack") },
	{ "VmExe", N_("code of the program") },
	{ "VmLib", N_("code of the libraries") },
	{ "VmPTE", N_("page tables (kernel memory)") },
	{ "VmSwap", N_("anonymous memory in swap") },
	{ "HugetlbPages", N_("hugetlb pages") },
};

static const char *meaning_of(struct span key)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (span_is(key, meanings[i].key))
			return meanings[i].meaning;
	return "";
}

static void add_lines(struct sample *sample, const struct process_page *page, struct span text)
{
	struct span name;
	uint64_t bytes;

	while (smaps_rollup_next(&text, &name, &bytes)) {
		struct memory_row *row = table_add(sample->table);

		row->pid = page->target->pid;
		row->start_seconds = process_page_start(page);
		row->key = arena_copy(&sample->frame->arena, name.at, span_length(name));
		row->value_bytes = bytes;
		row->meaning = meaning_of(name);
	}
}

static int sample_memory(struct sample *sample)
{
	struct state *state = sample->state;
	int error;

	if (!process_page_has_process(state->page))
		return 0;
	add_lines(sample, state->page, slow_text_get(state->text, state->page->target));
	add_lines(sample, state->page, process_page_text(state->page, PAGE_STATUS));
	error = slow_text_error(state->text);
	if (error == -EACCES || error == -EPERM)
		process_page_denied(state->page, sample);
	return 0;
}

static int open_memory(struct sample *sample)
{
	return open_text(sample, "smaps_rollup", 16384);
}

const struct topic topic_process_memory = {
	.schema = &memory_schema, .sources = process_page_sources, .state_size = sizeof(struct state),
	.uses = PROCESS_PAGE_USES, .reads = READINGS(READING(struct state, page, &process_page_reader)),
	.open = open_memory, .sample = sample_memory, .close = close_text,
};
