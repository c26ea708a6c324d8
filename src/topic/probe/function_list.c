/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread reads the maps again and again, and the files only when others are mapped. */
#include <config.h>

#include "topic/probe/function_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/vector.h"
#include "kernel/code/elf_file.h"
#include "kernel/code/usdt.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "topic/probe/mapped_code.h"

#define AGAIN_NS UINT64_C(2000000000)
#define FILES_MAX 512

static void clear(struct listed_functions *functions)
{
	functions->n = functions->n_left_out = functions->n_files = 0;
	functions->error = 0;
	buffer_empty(&functions->texts);
}

static void free_functions(struct listed_functions *functions)
{
	free(functions->list);
	free(functions->files);
	buffer_free(&functions->texts);
	*functions = (struct listed_functions){ 0 };
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

static void add_functions(struct function_list *list, struct span bytes, uint32_t file_number)
{
	struct filling filling = { .functions = &list->next, .file = file_number };
	struct elf_symbols symbols;
	struct elf_symbol symbol;
	struct usdt_place place;
	struct elf_file file;
	struct span rest;
	uint64_t offset;

	if (!elf_file_parse(&file, bytes))
		return;
	rest = file.probe_notes;
	while (usdt_next(&file, &rest, &place) && !atomic_load(&list->cancelled))
		add(&filling, place.name, place.provider);
	elf_symbols_begin(&symbols, &file);
	while (elf_symbols_next(&symbols, &symbol) && !atomic_load(&list->cancelled))
		if (symbol.kind == ELF_SYMBOL_FUNCTION && elf_file_offset(&file, symbol.address, &offset))
			add(&filling, symbol.name, span_of(NULL, 0));
	hash_free(&filling.by_name);
}

static void read_file(struct function_list *list, const struct maps_region *region, struct buffer *bytes)
{
	struct listed_functions *functions = &list->next;
	int fd = mapped_code_open(list->pid, region);

	if (fd < 0)
		return;
	if (mapped_code_read(fd, bytes) == 0) {
		uint32_t path = add_text(functions, region->path);

		*VECTOR_ADD(functions->files, functions->n_files, functions->files_capacity) = path;
		add_functions(list, span_of(bytes->bytes, bytes->length), (uint32_t)functions->n_files - 1);
	}
	close(fd);
}

static uint64_t hash_of(struct span maps)
{
	struct maps_region region;
	uint64_t hash = HASH_SEED;

	while (mapped_code_next(&maps, &region))
		hash = hash_bytes(hash, region.path) ^ hash_u64(region.inode);
	return hash;
}

static void read_files(struct function_list *list, struct span maps)
{
	struct buffer bytes = { 0 };
	struct maps_region region;
	uint64_t last = 0;

	while (mapped_code_next(&maps, &region) && !atomic_load(&list->cancelled)) {
		if (region.inode != last && list->next.n_files < FILES_MAX)
			read_file(list, &region, &bytes);
		last = region.inode;
	}
	buffer_free(&bytes);
}

static void *run(void *context)
{
	struct function_list *list = context;
	struct buffer text = { 0 };
	struct span maps;
	uint64_t mapped;
	int error;

	privilege_limit(PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN));
	error = mapped_code_read_maps(list->pid, &text);
	maps = span_of(text.bytes, text.length);
	mapped = hash_of(maps);
	if (error || mapped != list->next.mapped) {
		clear(&list->next);
		list->next.error = error;
		list->next.mapped = mapped;
		read_files(list, maps);
	}
	buffer_free(&text);
	atomic_store(&list->ready, true);
	return NULL;
}

static void join(struct function_list *list)
{
	if (list->has_thread)
		pthread_join(list->thread, NULL);
	list->has_thread = false;
	list->ended_ns = env_mono_ns();
}

/* What it has read is of the caller from now on. */
static void take(struct function_list *list)
{
	struct listed_functions before = list->now;

	join(list);
	if (list->known && list->next.mapped == list->now.mapped && list->next.error == list->now.error)
		return;
	list->now = list->next;
	list->next = before;
	list->next.mapped = list->now.mapped;
	list->known = true;
}

static void start(struct function_list *list)
{
	atomic_store(&list->ready, false);
	list->has_thread = pthread_create(&list->thread, NULL, run, list) == 0;
	if (!list->has_thread)
		run(list);
}

static void forget(struct function_list *list)
{
	atomic_store(&list->cancelled, true);
	join(list);
	atomic_store(&list->cancelled, false);
	clear(&list->now);
	clear(&list->next);
	list->next.mapped = 0;
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
	if (!list->has_thread && (is_other || env_mono_ns() - list->ended_ns >= AGAIN_NS))
		start(list);
	if (list->has_thread && ((whole && !list->known) || atomic_load(&list->ready)))
		take(list);
}

void function_list_close(struct function_list *list)
{
	forget(list);
	free_functions(&list->now);
	free_functions(&list->next);
}
