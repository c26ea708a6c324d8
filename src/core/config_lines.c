/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format of the configuration file: reads it, and writes it again around its comments. */
#include <config.h>

#include "core/config_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

static uint64_t hash_name(const char *name)
{
	return hash_bytes(HASH_SEED, span_text(name));
}

static struct config_line *find(const struct config_lines *lines, const char *name)
{
	uint32_t at;

	HASH_FIND(at, &lines->by_name, hash_name(name), strcmp(lines->items[at].name, name) == 0);
	return at == HASH_NONE ? NULL : &lines->items[at];
}

const struct config_line *config_lines_find(const struct config_lines *lines, const char *name)
{
	return find(lines, name);
}

const char *config_lines_get(const struct config_lines *lines, const char *name)
{
	const struct config_line *line = find(lines, name);

	return line ? line->value : NULL;
}

static void free_line(struct config_line *line)
{
	free(line->name);
	free(line->value);
}

static void take_away(struct config_lines *lines, struct config_line *line)
{
	size_t index = (size_t)(line - lines->items);

	free_line(line);
	memmove(line, line + 1, (lines->n_items - index - 1) * sizeof(*line));
	lines->n_items--;
	hash_clear(&lines->by_name);
	for (size_t i = 0; i < lines->n_items; i++)
		hash_add(&lines->by_name, hash_name(lines->items[i].name), (uint32_t)i);
}

void config_lines_set(struct config_lines *lines, const char *name, const char *value, size_t number)
{
	struct config_line *line = find(lines, name);
	char *copied;

	if (!value) {
		if (line)
			take_away(lines, line);
		return;
	}
	if (!line) {
		hash_add(&lines->by_name, hash_name(name), (uint32_t)lines->n_items);
		line = VECTOR_ADD(lines->items, lines->n_items, lines->capacity);
		*line = (struct config_line){ .name = alloc_text(name) };
	}
	copied = alloc_text(value); /* it may be the present value */
	free(line->value);
	line->value = copied;
	line->number = number;
	for (char *at = line->value; *at; at++)
		if (*at == '\n')
			*at = ' ';
}

void config_lines_free(struct config_lines *lines)
{
	for (size_t i = 0; i < lines->n_items; i++)
		free_line(&lines->items[i]);
	free(lines->items);
	hash_free(&lines->by_name);
	*lines = (struct config_lines){ 0 };
}

static struct span trim(struct span span)
{
	while (span.at < span.end && strchr(" \t\r", *span.at))
		span.at++;
	while (span.at < span.end && strchr(" \t\r", span.end[-1]))
		span.end--;
	return span;
}

static char *copy(struct span span)
{
	char *text = alloc_zeroed(span_length(span) + 1, 1);

	memcpy(text, span.at, span_length(span));
	return text;
}

/* "name = value"; both are trimmed. False for any other line. */
static bool split(struct span line, struct span *name, struct span *value)
{
	if (!span_until(&line, '=', name))
		return false;
	*name = trim(*name);
	*value = trim(line);
	return name->at < name->end;
}

static bool is_comment(struct span line)
{
	line = trim(line);
	return line.at == line.end || *line.at == '#';
}

size_t config_lines_parse(struct config_lines *lines, struct span text)
{
	size_t number = 0, bad = 0;
	struct span line, name, value;

	while (span_line(&text, &line)) {
		char *key, *copied;

		number++;
		if (is_comment(line))
			continue;
		if (!split(line, &name, &value)) {
			bad = bad ? bad : number;
			continue;
		}
		key = copy(name);
		copied = copy(value);
		config_lines_set(lines, key, copied, number);
		free(key);
		free(copied);
	}
	return bad;
}

/* NULL if it is not set, or written: of several lines with the same name one is left. */
static const char *text_of(const struct config_lines *lines, struct span name, bool *written)
{
	char *key = copy(name);
	const struct config_line *line = find(lines, key);

	free(key);
	if (!line || written[line - lines->items])
		return NULL;
	written[line - lines->items] = true;
	return line->value;
}

static bool is_kept(struct span line, bool (*is_ours)(const char *name))
{
	struct span name, value;
	char *key;
	bool ours;

	if (is_comment(line) || !split(line, &name, &value))
		return true;
	key = copy(name);
	ours = is_ours(key);
	free(key);
	return !ours;
}

void config_lines_rewrite(const struct config_lines *lines, struct span old,
			  bool (*is_ours)(const char *name), struct buffer *buffer)
{
	bool *written = alloc_zeroed(lines->n_items, sizeof(*written));
	struct span line, name, value;

	while (span_line(&old, &line)) {
		const char *now;

		if (is_kept(line, is_ours)) {
			buffer_print(buffer, "%.*s\n", (int)span_length(line), line.at);
			continue;
		}
		split(line, &name, &value);
		now = text_of(lines, name, written);
		if (now && span_is(value, now))
			buffer_print(buffer, "%.*s\n", (int)span_length(line), line.at);
		else if (now)
			buffer_print(buffer, "%.*s = %s\n", (int)span_length(name), name.at, now);
	}
	for (size_t i = 0; i < lines->n_items; i++)
		if (!written[i])
			buffer_print(buffer, "%s = %s\n", lines->items[i].name, lines->items[i].value);
	free(written);
}
