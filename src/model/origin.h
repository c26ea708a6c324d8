/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the numbers on the screen come from: collected while it is drawn, for the key i. */
#ifndef PANETOP_MODEL_ORIGIN_H
#define PANETOP_MODEL_ORIGIN_H

#include "core/buffer.h"
#include "model/column.h"

/* A column of a row; or, without a column, a number that a pane made. */
struct origin {
	const struct schema *schema;
	const void *row; /* may be gone when it was drawn */
	const struct column *column;
	const char *name, *from; /* of a made number, and what it is made of */
	double number;
	enum unit unit;
};

/* Writes each origin when it is drawn. */
struct origins {
	/* False: it is there. */
	bool (*add)(const struct origins *origins, const struct origin *origin);
	struct buffer *out;
	const void *context; /* of add */
};

/* From now on origins of this thread go there; NULL: nowhere. */
void origins_collect(const struct origins *origins);

/* The end of what was written; and drops what was written since, as it is not drawn after all. */
size_t origins_end(void);
void origins_drop(size_t end);

/* False: it is there already, or none are collected. */
bool origin_add(const struct origin *origin);

#endif
