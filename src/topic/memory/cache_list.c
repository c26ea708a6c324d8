/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's map has an entry for each process, file and event. Their growth is added up here by process
 * and by file; entries of idle files leave the map, to make room.
 */
#include <config.h>

#include "topic/memory/cache_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/mounts.h"
#include "kernel/pid/pid_fd.h"
#include "sys/pids.h"

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
	.topic = "cache_use",
	.programs = programs,
	.n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = N_BPF_CACHE_WORDS,
	.n_entries_max = ENTRIES_MAX,
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
	.name = "page cache",
	.state_size = sizeof(struct cache_list),
	.open = open_list,
	.update = update_list,
	.close = close_list,
};
