/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An arena: memory that lives as long as one frame and is released in one step. */
#ifndef PANETOP_CORE_ARENA_H
#define PANETOP_CORE_ARENA_H

#include "core/vector.h"

struct arena_chunk;

/*
 * All zero is an empty arena. A reset keeps the chunks, so a steady load does not allocate, unless they have
 * become far too many.
 */
struct arena {
	struct arena_chunk *first;
	struct arena_chunk *current;
	size_t used; /* bytes of the current chunk */
	size_t held; /* bytes of all chunks */
	struct recent_use recent;
};

void *arena_take(struct arena *arena, size_t size); /* aligned for all types used here, not cleared */
const char *arena_copy(struct arena *arena, const char *bytes, size_t length); /* NUL-terminated */
const char *arena_print(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena);

#endif
