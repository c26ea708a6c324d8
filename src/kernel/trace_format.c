/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of the format files of tracepoints, and of text fields in their samples. */
#include <config.h>

#include "kernel/trace_format.h"

#include <string.h>

/* "__data_loc char[] filename" or "char comm[16]": the name is the last word, without brackets. */
static struct span declared_name(struct span declaration)
{
	struct span name = { .end = declaration.end };

	if (declaration.at < declaration.end && declaration.end[-1] == ']')
		while (declaration.at < name.end && *--name.end != '[')
			;
	for (name.at = name.end; name.at > declaration.at && name.at[-1] != ' ' && name.at[-1] != '*';)
		name.at--;
	return name;
}

/* "	offset:8;" */
static bool eat_number(struct span *line, const char *key, uint32_t *number)
{
	struct span part, value;
	uint64_t found;

	if (!span_until(line, ';', &part) || !span_word(&part, &value) || !span_starts(value, key))
		return false;
	value.at += strlen(key);
	if (!span_u64(&value, &found) || found > UINT32_MAX || span_length(value) > 0)
		return false;
	*number = (uint32_t)found;
	return true;
}

bool trace_format_find(struct span text, const char *name, struct trace_field *field)
{
	struct span line, key, declaration;

	while (span_line(&text, &line)) {
		struct trace_field found;

		if (!span_until(&line, ':', &key) || !span_is(key, "\tfield") ||
		    !span_until(&line, ';', &declaration) || !span_is(declared_name(declaration), name))
			continue;
		found.is_elsewhere = span_starts(declaration, "__data_loc ");
		if (span_starts(declaration, "__rel_loc ") || !eat_number(&line, "offset:", &found.offset) ||
		    !eat_number(&line, "size:", &found.bytes))
			return false;
		*field = found;
		return true;
	}
	return false;
}

bool trace_field_text(const struct trace_field *field, struct span raw, struct span *text)
{
	size_t offset = field->offset, bytes = field->bytes;
	const char *end;
	uint32_t where;

	if (field->is_elsewhere) {
		if (bytes != sizeof(where) || !span_peek(raw, offset, &where, sizeof(where)))
			return false;
		offset = where & UINT16_MAX;
		bytes = where >> 16;
	}
	if (offset > span_length(raw) || bytes > span_length(raw) - offset)
		return false;
	*text = span_of(raw.at + offset, bytes);
	end = bytes > 0 ? memchr(text->at, '\0', bytes) : NULL;
	if (end)
		text->end = end;
	return true;
}
