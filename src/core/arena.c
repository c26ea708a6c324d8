/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An arena of chunks that are reused from frame to frame, with a hash of texts beside one, and pools. */
#include <config.h>

#include "core/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define ARENA_BYTES ((size_t)16 * 1024)
#define ARENA_BYTES_MAX ((size_t)1024 * 1024)
#define ALIGNMENT ((size_t)8)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	uint64_t bytes[];
};

/* Large arenas have large chunks: malloc() gives them back to the kernel one by one. */
static struct arena_chunk *new_chunk(struct arena *arena, size_t size)
{
	size_t usual = arena->held < ARENA_BYTES_MAX ? arena->held : ARENA_BYTES_MAX;
	size_t least = usual > ARENA_BYTES ? usual : ARENA_BYTES, wanted = size > least ? size : least;
	struct arena_chunk *chunk = alloc_resize(NULL, 1, sizeof(*chunk) + wanted);

	chunk->next = NULL;
	chunk->size = wanted;
	arena->held += wanted;
	return chunk;
}

/* Goes to the next chunk with room for size bytes; skips smaller ones. */
static void next_chunk(struct arena *arena, size_t size)
{
	struct arena_chunk **link = arena->current ? &arena->current->next : &arena->first;

	while (*link && (*link)->size < size)
		link = &(*link)->next;
	if (!*link)
		*link = new_chunk(arena, size);
	arena->current = *link;
	arena->used = 0;
}

void *arena_take(struct arena *arena, size_t size)
{
	size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	void *memory;

	if (!arena->current || arena->current->size - arena->used < rounded)
		next_chunk(arena, rounded);
	memory = (char *)arena->current->bytes + arena->used;
	arena->used += rounded;
	return memory;
}

const char *arena_copy(struct arena *arena, const char *bytes, size_t length)
{
	char *copy = arena_take(arena, length + 1);

	memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

const char *arena_print(struct arena *arena, const char *format, ...)
{
	char *text;
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(NULL, 0, format, list);
	va_end(list);
	if (length < 0)
		return "";
	text = arena_take(arena, (size_t)length + 1);
	va_start(list, format);
	vsnprintf(text, (size_t)length + 1, format, list);
	va_end(list);
	return text;
}

static void free_chunks(struct arena *arena)
{
	while (arena->first) {
		struct arena_chunk *next = arena->first->next;

		free(arena->first);
		arena->first = next;
	}
	arena->held = 0;
}

void arena_reset(struct arena *arena)
{
	size_t used = arena->used;

	for (const struct arena_chunk *chunk = arena->first; chunk && chunk != arena->current;
	     chunk = chunk->next)
		used += chunk->size;
	if (recent_use_is_outgrown(&arena->recent, used, arena->held))
		free_chunks(arena);
	arena->current = arena->first;
	arena->used = 0;
}

void arena_free(struct arena *arena)
{
	free_chunks(arena);
	*arena = (struct arena){ 0 };
}

/* At most, beside the text: its place in both arrays, each of which may be half empty, and the alignment. */
#define TEXT_BYTES (2 * sizeof(char *) + 4 * sizeof(struct hash_slot) + 8)

static uint32_t find_text(const struct intern *intern, const char *text, uint64_t hash)
{
	uint32_t at;

	HASH_FIND(at, &intern->index, hash, strcmp(intern->texts[at], text) == 0);
	return at;
}

uint32_t intern_find(const struct intern *intern, const char *text)
{
	return find_text(intern, text, hash_bytes(HASH_SEED, span_text(text)));
}

uint32_t intern_number(struct intern *intern, const char *text)
{
	struct span bytes = span_text(text);
	uint64_t hash = hash_bytes(HASH_SEED, bytes);
	uint32_t at = find_text(intern, text, hash);

	if (at == HASH_NONE) {
		at = (uint32_t)intern->n_texts;
		*VECTOR_ADD(intern->texts, intern->n_texts, intern->capacity) =
			arena_copy(&intern->arena, text, span_length(bytes));
		hash_add(&intern->index, hash, at);
		intern->n_bytes += span_length(bytes) + 1 + TEXT_BYTES;
	}
	return at;
}

const char *intern_text(struct intern *intern, const char *text)
{
	uint32_t number = intern_number(intern, text); /* it may move texts */

	return intern->texts[number];
}

void intern_clear(struct intern *intern)
{
	arena_reset(&intern->arena);
	hash_clear(&intern->index);
	intern->n_texts = intern->n_bytes = 0;
}

void intern_free(struct intern *intern)
{
	arena_free(&intern->arena);
	hash_free(&intern->index);
	free(intern->texts);
	*intern = (struct intern){ 0 };
}

#define POOL_BYTES ((size_t)128 * 1024) /* such blocks go back to the kernel one by one, see alloc_open() */

/* What lies before an element, and its first word while it is free. */
struct element {
	struct pool_chunk *chunk;
	union {
		struct element *next;
		uint64_t bytes[1];
	};
};

struct pool_chunk {
	struct pool_chunk *next, *before; /* in the ring of those with room */
	size_t n_used, n_begun, n_elements; /* n_begun: of those that were used at any time */
	struct element *free;
	uint64_t bytes[];
};

static size_t step(const struct pool *pool)
{
	size_t words = (pool->size + sizeof(uint64_t) - 1) / sizeof(uint64_t);

	return offsetof(struct element, bytes) + (words ? words : 1) * sizeof(uint64_t);
}

static void add_to_ring(struct pool *pool, struct pool_chunk *chunk)
{
	struct pool_chunk *first = pool->with_room;

	chunk->next = first ? first : chunk;
	chunk->before = first ? first->before : chunk;
	chunk->next->before = chunk->before->next = chunk;
	if (!first)
		pool->with_room = chunk;
}

static void take_from_ring(struct pool *pool, struct pool_chunk *chunk)
{
	chunk->before->next = chunk->next;
	chunk->next->before = chunk->before;
	if (pool->with_room == chunk)
		pool->with_room = chunk->next == chunk ? NULL : chunk->next;
}

static void add_chunk(struct pool *pool)
{
	struct pool_chunk *chunk = pool->spare;

	pool->spare = NULL;
	if (!chunk) {
		chunk = alloc_resize(NULL, 1, POOL_BYTES);
		*chunk = (struct pool_chunk){ .n_elements = (POOL_BYTES - sizeof(*chunk)) / step(pool) };
		pool->n_chunks++;
	}
	add_to_ring(pool, chunk);
}

void *pool_take(struct pool *pool)
{
	struct pool_chunk *chunk;
	struct element *element;

	if (!pool->with_room)
		add_chunk(pool);
	chunk = pool->with_room;
	element = chunk->free;
	if (element)
		chunk->free = element->next;
	else
		element = (struct element *)((char *)chunk->bytes + chunk->n_begun++ * step(pool));
	element->chunk = chunk;
	if (++chunk->n_used == chunk->n_elements)
		take_from_ring(pool, chunk);
	memset(element->bytes, 0, pool->size);
	return element->bytes;
}

void pool_give(struct pool *pool, void *bytes)
{
	struct element *element = (struct element *)((char *)bytes - offsetof(struct element, bytes));
	struct pool_chunk *chunk = element->chunk;

	element->next = chunk->free;
	chunk->free = element;
	if (chunk->n_used-- == chunk->n_elements)
		add_to_ring(pool, chunk);
	if (chunk->n_used > 0)
		return;
	take_from_ring(pool, chunk);
	pool->n_chunks -= pool->spare != NULL;
	free(pool->spare);
	pool->spare = chunk;
}

void pool_free(struct pool *pool)
{
	free(pool->spare);
	*pool = (struct pool){ .size = pool->size };
}
