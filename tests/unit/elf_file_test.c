/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the reader of ELF files: made here, hostile, and those of this machine. */
#include <config.h>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_image.h"
#include "kernel/code/elf_file.h"
#include "kernel/pid/maps.h"
#include "suite.h"

#define TEXT 0x21000
#define GLOBAL_FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNCTION ELF64_ST_INFO(STB_LOCAL, STT_FUNC)

/* What a file of this test is made of. */
struct parts {
	struct image image;
	struct buffer notes, link, symbols, names, exported, exported_names, relocations, file;
};

enum section {
	NOTES,
	TEXT_SECTION,
	UNWINDING,
	LINK,
	SYMBOLS,
	NAMES,
	EXPORTED,
	EXPORTED_NAMES,
	GO,
	GO_MODULE,
	RELOCATIONS,
};

static const struct image_symbol all_symbols[] = {
	{ "", 0, 0, 0, 0 },
	{ "start", TEXT, 0x10, GLOBAL_FUNCTION, 2 },
	{ "__start", TEXT, 0x10, GLOBAL_FUNCTION, 2 },
	{ "helper", TEXT + 0x11, 0x10, LOCAL_FUNCTION, 2 },
	{ "copy@@LIB_2.14", TEXT + 0x40, 8, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 2 },
	{ "imported", 0, 8, GLOBAL_FUNCTION, SHN_UNDEF },
	{ "variable", TEXT + 0x30, 8, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 2 },
	{ "sizeless", TEXT + 0x50, 0, GLOBAL_FUNCTION, 2 },
	{ "absolute", TEXT + 0x60, 8, GLOBAL_FUNCTION, SHN_ABS },
};

static void make_notes(struct buffer *notes)
{
	static const char property[] = "\4\0\0\0\4\0\0\0\5\0\0\0GNU\0abcd";
	static const char other[] = "\3\0\0\0\1\0\0\0\3\0\0\0Go\0\0x\0\0\0";
	static const char id[] = "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\x01\x02\x03\0";

	buffer_add(notes, property, sizeof(property) - 1);
	buffer_add(notes, other, sizeof(other) - 1);
	buffer_add(notes, id, sizeof(id) - 1);
}

static uint32_t relative_type(uint16_t machine)
{
	return machine == EM_AARCH64 ? R_AARCH64_RELATIVE
	       : machine == EM_386   ? R_386_RELATIVE
	       : machine == EM_ARM   ? R_ARM_RELATIVE
	       : machine == EM_RISCV ? R_RISCV_RELATIVE
				     : R_X86_64_RELATIVE;
}

static void add_relocation(struct parts *parts, uint64_t address, uint32_t type, uint64_t addend)
{
	unsigned word = parts->image.is_64 ? 8 : 4;

	image_add(&parts->relocations, address, word);
	image_add(&parts->relocations, type, word);
	image_add(&parts->relocations, addend, word);
}

static void make_parts(struct parts *parts, bool is_64, uint16_t machine)
{
	static const char table[] = "go", module[8] = "\x78\x56\x34\x12";

	*parts = (struct parts){ .image = { .is_64 = is_64, .machine = machine, .type = ET_DYN } };
	make_notes(&parts->notes);
	buffer_add(&parts->link, "x.debug\0\x78\x56\x34\x12", 12);
	for (size_t i = 0; i < sizeof(all_symbols) / sizeof(all_symbols[0]); i++)
		image_add_symbol(is_64, &parts->symbols, &parts->names, &all_symbols[i]);
	image_add_symbol(is_64, &parts->exported, &parts->exported_names,
			 &(struct image_symbol){ "exported", TEXT, 0x20, GLOBAL_FUNCTION, 2 });
	add_relocation(parts, IMAGE_ADDRESS + 0x3000, relative_type(machine) - 1,
		       TEXT + 8); /* another type */
	add_relocation(parts, IMAGE_ADDRESS + 0x3004, relative_type(machine), TEXT + 12);
	add_relocation(parts, IMAGE_ADDRESS + 0x3000, relative_type(machine), TEXT + 4);
	memcpy(parts->image.sections,
	       (struct image_section[]){
		       { ".note.gnu.build-id", SHT_NOTE, 0, image_span(&parts->notes), 0x200 },
		       { ".text", SHT_PROGBITS, 0, span_of("code of this program", 20), TEXT },
		       { ".eh_frame_hdr", SHT_PROGBITS, 0, span_of("\1\x1b\3\x3b", 4), 0x400 },
		       { ".gnu_debuglink", SHT_PROGBITS, 0, image_span(&parts->link), 0 },
		       { ".symtab", SHT_SYMTAB, NAMES + 1, image_span(&parts->symbols), 0 },
		       { ".strtab", SHT_STRTAB, 0, image_span(&parts->names), 0 },
		       { ".dynsym", SHT_DYNSYM, EXPORTED_NAMES + 1, image_span(&parts->exported), 0 },
		       { ".dynstr", SHT_STRTAB, 0, image_span(&parts->exported_names), 0 },
		       { ".gopclntab", SHT_PROGBITS, 0, span_of(table, 2), 0x500 },
		       { ".go.module", SHT_PROGBITS, 0, span_of(module, 8), 0x600 },
		       { ".rela.dyn", SHT_RELA, 0, image_span(&parts->relocations), 0 },
	       },
	       11 * sizeof(parts->image.sections[0]));
	image_write(&parts->file, &parts->image);
}

static void free_parts(struct parts *parts)
{
	buffer_free(&parts->notes);
	buffer_free(&parts->link);
	buffer_free(&parts->symbols);
	buffer_free(&parts->names);
	buffer_free(&parts->exported);
	buffer_free(&parts->exported_names);
	buffer_free(&parts->relocations);
	buffer_free(&parts->file);
}

/* Writes the file again, after a part has changed. */
static void parse_again(struct parts *parts, struct elf_file *file)
{
	image_write(&parts->file, &parts->image);
	ck_assert(elf_file_parse(file, image_span(&parts->file)));
}

static const char *at(const struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(symbols, address, &offset);

	return name ? name : "-";
}

static const struct {
	bool is_64;
	uint16_t machine;
} kinds[] = { { true, EM_X86_64 },  { true, EM_AARCH64 }, { true, EM_RISCV }, { false, EM_386 },
	      { false, EM_X86_64 }, { false, EM_ARM },    { false, EM_RISCV } };

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

START_TEST(parts_are_found_in_files_of_both_classes)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		struct elf_file file;
		struct parts parts;

		make_parts(&parts, kinds[i].is_64, kinds[i].machine);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_int_eq(file.is_64, kinds[i].is_64);
		ck_assert_uint_eq(file.machine, kinds[i].machine);
		ck_assert_uint_eq(file.entry, IMAGE_ADDRESS);
		ck_assert(span_is(file.build_id, "\x01\x02\x03"));
		ck_assert(span_is(file.debug_link, "x.debug"));
		ck_assert_uint_eq(file.debug_link_crc, 0x12345678);
		ck_assert(file.has_unwind_table);
		ck_assert(span_is(file.go_table, "go"));
		ck_assert_uint_eq(file.go_table_address, 0x500);
		ck_assert_uint_eq(file.go_module_address, 0x600);
		ck_assert_uint_eq(file.text_address, TEXT);
		free_parts(&parts);
	}
}

START_TEST(functions_are_those_of_symtab)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		bool is_arm = kinds[i].machine == EM_ARM;
		struct symbols symbols = { 0 };
		struct elf_file file;
		struct parts parts;

		make_parts(&parts, kinds[i].is_64, kinds[i].machine);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_ALL);
		symbols_sort(&symbols);
		ck_assert_uint_eq(symbols.count, 3);
		ck_assert_str_eq(at(&symbols, TEXT), "start");
		ck_assert_str_eq(at(&symbols, TEXT + 0xf), "start");
		ck_assert_str_eq(at(&symbols, TEXT + 0x10), is_arm ? "helper" : "-"); /* of Thumb */
		ck_assert_str_eq(at(&symbols, TEXT + 0x11), "helper");
		ck_assert_str_eq(at(&symbols, TEXT + 0x30), "-");
		ck_assert_str_eq(at(&symbols, TEXT + 0x40), "copy");
		ck_assert_str_eq(at(&symbols, TEXT + 0x50), "-");
		ck_assert_str_eq(at(&symbols, TEXT + 0x60), "-");
		ck_assert_str_eq(at(&symbols, 0), "-");
		symbols_free(&symbols);
		free_parts(&parts);
	}
}

static const char *const kinds_of_symbols[] = {
	[ELF_SYMBOL_FUNCTION] = "function",
	[ELF_SYMBOL_CHOOSER] = "chooser",
	[ELF_SYMBOL_DATA] = "data",
	[ELF_SYMBOL_ELSEWHERE] = "elsewhere",
};

START_TEST(symbols_of_both_tables_have_their_kinds)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		bool is_arm = kinds[i].machine == EM_ARM;
		struct buffer found = { 0 };
		struct elf_symbols symbols;
		struct elf_symbol symbol;
		struct elf_file file;
		struct parts parts;

		make_parts(&parts, kinds[i].is_64, kinds[i].machine);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		elf_symbols_begin(&symbols, &file);
		while (elf_symbols_next(&symbols, &symbol))
			buffer_print(&found, "%.*s %s %llx\n", (int)span_length(symbol.name), symbol.name.at,
				     kinds_of_symbols[symbol.kind], (unsigned long long)symbol.address);
		buffer_char(&found, '\0');
		ck_assert_str_eq(found.bytes, is_arm ? "start function 21000\n"
						       "__start function 21000\n"
						       "helper function 21010\n"
						       "copy chooser 21040\n"
						       "imported elsewhere 0\n"
						       "variable data 21030\n"
						       "sizeless function 21050\n"
						       "absolute function 21060\n"
						       "exported function 21000\n"
						     : "start function 21000\n"
						       "__start function 21000\n"
						       "helper function 21011\n"
						       "copy chooser 21040\n"
						       "imported elsewhere 0\n"
						       "variable data 21030\n"
						       "sizeless function 21050\n"
						       "absolute function 21060\n"
						       "exported function 21000\n");
		buffer_free(&found);
		free_parts(&parts);
	}
}

START_TEST(without_symtab_they_are_those_of_dynsym)
{
	struct symbols symbols = { 0 };
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	parts.image.sections[SYMBOLS].content.end = parts.image.sections[SYMBOLS].content.at + 24; /* none */
	parse_again(&parts, &file);
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_DYNAMIC);
	symbols_sort(&symbols);
	ck_assert_str_eq(at(&symbols, TEXT + 0x1f), "exported");
	symbols_free(&symbols);
	parts.image.sections[EXPORTED].type = SHT_NOBITS; /* as in debug files */
	parse_again(&parts, &file);
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_NONE);
	ck_assert_uint_eq(symbols.count, 0);
	free_parts(&parts);
}

START_TEST(offsets_of_code_have_addresses)
{
	struct elf_file file;
	struct parts parts;
	uint64_t address = 0, text;

	make_parts(&parts, true, EM_X86_64);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	text = image_offset(&parts.image, TEXT_SECTION);
	ck_assert(elf_file_address(&file, text, &address));
	ck_assert_uint_eq(address, TEXT);
	ck_assert(elf_file_address(&file, text + 19, &address));
	ck_assert_uint_eq(address, TEXT + 19);
	ck_assert(elf_file_address(&file, text + 20, &address)); /* in the other segment alone */
	ck_assert_uint_eq(address, IMAGE_ADDRESS + text + 20);
	ck_assert(elf_file_address(&file, text - 1, &address));
	ck_assert_uint_eq(address, IMAGE_ADDRESS + text - 1);
	ck_assert(elf_file_address(&file, 0, &address)); /* where notes are, they are loaded as all else */
	ck_assert_uint_eq(address, IMAGE_ADDRESS);
	ck_assert(elf_file_address(&file, image_offset(&parts.image, NOTES), &address));
	ck_assert_uint_eq(address, IMAGE_ADDRESS + image_offset(&parts.image, NOTES));
	ck_assert(!elf_file_address(&file, parts.file.length, &address));
	ck_assert(!elf_file_address(&file, UINT64_MAX, &address));
	free_parts(&parts);
}

START_TEST(addresses_have_offsets_in_the_file)
{
	struct elf_file file;
	struct parts parts;
	uint64_t offset = 0, text;

	make_parts(&parts, true, EM_X86_64);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	text = image_offset(&parts.image, TEXT_SECTION);
	ck_assert(elf_file_offset(&file, TEXT + 19, &offset));
	ck_assert_uint_eq(offset, text + 19);
	ck_assert(elf_file_offset(&file, TEXT, &offset));
	ck_assert_uint_eq(offset, text);
	ck_assert(elf_file_offset(&file, IMAGE_ADDRESS, &offset));
	ck_assert_uint_eq(offset, 0);
	ck_assert(!elf_file_offset(&file, TEXT + 20, &offset) && !elf_file_offset(&file, TEXT - 1, &offset));
	ck_assert(!elf_file_offset(&file, IMAGE_ADDRESS - 1, &offset));
	ck_assert(!elf_file_offset(&file, 0x200, &offset)); /* notes are not loaded there */
	ck_assert(!elf_file_offset(&file, 0, &offset));
	ck_assert(!elf_file_offset(&file, UINT64_MAX, &offset));
	free_parts(&parts);
}

START_TEST(pointers_are_those_of_the_loaded_file)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		uint64_t pointer = 0, module, end;
		struct elf_file file;
		struct parts parts;

		make_parts(&parts, kinds[i].is_64, kinds[i].machine);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert(elf_file_pointer(&file, IMAGE_ADDRESS + 0x3000, &pointer)); /* of a relocation */
		ck_assert_uint_eq(pointer, TEXT + 4);
		module = IMAGE_ADDRESS + image_offset(&parts.image, GO_MODULE);
		ck_assert(elf_file_pointer(&file, module, &pointer));
		ck_assert_uint_eq(pointer, 0x12345678);
		end = TEXT + 20 - (kinds[i].is_64 ? 8 : 4);
		ck_assert(elf_file_pointer(&file, end, &pointer));
		ck_assert_uint_eq(pointer, kinds[i].is_64 ? 0x6d6172676f727020 : 0x6d617267); /* " program" */
		ck_assert(!elf_file_pointer(&file, end + 1, &pointer));
		ck_assert(elf_file_pointer(&file, TEXT, &pointer)); /* "code of " */
		ck_assert_uint_eq(pointer, kinds[i].is_64 ? 0x20666f2065646f63 : 0x65646f63);
		ck_assert(!elf_file_pointer(&file, TEXT - 1, &pointer));
		ck_assert(!elf_file_pointer(&file, IMAGE_ADDRESS + 0x3001, &pointer));
		ck_assert(!elf_file_pointer(&file, 0x200, &pointer)); /* notes are not loaded there */
		ck_assert(!elf_file_pointer(&file, 0x12, &pointer));
		ck_assert(!elf_file_pointer(&file, UINT64_MAX, &pointer));
		free_parts(&parts);
	}
}

/* A segment may claim more than the file has. */
START_TEST(offsets_are_inside_the_file)
{
	size_t phdr = sizeof(Elf64_Ehdr);
	struct elf_file file;
	struct parts parts;
	uint64_t offset = 0;

	make_parts(&parts, true, EM_X86_64);
	image_set(&parts.file, phdr + offsetof(Elf64_Phdr, p_filesz), 0x10000, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert(elf_file_offset(&file, IMAGE_ADDRESS + parts.file.length - 1, &offset));
	ck_assert_uint_eq(offset, parts.file.length - 1);
	ck_assert(!elf_file_offset(&file, IMAGE_ADDRESS + parts.file.length, &offset));
	image_set(&parts.file, phdr + offsetof(Elf64_Phdr, p_offset), UINT64_MAX, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert(!elf_file_offset(&file, IMAGE_ADDRESS + 1, &offset)); /* 0, beyond 64 bits */
	free_parts(&parts);
}

/* Starts of functions, from the header on, and where each is described. */
static struct span unwind_entries(struct buffer *header, uint32_t count)
{
	static const int32_t starts[] = { -0x100, 0x20, 0x40 };

	buffer_empty(header);
	buffer_add(header, "\1\x1b\3\x3b....", 8);
	image_add(header, count, 4);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		image_add(header, (uint32_t)starts[i], 4);
		image_add(header, 0x777, 4);
	}
	return image_span(header);
}

START_TEST(functions_start_where_unwinding_says)
{
	enum { HEADER = 0x30000 };
	struct buffer header = { 0 };
	struct elf_file file;
	struct parts parts;
	uint64_t start = 7;

	make_parts(&parts, true, EM_X86_64);
	parts.image.sections[UNWINDING].address = HEADER;
	parts.image.sections[UNWINDING].content = unwind_entries(&header, 2);
	parse_again(&parts, &file);
	ck_assert(!elf_file_start(&file, HEADER - 0x101, &start) && !elf_file_start(&file, 0, &start));
	ck_assert_uint_eq(start, 7);
	ck_assert(elf_file_start(&file, HEADER - 0x100, &start) && start == HEADER - 0x100);
	ck_assert(elf_file_start(&file, HEADER + 0x1f, &start) && start == HEADER - 0x100);
	ck_assert(elf_file_start(&file, HEADER + 0x20, &start) && start == HEADER + 0x20);
	ck_assert(elf_file_start(&file, UINT64_MAX, &start) && start == HEADER + 0x20);
	parts.image.sections[UNWINDING].content =
		unwind_entries(&header, UINT32_MAX); /* as many as are there */
	parse_again(&parts, &file);
	ck_assert(elf_file_start(&file, UINT64_MAX, &start) && start == HEADER + 0x40);
	header.bytes[3] = 0x1b;
	parse_again(&parts, &file);
	ck_assert(file.has_unwind_table && !elf_file_start(&file, HEADER + 0x20, &start));
	parts.image.sections[UNWINDING].content = span_of("\1\x1b\3\x3b....\1\0\0", 11);
	parse_again(&parts, &file);
	ck_assert(!elf_file_start(&file, HEADER + 0x20, &start));
	parts.image.sections[UNWINDING].content.end = parts.image.sections[UNWINDING].content.at;
	parse_again(&parts, &file);
	ck_assert(!file.has_unwind_table);
	buffer_free(&header);
	free_parts(&parts);
}

/* Notes of 8 bytes' alignment: a property in front, whose content is padded. */
START_TEST(notes_have_their_alignment)
{
	static const char notes[] = "\4\0\0\0\4\0\0\0\5\0\0\0GNU\0abcd\0\0\0\0"
				    "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\x01\x02\x03";
	size_t alignment = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, p_align);
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	parts.image.sections[NOTES].content = span_of(notes, sizeof(notes) - 1);
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.build_id), 0);
	image_set(&parts.file, alignment, 8, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert(span_is(file.build_id, "\x01\x02\x03"));
	image_set(&parts.file, alignment, 16, 8); /* taken as 4 */
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(span_length(file.build_id), 0);
	free_parts(&parts);
}

static void make_id(struct parts *parts, const char *name, uint32_t type, size_t bytes)
{
	buffer_empty(&parts->notes);
	image_add(&parts->notes, 4, 4);
	image_add(&parts->notes, bytes, 4);
	image_add(&parts->notes, type, 4);
	buffer_add(&parts->notes, name, 4);
	buffer_fill(&parts->notes, 'i', bytes);
	parts->image.sections[NOTES].content = image_span(&parts->notes);
}

START_TEST(build_ids_of_the_usual_length)
{
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	make_id(&parts, "GNU", NT_GNU_BUILD_ID, ELF_BUILD_ID_MAX);
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.build_id), ELF_BUILD_ID_MAX);
	make_id(&parts, "GNU", NT_GNU_BUILD_ID, ELF_BUILD_ID_MAX + 1);
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.build_id), 0);
	make_id(&parts, "GNU", NT_GNU_BUILD_ID, 20);
	parse_again(&parts, &file);
	image_set(&parts.file, offsetof(Elf64_Ehdr, e_phnum), 0, 2); /* that of the section */
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(span_length(file.build_id), 20);
	parts.image.sections[NOTES].type = SHT_PROGBITS;
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.build_id), 0);
	parts.image.sections[NOTES].type = SHT_NOTE;
	make_id(&parts, "GNU", NT_GNU_BUILD_ID + 1, 20);
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.build_id), 0);
	make_id(&parts, "XYZ", NT_GNU_BUILD_ID, 20);
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.build_id), 0);
	free_parts(&parts);
}

/* A name as long as NAME_MAX, and the checksum where it is padded to. */
START_TEST(links_are_names_of_files)
{
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	for (unsigned length = 0; length <= 256; length = length < 5     ? length + 1
							  : length < 255 ? 255
									 : length + 1) {
		bool is_name = length > 0 && length < 256;

		buffer_empty(&parts.link);
		buffer_fill(&parts.link, 'l', length);
		buffer_fill(&parts.link, '\0', 4 - length % 4);
		image_add(&parts.link, 0x12345678, 4);
		parts.image.sections[LINK].content = image_span(&parts.link);
		parse_again(&parts, &file);
		ck_assert_uint_eq(span_length(file.debug_link), is_name ? length : 0);
		ck_assert_uint_eq(file.debug_link_crc, is_name ? 0x12345678 : 0);
		parts.image.sections[LINK].content.end--; /* without all of its checksum */
		parse_again(&parts, &file);
		ck_assert_uint_eq(span_length(file.debug_link), 0);
	}
	parts.image.sections[LINK].content = span_of("a/b\0\1\0\0\0", 8);
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.debug_link), 0);
	free_parts(&parts);
}

START_TEST(sections_have_other_names_too)
{
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	parts.image.sections[GO].name = ".data.rel.ro.gopclntab";
	parts.image.sections[GO_MODULE].name = ".stapsdt.base";
	parts.image.sections[LINK].name = ".note.stapsdt";
	parse_again(&parts, &file);
	ck_assert(span_is(file.go_table, "go") && file.go_table_address == 0x500);
	ck_assert_uint_eq(file.go_module_address, 0);
	ck_assert_uint_eq(file.probe_base, 0x600);
	ck_assert_uint_eq(span_length(file.probe_notes), 12);
	ck_assert_uint_eq(span_length(file.debug_link), 0);
	parts.image.sections[GO].type = SHT_NOBITS; /* as in a debug file */
	parse_again(&parts, &file);
	ck_assert_uint_eq(span_length(file.go_table), 0);
	free_parts(&parts);
}

/* As they say before their compressed bytes: in .zdebug, or with SHF_COMPRESSED. */
START_TEST(compressed_sections_say_what_they_become)
{
	static const char old[] = "ZLIB\0\0\0\0\0\x12\x34\x56", new[24] = { 1, [8] = 0x78, 0x56, 0x34 };
	struct elf_file file;
	struct parts parts;
	uint64_t headers;

	make_parts(&parts, true, EM_X86_64);
	parse_again(&parts, &file);
	ck_assert_uint_eq(file.unpacked_bytes, 0);
	parts.image.sections[GO].name = ".zdebug_info";
	parts.image.sections[GO].content = span_of(old, 12);
	parts.image.sections[LINK].name = ".debug_line";
	parts.image.sections[LINK].content = span_of(new, sizeof(new));
	parse_again(&parts, &file);
	ck_assert_uint_eq(file.unpacked_bytes, 0x123456);
	ck_assert(span_little(image_span(&parts.file), offsetof(Elf64_Ehdr, e_shoff), 8, &headers));
	image_set(&parts.file, headers + (LINK + 1) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_flags),
		  SHF_COMPRESSED, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(file.unpacked_bytes, 0x123456 + 0x345678);
	free_parts(&parts);
}

/* Their number and that of their names in the first one, which is none. */
START_TEST(very_many_sections)
{
	size_t first, names;
	struct elf_file file;
	struct parts parts;

	for (int is_64 = 0; is_64 < 2; is_64++) {
		make_parts(&parts, is_64, EM_X86_64);
		first = parts.file.length - 13 * (is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
		names = is_64 ? offsetof(Elf64_Ehdr, e_shstrndx) : offsetof(Elf32_Ehdr, e_shstrndx);
		image_set(&parts.file, names - 2, 0, 2); /* e_shnum */
		image_set(&parts.file, names, SHN_XINDEX, 2);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_uint_eq(span_length(file.sections), 0);
		image_set(&parts.file,
			  first + (is_64 ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size)), 13,
			  4);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_uint_eq(span_length(file.sections), parts.file.length - first);
		ck_assert_uint_eq(span_length(file.section_names), 0);
		image_set(&parts.file,
			  first + (is_64 ? offsetof(Elf64_Shdr, sh_link) : offsetof(Elf32_Shdr, sh_link)), 12,
			  4);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert(span_is(file.debug_link, "x.debug"));
		image_set(&parts.file, names - 4, is_64 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr),
			  2); /* e_shentsize */
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_uint_eq(span_length(file.sections), 0);
		image_set(&parts.file, names - 8, is_64 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr),
			  2); /* e_phentsize */
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_uint_eq(span_length(file.segments), 0);
		free_parts(&parts);
	}
}

static void list_symbols(struct buffer *found, const struct elf_file *file)
{
	struct elf_symbols symbols;
	struct elf_symbol symbol;

	buffer_empty(found);
	elf_symbols_begin(&symbols, file);
	while (elf_symbols_next(&symbols, &symbol))
		buffer_print(found, "%.*s %s\n", (int)span_length(symbol.name), symbol.name.at,
			     kinds_of_symbols[symbol.kind]);
	buffer_char(found, '\0');
}

START_TEST(names_and_types_of_symbols)
{
	static const struct image_symbol more[] = {
		{ "f", TEXT, 8, GLOBAL_FUNCTION, 2 },
		{ "@", TEXT, 8, GLOBAL_FUNCTION, 2 },
		{ "@plt", TEXT, 8, GLOBAL_FUNCTION, 2 },
		{ "a@1", TEXT, 8, GLOBAL_FUNCTION, 2 },
		{ "ab@", TEXT, 8, GLOBAL_FUNCTION, 2 },
		{ "tls", 8, 8, ELF64_ST_INFO(STB_GLOBAL, STT_TLS), 2 },
		{ "common", 8, 8, ELF64_ST_INFO(STB_GLOBAL, STT_COMMON), 2 },
		{ "any", TEXT, 8, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 2 },
		{ "weak", 0, 0, ELF64_ST_INFO(STB_WEAK, STT_NOTYPE), SHN_UNDEF },
		{ "section", 0, 0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 2 },
		{ "file.c", 0, 0, ELF64_ST_INFO(STB_LOCAL, STT_FILE), SHN_ABS },
		{ "chosen", 0, 8, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), SHN_UNDEF },
	};
	struct buffer found = { 0 };
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	buffer_empty(&parts.symbols);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		image_add_symbol(true, &parts.symbols, &parts.names, &more[i]);
	parts.image.sections[SYMBOLS].content = image_span(&parts.symbols);
	parts.image.sections[NAMES].content = image_span(&parts.names);
	parse_again(&parts, &file);
	list_symbols(&found, &file);
	ck_assert_str_eq(found.bytes,
			 "f function\n@ function\n@plt function\na function\nab function\n"
			 "tls data\ncommon data\nweak elsewhere\nchosen elsewhere\nexported function\n");
	parts.image.sections[NAMES].type = SHT_PROGBITS; /* no names */
	parse_again(&parts, &file);
	list_symbols(&found, &file);
	ck_assert_str_eq(found.bytes, "exported function\n");
	buffer_free(&found);
	free_parts(&parts);
}

START_TEST(long_names_are_cut)
{
	struct symbols symbols = { 0 };
	char name[SYMBOL_NAME_MAX + 3];
	struct elf_file file;
	struct parts parts;

	for (unsigned length = SYMBOL_NAME_MAX - 1; length <= SYMBOL_NAME_MAX + 2; length++) {
		make_parts(&parts, true, EM_X86_64);
		memset(name, 'n', length);
		name[length] = '\0';
		buffer_empty(&parts.symbols);
		image_add_symbol(true, &parts.symbols, &parts.names,
				 &(struct image_symbol){ name, TEXT, 8, GLOBAL_FUNCTION, 2 });
		parts.image.sections[SYMBOLS].content = image_span(&parts.symbols);
		parts.image.sections[NAMES].content = image_span(&parts.names);
		parse_again(&parts, &file);
		ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_ALL);
		symbols_sort(&symbols);
		ck_assert_uint_eq(strlen(at(&symbols, TEXT)),
				  length < SYMBOL_NAME_MAX ? length : SYMBOL_NAME_MAX);
		ck_assert_uint_eq(symbols.n_cut, length > SYMBOL_NAME_MAX);
		symbols_free(&symbols);
		symbols = (struct symbols){ 0 };
		free_parts(&parts);
	}
}

/* The last name has no NUL, and behind it is no memory. */
START_TEST(names_end_where_the_file_does)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), sections, names, start;
	struct buffer found = { 0 };
	struct elf_file file;
	struct parts parts;
	char *memory;

	make_parts(&parts, true, EM_X86_64);
	sections = parts.file.length - 13 * sizeof(Elf64_Shdr);
	names = sections + (NAMES + 1) * sizeof(Elf64_Shdr);
	image_set(&parts.file, names + offsetof(Elf64_Shdr, sh_offset), parts.file.length, 8);
	image_set(&parts.file, names + offsetof(Elf64_Shdr, sh_size), parts.names.length - 1, 8);
	buffer_add(&parts.file, parts.names.bytes, parts.names.length - 1);
	ck_assert_uint_le(parts.file.length, page);
	memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + page, page, PROT_NONE), 0);
	start = page - parts.file.length;
	memcpy(memory + start, parts.file.bytes, parts.file.length);
	ck_assert(elf_file_parse(&file, span_of(memory + start, parts.file.length)));
	list_symbols(&found, &file);
	ck_assert_ptr_nonnull(
		strstr(found.bytes, "sizeless function\nabsolute function\nexported function\n"));
	munmap(memory, 2 * page);
	buffer_free(&found);
	free_parts(&parts);
}

/* Without a table of sections, build-id and unwinding are those of the segments. */
START_TEST(segments_have_notes_too)
{
	struct symbols symbols = { 0 };
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	image_set(&parts.file, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert(span_is(file.build_id, "\x01\x02\x03"));
	ck_assert(file.has_unwind_table);
	ck_assert_uint_eq(span_length(file.go_table), 0);
	ck_assert_uint_eq(span_length(file.debug_link), 0);
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_NONE);
	ck_assert_uint_eq(span_length(file.sections), 0);
	for (unsigned more = 0; more < 2; more++) { /* where the file ends, or beyond, they are no tables */
		image_set(&parts.file, offsetof(Elf64_Ehdr, e_shoff), parts.file.length + more, 8);
		image_set(&parts.file, offsetof(Elf64_Ehdr, e_phoff), parts.file.length + more, 8);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_uint_eq(span_length(file.sections), 0);
		ck_assert_uint_eq(span_length(file.segments), 0);
		ck_assert_uint_eq(span_length(file.build_id), 0);
	}
	image_set(&parts.file, offsetof(Elf64_Ehdr, e_phoff), 0, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(span_length(file.segments), 0);
	free_parts(&parts);
}

/* A table of segments is read up to 1024 of them, and each section alone, whichever is the last. */
START_TEST(tables_are_read_as_far_as_they_go)
{
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	buffer_fill(&parts.file, '\0', 2000 * sizeof(Elf64_Phdr));
	for (uint64_t count = 1023; count <= 1026; count++) {
		image_set(&parts.file, offsetof(Elf64_Ehdr, e_phnum), count, 2);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert_uint_eq(span_length(file.segments),
				  (count < 1024 ? count : 1024) * sizeof(Elf64_Phdr));
	}
	image_set(&parts.file, offsetof(Elf64_Ehdr, e_shnum), 12, 2); /* without that of the names */
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(span_length(file.section_names), 0);
	ck_assert_uint_eq(span_length(file.debug_link), 0);
	free_parts(&parts);
}

START_TEST(other_files_are_refused)
{
	static const struct {
		unsigned offset;
		uint8_t value;
	} changes[] = {
		{ 0, 0 },          { EI_CLASS, 0 }, { EI_CLASS, 3 }, { EI_DATA, ELFDATA2MSB },
		{ EI_VERSION, 0 }, { 16, ET_REL },  { 16, ET_CORE }, { 18, EM_S390 },
		{ 20, 2 },
	};
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char before = parts.file.bytes[changes[i].offset];

		parts.file.bytes[changes[i].offset] = (char)changes[i].value;
		ck_assert_msg(!elf_file_parse(&file, image_span(&parts.file)), "change %zu", i);
		parts.file.bytes[changes[i].offset] = before;
	}
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	parts.file.bytes[16] = ET_EXEC;
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert(elf_file_parse(&file, span_of(parts.file.bytes, sizeof(Elf64_Ehdr))));
	ck_assert(!elf_file_parse(&file, span_of(parts.file.bytes, sizeof(Elf64_Ehdr) - 1)));
	ck_assert(!elf_file_parse(&file, span_of(NULL, 0)));
	ck_assert(!elf_file_parse(&file, span_of("#!/bin/sh\n", 10)));
	free_parts(&parts);
}

/* Everything that the parser does, with what it found. */
static void use_all(struct span bytes)
{
	struct symbols symbols = { 0 };
	struct elf_file file;
	uint64_t value;

	if (elf_file_parse(&file, bytes)) {
		elf_file_functions(&file, &symbols);
		elf_file_address(&file, 0x100, &value);
		elf_file_pointer(&file, IMAGE_ADDRESS + 0x3000, &value);
		elf_file_pointer(&file, TEXT, &value);
	}
	symbols_sort(&symbols);
	symbols_free(&symbols);
}

/* Every cut, and every byte of the header and the tables changed. In memory of its own, for the sanitizer. */
START_TEST(broken_files_do_no_harm)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0xff };

	for (size_t kind = 0; kind < N_KINDS; kind += 3) {
		struct parts parts;

		make_parts(&parts, kinds[kind].is_64, kinds[kind].machine);
		for (size_t length = 0; length < parts.file.length; length++) {
			char *copy = malloc(length + 1);

			memcpy(copy, parts.file.bytes, length);
			use_all(span_of(copy, length));
			free(copy);
		}
		for (size_t i = EI_NIDENT; i < parts.file.length; i++) {
			char before = parts.file.bytes[i];

			for (size_t v = 0; v < sizeof(values); v++) {
				parts.file.bytes[i] = (char)values[v];
				use_all(image_span(&parts.file));
			}
			parts.file.bytes[i] = before;
		}
		free_parts(&parts);
	}
}

/* 2^60 symbols, notes of 2^32 bytes, names outside: what the file does not have is left out. */
START_TEST(counts_and_offsets_are_not_trusted)
{
	size_t sections, section, phdr = sizeof(Elf64_Ehdr);
	struct symbols symbols = { 0 };
	struct elf_file file;
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	sections = parts.file.length - 13 * sizeof(Elf64_Shdr);
	section = sections + (SYMBOLS + 1) * sizeof(Elf64_Shdr);
	image_set(&parts.file, section + offsetof(Elf64_Shdr, sh_size), UINT64_C(24) << 56, 8);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_DYNAMIC);
	symbols_free(&symbols);
	image_set(&parts.file, section + offsetof(Elf64_Shdr, sh_link), UINT32_MAX, 4);
	image_set(&parts.file, offsetof(Elf64_Ehdr, e_shstrndx), 0xff00, 2);
	image_set(&parts.file, offsetof(Elf64_Ehdr, e_shnum), 0xfff0, 2);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(span_length(file.sections), 13 * sizeof(Elf64_Shdr));
	ck_assert_uint_eq(span_length(file.section_names), 0);
	ck_assert(span_is(file.build_id, "\x01\x02\x03"));
	image_set(&parts.file, phdr + offsetof(Elf64_Phdr, p_vaddr), UINT64_MAX, 8);
	image_set(&parts.file, phdr + offsetof(Elf64_Phdr, p_filesz), UINT64_MAX, 8);
	use_all(image_span(&parts.file));
	image_set(&parts.file, image_offset(&parts.image, NOTES), UINT32_MAX, 4);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	ck_assert_uint_eq(span_length(file.build_id), 0);
	free_parts(&parts);
}

/* A megabyte of headers of sections, each of which claims to be a table of all the file. */
START_TEST(overlapping_tables_are_read_once)
{
	size_t n = 16384, bytes = sizeof(Elf64_Ehdr) + n * sizeof(Elf64_Shdr);
	static const uint32_t types[] = { SHT_SYMTAB, SHT_NOTE, SHT_RELA };
	struct buffer file = { 0 };
	struct parts parts;

	make_parts(&parts, true, EM_X86_64);
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		buffer_empty(&file);
		buffer_add(&file, parts.file.bytes, sizeof(Elf64_Ehdr));
		image_set(&file, offsetof(Elf64_Ehdr, e_shoff), sizeof(Elf64_Ehdr), 8);
		image_set(&file, offsetof(Elf64_Ehdr, e_shnum), n, 2);
		for (size_t i = 0; i < n; i++) {
			bool is_names = i == 0;

			image_add(&file, 0, 4);
			image_add(&file, is_names ? SHT_STRTAB : types[t], 4);
			image_add(&file, 0, 8);
			image_add(&file, 0, 8);
			image_add(&file, 0, 8);
			image_add(&file, bytes, 8);
			buffer_fill(&file, '\0', 24); /* the names are the first section */
		}
		use_all(image_span(&file));
	}
	buffer_free(&file);
	free_parts(&parts);
}

/* A file of this machine. */
struct mapped {
	struct span bytes;
	struct elf_file file;
};

static void map_file(struct mapped *mapped, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	void *bytes;

	ck_assert_msg(fd >= 0 && fstat(fd, &status) == 0, "%s", path);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	close(fd);
	mapped->bytes = span_of(bytes, (size_t)status.st_size);
	if (!elf_file_parse(&mapped->file, mapped->bytes))
		skip_test("files of this architecture are not read");
}

static void unmap_file(struct mapped *mapped)
{
	munmap((void *)(uintptr_t)mapped->bytes.at, span_length(mapped->bytes));
}

/* Where the C library is. */
static const char *library(void)
{
	Dl_info info;

	ck_assert_int_ne(dladdr(dlsym(RTLD_DEFAULT, "getsubopt"), &info), 0);
	return info.dli_fname;
}

/* Compares with nm every function that it lists; the number of them. */
static unsigned compare_with_nm(const char *path, const char *option, const struct symbols *symbols)
{
	char line[4096];
	unsigned n = 0, n_same = 0;
	FILE *output;

	output = popen(textf("nm %s -S --defined-only '%s'", option, path), "r");
	ck_assert_ptr_nonnull(output);
	while (fgets(line, sizeof(line), output)) {
		struct span rest = span_of(line, strcspn(line, "\n@")), type, name;
		uint64_t address, bytes, offset;
		const char *found;

		if (!span_hex(&rest, &address) || !span_hex(&rest, &bytes) || !span_word(&rest, &type) ||
		    !span_word(&rest, &name) || !strchr("tTiW", *type.at) || bytes == 0)
			continue;
		found = symbols_find(symbols, address, &offset);
		ck_assert_msg(found && offset == 0, "%s: %s", path, line);
		ck_assert_msg(symbols_find(symbols, address + bytes - 1, &offset) != NULL, "%s: %s", path,
			      line);
		n_same += span_is(name, found);
		n++;
	}
	pclose(output);
	ck_assert_msg(2 * n_same >= n, "%s: of %u names %u are the same", path, n, n_same);
	return n;
}

static void need_nm(void)
{
	if (system("command -v nm >/dev/null") != 0)
		skip_test("nm is not installed");
}

START_TEST(this_program_is_read_as_nm_reads_it)
{
	struct symbols symbols = { 0 };
	struct mapped program;
	char path[4096] = "";
	enum elf_table table;

	need_nm();
	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	map_file(&program, path);
	table = elf_file_functions(&program.file, &symbols);
	symbols_sort(&symbols);
	if (table == ELF_TABLE_ALL)
		ck_assert_uint_gt(compare_with_nm(path, "", &symbols), 100);
	ck_assert_uint_eq(symbols.n_left_out, 0);
	symbols_free(&symbols);
	unmap_file(&program);
}

START_TEST(libraries_and_a_shell_are_read_as_nm_reads_them)
{
	const char *paths[] = { library(), "/bin/sh" };

	need_nm();
	for (size_t i = 0; i < 2; i++) {
		struct symbols symbols = { 0 };
		struct mapped mapped;
		enum elf_table table;

		map_file(&mapped, paths[i]);
		table = elf_file_functions(&mapped.file, &symbols);
		symbols_sort(&symbols);
		if (i == 0 || table != ELF_TABLE_NONE)
			ck_assert_uint_gt(
				compare_with_nm(paths[i], table == ELF_TABLE_ALL ? "" : "-D", &symbols),
				i == 0 ? 100 : 0);
		symbols_free(&symbols);
		unmap_file(&mapped);
	}
}

/* The way of a sample: address, mapping, offset in the file, address in the file, name. */
START_TEST(an_address_of_this_program_has_its_name)
{
	uint64_t wanted = (uint64_t)(uintptr_t)symbols_find, address = 0, offset = 1;
	static char text[1 << 16];
	struct symbols symbols = { 0 };
	struct maps_region region;
	struct mapped program;
	struct span rest;
	FILE *maps = fopen("/proc/self/maps", "r");

	map_file(&program, "/proc/self/exe");
	rest = span_of(text, fread(text, 1, sizeof(text), maps));
	fclose(maps);
	while (maps_next(&rest, &region))
		if (wanted >= region.start && wanted < region.end)
			break;
	ck_assert(elf_file_address(&program.file, wanted - region.start + region.offset, &address));
	if (elf_file_functions(&program.file, &symbols) != ELF_TABLE_ALL)
		skip_test("this program is stripped");
	symbols_sort(&symbols);
	ck_assert_str_eq(at(&symbols, address), "symbols_find");
	symbols_find(&symbols, address, &offset);
	ck_assert_uint_eq(offset, 0);
	symbols_free(&symbols);
	unmap_file(&program);
}

/* Prints the build-id as file(1) and readelf do. */
static void print_id(struct span id, char *text)
{
	for (; id.at < id.end; id.at++)
		text += sprintf(text, "%02x", (unsigned char)*id.at);
}

START_TEST(readelf_reads_the_same_build_id)
{
	const char *path = library();
	char command[4096], line[4096], id[2 * ELF_BUILD_ID_MAX + 1] = "";
	struct mapped mapped;
	bool found = false;
	FILE *output;

	if (system("command -v readelf >/dev/null") != 0)
		skip_test("readelf is not installed");
	map_file(&mapped, path);
	ck_assert(mapped.file.has_unwind_table || mapped.file.machine == EM_ARM);
	if (span_length(mapped.file.build_id) == 0)
		skip_test("libraries have no build-id here");
	print_id(mapped.file.build_id, id);
	snprintf(command, sizeof(command), "readelf -n '%s'", path);
	output = popen(command, "r");
	ck_assert_ptr_nonnull(output);
	while (fgets(line, sizeof(line), output))
		found |= strstr(line, "Build ID: ") && strstr(line, id);
	pclose(output);
	ck_assert_msg(found, "%s has %s", path, id);
	unmap_file(&mapped);
}
