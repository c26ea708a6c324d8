/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libdw, loaded where a profile wants it. */
#ifndef PANETOP_TOPIC_PROFILE_DW_LIBRARY_H
#define PANETOP_TOPIC_PROFILE_DW_LIBRARY_H

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

#endif
