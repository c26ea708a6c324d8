/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scanning kernel text without locale, allocation or stdio. */
#include <config.h>

#include "core/span.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#define DIGITS_MAX 18                 /* significant digits; further ones do not change the value */
#define EXPONENT_MAX 400              /* beyond those of a double, within those of a long double */
#define EXACT_MAX (UINT64_C(1) << 53) /* a double represents all integers up to this */

struct span span_text(const char *text)
{
	return span_of(text, strlen(text));
}

bool span_is(struct span span, const char *text)
{
	size_t length = span_length(span);

	/* Where names are looked up, most begin with another letter. */
	return length == 0
		       ? !*text
		       : *span.at == *text && strlen(text) == length && memcmp(span.at, text, length) == 0;
}

bool span_starts(struct span span, const char *prefix)
{
	size_t length = strlen(prefix);

	/* The bytes of an empty span may be nowhere, which memcmp() does not allow. */
	return span_length(span) >= length && (length == 0 || memcmp(span.at, prefix, length) == 0);
}

bool span_take_start(struct span *span, const char *start)
{
	if (!span_starts(*span, start))
		return false;
	span->at += strlen(start);
	return true;
}

bool span_take_end(struct span *span, const char *end)
{
	size_t length = strlen(end);

	if (span_length(*span) <= length || memcmp(span->end - length, end, length) != 0)
		return false;
	span->end -= length;
	return true;
}

void span_copy(char *text, size_t room, struct span span)
{
	size_t length = span_length(span) < room ? span_length(span) : room - 1;

	memcpy(text, span.at, length);
	text[length] = '\0';
}

bool span_peek(struct span bytes, size_t offset, void *value, size_t size)
{
	if (offset > span_length(bytes) || span_length(bytes) - offset < size)
		return false;
	memcpy(value, bytes.at + offset, size);
	return true;
}

bool span_eat(struct span *rest, void *value, size_t size)
{
	if (!span_peek(*rest, 0, value, size))
		return false;
	rest->at += size;
	return true;
}

bool span_little(struct span bytes, uint64_t offset, unsigned size, uint64_t *value)
{
	uint64_t number = 0;

	if (offset > span_length(bytes) || span_length(bytes) - offset < size)
		return false;
	memcpy(&number, bytes.at + offset, size);
	*value = le64toh(number);
	return true;
}

bool span_part(struct span bytes, uint64_t offset, uint64_t length, struct span *part)
{
	if (offset > span_length(bytes) || length > span_length(bytes) - offset)
		return false;
	*part = span_of(bytes.at + offset, (size_t)length);
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static bool is_space(char byte)
{
	return is_blank(byte) || byte == '\n';
}

struct span span_trimmed(struct span text)
{
	while (text.at < text.end && is_space(*text.at))
		text.at++;
	while (text.at < text.end && is_space(text.end[-1]))
		text.end--;
	return text;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static void skip_blanks(struct span *rest)
{
	while (rest->at < rest->end && is_blank(*rest->at))
		rest->at++;
}

bool span_line(struct span *rest, struct span *line)
{
	const char *newline;

	if (rest->at >= rest->end)
		return false;
	newline = memchr(rest->at, '\n', span_length(*rest));
	line->at = rest->at;
	line->end = newline ? newline : rest->end;
	rest->at = newline ? newline + 1 : rest->end;
	return true;
}

bool span_word(struct span *rest, struct span *word)
{
	struct span left = *rest;

	skip_blanks(&left);
	word->at = left.at;
	while (left.at < left.end && !is_blank(*left.at))
		left.at++;
	word->end = left.at;
	if (word->at == word->end)
		return false;
	*rest = left;
	return true;
}

bool span_until(struct span *rest, char stop, struct span *part)
{
	const char *found = rest->at < rest->end ? memchr(rest->at, stop, span_length(*rest)) : NULL;

	if (!found)
		return false;
	*part = (struct span){ .at = rest->at, .end = found };
	rest->at = found + 1;
	return true;
}

bool span_char(struct span *rest, char wanted)
{
	if (rest->at >= rest->end || *rest->at != wanted)
		return false;
	rest->at++;
	return true;
}

bool span_u64(struct span *rest, uint64_t *value)
{
	struct span left = *rest;
	uint64_t number = 0;
	const char *first;

	skip_blanks(&left);
	for (first = left.at; left.at < left.end && is_digit(*left.at); left.at++) {
		uint64_t digit = (uint64_t)(*left.at - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (left.at == first)
		return false;
	*value = number;
	*rest = left;
	return true;
}

bool span_hex(struct span *rest, uint64_t *value)
{
	struct span left = *rest;
	uint64_t number = 0;
	const char *first;
	int digit;

	skip_blanks(&left);
	for (first = left.at; left.at < left.end && (digit = ascii_hex_digit(*left.at)) >= 0; left.at++) {
		if (number >> 60)
			return false;
		number = number << 4 | (uint64_t)digit;
	}
	if (left.at == first)
		return false;
	*value = number;
	*rest = left;
	return true;
}

bool span_i64(struct span *rest, int64_t *value)
{
	struct span left = *rest;
	uint64_t number;
	bool negative;

	skip_blanks(&left);
	negative = span_char(&left, '-');
	if (!negative)
		span_char(&left, '+');
	if (left.at >= left.end || !is_digit(*left.at) || !span_u64(&left, &number) ||
	    number > (uint64_t)INT64_MAX)
		return false;
	*value = negative ? -(int64_t)number : (int64_t)number;
	*rest = left;
	return true;
}

bool span_f64(struct span *rest, double *value)
{
	struct span left = *rest;
	uint64_t whole = 0, fraction = 0, scale = 1;

	skip_blanks(&left);
	if (!span_u64(&left, &whole) && !(span_length(left) > 1 && left.at[0] == '.' && is_digit(left.at[1])))
		return false;
	if (span_char(&left, '.')) {
		for (; left.at < left.end && is_digit(*left.at); left.at++) {
			if (scale >= UINT64_C(1000000000))
				continue;
			fraction = fraction * 10 + (uint64_t)(*left.at - '0');
			scale *= 10;
		}
	}
	*value = whole < EXACT_MAX / scale ? (double)(whole * scale + fraction) / (double)scale
					   : (double)whole + (double)fraction / (double)scale;
	*rest = left;
	return true;
}

/* The digits of "2.328" as an integer, to be scaled by ten to the power of exponent. */
static bool take_digits(struct span *rest, uint64_t *digits, int64_t *exponent)
{
	bool point = false, any = false;
	unsigned taken = 0;

	*digits = 0;
	*exponent = 0;
	for (; rest->at < rest->end; rest->at++) {
		if (*rest->at == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*rest->at))
			break;
		any = true;
		if (taken < DIGITS_MAX)
			*digits = *digits * 10 + (uint64_t)(*rest->at - '0');
		*exponent += (taken < DIGITS_MAX ? 0 : 1) - (point ? 1 : 0);
		taken += *digits > 0 ? 1 : 0; /* leading zeros do not count */
	}
	return any;
}

bool span_real(struct span *rest, double *value)
{
	struct span left = *rest;
	bool negative = span_char(&left, '-');
	int64_t exponent, given = 0;
	long double number;
	uint64_t digits;

	if (!take_digits(&left, &digits, &exponent))
		return false;
	if ((span_char(&left, 'e') || span_char(&left, 'E')) && !span_i64(&left, &given))
		return false;
	if (given > EXPONENT_MAX || given < -EXPONENT_MAX)
		return false;
	exponent += given;
	if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX)
		return false;
	number = exponent < 0 ? (long double)digits / powl(10, (long double)-exponent)
			      : (long double)digits * powl(10, (long double)exponent);
	if (!isfinite((double)number))
		return false;
	*value = (double)(negative ? -number : number);
	*rest = left;
	return true;
}

/* "e-6" after a number. */
static void scale_by_exponent(struct span *rest, double *value)
{
	struct span left = *rest;
	uint64_t exponent;
	bool negative;

	if (!span_char(&left, 'e') && !span_char(&left, 'E'))
		return;
	negative = span_char(&left, '-');
	if (!negative)
		span_char(&left, '+');
	if (left.at >= left.end || !is_digit(*left.at) || !span_u64(&left, &exponent) || exponent > 30)
		return;
	*rest = left;
	while (exponent-- > 0)
		*value = negative ? *value / 10 : *value * 10;
}

bool span_seconds(struct span *rest, double *seconds)
{
	static const struct {
		const char *name;
		double times, per_second; /* one of them is 1: the other is exact */
	} units[] = {
		{ "ns", 1, 1e9 }, { "us", 1, 1e6 }, { "µs", 1, 1e6 },  { "ms", 1, 1e3 }, { "min", 60, 1 },
		{ "m", 60, 1 },   { "h", 3600, 1 }, { "d", 86400, 1 }, { "s", 1, 1 },
	};

	if (!span_f64(rest, seconds))
		return false;
	scale_by_exponent(rest, seconds);
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (span_take_start(rest, units[i].name)) {
			*seconds = *seconds * units[i].times / units[i].per_second;
			break;
		}
	}
	return true;
}

bool span_whole_seconds(const char *text, double least, double most, double *seconds)
{
	struct span span = span_text(text);

	return *text != ' ' && span_seconds(&span, seconds) && span.at == span.end && *seconds >= least &&
	       *seconds <= most;
}

bool span_whole_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *bytes)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = {
		{ "", 1 },       { "B", 1 },        { "K", 0x1p10 },   { "KiB", 0x1p10 }, { "kB", 1e3 },
		{ "M", 0x1p20 }, { "MiB", 0x1p20 }, { "MB", 1e6 },     { "G", 0x1p30 },   { "GiB", 0x1p30 },
		{ "GB", 1e9 },   { "T", 0x1p40 },   { "TiB", 0x1p40 }, { "TB", 1e12 },
	};
	struct span rest = span_text(text);
	double number, size = -1;

	if (*text == ' ' || !span_f64(&rest, &number))
		return false;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (span_length(rest) == strlen(units[i].name) &&
		    ascii_same(rest.at, units[i].name, span_length(rest)))
			size = number * units[i].bytes;
	if (!(size >= (double)least && size <= (double)most))
		return false;
	*bytes = (uint64_t)size;
	return true;
}

bool span_pair_u64(struct span line, struct span *name, uint64_t *value, struct span *rest)
{
	const char *at = line.at;

	while (at < line.end && *at != ':' && !is_blank(*at))
		at++;
	if (at == line.at)
		return false;
	*name = (struct span){ .at = line.at, .end = at };
	if (at < line.end && *at == ':')
		at++;
	*rest = (struct span){ .at = at, .end = line.end };
	return span_u64(rest, value);
}

bool span_item_of(struct span *list, char separator, struct span *item)
{
	if (list->at >= list->end)
		return false;
	if (!span_until(list, separator, item)) {
		*item = *list;
		list->at = list->end;
	}
	return true;
}

bool span_item(struct span *list, struct span *item)
{
	return span_item_of(list, ',', item);
}

bool span_list_has(struct span list, const char *wanted)
{
	struct span item;

	while (span_item(&list, &item))
		if (span_is(item, wanted))
			return true;
	return false;
}

bool span_is_u64(struct span text, uint64_t *value)
{
	uint64_t number;

	if (!span_u64(&text, &number) || text.at != text.end)
		return false;
	*value = number;
	return true;
}

bool span_whole_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	return is_digit(*text) && span_is_u64(span_text(text), value) && *value >= least && *value <= most;
}
