/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/PID/mountinfo. */
#include <config.h>

#include "kernel/mountinfo.h"

#include "core/alloc.h"

static bool parse_device(struct span *line, uint64_t *device)
{
	uint64_t major, minor;

	if (!span_u64(line, &major) || !span_char(line, ':') || !span_u64(line, &minor))
		return false;
	*device = major << 32 | (minor & UINT32_MAX);
	return true;
}

/* Any number of optional fields, such as "master:1", and a dash. */
static bool skip_optional(struct span *line)
{
	struct span word;

	while (span_word(line, &word))
		if (span_is(word, "-"))
			return true;
	return false;
}

static bool parse_line(struct span line, struct mount_info *info)
{
	struct span of_mount;

	if (!span_u64(&line, &info->id) || !span_u64(&line, &info->parent) ||
	    !parse_device(&line, &info->device) || !span_word(&line, &info->root) ||
	    !span_word(&line, &info->point) ||
	    !span_word(&line, &of_mount) || !skip_optional(&line) || !span_word(&line, &info->type) ||
	    !span_word(&line, &info->source))
		return false;
	if (!span_word(&line, &info->options))
		info->options = span_text("");
	info->read_only = span_list_has(info->options, "ro");
	info->is_written = !info->read_only && !span_list_has(of_mount, "ro");
	return true;
}

bool mountinfo_next(struct span *text, struct mount_info *info)
{
	struct span line;

	while (span_line(text, &line))
		if (parse_line(line, info))
			return true;
	return false;
}

/* The byte of an escape, a backslash and three octal digits; 0: it is none. */
static char escaped_byte(struct span text)
{
	unsigned value = 0;

	if (span_length(text) < 4 || *text.at != '\\')
		return '\0';
	for (unsigned i = 1; i <= 3; i++) {
		if (text.at[i] < '0' || text.at[i] > '7')
			return '\0';
		value = value * 8 + (unsigned)(text.at[i] - '0');
	}
	return value <= UINT8_MAX ? (char)value : '\0';
}

char mountinfo_byte(struct span *escaped)
{
	char byte = escaped_byte(*escaped);
	size_t length = byte ? 4 : 1;

	if (!byte)
		byte = *escaped->at ? *escaped->at : '?';
	escaped->at += length;
	return byte;
}

char *mountinfo_text(struct span escaped)
{
	char *text = alloc_zeroed(span_length(escaped) + 1, 1), *to = text;

	while (escaped.at < escaped.end)
		*to++ = mountinfo_byte(&escaped);
	return text;
}
