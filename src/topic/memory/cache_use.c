/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "cache_use": what processes ask of the page cache, and how much of it was there. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/memory/cache_list.h"
#include "topic/process/process_find.h"
#include "topic/process/process_io.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define IO "proc/self/io"

struct cache_row {
	uint64_t pid;
	double start_seconds;
	double asked_pages_per_second, hit_ratio, missed_pages_per_second, mapped_faults_per_second;
	double dirtied_pages_per_second;
	uint64_t asked_pages, hit_pages, missed_pages, ahead_pages, mapped_faults, dirtied_pages;
	const char *how, *note, *command;
};

#define ROW(field, ...) COLUMN(struct cache_row, field, __VA_ARGS__)

#define EACH_SECOND(of, heading, cells, what, ...)                                                           \
	ROW(of##_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = heading, .width = cells, \
	    .rate_of = offsetof(struct cache_row, of), .help = what, .source = "growth of " #of " / time",   \
	    __VA_ARGS__)

#define TOTAL(field, heading, what, from)                                                                    \
	ROW(field, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .hidden = true, .title = heading,             \
	    .width = 10, .help = what, .source = from)

static const struct column columns[] = {
	EACH_SECOND(asked_pages, N_("asked/s"), 9, N_("pages of files that reads asked for"), .trend = true),
	ROW(hit_ratio, A_RATE(RATIO, N_("%hit"), 6), .rate_of = offsetof(struct cache_row, hit_pages),
	    .rate_over = offsetof(struct cache_row, asked_pages),
	    .help = N_("pages that were in the cache, as a share of those that reads asked for"),
	    .source = "growth of hit_pages / growth of asked_pages"),
	EACH_SECOND(missed_pages, N_("missed/s"), 9,
		    N_("pages that reads asked for and that had to be read from storage first, also ahead")),
	ROW(ahead_pages, A_GAUGE(COUNT, N_("ahead"), 7), .rank = 3,
	    .help = N_("pages that its reads brought in and that it has not asked for so far, of files that "
		       "it used lately"),
	    .source = "BPF: pages added while it reads - missed_pages"),
	EACH_SECOND(mapped_faults, N_("faults/s"), 9,
		    N_("page faults on mapped files; the pages that these add count for no read"), .rank = 2),
	EACH_SECOND(dirtied_pages, N_("dirtied/s"), 9,
		    N_("pages of files that became dirty: they have to be written to storage"), .rank = 1),
	ROW(pid, A_PROCESS_ID, .help = N_("process ID; 0: all processes together, with those that ended")),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true,
	    .help = N_("start time, after boot; unknown of a process that ended before it was seen"),
	    .source = "/proc/PID/stat starttime"),
	ROW(how, A_LABEL(N_("how"), 4), .rank = 4,
	    .help = N_("bpf: counted in the kernel, to the page; proc: estimated from bytes"),
	    .source = "panetop"),
	ROW(note, A_LABEL(N_("note"), 8), .rank = 4, .optional = true, .words = true,
	    .help = N_("estimate: from bytes of all reads, also of pipes and sockets, and from bytes of "
		       "storage, also read ahead and by page faults"),
	    .source = "panetop"),
	TOTAL(asked_pages, N_("asked"), N_("pages asked for by reads since counting began"),
	      "BPF at mm_filemap_get_pages; else /proc/PID/io rchar / page size"),
	TOTAL(hit_pages, N_("hits"), N_("pages of them that were in the cache"),
	      "asked_pages - missed_pages"),
	TOTAL(missed_pages, N_("missed"), N_("pages of them that were not"),
	      "BPF at mm_filemap_add_to_page_cache, as far as asked for; else /proc/PID/io read_bytes / page "
	      "size"),
	TOTAL(mapped_faults, N_("faults"), N_("page faults on mapped files since counting began"),
	      "BPF at mm_filemap_map_pages and mm_filemap_fault"),
	TOTAL(dirtied_pages, N_("dirtied"), N_("pages of files that became dirty since counting began"),
	      "BPF at writeback_dirty_folio; else /proc/PID/io write_bytes / page size"),
	ROW(command, A_LABEL(N_("command"), 16),
	    .help = N_("name of the process; empty where it ended before it was seen"),
	    .source = "/proc/PID/stat comm"),
};

static const struct schema schema = {
	.name = "cache_use",
	.help = N_("what reads of files found in the page cache, by process"),
	.none = N_("no process has read a file"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct cache_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE, .gives = CACHE_GIVES, .optional = true, .test = trace_test,
	  .remedies = { CACHE_REMEDIES } },
	{ .path = IO, .gives = N_("an estimate of them"), .optional = true,
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } },
	{ 0 },
};

struct state {
	struct cache_list *cache;
	struct process_list *processes;
};

static void fill(struct cache_row *row, const struct cache_pages *pages, uint64_t ahead)
{
	row->asked_pages = pages->asked;
	row->missed_pages = pages->missed;
	row->hit_pages = pages->asked - pages->missed;
	row->ahead_pages = ahead;
	row->mapped_faults = pages->faults;
	row->dirtied_pages = pages->dirtied;
	row->how = "bpf";
	row->note = "";
}

static struct cache_row *add_row(struct sample *sample, const struct process *process)
{
	struct cache_row *row = table_add(sample->table);

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->command = arena_copy(&sample->frame->arena, process->name, strlen(process->name));
	return row;
}

static void add_counted(struct sample *sample, const struct process *process)
{
	const struct state *state = sample->state;
	struct cache_process *found = cache_list_find(state->cache, process->pid);
	struct cache_pages pages;

	if (!found || process->outside || process->start_ticks == U64_UNKNOWN)
		return;
	pages = cache_pages_of(found, process->start_ticks);
	fill(add_row(sample, process), &pages, found->ahead);
}

/* It began and ended between two samples: no look at the processes saw it. */
static void add_unseen(struct sample *sample, const struct cache_process *process)
{
	const struct scope *scope = sample->request->scope;
	struct cache_row *row;

	if (scope_is_set(scope) && !scope_has(scope, process->pid, NAN))
		return;
	row = table_add(sample->table);
	row->pid = process->pid;
	fill(row, &process->total, process->ahead);
}

static void add_all(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct process_list *processes = state->processes;
	const struct cache_list *cache = state->cache;
	uint64_t ahead = 0;

	for (size_t i = 0; i < cache->n_processes; i++)
		ahead += cache->processes[i].ahead;
	if (!scope_is_set(sample->request->scope)) {
		struct cache_row *row = table_add(sample->table);

		row->pid = 0;
		row->start_seconds = 0;
		row->command = N_("(all)");
		fill(row, &cache->total, ahead);
	}
	for (size_t i = 0; i < processes->n_all; i++)
		add_counted(sample, processes->all[i]);
	for (size_t i = 0; i < processes->n_exited; i++)
		if (!process_list_find(processes, processes->exited[i]->pid))
			add_counted(sample, processes->exited[i]);
	for (size_t i = 0; i < cache->n_processes; i++)
		if (cache->processes[i].tick == sample->env->tick && cache->processes[i].start_ticks == 0 &&
		    !process_list_find(processes, cache->processes[i].pid))
			add_unseen(sample, &cache->processes[i]);
}

static void add_estimate(struct sample *sample, const struct process *process)
{
	const struct process_io *io = process_io_of(process);
	uint64_t page_bytes = sample->env->page_bytes, asked, missed;
	struct cache_row *row;

	if (process->outside || !io || io->seen.call_read_bytes == U64_UNKNOWN ||
	    io->seen.call_read_bytes == 0)
		return;
	asked = io->seen.call_read_bytes / page_bytes;
	missed = io->seen.read_bytes / page_bytes;
	row = add_row(sample, process);
	row->asked_pages = asked;
	row->missed_pages = missed < asked ? missed : asked;
	row->hit_pages = asked - row->missed_pages;
	row->dirtied_pages = io->seen.write_bytes / page_bytes;
	row->how = "proc";
	row->note = N_("estimate");
}

static void estimate(struct sample *sample)
{
	struct state *state = sample->state;
	size_t n_denied = process_io_update(state->processes);

	trace_notice(&state->cache->trace, sample->frame, _("what the page cache saves is only estimated"));
	for (size_t i = 0; i < state->processes->n_all; i++)
		add_estimate(sample, state->processes->all[i]);
	if (n_denied > 0)
		frame_notice(
			sample->frame, schema.name,
			remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
					   "and cap_dac_read_search")),
			P_("reads of %zu process are hidden", "reads of %zu processes are hidden", n_denied),
			n_denied);
}

/* Before the processes: what they then ask for is of the next tick. */
static void prepare(struct sample *sample)
{
	reader_update(&cache_reader, sample);
}

static int sample_cache(struct sample *sample)
{
	const struct state *state = sample->state;

	if (state->cache->counts)
		add_all(sample);
	else
		estimate(sample);
	return 0;
}

const struct topic topic_cache_use = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, cache, &cache_reader),
			  READING(struct state, processes, &process_reader)),
	.prepare = prepare,
	.sample = sample_cache,
};

/* Topic "cache_file": the files that were asked of the page cache. */

struct file_row {
	const char *device;
	uint64_t inode;
	double asked_pages_per_second, hit_ratio, added_pages_per_second;
	uint64_t asked_pages, hit_pages, missed_pages, added_pages, last_pid;
	const char *path;
};

#define OF_FILE(field, ...) COLUMN(struct file_row, field, __VA_ARGS__)

#define FILE_COUNT(field, heading, what, from)                                                               \
	OF_FILE(field, A_COUNTER(COUNT, heading, 10), .hidden = true, .help = what, .source = from)

static const struct column file_columns[] = {
	OF_FILE(asked_pages_per_second, A_RATE(PER_SECOND, N_("asked/s"), 9), .additive = true, .trend = true,
		.rate_of = offsetof(struct file_row, asked_pages),
		.help = N_("pages of it that reads asked for"), .source = "growth of asked_pages / time"),
	OF_FILE(hit_ratio, A_RATE(RATIO, N_("%hit"), 6), .rate_of = offsetof(struct file_row, hit_pages),
		.rate_over = offsetof(struct file_row, asked_pages),
		.help = N_("pages that were in the cache, as a share of those that reads asked for"),
		.source = "growth of hit_pages / growth of asked_pages"),
	OF_FILE(added_pages_per_second, A_RATE(PER_SECOND, N_("added/s"), 9), .additive = true,
		.rate_of = offsetof(struct file_row, added_pages),
		.help = N_("pages that reads brought into the cache, also ahead"),
		.source = "growth of added_pages / time"),
	OF_FILE(device, A_KEY(N_("device"), 7), .rank = 2,
		.help = N_("major and minor number of its file system"), .source = "BPF super_block.s_dev"),
	OF_FILE(inode, A_KEY(N_("inode"), 9), .fleeting = true, .rank = 1,
		.help = N_("its number in the file system"), .source = "BPF inode.i_ino"),
	OF_FILE(last_pid, A_LABEL(N_("PID"), 7), .rank = 1, .fleeting = true,
		.help = N_("the process that used it last"), .source = "BPF"),
	FILE_COUNT(asked_pages, N_("asked"), N_("pages asked for by reads since counting began"),
		   "BPF at mm_filemap_get_pages"),
	FILE_COUNT(hit_pages, N_("hits"), N_("pages of them that were in the cache"),
		   "asked_pages - missed_pages"),
	FILE_COUNT(missed_pages, N_("missed"), N_("pages of them that were not"),
		   "BPF at mm_filemap_add_to_page_cache, as far as asked for"),
	FILE_COUNT(added_pages, N_("added"),
		   N_("pages that reads brought into the cache since counting began"),
		   "BPF at mm_filemap_add_to_page_cache"),
	OF_FILE(path, A_LABEL(N_("path"), 24),
		.help = N_("where the process that used it has it open; empty: it was closed too soon, or "
			   "this is not permitted"),
		.source = "/proc/PID/fd, fdinfo, mountinfo"),
};

static const struct schema file_schema = {
	.name = "cache_file",
	.help = N_("what reads found in the page cache, by file"),
	.none = N_("no file was read"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct file_row, file_columns),
};

static const struct source_spec file_sources[] = {
	{ .path = TRACE_SOURCE, .gives = CACHE_GIVES, .test = trace_test, .remedies = { CACHE_REMEDIES } },
	{ 0 },
};

static int sample_files(struct sample *sample)
{
	struct cache_list *list = sample->state;
	struct arena *arena = &sample->frame->arena;

	if (!list->counts) {
		if (list->trace.error == -ENOTSUP)
			return 0;
		env_note_failure(sample->env, TRACE_SOURCE, list->trace.error);
		return list->trace.error;
	}
	cache_list_find_paths(list);
	for (size_t i = 0; i < list->n_files; i++) {
		const struct cache_file *file = &list->files[i];
		struct file_row *row;

		if (file->total.asked == 0 && file->total.added == 0)
			continue;
		row = table_add(sample->table);
		row->device =
			arena_print(arena, "%u:%u", (unsigned)(file->device >> 32), (unsigned)file->device);
		row->inode = file->inode;
		row->last_pid = file->pid;
		row->asked_pages = file->total.asked;
		row->missed_pages = file->total.missed;
		row->hit_pages = file->total.asked - file->total.missed;
		row->added_pages = file->total.added;
		row->path = file->path ? arena_copy(arena, file->path, strlen(file->path)) : "";
	}
	return 0;
}

const struct topic topic_cache_file = {
	.schema = &file_schema,
	.sources = file_sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.reads = READING_ONE(&cache_reader),
	.sample = sample_files,
};
