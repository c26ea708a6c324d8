/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's map has an entry for each process, file and event. Their growth is added up here by process
 * and by file; entries of idle files leave the map, to make room.
 */
#include <config.h>

#include "topic/memory/cache_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/mounts.h"
#include "kernel/pid/pid_fd.h"
#include "sys/pids.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_io.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define ENTRIES_MAX 32768
#define IDLE_TICKS 8   /* after which a file of a process leaves the kernel's map */
#define ABSENT_TICKS 2 /* without growth, until a process that exited is forgotten */
#define FILES_MAX 4096 /* the others have been idle longer */
#define FILES_TRIED 4  /* in one tick */
#define FILE_TRIES 3
#define DESCRIPTORS_TRIED 256

/* The device numbers of the kernel. */
#define MINOR_BITS 20

#define PROGRAM(what, where, kind)                                                                           \
	{                                                                                                    \
		.name = what, .tracepoint = where, .does = &bpf_cache_##kind                                 \
	}

static const struct bpf_program programs[] = {
	PROGRAM(N_("pages dirtied"), "writeback_dirty_folio", dirtied),
	PROGRAM(N_("faults on mapped files"), "mm_filemap_map_pages", faulted),
	PROGRAM(N_("faults that looked in the cache"), "mm_filemap_fault", faulted),
	PROGRAM(N_("pages added to the cache"), "mm_filemap_add_to_page_cache", added),
	PROGRAM(N_("pages asked of the cache"), "mm_filemap_get_pages", asked),
};

const struct trace_plan trace_plan_cache_use = {
	.topic = "cache_use", .programs = programs, .n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = N_BPF_CACHE_WORDS, .n_entries_max = ENTRIES_MAX,
};

static uint64_t hash_words(uint64_t one, uint64_t two, uint64_t three)
{
	const uint64_t words[] = { one, two, three };

	return hash_bytes(HASH_SEED, span_of((const char *)words, sizeof(words)));
}

static uint64_t hash_pair(const struct cache_pair *pair)
{
	return hash_words(pair->pid, pair->device, pair->inode);
}

static struct cache_pair *pair_of(struct cache_list *list, const uint64_t *key)
{
	struct cache_pair wanted = {
		.pid = (uint32_t)key[BPF_CACHE_PROCESS],
		.device = (key[BPF_CACHE_DEVICE] >> MINOR_BITS) << 32 |
			  (key[BPF_CACHE_DEVICE] & ((1 << MINOR_BITS) - 1)),
		.inode = key[BPF_CACHE_INODE],
		.tick = list->tick,
	};
	uint32_t at;

	HASH_FIND(at, &list->by_pair, hash_pair(&wanted),
		  list->pairs[at].pid == wanted.pid && list->pairs[at].device == wanted.device &&
			  list->pairs[at].inode == wanted.inode);
	if (at != HASH_NONE)
		return &list->pairs[at];
	hash_add(&list->by_pair, hash_pair(&wanted), (uint32_t)list->n_pairs);
	*VECTOR_ADD(list->pairs, list->n_pairs, list->pairs_capacity) = wanted;
	return &list->pairs[list->n_pairs - 1];
}

static struct cache_process *process_of(struct cache_list *list, uint32_t pid)
{
	struct cache_process *process = cache_list_find(list, pid);

	if (process)
		return process;
	hash_add(&list->by_pid, hash_u64(pid), (uint32_t)list->n_processes);
	process = VECTOR_ADD(list->processes, list->n_processes, list->processes_capacity);
	*process = (struct cache_process){ .pid = pid };
	return process;
}

static struct cache_file *file_of(struct cache_list *list, uint64_t device, uint64_t inode)
{
	uint64_t hash = hash_words(device, inode, 0);
	struct cache_file *file;
	uint32_t at;

	HASH_FIND(at, &list->by_file, hash,
		  list->files[at].device == device && list->files[at].inode == inode);
	if (at != HASH_NONE)
		return &list->files[at];
	hash_add(&list->by_file, hash, (uint32_t)list->n_files);
	file = VECTOR_ADD(list->files, list->n_files, list->files_capacity);
	*file = (struct cache_file){ .device = device, .inode = inode };
	return file;
}

static void add(struct cache_pages *to, const struct cache_pages *more)
{
	to->asked += more->asked;
	to->missed += more->missed;
	to->added += more->added;
	to->faults += more->faults;
	to->dirtied += more->dirtied;
}

/* What it asked for was missed as far as pages were added for its reads that it had not asked for before. */
static void take_growth(struct cache_list *list, struct cache_pair *pair)
{
	const uint64_t *grown = pair->grown;
	uint64_t ahead = pair->ahead + grown[BPF_CACHE_ADDED];
	struct cache_pages more = {
		.asked = grown[BPF_CACHE_ASKED],
		.missed = ahead < grown[BPF_CACHE_ASKED] ? ahead : grown[BPF_CACHE_ASKED],
		.added = grown[BPF_CACHE_ADDED],
		.faults = grown[BPF_CACHE_FAULTED],
		.dirtied = grown[BPF_CACHE_DIRTIED],
	};
	struct cache_process *process = process_of(list, pair->pid);
	struct cache_file *file = file_of(list, pair->device, pair->inode);

	pair->ahead = ahead - more.missed;
	add(&list->total, &more);
	add(&process->total, &more);
	add(&file->total, &more);
	file->grown = more.asked + (file->tick == list->tick ? file->grown : 0);
	file->pid = pair->pid;
	process->tick = file->tick = list->tick;
	memset(pair->grown, 0, sizeof(pair->grown));
}

static void take_entries(struct cache_list *list)
{
	for (size_t i = 0; i < list->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&list->trace, i);
		struct cache_pair *pair = pair_of(list, key);
		uint64_t *seen = &pair->seen[key[BPF_CACHE_EVENT]];

		if (list->trace.values[i].sum != *seen) {
			pair->grown[key[BPF_CACHE_EVENT]] = list->trace.values[i].sum - *seen;
			*seen = list->trace.values[i].sum;
			pair->tick = list->tick;
		} else if (list->tick - pair->tick >= IDLE_TICKS) {
			trace_forget(&list->trace, i);
		}
	}
	for (size_t i = 0; i < list->n_pairs; i++)
		if (list->pairs[i].tick == list->tick)
			take_growth(list, &list->pairs[i]);
}

/* Pages that were read ahead of an idle file drop out with its pair. */
static void forget_pairs(struct cache_list *list)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_pairs; i++)
		if (list->tick - list->pairs[i].tick < IDLE_TICKS)
			list->pairs[n_kept++] = list->pairs[i];
	if (n_kept == list->n_pairs)
		return;
	list->n_pairs = n_kept;
	hash_clear(&list->by_pair);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&list->by_pair, hash_pair(&list->pairs[i]), (uint32_t)i);
}

static void sum_ahead(struct cache_list *list)
{
	for (size_t i = 0; i < list->n_processes; i++)
		list->processes[i].ahead = 0;
	for (size_t i = 0; i < list->n_pairs; i++)
		process_of(list, list->pairs[i].pid)->ahead += list->pairs[i].ahead;
}

static bool is_alive(const uint32_t *pids, size_t n_pids, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, n_pids, pids[at] < pid);
	return at < n_pids && pids[at] == pid;
}

static void forget_processes(struct cache_list *list)
{
	const uint32_t *pids;
	size_t n_pids, n_kept = 0;

	if (pids_list(list->env, &pids, &n_pids) < 0)
		return;
	for (size_t i = 0; i < list->n_processes; i++)
		if (list->tick - list->processes[i].tick < IDLE_TICKS + ABSENT_TICKS ||
		    is_alive(pids, n_pids, list->processes[i].pid))
			list->processes[n_kept++] = list->processes[i];
	if (n_kept == list->n_processes)
		return;
	list->n_processes = n_kept;
	hash_clear(&list->by_pid);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&list->by_pid, hash_u64(list->processes[i].pid), (uint32_t)i);
}

static int compare_ticks(const void *one, const void *other)
{
	uint64_t a = ((const struct cache_file *)one)->tick, b = ((const struct cache_file *)other)->tick;

	return (a < b) - (a > b);
}

static void forget_files(struct cache_list *list)
{
	if (list->n_files <= FILES_MAX)
		return;
	qsort(list->files, list->n_files, sizeof(*list->files), compare_ticks);
	while (list->n_files > FILES_MAX / 2)
		free(list->files[--list->n_files].path);
	hash_clear(&list->by_file);
	for (size_t i = 0; i < list->n_files; i++)
		hash_add(&list->by_file, hash_words(list->files[i].device, list->files[i].inode, 0),
			 (uint32_t)i);
}

static bool update(struct cache_list *list)
{
	for (size_t i = 0; i < list->n_processes; i++)
		list->processes[i].before = list->processes[i].total;
	if (!list->opened) {
		list->opened = true;
		trace_open(&list->trace, list->env, list->request, &trace_plan_cache_use);
	}
	if (!trace_read(&list->trace))
		return false;
	take_entries(list);
	forget_pairs(list);
	forget_processes(list);
	forget_files(list);
	sum_ahead(list);
	return true;
}

struct cache_process *cache_list_find(const struct cache_list *list, uint32_t pid)
{
	uint32_t at;

	HASH_FIND(at, &list->by_pid, hash_u64(pid), list->processes[at].pid == pid);
	return at == HASH_NONE ? NULL : &list->processes[at];
}

struct cache_pages cache_pages_of(struct cache_process *process, uint64_t start_ticks)
{
	struct cache_pages pages = process->total;

	if (start_ticks != U64_UNKNOWN && process->start_ticks != start_ticks) {
		if (process->start_ticks != 0)
			process->base = process->before;
		process->start_ticks = start_ticks;
	}
	pages.asked -= process->base.asked;
	pages.missed -= process->base.missed;
	pages.added -= process->base.added;
	pages.faults -= process->base.faults;
	pages.dirtied -= process->base.dirtied;
	return pages;
}

/* A descriptor of the file that is wanted. */
struct search {
	uint64_t inode, mount;
	char *path; /* owned by who searches */
};

static void look_at(void *context, const struct open_file *found)
{
	struct search *search = context;
	struct pid_fd_link link;
	struct pid_fd_info info;

	pid_fd_info_parse(found->info, &info);
	if (search->path || found->link_error || info.inode != search->inode)
		return;
	pid_fd_link_parse(found->link, &link);
	search->mount = info.mount;
	search->path = alloc_zeroed(1, span_length(link.path) + 1);
	memcpy(search->path, link.path.at, span_length(link.path));
}

static bool is_mount_of(struct env *env, uint32_t pid, uint64_t mount, uint64_t device)
{
	struct buffer text = { 0 };
	struct mount_info info;
	bool found = false;
	struct span rest;

	if (pids_read_text(env, pid, "mountinfo", &text) == 0) {
		rest = span_of(text.bytes, text.length);
		while (!found && mountinfo_next(&rest, &info))
			found = info.id == mount && info.device == device;
	}
	buffer_free(&text);
	return found;
}

static void find_path(struct cache_list *list, struct cache_file *file)
{
	struct search search = { .inode = file->inode };
	uint64_t cookie = 0;

	file->tried_tick = list->tick;
	file->n_tries++;
	open_files_read(list->env, file->pid, &cookie, DESCRIPTORS_TRIED, look_at, &search);
	if (search.path && is_mount_of(list->env, file->pid, search.mount, file->device))
		file->path = search.path;
	else
		free(search.path);
}

/* The one that was read most in this tick, of those without a path that were not tried too often. */
static struct cache_file *next_without_path(const struct cache_list *list)
{
	struct cache_file *most = NULL;

	for (size_t i = 0; i < list->n_files; i++) {
		struct cache_file *file = &list->files[i];

		if (!file->path && file->tick == list->tick && file->tried_tick != list->tick &&
		    file->n_tries < FILE_TRIES && (!most || file->grown > most->grown))
			most = file;
	}
	return most;
}

void cache_list_find_paths(struct cache_list *list)
{
	struct cache_file *file;

	for (unsigned i = 0; i < FILES_TRIED && (file = next_without_path(list)); i++)
		find_path(list, file);
}

static int open_list(void *state, const struct sample *sample)
{
	struct cache_list *list = state;

	list->env = sample->env;
	list->request = sample->request;
	list->tick = ENV_NEVER;
	return 0;
}

static void close_list(void *state)
{
	struct cache_list *list = state;

	trace_close(&list->trace);
	for (size_t i = 0; i < list->n_files; i++)
		free(list->files[i].path);
	hash_free(&list->by_pair);
	hash_free(&list->by_pid);
	hash_free(&list->by_file);
	free(list->pairs);
	free(list->processes);
	free(list->files);
}

static int update_list(void *state, const struct sample *sample)
{
	struct cache_list *list = state;

	list->tick = sample->env->tick;
	list->counts = update(list);
	return 0;
}

const struct reader cache_reader = {
	.name = "page cache", .state_size = sizeof(struct cache_list), .open = open_list,
	.update = update_list, .close = close_list,
};

/* Topic "cache_use": what processes ask of the page cache, and how much of it was there. */

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
	ROW(of##_per_second, A_RATE(PER_SECOND, heading, cells), .rate_of = offsetof(struct cache_row, of),  \
	    .help = what, .source = "growth of " #of " / time", __VA_ARGS__)

#define TOTAL(field, heading, what, from)                                                                    \
	ROW(field, A_COUNTER(COUNT, heading, 10), .hidden = true, .help = what, .source = from)

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
	.name = "cache_use", .help = N_("what reads of files found in the page cache, by process"),
	.none = N_("no process has read a file"), .from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct cache_row, columns),
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
	.sources = SOURCES(
		{ .path = TRACE_SOURCE, .gives = CACHE_GIVES, .optional = true, .test = trace_test,
		  .remedies = { CACHE_REMEDIES } },
		{ .path = IO, .gives = N_("an estimate of them"), .optional = true,
		  .remedies = { { ENOENT,
				  N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, cache, &cache_reader),
			  READING(struct state, processes, &process_reader)),
	.prepare = prepare, .sample = sample_cache,
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
	.name = "cache_file", .help = N_("what reads found in the page cache, by file"),
	.none = N_("no file was read"), .from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct file_row, file_columns),
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
	.sources = SOURCES(
		{ .path = TRACE_SOURCE, .gives = CACHE_GIVES, .test = trace_test,
		  .remedies = { CACHE_REMEDIES } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_DETAILS),
	.reads = READING_ONE(&cache_reader), .sample = sample_files,
};
