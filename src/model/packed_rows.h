/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a table in about half their size, for many that are kept: texts, and numbers that are neither keys
 * nor times, take 32 bits. They are read as other rows are, by the columns of the packed schema.
 */
#ifndef PANETOP_MODEL_PACKED_ROWS_H
#define PANETOP_MODEL_PACKED_ROWS_H

#include "core/intern.h"
#include "model/column.h"

/* Numbers in a packed row are those of texts, so these may be at most about 4 million. */
struct packed_rows {
	const struct schema *from; /* borrowed */
	struct schema schema;      /* the same columns, of packed rows */
	struct column *columns;    /* owned */
	struct intern texts;       /* of all rows, and of some that are gone */
};

/* The owner closes it; until then it must not be moved, since its columns point to its texts. */
struct packed_rows *packed_rows_open(const struct schema *from);
void packed_rows_close(struct packed_rows *packed);

/* Packs a row of the schema from. to: packed->schema.row_size bytes. */
void row_pack(struct packed_rows *packed, void *to, const void *row);

/* Frees the texts that none of these packed rows has. While it works, it has those of the rows twice. */
void packed_rows_renew_texts(struct packed_rows *packed, char *rows, size_t n_rows);

/* All rows are gone. */
void packed_rows_forget_texts(struct packed_rows *packed);

#endif
