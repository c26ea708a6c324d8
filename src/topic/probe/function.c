/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "function": what can be counted in the selected process, of the code that it has mapped. A thread
 * reads the maps from time to time, and the files only when others are mapped.
 */
#include <config.h>

#include "topic/probe/function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/code/elf_file.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "topic/probe/probe_code.h"
#include "topic/process/target.h"
#include "topic/topic.h"

#define AGAIN_NS UINT64_C(2000000000)
#define FILES_MAX 512
#define LATE_NS UINT64_C(500000000)
#define LEFT_MAX 4 /* with more threads that hang, no other is started */
#define FILE_BYTES_MAX ((size_t)256 << 20)
#define ALL_BYTES_MAX ((size_t)1 << 30)

struct function_search {
	struct machine_thread *thread;
	struct progress progress;
	uint32_t pid;
	uint64_t before; /* what was mapped, as of the list that is known; … */
	bool is_same;    /* … it still is */
	struct listed_functions found;
};

static void free_functions(struct listed_functions *functions)
{
	free(functions->list);
	free(functions->files);
	buffer_free(&functions->texts);
	*functions = (struct listed_functions){ 0 };
}

static void free_search(struct function_search *search)
{
	free_functions(&search->found);
	free(search);
}

static uint32_t add_text(struct listed_functions *functions, struct span text)
{
	size_t at = functions->texts.length;

	buffer_add(&functions->texts, text.at, span_length(text));
	buffer_char(&functions->texts, '\0');
	return (uint32_t)at;
}

/* What is in the list of one file: a symbol is often in two tables. */
struct filling {
	struct listed_functions *functions;
	struct hash by_name;
	uint32_t file;
};

static bool has_text(const struct listed_functions *functions, uint32_t at, struct span text)
{
	return span_is(text, functions->texts.bytes + at);
}

static void add(struct filling *filling, struct span name, struct span provider)
{
	struct listed_functions *functions = filling->functions;
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, provider), name);
	uint32_t at;

	HASH_FIND(at, &filling->by_name, hash,
		  has_text(functions, functions->list[at].name, name) &&
			  has_text(functions, functions->list[at].provider, provider));
	if (at != HASH_NONE)
		return;
	if (functions->n == LISTED_FUNCTIONS_MAX) {
		functions->n_left_out++;
		return;
	}
	hash_add(&filling->by_name, hash, (uint32_t)functions->n);
	*VECTOR_ADD(functions->list, functions->n, functions->capacity) =
		(struct listed_function){ .file = filling->file };
	functions->list[functions->n - 1].name = add_text(functions, name);
	functions->list[functions->n - 1].provider = add_text(functions, provider);
}

static void add_functions(struct function_search *search, struct span bytes, uint32_t file_number)
{
	struct filling filling = { .functions = &search->found, .file = file_number };
	struct elf_symbols symbols;
	struct elf_symbol symbol;
	struct usdt_place place;
	struct elf_file file;
	struct span rest;
	uint64_t offset;

	if (!elf_file_parse(&file, bytes))
		return;
	rest = file.probe_notes;
	while (usdt_next(&file, &rest, &place) && progress_goes_on(&search->progress))
		add(&filling, place.name, place.provider);
	elf_symbols_begin(&symbols, &file);
	while (elf_symbols_next(&symbols, &symbol) && progress_goes_on(&search->progress))
		if (symbol.kind == ELF_SYMBOL_FUNCTION && elf_file_offset(&file, symbol.address, &offset))
			add(&filling, symbol.name, span_of(NULL, 0));
	hash_free(&filling.by_name);
}

/* *left: how many bytes of all files may still be read. */
static void read_file(struct function_search *search, const struct maps_region *region, struct buffer *bytes,
		      size_t *left)
{
	const struct profile_file file = mapped_code_file(search->pid, region);
	struct listed_functions *functions = &search->found;
	uint32_t path;

	if (mapped_code_read(&file, bytes, *left < FILE_BYTES_MAX ? *left : FILE_BYTES_MAX,
			     &search->progress) < 0)
		return;
	path = add_text(functions, region->path);
	*VECTOR_ADD(functions->files, functions->n_files, functions->files_capacity) = path;
	*left -= bytes->length < *left ? bytes->length : *left;
	add_functions(search, span_of(bytes->bytes, bytes->length), (uint32_t)functions->n_files - 1);
}

static uint64_t hash_of(struct span maps)
{
	struct maps_region region;
	uint64_t hash = HASH_SEED;

	while (mapped_code_next(&maps, &region))
		hash = hash_bytes(hash, region.path) ^ hash_u64(region.inode);
	return hash;
}

static void read_files(struct function_search *search, struct span maps)
{
	struct buffer bytes = { 0 };
	struct maps_region region;
	size_t left = ALL_BYTES_MAX;
	uint64_t last = 0;

	while (mapped_code_next(&maps, &region) && progress_goes_on(&search->progress)) {
		if (region.inode != last && search->found.n_files < FILES_MAX)
			read_file(search, &region, &bytes, &left);
		last = region.inode;
	}
	buffer_free(&bytes);
}

static uint64_t run(void *context)
{
	struct function_search *search = context;
	struct listed_functions *found = &search->found;
	struct buffer text = { 0 };
	struct span maps;

	found->error = mapped_code_read_maps(search->pid, &text);
	maps = span_of(text.bytes, text.length);
	found->mapped = hash_of(maps);
	search->is_same = !found->error && found->mapped == search->before;
	if (!search->is_same)
		read_files(search, maps);
	buffer_free(&text);
	atomic_store(&search->progress.ready, true);
	return THREAD_ENDS;
}

/* Its results, or NULL: it hangs, and keeps them. */
static struct function_search *end(struct function_list *list)
{
	struct function_search *search = list->search;

	list->search = NULL;
	list->ended_ns = clock_mono_ns(list->clock);
	if (!search || thread_end(search->thread, true))
		return search;
	list->n_left++;
	return NULL;
}

static void take(struct function_list *list)
{
	struct function_search *search = end(list);

	if (search && !(list->known && search->is_same)) {
		free_functions(&list->now);
		list->now = search->found;
		search->found = (struct listed_functions){ 0 };
		list->known = true;
	}
	if (search)
		free_search(search);
}

static void start(struct function_list *list)
{
	static const struct thread_work work = {
		run, NULL, PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN)
	};
	struct function_search *search;

	if (list->n_left == LEFT_MAX)
		return;
	search = alloc_zeroed(1, sizeof(*search));
	list->begun_ns = clock_mono_ns(list->clock);
	search->pid = list->pid;
	search->before = list->known && !list->now.error ? list->now.mapped : 0;
	search->thread = thread_start(list->threads, &work, search);
	if (search->thread)
		list->search = search;
	else
		free_search(search);
}

void function_list_close(struct function_list *list)
{
	struct function_search *search;

	if (list->search)
		atomic_store(&list->search->progress.cancelled, true);
	search = end(list);
	if (search)
		free_search(search);
	free_functions(&list->now);
	list->known = false;
}

void function_list_update(struct function_list *list, uint32_t pid, uint64_t start_ticks, bool whole)
{
	bool is_other = list->pid != pid || list->start_ticks != start_ticks;

	if (is_other)
		function_list_close(list);
	list->pid = pid;
	list->start_ticks = start_ticks;
	if (pid == 0)
		return;
	if (!list->search && (is_other || clock_mono_ns(list->clock) - list->ended_ns >= AGAIN_NS))
		start(list);
	if (list->search && whole && !list->known)
		patience_await(&list->search->progress);
	if (list->search && atomic_load(&list->search->progress.ready))
		take(list);
}

struct function_row {
	uint64_t pid;
	const char *file, *function, *kind, *path;
};

#define ROW(field, ...) COLUMN(struct function_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_KEY(N_("PID"), 7), .fleeting = true, .hidden = true, .help = N_("process"),
	    .source = "/proc"),
	ROW(function, A_KEY(N_("function"), 32), .fleeting = true,
	    .help = N_("its name as --probe-call takes it; of a probe that its authors put there (USDT) with "
		       "its provider"),
	    .source = "symbols and .note.stapsdt of the file"),
	ROW(file, A_KEY(N_("file"), 16), .fleeting = true, .help = N_("name of the program or library"),
	    .source = "/proc/PID/maps"),
	ROW(kind, A_LABEL(N_("kind"), 8), .words = true, .rank = 1,
	    .help = N_("function; probe: a place that the authors of the program have marked (USDT)"),
	    .source = "panetop"),
	ROW(path, A_LABEL(N_("path"), 16), .rank = 2, .help = N_("path of the file, as the process sees it"),
	    .source = "/proc/PID/maps"),
};

static const struct schema schema = {
	.name = "function",
	.help = N_("functions of the selected process that can be counted"),
	.none = N_("no function is known; the files may be stripped of their names"),
	SCHEMA_ROWS(struct function_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/self/maps",
	  .gives = N_("the files whose code a process has mapped"),
	  .remedies = { { EACCES, N_("run it as root, or give it the capability cap_sys_ptrace") },
			{ EPERM, N_("run it as root, or give it the capability cap_sys_ptrace") } } },
	{ 0 },
};

struct state {
	struct target *target;
	struct function_list list;
};

static void add_rows(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct listed_functions *functions = &state->list.now;
	struct arena *arena = &sample->frame->arena;
	const char *path = NULL, *file = NULL;
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < functions->n; i++) {
		const struct listed_function *listed = &functions->list[i];
		const char *name = functions->texts.bytes + listed->name;
		const char *provider = functions->texts.bytes + listed->provider;
		struct function_row *row = table_add(sample->table);

		if (listed->file != last) {
			const char *text = functions->texts.bytes + functions->files[listed->file], *slash;

			path = sample_text(sample, text);
			slash = strrchr(path, '/');
			file = slash ? slash + 1 : path;
			last = listed->file;
		}
		row->pid = state->list.pid;
		row->path = path;
		row->file = file;
		row->kind = *provider ? N_("probe") : N_("function");
		row->function = *provider ? arena_print(arena, "%s:%s", provider, name)
					  : sample_text(sample, name);
	}
}

static int sample_functions(struct sample *sample)
{
	struct state *state = sample->state;
	const struct function_list *list = &state->list;
	const struct target *target = state->target;
	bool is_live = target->state == TARGET_LIVE && sample->env->live;

	target_notices(target, sample->frame, schema.name);
	function_list_update(&state->list, is_live ? target->memory_pid : 0, target->start_ticks,
			     sample->request->batch);
	if (list->pid != 0 && !list->known &&
	    (!list->search || clock_mono_ns(list->clock) - list->begun_ns > LATE_NS))
		frame_notice(sample->frame, schema.name, NULL,
			     _("the functions are not known yet: a file of the process does not answer, or "
			       "is very large"));
	if (!is_live || !list->known)
		return 0;
	if (list->now.error)
		return list->now.error;
	add_rows(sample);
	if (list->now.n_left_out > 0)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%zu functions are left out; --probe-call takes any name"),
			     list->now.n_left_out);
	return 0;
}

static int open_functions(struct sample *sample)
{
	struct state *state = sample->state;

	state->list.clock = sample->env->clock;
	state->list.threads = sample->env->own_threads;
	return 0;
}

static void close_functions(struct sample *sample)
{
	struct state *state = sample->state;

	function_list_close(&state->list);
}

const struct topic topic_function = {
	.schema = &schema, .sources = sources, .uses = PRIVILEGE_BIT(PRIVILEGE_MAPS),
	.state_size = sizeof(struct state), .reads = READINGS(READING(struct state, target, &target_reader)),
	.open = open_functions, .sample = sample_functions, .close = close_functions
};
