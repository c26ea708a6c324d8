/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that goes in one step: of one frame, of texts that are stored once, of elements of one size. */
#ifndef PANETOP_CORE_ARENA_H
#define PANETOP_CORE_ARENA_H

#include "core/hash.h"
#include "core/vector.h"

/* An arena: memory that lives as long as one frame and is released in one step. */
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

/* Texts that are stored once, however often they occur. All zero: no texts. */
struct intern {
	struct arena arena;
	struct hash index; /* of texts */
	const char **texts;
	size_t n_texts, capacity;
	size_t n_bytes; /* of memory for all texts, a little more than it is */
};

/* A copy that lives as long as intern; equal texts share it. */
const char *intern_text(struct intern *intern, const char *text);

/* The index of that copy in texts, where new ones come last. */
uint32_t intern_number(struct intern *intern, const char *text);

/* The same of a text that has a copy; HASH_NONE: it has none. */
uint32_t intern_find(const struct intern *intern, const char *text);

void intern_clear(struct intern *intern); /* keeps its memory */
void intern_free(struct intern *intern);

/*
 * Elements of one size that come and go, in chunks of their own. From malloc() they would lie among other
 * memory, and what thousands of them took could not be given back.
 */
struct pool_chunk;

/* All zero but for size is an empty pool. */
struct pool {
	size_t size;                  /* of an element, in bytes */
	struct pool_chunk *with_room; /* one of those that have room, linked in a ring; NULL: none has */
	struct pool_chunk *spare;     /* without elements; NULL: none. Other empty chunks are freed */
	size_t n_chunks;              /* with the spare one */
};

void *pool_take(struct pool *pool); /* all zero; aligned for all types used here */
void pool_give(struct pool *pool, void *element);

/* When all elements were given back. */
void pool_free(struct pool *pool);

#endif
