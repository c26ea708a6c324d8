/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks a name up in the symbols and notes of a file that others wrote; it is read, not mapped: who shortens
 * one meanwhile would end panetop. A path may contain colons: those in directories do not separate.
 */
#include <config.h>

#include "topic/probe/probe_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/typed_name.h"
#include "kernel/code/elf_file.h"
#include "sys/descriptor.h"

#define PART_BYTES ((size_t)4 << 20)
#define MAPS_BYTES_MAX ((size_t)64 << 20)

int mapped_code_read_maps(uint32_t pid, struct buffer *maps)
{
	const struct profile_file file = { .kind = PROFILE_FILE_MAPS, .pid = pid };
	int fd = profile_file_open(&file, false), error;

	if (fd < 0)
		return fd;
	error = buffer_read(maps, fd, MAPS_BYTES_MAX);
	close(fd);
	return error;
}

bool mapped_code_next(struct span *maps, struct maps_region *region)
{
	while (maps_next(maps, region))
		if (region->permissions.at[2] == 'x' && region->inode != 0)
			return true;
	return false;
}

struct profile_file mapped_code_file(uint32_t pid, const struct maps_region *region)
{
	struct profile_file file = { .kind = PROFILE_FILE_MAPPED,
				     .pid = pid,
				     .start = region->start,
				     .end = region->end,
				     .device = region->device,
				     .inode = region->inode };

	snprintf(file.path, sizeof(file.path), "%.*s", (int)span_length(region->path), region->path.at);
	return file;
}

static int read_in_parts(int fd, struct buffer *bytes, size_t most, struct progress *progress)
{
	struct stat status;
	size_t length;
	int error = 0;

	if (fstat(fd, &status) < 0)
		return -errno;
	length = status.st_size > 0 ? (size_t)status.st_size : 0;
	if (length > most)
		return -EFBIG;
	buffer_reserve(bytes, length + PART_BYTES);
	for (size_t part = 1; !error && bytes->length < length; part++) {
		size_t before = bytes->length, end = part * PART_BYTES < length ? part * PART_BYTES : length;

		if (!progress_goes_on(progress))
			return -ECANCELED;
		error = buffer_read(bytes, fd, end);
		if (!error && bytes->length == before && end > before)
			break; /* it was cut short */
	}
	return error;
}

int mapped_code_read(const struct profile_file *file, struct buffer *bytes, size_t most,
		     struct progress *progress)
{
	int fd = profile_file_open(file, true), error;

	buffer_empty(bytes);
	if (fd < 0)
		return fd;
	error = read_in_parts(fd, bytes, most, progress);
	close(fd);
	return error;
}

static struct span base_of(struct span path)
{
	const char *slash = span_length(path) > 0 ? memrchr(path.at, '/', span_length(path)) : NULL;

	if (slash)
		path.at = slash + 1;
	return path;
}

bool probe_name_parse(struct probe_name *name, struct span text)
{
	struct span rest = base_of(text), base, part;

	*name = (struct probe_name){ .is_path = rest.at != text.at };
	name->provider = span_of(text.at, 0);
	if (!span_until(&rest, ':', &base) || span_length(base) == 0)
		return false;
	name->file = (struct span){ text.at, base.end };
	if (span_until(&rest, ':', &part)) {
		if (span_length(part) == 0)
			return false;
		name->provider = part;
	}
	name->function = rest;
	return span_length(rest) > 0 && !memchr(rest.at, ':', span_length(rest));
}

enum probe_file_match probe_name_matches(const struct probe_name *name, struct span path)
{
	size_t length = span_length(name->file);
	struct span base = base_of(path);

	span_take_end(&base, PATH_DELETED);
	if (span_length(base) < length || memcmp(base.at, name->file.at, length) != 0)
		return PROBE_FILE_OTHER;
	if (span_length(base) == length)
		return PROBE_FILE_IS;
	return base.at[length] == '.' || base.at[length] == '-' ? PROBE_FILE_BEGINS : PROBE_FILE_OTHER;
}

#define NOP_BYTES 5
#define TRIED_MAX 200000 /* names that may be like it: half a second */

/* What was tried so far. */
struct search {
	const struct elf_file *file;
	const struct probe_name *name;
	struct probe_code *code;
	enum probe_fault other; /* what else has the name */
	bool has_names;
	unsigned n_tried;
	struct near_name near; /* its name is code->near */
	struct progress *progress;
};

static bool is_nop(const struct elf_file *file, uint64_t offset)
{
	static const char nop[NOP_BYTES] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	struct span code;

	return span_part(file->bytes, offset, NOP_BYTES, &code) && memcmp(code.at, nop, NOP_BYTES) == 0;
}

/* A function has the same name in both tables of symbols, and may have several. */
static void add_place(struct search *search, uint64_t offset, uint64_t semaphore_offset)
{
	struct probe_code *code = search->code;

	for (unsigned i = 0; i < code->n_places; i++)
		if (code->places[i].offset == offset)
			return;
	if (code->n_places == PROBE_PLACES_MAX) {
		code->fault = PROBE_FAULT_PLACES;
		return;
	}
	code->places[code->n_places++] = (struct probe_place){
		.offset = offset,
		.semaphore_offset = semaphore_offset,
		.is_nop = is_nop(search->file, offset),
	};
}

static void try_near(struct search *search, struct span name)
{
	char text[PROBE_NEAR_MAX];

	search->has_names = true;
	if (span_length(name) >= sizeof(text) || search->n_tried == TRIED_MAX)
		return;
	search->n_tried++;
	snprintf(text, sizeof(text), "%.*s", (int)span_length(name), name.at);
	near_name_try(&search->near, text);
	if (search->near.name != text)
		return;
	memcpy(search->code->near, text, sizeof(text));
	search->near.name = search->code->near;
}

static void look_at_symbol(struct search *search, const struct elf_symbol *symbol)
{
	uint64_t offset;

	if (!span_same(symbol->name, search->name->function)) {
		if (symbol->kind == ELF_SYMBOL_FUNCTION)
			try_near(search, symbol->name);
		return;
	}
	switch (symbol->kind) {
	case ELF_SYMBOL_FUNCTION:
		if (elf_file_offset(search->file, symbol->address, &offset))
			add_place(search, offset, 0);
		else
			search->other = PROBE_FAULT_NOT_CODE;
		break;
	case ELF_SYMBOL_CHOOSER:
		search->other = PROBE_FAULT_CHOOSER;
		break;
	case ELF_SYMBOL_DATA:
		search->other = search->other ? search->other : PROBE_FAULT_DATA;
		break;
	case ELF_SYMBOL_ELSEWHERE:
		search->other = search->other ? search->other : PROBE_FAULT_ELSEWHERE;
		break;
	}
}

static void find_functions(struct search *search)
{
	struct elf_symbols symbols;
	struct elf_symbol symbol;

	elf_symbols_begin(&symbols, search->file);
	while (elf_symbols_next(&symbols, &symbol) && progress_goes_on(search->progress))
		look_at_symbol(search, &symbol);
	search->code->is_function = search->code->n_places > 0;
}

static void find_probes(struct search *search)
{
	struct span rest = search->file->probe_notes;
	const struct probe_name *name = search->name;
	struct usdt_place place;

	while (usdt_next(search->file, &rest, &place) && progress_goes_on(search->progress)) {
		bool is_ours = span_length(name->provider) == 0 || span_same(place.provider, name->provider);

		if (is_ours && span_same(place.name, name->function))
			add_place(search, place.offset, place.semaphore_offset);
		else if (is_ours)
			try_near(search, place.name);
	}
}

void probe_code_find(struct probe_code *code, struct span bytes, const struct probe_name *name,
		     struct progress *progress)
{
	struct elf_file file;
	struct search search = {
		.file = &file, .name = name, .code = code, .near.typed = name->function, .progress = progress
	};

	*code = (struct probe_code){ 0 };
	if (!elf_file_parse(&file, bytes)) {
		code->fault = PROBE_FAULT_NO_ELF;
		return;
	}
	if (span_length(name->provider) == 0)
		find_functions(&search);
	if (code->n_places == 0)
		find_probes(&search);
	/* cppcheck-suppress duplicateCondition ; it adds places */
	if (code->n_places == 0)
		code->fault = search.other       ? search.other
			      : search.has_names ? PROBE_FAULT_NOTHING
						 : PROBE_FAULT_NO_NAMES;
}
