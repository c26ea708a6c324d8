/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every number is read once and checked before it is used: others can write to the file meanwhile. */
#include <config.h>

#include "kernel/code/elf_file.h"

#include <elf.h>
#include <string.h>

#include "core/vector.h"

#define SECTION_NAME_MAX 64 /* bytes; those of use are shorter */
#define NOTE_HEAD_BYTES ((size_t)12)
#define DEBUG_LINK_MAX 255  /* NAME_MAX */
#define UNWIND_HEADER_BYTES ((size_t)12)
#define UNWIND_ENTRY_BYTES ((size_t)8)
#define DW_EH_PE_udata4 0x03
#define DW_EH_PE_pcrel_sdata4 0x1b
#define DW_EH_PE_datarel_sdata4 0x3b
#define SECTIONS_MAX (1 << 20)
#define SEGMENTS_MAX 1024 /* Linux starts no program with more than 64 KiB of them */

/* The size and the offset of a member in both classes. */
#define MEMBER(file, type, member)                                                                           \
	((file)->is_64 ? offsetof(Elf64_##type, member) : offsetof(Elf32_##type, member)),                   \
		((file)->is_64 ? (unsigned)sizeof(((Elf64_##type *)NULL)->member)                            \
			       : (unsigned)sizeof(((Elf32_##type *)NULL)->member))
#define ENTRY_BYTES(file, type) ((file)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/* Of a record that is whole. */
static uint64_t number(struct span record, size_t offset, unsigned size)
{
	uint64_t value = 0;

	span_little(record, offset, size, &value);
	return value;
}

/* The next record of a table; false at its end. */
static bool next_record(struct span *table, size_t bytes, struct span *record)
{
	if (!span_part(*table, 0, bytes, record))
		return false;
	table->at += bytes;
	return true;
}

struct segment {
	uint32_t type, flags;
	uint64_t offset, address, bytes, alignment;
};

static bool next_segment(const struct elf_file *file, struct span *table, struct segment *segment)
{
	struct span record;

	if (!next_record(table, ENTRY_BYTES(file, Phdr), &record))
		return false;
	segment->type = (uint32_t)number(record, MEMBER(file, Phdr, p_type));
	segment->flags = (uint32_t)number(record, MEMBER(file, Phdr, p_flags));
	segment->offset = number(record, MEMBER(file, Phdr, p_offset));
	segment->address = number(record, MEMBER(file, Phdr, p_vaddr));
	segment->bytes = number(record, MEMBER(file, Phdr, p_filesz));
	segment->alignment = number(record, MEMBER(file, Phdr, p_align));
	return true;
}

struct section {
	uint32_t name, type, link;
	uint64_t flags, address, alignment;
	struct span content; /* empty: it is not in the file */
};

static void read_section(const struct elf_file *file, struct span record, struct section *section)
{
	uint64_t offset = number(record, MEMBER(file, Shdr, sh_offset));
	uint64_t bytes = number(record, MEMBER(file, Shdr, sh_size));

	section->name = (uint32_t)number(record, MEMBER(file, Shdr, sh_name));
	section->type = (uint32_t)number(record, MEMBER(file, Shdr, sh_type));
	section->link = (uint32_t)number(record, MEMBER(file, Shdr, sh_link));
	section->flags = number(record, MEMBER(file, Shdr, sh_flags));
	section->address = number(record, MEMBER(file, Shdr, sh_addr));
	section->alignment = number(record, MEMBER(file, Shdr, sh_addralign));
	section->content = span_of(file->bytes.at, 0);
	if (section->type != SHT_NOBITS)
		span_part(file->bytes, offset, bytes, &section->content);
}

static bool next_section(const struct elf_file *file, struct span *table, struct section *section)
{
	struct span record;

	if (!next_record(table, ENTRY_BYTES(file, Shdr), &record))
		return false;
	read_section(file, record, section);
	return true;
}

static bool find_section(const struct elf_file *file, uint64_t index, struct section *section)
{
	size_t bytes = ENTRY_BYTES(file, Shdr);
	struct span record;

	if (index >= span_length(file->sections) / bytes)
		return false;
	record = span_of(file->sections.at + index * bytes, bytes);
	read_section(file, record, section);
	return true;
}

/* As much of a table as the file has. */
static struct span table_of(struct span bytes, uint64_t offset, uint64_t count, size_t entry_bytes)
{
	uint64_t room;

	if (offset == 0 || offset >= span_length(bytes))
		return span_of(bytes.at, 0);
	room = (span_length(bytes) - offset) / entry_bytes;
	return span_of(bytes.at + offset, (size_t)(count < room ? count : room) * entry_bytes);
}

static bool is_supported(uint64_t machine)
{
	return machine == EM_X86_64 || machine == EM_386 || machine == EM_AARCH64 || machine == EM_ARM ||
	       machine == EM_RISCV;
}

/* Files with more than 65,279 sections have their number and that of their names in the first one. */
static void find_sections(struct elf_file *file, struct span header)
{
	uint64_t offset = number(header, MEMBER(file, Ehdr, e_shoff));
	uint64_t count = number(header, MEMBER(file, Ehdr, e_shnum));
	uint64_t names = number(header, MEMBER(file, Ehdr, e_shstrndx));
	struct span first = table_of(file->bytes, offset, 1, ENTRY_BYTES(file, Shdr));
	struct section section;

	if (number(header, MEMBER(file, Ehdr, e_shentsize)) != ENTRY_BYTES(file, Shdr))
		return;
	if (count == 0)
		count = number(first, MEMBER(file, Shdr, sh_size));
	if (names == SHN_XINDEX)
		names = number(first, MEMBER(file, Shdr, sh_link));
	if (count > SECTIONS_MAX)
		count = SECTIONS_MAX;
	file->sections = table_of(file->bytes, offset, count, ENTRY_BYTES(file, Shdr));
	if (find_section(file, names, &section) && section.type == SHT_STRTAB)
		file->section_names = section.content;
}

static bool parse_header(struct elf_file *file)
{
	uint64_t type, version, n_segments;
	struct span header;

	if (span_length(file->bytes) < EI_NIDENT || memcmp(file->bytes.at, ELFMAG, SELFMAG) != 0 ||
	    file->bytes.at[EI_DATA] != ELFDATA2LSB || file->bytes.at[EI_VERSION] != EV_CURRENT)
		return false;
	file->is_64 = file->bytes.at[EI_CLASS] == ELFCLASS64;
	if ((!file->is_64 && file->bytes.at[EI_CLASS] != ELFCLASS32) ||
	    !span_part(file->bytes, 0, ENTRY_BYTES(file, Ehdr), &header))
		return false;
	type = number(header, MEMBER(file, Ehdr, e_type));
	version = number(header, MEMBER(file, Ehdr, e_version));
	file->machine = (uint16_t)number(header, MEMBER(file, Ehdr, e_machine));
	if ((type != ET_EXEC && type != ET_DYN) || version != EV_CURRENT || !is_supported(file->machine))
		return false;
	file->entry = number(header, MEMBER(file, Ehdr, e_entry));
	n_segments = number(header, MEMBER(file, Ehdr, e_phnum));
	if (n_segments > SEGMENTS_MAX)
		n_segments = SEGMENTS_MAX;
	if (number(header, MEMBER(file, Ehdr, e_phentsize)) == ENTRY_BYTES(file, Phdr))
		file->segments = table_of(file->bytes, number(header, MEMBER(file, Ehdr, e_phoff)),
					  n_segments, ENTRY_BYTES(file, Phdr));
	find_sections(file, header);
	return true;
}

/*
 * Tables of a good file do not overlap: all that are searched for one thing have no more bytes than the file.
 * False: those of this one do.
 */
static bool spend(uint64_t *budget, struct span table)
{
	if (span_length(table) > *budget)
		return false;
	*budget -= span_length(table);
	return true;
}

static uint64_t padded(uint64_t bytes, uint64_t alignment)
{
	return (bytes + alignment - 1) / alignment * alignment;
}

/* Sizes of a name and a content, a type, the name, the content. */
struct note {
	uint64_t type;
	struct span name, content;
};

static bool next_note(struct span *notes, uint64_t alignment, struct note *note)
{
	uint64_t name_bytes, content_bytes, content_at, end;

	if (!span_little(*notes, 0, 4, &name_bytes) || !span_little(*notes, 4, 4, &content_bytes) ||
	    !span_little(*notes, 8, 4, &note->type))
		return false;
	content_at = padded(NOTE_HEAD_BYTES + name_bytes, alignment);
	end = padded(content_at + content_bytes, alignment);
	if (!span_part(*notes, NOTE_HEAD_BYTES, name_bytes, &note->name) ||
	    !span_part(*notes, content_at, content_bytes, &note->content))
		return false;
	notes->at = end < span_length(*notes) ? notes->at + end : notes->end;
	return true;
}

/* Names of notes end with a NUL. */
static bool is_note(const struct note *note, uint64_t type, const char *name)
{
	return note->type == type && span_same(note->name, span_of(name, strlen(name) + 1));
}

/* The build-id, if it is among these notes. */
static void look_into_notes(struct elf_file *file, struct span notes, uint64_t alignment)
{
	struct note note;

	while (span_length(file->build_id) == 0 && next_note(&notes, alignment == 8 ? 8 : 4, &note))
		if (is_note(&note, NT_GNU_BUILD_ID, ELF_NOTE_GNU) &&
		    span_length(note.content) <= ELF_BUILD_ID_MAX)
			file->build_id = note.content;
}

/* A name, a NUL, and behind padding to 4 bytes a checksum. */
static void read_debug_link(struct elf_file *file, struct span content)
{
	struct span rest = content, name;
	uint64_t crc;

	if (span_length(rest) > DEBUG_LINK_MAX + 1)
		rest.end = rest.at + DEBUG_LINK_MAX + 1;
	if (!span_until(&rest, '\0', &name) || span_length(name) == 0 ||
	    memchr(name.at, '/', span_length(name)) ||
	    !span_little(content, padded(span_length(name) + 1, 4), 4, &crc))
		return;
	file->debug_link = name;
	file->debug_link_crc = (uint32_t)crc;
}

static struct span section_name(const struct elf_file *file, const struct section *section)
{
	struct span name, names = file->section_names;

	if (section->name >= span_length(names))
		return span_of(names.at, 0);
	names.at += section->name;
	if (span_length(names) > SECTION_NAME_MAX)
		names.end = names.at + SECTION_NAME_MAX;
	return span_until(&names, '\0', &name) ? name : span_of(names.at, 0);
}

/* Before the compressed bytes; in .zdebug, of older compilers, "ZLIB" and 8 bytes, the highest first. */
static uint64_t unpacked_bytes(const struct elf_file *file, const struct section *section, struct span name)
{
	uint64_t bytes = 0, low;
	struct span header;

	if (section->flags & SHF_COMPRESSED) {
		if (span_part(section->content, 0, ENTRY_BYTES(file, Chdr), &header))
			bytes = number(header, MEMBER(file, Chdr, ch_size));
	} else if (span_starts(name, ".zdebug") && span_little(section->content, 4, 8, &low)) {
		bytes = __builtin_bswap64(low);
	}
	return bytes < UINT32_MAX ? bytes : UINT32_MAX;
}

static void look_at_section(struct elf_file *file, const struct section *section, uint64_t *budget)
{
	struct span name = section_name(file, section);

	file->unpacked_bytes += unpacked_bytes(file, section, name);
	if (section->type == SHT_NOTE && spend(budget, section->content))
		look_into_notes(file, section->content, section->alignment);
	if (span_is(name, ".gnu_debuglink")) {
		read_debug_link(file, section->content);
	} else if (span_is(name, ".gopclntab") || span_is(name, ".data.rel.ro.gopclntab")) {
		file->go_table = section->content;
		file->go_table_address = section->address;
	} else if (span_is(name, ".go.module")) {
		file->go_module_address = section->address;
	} else if (span_is(name, ".text")) {
		file->text_address = section->address;
	} else if (span_is(name, ".note.stapsdt")) {
		file->probe_notes = section->content;
	} else if (span_is(name, ".stapsdt.base")) {
		file->probe_base = section->address;
	} else if (span_is(name, ".eh_frame_hdr")) {
		file->has_unwind_table |= span_length(section->content) > 0;
	}
}

bool elf_file_parse(struct elf_file *file, struct span bytes)
{
	struct span empty = span_of(bytes.at, 0), table, content;
	uint64_t section_budget = span_length(bytes), segment_budget = section_budget;
	struct section section;
	struct segment segment;

	*file = (struct elf_file){ .bytes = bytes,
				   .segments = empty,
				   .sections = empty,
				   .section_names = empty,
				   .build_id = empty,
				   .debug_link = empty,
				   .go_table = empty,
				   .probe_notes = empty };
	if (!parse_header(file))
		return false;
	for (table = file->sections; next_section(file, &table, &section);)
		look_at_section(file, &section, &section_budget);
	for (table = file->segments; next_segment(file, &table, &segment);) {
		if (!span_part(bytes, segment.offset, segment.bytes, &content))
			continue;
		if (segment.type == PT_NOTE && spend(&segment_budget, content))
			look_into_notes(file, content, segment.alignment);
		file->has_unwind_table |= segment.type == PT_GNU_EH_FRAME && segment.bytes > 0;
	}
	return true;
}

bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *address)
{
	struct span table = file->segments;
	struct segment segment;
	bool found = false;

	while (next_segment(file, &table, &segment)) {
		if (segment.type != PT_LOAD || offset < segment.offset ||
		    offset - segment.offset >= segment.bytes || (found && !(segment.flags & PF_X)))
			continue;
		*address = segment.address + (offset - segment.offset);
		found = true;
		if (segment.flags & PF_X)
			return true;
	}
	return found;
}

bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *offset)
{
	struct span table = file->segments;
	struct segment segment;

	while (next_segment(file, &table, &segment)) {
		if (segment.type != PT_LOAD || address < segment.address ||
		    address - segment.address >= segment.bytes)
			continue;
		*offset = segment.offset + (address - segment.address);
		return *offset >= segment.offset && *offset < span_length(file->bytes);
	}
	return false;
}

/* The bytes of the file that are loaded at an address. */
static bool loaded_at(const struct elf_file *file, uint64_t address, unsigned bytes, struct span *part)
{
	struct span table = file->segments, content;
	struct segment segment;

	while (next_segment(file, &table, &segment))
		if (segment.type == PT_LOAD && address >= segment.address &&
		    span_part(file->bytes, segment.offset, segment.bytes, &content) &&
		    span_part(content, address - segment.address, bytes, part))
			return true;
	return false;
}

/* The table of its usual form: pairs of 4 bytes, relative to the header, sorted. */
static struct span unwind_table(const struct elf_file *file, uint64_t *header_address)
{
	static const char form[] = { 1, DW_EH_PE_pcrel_sdata4, DW_EH_PE_udata4, DW_EH_PE_datarel_sdata4 };
	struct span table = file->segments, header, entries;
	struct segment segment;
	uint64_t count;

	while (next_segment(file, &table, &segment)) {
		if (segment.type != PT_GNU_EH_FRAME ||
		    !span_part(file->bytes, segment.offset, segment.bytes, &header) ||
		    span_length(header) < UNWIND_HEADER_BYTES || memcmp(header.at, form, sizeof(form)) != 0)
			continue;
		*header_address = segment.address;
		count = number(header, 8, 4);
		entries = span_of(header.at + UNWIND_HEADER_BYTES, span_length(header) - UNWIND_HEADER_BYTES);
		if (count < span_length(entries) / UNWIND_ENTRY_BYTES)
			entries.end = entries.at + count * UNWIND_ENTRY_BYTES;
		return entries;
	}
	return span_of(file->bytes.at, 0);
}

static uint64_t start_of(struct span entries, size_t index, uint64_t header_address)
{
	return header_address + (uint64_t)(int32_t)number(entries, index * UNWIND_ENTRY_BYTES, 4);
}

bool elf_file_start(const struct elf_file *file, uint64_t address, uint64_t *start)
{
	uint64_t header_address = 0;
	struct span entries = unwind_table(file, &header_address);
	size_t at;

	VECTOR_BOUND(at, span_length(entries) / UNWIND_ENTRY_BYTES,
		     start_of(entries, at, header_address) <= address);
	if (at == 0)
		return false;
	*start = start_of(entries, at - 1, header_address);
	return true;
}

static uint64_t relative_type(const struct elf_file *file)
{
	return file->machine == EM_X86_64    ? R_X86_64_RELATIVE
	       : file->machine == EM_386     ? R_386_RELATIVE
	       : file->machine == EM_AARCH64 ? R_AARCH64_RELATIVE
	       : file->machine == EM_ARM     ? R_ARM_RELATIVE
					     : R_RISCV_RELATIVE;
}

/* What the loader writes there, among these relocations. */
static bool find_relocation(const struct elf_file *file, struct span table, uint64_t address,
			    uint64_t *pointer)
{
	uint64_t mask = file->is_64 ? UINT32_MAX : UINT8_MAX, type = relative_type(file);
	struct span record;

	while (next_record(&table, ENTRY_BYTES(file, Rela), &record)) {
		if (number(record, MEMBER(file, Rela, r_offset)) != address ||
		    (number(record, MEMBER(file, Rela, r_info)) & mask) != type)
			continue;
		*pointer = number(record, MEMBER(file, Rela, r_addend));
		return true;
	}
	return false;
}

/* Relocations with an addend replace what is in the file; others add to it the address of the file, here 0.
 */
bool elf_file_pointer(const struct elf_file *file, uint64_t address, uint64_t *pointer)
{
	struct span table = file->sections, there;
	uint64_t budget = span_length(file->bytes);
	unsigned bytes = file->is_64 ? 8 : 4;
	struct section section;

	while (next_section(file, &table, &section))
		if (section.type == SHT_RELA && spend(&budget, section.content) &&
		    find_relocation(file, section.content, address, pointer))
			return true;
	return loaded_at(file, address, bytes, &there) && span_little(there, 0, bytes, pointer);
}

/* "memcpy@@GLIBC_2.14" is memcpy. */
static struct span without_version(struct span name)
{
	const char *at = span_length(name) > 1 ? memchr(name.at + 1, '@', span_length(name) - 1) : NULL;

	if (at)
		name.end = at;
	return name;
}

/* False: it has none. */
static bool symbol_name(struct span names, struct span record, const struct elf_file *file, struct span *name)
{
	uint64_t name_at = number(record, MEMBER(file, Sym, st_name));

	if (name_at >= span_length(names))
		return false;
	names.at += name_at;
	if (span_length(names) > SYMBOL_NAME_MAX + 1)
		names.end = names.at + SYMBOL_NAME_MAX + 1;
	if (!span_until(&names, '\0', name))
		*name = names;
	*name = without_version(*name);
	return span_length(*name) > 0;
}

static uint64_t symbol_address(const struct elf_file *file, struct span record)
{
	uint64_t address = number(record, MEMBER(file, Sym, st_value));

	/* In ARM the lowest bit says that the code is Thumb. */
	return file->machine == EM_ARM ? address & ~UINT64_C(1) : address;
}

static void add_function(const struct elf_file *file, struct span names, struct span record,
			 struct symbols *symbols)
{
	uint64_t info = number(record, MEMBER(file, Sym, st_info)), section, bytes;
	struct span name;

	if (ELF64_ST_TYPE(info) != STT_FUNC && ELF64_ST_TYPE(info) != STT_GNU_IFUNC)
		return;
	section = number(record, MEMBER(file, Sym, st_shndx));
	bytes = number(record, MEMBER(file, Sym, st_size));
	if (section == SHN_UNDEF || section == SHN_ABS || bytes == 0 ||
	    !symbol_name(names, record, file, &name))
		return;
	symbols_add(symbols, symbol_address(file, record), bytes, name, ELF64_ST_BIND(info) == STB_LOCAL);
}

/* Adds the functions of the tables of this type. */
static bool add_functions(const struct elf_file *file, uint32_t type, struct symbols *symbols)
{
	size_t before = symbols->count + symbols->n_left_out;
	struct span table = file->sections, record;
	uint64_t budget = span_length(file->bytes);
	struct section section, names;

	while (next_section(file, &table, &section)) {
		if (section.type != type || !find_section(file, section.link, &names) ||
		    names.type != SHT_STRTAB || !spend(&budget, section.content))
			continue;
		while (next_record(&section.content, ENTRY_BYTES(file, Sym), &record))
			add_function(file, names.content, record, symbols);
	}
	return symbols->count + symbols->n_left_out > before;
}

enum elf_table elf_file_functions(const struct elf_file *file, struct symbols *symbols)
{
	if (add_functions(file, SHT_SYMTAB, symbols))
		return ELF_TABLE_ALL;
	return add_functions(file, SHT_DYNSYM, symbols) ? ELF_TABLE_DYNAMIC : ELF_TABLE_NONE;
}

void elf_symbols_begin(struct elf_symbols *symbols, const struct elf_file *file)
{
	*symbols = (struct elf_symbols){ .file = file,
					 .table = SHT_SYMTAB,
					 .sections = file->sections,
					 .records = span_of(file->bytes.at, 0),
					 .names = span_of(file->bytes.at, 0),
					 .budget = span_length(file->bytes) };
}

static bool next_table(struct elf_symbols *symbols)
{
	struct section section, names;

	for (;;) {
		while (next_section(symbols->file, &symbols->sections, &section)) {
			if (section.type != symbols->table ||
			    !find_section(symbols->file, section.link, &names) || names.type != SHT_STRTAB ||
			    !spend(&symbols->budget, section.content))
				continue;
			symbols->records = section.content;
			symbols->names = names.content;
			return true;
		}
		if (symbols->table == SHT_DYNSYM)
			return false;
		symbols->table = SHT_DYNSYM;
		symbols->sections = symbols->file->sections;
	}
}

/* False: it is neither code nor data, such as the name of a section. */
static bool symbol_kind(uint64_t type, uint64_t section, enum elf_symbol_kind *kind)
{
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT && type != STT_TLS &&
	    type != STT_COMMON && (type != STT_NOTYPE || section != SHN_UNDEF))
		return false;
	*kind = section == SHN_UNDEF    ? ELF_SYMBOL_ELSEWHERE
		: type == STT_GNU_IFUNC ? ELF_SYMBOL_CHOOSER
		: type == STT_FUNC      ? ELF_SYMBOL_FUNCTION
					: ELF_SYMBOL_DATA;
	return true;
}

bool elf_symbols_next(struct elf_symbols *symbols, struct elf_symbol *symbol)
{
	const struct elf_file *file = symbols->file;
	struct span record;

	for (;;) {
		if (!next_record(&symbols->records, ENTRY_BYTES(file, Sym), &record)) {
			if (!next_table(symbols))
				return false;
			continue;
		}
		if (!symbol_kind(ELF64_ST_TYPE(number(record, MEMBER(file, Sym, st_info))),
				 number(record, MEMBER(file, Sym, st_shndx)), &symbol->kind) ||
		    !symbol_name(symbols->names, record, file, &symbol->name))
			continue;
		symbol->address = symbol->kind == ELF_SYMBOL_ELSEWHERE ? 0 : symbol_address(file, record);
		return true;
	}
}

/*
 * The table of functions is a list of pairs, sorted by address, that ends with the address behind the last
 * function: (address, where its description is). The description begins with the address again, and the
 * offset of the name in the table of names.
 */

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

static bool read_go_word(struct span table, unsigned pointer_bytes, unsigned index, uint64_t *value)
{
	return span_little(table, HEADER_BYTES + index * pointer_bytes, pointer_bytes, value);
}

/* From the offset in this word of the header to the end. */
static bool go_part_at(struct span table, unsigned pointer_bytes, unsigned index, struct span *part)
{
	uint64_t offset;

	if (!read_go_word(table, pointer_bytes, index, &offset) || offset > span_length(table))
		return false;
	*part = (struct span){ .at = table.at + offset, .end = table.end };
	return true;
}

static bool read_go_header(struct span table, uint64_t *magic, unsigned *pointer_bytes)
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

	if (!read_go_header(table, &magic, &bytes) || !read_go_word(table, bytes, 0, &go->count))
		return false;
	go->pointer_bytes = go->field_bytes = bytes;
	go->text = 0;
	switch (magic) {
	case MAGIC_1_2:
		go->names = go->descriptions = table;
		go->pairs = (struct span){ .at = table.at + HEADER_BYTES + bytes, .end = table.end };
		return true;
	case MAGIC_1_16:
		if (!go_part_at(table, bytes, 2, &go->names) || !go_part_at(table, bytes, 6, &go->pairs))
			return false;
		go->descriptions = go->pairs;
		return true;
	case MAGIC_1_18:
	case MAGIC_1_20:
		if (!go_part_at(table, bytes, 3, &go->names) || !go_part_at(table, bytes, 7, &go->pairs))
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
static uint64_t go_field(const struct go_table *go, uint64_t index)
{
	uint64_t value = 0;

	span_little(go->pairs, index * go->field_bytes, go->field_bytes, &value);
	return value;
}

static void add_go_function(const struct go_table *go, uint64_t index, struct symbols *symbols)
{
	uint64_t start = go_field(go, 2 * index), end = go_field(go, 2 * index + 2), name_at;
	uint64_t description = go_field(go, 2 * index + 1);
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
		add_go_function(&go, i, symbols);
	return true;
}

uint64_t go_functions_text(const struct elf_file *file)
{
	unsigned bytes = file->is_64 ? 8 : 4;
	uint64_t text, magic;

	if (!read_go_header(file->go_table, &magic, &bytes))
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

/* A note of "stapsdt": three addresses, and three texts. It is padded to 4 bytes. */
#define TYPE_PROBE 3

/* Where it belongs to: another step of the build may have moved the file since it was written. */
static uint64_t moved(const struct elf_file *file, uint64_t address, uint64_t base)
{
	return file->probe_base && base ? address + (file->probe_base - base) : address;
}

/* A tracer writes only over what does nothing. */
static bool is_nop(const struct elf_file *file, uint64_t offset)
{
	static const struct nop {
		uint16_t machine;
		uint8_t bytes, code[5];
	} nops[] = {
		{ EM_X86_64, 1, { 0x90 } },
		{ EM_386, 1, { 0x90 } },
		{ EM_X86_64, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ EM_386, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ EM_AARCH64, 4, { 0x1f, 0x20, 0x03, 0xd5 } },
		{ EM_RISCV, 2, { 0x01, 0x00 } },
		{ EM_RISCV, 4, { 0x13, 0x00, 0x00, 0x00 } },
		{ EM_ARM, 4, { 0x00, 0x00, 0xa0, 0xe1 } },
		{ EM_ARM, 4, { 0x00, 0xf0, 0x20, 0xe3 } },
	};
	struct span code;

	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		if (nops[i].machine == file->machine &&
		    span_part(file->bytes, offset, nops[i].bytes, &code) &&
		    memcmp(code.at, nops[i].code, nops[i].bytes) == 0)
			return true;
	return false;
}

static bool read_place(const struct elf_file *file, struct span content, struct usdt_place *place)
{
	unsigned bytes = file->is_64 ? 8 : 4;
	uint64_t address, base, semaphore;

	if (!span_little(content, 0, bytes, &address) || !span_little(content, bytes, bytes, &base) ||
	    !span_little(content, (uint64_t)2 * bytes, bytes, &semaphore))
		return false;
	content.at += (size_t)3 * bytes;
	if (!span_until(&content, '\0', &place->provider) || !span_until(&content, '\0', &place->name) ||
	    span_length(place->provider) == 0 || span_length(place->name) == 0 ||
	    span_length(place->provider) > SYMBOL_NAME_MAX || span_length(place->name) > SYMBOL_NAME_MAX)
		return false;
	place->semaphore_offset = 0;
	return elf_file_offset(file, moved(file, address, base), &place->offset) &&
	       is_nop(file, place->offset) &&
	       (semaphore == 0 ||
		(elf_file_offset(file, moved(file, semaphore, base), &place->semaphore_offset) &&
		 place->semaphore_offset > 0));
}

bool usdt_next(const struct elf_file *file, struct span *rest, struct usdt_place *place)
{
	struct note note;

	while (next_note(rest, 4, &note))
		if (is_note(&note, TYPE_PROBE, "stapsdt") && read_place(file, note.content, place))
			return true;
	rest->at = rest->end;
	return false;
}
