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
	size_t line; /* of the file that it is from; 0: none */
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

/* The line of the file; 0: it is not from there, or not set. */
size_t settings_line(const struct settings *settings, const char *name);

/* Removes those of which keep says no. */
void settings_filter(struct settings *settings, void *context,
		     bool (*keep)(void *context, const struct setting *setting));
void settings_free(struct settings *settings);

/*
 * Reads lines of "name = value"; skips blank lines and lines that start with #. Returns the number of the
 * first malformed line (the rest is read all the same); 0: none.
 */
size_t settings_parse(struct settings *settings, struct span text);

/*
 * Appends old, a text as settings_parse() takes it, with the present values: lines whose value has changed
 * are written again, those of settings that are not set any more go, new ones come last, and all others stay
 * as they are: comments, and names that is_ours rejects. Values have no newlines: settings_set() turns them
 * into blanks.
 */
void settings_rewrite(const struct settings *settings, struct span old, bool (*is_ours)(const char *name),
		      struct buffer *buffer);

#endif
