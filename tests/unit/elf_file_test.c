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

static void make_parts(struct parts *parts, bool is_64, uint16_t machine)
{
	static const char table[] = "go", module[8] = "\x78\x56\x34\x12";
	unsigned word = is_64 ? 8 : 4;

	*parts = (struct parts){ 0 };
	make_notes(&parts->notes);
	buffer_add(&parts->link, "x.debug\0\x78\x56\x34\x12", 12);
	for (size_t i = 0; i < sizeof(all_symbols) / sizeof(all_symbols[0]); i++)
		image_add_symbol(is_64, &parts->symbols, &parts->names, &all_symbols[i]);
	image_add_symbol(is_64, &parts->exported, &parts->exported_names,
			 &(struct image_symbol){ "exported", TEXT, 0x20, GLOBAL_FUNCTION, 2 });
	image_add(&parts->relocations, IMAGE_ADDRESS + 0x3000, word);
	image_add(&parts->relocations, machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE, word);
	image_add(&parts->relocations, TEXT + 4, word);
	parts->image = (struct image){ .is_64 = is_64, .machine = machine, .type = ET_DYN };
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
	ck_assert(!elf_file_offset(&file, TEXT + 20, &offset));
	ck_assert(!elf_file_offset(&file, 0, &offset));
	ck_assert(!elf_file_offset(&file, UINT64_MAX, &offset));
	free_parts(&parts);
}

START_TEST(pointers_are_those_of_the_loaded_file)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };

	for (size_t i = 0; i < 2; i++) {
		uint64_t pointer = 0, module;
		struct elf_file file;
		struct parts parts;

		make_parts(&parts, true, machines[i]);
		ck_assert(elf_file_parse(&file, image_span(&parts.file)));
		ck_assert(elf_file_pointer(&file, IMAGE_ADDRESS + 0x3000, &pointer)); /* of a relocation */
		ck_assert_uint_eq(pointer, TEXT + 4);
		module = IMAGE_ADDRESS + image_offset(&parts.image, GO_MODULE);
		ck_assert(elf_file_pointer(&file, module, &pointer));
		ck_assert_uint_eq(pointer, 0x12345678);
		ck_assert(!elf_file_pointer(&file, 0x12, &pointer));
		ck_assert(!elf_file_pointer(&file, UINT64_MAX, &pointer));
		free_parts(&parts);
	}
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
	char command[4096], line[4096];
	unsigned n = 0, n_same = 0;
	FILE *output;

	snprintf(command, sizeof(command), "nm %s -S --defined-only '%s'", option, path);
	output = popen(command, "r");
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
