/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format files of tracepoints: which fields a sample has, and where, which differs between releases. */
#ifndef PANETOP_KERNEL_TRACE_FORMAT_H
#define PANETOP_KERNEL_TRACE_FORMAT_H

#include "core/span.h"

/* Every tracepoint has these fields first, whose names begin with TRACE_FIELD_COMMON. */
#define TRACE_FIELD_COMMON "common_"

/* What the kernel knows at every tracepoint besides its fields: names, ended by NULL. */
extern const char *const trace_context_names[];

enum trace_field_is {
	TRACE_FIELD_NUMBER,    /* of 1, 2, 4 or 8 bytes */
	TRACE_FIELD_DEVICE,    /* a number: the kernel's dev_t */
	TRACE_FIELD_POINTER,   /* a number */
	TRACE_FIELD_TEXT,      /* char[N]: up to a NUL, or all of its bytes */
	TRACE_FIELD_ELSEWHERE, /* __data_loc char[]: a word locates a text: from the sample on … */
	TRACE_FIELD_BEHIND,    /* … __rel_loc char[]: from the end of the word on */
	TRACE_FIELD_ARRAY,     /* of anything else, wherever it is */
	TRACE_FIELD_OTHER,     /* a structure, or a number of another size */
};

struct trace_field {
	struct span name, type; /* in the format; type: as the kernel declares it */
	enum trace_field_is is;
	uint32_t offset, bytes; /* of the field, or of the word with its location */
	uint32_t value_bytes;   /* of a number: the lowest ones, which are its value … */
	bool is_signed;         /* … of which the first bit is its sign */
};

/*
 * Takes the next field from the text of events/SYSTEM/NAME/format; lines that describe none are left out.
 * False after the last one.
 */
bool trace_format_next(struct span *text, struct trace_field *field);

/* The first field with this name; false when there is none. */
bool trace_format_find(struct span text, const char *name, struct trace_field *field);

/* Its text in a sample, up to a NUL or its end; false when it has none, or it lies outside. */
bool trace_field_text(const struct trace_field *field, struct span raw, struct span *text);

static inline bool trace_field_is_number(const struct trace_field *field)
{
	return field->is <= TRACE_FIELD_POINTER;
}

static inline bool trace_field_is_text(const struct trace_field *field)
{
	return field->is >= TRACE_FIELD_TEXT && field->is <= TRACE_FIELD_BEHIND;
}

/* Of the number of a device as the kernel has it, 12 and 20 bits. */
#define TRACE_DEVICE_MINOR_BITS 20

#endif
