/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where rows were shown last, so that equal ones need not swap. */
#ifndef PANETOP_MODEL_ROW_POSITIONS_H
#define PANETOP_MODEL_ROW_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "model/column.h"

#define ROW_POSITIONS_MAX ((size_t)1024)
#define ROW_POSITION_NONE HASH_NONE

/* All zero: no rows. */
struct row_positions {
	struct hash by_key;
};

void row_positions_free(struct row_positions *positions);

/* Replaces all; rows beyond the first ROW_POSITIONS_MAX are not stored. */
void row_positions_store(struct row_positions *positions, const struct schema *schema,
			 const void *const *rows, size_t n_rows);

/* From 0; or ROW_POSITION_NONE. */
uint32_t row_positions_find(const struct row_positions *positions, const struct schema *schema,
			    const void *row);

#endif
