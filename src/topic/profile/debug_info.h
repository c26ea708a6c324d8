/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libdw reads: where the caller of a function and its registers are, by .eh_frame, and lines of the
 * source by address, by .debug_line.
 */
#ifndef PANETOP_TOPIC_PROFILE_DEBUG_INFO_H
#define PANETOP_TOPIC_PROFILE_DEBUG_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "kernel/perf_record.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

/* The functions that are used, under their names without "dwarf_", once dw_library_load() has given 0. */
struct dw_library {
	unsigned (*elf_version)(unsigned version);
	Elf *(*elf_memory)(char *image, size_t size);
	int (*elf_end)(Elf *elf);
	Dwarf_CFI *(*getcfi_elf)(Elf *elf);
	int (*cfi_end)(Dwarf_CFI *cfi);
	int (*cfi_addrframe)(Dwarf_CFI *cfi, Dwarf_Addr address, Dwarf_Frame **frame);
	int (*frame_info)(Dwarf_Frame *frame, Dwarf_Addr *start, Dwarf_Addr *end, bool *signal);
	int (*frame_cfa)(Dwarf_Frame *frame, Dwarf_Op **ops, size_t *n);
	int (*frame_register)(Dwarf_Frame *frame, int number, Dwarf_Op memory[3], Dwarf_Op **ops, size_t *n);
	Dwarf *(*begin_elf)(Elf *elf, Dwarf_Cmd command, Elf_Scn *section);
	int (*end)(Dwarf *dwarf);
	int (*nextcu)(Dwarf *dwarf, Dwarf_Off offset, Dwarf_Off *next, size_t *header_size,
		      Dwarf_Off *abbreviations, uint8_t *address_size, uint8_t *offset_size);
	Dwarf_Die *(*offdie)(Dwarf *dwarf, Dwarf_Off offset, Dwarf_Die *result);
	ptrdiff_t (*ranges)(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *base, Dwarf_Addr *start,
			    Dwarf_Addr *end);
	Dwarf_Line *(*getsrc_die)(Dwarf_Die *unit, Dwarf_Addr address);
	int (*lineno)(Dwarf_Line *line, int *number);
	const char *(*linesrc)(Dwarf_Line *line, Dwarf_Word *time, Dwarf_Word *length);
};
extern struct dw_library dw_library;
#endif

/* 0, or -ELIBACC: libdw is not installed; -ENOTSUP: built without it. */
int dw_library_load(void);

struct source_lines; /* of one file */
struct dw_library;

/*
 * library: NULL: libdw, which is loaded. bytes: the whole file, which must stay, and can be written, as
 * libelf notes in it what it has decompressed. NULL: it has no such tables, or libdw is not installed.
 */
struct source_lines *source_lines_open(const struct dw_library *library, struct span bytes);
void source_lines_close(struct source_lines *lines); /* NULL is fine */

struct source_line {
	struct span file; /* as the compiler was given it, valid until source_lines_close() */
	uint32_t number;
};

/* Of the code at this address, as in the file, also of a function that was compiled into another one. */
bool source_lines_find(const struct source_lines *lines, uint64_t address, struct source_line *line);

#define FRAME_REGISTERS PROFILE_N_REGISTERS /* by the numbers of DWARF */

struct frame_rules; /* of one file */

/* bytes: the whole file, which must stay. NULL: it has no .eh_frame, or is malformed. */
struct frame_rules *frame_rules_open(struct span bytes);
void frame_rules_close(struct frame_rules *rules); /* NULL is fine */

/* A function on the stack, or its caller. */
struct frame_state {
	uint64_t ip;
	uint64_t registers[FRAME_REGISTERS];
	uint64_t known; /* a bit for each register */
	bool exact;     /* ip is where it was interrupted; else behind a call */
};

/* From the registers of a sample, in the order of the kernel. */
void frame_state_begin(struct frame_state *state, const uint64_t registers[PROFILE_N_REGISTERS]);

/* The stack pointer that was sampled, and the copied bytes from there on. */
struct frame_stack {
	uint64_t address;
	struct span bytes;
};

enum frame_step {
	FRAME_CALLER, /* state is the caller now */
	FRAME_FIRST,  /* it has none: the program began there */
	FRAME_LOST,   /* it cannot be found: the stack was not copied so far, or there is no rule */
};

/*
 * From a function to its caller. bias: what addresses of the file are less than those of the process.
 */
enum frame_step frame_rules_step(struct frame_rules *rules, uint64_t bias, const struct frame_stack *stack,
				 struct frame_state *state);

/* The same by the frame pointer, for code that keeps it. */
enum frame_step frame_pointer_step(const struct frame_stack *stack, struct frame_state *state);

#endif
