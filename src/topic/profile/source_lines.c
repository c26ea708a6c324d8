/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of which compilation unit has which addresses: not every compiler writes one. */
#include <config.h>

#include "topic/profile/source_lines.h"

#include <stdlib.h>

#include "core/vector.h"
#include "topic/profile/dw_library.h"

#ifdef HAVE_DW

#define RANGES_MAX 1000000

struct source_lines {
	const struct dw_library *library;
	Elf *elf;
	Dwarf *dwarf;
	struct range {
		uint64_t start, end;
		Dwarf_Off unit;
	} * ranges;
	size_t n_ranges, capacity;
};

static int by_start(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return one->start == other->start ? 0 : one->start < other->start ? -1 : 1;
}

static void add_unit(struct source_lines *lines, Dwarf_Off offset)
{
	Dwarf_Die unit;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (!lines->library->offdie(lines->dwarf, offset, &unit))
		return;
	while ((at = lines->library->ranges(&unit, at, &base, &start, &end)) > 0 &&
	       lines->n_ranges < RANGES_MAX)
		*VECTOR_ADD(lines->ranges, lines->n_ranges, lines->capacity) =
			(struct range){ start, end, offset };
}

static void add_units(struct source_lines *lines)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (lines->n_ranges < RANGES_MAX &&
	       lines->library->nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
		add_unit(lines, at + header);
		at = next;
	}
	if (lines->n_ranges > 0)
		qsort(lines->ranges, lines->n_ranges, sizeof(*lines->ranges), by_start);
}

struct source_lines *source_lines_open(const struct dw_library *library, struct span bytes)
{
	struct source_lines *lines;

	if (!library && dw_library_load() < 0)
		return NULL;
	lines = alloc_zeroed(1, sizeof(*lines));
	lines->library = library ? library : &dw_library;
	lines->elf = lines->library->elf_memory((char *)(uintptr_t)bytes.at, span_length(bytes));
	lines->dwarf = lines->elf ? lines->library->begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
	if (lines->dwarf)
		add_units(lines);
	if (lines->n_ranges == 0) {
		source_lines_close(lines);
		return NULL;
	}
	return lines;
}

void source_lines_close(struct source_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		lines->library->end(lines->dwarf);
	if (lines->elf)
		lines->library->elf_end(lines->elf);
	free(lines->ranges);
	free(lines);
}

static const struct range *range_at(const struct source_lines *lines, uint64_t address)
{
	size_t from = 0, to = lines->n_ranges;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (lines->ranges[middle].start <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from > 0 && address < lines->ranges[from - 1].end ? &lines->ranges[from - 1] : NULL;
}

bool source_lines_find(const struct source_lines *lines, uint64_t address, struct source_line *line)
{
	const struct range *range = range_at(lines, address);
	const char *file;
	Dwarf_Line *found;
	Dwarf_Die unit;
	int number;

	if (!range || !lines->library->offdie(lines->dwarf, range->unit, &unit))
		return false;
	found = lines->library->getsrc_die(&unit, address);
	if (!found || lines->library->lineno(found, &number) != 0 || number <= 0)
		return false;
	file = lines->library->linesrc(found, NULL, NULL);
	if (!file)
		return false;
	*line = (struct source_line){ .file = span_text(file), .number = (uint32_t)number };
	return true;
}

#else

struct source_lines *source_lines_open(const struct dw_library *library, struct span bytes)
{
	(void)library;
	(void)bytes;
	return NULL;
}

void source_lines_close(struct source_lines *lines)
{
	(void)lines;
}

bool source_lines_find(const struct source_lines *lines, uint64_t address, struct source_line *line)
{
	(void)lines;
	(void)address;
	(void)line;
	return false;
}

#endif
