/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets all members go to the same moment, and makes one frame of what they have there. */
#include <config.h>

#include "fleet/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "model/host.h"
#include "model/units.h"
#include "sys/env.h"

static int compare(const void *left, const void *right)
{
	const struct axis_sample *one = left, *other = right;

	if (one->wall_ns != other->wall_ns)
		return one->wall_ns < other->wall_ns ? -1 : 1;
	return one->member < other->member ? -1 : one->member > other->member;
}

/* A moment is over when a member that is in it would come again. */
void axis_make(struct axis *axis, struct axis_sample *samples, size_t n_samples, unsigned n_members)
{
	size_t *moment_of =
		alloc_zeroed(n_members + 1, sizeof(*moment_of)); /* of the last sample, from 1 on */
	size_t moment = 1;

	if (n_samples > 1)
		qsort(samples, n_samples, sizeof(*samples), compare);
	for (size_t i = 0; i < n_samples; i++) {
		if (moment_of[samples[i].member] == moment) {
			axis_add(axis, samples[i - 1].wall_ns);
			moment++;
		}
		moment_of[samples[i].member] = moment;
	}
	if (n_samples > 0)
		axis_add(axis, samples[n_samples - 1].wall_ns);
	free(moment_of);
}

size_t axis_add(struct axis *axis, uint64_t wall_ns)
{
	uint64_t last = axis->n_moments > 0 ? axis->moments[axis->n_moments - 1] : 0;
	size_t n_gone = 0;

	if (axis->n_moments >= AXIS_MOMENTS_MAX) {
		n_gone = axis->n_moments / 2;
		axis->n_moments -= n_gone;
		memmove(axis->moments, axis->moments + n_gone, axis->n_moments * sizeof(*axis->moments));
	}
	*VECTOR_ADD(axis->moments, axis->n_moments, axis->capacity) = wall_ns > last ? wall_ns : last + 1;
	return n_gone;
}

size_t axis_find(const struct axis *axis, uint64_t wall_ns)
{
	size_t at;

	VECTOR_BOUND(at, axis->n_moments, axis->moments[at] <= wall_ns);
	return at > 0 ? at - 1 : 0;
}

void axis_free(struct axis *axis)
{
	free(axis->moments);
	*axis = (struct axis){ 0 };
}

#define SECOND_NS UINT64_C(1000000000)
#define PULL_NS (SECOND_NS / 4) /* between looks at what has timed out */
#define WAIT_ALL_NS (5 * SECOND_NS)
#define WAIT_ONE_NS (30 * SECOND_NS)
#define LATE_DELAYS 1.5 /* after this many delays a moment comes without those that are late */

#define TROUBLES_MAX ((size_t)4096) /* of a machine; then the older half goes */

/* What was wrong with a machine, moment by moment: where it changed. */
struct troubles {
	struct trouble {
		uint64_t since_ns; /* wall clock of the moment */
		char *text;        /* NULL: none any longer */
	} * list;
	size_t n, capacity;
};

struct fleet {
	const struct fleet_plan *plan;
	struct ssh_plan ssh;
	struct machine {
		struct member member; /* sources hold addresses in it */
		char *file;           /* the name of its file; NULL: it has none … */
		char *host;           /* … and the host that its first sample names; NULL: none */
		bool has_come;        /* a sample since the last moment */
		struct troubles troubles;
	} machines[FLEET_MEMBERS_MAX];
	unsigned n_members;
	unsigned serials;
	int epoll_fd, timer_fd;
	bool goes_on;            /* some member is not a file */
	uint64_t moment_mono_ns; /* when the last moment was added */
	struct axis axis;
	size_t next;          /* index of the moment of the next frame */
	bool *wanted, *parts; /* topics: of the shown machine; what a row of a machine is made of */
};

struct fleet *fleet_open(const struct fleet_plan *plan)
{
	struct fleet *fleet = alloc_zeroed(1, sizeof(*fleet));
	unsigned n_schemas = plan->reading.n_schemas;

	*fleet = (struct fleet){
		.plan = plan,
		.wanted = alloc_zeroed(n_schemas + 1, sizeof(*fleet->wanted)),
		.parts = alloc_zeroed(n_schemas + 1, sizeof(*fleet->parts)),
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
	};
	fleet->ssh = (struct ssh_plan){
		.record = &plan->record,
		.variables = plan->variables,
		.epoll_fd = fleet->epoll_fd,
		.back_bytes = plan->back_bytes,
		.serials = &fleet->serials,
	};
	memset(fleet->wanted, true, n_schemas);
	host_want_parts(plan->reading.schemas, n_schemas, fleet->parts);
	findings_want(plan->reading.rules, plan->reading.n_rules, plan->reading.schemas, n_schemas, false,
		      fleet->parts);
	return fleet;
}

void fleet_add_ssh(struct fleet *fleet, const char *host)
{
	ssh_member_open(&fleet->machines[fleet->n_members++].member, host, &fleet->ssh,
			&fleet->plan->reading);
	fleet->goes_on = true;
}

/* The host that its first sample names, in the arena of frame; NULL: it names none. */
static const char *host_of(const struct fleet *fleet, const struct source *recording, struct frame *frame)
{
	bool *none = alloc_zeroed(fleet->plan->reading.n_schemas + 1, sizeof(*none));
	int got;

	source_want(recording, none);
	got = source_read(recording, 0, frame);
	recording->seek(recording->state, 0);
	free(none);
	return got == 1 ? frame->host : NULL;
}

void fleet_add_recording(struct fleet *fleet, const struct source *recording, const char *file)
{
	const struct member_plan *plan = &fleet->plan->reading;
	struct machine *machine = &fleet->machines[fleet->n_members], *same = fleet->machines;
	struct frame frame;
	const char *host;
	char name[HOST_NAME_ROOM];

	frame_open(&frame, plan->schemas, plan->n_schemas);
	host = host_of(fleet, recording, &frame);
	machine->file = alloc_text(file);
	machine->host = host && *host ? alloc_text(host) : NULL;
	frame_close(&frame);
	while (same < machine && !(same->host && machine->host && strcmp(same->host, machine->host) == 0))
		same++;
	if (same < machine) {
		snprintf(name, sizeof(name), "%s", same->file);
		free(same->member.name);
		same->member.name = alloc_text(name);
	}
	snprintf(name, sizeof(name), "%s", same == machine && machine->host ? machine->host : file);
	recording_member_open(&machine->member, name, recording, ++fleet->serials, plan);
	fleet->n_members++;
}

/* Has it given any? */
static bool has_sample(const struct member *member)
{
	size_t n_parts;
	const struct member_part *parts = member->kind->parts(member->state, &n_parts);

	for (size_t i = 0; i < n_parts; i++)
		if (parts[i].n_frames > 0)
			return true;
	return false;
}

static void report_of(const struct member *member, struct member_report *report)
{
	*report = (struct member_report){ .clock_offset_seconds = NAN };
	member->kind->report(member->state, report);
}

static void pull_members(struct fleet *fleet)
{
	uint64_t now_ns = clock_mono_ns(fleet->plan->reading.clock), expired;

	while (read(fleet->timer_fd, &expired, sizeof(expired)) > 0)
		;
	for (unsigned i = 0; i < fleet->n_members; i++) {
		struct machine *machine = &fleet->machines[i];

		if (machine->member.kind->pull)
			machine->has_come |= machine->member.kind->pull(machine->member.state, now_ns);
	}
}

bool fleet_wait(struct fleet *fleet)
{
	uint64_t begun_ns = clock_mono_ns(fleet->plan->reading.clock), first_ns = 0;
	struct epoll_event event;

	for (;;) {
		unsigned n_samples = 0, n_failed = 0;
		uint64_t now_ns;

		pull_members(fleet);
		now_ns = clock_mono_ns(fleet->plan->reading.clock);
		for (unsigned i = 0; i < fleet->n_members; i++) {
			struct member_report report;

			report_of(&fleet->machines[i].member, &report);
			n_samples += has_sample(&fleet->machines[i].member);
			n_failed += !has_sample(&fleet->machines[i].member) && report.failed;
		}
		if (n_samples > 0 && first_ns == 0)
			first_ns = now_ns;
		if (n_samples + n_failed == fleet->n_members || now_ns - begun_ns >= WAIT_ONE_NS ||
		    (first_ns > 0 && now_ns - first_ns >= WAIT_ALL_NS))
			return n_samples > 0;
		epoll_wait(fleet->epoll_fd, &event, 1, (int)(PULL_NS / 1000000));
	}
}

void fleet_report_failures(const struct fleet *fleet, void (*report)(const char *name, const char *why))
{
	for (unsigned i = 0; i < fleet->n_members; i++) {
		struct member_report of;

		report_of(&fleet->machines[i].member, &of);
		if (of.trouble)
			report(fleet->machines[i].member.name, of.trouble);
	}
}

static bool wants_hosts(const struct fleet *fleet)
{
	int index =
		schema_index(fleet->plan->reading.schemas, fleet->plan->reading.n_schemas, host_schema.name);

	return index >= 0 && fleet->wanted[index];
}

/* By the name in the request; the first, if that is none. */
static unsigned shown_member(const struct fleet *fleet)
{
	for (unsigned i = 0; i < fleet->n_members; i++)
		if (strcmp(fleet->machines[i].member.name, fleet->plan->request->host) == 0)
			return i;
	return 0;
}

/* A frame that is being made, and the member whose samples go into it. */
struct making {
	struct frame *frame;
	const char *host;
	bool together, wanted;
};

static void take_events(void *context, const struct frame *frame)
{
	struct making *making = context;

	for (unsigned i = 0; i < frame->n_tables && making->wanted && !making->together; i++) {
		const struct table *table = &frame->tables[i];

		if (table->present && table->schema->shape == SHAPE_EVENTS)
			table_append(making->frame, &making->frame->tables[i], table);
	}
	if (making->together)
		labelled_add(making->frame, frame, making->host, true);
}

/* Time of a member's clock at a moment. */
static uint64_t its_time(const struct member *member, uint64_t wall_ns)
{
	return wall_ns + (uint64_t)member_clock_offset_ns(member);
}

static double age_seconds(const struct member *member, const struct frame *of, uint64_t wall_ns)
{
	uint64_t now_ns = its_time(member, wall_ns);

	return now_ns > of->wall_ns ? (double)(now_ns - of->wall_ns) / 1e9 : 0;
}

static void forget_troubles(struct troubles *troubles, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(troubles->list[i].text);
	troubles->n -= n;
	if (troubles->n > 0)
		memmove(troubles->list, troubles->list + n, troubles->n * sizeof(*troubles->list));
}

static void keep_trouble(struct troubles *troubles, const char *text, uint64_t wall_ns)
{
	const char *before = troubles->n > 0 ? troubles->list[troubles->n - 1].text : NULL;

	if (text && before ? strcmp(text, before) == 0 : text == before)
		return;
	if (troubles->n == TROUBLES_MAX)
		forget_troubles(troubles, TROUBLES_MAX / 2);
	*VECTOR_ADD(troubles->list, troubles->n, troubles->capacity) =
		(struct trouble){ wall_ns, text ? alloc_text(text) : NULL };
}

/* Why nothing comes from it, now or as it was at the moment of the frame that is made; NULL: it comes. */
static const char *trouble_of(const struct fleet *fleet, unsigned index, uint64_t wall_ns)
{
	const struct troubles *troubles = &fleet->machines[index].troubles;
	size_t at = troubles->n;
	struct member_report report;

	if (!fleet->goes_on)
		return NULL;
	report_of(&fleet->machines[index].member, &report);
	if (fleet->next + 1 >= fleet->axis.n_moments) /* the last moment is now */
		return report.trouble;
	while (at > 0 && troubles->list[at - 1].since_ns > wall_ns)
		at--;
	return at > 0 ? troubles->list[at - 1].text : NULL;
}

static void add_row(const struct fleet *fleet, unsigned index, struct frame *frame, uint64_t wall_ns)
{
	const struct member *member = &fleet->machines[index].member;
	const struct frame *of = member_frame(member);
	struct host_state state = { .name = member->name, .age_seconds = NAN };
	struct member_report report;

	report_of(member, &report);
	state.clock_offset_seconds = report.clock_offset_seconds;
	state.trouble = trouble_of(fleet, index, wall_ns);
	if (of)
		state.age_seconds = age_seconds(member, of, wall_ns);
	host_add(frame, of, &state);
}

/* What it has that is new goes into the frame: 0 or -errno. */
static int go_to_moment(struct fleet *fleet, unsigned index, bool shown, uint64_t wall_ns,
			struct frame *frame)
{
	struct member *member = &fleet->machines[index].member;
	struct making making = { frame, member->name, fleet->plan->together, shown };
	int got = member_go_to(member, its_time(member, wall_ns), take_events, &making);
	const struct frame *of = member_frame(member);

	if (got < 0)
		return got;
	if (of && making.together && got > 0)
		labelled_add(frame, of, member->name, false);
	else if (of && shown && !making.together)
		frame_add(frame, of);
	if (shown) {
		frame->mono_ns = of ? of->mono_ns : 0;
		if (fleet->n_members > 1 && !making.together)
			frame->host = arena_copy(&frame->arena, member->name, strlen(member->name));
		frame->boot = UINT32_MAX - member->serial; /* there are no rates from one part to another */
	}
	return 0;
}

/* Of the shown machine all panes show it, and a screen says how old the sample is that stands there. */
static void note_trouble(const struct fleet *fleet, struct frame *frame, unsigned shown, uint64_t wall_ns)
{
	for (unsigned i = 0; i < fleet->n_members; i++) {
		const struct member *member = &fleet->machines[i].member;
		const struct frame *of = member_frame(member);
		const char *topic = i == shown ? "source" : host_schema.name;
		const char *trouble = trouble_of(fleet, i, wall_ns);
		char age[VALUE_TEXT_MAX];

		if (!trouble)
			continue;
		if (of && i == shown && !fleet->plan->request->batch)
			frame_notice(frame, topic, NULL, _("%s: this is %s old; %s"), member->name,
				     stretch_text(age, age_seconds(member, of, wall_ns)), trouble);
		else
			frame_notice(frame, topic, NULL, "%s: %s", member->name, trouble);
	}
}

/* All that a frame has but its own clock, which is of all machines. */
static int fill(struct fleet *fleet, struct frame *frame, uint64_t wall_ns)
{
	unsigned shown = shown_member(fleet);
	bool hosts = wants_hosts(fleet) || fleet->plan->together;
	struct table *table = frame_slot(frame, host_schema.name);

	for (unsigned i = 0; i < fleet->n_members; i++)
		member_want(&fleet->machines[i].member,
			    i == shown || fleet->plan->together ? fleet->wanted : fleet->parts);
	for (unsigned i = 0; i < fleet->n_members; i++) {
		int error = hosts || i == shown ? go_to_moment(fleet, i, i == shown, wall_ns, frame) : 0;

		if (error)
			return error;
	}
	table->n_rows = 0;
	table->present = hosts;
	table->failed = false;
	table->mono_ns = frame->mono_ns;
	for (unsigned i = 0; hosts && i < fleet->n_members; i++)
		add_row(fleet, i, frame, wall_ns);
	if (hosts)
		host_sort(frame);
	note_trouble(fleet, frame, shown, wall_ns);
	return 0;
}

static void want(void *state, const bool *topics)
{
	struct fleet *fleet = state;
	const struct member_plan *plan = &fleet->plan->reading;

	memcpy(fleet->wanted, topics, plan->n_schemas * sizeof(*topics));
	host_want(plan->schemas, plan->n_schemas, fleet->wanted);
	findings_want(plan->rules, plan->n_rules, plan->schemas, plan->n_schemas, false, fleet->wanted);
}

static int seek(void *state, size_t index)
{
	struct fleet *fleet = state;

	if (fleet->axis.n_moments == 0)
		return -ENODATA;
	fleet->next = index < fleet->axis.n_moments ? index : fleet->axis.n_moments - 1;
	return 0;
}

static size_t position(void *state)
{
	const struct fleet *fleet = state;

	return fleet->next > 0 ? fleet->next - 1 : 0;
}

static size_t find(void *state, uint64_t wall_ns)
{
	const struct fleet *fleet = state;

	return axis_find(&fleet->axis, wall_ns);
}

static bool extent(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct fleet *fleet = state;
	const struct axis *axis = &fleet->axis;

	*n_frames = axis->n_moments;
	*first_ns = axis->n_moments > 0 ? axis->moments[0] : 0;
	*last_ns = axis->n_moments > 0 ? axis->moments[axis->n_moments - 1] : 0;
	return !fleet->goes_on;
}

static int wait_fd(void *state)
{
	const struct fleet *fleet = state;

	return fleet->goes_on ? fleet->epoll_fd : -1;
}

/* Has each member that is expected to come given a sample since the last moment, or is it time? */
static bool is_moment(const struct fleet *fleet)
{
	double since = (double)(clock_mono_ns(fleet->plan->reading.clock) - fleet->moment_mono_ns) / 1e9;
	bool all = true, any = false;

	for (unsigned i = 0; i < fleet->n_members; i++) {
		struct member_report report;

		report_of(&fleet->machines[i].member, &report);
		any |= fleet->machines[i].has_come;
		all &= fleet->machines[i].has_come || report.trouble || report.ended;
	}
	if (!any && fleet->n_members == 1 && fleet->plan->request->batch) /* it would be printed again */
		return false;
	return (any && all) || since >= fmax(LATE_DELAYS * fleet->plan->record.delay_seconds, 0.2);
}

static void add_moment(struct fleet *fleet)
{
	size_t n_gone = axis_add(&fleet->axis, clock_wall_ns(fleet->plan->reading.clock));

	fleet->next = fleet->next > n_gone ? fleet->next - n_gone : 0;
	fleet->moment_mono_ns = clock_mono_ns(fleet->plan->reading.clock);
	for (unsigned i = 0; i < fleet->n_members; i++) {
		struct member_report report;

		report_of(&fleet->machines[i].member, &report);
		keep_trouble(&fleet->machines[i].troubles, report.trouble,
			     fleet->axis.moments[fleet->axis.n_moments - 1]);
		fleet->machines[i].has_come = false;
	}
}

static bool pull(void *state)
{
	struct fleet *fleet = state;

	pull_members(fleet);
	if (is_moment(fleet))
		add_moment(fleet);
	return true;
}

static int next(void *state, struct frame *frame)
{
	struct fleet *fleet = state;
	uint64_t wall_ns;
	int error;

	if (fleet->next >= fleet->axis.n_moments && fleet->goes_on)
		pull(fleet);
	if (fleet->next >= fleet->axis.n_moments)
		return fleet->goes_on ? -EAGAIN : 0;
	wall_ns = fleet->axis.moments[fleet->next];
	error = fill(fleet, frame, wall_ns);
	if (error)
		return error;
	frame->wall_ns = wall_ns;
	fleet->next++;
	return 1;
}

static void keep_back(void *state, uint64_t bytes)
{
	struct fleet *fleet = state;

	fleet->ssh.back_bytes = bytes / fleet->n_members;
	for (unsigned i = 0; i < fleet->n_members; i++) {
		const struct member *member = &fleet->machines[i].member;

		if (member->kind->keep_back)
			member->kind->keep_back(member->state, fleet->ssh.back_bytes);
	}
}

static struct member_part *first_part(const struct member *member)
{
	size_t n_parts;

	return member->kind->parts(member->state, &n_parts); // cppcheck-suppress returnDanglingLifetime
}

static const char *remark(void *state)
{
	const struct fleet *fleet = state;
	const char *found = NULL;

	for (unsigned i = 0; i < fleet->n_members && !fleet->goes_on && !found; i++) {
		struct member_part *part = first_part(&fleet->machines[i].member);

		found = part->source.remark ? part->source.remark(part->source.state) : NULL;
	}
	return found;
}

void fleet_close(struct fleet *fleet)
{
	for (unsigned i = 0; i < fleet->n_members; i++) {
		struct machine *machine = &fleet->machines[i];

		member_close(&machine->member);
		forget_troubles(&machine->troubles, machine->troubles.n);
		free(machine->troubles.list);
		free(machine->file);
		free(machine->host);
	}
	free(fleet->wanted);
	free(fleet->parts);
	axis_free(&fleet->axis);
	close(fleet->epoll_fd);
	close(fleet->timer_fd);
	free(fleet);
}

static void close_source(void *state)
{
	fleet_close(state);
}

/* The clocks of all samples of all members, which are files: 0 or -EINTR. */
static int make_axis(struct fleet *fleet)
{
	const struct member_plan *plan = &fleet->plan->reading;
	bool *none = alloc_zeroed(plan->n_schemas + 1, sizeof(*none));
	struct axis_sample *samples = NULL;
	size_t n_samples = 0, capacity = 0;
	struct frame frame;
	int got = 0;

	frame_open(&frame, plan->schemas, plan->n_schemas);
	for (unsigned i = 0; i < fleet->n_members && got >= 0; i++) {
		struct source *source = &first_part(&fleet->machines[i].member)->source;

		source_want(source, none);
		frame_clear(&frame);
		while ((got = source->next(source->state, &frame)) == 1) {
			*VECTOR_ADD(samples, n_samples, capacity) = (struct axis_sample){ frame.wall_ns, i };
			frame_clear(&frame);
		}
	}
	if (got >= 0)
		axis_make(&fleet->axis, samples, n_samples, fleet->n_members);
	frame_close(&frame);
	free(samples);
	free(none);
	return got < 0 ? got : 0;
}

int fleet_source(struct fleet *fleet, struct source *source)
{
	const struct itimerspec every = { .it_interval = clock_timespec(PULL_NS),
					  .it_value = clock_timespec(PULL_NS) };
	struct epoll_event event = { .events = EPOLLIN };

	*source = (struct source){
		.next = next,
		.judged = true,
		.want = want,
		.seek = seek,
		.position = position,
		.find = find,
		.extent = extent,
		.keep_back = keep_back,
		.wait_fd = wait_fd,
		.pull = pull,
		.remark = remark,
		.close = close_source,
		.state = fleet,
	};
	if (!fleet->goes_on)
		return make_axis(fleet);
	timerfd_settime(fleet->timer_fd, 0, &every, NULL);
	epoll_ctl(fleet->epoll_fd, EPOLL_CTL_ADD, fleet->timer_fd, &event);
	add_moment(fleet);
	return 0;
}
