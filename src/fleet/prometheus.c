/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames are steps of query_range, some at a time; those that lead to a moment, of a jump on the screen, at
 * once.
 */
#include <config.h>

#include "fleet/prometheus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "fleet/prometheus_api.h"
#include "fleet/stored_axis.h"

#define STEPS_MAX 60       /* of one query */
#define JUMP_STEPS_MAX 320 /* of one that leads to a moment */

struct prometheus {
	struct stored_axis axis;
	struct prometheus_api *api; /* borrowed */
	size_t aim;                 /* index of the moment that is shown next; before next: none */
	char *machine, *selector;
	struct stored_series *stored;
	size_t loaded, n_loaded; /* frames that stored has */
	bool is_large;           /* more steps than STEPS_MAX are too long an answer */
	char remark[256];        /* what was wrong with the last answer; "": nothing */
};

/* So that the frame at this index is among those of stored. */
static int load(struct prometheus *prometheus, size_t index, const char **why)
{
	size_t left = stored_axis_moments(&prometheus->axis) - index;
	size_t most = STEPS_MAX;
	const char *const selectors[] = { prometheus->selector, NULL };
	struct stored_steps steps;
	int error;

	if (!prometheus->is_large && prometheus->aim >= index + STEPS_MAX &&
	    prometheus->aim - index < JUMP_STEPS_MAX)
		most = prometheus->aim - index + 1;
	steps = (struct stored_steps){
		.first = stored_axis_time(&prometheus->axis, index),
		.seconds = prometheus->axis.step,
		.n = (unsigned)(left < most ? left : most),
	};
	error = prometheus_api_range(prometheus->api, selectors, &steps, prometheus->stored, why);
	prometheus->loaded = index;
	prometheus->n_loaded = error ? 0 : steps.n;
	prometheus->is_large |= error == -EMSGSIZE;
	snprintf(prometheus->remark, sizeof(prometheus->remark), "%s", error ? *why : "");
	return error;
}

/* What cannot be read is a notice: the next frame may be there. */
static int next(void *state, struct frame *frame)
{
	struct prometheus *prometheus = state;
	const char *why = NULL;
	size_t index = prometheus->axis.next;
	int error = 0;

	if (index >= stored_axis_moments(&prometheus->axis))
		return -EAGAIN;
	if (index < prometheus->loaded || index - prometheus->loaded >= prometheus->n_loaded)
		error = load(prometheus, index, &why);
	prometheus->axis.next++;
	frame->host = arena_copy(&frame->arena, prometheus->machine, strlen(prometheus->machine));
	frame->wall_ns = frame->mono_ns = stored_axis_ns(&prometheus->axis, index);
	if (error)
		frame_notice(frame, "source", NULL, _("Prometheus: %s"), why);
	else if (stored_series_fill(prometheus->stored, STORED_ALL, (unsigned)(index - prometheus->loaded),
				    frame) == 0)
		frame_notice(frame, "source", NULL, _("Prometheus has nothing of %s at this time"),
			     prometheus->machine);
	return 1;
}

static void aim(void *state, size_t index)
{
	struct prometheus *prometheus = state;

	prometheus->aim = index;
}

static const char *remark(void *state)
{
	const struct prometheus *prometheus = state;

	return *prometheus->remark ? prometheus->remark : NULL;
}

static void close_prometheus(void *state)
{
	struct prometheus *prometheus = state;

	stored_axis_close(&prometheus->axis);
	stored_series_close(prometheus->stored);
	free(prometheus->machine);
	free(prometheus->selector);
	free(prometheus);
}

static char *selector_of(const char *machine)
{
	char *text = prometheus_quoted(machine);
	struct buffer out = { 0 };

	buffer_print(&out, "{instance=%s,__name__=~\"panetop_.+\",__name__!~\".+_bucket\"}", text);
	buffer_char(&out, '\0');
	free(text);
	return out.bytes;
}

const char *prometheus_selector(const struct source *source)
{
	const struct prometheus *prometheus = source->state;

	return prometheus->selector;
}

struct stored_series **prometheus_answer(const struct source *source)
{
	struct prometheus *prometheus = source->state;

	return &prometheus->stored;
}

void prometheus_answered(const struct source *source, uint64_t wall_ns)
{
	struct prometheus *prometheus = source->state;

	prometheus->loaded = source->find(prometheus, wall_ns);
	prometheus->n_loaded = 1;
	*prometheus->remark = '\0';
}

int prometheus_open(struct source *source, const struct prometheus_plan *plan, const char **why)
{
	struct prometheus *prometheus = alloc_zeroed(1, sizeof(*prometheus));
	int error = stored_axis_open(&prometheus->axis, plan->clock, plan->step_seconds, plan->oldest);

	*why = strerror(-error);
	prometheus->api = plan->api;
	prometheus->machine = alloc_text(plan->machine);
	prometheus->selector = selector_of(plan->machine);
	prometheus->stored = stored_series_open(plan->schemas, plan->n_schemas);
	if (error) {
		close_prometheus(prometheus);
		return error;
	}
	stored_axis_give(&prometheus->axis, source);
	source->next = next;
	source->aim = aim;
	source->remark = remark;
	source->close = close_prometheus;
	return 0;
}
