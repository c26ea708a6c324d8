/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One connection of libcurl, which is kept open between answers. */
#include <config.h>

#include "sys/http_client.h"

#include <errno.h>

#include "core/alloc.h"
#include "core/i18n.h"

#ifdef HAVE_CURL

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_LOADED _("libcurl is not installed; install it (in Debian libcurl4)")
#define CONNECT_MS 2000L
#define ANSWER_MS 5000L
#define STATUS_GOOD 200

#define LIBRARY "libcurl.so.4"

struct curl_client {
	struct http_client client;
	void *library;
	CURL *curl;
	char error[CURL_ERROR_SIZE];
	http_take *take;
	void *context;
	size_t left; /* bytes that may still come */
	int refused; /* -errno, with … */
	const char *why_refused;
	char why[CURL_ERROR_SIZE + 64];

	CURL *(*init)(void);
	void (*cleanup)(CURL *curl);
	CURLcode (*set)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*info)(CURL *curl, CURLINFO info, ...);
	const char *(*text)(CURLcode code);
};

static bool load(struct curl_client *client)
{
	client->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (!client->library)
		return false;
	*(void **)&client->init = dlsym(client->library, "curl_easy_init");
	*(void **)&client->cleanup = dlsym(client->library, "curl_easy_cleanup");
	*(void **)&client->set = dlsym(client->library, "curl_easy_setopt");
	*(void **)&client->perform = dlsym(client->library, "curl_easy_perform");
	*(void **)&client->info = dlsym(client->library, "curl_easy_getinfo");
	*(void **)&client->text = dlsym(client->library, "curl_easy_strerror");
	return client->init && client->cleanup && client->set && client->perform && client->info &&
	       client->text;
}

/* Another number than that of the bytes ends the answer, as below. Those with another status are left out. */
static size_t take(char *bytes, size_t size, size_t n, void *context)
{
	struct curl_client *client = context;
	size_t length = size * n;
	long status = 0;

	client->info(client->curl, CURLINFO_RESPONSE_CODE, &status);
	if (length > client->left) {
		client->refused = -EMSGSIZE;
		client->why_refused = _("the answer is too long");
	} else if (status == STATUS_GOOD)
		client->refused =
			client->take(client->context, span_of(bytes, length), &client->why_refused);
	client->left -= client->refused ? 0 : length;
	return client->refused ? 0 : length;
}

/* In whatever case, of ASCII, and locale. */
static bool is_word(struct span text, const char *word)
{
	size_t length = strlen(word), i = 0;

	while (i < length && i < span_length(text) && (text.at[i] | ' ') == word[i])
		i++;
	return i == length && span_length(text) == length;
}

/* libcurl unpacks what it can, also what it did not accept: of other forms the window may have any size. */
static size_t take_header(char *bytes, size_t size, size_t n, void *context)
{
	struct curl_client *client = context;
	struct span value = span_of(bytes, size * n), name;

	if (!span_until(&value, ':', &name) || !is_word(name, "content-encoding"))
		return size * n;
	while (value.at < value.end && (unsigned char)value.end[-1] <= ' ')
		value.end--;
	value = span_trimmed(value);
	if (is_word(value, "gzip") || is_word(value, "identity"))
		return size * n;
	client->refused = -EPROTO;
	client->why_refused = _("the answer is compressed in another way than gzip");
	return 0;
}

static void set_up(struct curl_client *client)
{
	client->set(client->curl, CURLOPT_ERRORBUFFER, client->error);
	client->set(client->curl, CURLOPT_HEADERFUNCTION, take_header);
	client->set(client->curl, CURLOPT_HEADERDATA, (void *)client);
	client->set(client->curl, CURLOPT_WRITEFUNCTION, take);
	client->set(client->curl, CURLOPT_WRITEDATA, (void *)client);
	client->set(client->curl, CURLOPT_NOSIGNAL, 1L);
	client->set(client->curl, CURLOPT_FOLLOWLOCATION, 0L);
	client->set(client->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	client->set(client->curl, CURLOPT_TIMEOUT_MS, ANSWER_MS);
	client->set(client->curl, CURLOPT_ACCEPT_ENCODING, "gzip");
	client->set(client->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	client->set(client->curl, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
}

static void close_client(struct http_client *of)
{
	struct curl_client *client = (struct curl_client *)of;

	if (client->curl)
		client->cleanup(client->curl);
	free(client); /* the library stays: those of TLS do not like to go */
}

static int failed(struct curl_client *client, CURLcode code, const char **why)
{
	if (client->refused)
		*why = client->why_refused;
	else if (code == CURLE_OPERATION_TIMEDOUT)
		*why = _("no answer came in time");
	else {
		snprintf(client->why, sizeof(client->why),
			 code == CURLE_SSL_CONNECT_ERROR ? _("%s; without encryption it is http:") : "%s",
			 *client->error ? client->error : client->text(code));
		*why = client->why;
	}
	return client->refused ? client->refused : code == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO;
}

/* What to do about it, with the status. */
static const char *why_of_status(long status)
{
	if (status >= 300 && status < 400)
		return _("it answers with status %ld and another address, which is not followed: give that "
			 "one");
	if (status == 401 || status == 403)
		return _("it answers with status %ld: give a user and password, as in "
			 "http://USER:PASSWORD@HOST");
	if (status == 404)
		return _("it answers with status %ld: nothing is at this path");
	return _("it answers with status %ld");
}

static int get(struct http_client *of, const char *url, size_t most, http_take *take_bytes, void *context,
	       const char **why)
{
	struct curl_client *client = (struct curl_client *)of;
	long status = 0;
	CURLcode code;

	client->take = take_bytes;
	client->context = context;
	client->left = most;
	client->refused = 0;
	*client->error = '\0';
	client->set(client->curl, CURLOPT_URL, url);
	code = client->perform(client->curl);
	if (code != CURLE_OK)
		return failed(client, code, why);
	client->info(client->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == STATUS_GOOD)
		return 0;
	snprintf(client->why, sizeof(client->why), why_of_status(status), status);
	*why = client->why;
	return -EPROTO;
}

struct http_client *http_client_open(const char **why)
{
	struct curl_client *client = alloc_zeroed(1, sizeof(*client));

	client->client = (struct http_client){ get, close_client };
	client->curl = load(client) ? client->init() : NULL;
	if (!client->curl) {
		close_client(&client->client);
		*why = NOT_LOADED;
		return NULL;
	}
	set_up(client);
	return &client->client;
}

#else

struct http_client *http_client_open(const char **why)
{
	*why = _("panetop was built without libcurl");
	return NULL;
}

#endif
