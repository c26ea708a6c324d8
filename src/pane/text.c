/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences that must read the same in every pane, and those of a table. */
#include <config.h>

#include "pane/text.h"

#include <errno.h>
#include <stdio.h>

#include "sys/env.h"

char *failure_text(char text[TEXT_MAX], int error, const char *remedy)
{
	snprintf(text, TEXT_MAX, "%s%s%s",
		 error == -ENOTSUP && !remedy ? _("this is not the live machine")
		 : error == -ESRCH            ? _("the process has ended")
					      : env_error_text(-error),
		 remedy ? "; " : "", remedy ? remedy : "");
	return text;
}

int draw_remarks(const struct canvas *canvas, int y, enum style style, const struct remark *remarks,
		 size_t n_remarks, const struct facts *facts)
{
	struct buffer text = BUFFER_HERE;
	int lines = remarks_say(&text, remarks, n_remarks, facts) < 0
			    ? 0
			    : canvas_wrapped(canvas, y, style, span_of(text.bytes, text.length));

	buffer_free(&text);
	return lines;
}

int draw_text(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	      const struct facts *facts)
{
	char made[TEXT_MAX];

	return canvas_text(canvas, y, x, style, sentence_text(made, _(text), facts), -1);
}

int draw_piece(const struct canvas *canvas, int y, int x, enum style style, const char *text,
	       const struct facts *facts)
{
	char made[TEXT_MAX];

	return canvas_piece(canvas, y, x, style, sentence_text(made, _(text), facts));
}
