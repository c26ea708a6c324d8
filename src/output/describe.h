/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --describe: every topic and column, for people and for programs. */
#ifndef PANETOP_OUTPUT_DESCRIBE_H
#define PANETOP_OUTPUT_DESCRIBE_H

#include "core/buffer.h"
#include "model/frame.h"

#define DESCRIBED_PANES_MAX 16

struct described {
	const struct schema *schema;
	const char *panes[DESCRIBED_PANES_MAX + 1]; /* names of the panes that show it, ended by NULL */
};

void describe_text(struct buffer *out, const struct described *topics, unsigned n_topics);
void describe_json(struct buffer *out, const struct described *topics, unsigned n_topics);

#endif
