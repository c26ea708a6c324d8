/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from the machine is hostile: this makes it harmless and tells how many cells it takes. */
#ifndef PANETOP_CORE_UTF8_H
#define PANETOP_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/span.h"

#define UTF8_INVALID UINT32_MAX
#define UTF8_REPLACEMENT 0xfffd /* what programs are given for what they cannot be */
#define UTF8_BYTES_MAX 4

/* Decodes and eats one code point, or one byte of what is none (UTF8_INVALID). The span is not empty. */
uint32_t utf8_next(struct span *rest);

/* Writes the code point, at most UTF8_BYTES_MAX bytes, and returns how many. */
size_t utf8_put(char *bytes, uint32_t code);

/* Control characters, format and bidi controls, private and unassigned code points. */
bool utf8_is_harmful(uint32_t code);

/*
 * The next code point as a terminal may see it: '?' stands for all that is harmful or, with ascii,
 * not ASCII. cells is its width: 0 (combining, at most two in a row), 1 or 2. False at the end.
 */
struct utf8_reader {
	struct span rest;
	bool ascii;
	unsigned combined; /* marks on the present base character */
};
bool utf8_visible(struct utf8_reader *reader, uint32_t *code, int *cells);

/* Cells that text takes on a terminal after cleaning. */
int utf8_cells(const char *text, bool ascii);

/* Adds the cleaned text, cut to at most cells cells (< 0: all of it); returns the cells it took. */
int utf8_clean(struct buffer *buffer, const char *text, int cells, bool ascii);

/* Adds the cleaned text and blanks behind it, so that both take cells cells or, where it is longer, more. */
void utf8_padded(struct buffer *buffer, const char *text, int cells, bool ascii);

/* As utf8_padded(), the blanks before it. */
void utf8_padded_left(struct buffer *buffer, const char *text, int cells, bool ascii);

/*
 * Adds the cleaned text from cell at of a line on, in lines of at most cells cells; the further ones begin
 * with indent blanks. It is broken behind blanks, commas and wide characters, and where a word is too long.
 */
void utf8_wrapped(struct buffer *buffer, const char *text, int at, int indent, int cells, bool ascii);

#endif
