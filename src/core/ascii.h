/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Letters of words that protocols and options fix: of ASCII, whatever the locale says of i and I. */
#ifndef PANETOP_CORE_ASCII_H
#define PANETOP_CORE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline char ascii_lower(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static inline char ascii_upper(char byte)
{
	return byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
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
