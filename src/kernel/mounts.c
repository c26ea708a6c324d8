/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/mounts. */
#include <config.h>

#include "kernel/mounts.h"

/* The next mount of this type; the rest of its line are options and two numbers. */
static bool next_mount(struct span *text, const char *type, struct span *where, struct span *rest)
{
	struct span device, kind;

	while (span_line(text, rest))
		if (span_word(rest, &device) && span_word(rest, where) && span_word(rest, &kind) &&
		    span_is(kind, type))
			return true;
	return false;
}

bool mounts_find(struct span text, const char *type, struct span *directory)
{
	struct span rest;

	return next_mount(&text, type, directory, &rest);
}

static bool find_option(struct span list, const char *option, struct span *value)
{
	struct span one, name;

	while (span_item(&list, &one)) {
		if (span_until(&one, '=', &name) && span_is(name, option)) {
			*value = one;
			return true;
		}
	}
	return false;
}

bool mounts_option(struct span text, const char *type, const char *directory, const char *option,
		   struct span *value)
{
	struct span where, rest, options;
	bool found = false;

	while (next_mount(&text, type, &where, &rest))
		if (span_is(where, directory))
			found = span_word(&rest, &options) && find_option(options, option, value);
	return found;
}
