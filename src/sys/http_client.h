/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of an HTTP server, by libcurl, which is loaded when it is wanted. */
#ifndef PANETOP_SYS_HTTP_CLIENT_H
#define PANETOP_SYS_HTTP_CLIENT_H

#include <stddef.h>

#include "core/span.h"

/* Takes bytes of an answer as they come. 0; or -errno with *why, translated, which ends it. */
typedef int http_take(void *context, struct span bytes, const char **why);

/* libcurl, or a script of a test; the first member of what it needs. */
struct http_client {
	/*
	 * Asks for this http or https URL; take is given the answer, uncompressed, of at most most bytes. It
	 * waits for some seconds at most, and follows no redirect. 0; or -errno with *why, translated, valid
	 * until the next call: no connection, no or another status than 200, an answer that is too long or
	 * ends early, or what take has against it.
	 */
	int (*get)(struct http_client *client, const char *url, size_t most, http_take *take, void *context,
		   const char **why);
	void (*close)(struct http_client *client);
};

/* By libcurl; NULL: *why says, translated, what is missing. */
struct http_client *http_client_open(const char **why);

#endif
