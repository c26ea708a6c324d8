/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes that the authors of a program have put into it (USDT): the notes of .note.stapsdt. */
#ifndef PANETOP_KERNEL_USDT_H
#define PANETOP_KERNEL_USDT_H

#include "kernel/code/elf_file.h"

/* A place of a probe; a name may have several. Names are as in the file, which others wrote. */
struct usdt_place {
	struct span provider, name;
	uint64_t offset;           /* of its instruction in the file */
	uint64_t semaphore_offset; /* in the file, of a counter of 2 bytes: who listens adds 1; 0: none */
};

/* The next one that is loaded, and is a nop; rest is file->probe_notes at first. */
bool usdt_next(const struct elf_file *file, struct span *rest, struct usdt_place *place);

#endif
