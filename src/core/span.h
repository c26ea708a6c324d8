/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scanning kernel text: a span is a range of borrowed bytes, consumed from the front. */
#ifndef PANETOP_CORE_SPAN_H
#define PANETOP_CORE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const char *at;  /* next byte */
	const char *end; /* one past the last byte */
};

static inline struct span span_of(const char *bytes, size_t length)
{
	return (struct span){ .at = bytes, .end = length ? bytes + length : bytes }; /* NULL is empty */
}

struct span span_text(const char *text); /* of a NUL-terminated string */

static inline size_t span_length(struct span span)
{
	return (size_t)(span.end - span.at);
}

bool span_is(struct span span, const char *text);
struct span span_trimmed(struct span text); /* without blanks, tabs and newlines at its ends */
bool span_starts(struct span span, const char *prefix);

/* Takes this start away; or this end, where something stands before it. */
bool span_take_start(struct span *span, const char *start);
bool span_take_end(struct span *span, const char *end);

/* Its bytes with a NUL behind them, at most room in all. */
void span_copy(char *text, size_t room, struct span span);

static inline bool span_same(struct span one, struct span other)
{
	size_t length = span_length(one);

	return length == span_length(other) && (length == 0 || memcmp(one.at, other.at, length) == 0);
}

/* What the kernel adds to the path of a file or a control group that is gone. */
#define PATH_DELETED " (deleted)"

/* Copies the bytes at offset, aligned or not, and consumes nothing; false and no change when incomplete. */
bool span_peek(struct span bytes, size_t offset, void *value, size_t size);
bool span_eat(struct span *rest, void *value, size_t size); /* the same at the front, which it consumes */

/* The same of a little-endian number of at most 8 bytes. */
bool span_little(struct span bytes, uint64_t offset, unsigned size, uint64_t *value);

/* These bytes of it, from offset; false and no change when some of them are outside. */
bool span_part(struct span bytes, uint64_t offset, uint64_t length, struct span *part);

/*
 * Each of these consumes what it returns, or returns false and consumes nothing. Words and numbers may have
 * leading blanks, which are consumed, too; the others take bytes literally.
 */
bool span_line(struct span *rest, struct span *line);            /* without its newline */
bool span_word(struct span *rest, struct span *word);            /* up to a blank */
bool span_until(struct span *rest, char stop, struct span *part); /* up to stop, which is consumed, too */
bool span_char(struct span *rest, char wanted);
bool span_u64(struct span *rest, uint64_t *value);               /* decimal; false when over 64 bits */
bool span_i64(struct span *rest, int64_t *value);                /* decimal, with an optional sign */
bool span_f64(struct span *rest, double *value);                 /* 1, 1.5, .5: independent of the locale */
bool span_real(struct span *rest, double *value);                /* -1.25e-3: to the last bit, but slower */
bool span_hex(struct span *rest, uint64_t *value);               /* without 0x; false when over 64 bits */

/*
 * A time in user input: "0.001", "1e-3", "50ns", "50us", "1ms", "2s", "5m" or "5min", "1h", "1d"; in seconds
 * without a unit.
 */
bool span_seconds(struct span *rest, double *seconds);

/* Is the whole text such a time, from least to most seconds, without leading blanks? */
bool span_whole_seconds(const char *text, double least, double most, double *seconds);

/*
 * Is the whole text a size in user input, from least to most bytes: "65536", "64KiB", "64K", "1.5GiB"; kB, MB
 * and GB are powers of 1000?
 */
bool span_whole_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *bytes);

/* The number after the name at the start of the line, skipping blanks and one colon between them. */
bool span_pair_u64(struct span line, struct span *name, uint64_t *value, struct span *rest);

/* The next item of a comma-separated list, or of one with another separator; false after the last. */
bool span_item(struct span *list, struct span *item);
bool span_item_of(struct span *list, char separator, struct span *item);

/* Is this one of its items? */
bool span_list_has(struct span list, const char *item);

/* Is the whole text a decimal number? If not, *value stays as it is. */
bool span_is_u64(struct span text, uint64_t *value);

/* Is the whole text a decimal number from least to most, without leading blanks? For user input. */
bool span_whole_number(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* Letters of words that protocols and options fix: of ASCII, whatever the locale says of i and I. */
static inline char ascii_lower(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static inline char ascii_upper(char byte)
{
	return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
}

/* 0 to 15; -1: it is none. */
static inline int ascii_hex_digit(char byte)
{
	char lower = ascii_lower(byte);

	return byte >= '0' && byte <= '9' ? byte - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The first length bytes, or both texts if they are shorter, but for the case of letters. */
static inline bool ascii_same(const char *one, const char *other, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (ascii_lower(one[i]) != ascii_lower(other[i]))
			return false;
		if (one[i] == '\0')
			return true;
	}
	return true;
}

#endif
