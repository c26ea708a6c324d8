/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "process_memory": the memory of the selected process by kind. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/pid/maps.h"
#include "topic/detail/process_page.h"
#include "topic/detail/slow_text.h"

#define BYTES_MAX ((size_t)16384)

struct memory_row {
	uint64_t pid;
	double start_seconds;
	const char *key;
	uint64_t value_bytes;
	const char *meaning;
};

#define ROW(field, ...) COLUMN(struct memory_row, field, __VA_ARGS__)
#define FILES "/proc/PID/smaps_rollup, status"

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	ROW(start_seconds, .kind = COLUMN_LABEL, .unit = UNIT_SECONDS, .title = N_("started"), .width = 10,
	    .hidden = true, .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"),
	ROW(key, A_KEY(N_("key"), 15), .help = N_("as the kernel spells it"), .source = FILES),
	ROW(value_bytes, A_GAUGE(BYTES, N_("value"), 8), .help = N_("its size"), .source = FILES),
	ROW(meaning, A_LABEL(N_("meaning"), 24), .words = true, .help = N_("what the kernel counts there"),
	    .source = "proc(5)"),
};

static const struct schema schema = {
	.name = "process_memory",
	.help = N_("memory of the selected process by kind"),
	SCHEMA_ROWS(struct memory_row, columns),
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

struct state {
	struct process_page *page;
	struct slow_text *rollup;
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
	add_lines(sample, state->page, slow_text_get(state->rollup, state->page->target));
	add_lines(sample, state->page, process_page_text(state->page, PAGE_STATUS));
	error = slow_text_error(state->rollup);
	if (error == -EACCES || error == -EPERM)
		process_page_denied(state->page, sample);
	return 0;
}

static int open_memory(struct sample *sample)
{
	struct state *state = sample->state;

	state->rollup = slow_text_open(sample->env, "smaps_rollup", BYTES_MAX);
	return 0;
}

static void close_memory(struct sample *sample)
{
	slow_text_close(((struct state *)sample->state)->rollup);
}

const struct topic topic_process_memory = {
	.schema = &schema,
	.sources = process_page_sources,
	.state_size = sizeof(struct state),
	.uses = PROCESS_PAGE_USES,
	.reads = READINGS(READING(struct state, page, &process_page_reader)),
	.open = open_memory,
	.sample = sample_memory,
	.close = close_memory,
};
