/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named texts that the user has set, and their file format. */
#include <config.h>

#include "core/settings.h"

#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

static uint64_t hash_name(const char *name)
{
	return hash_bytes(HASH_SEED, span_text(name));
}

static struct setting *find(const struct settings *settings, const char *name)
{
	uint32_t at;

	HASH_FIND(at, &settings->by_name, hash_name(name), strcmp(settings->items[at].name, name) == 0);
	return at == HASH_NONE ? NULL : &settings->items[at];
}

const char *settings_get(const struct settings *settings, const char *name)
{
	const struct setting *setting = find(settings, name);

	return setting ? setting->value : NULL;
}

bool settings_is(const struct settings *settings, const char *name, const char *value)
{
	const char *text = settings_get(settings, name);

	return text && strcmp(text, value) == 0;
}

static void free_item(struct setting *setting)
{
	free(setting->name);
	free(setting->value);
}

static void index_names(struct settings *settings)
{
	hash_clear(&settings->by_name);
	for (size_t i = 0; i < settings->n_items; i++)
		hash_add(&settings->by_name, hash_name(settings->items[i].name), (uint32_t)i);
}

static void take_away(struct settings *settings, struct setting *setting)
{
	size_t index = (size_t)(setting - settings->items);

	free_item(setting);
	memmove(setting, setting + 1, (settings->n_items - index - 1) * sizeof(*setting));
	settings->n_items--;
	index_names(settings);
}

static struct setting *add(struct settings *settings, const char *name)
{
	hash_add(&settings->by_name, hash_name(name), (uint32_t)settings->n_items);
	*VECTOR_ADD(settings->items, settings->n_items, settings->capacity) =
		(struct setting){ .name = alloc_text(name) };
	return &settings->items[settings->n_items - 1];
}

void settings_set(struct settings *settings, const char *name, const char *value)
{
	struct setting *setting = find(settings, name);

	if (!value) {
		if (setting)
			take_away(settings, setting);
		return;
	}
	if (!setting)
		setting = add(settings, name);
	free(setting->value);
	setting->value = alloc_text(value);
	for (char *at = setting->value; *at; at++)
		if (*at == '\n')
			*at = ' ';
}

size_t settings_line(const struct settings *settings, const char *name)
{
	const struct setting *setting = find(settings, name);

	return setting ? setting->line : 0;
}

void settings_filter(struct settings *settings, void *context,
		     bool (*keep)(void *context, const struct setting *setting))
{
	size_t n_kept = 0;

	for (size_t i = 0; i < settings->n_items; i++) {
		if (keep(context, &settings->items[i]))
			settings->items[n_kept++] = settings->items[i];
		else
			free_item(&settings->items[i]);
	}
	settings->n_items = n_kept;
	index_names(settings);
}

void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->n_items; i++)
		free_item(&settings->items[i]);
	free(settings->items);
	hash_free(&settings->by_name);
	*settings = (struct settings){ 0 };
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

size_t settings_parse(struct settings *settings, struct span text)
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
		settings_set(settings, key, copied);
		find(settings, key)->line = number;
		free(key);
		free(copied);
	}
	return bad;
}

/* NULL if it is not set, or written: of several lines with the same name one is left. */
static const char *text_of(const struct settings *settings, struct span name, bool *written)
{
	char *key = copy(name);
	const struct setting *setting = find(settings, key);

	free(key);
	if (!setting || written[setting - settings->items])
		return NULL;
	written[setting - settings->items] = true;
	return setting->value;
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

void settings_rewrite(const struct settings *settings, struct span old, bool (*is_ours)(const char *name),
		      struct buffer *buffer)
{
	bool *written = alloc_zeroed(settings->n_items, sizeof(*written));
	struct span line, name, value;

	while (span_line(&old, &line)) {
		const char *now;

		if (is_kept(line, is_ours)) {
			buffer_print(buffer, "%.*s\n", (int)span_length(line), line.at);
			continue;
		}
		split(line, &name, &value);
		now = text_of(settings, name, written);
		if (now && span_is(value, now))
			buffer_print(buffer, "%.*s\n", (int)span_length(line), line.at);
		else if (now)
			buffer_print(buffer, "%.*s = %s\n", (int)span_length(name), name.at, now);
	}
	for (size_t i = 0; i < settings->n_items; i++)
		if (!written[i])
			buffer_print(buffer, "%s = %s\n", settings->items[i].name, settings->items[i].value);
	free(written);
}
