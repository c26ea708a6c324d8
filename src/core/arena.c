/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An arena of chunks that are reused from frame to frame. */
#include <config.h>

#include "core/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define CHUNK_BYTES ((size_t)16 * 1024)
#define ALIGNMENT ((size_t)8)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	uint64_t bytes[];
};

static struct arena_chunk *new_chunk(size_t size)
{
	size_t wanted = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct arena_chunk *chunk = alloc_resize(NULL, 1, sizeof(*chunk) + wanted);

	chunk->next = NULL;
	chunk->size = wanted;
	return chunk;
}

/* Goes to the next chunk with room for size bytes; skips smaller ones. */
static void next_chunk(struct arena *arena, size_t size)
{
	struct arena_chunk **link = arena->current ? &arena->current->next : &arena->first;

	while (*link && (*link)->size < size)
		link = &(*link)->next;
	if (!*link)
		*link = new_chunk(size);
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

void arena_reset(struct arena *arena)
{
	arena->current = arena->first;
	arena->used = 0;
}

void arena_free(struct arena *arena)
{
	struct arena_chunk *chunk = arena->first;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	*arena = (struct arena){ 0 };
}
