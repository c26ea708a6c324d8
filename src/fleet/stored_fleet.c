/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine is read as a whole, as a member; of the others there is what their rows are made of. */
#include <config.h>

#include "fleet/stored_fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "fleet/prometheus.h"
#include "fleet/prometheus_api.h"
#include "fleet/stored_ahead.h"
#include "fleet/stored_axis.h"
#include "model/derive.h"
#include "model/host.h"

/* Without tables of many rows; panetop_disk_busy_ratio is one for each disk. At most ten metrics a query. */
static const char *const of_rows[] = {
	"{__name__=~\"panetop_(cpu_(busy|total)_seconds_total|cpu_busy_ratio|memory_(total|used)_bytes|"
	"system_(load1|cpus))\"}",
	"{__name__=~\"panetop_(pressure_avg10_ratio|system_(tasks|uptime_seconds)|"
	"disk_busy_(seconds_total|ratio)|self_sample_time_seconds|finding_row_info)\"}",
	/* of a machine that is gone, too: a value that the one above does not have any more */
	"last_over_time({__name__=\"panetop_self_sample_time_seconds\",topic=\"all\"}[1d])",
	NULL,
};

#define NEAR_FRAMES 240     /* an hour of steps of 15 s */
#define OLDEST_MACHINES 100 /* of more it would be too much to look through all that is stored */

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
	double oldest;              /* as of stored_axis_open() */
	size_t aim;                 /* no frame before it is shown */
	size_t given;               /* index of the last frame; SIZE_MAX - 1: there is none */
	size_t answered;            /* index of the moment that rows have already; SIZE_MAX: none */
	struct stored_ahead *ahead; /* of a screen that follows; NULL: there is none */
	bool follows;               /* since pull(): the newest moment is waited for; other readers seek */
	bool (*pull_axis)(void *axis);
	int (*seek_axis)(void *axis, size_t index);
	int epoll_fd; /* readable when it is time, or when an answer is here; -1: see axis */
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
		.clock = fleet->plan->reading.clock,
		.api = &fleet->api,
		.machine = fleet->names.list[wanted],
		.step_seconds = fleet->plan->step_seconds,
		.oldest = fleet->oldest,
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
	state.age_seconds = age_seconds(&fleet->frames[1], at);
	if (n == 0 || (n == 1 && !isnan(state.age_seconds)))
		state.trouble = _("Prometheus has nothing of it at this time");
	host_add(frame, state.trouble ? NULL : &fleet->frames[1], &state);
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
	if (fleet->answered != index &&
	    prometheus_api_range(&fleet->api, of_rows, &steps, fleet->rows, &why) < 0) {
		frame_notice(frame, host_schema.name, NULL, _("Prometheus: %s"), why);
		return;
	}
	for (size_t i = 0; i < stored_series_machines(fleet->rows); i++)
		add_row(fleet, i, frame, stored_axis_time(&fleet->axis, index));
	host_sort(frame);
}

/* Both axes have the same steps, but not always the same first one. */
static void aim_member(const struct stored_fleet *fleet)
{
	const struct source *source = &fleet->source;

	if (fleet->aim >= fleet->axis.next)
		source->aim(source->state,
			    source->find(source->state, stored_axis_ns(&fleet->axis, fleet->aim)));
}

/* Does the screen wait for the newest moment, with all before it shown, and not for one that it jumps to? */
static bool is_followed(const struct stored_fleet *fleet, size_t index)
{
	return fleet->follows && index == fleet->given + 1 && index > fleet->aim &&
	       index + 2 >= stored_axis_moments(&fleet->axis) && fleet->shown == wanted_machine(fleet);
}

/* What this moment needs is here, or is not stored; false: a query for it is under way. */
static bool is_here(struct stored_fleet *fleet, size_t index)
{
	const struct stored_wish wish = {
		.selector = prometheus_selector(&fleet->source),
		.step = { stored_axis_time(&fleet->axis, index), fleet->axis.step, 1 },
		.of_rows = wants_rows(fleet) ? of_rows : NULL,
		.rows = { stored_axis_time(&fleet->axis, index - 1), fleet->axis.step, 2 },
	};
	struct stored_series **machine = prometheus_answer(&fleet->source), *before = *machine;
	struct stored_series *rows_before = fleet->rows;

	if (!stored_ahead_get(fleet->ahead, &wish, machine, &fleet->rows, &fleet->api))
		return false;
	if (*machine != before)
		prometheus_answered(&fleet->source, stored_axis_ns(&fleet->axis, index));
	fleet->answered = fleet->rows != rows_before ? index : SIZE_MAX;
	return true;
}

static int next(void *state, struct frame *frame)
{
	struct stored_fleet *fleet = state;
	const char *why = NULL;
	size_t index = fleet->axis.next;
	int error;

	if (index >= stored_axis_moments(&fleet->axis) ||
	    (is_followed(fleet, index) && !is_here(fleet, index))) {
		fleet->follows = false;
		return -EAGAIN;
	}
	frame->wall_ns = frame->mono_ns = stored_axis_ns(&fleet->axis, index);
	error = choose_member(fleet, &why);
	if (!error)
		aim_member(fleet);
	if (error)
		frame_notice(frame, "source", NULL, _("Prometheus: %s"), why);
	else if (member_go_to(&fleet->member, frame->wall_ns, NULL, NULL) >= 0 &&
		 member_frame(&fleet->member))
		frame_add(frame, member_frame(&fleet->member));
	frame->host = arena_copy(&frame->arena, fleet->names.list[wanted_machine(fleet)],
				 strlen(fleet->names.list[wanted_machine(fleet)]));
	frame->boot = (unsigned)wanted_machine(fleet); /* there are no rates from one machine to another */
	if (wants_rows(fleet) && index > 0)
		add_rows(fleet, index, frame);
	fleet->answered = SIZE_MAX;
	fleet->given = fleet->axis.next++;
	return 1;
}

static void want(void *state, const bool *topics)
{
	struct stored_fleet *fleet = state;
	const struct member_plan *reading = &fleet->plan->reading;

	memcpy(fleet->wanted, topics, reading->n_schemas * sizeof(*topics));
	findings_want(reading->rules, reading->n_rules, reading->schemas, reading->n_schemas, false,
		      fleet->wanted);
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
	stored_ahead_close(fleet->ahead);
	if (fleet->epoll_fd >= 0)
		close(fleet->epoll_fd);
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
	return prometheus_api_find(&fleet->api, only, why);
}

static int wait_fd(void *state)
{
	const struct stored_fleet *fleet = state;

	return fleet->epoll_fd;
}

static bool pull(void *state)
{
	struct stored_fleet *fleet = state;

	stored_ahead_collect(fleet->ahead);
	fleet->follows = fleet->pull_axis(state);
	return fleet->follows;
}

static int seek(void *state, size_t index)
{
	struct stored_fleet *fleet = state;

	fleet->follows = false;
	return fleet->seek_axis(state, index);
}

static bool watch(const struct stored_fleet *fleet, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(fleet->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Where that is not possible, answers are waited for. */
static void open_ahead(struct stored_fleet *fleet, struct source *source)
{
	const struct member_plan *reading = &fleet->plan->reading;

	fleet->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (fleet->epoll_fd < 0)
		return;
	fleet->ahead =
		stored_ahead_open(reading->clock, fleet->plan->url, reading->schemas, reading->n_schemas);
	if (!fleet->ahead)
		return;
	if (!watch(fleet, fleet->axis.timer_fd) || !watch(fleet, stored_ahead_fd(fleet->ahead))) {
		stored_ahead_close(fleet->ahead);
		fleet->ahead = NULL;
		return;
	}
	fleet->pull_axis = source->pull;
	fleet->seek_axis = source->seek;
	source->pull = pull;
	source->seek = seek;
	source->wait_fd = wait_fd;
}

int stored_fleet_open(struct source *source, const struct stored_fleet_plan *plan, const char **why)
{
	static char why_of_last[256];
	const struct member_plan *reading = &plan->reading;
	struct stored_fleet *fleet = alloc_zeroed(1, sizeof(*fleet));
	int error;

	fleet->axis.timer_fd = -1;
	fleet->plan = plan;
	fleet->shown = fleet->answered = SIZE_MAX;
	fleet->given = SIZE_MAX - 1;
	fleet->epoll_fd = -1;
	fleet->rows = stored_series_open(reading->schemas, reading->n_schemas);
	fleet->wanted = alloc_zeroed(reading->n_schemas + 1, sizeof(*fleet->wanted));
	for (unsigned i = 0; i < 2; i++)
		frame_open(&fleet->frames[i], reading->schemas, reading->n_schemas);
	error = prometheus_api_open(&fleet->api, reading->clock, http_client_open(why), plan->url);
	if (!error)
		error = find_machines(fleet, why);
	if (!error && fleet->names.n <= OLDEST_MACHINES)
		fleet->oldest = prometheus_api_oldest(&fleet->api, plan->machine);
	if (!error) {
		error = stored_axis_open(&fleet->axis, reading->clock, plan->step_seconds, fleet->oldest);
		*why = strerror(-error);
	}
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
	source->near_frames = NEAR_FRAMES;
	source->remark = remark;
	source->judged = true;
	source->close = close_fleet;
	if (!plan->request->batch)
		open_ahead(fleet, source);
	return 0;
}
