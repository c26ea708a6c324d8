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
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "fleet/prometheus_api.h"
#include "model/host.h"
#include "sys/machine_thread.h"

#define PAST_SECONDS (15 * 86400.0) /* that Prometheus keeps by default */
#define ROUNDING 1e-6               /* of a step: a time made of an index leads to that */
#define BEHIND_SECONDS 5.0          /* what is scraped now can be asked then */

static double now_seconds(const struct machine_clock *clock)
{
	return (double)clock_wall_ns(clock) / 1e9 - BEHIND_SECONDS;
}

int stored_axis_open(struct stored_axis *axis, const struct machine_clock *clock, double step_seconds,
		     double oldest)
{
	double whole, part = modf(step_seconds, &whole);
	const struct timespec step = { (time_t)whole, (long)(part * 1e9) };
	const struct itimerspec times = { step, step };

	axis->clock = clock;
	axis->step = step_seconds;
	oldest = fmin(fmax(ceil(oldest / step_seconds),
			   floor((now_seconds(clock) - PAST_SECONDS) / step_seconds)),
		      floor(now_seconds(clock) / step_seconds) - 1);
	axis->first = oldest * step_seconds;
	axis->next = stored_axis_moments(axis) - 2;
	axis->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return axis->timer_fd < 0 || timerfd_settime(axis->timer_fd, 0, &times, NULL) < 0 ? -errno : 0;
}

void stored_axis_close(struct stored_axis *axis)
{
	if (axis->timer_fd >= 0)
		close(axis->timer_fd);
	axis->timer_fd = -1;
}

size_t stored_axis_moments(const struct stored_axis *axis)
{
	return (size_t)((now_seconds(axis->clock) - axis->first) / axis->step) + 1;
}

double stored_axis_time(const struct stored_axis *axis, size_t index)
{
	return axis->first + (double)index * axis->step;
}

uint64_t stored_axis_ns(const struct stored_axis *axis, size_t index)
{
	return (uint64_t)(stored_axis_time(axis, index) * 1e9);
}

static int axis_seek(void *state, size_t index)
{
	struct stored_axis *axis = state;
	size_t n = stored_axis_moments(axis);

	axis->next = index < n ? index : n - 1;
	return 0;
}

static size_t axis_position(void *state)
{
	const struct stored_axis *axis = state;

	return axis->next > 0 ? axis->next - 1 : 0;
}

static size_t axis_step(void *state, uint64_t wall_ns)
{
	const struct stored_axis *axis = state;
	double steps = ((double)wall_ns / 1e9 - axis->first) / axis->step + ROUNDING;
	size_t n = stored_axis_moments(axis);

	return steps < 0 ? 0 : steps < (double)(n - 1) ? (size_t)steps : n - 1;
}

static bool axis_extent(void *state, size_t *n, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct stored_axis *axis = state;

	*n = stored_axis_moments(axis);
	*first_ns = stored_axis_ns(axis, 0);
	*last_ns = stored_axis_ns(axis, *n - 1);
	return true;
}

static int axis_wait_fd(void *state)
{
	const struct stored_axis *axis = state;

	return axis->timer_fd;
}

static bool axis_pull(void *state)
{
	const struct stored_axis *axis = state;
	uint64_t times;

	while (read(axis->timer_fd, &times, sizeof(times)) > 0)
		;
	return true;
}

void stored_axis_give(struct stored_axis *axis, struct source *source)
{
	*source = (struct source){
		.poll_fd = -1,
		.seek = axis_seek,
		.position = axis_position,
		.find = axis_step,
		.extent = axis_extent,
		.wait_fd = axis_wait_fd,
		.pull = axis_pull,
		.state = axis,
	};
}

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

struct stored_fleet {
	struct stored_axis axis;
	const struct stored_fleet_plan *plan;
	struct prometheus_api api;
	struct prometheus_names names;
	struct stored_series *rows;
	struct frame frames[2]; /* of a machine, to make its row: the one before it, and itself */
	struct member member;   /* the machine that is shown … */
	size_t shown;           /* … by its number; SIZE_MAX: none so far */
	struct prometheus *machine; /* … and what its frames are read from; owned by the member */
	bool *wanted;
	double oldest;              /* as of stored_axis_open() */
	size_t aim;                 /* no frame before it is shown */
	size_t given;               /* index of the last frame; SIZE_MAX - 1: there is none */
	size_t answered;            /* index of the moment that rows have already; SIZE_MAX: none */
	struct stored_ahead *ahead; /* of a screen that follows; NULL: there is none */
	bool follows;               /* since pull(): the newest moment is waited for; other readers seek */
	int epoll_fd; /* readable when it is time, or when an answer is here; -1: see axis */
};

/* So that the frame at this index is among those of stored. */
static int load_steps(struct prometheus *prometheus, size_t index, const char **why)
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
static int next_of_machine(void *state, struct frame *frame)
{
	struct prometheus *prometheus = state;
	const char *why = NULL;
	size_t index = prometheus->axis.next;
	int error = 0;

	if (index >= stored_axis_moments(&prometheus->axis))
		return -EAGAIN;
	if (index < prometheus->loaded || index - prometheus->loaded >= prometheus->n_loaded)
		error = load_steps(prometheus, index, &why);
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

static const char *remark_of_machine(void *state)
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

/* 0; or -errno with *why, translated. */
static int prometheus_open(struct source *source, struct stored_fleet *fleet, const char *machine,
			   const char **why)
{
	const struct member_plan *reading = &fleet->plan->reading;
	struct prometheus *prometheus = alloc_zeroed(1, sizeof(*prometheus));
	int error = stored_axis_open(&prometheus->axis, reading->clock, fleet->plan->step_seconds,
				     fleet->oldest);

	*why = strerror(-error);
	prometheus->api = &fleet->api;
	prometheus->machine = alloc_text(machine);
	prometheus->selector = selector_of(machine);
	prometheus->stored = stored_series_open(reading->schemas, reading->n_schemas);
	if (error) {
		close_prometheus(prometheus);
		return error;
	}
	stored_axis_give(&prometheus->axis, source);
	source->next = next_of_machine;
	source->remark = remark_of_machine;
	source->close = close_prometheus;
	fleet->machine = prometheus;
	return 0;
}

/* All borrowed. */
struct stored_wish {
	const char *selector;       /* of the machine … */
	struct stored_steps step;   /* … at one moment */
	const char *const *of_rows; /* constants: selectors of the rows of all; NULL: none are wanted … */
	struct stored_steps rows;   /* … at that moment and the one before */
};

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

static void run_ahead(struct worker_job *job)
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

static void end_ahead(struct worker_job *job)
{
	struct stored_ahead *ahead = (struct stored_ahead *)job;

	ahead->state = job->dropped ? AHEAD_IDLE : AHEAD_DONE;
}

static void free_wish(struct stored_wish *wish)
{
	free((char *)wish->selector);
	*wish = (struct stored_wish){ 0 };
}

/* What a blocked thread uses stays. */
static void stored_ahead_close(struct stored_ahead *ahead)
{
	if (!ahead || (ahead->worker && !worker_close(ahead->worker)))
		return;
	prometheus_api_close(&ahead->api);
	for (unsigned i = 0; i < 2; i++)
		stored_series_close(ahead->series[i]);
	free_wish(&ahead->wish);
	free(ahead);
}

/* NULL: that is not possible here. */
static struct stored_ahead *stored_ahead_open(const struct machine_clock *clock, const char *url,
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

static bool is_same_wish(const struct stored_wish *one, const struct stored_wish *other)
{
	return one->selector && strcmp(one->selector, other->selector) == 0 &&
	       one->step.first >= other->step.first && one->step.first <= other->step.first &&
	       (one->of_rows || !other->of_rows);
}

static void swap_series(struct stored_series **one, struct stored_series **other)
{
	struct stored_series *kept = *one;

	*one = *other;
	*other = kept;
}

/*
 * False: the answers are not here yet, and were requested. True: each takes the place of *machine or *rows;
 * or that stays, for a reason that api gives to whoever asks in the next seconds.
 */
static bool stored_ahead_get(struct stored_ahead *ahead, const struct stored_wish *wish,
			     struct stored_series **machine, struct stored_series **rows,
			     struct prometheus_api *api)
{
	bool is_here = ahead->state == AHEAD_DONE && is_same_wish(&ahead->wish, wish);

	if (!is_here && ahead->state != AHEAD_RUNS) {
		free_wish(&ahead->wish);
		ahead->wish = *wish;
		ahead->wish.selector = alloc_text(wish->selector);
		ahead->job = (struct worker_job){ .run = run_ahead, .done = end_ahead };
		ahead->state = AHEAD_RUNS;
		worker_submit(ahead->worker, &ahead->job);
	}
	if (!is_here)
		return false;
	ahead->state = AHEAD_IDLE;
	for (unsigned i = 0; i < 2; i++)
		if (ahead->errors[i])
			prometheus_api_rest(api, ahead->errors[i], ahead->whys[i]);
	if (!ahead->errors[0])
		swap_series(machine, &ahead->series[0]);
	if (ahead->wish.of_rows && !ahead->errors[1])
		swap_series(rows, &ahead->series[1]);
	return true;
}

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

static const struct member_kind kind = { .parts = parts, .report = report, .close = member_part_close };

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
	const char *machine = fleet->names.list[wanted];
	struct member_part *part;
	int error;

	if (fleet->shown == wanted)
		return 0;
	close_member(fleet);
	part = alloc_zeroed(1, sizeof(*part));
	error = prometheus_open(&part->source, fleet, machine, why);
	if (error) {
		free(part);
		return error;
	}
	member_open(&fleet->member, machine, &kind, part, &fleet->plan->reading);
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
	if (fleet->aim >= fleet->axis.next)
		fleet->machine->aim = axis_step(fleet->machine, stored_axis_ns(&fleet->axis, fleet->aim));
}

/* Does the screen wait for the newest moment, with all before it shown, and not for one that it jumps to? */
static bool is_followed(const struct stored_fleet *fleet, size_t index)
{
	return fleet->follows && index == fleet->given + 1 && index > fleet->aim &&
	       index + 2 >= stored_axis_moments(&fleet->axis) && fleet->shown == wanted_machine(fleet);
}

/* What this moment needs is here, or is not stored; false: a query for it is under way. */
static bool moment_is_here(struct stored_fleet *fleet, size_t index)
{
	const struct stored_wish wish = {
		.selector = fleet->machine->selector,
		.step = { stored_axis_time(&fleet->axis, index), fleet->axis.step, 1 },
		.of_rows = wants_rows(fleet) ? of_rows : NULL,
		.rows = { stored_axis_time(&fleet->axis, index - 1), fleet->axis.step, 2 },
	};
	struct prometheus *machine = fleet->machine;
	const struct stored_series *before = machine->stored, *rows_before = fleet->rows;

	if (!stored_ahead_get(fleet->ahead, &wish, &machine->stored, &fleet->rows, &fleet->api))
		return false;
	if (machine->stored != before) {
		machine->loaded = axis_step(machine, stored_axis_ns(&fleet->axis, index));
		machine->n_loaded = 1;
		*machine->remark = '\0';
	}
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
	    (is_followed(fleet, index) && !moment_is_here(fleet, index))) {
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

	return fleet->shown == SIZE_MAX ? NULL : remark_of_machine(fleet->machine);
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

	worker_collect(fleet->ahead->worker);
	fleet->follows = axis_pull(state);
	return fleet->follows;
}

static int seek(void *state, size_t index)
{
	struct stored_fleet *fleet = state;

	fleet->follows = false;
	return axis_seek(state, index);
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
	if (!watch(fleet, fleet->axis.timer_fd) || !watch(fleet, worker_fd(fleet->ahead->worker))) {
		stored_ahead_close(fleet->ahead);
		fleet->ahead = NULL;
		return;
	}
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
