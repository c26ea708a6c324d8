/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job at a time, with a connection of its own. */
#include <config.h>

#include "fleet/stored_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "sys/worker.h"

enum ahead_state { AHEAD_IDLE, AHEAD_RUNS, AHEAD_DONE };

struct stored_ahead {
	struct worker_job job; /* the first member: the job leads to it */
	struct worker *worker;
	struct prometheus_api api;
	enum ahead_state state;
	struct stored_wish wish;         /* its selector is owned */
	struct stored_series *series[2]; /* of the machine, and rows of all */
	int errors[2];
	const char *whys[2]; /* of the connection: the same one where both failed */
};

static void run(struct worker_job *job)
{
	struct stored_ahead *ahead = (struct stored_ahead *)job;
	const struct stored_wish *wish = &ahead->wish;
	const char *const selectors[] = { wish->selector, NULL };

	ahead->errors[0] =
		prometheus_api_range(&ahead->api, selectors, &wish->step, ahead->series[0], &ahead->whys[0]);
	ahead->errors[1] = wish->of_rows ? prometheus_api_range(&ahead->api, wish->of_rows, &wish->rows,
								ahead->series[1], &ahead->whys[1])
					 : 0;
}

static void done(struct worker_job *job)
{
	struct stored_ahead *ahead = (struct stored_ahead *)job;

	ahead->state = job->dropped ? AHEAD_IDLE : AHEAD_DONE;
}

static void free_wish(struct stored_wish *wish)
{
	free((char *)wish->selector);
	*wish = (struct stored_wish){ 0 };
}

struct stored_ahead *stored_ahead_open(const struct machine_clock *clock, const char *url,
				       const struct schema *const *schemas, unsigned n_schemas)
{
	struct stored_ahead *ahead = alloc_zeroed(1, sizeof(*ahead));
	const char *why;

	for (unsigned i = 0; i < 2; i++)
		ahead->series[i] = stored_series_open(schemas, n_schemas);
	ahead->worker = worker_open();
	if (ahead->worker && prometheus_api_open(&ahead->api, clock, http_client_open(&why), url) == 0)
		return ahead;
	stored_ahead_close(ahead);
	return NULL;
}

/* What a blocked thread uses stays. */
void stored_ahead_close(struct stored_ahead *ahead)
{
	if (!ahead || (ahead->worker && !worker_close(ahead->worker)))
		return;
	prometheus_api_close(&ahead->api);
	for (unsigned i = 0; i < 2; i++)
		stored_series_close(ahead->series[i]);
	free_wish(&ahead->wish);
	free(ahead);
}

int stored_ahead_fd(const struct stored_ahead *ahead)
{
	return worker_fd(ahead->worker);
}

void stored_ahead_collect(struct stored_ahead *ahead)
{
	worker_collect(ahead->worker);
}

static bool is_same(const struct stored_wish *one, const struct stored_wish *other)
{
	return one->selector && strcmp(one->selector, other->selector) == 0 &&
	       one->step.first >= other->step.first && one->step.first <= other->step.first &&
	       (one->of_rows || !other->of_rows);
}

static void ask(struct stored_ahead *ahead, const struct stored_wish *wish)
{
	free_wish(&ahead->wish);
	ahead->wish = *wish;
	ahead->wish.selector = alloc_text(wish->selector);
	ahead->job = (struct worker_job){ .run = run, .done = done };
	ahead->state = AHEAD_RUNS;
	worker_submit(ahead->worker, &ahead->job);
}

static void swap(struct stored_series **one, struct stored_series **other)
{
	struct stored_series *kept = *one;

	*one = *other;
	*other = kept;
}

bool stored_ahead_get(struct stored_ahead *ahead, const struct stored_wish *wish,
		      struct stored_series **machine, struct stored_series **rows, struct prometheus_api *api)
{
	bool is_here = ahead->state == AHEAD_DONE && is_same(&ahead->wish, wish);

	if (!is_here && ahead->state != AHEAD_RUNS)
		ask(ahead, wish);
	if (!is_here)
		return false;
	ahead->state = AHEAD_IDLE;
	for (unsigned i = 0; i < 2; i++)
		if (ahead->errors[i])
			prometheus_api_rest(api, ahead->errors[i], ahead->whys[i]);
	if (!ahead->errors[0])
		swap(machine, &ahead->series[0]);
	if (ahead->wish.of_rows && !ahead->errors[1])
		swap(rows, &ahead->series[1]);
	return true;
}
