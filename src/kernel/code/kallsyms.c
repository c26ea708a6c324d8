/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes functions alone: lines whose type is that of text. */
#include <config.h>

#include "kernel/code/kallsyms.h"

#include <string.h>

/* "ffffffff81000000 T _text", and "\t[module]" where it is from one. Data have other letters. */
bool kallsyms_next(struct span *text, struct kallsyms_line *line)
{
	struct span rest, type;

	while (span_line(text, &rest))
		if (span_hex(&rest, &line->address) && span_word(&rest, &type) && span_length(type) == 1 &&
		    strchr("tTwW", *type.at) && span_word(&rest, &line->name))
			return true;
	return false;
}
