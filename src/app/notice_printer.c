/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remembers printed notices. */
#include <config.h>

#include "app/notice_printer.h"

#include <ctype.h>
#include <string.h>

#include "sys/error_message.h"


/* Where the number ends that begins here; text itself: there is none. */
static const char *end_of_number(const char *text)
{
	const char *end = text;

	while (isdigit((unsigned char)*end) || (end > text && *end == '.' && isdigit((unsigned char)end[1])))
		end++;
	return end;
}

/* Was text printed before? Other numbers do not make it a new notice. */
static bool was_printed(struct buffer *texts, const char *text)
{
	size_t start = texts->length;

	while (*text) {
		const char *end = end_of_number(text);

		buffer_char(texts, end > text ? '#' : *text);
		text = end > text ? end : text + 1;
	}
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
