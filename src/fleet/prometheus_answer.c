/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds where elements begin and end by brackets and quotes; what is between them jansson parses. */
#include <config.h>

#include "fleet/prometheus_answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"

#define PART_MAX ((size_t)256 << 10) /* a series of hundreds of steps has some 10 kB */
#define FOREIGN _("the answer is not one of Prometheus")

/* Does the list open here: {"data":[ or {"data":{"result":[ */
static bool is_list(const struct prometheus_answer *answer)
{
	const char *key = answer->depth == 1 ? "\"data\":" : answer->depth == 2 ? "\"result\":" : NULL;
	size_t length = key ? strlen(key) : 0, before = answer->outside.length;

	return key && before > length && strchr("{,", answer->outside.bytes[before - length - 1]) &&
	       memcmp(answer->outside.bytes + before - length, key, length) == 0;
}

static int take_element(struct prometheus_answer *answer, const char **why)
{
	json_t *element = json_loadb(answer->element.bytes, answer->element.length, JSON_DECODE_ANY, NULL);
	int error = -EBADMSG;

	*why = FOREIGN;
	if (element)
		error = answer->take(answer->context, element, why);
	json_decref(element);
	buffer_empty(&answer->element);
	return error;
}

/* Is a byte that is in no text between two elements, or behind the last one? */
static bool ends_element(const struct prometheus_answer *answer, char byte)
{
	return answer->list_depth > 0 && answer->depth == answer->list_depth &&
	       (byte == ',' || (byte == ']' && (answer->element.length > 0 || answer->has_next)));
}

static int add_byte(struct prometheus_answer *answer, char byte, const char **why)
{
	bool was_in_text = answer->in_text, opens_list = false;
	struct buffer *part;

	if (!was_in_text && strchr(" \t\r\n", byte) && byte)
		return 0;
	if (byte == '"' && !answer->is_escaped)
		answer->in_text = !was_in_text;
	answer->is_escaped = was_in_text && byte == '\\' && !answer->is_escaped;
	if (!was_in_text) {
		bool ends = ends_element(answer, byte);
		int error = ends ? take_element(answer, why) : 0;

		answer->has_next = ends && byte == ',';
		if (error || answer->has_next)
			return error;
		if (byte == '[' || byte == '{') {
			opens_list = answer->list_depth == 0 && byte == '[' && is_list(answer);
			answer->depth++;
		} else if ((byte == ']' || byte == '}') && answer->depth > 0)
			answer->depth--;
		if (answer->depth < answer->list_depth)
			answer->list_depth = 0;
	}
	part = answer->list_depth > 0 ? &answer->element : &answer->outside;
	buffer_char(part, byte);
	if (opens_list)
		answer->list_depth = answer->depth;
	if (part->length <= PART_MAX)
		return 0;
	*why = _("the answer is too long");
	return -EMSGSIZE;
}

int prometheus_answer_add(struct prometheus_answer *answer, struct span bytes, const char **why)
{
	int error = 0;

	for (; bytes.at < bytes.end && !error; bytes.at++)
		error = add_byte(answer, *bytes.at, why);
	return error;
}

/* What others wrote, for a sentence. */
static void explain(struct prometheus_answer *answer, const char *error)
{
	snprintf(answer->why, sizeof(answer->why), "%s", error && *error ? error : FOREIGN);
	for (char *at = answer->why; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

int prometheus_answer_end(struct prometheus_answer *answer, const char **why)
{
	json_t *root = json_loadb(answer->outside.bytes, answer->outside.length, 0, NULL);
	const json_t *data = json_object_get(root, "data");
	bool is_good = json_is_array(data) || json_is_array(json_object_get(data, "result"));

	if (!is_good) {
		explain(answer, json_string_value(json_object_get(root, "error")));
		*why = answer->why;
	}
	json_decref(root);
	return is_good ? 0 : -EBADMSG;
}

void prometheus_answer_free(struct prometheus_answer *answer)
{
	buffer_free(&answer->outside);
	buffer_free(&answer->element);
}
