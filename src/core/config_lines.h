/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines "name = value" of a configuration file; what they mean, model/settings.h knows. */
#ifndef PANETOP_CORE_CONFIG_LINES_H
#define PANETOP_CORE_CONFIG_LINES_H

#include "core/buffer.h"
#include "core/hash.h"

struct config_line {
	char *name, *value;
	size_t number; /* in the file that it is from; 0: none */
};

/* All zero is empty. */
struct config_lines {
	struct config_line *items; /* owned, in the order of their first appearance */
	size_t n_items, capacity;
	struct hash by_name;
};

/* NULL: there is no line of this name. */
const struct config_line *config_lines_find(const struct config_lines *lines, const char *name);

/* Its value; NULL: there is none. */
const char *config_lines_get(const struct config_lines *lines, const char *name);

/* Copies both, and turns newlines of the value into blanks; a NULL value removes the line. */
void config_lines_set(struct config_lines *lines, const char *name, const char *value, size_t number);

void config_lines_free(struct config_lines *lines);

/*
 * Reads lines of "name = value"; skips blank lines and lines that start with #. Returns the number of the
 * first malformed line (the rest is read all the same); 0: none.
 */
size_t config_lines_parse(struct config_lines *lines, struct span text);

/*
 * Appends old, a text as config_lines_parse() takes it, with the present values: lines whose value has
 * changed are written again, those that are not there any more go, new ones come last, and all others stay
 * as they are: comments, and names that is_ours rejects.
 */
void config_lines_rewrite(const struct config_lines *lines, struct span old,
			  bool (*is_ours)(const char *name), struct buffer *buffer);

#endif
