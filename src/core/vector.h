/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing arrays and binary search over plain pointers:
 *
 *	struct group *groups;			all zero is an empty array
 *	size_t n_groups, capacity;
 *
 *	*VECTOR_ADD(groups, n_groups, capacity) = (struct group){ .pid = pid };
 *	VECTOR_RESERVE(groups, n_wanted, capacity);
 *	free(groups);
 *
 *	size_t at;				sorted by pid
 *	VECTOR_BOUND(at, n_groups, groups[at].pid < pid);
 *	if (at < n_groups && groups[at].pid == pid) ...
 */
#ifndef PANETOP_CORE_VECTOR_H
#define PANETOP_CORE_VECTOR_H

#include <stdbool.h>
#include <stdlib.h>

#include "core/alloc.h"

#define VECTOR_FIRST ((size_t)16) /* elements */

/* Use VECTOR_RESERVE where the type is known; this is for elements whose size is a value. */
static inline void *vector_reserve(void *array, size_t *capacity, size_t wanted, size_t size)
{
	size_t larger = *capacity ? 2 * *capacity : VECTOR_FIRST;

	if (wanted <= *capacity)
		return array;
	*capacity = wanted > larger ? wanted : larger;
	return alloc_resize(array, *capacity, size);
}

/* Makes room for wanted elements. New elements are not initialized. */
#define VECTOR_RESERVE(array, wanted, capacity) \
	((array) = vector_reserve((array), &(capacity), (wanted), sizeof(*(array))))

/* Appends an element and gives a pointer to it; the element is not initialized. */
#define VECTOR_ADD(array, count, capacity) \
	(VECTOR_RESERVE(array, (count) + 1, capacity), &(array)[(count)++])

/*
 * Sets at to the first index for which is_before, an expression of at, is false; to count if there is none.
 */
#define VECTOR_BOUND(at, count, is_before)                    \
	do {                                                  \
		size_t low_ = 0, high_ = (count);             \
		while (low_ < high_) {                        \
			(at) = low_ + (high_ - low_) / 2;     \
			if (is_before)                        \
				low_ = (at) + 1;              \
			else                                  \
				high_ = (at);                 \
		}                                             \
		(at) = low_;                                  \
	} while (0)

/*
 * For memory that is filled again and again: call it whenever it is emptied. True if what is held is many
 * times what was used lately, so that the memory of a peak can be given back.
 */
struct recent_use {
	size_t bytes; /* the largest use, which fades within ten calls */
};

#define RECENT_USE_FREE ((size_t)256 * 1024) /* less is never too much */

static inline bool recent_use_is_outgrown(struct recent_use *recent, size_t used_bytes, size_t held_bytes)
{
	size_t faded = recent->bytes - recent->bytes / 8;

	recent->bytes = used_bytes > faded ? used_bytes : faded;
	return held_bytes > RECENT_USE_FREE && held_bytes / 4 > recent->bytes;
}

/* Empties the array, and frees it if it is outgrown. */
#define VECTOR_EMPTY(array, count, capacity, recent)                                                        \
	do {                                                                                                \
		if (recent_use_is_outgrown((recent), (count) * sizeof(*(array)),                            \
					   (capacity) * sizeof(*(array)))) {                                \
			free(array);                                                                        \
			(array) = NULL;                                                                     \
			(capacity) = 0;                                                                     \
		}                                                                                           \
		(count) = 0;                                                                                \
	} while (0)

#endif
