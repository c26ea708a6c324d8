/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format files of tracepoints: where in a sample a field is, which differs from release to release. */
#ifndef PANETOP_KERNEL_TRACE_FORMAT_H
#define PANETOP_KERNEL_TRACE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct trace_field {
	uint32_t offset, bytes; /* of the field, or of the word that says where it is */
	bool is_elsewhere;      /* __data_loc: a text of any length */
};

/*
 * The field with this name of the text of events/SYSTEM/NAME/format, the first of them; false when there is
 * none, and when it is told where it is in a way that this program does not know (__rel_loc).
 */
bool trace_format_find(struct span text, const char *name, struct trace_field *field);

/* The text of this field in a sample, up to its NUL or its end; false when it does not lie within. */
bool trace_field_text(const struct trace_field *field, struct span raw, struct span *text);

#endif
