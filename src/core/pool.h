/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elements of one size that come and go, in chunks of their own. From malloc() they would lie among other
 * memory, and what thousands of them took could not be given back.
 */
#ifndef PANETOP_CORE_POOL_H
#define PANETOP_CORE_POOL_H

#include <stddef.h>

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
