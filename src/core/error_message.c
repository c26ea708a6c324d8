/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of usage and of the run, for people. */
#include <config.h>

#include "core/error_message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/utf8.h"

void complain(const char *what, const char *why, ...)
{
	struct buffer line = { 0 };
	char text[TEXT_MAX];
	va_list list;

	va_start(list, why);
	vsnprintf(text, sizeof(text), why, list);
	va_end(list);
	buffer_text(&line, "panetop: ");
	utf8_clean(&line, what, -1, false);
	buffer_text(&line, ": ");
	utf8_clean(&line, text, -1, false);
	buffer_char(&line, '\n');
	buffer_write(&line, STDERR_FILENO, -1);
	buffer_free(&line);
}
