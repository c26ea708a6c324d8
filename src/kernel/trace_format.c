/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of the format files of tracepoints, and of text fields in their samples. */
#include <config.h>

#include "kernel/trace_format.h"

#include <string.h>

const char *const trace_context_names[] = { "comm", "pid", "tid", "cpu", "cgroup", NULL };

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

	if (!span_until(line, ';', &part) || !span_word(&part, &value) || !span_take_start(&value, key) ||
	    !span_u64(&value, &found) || found > UINT32_MAX || span_length(value) > 0)
		return false;
	*number = (uint32_t)found;
	return true;
}

/* Types that are narrower than the word in which a system call has them, and their sign. */
static const struct {
	const char *type;
	uint32_t bytes;
	bool is_signed;
} narrow_types[] = {
	{ "int", 4, true },       { "unsigned int", 4, false }, { "unsigned", 4, false },
	{ "u32", 4, false },      { "__u32", 4, false },        { "__s32", 4, true },
	{ "s32", 4, true },       { "pid_t", 4, true },         { "uid_t", 4, false },
	{ "gid_t", 4, false },    { "umode_t", 2, false },      { "qid_t", 4, false },
	{ "clockid_t", 4, true }, { "timer_t", 4, true },       { "mqd_t", 4, true },
	{ "key_t", 4, true },     { "rwf_t", 4, true },         { "key_serial_t", 4, true },
	{ "long", 8, true },      { "long long", 8, true },     { "off_t", 8, true },
	{ "loff_t", 8, true },    { "ssize_t", 8, true },
};

/* The declaration without the name and what stands around it. */
static struct span declared_type(struct span declaration, struct span name)
{
	struct span type = { declaration.at, name.at };

	while (span_starts(type, "const ") || span_starts(type, "__data_loc ") ||
	       span_starts(type, "__rel_loc "))
		type.at = (const char *)memchr(type.at, ' ', span_length(type)) + 1;
	while (type.end > type.at && type.end[-1] == ' ')
		type.end--;
	return type;
}

static enum trace_field_is kind_of(struct span declaration, const struct trace_field *field)
{
	bool is_elsewhere = span_starts(declaration, "__data_loc "),
	     is_behind = span_starts(declaration, "__rel_loc ");
	bool is_located = is_elsewhere || is_behind, has_type = span_length(field->type) > 0;

	if (is_located)
		return !span_is(field->type, "char[]") || field->bytes != sizeof(uint32_t) ? TRACE_FIELD_ARRAY
		       : is_elsewhere ? TRACE_FIELD_ELSEWHERE
				      : TRACE_FIELD_BEHIND;
	if (declaration.end[-1] == ']' || (has_type && field->type.end[-1] == ']'))
		return span_is(field->type, "char") ? TRACE_FIELD_TEXT : TRACE_FIELD_ARRAY;
	if (field->bytes == 0 || field->bytes > 8 || (field->bytes & (field->bytes - 1)) != 0)
		return TRACE_FIELD_OTHER;
	if (has_type && memchr(field->type.at, '*', span_length(field->type)))
		return TRACE_FIELD_POINTER;
	if (span_starts(field->type, "struct ") || span_starts(field->type, "union "))
		return TRACE_FIELD_OTHER;
	return span_is(field->type, "dev_t") && field->bytes == 4 ? TRACE_FIELD_DEVICE : TRACE_FIELD_NUMBER;
}

/* System calls have all arguments in words, which are unsigned. */
static void narrow(struct trace_field *field)
{
	field->value_bytes = field->bytes;
	if (field->is != TRACE_FIELD_NUMBER || field->bytes != 8 || field->is_signed)
		return;
	for (size_t i = 0; i < sizeof(narrow_types) / sizeof(narrow_types[0]); i++)
		if (span_is(field->type, narrow_types[i].type)) {
			field->value_bytes = narrow_types[i].bytes;
			field->is_signed = narrow_types[i].is_signed;
		}
}

static bool read_field(struct span line, struct trace_field *field)
{
	struct span key, declaration;
	uint32_t is_signed = 0;

	if (!span_until(&line, ':', &key) || !span_is(key, "\tfield") ||
	    !span_until(&line, ';', &declaration))
		return false;
	*field = (struct trace_field){ .name = declared_name(declaration) };
	if (span_length(field->name) == 0 || !eat_number(&line, "offset:", &field->offset) ||
	    !eat_number(&line, "size:", &field->bytes))
		return false;
	eat_number(&line, "signed:", &is_signed);
	field->is_signed = is_signed != 0;
	field->type = declared_type(declaration, field->name);
	field->is = kind_of(declaration, field);
	narrow(field);
	return true;
}

bool trace_format_next(struct span *text, struct trace_field *field)
{
	struct span line;

	while (span_line(text, &line))
		if (read_field(line, field))
			return true;
	return false;
}

bool trace_format_find(struct span text, const char *name, struct trace_field *field)
{
	struct trace_field found;

	while (trace_format_next(&text, &found))
		if (span_is(found.name, name)) {
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

	if (!trace_field_is_text(field))
		return false;
	if (field->is != TRACE_FIELD_TEXT) {
		if (bytes != sizeof(where) || !span_peek(raw, offset, &where, sizeof(where)))
			return false;
		offset =
			(where & UINT16_MAX) + (field->is == TRACE_FIELD_BEHIND ? offset + sizeof(where) : 0);
		bytes = where >> 16;
	}
	if (!span_part(raw, offset, bytes, text))
		return false;
	end = bytes > 0 ? memchr(text->at, '\0', bytes) : NULL;
	if (end)
		text->end = end;
	return true;
}
