/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small streaming JSON writer: it handles commas and escapes, the caller nesting. */
#ifndef PANETOP_OUTPUT_JSON_H
#define PANETOP_OUTPUT_JSON_H

#include "core/buffer.h"
#include "model/frame.h"

struct json_writer {
	struct buffer *out; /* borrowed */
	bool need_comma;
};

void jsonw_open(struct json_writer *json, char bracket);  /* '{' or '[' */
void jsonw_close(struct json_writer *json, char bracket); /* '}' or ']' */
void jsonw_key(struct json_writer *json, const char *key);

/*
 * Invalid UTF-8 becomes U+FFFD. Characters that could harm a terminal are escaped, which parsers undo. NULL
 * becomes null.
 */
void jsonw_text(struct json_writer *json, const char *text);
void jsonw_key_text(struct json_writer *json, const char *key, const char *text);
void jsonw_key_open(struct json_writer *json, const char *key, char bracket);

void jsonw_u64(struct json_writer *json, uint64_t number); /* exact, also above 2^63 */
void jsonw_f64(struct json_writer *json, double number);   /* exact; null when not finite */
void jsonw_bool(struct json_writer *json, bool value);
void jsonw_null(struct json_writer *json);

/* In the same form in -o json and in recordings. */
void jsonw_notice(struct json_writer *json, const struct notice *notice);

#endif
