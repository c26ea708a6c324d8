/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool of elements of one size. */
#include <config.h>

#include "core/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define CHUNK_BYTES ((size_t)128 * 1024) /* such blocks go back to the kernel one by one, see alloc_open() */

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
		chunk = alloc_resize(NULL, 1, CHUNK_BYTES);
		*chunk = (struct pool_chunk){ .n_elements = (CHUNK_BYTES - sizeof(*chunk)) / step(pool) };
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
