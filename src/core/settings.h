/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named texts that the user has set: in the configuration file, by options, by keys. */
#ifndef PANETOP_CORE_SETTINGS_H
#define PANETOP_CORE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/buffer.h"
#include "core/hash.h"
#include "core/span.h"

struct setting {
	char *name, *value;
};

/* All zero is empty. */
struct settings {
	struct setting *items; /* owned, in the order of their first setting */
	size_t n_items, capacity;
	struct hash by_name;
};

/* The value; NULL: not set. */
const char *settings_get(const struct settings *settings, const char *name);

bool settings_is(const struct settings *settings, const char *name, const char *value);

/* Copies both; a NULL value removes the setting. */
void settings_set(struct settings *settings, const char *name, const char *value);

/* Removes those of which keep says no. */
void settings_filter(struct settings *settings, bool (*keep)(const char *name));
void settings_free(struct settings *settings);

/*
 * Reads lines of "name = value"; skips blank lines and lines that start with #. Returns the number of the
 * first malformed line (the rest is read all the same); 0: none.
 */
size_t settings_parse(struct settings *settings, struct span text);

/* Appends the same lines. Values have no newlines: settings_set() turns them into blanks. */
void settings_write(const struct settings *settings, struct buffer *buffer);

#endif
