/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: every topic and column, for people and for programs. */
#ifndef PANETOP_OUTPUT_DESCRIBE_H
#define PANETOP_OUTPUT_DESCRIBE_H

#include <stdbool.h>

#include "core/buffer.h"
#include "model/column.h"

void describe_text(struct buffer *out, const struct schema *const *schemas, unsigned n_schemas);
void describe_json(struct buffer *out, const struct schema *const *schemas, unsigned n_schemas);

#endif
