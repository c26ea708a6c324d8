/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An answer of Prometheus as it comes: each element of its list is handed over as soon as it is complete, and
 * of the rest only the little that is not in the list is kept.
 */
#ifndef PANETOP_FLEET_PROMETHEUS_ANSWER_H
#define PANETOP_FLEET_PROMETHEUS_ANSWER_H

#include <jansson.h>
#include <stdbool.h>

#include "core/buffer.h"
#include "core/span.h"

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

#endif
