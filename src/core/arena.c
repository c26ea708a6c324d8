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
#define CHUNK_BYTES_MAX ((size_t)1024 * 1024)
#define ALIGNMENT ((size_t)8)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	uint64_t bytes[];
};

/* Large arenas have large chunks: malloc() gives them back to the kernel one by one. */
static struct arena_chunk *new_chunk(struct arena *arena, size_t size)
{
	size_t usual = arena->held < CHUNK_BYTES_MAX ? arena->held : CHUNK_BYTES_MAX;
	size_t least = usual > CHUNK_BYTES ? usual : CHUNK_BYTES, wanted = size > least ? size : least;
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

static size_t bytes_used(const struct arena *arena)
{
	size_t used = arena->used;

	for (const struct arena_chunk *chunk = arena->first; chunk && chunk != arena->current;
	     chunk = chunk->next)
		used += chunk->size;
	return used;
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
	if (recent_use_is_outgrown(&arena->recent, bytes_used(arena), arena->held))
		free_chunks(arena);
	arena->current = arena->first;
	arena->used = 0;
}

void arena_free(struct arena *arena)
{
	free_chunks(arena);
	*arena = (struct arena){ 0 };
}
