/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that never fails: out of memory, the terminal is restored and the program ends. */
#ifndef PANETOP_CORE_ALLOC_H
#define PANETOP_CORE_ALLOC_H

#include <stddef.h>

void alloc_open(void); /* before anything is allocated: large blocks go back to the kernel when freed */

/*
 * To be called after each sample: now and then free pages between small blocks go back to the kernel, too.
 * Otherwise a heap keeps the size of its peak as long as one block at its end is in use.
 */
void alloc_tidy(void);

/* Called once before the program ends out of memory; the screen restores the terminal here. */
void alloc_on_failure(void (*restore)(void));

/* All of these return memory that the caller owns and frees with free(). */
void *alloc_zeroed(size_t count, size_t size);
void *alloc_resize(void *old, size_t count, size_t size);
char *alloc_text(const char *text);

#endif
