/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the reader of ELF files: made here, hostile, and those of this machine. */
#include "suite.h"

#include <dlfcn.h>
#include <elf.h>

#include "elf_image.h"
#include "kernel/code/elf_file.h"

#define TEXT 0x21000
#define GLOBAL_FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNCTION ELF64_ST_INFO(STB_LOCAL, STT_FUNC)

/* What the file of a test is made of, and how it was read; each test has a process of its own. */
static struct {
	struct image image;
	struct buffer notes, link, symbols, names, exported, exported_names, relocations, file;
} parts;
static struct elf_file file;

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

static void add_relocation(uint64_t address, uint32_t type, uint64_t addend)
{
	IMAGE_ADD(&parts.relocations, parts.image.is_64, "www", address, type, addend);
}

/* Reads it again after some of its bytes have changed. */
static void read_again(void)
{
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
}

/* The same after a part has changed. */
static void write_again(void)
{
	image_write(&parts.file, &parts.image);
	read_again();
}

static void set_part(enum section section, struct span content)
{
	parts.image.sections[section].content = content;
	write_again();
}

static void set(size_t offset, uint64_t value, unsigned bytes)
{
	image_set(&parts.file, offset, value, bytes);
}

static void make_file(bool is_64, uint16_t machine)
{
	static const char module[8] = "\x78\x56\x34\x12";
	struct buffer *buffers[] = {
		&parts.notes,	 &parts.link,		&parts.symbols,	    &parts.names,
		&parts.exported, &parts.exported_names, &parts.relocations, &parts.file,
	};

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		buffer_empty(buffers[i]);
	parts.image = (struct image){ .is_64 = is_64, .machine = machine, .type = ET_DYN };
	make_notes(&parts.notes);
	buffer_add(&parts.link, "x.debug\0\x78\x56\x34\x12", 12);
	for (size_t i = 0; i < sizeof(all_symbols) / sizeof(all_symbols[0]); i++)
		image_add_symbol(is_64, &parts.symbols, &parts.names, &all_symbols[i]);
	image_add_symbol(is_64, &parts.exported, &parts.exported_names,
			 &(struct image_symbol){ "exported", TEXT, 0x20, GLOBAL_FUNCTION, 2 });
	add_relocation(IMAGE_ADDRESS + 0x3000, relative_type(machine) - 1, TEXT + 8); /* another type */
	add_relocation(IMAGE_ADDRESS + 0x3004, relative_type(machine), TEXT + 12);
	add_relocation(IMAGE_ADDRESS + 0x3000, relative_type(machine), TEXT + 4);
	memcpy(parts.image.sections,
	       (struct image_section[]){
		       { ".note.gnu.build-id", SHT_NOTE, 0, image_span(&parts.notes), 0x200 },
		       { ".text", SHT_PROGBITS, 0, span_of("code of this program", 20), TEXT },
		       { ".eh_frame_hdr", SHT_PROGBITS, 0, span_of("\1\x1b\3\x3b", 4), 0x400 },
		       { ".gnu_debuglink", SHT_PROGBITS, 0, image_span(&parts.link), 0 },
		       { ".symtab", SHT_SYMTAB, NAMES + 1, image_span(&parts.symbols), 0 },
		       { ".strtab", SHT_STRTAB, 0, image_span(&parts.names), 0 },
		       { ".dynsym", SHT_DYNSYM, EXPORTED_NAMES + 1, image_span(&parts.exported), 0 },
		       { ".dynstr", SHT_STRTAB, 0, image_span(&parts.exported_names), 0 },
		       { ".gopclntab", SHT_PROGBITS, 0, span_of("go", 2), 0x500 },
		       { ".go.module", SHT_PROGBITS, 0, span_of(module, 8), 0x600 },
		       { ".rela.dyn", SHT_RELA, 0, image_span(&parts.relocations), 0 },
	       },
	       11 * sizeof(parts.image.sections[0]));
	write_again();
}

static void make_usual(void)
{
	make_file(true, EM_X86_64);
}

static const char *at(const struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const char *name = symbols_find(symbols, address, &offset);

	return name ? name : "-";
}

static const char *listed_symbols(void)
{
	static const char *const names[] = { [ELF_SYMBOL_FUNCTION] = "function",
					     [ELF_SYMBOL_CHOOSER] = "chooser",
					     [ELF_SYMBOL_DATA] = "data",
					     [ELF_SYMBOL_ELSEWHERE] = "elsewhere" };
	struct elf_symbols symbols;
	struct elf_symbol symbol;
	const char *text = "";

	elf_symbols_begin(&symbols, &file);
	while (elf_symbols_next(&symbols, &symbol))
		text = textf("%s%.*s %s %llx\n", text, (int)span_length(symbol.name), symbol.name.at,
			     names[symbol.kind], (unsigned long long)symbol.address);
	return text;
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
		make_file(kinds[i].is_64, kinds[i].machine);
		ck_assert(file.is_64 == kinds[i].is_64 && file.machine == kinds[i].machine);
		ck_assert_uint_eq(file.entry, IMAGE_ADDRESS);
		ck_assert(span_is(file.build_id, "\x01\x02\x03"));
		ck_assert(span_is(file.debug_link, "x.debug") && file.debug_link_crc == 0x12345678);
		ck_assert(file.has_unwind_table && file.text_address == TEXT);
		ck_assert(span_is(file.go_table, "go") && file.go_table_address == 0x500);
		ck_assert_uint_eq(file.go_module_address, 0x600);
	}
}

START_TEST(functions_are_those_of_symtab)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		bool is_arm = kinds[i].machine == EM_ARM; /* one of Thumb begins a byte before its address */
		struct symbols symbols = { 0 };

		make_file(kinds[i].is_64, kinds[i].machine);
		ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_ALL);
		symbols_sort(&symbols);
		ck_assert_uint_eq(symbols.count, 3);
		ck_assert_str_eq(textf("%s %s %s %s %s %s", at(&symbols, TEXT), at(&symbols, TEXT + 0xf),
				       at(&symbols, TEXT + 0x10), at(&symbols, TEXT + 0x11),
				       at(&symbols, TEXT + 0x30), at(&symbols, TEXT + 0x40)),
				 is_arm ? "start start helper helper - copy" : "start start - helper - copy");
		ck_assert_str_eq(textf("%s %s %s", at(&symbols, TEXT + 0x50), at(&symbols, TEXT + 0x60),
				       at(&symbols, 0)),
				 "- - -");
		ck_assert_str_eq(listed_symbols(), textf("start function 21000\n"
							 "__start function 21000\n"
							 "helper function %s\n"
							 "copy chooser 21040\n"
							 "imported elsewhere 0\n"
							 "variable data 21030\n"
							 "sizeless function 21050\n"
							 "absolute function 21060\n"
							 "exported function 21000\n",
							 is_arm ? "21010" : "21011"));
		symbols_free(&symbols);
	}
}

START_TEST(without_symtab_they_are_those_of_dynsym)
{
	struct symbols symbols = { 0 };

	make_usual();
	set_part(SYMBOLS, span_of(parts.symbols.bytes, 24)); /* none */
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_DYNAMIC);
	symbols_sort(&symbols);
	ck_assert_str_eq(at(&symbols, TEXT + 0x1f), "exported");
	symbols_free(&symbols);
	parts.image.sections[EXPORTED].type = SHT_NOBITS; /* as in debug files */
	write_again();
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_NONE);
	ck_assert_uint_eq(symbols.count, 0);
}

#define NONE UINT64_MAX
#define FOUND(function, value) (function(&file, value, &found) ? found : NONE)

/* Makes the file; where this section is in it. */
static uint64_t made_offset(bool is_64, uint16_t machine, enum section section)
{
	make_file(is_64, machine);
	return image_offset(&parts.image, section);
}

START_TEST(offsets_have_addresses_and_addresses_offsets)
{
	uint64_t text = made_offset(true, EM_X86_64, TEXT_SECTION), notes = image_offset(&parts.image, NOTES);
	const uint64_t addresses[][2] = {
		{ text, TEXT },
		{ text + 19, TEXT + 19 },
		{ text + 20, IMAGE_ADDRESS + text + 20 }, /* in the other segment alone */
		{ text - 1, IMAGE_ADDRESS + text - 1 },
		{ 0, IMAGE_ADDRESS },
		{ notes, IMAGE_ADDRESS + notes }, /* they are loaded as all else */
		{ parts.file.length, NONE },
		{ UINT64_MAX, NONE },
	};
	const uint64_t offsets[][2] = {
		{ TEXT + 19, text + 19 }, { TEXT, text },     { IMAGE_ADDRESS, 0 },
		{ TEXT + 20, NONE },      { TEXT - 1, NONE }, { IMAGE_ADDRESS - 1, NONE },
		{ 0, NONE },              { 0x200, NONE }, /* notes are not loaded there */
		{ UINT64_MAX, NONE },
	};
	uint64_t found;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		ck_assert_msg(FOUND(elf_file_address, addresses[i][0]) == addresses[i][1], "offset %zu", i);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		ck_assert_msg(FOUND(elf_file_offset, offsets[i][0]) == offsets[i][1], "address %zu", i);
}

START_TEST(pointers_are_those_of_the_loaded_file)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		bool is_64 = kinds[i].is_64;
		uint64_t module = made_offset(is_64, kinds[i].machine, GO_MODULE),
			end = TEXT + (is_64 ? 12 : 16);
		const uint64_t cases[][2] = {
			{ IMAGE_ADDRESS + 0x3000, TEXT + 4 }, /* of a relocation */
			{ IMAGE_ADDRESS + module, 0x12345678 },
			{ end, is_64 ? 0x6d6172676f727020 : 0x6d617267 }, /* " program" */
			{ end + 1, NONE },
			{ TEXT, is_64 ? 0x20666f2065646f63 : 0x65646f63 }, /* "code of " */
			{ TEXT - 1, NONE },
			{ IMAGE_ADDRESS + 0x3001, NONE },
			{ 0x200, NONE }, /* notes are not loaded there */
			{ UINT64_MAX, NONE },
		};
		uint64_t found;

		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
			ck_assert_msg(FOUND(elf_file_pointer, cases[k][0]) == cases[k][1],
				      "kind %zu, pointer %zu", i, k);
	}
}

/* A segment may claim more than the file has. */
START_TEST(offsets_are_inside_the_file)
{
	size_t phdr = sizeof(Elf64_Ehdr);
	uint64_t offset = 0;

	make_usual();
	set(phdr + offsetof(Elf64_Phdr, p_filesz), 0x10000, 8);
	read_again();
	ck_assert(elf_file_offset(&file, IMAGE_ADDRESS + parts.file.length - 1, &offset));
	ck_assert_uint_eq(offset, parts.file.length - 1);
	ck_assert(!elf_file_offset(&file, IMAGE_ADDRESS + parts.file.length, &offset));
	set(phdr + offsetof(Elf64_Phdr, p_offset), UINT64_MAX, 8);
	read_again();
	ck_assert(!elf_file_offset(&file, IMAGE_ADDRESS + 1, &offset)); /* 0, beyond 64 bits */
}

/* Starts of functions, from the header on, and where each is described. */
static struct span unwind_entries(struct buffer *header, uint32_t count)
{
	static const int32_t starts[] = { -0x100, 0x20, 0x40 };

	buffer_empty(header);
	buffer_add(header, "\1\x1b\3\x3b....", 8);
	image_add(header, count, 4);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		IMAGE_ADD(header, true, "44", (uint32_t)starts[i], 0x777);
	return image_span(header);
}

START_TEST(functions_start_where_unwinding_says)
{
	enum { HEADER = 0x30000 };
	static const struct {
		uint32_t count;
		uint64_t address, start;
	} cases[] = {
		{ 2, HEADER - 0x101, NONE },           { 2, 0, NONE },
		{ 2, HEADER - 0x100, HEADER - 0x100 }, { 2, HEADER + 0x1f, HEADER - 0x100 },
		{ 2, HEADER + 0x20, HEADER + 0x20 },   { 2, UINT64_MAX, HEADER + 0x20 },
		{ UINT32_MAX, UINT64_MAX, HEADER + 0x40 }, /* as many as are there */
	};
	struct buffer header = { 0 };
	uint64_t found;

	make_usual();
	parts.image.sections[UNWINDING].address = HEADER;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_part(UNWINDING, unwind_entries(&header, cases[i].count));
		ck_assert_msg(FOUND(elf_file_start, cases[i].address) == cases[i].start, "case %zu", i);
	}
	header.bytes[3] = 0x1b;
	write_again();
	ck_assert(file.has_unwind_table && FOUND(elf_file_start, HEADER + 0x20) == NONE);
	set_part(UNWINDING, span_of("\1\x1b\3\x3b....\1\0\0", 11));
	ck_assert(FOUND(elf_file_start, HEADER + 0x20) == NONE);
	set_part(UNWINDING, span_of("", 0));
	ck_assert(!file.has_unwind_table);
	buffer_free(&header);
}

/* Notes of 8 bytes' alignment: a property in front, whose content is padded. 16 is taken as 4. */
START_TEST(notes_have_their_alignment)
{
	static const char notes[] = "\4\0\0\0\4\0\0\0\5\0\0\0GNU\0abcd\0\0\0\0"
				    "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\x01\x02\x03";

	make_usual();
	set_part(NOTES, span_of(notes, sizeof(notes) - 1));
	for (unsigned alignment = 4; alignment <= 16; alignment *= 2) {
		set(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, p_align), alignment, 8);
		read_again();
		ck_assert(span_is(file.build_id, alignment == 8 ? "\x01\x02\x03" : ""));
	}
}

START_TEST(build_ids_of_the_usual_length)
{
	static const struct {
		const char *name;
		uint32_t note, section, bytes, found;
	} cases[] = {
		{ "GNU", NT_GNU_BUILD_ID, SHT_NOTE, ELF_BUILD_ID_MAX, ELF_BUILD_ID_MAX },
		{ "GNU", NT_GNU_BUILD_ID, SHT_NOTE, ELF_BUILD_ID_MAX + 1, 0 },
		{ "GNU", NT_GNU_BUILD_ID, SHT_NOTE, 20, 20 },
		{ "GNU", NT_GNU_BUILD_ID, SHT_PROGBITS, 20, 0 },
		{ "GNU", NT_GNU_BUILD_ID + 1, SHT_NOTE, 20, 0 },
		{ "XYZ", NT_GNU_BUILD_ID, SHT_NOTE, 20, 0 },
	};

	make_usual();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buffer_empty(&parts.notes);
		IMAGE_ADD(&parts.notes, true, "444", 4, cases[i].bytes, cases[i].note);
		buffer_add(&parts.notes, cases[i].name, 4);
		buffer_fill(&parts.notes, 'i', cases[i].bytes);
		parts.image.sections[NOTES].type = cases[i].section;
		set_part(NOTES, image_span(&parts.notes));
		set(offsetof(Elf64_Ehdr, e_phnum), 0, 2); /* without segments, that of the section */
		read_again();
		ck_assert_msg(span_length(file.build_id) == cases[i].found, "case %zu", i);
	}
}

/* A name as long as NAME_MAX, and the checksum where it is padded to. */
START_TEST(links_are_names_of_files)
{
	static const unsigned lengths[] = { 0, 1, 3, 4, 5, 255, 256 };

	make_usual();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		unsigned length = lengths[i];
		bool is_name = length > 0 && length < 256;

		buffer_empty(&parts.link);
		buffer_fill(&parts.link, 'l', length);
		buffer_fill(&parts.link, '\0', 4 - length % 4);
		image_add(&parts.link, 0x12345678, 4);
		set_part(LINK, image_span(&parts.link));
		ck_assert_uint_eq(span_length(file.debug_link), is_name ? length : 0);
		ck_assert_uint_eq(file.debug_link_crc, is_name ? 0x12345678 : 0);
		set_part(LINK, span_of(parts.link.bytes, parts.link.length - 1)); /* its checksum is cut */
		ck_assert_uint_eq(span_length(file.debug_link), 0);
	}
	set_part(LINK, span_of("a/b\0\1\0\0\0", 8));
	ck_assert_uint_eq(span_length(file.debug_link), 0);
}

START_TEST(sections_have_other_names_too)
{
	make_usual();
	parts.image.sections[GO].name = ".data.rel.ro.gopclntab";
	parts.image.sections[GO_MODULE].name = ".stapsdt.base";
	parts.image.sections[LINK].name = ".note.stapsdt";
	write_again();
	ck_assert(span_is(file.go_table, "go") && file.go_table_address == 0x500);
	ck_assert(file.go_module_address == 0 && file.probe_base == 0x600);
	ck_assert(span_length(file.probe_notes) == 12 && span_length(file.debug_link) == 0);
	parts.image.sections[GO].type = SHT_NOBITS; /* as in a debug file */
	write_again();
	ck_assert_uint_eq(span_length(file.go_table), 0);
}

/* As they say before their compressed bytes: in .zdebug, or with SHF_COMPRESSED. */
START_TEST(compressed_sections_say_what_they_become)
{
	static const char old[] = "ZLIB\0\0\0\0\0\x12\x34\x56", new[24] = { 1, [8] = 0x78, 0x56, 0x34 };
	uint64_t headers;

	make_usual();
	ck_assert_uint_eq(file.unpacked_bytes, 0);
	parts.image.sections[GO].name = ".zdebug_info";
	parts.image.sections[LINK].name = ".debug_line";
	set_part(GO, span_of(old, 12));
	set_part(LINK, span_of(new, sizeof(new)));
	ck_assert_uint_eq(file.unpacked_bytes, 0x123456);
	ck_assert(span_little(image_span(&parts.file), offsetof(Elf64_Ehdr, e_shoff), 8, &headers));
	set(headers + (LINK + 1) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_flags), SHF_COMPRESSED, 8);
	read_again();
	ck_assert_uint_eq(file.unpacked_bytes, 0x123456 + 0x345678);
}

static void set_symbols(const struct image_symbol *symbols, size_t n)
{
	buffer_empty(&parts.symbols);
	for (size_t i = 0; i < n; i++)
		image_add_symbol(true, &parts.symbols, &parts.names, &symbols[i]);
	parts.image.sections[SYMBOLS].content = image_span(&parts.symbols);
	set_part(NAMES, image_span(&parts.names));
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

	make_usual();
	set_symbols(more, sizeof(more) / sizeof(more[0]));
	ck_assert_str_eq(listed_symbols(),
			 "f function 21000\n@ function 21000\n@plt function 21000\na function 21000\n"
			 "ab function 21000\ntls data 8\ncommon data 8\nweak elsewhere 0\n"
			 "chosen elsewhere 0\nexported function 21000\n");
	parts.image.sections[NAMES].type = SHT_PROGBITS; /* no names */
	write_again();
	ck_assert_str_eq(listed_symbols(), "exported function 21000\n");
}

/* The last name has no NUL, and behind it is no memory. */
START_TEST(names_end_where_the_file_does)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), names, start;
	char *memory;

	make_usual();
	names = parts.file.length - (13 - (NAMES + 1)) * sizeof(Elf64_Shdr);
	set(names + offsetof(Elf64_Shdr, sh_offset), parts.file.length, 8);
	set(names + offsetof(Elf64_Shdr, sh_size), parts.names.length - 1, 8);
	buffer_add(&parts.file, parts.names.bytes, parts.names.length - 1);
	ck_assert_uint_le(parts.file.length, page);
	memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + page, page, PROT_NONE), 0);
	start = page - parts.file.length;
	memcpy(memory + start, parts.file.bytes, parts.file.length);
	ck_assert(elf_file_parse(&file, span_of(memory + start, parts.file.length)));
	ck_assert_ptr_nonnull(strstr(listed_symbols(), "absolute function 21060\nexported function 21000\n"));
	munmap(memory, 2 * page);
}

/* Without a table of sections, build-id and unwinding are those of the segments. */
START_TEST(segments_have_notes_too)
{
	struct symbols symbols = { 0 };

	make_usual();
	set(offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	read_again();
	ck_assert(span_is(file.build_id, "\x01\x02\x03") && file.has_unwind_table);
	ck_assert(span_length(file.go_table) == 0 && span_length(file.debug_link) == 0);
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_NONE);
	for (unsigned more = 0; more < 2; more++) { /* where the file ends, or beyond, they are no tables */
		set(offsetof(Elf64_Ehdr, e_shoff), parts.file.length + more, 8);
		set(offsetof(Elf64_Ehdr, e_phoff), parts.file.length + more, 8);
		read_again();
		ck_assert(span_length(file.sections) == 0 && span_length(file.segments) == 0);
		ck_assert_uint_eq(span_length(file.build_id), 0);
	}
}

START_TEST(other_files_are_refused)
{
	static const struct {
		unsigned offset;
		uint8_t value;
	} changes[] = {
		{ 0, 0 },          { EI_CLASS, 0 }, { EI_CLASS, 3 }, { EI_DATA, ELFDATA2MSB }, { 20, 2 },
		{ EI_VERSION, 0 }, { 16, ET_REL },  { 16, ET_CORE }, { 18, EM_S390 },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		make_usual();
		parts.file.bytes[changes[i].offset] = (char)changes[i].value;
		ck_assert_msg(!elf_file_parse(&file, image_span(&parts.file)), "change %zu", i);
	}
	make_usual();
	parts.file.bytes[16] = ET_EXEC;
	read_again();
	ck_assert(elf_file_parse(&file, span_of(parts.file.bytes, sizeof(Elf64_Ehdr))));
	ck_assert(!elf_file_parse(&file, span_of(parts.file.bytes, sizeof(Elf64_Ehdr) - 1)));
	ck_assert(!elf_file_parse(&file, span_of(NULL, 0)));
	ck_assert(!elf_file_parse(&file, span_of("#!/bin/sh\n", 10)));
}

/* Everything that the parser does, with what it found. */
static void use_all(struct span bytes)
{
	struct symbols symbols = { 0 };
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
		make_file(kinds[kind].is_64, kinds[kind].machine);
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
	}
}

/* 2^60 symbols, notes of 2^32 bytes, names outside: what the file does not have is left out. */
START_TEST(counts_and_offsets_are_not_trusted)
{
	size_t section, phdr = sizeof(Elf64_Ehdr);
	struct symbols symbols = { 0 };

	make_usual();
	section = parts.file.length - (13 - (SYMBOLS + 1)) * sizeof(Elf64_Shdr);
	set(section + offsetof(Elf64_Shdr, sh_size), UINT64_C(24) << 56, 8);
	read_again();
	ck_assert_int_eq(elf_file_functions(&file, &symbols), ELF_TABLE_DYNAMIC);
	symbols_free(&symbols);
	set(section + offsetof(Elf64_Shdr, sh_link), UINT32_MAX, 4);
	set(offsetof(Elf64_Ehdr, e_shstrndx), 0xff00, 2);
	set(offsetof(Elf64_Ehdr, e_shnum), 0xfff0, 2);
	read_again();
	ck_assert_uint_eq(span_length(file.sections), 13 * sizeof(Elf64_Shdr));
	ck_assert_uint_eq(span_length(file.section_names), 0);
	ck_assert(span_is(file.build_id, "\x01\x02\x03"));
	set(phdr + offsetof(Elf64_Phdr, p_vaddr), UINT64_MAX, 8);
	set(phdr + offsetof(Elf64_Phdr, p_filesz), UINT64_MAX, 8);
	use_all(image_span(&parts.file));
	set(image_offset(&parts.image, NOTES), UINT32_MAX, 4);
	read_again();
	ck_assert_uint_eq(span_length(file.build_id), 0);
}

/* A megabyte of headers of sections, each of which claims to be a table of all the file. */
START_TEST(overlapping_tables_are_read_once)
{
	size_t n = 16384, bytes = sizeof(Elf64_Ehdr) + n * sizeof(Elf64_Shdr);
	static const uint32_t types[] = { SHT_SYMTAB, SHT_NOTE, SHT_RELA };
	struct buffer hostile = { 0 };

	make_usual();
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		buffer_empty(&hostile);
		buffer_add(&hostile, parts.file.bytes, sizeof(Elf64_Ehdr));
		image_set(&hostile, offsetof(Elf64_Ehdr, e_shoff), sizeof(Elf64_Ehdr), 8);
		image_set(&hostile, offsetof(Elf64_Ehdr, e_shnum), n, 2);
		for (size_t i = 0; i < n; i++) {
			/* the names are the first section */
			IMAGE_ADD(&hostile, true, "44wwww44ww", 0, i == 0 ? SHT_STRTAB : types[t], 0, 0, 0,
				  bytes, 0, 0, 0, 0);
		}
		use_all(image_span(&hostile));
	}
	buffer_free(&hostile);
}

/* Makes file one of this machine; what it holds stays mapped. */
static void map_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	void *bytes;

	ck_assert_msg(fd >= 0 && fstat(fd, &status) == 0, "%s", path);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	close(fd);
	if (!elf_file_parse(&file, span_of(bytes, (size_t)status.st_size)))
		skip_test("files of this architecture are not read");
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

/* This program, a library and a shell, which may be stripped. */
START_TEST(files_are_read_as_nm_reads_them)
{
	char program[4096] = "";
	const char *paths[] = { program, library(), "/bin/sh" };

	if (system("command -v nm >/dev/null") != 0)
		skip_test("nm is not installed");
	ck_assert_int_gt(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
	for (size_t i = 0; i < 3; i++) {
		struct symbols symbols = { 0 };
		enum elf_table table;

		map_file(paths[i]);
		table = elf_file_functions(&file, &symbols);
		symbols_sort(&symbols);
		if (table == ELF_TABLE_ALL || i == 1)
			ck_assert_uint_gt(compare_with_nm(paths[i], table == ELF_TABLE_ALL ? "" : "-D",
							  &symbols), i < 2 ? 100 : 0);
		ck_assert_uint_eq(symbols.n_left_out, 0);
		symbols_free(&symbols);
	}
}
