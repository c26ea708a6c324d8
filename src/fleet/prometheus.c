/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames are steps of query_range, some at a time: a jump on the screen reads the five minutes before, too.
 */
#include <config.h>

#include "fleet/prometheus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "fleet/prometheus_api.h"
#include "fleet/stored_axis.h"

#define STEPS_MAX 60 /* of one query */

struct prometheus {
	struct stored_axis axis;
	struct prometheus_api api;
	char *machine, *selector;
	struct stored_series *stored;
	size_t loaded, n_loaded; /* frames that stored has */
	char remark[256];        /* what was wrong with the last answer; "": nothing */
};

/* So that the frame at this index is among those of stored. */
static int load(struct prometheus *prometheus, size_t index, const char **why)
{
	size_t left = stored_axis_moments(&prometheus->axis) - index;
	struct stored_steps steps = {
		.first = stored_axis_time(&prometheus->axis, index),
		.seconds = prometheus->axis.step,
		.n = (unsigned)(left < STEPS_MAX ? left : STEPS_MAX),
	};
	int error =
		prometheus_api_range(&prometheus->api, prometheus->selector, &steps, prometheus->stored, why);

	prometheus->loaded = index;
	prometheus->n_loaded = error ? 0 : steps.n;
	snprintf(prometheus->remark, sizeof(prometheus->remark), "%s", error ? *why : "");
	return error;
}

/* What cannot be read is a notice: the next frame may be there. */
static int next(void *state, struct frame *frame)
{
	struct prometheus *prometheus = state;
	const char *why = NULL;
	size_t index = prometheus->axis.next;

	if (index >= stored_axis_moments(&prometheus->axis))
		return -EAGAIN;
	if (index < prometheus->loaded || index - prometheus->loaded >= prometheus->n_loaded)
		load(prometheus, index, &why);
	prometheus->axis.next++;
	frame->host = arena_copy(&frame->arena, prometheus->machine, strlen(prometheus->machine));
	frame->wall_ns = frame->mono_ns = stored_axis_ns(&prometheus->axis, index);
	if (why)
		frame_notice(frame, "self", NULL, _("Prometheus: %s"), why);
	else if (stored_series_fill(prometheus->stored, STORED_ALL, (unsigned)(index - prometheus->loaded),
				    frame) == 0)
		frame_notice(frame, "self", NULL, _("Prometheus has nothing of %s at this time"),
			     prometheus->machine);
	return 1;
}

static const char *remark(void *state)
{
	const struct prometheus *prometheus = state;

	return *prometheus->remark ? prometheus->remark : NULL;
}

static void close_prometheus(void *state)
{
	struct prometheus *prometheus = state;

	prometheus_api_close(&prometheus->api);
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

int prometheus_open(struct source *source, const struct prometheus_plan *plan, const char **why)
{
	struct prometheus *prometheus = alloc_zeroed(1, sizeof(*prometheus));
	int error = stored_axis_open(&prometheus->axis, plan->step_seconds);

	*why = strerror(-error);
	if (!error)
		error = prometheus_api_open(&prometheus->api, plan->url, why);
	prometheus->machine = alloc_text(plan->machine);
	prometheus->selector = selector_of(plan->machine);
	prometheus->stored = stored_series_open(plan->schemas, plan->n_schemas);
	if (error) {
		close_prometheus(prometheus);
		return error;
	}
	stored_axis_give(&prometheus->axis, source);
	source->next = next;
	source->remark = remark;
	source->close = close_prometheus;
	return 0;
}
