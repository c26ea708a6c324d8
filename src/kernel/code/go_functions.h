/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .gopclntab, which every Go program keeps, also a stripped one: its functions. */
#ifndef PANETOP_KERNEL_GO_FUNCTIONS_H
#define PANETOP_KERNEL_GO_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"
#include "kernel/code/elf_file.h"
#include "kernel/code/symbols.h"

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

#endif
