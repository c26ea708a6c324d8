/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of functions is a list of pairs, sorted by address, that ends with the address behind the last
 * function: (address, where its description is). The description begins with the address again, and the
 * offset of the name in the table of names.
 */
#include <config.h>

#include "kernel/code/go_functions.h"

#define MAGIC_1_2 0xfffffffb
#define MAGIC_1_16 0xfffffffa
#define MAGIC_1_18 0xfffffff0
#define MAGIC_1_20 0xfffffff1
#define HEADER_BYTES 8      /* magic, two zeros, bytes of the smallest instruction, of a pointer */
#define TEXT_WORD 2         /* of the header, since 1.18 */
#define MODULE_TEXT_WORD 22 /* of struct moduledata, since 1.26, where the header has none */

struct go_table {
	struct span names, pairs, descriptions; /* borrowed, each to the end of all */
	unsigned pointer_bytes, field_bytes;    /* of an address, and of a number in a pair */
	uint64_t count, text;
};

static bool read_word(struct span table, unsigned pointer_bytes, unsigned index, uint64_t *value)
{
	return span_little(table, HEADER_BYTES + index * pointer_bytes, pointer_bytes, value);
}

/* From the offset in this word of the header to the end. */
static bool part_at(struct span table, unsigned pointer_bytes, unsigned index, struct span *part)
{
	uint64_t offset;

	if (!read_word(table, pointer_bytes, index, &offset) || offset > span_length(table))
		return false;
	*part = (struct span){ .at = table.at + offset, .end = table.end };
	return true;
}

static bool read_header(struct span table, uint64_t *magic, unsigned *pointer_bytes)
{
	uint64_t zeros, bytes;

	if (!span_little(table, 0, 4, magic) || !span_little(table, 4, 2, &zeros) || zeros != 0 ||
	    !span_little(table, 7, 1, &bytes))
		return false;
	*pointer_bytes = (unsigned)bytes;
	return bytes == 4 || bytes == 8;
}

static bool open_table(struct span table, uint64_t text, struct go_table *go)
{
	uint64_t magic;
	unsigned bytes;

	if (!read_header(table, &magic, &bytes) || !read_word(table, bytes, 0, &go->count))
		return false;
	go->pointer_bytes = go->field_bytes = bytes;
	go->text = 0;
	switch (magic) {
	case MAGIC_1_2:
		go->names = go->descriptions = table;
		go->pairs = (struct span){ .at = table.at + HEADER_BYTES + bytes, .end = table.end };
		return true;
	case MAGIC_1_16:
		if (!part_at(table, bytes, 2, &go->names) || !part_at(table, bytes, 6, &go->pairs))
			return false;
		go->descriptions = go->pairs;
		return true;
	case MAGIC_1_18:
	case MAGIC_1_20:
		if (!part_at(table, bytes, 3, &go->names) || !part_at(table, bytes, 7, &go->pairs))
			return false;
		go->descriptions = go->pairs;
		go->field_bytes = 4;
		go->text = text;
		return true;
	default:
		return false;
	}
}

/* The number in the list of pairs. */
static uint64_t field(const struct go_table *go, uint64_t index)
{
	uint64_t value = 0;

	span_little(go->pairs, index * go->field_bytes, go->field_bytes, &value);
	return value;
}

static void add_function(const struct go_table *go, uint64_t index, struct symbols *symbols)
{
	uint64_t start = field(go, 2 * index), end = field(go, 2 * index + 2), name_at;
	uint64_t description = field(go, 2 * index + 1);
	struct span name = go->names;

	if (end <= start || description > span_length(go->descriptions) ||
	    !span_little(go->descriptions, description + go->field_bytes, 4, &name_at) ||
	    name_at >= span_length(name))
		return;
	name.at += name_at;
	symbols_add(symbols, go->text + start, end - start, name, false);
}

bool go_functions_add(struct span table, uint64_t text, struct symbols *symbols)
{
	struct go_table go;
	uint64_t n_fields;

	if (!open_table(table, text, &go))
		return false;
	n_fields = span_length(go.pairs) / go.field_bytes;
	for (uint64_t i = 0; i < go.count && 2 * i + 2 < n_fields; i++)
		add_function(&go, i, symbols);
	return true;
}

uint64_t go_functions_text(const struct elf_file *file)
{
	unsigned bytes = file->is_64 ? 8 : 4;
	uint64_t text, magic;

	if (!read_header(file->go_table, &magic, &bytes))
		return file->text_address;
	if (elf_file_pointer(file, file->go_table_address + HEADER_BYTES + TEXT_WORD * bytes, &text) &&
	    text != 0)
		return text;
	if (file->go_module_address != 0 &&
	    elf_file_pointer(file, file->go_module_address + MODULE_TEXT_WORD * bytes, &text) && text != 0)
		return text;
	return file->text_address;
}

bool go_functions(const struct elf_file *file, struct symbols *symbols)
{
	return go_functions_add(file->go_table, go_functions_text(file), symbols);
}
