/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries of a server with the API of Prometheus, and its answers as they come. */
#ifndef PANETOP_FLEET_PROMETHEUS_API_H
#define PANETOP_FLEET_PROMETHEUS_API_H

#include <jansson.h>

#include "core/buffer.h"
#include "core/hash.h"
#include "fleet/stored_series.h"
#include "sys/http_server.h"
#include "sys/machine.h"

/*
 * An answer of Prometheus as it comes: each element of its list is handed over as soon as it is complete, and
 * of the rest only the little that is not in the list is kept.
 */

/* 0; or -errno with *why, translated, which ends the answer. */
typedef int prometheus_take(void *context, const json_t *element, const char **why);

/* All zero but for take and context. */
struct prometheus_answer {
	prometheus_take *take; /* of each text of "data", or each series of "data", "result" */
	void *context;
	struct buffer outside, element;
	unsigned depth, list_depth; /* brackets that are open; those around elements, 0: outside the list */
	bool in_text, is_escaped, has_next; /* has_next: a comma came last, in the list */
	char why[256];
};

/* The next bytes. 0; or -errno with *why, valid as long as the answer: it is none, or is too long. */
int prometheus_answer_add(struct prometheus_answer *answer, struct span bytes, const char **why);

/* Behind the last ones, likewise; -EBADMSG also where it reports an error, which is in *why. */
int prometheus_answer_end(struct prometheus_answer *answer, const char **why);
void prometheus_answer_free(struct prometheus_answer *answer);

/* Queries of a server with the API of Prometheus. */
struct prometheus_api {
	const struct machine_clock *clock; /* borrowed */
	struct http_client *client;
	char *url; /* without a slash at its end */
	char why[256];
	int error;               /* of the last answer that did not come … */
	uint64_t rests_until_ns; /* … after which none is waited for until then, by CLOCK_MONOTONIC */
};

/* Takes client over, as of http_client_open(). 0; or -ELIBACC: there is none. */
int prometheus_api_open(struct prometheus_api *api, const struct machine_clock *clock,
			struct http_client *client, const char *url);
void prometheus_api_close(struct prometheus_api *api);

/* For some seconds nothing is asked: calls fail for this reason at once. */
void prometheus_api_rest(struct prometheus_api *api, int error, const char *why);

/* Names of machines with metrics of panetop: first those that have some now, then those that had. */
struct prometheus_names {
	char **list;
	size_t n, capacity, bytes;
	struct hash by_name;
};

/* 0, or -errno with *why, translated and valid until the next call. */
int prometheus_api_machines(struct prometheus_api *api, struct prometheus_names *names, const char **why);
/* Is there anything of this machine? Likewise. */
int prometheus_api_find(struct prometheus_api *api, const char *machine, const char **why);
/* When the first sample of this machine, or of any (NULL), was made, in seconds since 1970; 0: not known. */
double prometheus_api_oldest(struct prometheus_api *api, const char *machine);
void prometheus_names_free(struct prometheus_names *names);

/* Answers with what selectors choose, up to NULL, at these steps, likewise: a query for each. */
int prometheus_api_range(struct prometheus_api *api, const char *const *selectors,
			 const struct stored_steps *steps, struct stored_series *stored, const char **why);

/* A text of the query language, with quotes. The caller frees it, as the next. */
char *prometheus_quoted(const char *text);

/* Behind a URL stands the name of one machine. */
#define PROMETHEUS_INSTANCE "?instance="

/* A URL without user and password, to be shown, also where they are not written as they have to be. */
char *prometheus_shown_url(const char *url);

/* Overwrites them where others might read them: in the arguments of this process. */
void prometheus_hide_user(char *url);

#endif
