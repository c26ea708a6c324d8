/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escapes texts; the head of the page, and the policy that keeps it from anything but its own script. */
#include <config.h>

#include "output/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "output/report/hidden_names.h"
#include "output/report/look.h"

#define FOREIGN_CELLS_MAX 1000 /* of a text: more would not be read */

void page_free(struct page *page)
{
	buffer_free(&page->out);
	buffer_free(&page->clean);
	buffer_free(&page->hidden);
}

void page_markup(struct page *page, const char *markup)
{
	buffer_text(&page->out, markup);
}

void page_print(struct page *page, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	buffer_text(&page->out, text);
}

static const char *escape_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void add_escaped(struct buffer *out, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		const char *escape = escape_of(bytes[i]);

		if (escape)
			buffer_text(out, escape);
		else
			buffer_char(out, bytes[i]);
	}
}

void page_text(struct page *page, const char *text)
{
	add_escaped(&page->out, text, strlen(text));
}

void page_foreign(struct page *page, const char *text)
{
	const struct buffer *shown = &page->clean;

	buffer_empty(&page->clean);
	utf8_clean(&page->clean, text, FOREIGN_CELLS_MAX, false);
	buffer_char(&page->clean, '\0');
	page->clean.length--;
	if (!page->names) {
		buffer_empty(&page->hidden);
		hidden_names_add(&page->hidden, page->clean.bytes);
		shown = &page->hidden;
	}
	add_escaped(&page->out, shown->bytes, shown->length);
}

void page_element(struct page *page, const char *tag, const char *text)
{
	page_print(page, "<%s>", tag);
	page_text(page, text);
	page_print(page, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

const char *page_time(const struct page *page, char *text, uint64_t wall_ns)
{
	return page->dated ? clock_local(text, wall_ns, "%Y-%m-%d %H:%M:%S")
			   : clock_local(text, wall_ns, "%H:%M:%S");
}

void page_begin(struct page *page, const char *title)
{
	page_print(
		page,
		"<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
		"style-src 'unsafe-inline'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n",
		look_script_hash);
	page_markup(page, "<title>");
	page_foreign(page, title);
	page_markup(page, "</title>\n<style>\n");
	page_markup(page, look_style);
	page_markup(page, "</style>\n</head>\n");
}

void page_end(struct page *page)
{
	page_markup(page, "<script>");
	page_markup(page, look_script);
	page_markup(page, "</script>\n</body>\n</html>\n");
}
