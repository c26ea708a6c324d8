/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of /proc/mounts. */
#include <config.h>

#include "kernel/mounts.h"

bool mounts_find(struct span text, const char *type, struct span *directory)
{
	struct span line, device, where, kind;

	while (span_line(&text, &line)) {
		if (!span_word(&line, &device) || !span_word(&line, &where) || !span_word(&line, &kind) ||
		    !span_is(kind, type))
			continue;
		*directory = where;
		return true;
	}
	return false;
}
