/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goes through a text once; at each place that may begin a name it tries the forms that it knows. */
#include <config.h>

#include "output/report/hidden_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MAC_DIGITS 12
#define IPV6_GROUPS 8

/* What stands before a user, and which bytes end the name. */
static const struct {
	const char *before, *ends;
} places[] = {
	{ "/home/", "/" },     { "/run/user/", "/" }, { "/run/media/", "/" }, { "/media/", "/" },
	{ "/var/mail/", "/" }, { "user-", "." },      { "user@", "." },
};

static bool is_word(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Bytes of a name that one of these bytes, a blank or the end of the text ends. */
static size_t name_length(const char *text, const char *ends)
{
	size_t length = 0;

	while (text[length] && !strchr(ends, text[length]) && !strchr(" ,;()[]\"'\t\n", text[length]))
		length++;
	return length;
}

/* A user behind what stands before it: bytes of both; *kept: of the first. */
static size_t user_at(const char *text, size_t *kept)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t before = strlen(places[i].before), length;

		if (strncmp(text, places[i].before, before) != 0)
			continue;
		length = name_length(text + before, places[i].ends);
		if (length == 0 || (places[i].ends[0] == '.' && text[before + length] != '.'))
			continue;
		*kept = before;
		return before + length;
	}
	return 0;
}

/* Four numbers up to 255 with points between. */
static size_t ipv4_at(const char *text)
{
	size_t length = 0;

	for (int part = 0; part < 4; part++) {
		unsigned number = 0, digits = 0;

		if (part > 0 && text[length++] != '.')
			return 0;
		for (; isdigit((unsigned char)text[length]) && digits < 4; digits++)
			number = 10 * number + (unsigned)(text[length++] - '0');
		if (digits == 0 || digits > 3 || number > 255)
			return 0;
	}
	return is_word(text[length]) ? 0 : length;
}

/* Hexadecimal groups with colons: eight of them, or fewer with :: in place of some. Not a time of day. */
static size_t ipv6_at(const char *text)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF:");
	unsigned colons = 0;
	bool shortened = false;

	for (size_t i = 0; i < length; i++) {
		colons += text[i] == ':';
		shortened |= i > 0 && text[i] == ':' && text[i - 1] == ':';
	}
	if (length < 3 || is_word(text[length]) || colons >= IPV6_GROUPS)
		return 0;
	return shortened || colons == IPV6_GROUPS - 1 ? length : 0;
}

/* Of an interface: 52:54:00:12:34:56. */
static size_t mac_at(const char *text)
{
	size_t length = 0;

	for (int part = 0; part < MAC_DIGITS / 2; part++) {
		if (part > 0 && text[length++] != ':')
			return 0;
		for (int digit = 0; digit < 2; digit++)
			if (!isxdigit((unsigned char)text[length++]))
				return 0;
	}
	return is_word(text[length]) || text[length] == ':' ? 0 : length;
}

/* An interface that is named by its address: enx525400123456. */
static size_t named_by_mac(const char *text, size_t *kept)
{
	if (strncmp(text, "enx", 3) != 0 && strncmp(text, "wlx", 3) != 0 && strncmp(text, "wwx", 3) != 0)
		return 0;
	*kept = 3;
	return strspn(text + 3, "0123456789abcdef") == MAC_DIGITS && !is_word(text[3 + MAC_DIGITS])
		       ? 3 + MAC_DIGITS
		       : 0;
}

/* Bytes of what is hidden here, of which the first *kept stay; 0: nothing. */
static size_t hidden_at(const char *text, bool begins_word, size_t *kept)
{
	size_t length = *text == '/' || begins_word ? user_at(text, kept) : 0;

	if (length == 0 && begins_word)
		length = named_by_mac(text, kept);
	if (length > 0)
		return length;
	*kept = 0;
	if (!begins_word)
		return 0;
	length = ipv4_at(text);
	if (length == 0)
		length = mac_at(text);
	return length > 0 ? length : ipv6_at(text);
}

void hidden_names_add(struct buffer *out, const char *text)
{
	bool begins_word = true;

	while (*text) {
		size_t kept = 0, length = hidden_at(text, begins_word, &kept);

		if (length > 0) {
			buffer_add(out, text, kept);
			buffer_char(out, '*');
			text += length;
			begins_word = false;
			continue;
		}
		begins_word = !is_word(*text) && *text != '.' && *text != ':';
		buffer_char(out, *text++);
	}
	buffer_char(out, '\0');
	out->length--;
}
