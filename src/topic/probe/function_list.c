/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread reads the maps from time to time, and the files only when others are mapped. */
#include <config.h>

#include "topic/probe/function_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#include "kernel/code/elf_file.h"
#include "sys/child.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "topic/probe/mapped_code.h"

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

static void forget(struct function_list *list)
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
		forget(list);
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

bool function_list_is_late(const struct function_list *list)
{
	return list->pid != 0 && !list->known &&
	       (!list->search || clock_mono_ns(list->clock) - list->begun_ns > LATE_NS);
}

void function_list_close(struct function_list *list)
{
	forget(list);
}
