/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 decoding and cleaning of text that any user of the machine may have written. */
#include <config.h>

#include "core/utf8.h"

#include <limits.h>
#include <string.h>
#include <wchar.h>

/* What panetop writes itself, and what it is without Unicode: "×9", "58 µs"; of "47 °C" it is left out. */
#define TIMES_SIGN 0xd7
#define MICRO_SIGN 0xb5
#define DEGREE_SIGN 0xb0
#define COMBINING_MAX 2

/* Length of a well-formed sequence at the start, or 0. */
static size_t sequence_length(struct span rest)
{
	unsigned char first = (unsigned char)rest.at[0];
	size_t length = first < 0x80   ? 1
			: first < 0xc2 ? 0
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf5 ? 4
				       : 0;

	if (length == 0 || span_length(rest) < length)
		return 0;
	for (size_t i = 1; i < length; i++)
		if (((unsigned char)rest.at[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

uint32_t utf8_next(struct span *rest)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const unsigned char lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t length = sequence_length(*rest);
	uint32_t code;

	if (length == 0) {
		rest->at++;
		return UTF8_INVALID;
	}
	code = (unsigned char)rest->at[0] & lead_mask[length];
	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)rest->at[i] & 0x3f);
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
		rest->at++;
		return UTF8_INVALID;
	}
	rest->at += length;
	return code;
}

size_t utf8_put(char *bytes, uint32_t code)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = length - 1; i > 0; i--, code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(lead[length] | code);
	return length;
}

bool utf8_is_harmful(uint32_t code)
{
	static const struct { uint32_t first, last; } ranges[] = {
		{ 0x0000, 0x001f },   /* C0 controls */
		{ 0x007f, 0x009f },   /* DEL and C1 controls */
		{ 0x00ad, 0x00ad },   /* soft hyphen */
		{ 0x061c, 0x061c },   /* Arabic letter mark */
		{ 0x180e, 0x180e },   /* Mongolian vowel separator */
		{ 0x200b, 0x200f },   /* zero width, directional marks */
		{ 0x2028, 0x202e },   /* line and paragraph separators, bidi embeddings */
		{ 0x2060, 0x206f },   /* invisible operators, bidi isolates */
		{ 0xe000, 0xf8ff },   /* private use */
		{ 0xfe00, 0xfe0f },   /* variation selectors */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff0, 0xfffb },   /* specials */
		{ 0xfffe, 0xffff },   /* no characters */
		{ 0xe0000, 0x10ffff }, /* tags, selectors, private planes */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return code > 0x10ffff;
}

void utf8_add_harmless(struct buffer *buffer, uint32_t code)
{
	char bytes[UTF8_BYTES_MAX];

	buffer_add(buffer, bytes, utf8_put(bytes, utf8_is_harmful(code) ? UTF8_REPLACEMENT : code));
}

void utf8_harmless(struct buffer *buffer, struct span text)
{
	while (text.at < text.end)
		utf8_add_harmless(buffer, utf8_next(&text));
}

bool utf8_visible(struct utf8_reader *reader, uint32_t *code, int *cells)
{
	/* most of all text */
	if (reader->rest.at < reader->rest.end && *reader->rest.at >= ' ' && *reader->rest.at <= '~') {
		reader->combined = 0;
		*code = (unsigned char)*reader->rest.at++;
		*cells = 1;
		return true;
	}
	while (reader->rest.at < reader->rest.end) {
		uint32_t found = utf8_next(&reader->rest);
		uint32_t next = !reader->ascii        ? found
				: found == TIMES_SIGN ? 'x'
				: found == MICRO_SIGN ? 'u'
						      : found;
		bool blank = found >= '\t' && found <= '\r'; /* newlines and tabs of a command line */
		/* a recording has U+FFFD for invalid UTF-8, and looks like the live run */
		bool hidden = !blank && (utf8_is_harmful(next) || next == UTF8_REPLACEMENT ||
					 (reader->ascii && next > 0x7e));
		int width = hidden ? -1 : blank ? 1 : wcwidth((wchar_t)next);

		if ((width == 0 && ++reader->combined > COMBINING_MAX) ||
		    (reader->ascii && found == DEGREE_SIGN))
			continue;
		if (width != 0)
			reader->combined = 0;
		*code = width < 0 ? '?' : blank ? ' ' : next;
		*cells = width < 0 ? 1 : width;
		return true;
	}
	return false;
}

int utf8_cells(const char *text, bool ascii)
{
	struct utf8_reader reader = { .rest = span_text(text), .ascii = ascii };
	uint32_t code;
	int cells, total = 0;

	while (utf8_visible(&reader, &code, &cells))
		total += cells;
	return total;
}

int utf8_clean(struct buffer *buffer, const char *text, int cells, bool ascii)
{
	struct utf8_reader reader = { .rest = span_text(text), .ascii = ascii };
	int room = cells < 0 ? INT_MAX : cells, taken = 0, width;
	char bytes[UTF8_BYTES_MAX];
	uint32_t code;

	while (utf8_visible(&reader, &code, &width) && width <= room - taken) {
		buffer_add(buffer, bytes, utf8_put(bytes, code));
		taken += width;
	}
	return taken;
}

void utf8_padded(struct buffer *buffer, const char *text, int cells, bool ascii)
{
	int taken = utf8_clean(buffer, text, -1, ascii);

	if (taken < cells)
		buffer_fill(buffer, ' ', (size_t)(cells - taken));
}

void utf8_padded_left(struct buffer *buffer, const char *text, int cells, bool ascii)
{
	int taken = utf8_cells(text, ascii);

	if (taken < cells)
		buffer_fill(buffer, ' ', (size_t)(cells - taken));
	utf8_clean(buffer, text, -1, ascii);
}

static void begin_line(struct buffer *buffer, int indent)
{
	while (buffer->length > 0 && buffer->bytes[buffer->length - 1] == ' ')
		buffer->length--;
	buffer_print(buffer, "\n%*s", indent, "");
}

void utf8_wrapped(struct buffer *buffer, const char *text, int at, int indent, int cells, bool ascii)
{
	struct utf8_reader reader = { .rest = span_text(text), .ascii = ascii };
	struct buffer word = { 0 };
	int word_cells = 0, width;
	char bytes[UTF8_BYTES_MAX];
	uint32_t code;
	bool more;

	do {
		bool ends, blank;

		more = utf8_visible(&reader, &code, &width);
		blank = more && code == ' ';
		ends = !more || blank || code == ',' || width > 1 || indent + word_cells + width >= cells;
		if (more && !blank) {
			buffer_add(&word, bytes, utf8_put(bytes, code));
			word_cells += width;
		}
		if (!ends)
			continue;
		if (at > indent && at + word_cells > cells) {
			begin_line(buffer, indent);
			at = indent;
		}
		buffer_add(buffer, word.bytes, word.length);
		at += word_cells;
		if (blank && at++ < cells)
			buffer_char(buffer, ' ');
		word.length = 0;
		word_cells = 0;
	} while (more);
	buffer_free(&word);
}
