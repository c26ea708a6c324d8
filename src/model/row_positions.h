/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where rows stood when they were shown last, so that equal ones need not trade places. */
#ifndef PANETOP_MODEL_ROW_POSITIONS_H
#define PANETOP_MODEL_ROW_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "model/column.h"

#define PLACES_MAX ((size_t)1024)
#define PLACE_NONE UINT32_MAX

/* Zeroed: of no rows. */
struct places {
	struct place {
		uint64_t key_hash;
		uint32_t number; /* PLACE_NONE: the slot is free */
	} *slots;
	size_t n_slots; /* a power of two */
};

void places_free(struct places *places);

/* Forgets all others; rows beyond the first PLACES_MAX are not noted. */
void places_note(struct places *places, const struct schema *schema, const void *const *rows, size_t n_rows);

/* From 0 on; PLACE_NONE. */
uint32_t places_find(const struct places *places, const struct schema *schema, const void *row);

#endif
