/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes queries, finds elements of answers by brackets and quotes, and reads names from them. */
#include <config.h>

#include "fleet/prometheus_api.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"

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

#define ANSWER_MAX ((size_t)64 << 20)
#define MACHINES_MAX 10000
#define NAMES_MAX ((size_t)4 << 20) /* bytes */
#define REST_NS (UINT64_C(5) * 1000000000) /* one jump on the screen waits once */
#define OF_PANETOP "{__name__=~\"panetop_(self_sample_time_seconds|build_info|memory_total_bytes)\"}"

/* User and password, with the @ behind them. A password may have any byte that should have been encoded. */
static struct span user_of(const char *url)
{
	const char *begin = strstr(url, "://"), *end, *at;

	begin = begin ? begin + 3 : url;
	end = strstr(begin, PROMETHEUS_INSTANCE);
	end = end ? end : begin + strlen(begin);
	at = memrchr(begin, '@', (size_t)(end - begin));
	return span_of(begin, at ? (size_t)(at + 1 - begin) : 0);
}

char *prometheus_shown_url(const char *url)
{
	struct span user = user_of(url);
	struct buffer out = { 0 };

	buffer_add(&out, url, (size_t)(user.at - url));
	buffer_text(&out, user.end);
	buffer_char(&out, '\0');
	return out.bytes;
}

void prometheus_hide_user(char *url)
{
	struct span user = user_of(url);

	if (span_length(user) > 1)
		memset(url + (user.at - url), '*', span_length(user) - 1);
}

static void add_encoded(struct buffer *out, const char *text)
{
	for (; *text; text++)
		if (strchr("-._~", *text) || (*text >= '0' && *text <= '9') ||
		    (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z'))
			buffer_char(out, *text);
		else
			buffer_print(out, "%%%02X", (unsigned char)*text);
}

/* A text of the query language. */
char *prometheus_quoted(const char *text)
{
	struct buffer out = { 0 };

	buffer_char(&out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buffer_char(&out, '\\');
		buffer_char(&out, *text == '\n' ? ' ' : *text);
	}
	buffer_char(&out, '"');
	buffer_char(&out, '\0');
	return out.bytes;
}

int prometheus_api_open(struct prometheus_api *api, const struct machine_clock *clock,
			struct http_client *client, const char *url)
{
	size_t length = strlen(url);

	*api = (struct prometheus_api){ .clock = clock, .client = client, .url = alloc_text(url) };
	while (length > 0 && api->url[length - 1] == '/')
		api->url[--length] = '\0';
	return client ? 0 : -ELIBACC;
}

void prometheus_api_close(struct prometheus_api *api)
{
	if (api->client)
		api->client->close(api->client);
	free(api->url);
}

void prometheus_api_rest(struct prometheus_api *api, int error, const char *why)
{
	snprintf(api->why, sizeof(api->why), "%s", why);
	api->error = error;
	api->rests_until_ns = clock_mono_ns(api->clock) + REST_NS;
}

static int add_bytes(void *answer, struct span bytes, const char **why)
{
	return prometheus_answer_add(answer, bytes, why);
}

/*
 * call: with its first parameter, "query?query="; parameters: behind its value. Each element of the answer is
 * given to take. *why is valid until the next call.
 */
static int ask(struct prometheus_api *api, const char *call, const char *value, const char *parameters,
	       prometheus_take *take, void *context, const char **why)
{
	struct prometheus_answer answer = { .take = take, .context = context };
	struct buffer url = { 0 };
	const char *reason;
	int error;

	*why = api->why;
	if (clock_mono_ns(api->clock) < api->rests_until_ns)
		return api->error;
	buffer_print(&url, "%s/api/v1/%s", api->url, call);
	add_encoded(&url, value);
	buffer_text(&url, parameters);
	buffer_char(&url, '\0');
	error = api->client->get(api->client, url.bytes, ANSWER_MAX, add_bytes, &answer, &reason);
	buffer_free(&url);
	if (!error)
		error = prometheus_answer_end(&answer, &reason);
	if (error == -EBADMSG)
		snprintf(api->why, sizeof(api->why), "%s", reason);
	else if (error)
		prometheus_api_rest(api, error, reason);
	prometheus_answer_free(&answer);
	return error;
}

/* Unless it has it. False: they are too many. */
static bool add_name(struct prometheus_names *names, const char *name)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(name));
	uint32_t at;

	HASH_FIND(at, &names->by_name, hash, strcmp(names->list[at], name) == 0);
	if (at != HASH_NONE)
		return true;
	if (names->n == MACHINES_MAX || names->bytes + strlen(name) > NAMES_MAX)
		return false;
	names->bytes += strlen(name);
	hash_add(&names->by_name, hash, (uint32_t)names->n);
	*VECTOR_ADD(names->list, names->n, names->capacity) = alloc_text(name);
	return true;
}

/* A text, or a series with that label. */
static int take_name(void *context, const json_t *element, const char **why)
{
	const json_t *labels = json_object_get(element, "metric");
	const char *name = json_string_value(labels ? json_object_get(labels, "instance") : element);

	if (!name || add_name(context, name))
		return 0;
	*why = _("it has too many machines; name one with ?instance=");
	return -EMSGSIZE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their bytes, from the first new one on. */
static int ask_names(struct prometheus_api *api, const char *call, const char *selector,
		     struct prometheus_names *names, const char **why)
{
	size_t first = names->n;
	int error = ask(api, call, selector, "", take_name, names, why);

	if (names->n > first)
		qsort(names->list + first, names->n - first, sizeof(*names->list), by_name);
	hash_clear(&names->by_name);
	for (size_t i = 0; i < names->n; i++)
		hash_add(&names->by_name, hash_bytes(HASH_SEED, span_text(names->list[i])), (uint32_t)i);
	return error;
}

int prometheus_api_machines(struct prometheus_api *api, struct prometheus_names *names, const char **why)
{
	int error = ask_names(api, "query?query=", "count by (instance) (" OF_PANETOP ")", names, why);
	size_t n_now;

	if (error)
		return error;
	n_now = names->n;
	error = ask_names(api, "label/instance/values?match[]=", OF_PANETOP, names, why);
	if (n_now > 0 || (!error && names->n > 0))
		return 0;
	if (error == -EMSGSIZE)
		return error;
	*why = _("it has no metrics of panetop");
	return -ENODATA;
}

int prometheus_api_find(struct prometheus_api *api, const char *machine, const char **why)
{
	char *quoted = prometheus_quoted(machine);
	struct prometheus_names names = { 0 };
	struct buffer selector = { 0 };
	int error;

	buffer_print(&selector, "{instance=%s,__name__=~\"panetop_.+\"}", quoted);
	buffer_char(&selector, '\0');
	error = ask_names(api, "label/instance/values?match[]=", selector.bytes, &names, why);
	if (!error && names.n == 0) {
		snprintf(api->why, sizeof(api->why),
			 _("it has no metrics of panetop of '%s'; without ?instance all machines are shown"),
			 machine);
		error = -ENODATA;
	}
	prometheus_names_free(&names);
	buffer_free(&selector);
	free(quoted);
	return error;
}

static int take_number(void *context, const json_t *series, const char **why)
{
	const char *text = json_string_value(json_array_get(json_object_get(series, "value"), 1));

	(void)why;
	*(double *)context = text ? strtod(text, NULL) : 0;
	return 0;
}

double prometheus_api_oldest(struct prometheus_api *api, const char *machine)
{
	char *quoted = prometheus_quoted(machine ? machine : "");
	struct buffer query = { 0 };
	double oldest = 0;
	const char *why;

	buffer_print(&query,
		     "min(min_over_time(panetop_self_sample_time_seconds{topic=\"all\",instance%s%s}[15d]))",
		     machine ? "=" : "!=", quoted);
	buffer_char(&query, '\0');
	if (ask(api, "query?query=", query.bytes, "", take_number, &oldest, &why) < 0)
		api->rests_until_ns = 0; /* it may be too much for it */
	buffer_free(&query);
	free(quoted);
	return isfinite(oldest) && oldest > 0 ? oldest : 0;
}

void prometheus_names_free(struct prometheus_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	hash_free(&names->by_name);
	*names = (struct prometheus_names){ 0 };
}

int prometheus_api_range(struct prometheus_api *api, const char *const *selectors,
			 const struct stored_steps *steps, struct stored_series *stored, const char **why)
{
	char parameters[128];
	int error = 0;

	snprintf(parameters, sizeof(parameters), "&start=%.3f&end=%.3f&step=%.3f", steps->first,
		 steps->first + (steps->n - 1) * steps->seconds, steps->seconds);
	stored_series_begin(stored, steps);
	for (unsigned i = 0; selectors[i] && !error; i++)
		error = ask(api, "query_range?query=", selectors[i], parameters, stored_series_take, stored,
			    why);
	if (error)
		stored_series_begin(stored, steps);
	return error;
}
