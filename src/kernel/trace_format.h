/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format files of tracepoints: where a field is in a sample, which differs between releases. */
#ifndef PANETOP_KERNEL_TRACE_FORMAT_H
#define PANETOP_KERNEL_TRACE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

struct trace_field {
	uint32_t offset, bytes; /* of the field, or of the word with its location */
	bool is_elsewhere;      /* __data_loc: the word locates a text of any length */
};

/*
 * The first field with this name in the text of events/SYSTEM/NAME/format; false when there is none, or its
 * location is given in a way that this program does not support (__rel_loc).
 */
bool trace_format_find(struct span text, const char *name, struct trace_field *field);

/* The text of this field in a sample, up to a NUL or its end; false when it lies outside. */
bool trace_field_text(const struct trace_field *field, struct span raw, struct span *text);

#endif
