/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is the number of its copy and how many of its first bytes are left out, as a command without its
 * directories is the end of the command before it. A number that needs more than 31 bits is a text, too.
 */
#include <config.h>

#include "model/packed_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

#define NONE UINT32_MAX /* no text; an unknown number */
#define BLANK (UINT32_MAX - 1)
#define LARGE (UINT32_C(1) << 31) /* with the number of a text */

#define SKIP_BITS 10
#define SKIP_MAX ((UINT32_C(1) << SKIP_BITS) - 1)

static bool is_wide(const struct column *column)
{
	return column->type == VALUE_F64 || column->kind == COLUMN_KEY || column->unit == UNIT_TIME;
}

static uint32_t load(const void *row, const struct column *column)
{
	uint32_t packed;

	memcpy(&packed, row_field(row, column), sizeof(packed));
	return packed;
}

static void store(void *row, const struct column *column, uint32_t packed)
{
	memcpy((char *)row + column->offset, &packed, sizeof(packed));
}

static bool has_text(const void *row, const struct column *column)
{
	uint32_t packed = column->packed ? load(row, column) : NONE;

	return packed < BLANK && (column->type == VALUE_TEXT || packed >= LARGE);
}

uint64_t packed_u64(const void *row, const struct column *column)
{
	uint32_t packed = load(row, column);

	if (packed >= BLANK)
		return packed == NONE ? U64_UNKNOWN : U64_BLANK;
	return packed < LARGE ? packed : strtoull(column->packed->texts[packed - LARGE], NULL, 10);
}

const char *packed_text(const void *row, const struct column *column)
{
	uint32_t packed = load(row, column);

	return packed == NONE ? NULL
			      : column->packed->texts[packed >> SKIP_BITS] + (packed & SKIP_MAX);
}

/* Those of 64 bits come first. */
static void place_columns(struct packed_rows *packed)
{
	size_t offset = 0;

	for (int wide = 1; wide >= 0; wide--) {
		for (unsigned i = 0; i < packed->schema.n_columns; i++) {
			struct column *column = &packed->columns[i];

			if (is_wide(column) != (wide > 0))
				continue;
			column->offset = (uint16_t)offset;
			column->packed = wide ? NULL : &packed->texts;
			offset += wide ? sizeof(uint64_t) : sizeof(uint32_t);
		}
	}
	packed->schema.row_size = (offset + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

struct packed_rows *packed_rows_open(const struct schema *from)
{
	struct packed_rows *packed = alloc_zeroed(1, sizeof(*packed));

	packed->from = from;
	packed->columns = alloc_zeroed(from->n_columns, sizeof(*packed->columns));
	memcpy(packed->columns, from->columns, from->n_columns * sizeof(*packed->columns));
	packed->schema = *from;
	packed->schema.columns = packed->columns;
	place_columns(packed);
	return packed;
}

void packed_rows_close(struct packed_rows *packed)
{
	if (!packed)
		return;
	intern_free(&packed->texts);
	free(packed->columns);
	free(packed);
}

static uint32_t pack_number(struct packed_rows *packed, uint64_t number)
{
	char text[sizeof("18446744073709551615")];

	if (number >= U64_BLANK)
		return number == U64_UNKNOWN ? NONE : BLANK;
	if (number < LARGE)
		return (uint32_t)number;
	snprintf(text, sizeof(text), "%" PRIu64, number);
	return LARGE | intern_number(&packed->texts, text);
}

/* The text before it in the row, and how it is packed. */
struct text_before {
	const char *text;
	uint32_t packed;
};

static bool is_end_of(const char *text, const struct text_before *before)
{
	uintptr_t from = (uintptr_t)before->text, at = (uintptr_t)text;

	return from && at >= from && at - from <= SKIP_MAX - (before->packed & SKIP_MAX) &&
	       at <= from + strlen(before->text);
}

static uint32_t pack_text(struct packed_rows *packed, const char *text, struct text_before *before)
{
	uint32_t result;

	if (!text)
		return NONE;
	result = is_end_of(text, before) ? before->packed + (uint32_t)(text - before->text)
					 : intern_number(&packed->texts, text) << SKIP_BITS;
	*before = (struct text_before){ .text = text, .packed = result };
	return result;
}

void row_pack(struct packed_rows *packed, void *to, const void *row)
{
	struct text_before before = { 0 };

	memset(to, 0, packed->schema.row_size);
	for (unsigned i = 0; i < packed->schema.n_columns; i++) {
		const struct column *column = &packed->columns[i], *from = &packed->from->columns[i];

		if (!column->packed)
			row_set_u64(to, column, row_u64(row, from)); /* also for the bytes of a double */
		else if (column->type == VALUE_TEXT)
			store(to, column, pack_text(packed, row_text(row, from), &before));
		else
			store(to, column, pack_number(packed, row_u64(row, from)));
	}
}

/* Known numbers are those of the new texts by those of the old ones. */
static void renew(struct packed_rows *packed, const struct intern *old, uint32_t *known, void *row,
		  const struct column *column)
{
	uint32_t before = load(row, column), shift = column->type == VALUE_TEXT ? SKIP_BITS : 0;
	uint32_t kept = column->type == VALUE_TEXT ? before & SKIP_MAX : LARGE;
	uint32_t number = (before - kept) >> shift;

	if (known[number] == HASH_NONE)
		known[number] = intern_number(&packed->texts, old->texts[number]);
	store(row, column, known[number] << shift | kept);
}

void packed_rows_renew_texts(struct packed_rows *packed, char *rows, size_t n_rows)
{
	struct intern old = packed->texts;
	uint32_t *known = alloc_resize(NULL, old.n_texts, sizeof(*known));

	packed->texts = (struct intern){ 0 };
	for (size_t i = 0; i < old.n_texts; i++)
		known[i] = HASH_NONE;
	for (size_t i = 0; i < n_rows; i++) {
		char *row = rows + i * packed->schema.row_size;

		for (unsigned c = 0; c < packed->schema.n_columns; c++)
			if (has_text(row, &packed->columns[c]))
				renew(packed, &old, known, row, &packed->columns[c]);
	}
	free(known);
	intern_free(&old);
}

void packed_rows_forget_texts(struct packed_rows *packed)
{
	intern_free(&packed->texts);
}
