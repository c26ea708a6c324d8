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

void settings_filter(struct settings *settings, bool (*keep)(const char *name))
{
	size_t n_kept = 0;

	for (size_t i = 0; i < settings->n_items; i++) {
		if (keep(settings->items[i].name))
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

size_t settings_parse(struct settings *settings, struct span text)
{
	size_t number = 0, bad = 0;
	struct span line, name;

	while (span_line(&text, &line)) {
		char *key, *value;

		number++;
		line = trim(line);
		if (line.at == line.end || *line.at == '#')
			continue;
		if (!span_until(&line, '=', &name) || trim(name).at == trim(name).end) {
			bad = bad ? bad : number;
			continue;
		}
		key = copy(trim(name));
		value = copy(trim(line));
		settings_set(settings, key, value);
		free(key);
		free(value);
	}
	return bad;
}

void settings_write(const struct settings *settings, struct buffer *buffer)
{
	for (size_t i = 0; i < settings->n_items; i++)
		buffer_print(buffer, "%s = %s\n", settings->items[i].name, settings->items[i].value);
}
