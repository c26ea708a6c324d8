/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes queries, and reads names from answers. */
#include <config.h>

#include "fleet/prometheus_api.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "sys/env.h"

#define ANSWER_MAX ((size_t)64 << 20)
#define MACHINES_MAX 10000
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

int prometheus_api_open(struct prometheus_api *api, const char *url, const char **why)
{
	size_t length = strlen(url);

	*api = (struct prometheus_api){ .url = alloc_text(url) };
	while (length > 0 && api->url[length - 1] == '/')
		api->url[--length] = '\0';
	api->client = http_client_open(why);
	return api->client ? 0 : -ELIBACC;
}

void prometheus_api_close(struct prometheus_api *api)
{
	http_client_close(api->client);
	buffer_free(&api->answer);
	free(api->url);
}

void prometheus_api_rest(struct prometheus_api *api, int error, const char *why)
{
	snprintf(api->why, sizeof(api->why), "%s", why);
	api->error = error;
	api->rests_until_ns = env_mono_ns() + REST_NS;
}

/* call: with its first parameter, "query?query="; parameters: behind its value. */
static int ask(struct prometheus_api *api, const char *call, const char *value, const char *parameters,
	       const char **why)
{
	struct buffer url = { 0 };
	int error;

	*why = api->why;
	if (env_mono_ns() < api->rests_until_ns)
		return api->error;
	buffer_print(&url, "%s/api/v1/%s", api->url, call);
	add_encoded(&url, value);
	buffer_text(&url, parameters);
	buffer_char(&url, '\0');
	buffer_empty(&api->answer);
	error = http_client_get(api->client, url.bytes, ANSWER_MAX, &api->answer, why);
	buffer_free(&url);
	if (!error)
		return 0;
	prometheus_api_rest(api, error, *why);
	*why = api->why;
	return error;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct prometheus_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->list[i], name) == 0)
			return;
	if (names->n < MACHINES_MAX)
		*VECTOR_ADD(names->list, names->n, names->capacity) = alloc_text(name);
}

/* Of an answer: its list of texts, or of series with that label; and in the order of their bytes. False: it
 * is none. */
static bool add_names(struct prometheus_api *api, struct prometheus_names *names)
{
	json_t *root = json_loadb(api->answer.bytes, api->answer.length, 0, NULL);
	const json_t *data = json_object_get(root, "data");
	const json_t *results = json_is_array(data) ? data : json_object_get(data, "result");
	bool is_list = json_is_array(results);
	size_t first = names->n;

	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);
		const json_t *labels = json_object_get(result, "metric");
		const char *name = json_string_value(labels ? json_object_get(labels, "instance") : result);

		if (name)
			add_name(names, name);
	}
	json_decref(root);
	if (names->n > first)
		qsort(names->list + first, names->n - first, sizeof(*names->list), by_name);
	return is_list;
}

int prometheus_api_machines(struct prometheus_api *api, struct prometheus_names *names, const char **why)
{
	const char *unused;
	int error = ask(api, "query?query=", "count by (instance) (" OF_PANETOP ")", "", why);

	if (error)
		return error;
	if (!add_names(api, names)) {
		*why = _("the answer is not one of Prometheus");
		return -EBADMSG;
	}
	if (ask(api, "label/instance/values?match[]=", OF_PANETOP, "", &unused) == 0)
		add_names(api, names);
	*why = _("it has no metrics of panetop");
	return names->n > 0 ? 0 : -ENODATA;
}

int prometheus_api_find(struct prometheus_api *api, const char *machine, const char **why)
{
	char *quoted = prometheus_quoted(machine);
	struct prometheus_names names = { 0 };
	struct buffer selector = { 0 };
	int error;

	buffer_print(&selector, "{instance=%s,__name__=~\"panetop_.+\"}", quoted);
	buffer_char(&selector, '\0');
	error = ask(api, "label/instance/values?match[]=", selector.bytes, "", why);
	if (!error && !add_names(api, &names)) {
		*why = _("the answer is not one of Prometheus");
		error = -EBADMSG;
	} else if (!error && names.n == 0) {
		snprintf(api->why, sizeof(api->why),
			 _("it has no metrics of panetop of '%s'; without ?instance all machines are shown"),
			 machine);
		*why = api->why;
		error = -ENODATA;
	}
	prometheus_names_free(&names);
	buffer_free(&selector);
	free(quoted);
	return error;
}

void prometheus_names_free(struct prometheus_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct prometheus_names){ 0 };
}

int prometheus_api_range(struct prometheus_api *api, const char *const *selectors,
			 const struct stored_steps *steps, struct stored_series *stored, const char **why)
{
	char parameters[128];
	int error = 0;

	snprintf(parameters, sizeof(parameters), "&start=%.3f&end=%.3f&step=%.3f", steps->first,
		 steps->first + (steps->n - 1) * steps->seconds, steps->seconds);
	for (unsigned i = 0; selectors[i] && !error; i++) {
		struct span answer;

		error = ask(api, "query_range?query=", selectors[i], parameters, why);
		answer = span_of(api->answer.bytes, api->answer.length);
		if (!error)
			error = i == 0 ? stored_series_take(stored, answer, steps, why)
				       : stored_series_add(stored, answer, why);
	}
	return error;
}
