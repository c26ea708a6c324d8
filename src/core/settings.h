/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named texts that a user set: by the configuration file, by options, by keys. */
#ifndef PANETOP_CORE_SETTINGS_H
#define PANETOP_CORE_SETTINGS_H

#include <stddef.h>

#include "core/buffer.h"
#include "core/span.h"

struct setting {
	char *name, *value;
};

/* All zero is empty. */
struct settings {
	struct setting *items; /* owned, in the order in which they were first set */
	size_t n_items;
};

/* The value, NULL when it was not set. */
const char *settings_get(const struct settings *settings, const char *name);

bool settings_is(const struct settings *settings, const char *name, const char *value);

/* Both are copied; a NULL value takes the setting away. */
void settings_set(struct settings *settings, const char *name, const char *value);
void settings_free(struct settings *settings);

/*
 * Reads lines of "name = value"; blank lines and lines that start with # count as nothing. Returns the
 * number of the first line that is neither (the rest is read all the same), 0 when there is none.
 */
size_t settings_parse(struct settings *settings, struct span text);

/* Adds the same lines. Values hold no newline: settings_set() turns them into blanks. */
void settings_write(const struct settings *settings, struct buffer *buffer);

#endif
