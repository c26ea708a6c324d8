/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine is read as a whole, as a member; of the others there is what their rows are made of. */
#include <config.h>

#include "fleet/stored_fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "fleet/prometheus.h"
#include "fleet/prometheus_api.h"
#include "fleet/stored_axis.h"
#include "model/derive.h"
#include "model/host.h"

/* Without tables of many rows; panetop_disk_busy_ratio is one for each disk. */
#define OF_ROWS                                                                                              \
	"{__name__=~\"panetop_(cpu_(busy|total)_seconds_total|cpu_busy_ratio|memory_(total|used)_bytes|"     \
	"pressure_avg10_ratio|system_(load1|cpus|tasks|uptime_seconds)|disk_busy_(seconds_total|ratio)|"     \
	"self_sample_time_seconds|finding_row_info)\"}"

struct stored_fleet {
	struct stored_axis axis;
	const struct stored_fleet_plan *plan;
	struct prometheus_api api;
	struct prometheus_names names;
	struct stored_series *rows;
	struct frame frames[2]; /* of a machine, to make its row: the one before it, and itself */
	struct member member;   /* the machine that is shown … */
	size_t shown;           /* … by its number; SIZE_MAX: none so far */
	struct source source;   /* … and where its frames come from; owned by the member */
	bool *wanted;
	size_t aim; /* no frame before it is shown */
};

static struct member_part *parts(void *state, size_t *n_parts)
{
	struct member_part *part = state;

	part->n_frames = source_extent(&part->source, &part->first_ns, &part->last_ns);
	*n_parts = 1;
	return part;
}

static void report(void *state, struct member_report *report)
{
	(void)state;
	*report = (struct member_report){ .clock_offset_seconds = NAN };
}

static void close_part(void *state)
{
	struct member_part *part = state;

	part->source.close(part->source.state);
	free(part);
}

static const struct member_kind kind = { .parts = parts, .report = report, .close = close_part };

static void close_member(struct stored_fleet *fleet)
{
	if (fleet->shown != SIZE_MAX)
		member_close(&fleet->member);
	fleet->shown = SIZE_MAX;
}

/* The one that the request names, or the first. */
static size_t wanted_machine(const struct stored_fleet *fleet)
{
	for (size_t i = 0; i < fleet->names.n; i++)
		if (strcmp(fleet->names.list[i], fleet->plan->request->host) == 0)
			return i;
	return 0;
}

/* 0 or -errno with *why. */
static int choose_member(struct stored_fleet *fleet, const char **why)
{
	size_t wanted = wanted_machine(fleet);
	const struct prometheus_plan plan = {
		.url = fleet->plan->url,
		.machine = fleet->names.list[wanted],
		.step_seconds = fleet->plan->step_seconds,
		.schemas = fleet->plan->reading.schemas,
		.n_schemas = fleet->plan->reading.n_schemas,
	};
	struct member_part *part;
	int error;

	if (fleet->shown == wanted)
		return 0;
	close_member(fleet);
	part = alloc_zeroed(1, sizeof(*part));
	error = prometheus_open(&part->source, &plan, why);
	if (error) {
		free(part);
		return error;
	}
	member_open(&fleet->member, plan.machine, &kind, part, &fleet->plan->reading);
	fleet->source = part->source;
	fleet->shown = wanted;
	member_want(&fleet->member, fleet->wanted);
	return 0;
}

static bool wants_rows(const struct stored_fleet *fleet)
{
	const struct member_plan *reading = &fleet->plan->reading;
	int index = schema_index(reading->schemas, reading->n_schemas, host_schema.name);

	return index >= 0 && fleet->wanted[index] && fleet->axis.next >= fleet->aim;
}

/* NaN without a sample. */
static double age_seconds(const struct frame *of, double at)
{
	double sampled = frame_number(of, "self", NULL, "sample_time_seconds");

	return isnan(sampled) ? NAN : fmax(0, at - sampled);
}

static void add_row(struct stored_fleet *fleet, size_t machine, struct frame *frame, double at)
{
	struct host_state state = { .name = stored_series_machine(fleet->rows, machine),
				    .age_seconds = NAN,
				    .clock_offset_seconds = NAN };
	size_t n_before, n;

	frame_clear(&fleet->frames[0]);
	frame_clear(&fleet->frames[1]);
	n_before = stored_series_fill(fleet->rows, machine, 0, &fleet->frames[0]);
	n = stored_series_fill(fleet->rows, machine, 1, &fleet->frames[1]);
	frame_derive(&fleet->frames[1], n_before > 0 ? &fleet->frames[0] : NULL);
	if (n > 0)
		state.age_seconds = age_seconds(&fleet->frames[1], at);
	else
		state.trouble = _("Prometheus has nothing of it at this time");
	host_add(frame, n > 0 ? &fleet->frames[1] : NULL, &state);
}

/* Of all machines, at the moment with this index and at the one before. */
static void add_rows(struct stored_fleet *fleet, size_t index, struct frame *frame)
{
	struct table *table = frame_slot(frame, host_schema.name);
	const struct stored_steps steps = { .first = stored_axis_time(&fleet->axis, index - 1),
					    .seconds = fleet->axis.step,
					    .n = 2 };
	const char *why;

	table->present = true;
	table->mono_ns = frame->mono_ns;
	table->n_rows = 0;
	if (prometheus_api_range(&fleet->api, OF_ROWS, &steps, fleet->rows, &why) < 0) {
		frame_notice(frame, host_schema.name, NULL, _("Prometheus: %s"), why);
		return;
	}
	for (size_t i = 0; i < stored_series_machines(fleet->rows); i++)
		add_row(fleet, i, frame, stored_axis_time(&fleet->axis, index));
	host_sort(frame);
}

static int next(void *state, struct frame *frame)
{
	struct stored_fleet *fleet = state;
	const char *why = NULL;
	size_t index = fleet->axis.next;
	int error;

	if (index >= stored_axis_moments(&fleet->axis))
		return -EAGAIN;
	frame->wall_ns = frame->mono_ns = stored_axis_ns(&fleet->axis, index);
	error = choose_member(fleet, &why);
	if (error)
		frame_notice(frame, "self", NULL, _("Prometheus: %s"), why);
	else if (member_go_to(&fleet->member, frame->wall_ns, NULL, NULL) >= 0 &&
		 member_frame(&fleet->member))
		frame_add(frame, member_frame(&fleet->member));
	frame->host = arena_copy(&frame->arena, fleet->names.list[wanted_machine(fleet)],
				 strlen(fleet->names.list[wanted_machine(fleet)]));
	frame->boot = (unsigned)wanted_machine(fleet); /* there are no rates from one machine to another */
	if (wants_rows(fleet) && index > 0)
		add_rows(fleet, index, frame);
	fleet->axis.next++;
	return 1;
}

static void want(void *state, const bool *topics)
{
	struct stored_fleet *fleet = state;
	const struct member_plan *reading = &fleet->plan->reading;

	memcpy(fleet->wanted, topics, reading->n_schemas * sizeof(*topics));
	findings_want(reading->rules, reading->n_rules, reading->schemas, reading->n_schemas, fleet->wanted);
	if (fleet->shown != SIZE_MAX)
		member_want(&fleet->member, fleet->wanted);
}

static void aim(void *state, size_t index)
{
	struct stored_fleet *fleet = state;

	fleet->aim = index;
}

static const char *remark(void *state)
{
	const struct stored_fleet *fleet = state;

	return fleet->shown == SIZE_MAX ? NULL : fleet->source.remark(fleet->source.state);
}

static void close_fleet(void *state)
{
	struct stored_fleet *fleet = state;

	close_member(fleet);
	prometheus_api_close(&fleet->api);
	prometheus_names_free(&fleet->names);
	stored_axis_close(&fleet->axis);
	stored_series_close(fleet->rows);
	for (unsigned i = 0; i < 2; i++)
		frame_close(&fleet->frames[i]);
	free(fleet->wanted);
	free(fleet);
}

static int find_machines(struct stored_fleet *fleet, const char **why)
{
	const char *only = fleet->plan->machine;

	if (!only)
		return prometheus_api_machines(&fleet->api, &fleet->names, why);
	*VECTOR_ADD(fleet->names.list, fleet->names.n, fleet->names.capacity) = alloc_text(only);
	return 0;
}

int stored_fleet_open(struct source *source, const struct stored_fleet_plan *plan, const char **why)
{
	static char why_of_last[256];
	const struct member_plan *reading = &plan->reading;
	struct stored_fleet *fleet = alloc_zeroed(1, sizeof(*fleet));
	int error = stored_axis_open(&fleet->axis, plan->step_seconds);

	fleet->plan = plan;
	fleet->shown = SIZE_MAX;
	fleet->rows = stored_series_open(reading->schemas, reading->n_schemas);
	fleet->wanted = alloc_zeroed(reading->n_schemas + 1, sizeof(*fleet->wanted));
	for (unsigned i = 0; i < 2; i++)
		frame_open(&fleet->frames[i], reading->schemas, reading->n_schemas);
	*why = strerror(-error);
	if (!error)
		error = prometheus_api_open(&fleet->api, plan->url, why);
	if (!error)
		error = find_machines(fleet, why);
	if (error) {
		snprintf(why_of_last, sizeof(why_of_last), "%s", *why);
		*why = why_of_last;
		close_fleet(fleet);
		return error;
	}
	/* batch prints the tables of one, and the rows of all */
	plan->request->n_hosts = plan->request->batch ? 1 : (unsigned)fleet->names.n;
	stored_axis_give(&fleet->axis, source);
	source->next = next;
	source->want = want;
	source->aim = aim;
	source->remark = remark;
	source->judged = true;
	source->close = close_fleet;
	return 0;
}
