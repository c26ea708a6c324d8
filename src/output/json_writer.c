/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small streaming writer of JSON. */
#include <config.h>

#include "output/json_writer.h"

#include <inttypes.h>
#include <math.h>

#include "core/utf8.h"

static void separate(struct json_writer *json)
{
	if (json->need_comma)
		buffer_char(json->out, ',');
	json->need_comma = true;
}

void jsonw_open(struct json_writer *json, char bracket)
{
	separate(json);
	buffer_char(json->out, bracket);
	json->need_comma = false;
}

void jsonw_close(struct json_writer *json, char bracket)
{
	buffer_char(json->out, bracket);
	json->need_comma = true;
}

static void escape(struct buffer *out, uint32_t code)
{
	char bytes[UTF8_BYTES_MAX];

	if (code == UTF8_INVALID)
		buffer_add(out, bytes, utf8_put(bytes, UTF8_REPLACEMENT));
	else if (code == '"' || code == '\\')
		buffer_print(out, "\\%c", (char)code);
	else if (code > 0xffff && utf8_is_harmful(code))
		buffer_print(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			     0xdc00 + ((code - 0x10000) & 0x3ff));
	else if (utf8_is_harmful(code))
		buffer_print(out, "\\u%04x", code);
	else
		buffer_add(out, bytes, utf8_put(bytes, code));
}

static void quote(struct buffer *out, const char *text)
{
	struct span rest = span_text(text);

	buffer_char(out, '"');
	while (rest.at < rest.end)
		escape(out, utf8_next(&rest));
	buffer_char(out, '"');
}

void jsonw_key(struct json_writer *json, const char *key)
{
	separate(json);
	quote(json->out, key);
	buffer_char(json->out, ':');
	json->need_comma = false;
}

void jsonw_text(struct json_writer *json, const char *text)
{
	separate(json);
	if (text)
		quote(json->out, text);
	else
		buffer_text(json->out, "null");
}

void jsonw_key_text(struct json_writer *json, const char *key, const char *text)
{
	jsonw_key(json, key);
	jsonw_text(json, text);
}

void jsonw_key_open(struct json_writer *json, const char *key, char bracket)
{
	jsonw_key(json, key);
	jsonw_open(json, bracket);
}

void jsonw_u64(struct json_writer *json, uint64_t number)
{
	separate(json);
	buffer_print(json->out, "%" PRIu64, number);
}

void jsonw_f64(struct json_writer *json, double number)
{
	separate(json);
	if (isfinite(number))
		buffer_f64(json->out, number);
	else
		buffer_text(json->out, "null");
}

void jsonw_bool(struct json_writer *json, bool value)
{
	separate(json);
	buffer_text(json->out, value ? "true" : "false");
}

void jsonw_null(struct json_writer *json)
{
	separate(json);
	buffer_text(json->out, "null");
}

void jsonw_notice(struct json_writer *json, const struct notice *notice)
{
	jsonw_open(json, '{');
	jsonw_key_text(json, "topic", notice->topic);
	jsonw_key_text(json, "text", notice->text);
	jsonw_key_text(json, "remedy", notice->remedy);
	jsonw_close(json, '}');
}
