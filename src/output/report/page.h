/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page of HTML as it grows, and how texts get into it. */
#ifndef PANETOP_OUTPUT_REPORT_PAGE_H
#define PANETOP_OUTPUT_REPORT_PAGE_H

#include <stdint.h>

#include "core/buffer.h"

/*
 * Appends the text, without the users in paths and units (the name behind /home/, the number in
 * user-1000.slice) and without addresses of IP and of interfaces. A * stands for each. The buffer gets a text
 * that ends in NUL, which is not counted.
 */
void hidden_names_add(struct buffer *out, const char *text);

/* All zero is an empty page, without names. */
struct page {
	struct buffer out;           /* owned */
	struct buffer clean, hidden; /* the text that is added; owned */
	bool names;                  /* users and addresses stay */
	bool dated;                  /* times have their day: the page is about more than one */
};

void page_free(struct page *page);

/* Markup as it is. */
void page_markup(struct page *page, const char *markup);
void page_print(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text of panetop, in which < is a character. */
void page_text(struct page *page, const char *text);
void page_say(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text of the machine: also without control characters, and without names what hidden_names_add() hides. */
void page_foreign(struct page *page, const char *text);

/* <TAG>text</TAG>, of panetop. */
void page_element(struct page *page, const char *tag, const char *text);
void page_sentence(struct page *page, const char *tag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The local time of day, with its day where dated. */
const char *page_time(const struct page *page, char *text, uint64_t wall_ns);

/* Up to the body, which the caller opens; and its end. */
void page_begin(struct page *page, const char *title);
void page_end(struct page *page);

#endif
