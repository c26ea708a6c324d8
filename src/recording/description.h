/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says about its topics and columns, and which of them this version has. */
#ifndef PANETOP_RECORDING_DESCRIPTION_H
#define PANETOP_RECORDING_DESCRIPTION_H

#include "core/buffer.h"
#include "core/span.h"
#include "model/frame.h"

#define DESCRIPTION_BYTES_MAX ((size_t)4 << 20)

struct described_topic {
	struct span name; /* in the bytes that were parsed */
	int table;        /* index of its schema, or -1 */
	enum value_type *types;
	const struct column **columns; /* NULL: unknown here */
	unsigned n_columns;
};

struct description {
	struct described_topic *topics;
	unsigned n_topics, n_tables;
};

void description_add(struct buffer *out, const struct frame *frame);

/* False: damaged, or with a topic twice. description_free() gives all back in either case. */
bool description_parse(struct description *description, struct span in, const struct schema *const *schemas,
		       unsigned n_schemas);
void description_free(struct description *description);

#endif
