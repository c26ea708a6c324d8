/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remembers printed notices. */
#include <config.h>

#include "app/notice_printer.h"

#include <ctype.h>
#include <string.h>

#include "core/error_message.h"

/* Was text printed before? Other numbers do not make it a new notice. */
static bool was_printed(struct buffer *texts, const char *text)
{
	size_t start = texts->length;

	for (; *text; text++)
		buffer_char(texts, isdigit((unsigned char)*text) ? '#' : *text);
	buffer_char(texts, '\0');
	for (size_t at = 0; at < start; at += strlen(texts->bytes + at) + 1) {
		if (strcmp(texts->bytes + at, texts->bytes + start) == 0) {
			texts->length = start;
			return true;
		}
	}
	return false;
}

void notice_printer_print(struct notice_printer *printer, const struct notice *notice)
{
	if (!was_printed(&printer->texts, notice->text))
		error_message(notice->topic, "%s%s%s", notice->text, notice->remedy ? "; " : "",
			      notice->remedy ? notice->remedy : "");
}

void notice_printer_free(struct notice_printer *printer)
{
	buffer_free(&printer->texts);
}
