/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files, as much as naming addresses takes: segments, functions, probes, the tables of Go. */
#ifndef PANETOP_KERNEL_CODE_ELF_FILE_H
#define PANETOP_KERNEL_CODE_ELF_FILE_H

#include "kernel/code/symbols.h"

/* ELF files, as much as naming addresses takes: segments, functions, the build-id. */

/* A program, a library, or a file with debug information: its functions have the addresses of the program. */
struct elf_file {
	struct span bytes; /* all of the file; borrowed, as the other spans, which are parts of it */
	bool is_64;
	uint16_t machine; /* EM_X86_64 … */
	uint64_t entry;   /* address of the first instruction; 0: none, as of most libraries */
	struct span segments, sections, section_names;
	struct span build_id;    /* at most ELF_BUILD_ID_MAX bytes; empty: none */
	struct span debug_link;  /* name of its file with debug information, without a slash; empty: none */
	uint32_t debug_link_crc; /* of that file */
	bool has_unwind_table;   /* .eh_frame_hdr; of a Go program it has the C functions alone */
	struct span go_table;    /* .gopclntab: it is a Go program; empty: it is not */
	uint64_t go_table_address;
	uint64_t go_module_address; /* of .go.module; 0: none */
	uint64_t text_address;      /* of .text; 0: none */
	struct span probe_notes;    /* .note.stapsdt: see usdt_next(); empty: none */
	uint64_t unpacked_bytes;    /* of all that is compressed in it, as it says itself */
	uint64_t probe_base;        /* address of .stapsdt.base, to which they were written; 0: none */
};

#define ELF_BUILD_ID_MAX 64

enum elf_table {
	ELF_TABLE_NONE,
	ELF_TABLE_DYNAMIC, /* .dynsym: exported functions only */
	ELF_TABLE_ALL,     /* .symtab */
};

/*
 * False for what is not a little-endian program or library of x86-64, i386, aarch64, ARM or RISC-V. Parts
 * that are outside of the bytes are left out, as if the file did not have them.
 */
bool elf_file_parse(struct elf_file *file, struct span bytes);

/*
 * The address, as in its symbols, of the byte at this offset of the file: where code and data share a page,
 * that of the code. False: it is not loaded. Not for debug files, whose offsets are not those of the program.
 */
bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *address);

/* The other way round. False: what has this address is not in the file. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *offset);

/*
 * The start of the function with this address, also of one without a name, by the table that finds its unwind
 * rules (.eh_frame_hdr); false: the table has none that begins before, or has another form.
 */
bool elf_file_start(const struct elf_file *file, uint64_t address, uint64_t *start);

/* The pointer at this address, as it is when the file is loaded at 0; false: there is none in the file. */
bool elf_file_pointer(const struct elf_file *file, uint64_t address, uint64_t *pointer);

/*
 * Adds the functions of .symtab, or if that has none those of .dynsym, and returns which. Those without a
 * size are left out: what they cover is not known.
 */
enum elf_table elf_file_functions(const struct elf_file *file, struct symbols *symbols);

enum elf_symbol_kind {
	ELF_SYMBOL_FUNCTION,
	ELF_SYMBOL_CHOOSER, /* STT_GNU_IFUNC: runs once, and returns which function is called by this name */
	ELF_SYMBOL_DATA,
	ELF_SYMBOL_ELSEWHERE, /* it is used here, and defined in another file */
};

struct elf_symbol {
	struct span name; /* without its version */
	enum elf_symbol_kind kind;
	uint64_t address; /* of ELSEWHERE 0 */
};

/* All symbols with a name, of .symtab and then of .dynsym, so that many come twice. */
struct elf_symbols {
	const struct elf_file *file;
	uint32_t table; /* SHT_SYMTAB, then SHT_DYNSYM */
	struct span sections, records, names;
	uint64_t budget; /* bytes of tables that may still be read */
};
void elf_symbols_begin(struct elf_symbols *symbols, const struct elf_file *file);
bool elf_symbols_next(struct elf_symbols *symbols, struct elf_symbol *symbol);

/* .gopclntab, which every Go program keeps, also a stripped one: its functions. */

/*
 * Adds the functions of a table, little-endian, as Go 1.2, 1.16, 1.18 and 1.20 and the releases after each of
 * them write it. text is the address of runtime.text, which the functions are relative to since 1.18. False:
 * an unknown table.
 */
bool go_functions_add(struct span table, uint64_t text, struct symbols *symbols);

/* The address of runtime.text; 0: not known. */
uint64_t go_functions_text(const struct elf_file *file);

/* Both: the functions of a Go program. False: it is none, or of an unknown release. */
bool go_functions(const struct elf_file *file, struct symbols *symbols);

/* Probes that the authors of a program have put into it (USDT): the notes of .note.stapsdt. */

/* A place of a probe; a name may have several. Names are as in the file, which others wrote. */
struct usdt_place {
	struct span provider, name;
	uint64_t offset;           /* of its instruction in the file */
	uint64_t semaphore_offset; /* in the file, of a counter of 2 bytes: who listens adds 1; 0: none */
};

/* The next one that is loaded, and is a nop; rest is file->probe_notes at first. */
bool usdt_next(const struct elf_file *file, struct span *rest, struct usdt_place *place);

#endif
