/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from the machine may be hostile: cleaning it, and its width in cells. */
#ifndef PANETOP_CORE_UTF8_H
#define PANETOP_CORE_UTF8_H

#include "core/buffer.h"
#include "core/span.h"

#define UTF8_INVALID UINT32_MAX
#define UTF8_REPLACEMENT 0xfffd /* replaces invalid UTF-8 in output for programs */
#define UTF8_BYTES_MAX 4

/* Decodes and consumes a code point, or one invalid byte (UTF8_INVALID). The span must not be empty. */
uint32_t utf8_next(struct span *rest);

/* Writes the code point, at most UTF8_BYTES_MAX bytes, and returns the number of bytes. */
size_t utf8_put(char *bytes, uint32_t code);

/* Control characters, format and bidi controls, private and unassigned code points. */
bool utf8_is_harmful(uint32_t code);

/* For programs, UTF-8 in every locale: U+FFFD replaces harmful code points and invalid bytes. */
void utf8_add_harmless(struct buffer *buffer, uint32_t code);
void utf8_harmless(struct buffer *buffer, struct span text);

/*
 * The next code point for a terminal: ' ' replaces newlines and tabs, '?' other harmful ones and, with
 * ascii, those beyond ASCII. cells is its width: 0 (combining, at most two in a row), 1 or 2. False at the
 * end.
 */
struct utf8_reader {
	struct span rest;
	bool ascii;
	unsigned combined; /* combining characters on the current base character */
};
bool utf8_visible(struct utf8_reader *reader, uint32_t *code, int *cells);

/* Width of the cleaned text in cells. */
int utf8_cells(const char *text, bool ascii);

/* Appends the cleaned text, cut to cells cells (< 0: not cut); returns its width. */
int utf8_clean(struct buffer *buffer, const char *text, int cells, bool ascii);

/* Appends the cleaned text and trailing blanks, at least cells cells in all. */
void utf8_padded(struct buffer *buffer, const char *text, int cells, bool ascii);

/* As utf8_padded(), with leading blanks. */
void utf8_padded_left(struct buffer *buffer, const char *text, int cells, bool ascii);

/*
 * Appends the cleaned text, starting at cell at, in lines of at most cells cells; further lines start with
 * indent blanks. Breaks after blanks, commas and wide characters, and in words that are too long.
 */
void utf8_wrapped(struct buffer *buffer, const char *text, int at, int indent, int cells, bool ascii);

#endif
