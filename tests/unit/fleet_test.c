/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines as one source, and the row of each: of recordings, and through an ssh of the test. */
#include "suite.h"

#include <dirent.h>
#include <sys/epoll.h>

#include "core/bytes.h"
#include "fleet/fleet.h"
#include "fleet/member.h"
#include "fleet/ssh_member.h"
#include "model/host.h"
#include "recording/block.h"
#include "recording/past_file.h"
#include "recording/spool.h"
#include "recording/writer.h"
#include "sys/env.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define SECOND_NS UINT64_C(1000000000)
#define START_NS (UINT64_C(1732095000) * SECOND_NS)

/* A machine whose samples come each step, from this time on, with this load. */
struct machine_plan {
	const char *host;
	double begins, step;
	unsigned n_samples;
	double load;
	uint64_t counted; /* in each second */
	bool events;      /* each sample has one, with its number */
};

static void set(struct frame *frame, const char *topic, const char *column, double number)
{
	struct table *table = frame_slot(frame, topic);
	const struct column *to = schema_find(table->schema, column);

	ck_assert_ptr_nonnull(to);
	if (to->type == VALUE_U64)
		row_set_u64(table_row(table, 0), to, (uint64_t)number);
	else
		row_set_f64(table_row(table, 0), to, number);
}

static void add_row(struct frame *frame, const char *topic)
{
	struct table *table = frame_slot(frame, topic);

	table->present = true;
	table->mono_ns = frame->mono_ns;
	table_add(table);
}

static void fill_sample(struct frame *frame, const struct machine_plan *plan, unsigned i)
{
	double seconds = plan->begins + i * plan->step;

	frame_clear(frame);
	frame->wall_ns = START_NS + (uint64_t)(seconds * 1e9);
	frame->mono_ns = SECOND_NS + (uint64_t)(i * plan->step * 1e9);
	frame->host = plan->host;
	add_row(frame, "system");
	set(frame, "system", "load1", plan->load);
	set(frame, "system", "cpus", 2);
	set(frame, "system", "forks", (double)plan->counted * i * plan->step);
	if (plan->events) {
		add_row(frame, "sleep");
		set(frame, "sleep", "number", i);
	}
}

static void make_recording(const struct machine_plan *plan, struct source *source)
{
	struct past_file *past = past_file_open(1e6, PAST_BYTES, topic_schemas(), n_topics);
	struct frame frame;
	const char *why = NULL;
	int fd = spool_open();

	frame_open(&frame, topic_schemas(), n_topics);
	for (unsigned i = 0; i < plan->n_samples; i++) {
		fill_sample(&frame, plan, i);
		past_file_keep(past, &frame);
	}
	ck_assert_int_eq(past_file_save(past, fd), 0);
	past_file_close(past);
	frame_close(&frame);
	ck_assert_msg(open_replay(source, fd, UINT64_MAX, topic_schemas(), n_topics, &why) == 0, "%s", why);
}

/* Machines as one source, and the moment that was read last. */
static struct {
	struct sample_request request;
	struct fleet_plan plan;
	struct fleet *fleet;
	struct labelled *labelled;
	struct source source;
	struct frame frame;
} rig;

static void open_rig(bool together)
{
	memset(&rig, 0, sizeof(rig));
	rig.plan = (struct fleet_plan){
		.reading = { .schemas = topic_schemas(),
			     .n_schemas = n_topics,
			     .rules = finding_rules,
			     .n_rules = n_finding_rules,
			     .clock = &real_clock },
		.request = &rig.request,
		.together = together,
	};
	rig.fleet = fleet_open(&rig.plan);
	rig.labelled = labelled_open(topic_schemas(), n_topics);
	frame_open(&rig.frame, together ? labelled_schemas(rig.labelled) : topic_schemas(), n_topics);
}

static void record(const struct machine_plan *plan, const char *file)
{
	struct source source;

	make_recording(plan, &source);
	fleet_add_recording(rig.fleet, &source, file);
}

static void begin(void)
{
	ck_assert_int_eq(fleet_source(rig.fleet, &rig.source), 0);
	ck_assert_uint_eq(rig.source.position(rig.source.state), 0);
}

static bool next(void)
{
	int got;

	frame_clear(&rig.frame);
	got = rig.source.next(rig.source.state, &rig.frame);
	ck_assert_int_ge(got, 0);
	return got == 1;
}

static bool next_at(size_t index)
{
	ck_assert_int_eq(rig.source.seek(rig.source.state, index), 0);
	return next();
}

static void close_rig(void)
{
	rig.source.close(rig.source.state);
	frame_close(&rig.frame);
	labelled_close(rig.labelled);
}

/* "1 0.25": of a machine, its load and its age. */
static const char *host(const char *name)
{
	return textf("%g %g", frame_number(&rig.frame, "host", name, "load1"),
		     round(frame_number(&rig.frame, "host", name, "age_seconds") * 1e5) / 1e5);
}

/* Forks in a second of the shown machine. */
static double forks(void)
{
	return round(frame_number(&rig.frame, "system", NULL, "forks_per_second") * 1e5) / 1e5;
}

static const struct machine_plan one = { "one", 0, 1, 10, 1, 5 }, other = { "other", 0.25, 1, 10, 2, 7 };

static void begin_with(const struct machine_plan *first, const struct machine_plan *second)
{
	open_rig(false);
	record(first, "a");
	record(second, "b");
	begin();
}

START_TEST(each_moment_has_a_row_for_each_machine)
{
	unsigned n_moments;

	begin_with(&one, &other);
	for (n_moments = 0; next(); n_moments++) {
		ck_assert_uint_eq(frame_table(&rig.frame, "host")->n_rows, 2);
		ck_assert_str_eq(host("one"), "1 0.25");
		ck_assert_str_eq(host("other"), "2 0");
		ck_assert(isnan(frame_number(&rig.frame, "host", "one", "clock_offset_seconds")));
	}
	ck_assert_uint_eq(n_moments, 10);
	close_rig();
}

START_TEST(the_request_says_whose_tables_are_shown)
{
	static const struct {
		const char *asked, *shown;
		double forks;
	} cases[] = {
		{ "", "one", NAN }, { "", "one", 5 }, { "other", "other", 7 }, { "nobody", "one", 5 },
	};
	unsigned boot = 0;

	begin_with(&one, &other);
	for (unsigned i = 0; i < 4; i++) {
		strcpy(rig.request.host, cases[i].asked);
		ck_assert(next());
		ck_assert_str_eq(rig.frame.host, cases[i].shown);
		ck_assert(isnan(cases[i].forks) || forks() == cases[i].forks);
		ck_assert_uint_gt(rig.frame.boot, 0); /* its clock is not that of this machine */
		ck_assert(i != 2 || rig.frame.boot != boot);
		boot = rig.frame.boot;
	}
	close_rig();
}

START_TEST(before_its_first_sample_a_machine_is_unknown_and_behind_its_last_it_ages)
{
	const struct machine_plan late = { "late", 5, 1, 3, 3, 0 };

	begin_with(&one, &late);
	ck_assert(next());
	ck_assert(isnan(frame_number(&rig.frame, "host", "late", "load1")));
	ck_assert(isnan(frame_number(&rig.frame, "host", "late", "age_seconds")));
	ck_assert(next_at(9));
	ck_assert_str_eq(host("late"), "3 2");
	close_rig();
}

/* Of a machine without a name, too. */
START_TEST(recordings_of_one_machine_have_the_names_of_their_files)
{
	const struct machine_plan nameless = { NULL, 0, 1, 3, 1, 0 }, empty = { "", 0, 1, 3, 2, 0 };

	open_rig(false);
	record(&one, "before.recording");
	record(&other, "c.recording");
	record(&one, "after.recording");
	record(&nameless, "nameless.recording");
	record(&empty, "empty.recording");
	begin();
	ck_assert(next());
	ck_assert_str_eq(host("before.recording"), "1 0.25");
	ck_assert_str_eq(host("after.recording"), "1 0.25");
	ck_assert_str_eq(host("other"), "2 0");
	ck_assert_str_eq(host("nameless.recording"), "1 0.25");
	ck_assert_str_eq(host("empty.recording"), "2 0.25");
	close_rig();
	open_rig(false);
	record(&nameless, "a.recording");
	begin();
	ck_assert(next());
	ck_assert_ptr_null(rig.frame.host);
	ck_assert_str_eq(host("a.recording"), "1 0");
	close_rig();
}

/* A moment is the same whatever was read before. */
START_TEST(a_fleet_of_files_is_known_as_a_whole)
{
	static const size_t indexes[] = { 10, 8, 5, 9, 0 }; /* behind the last one is the last one */
	uint64_t first_ns, last_ns;
	size_t n_frames;

	begin_with(&one, &other);
	ck_assert(rig.source.judged);
	ck_assert(rig.source.extent(rig.source.state, &n_frames, &first_ns, &last_ns));
	ck_assert_uint_eq(n_frames, 10);
	ck_assert_uint_eq(first_ns, START_NS + SECOND_NS / 4);
	ck_assert_uint_eq(last_ns, first_ns + 9 * SECOND_NS);
	ck_assert_int_eq(rig.source.wait_fd(rig.source.state), -1);
	ck_assert_ptr_null(rig.source.remark(rig.source.state));
	for (unsigned i = 0; i < 5; i++) {
		size_t index = indexes[i] < 10 ? indexes[i] : 9;

		ck_assert(next_at(indexes[i]));
		ck_assert_uint_eq(rig.source.position(rig.source.state), index);
		ck_assert_uint_eq(rig.source.find(rig.source.state, rig.frame.wall_ns), index);
		ck_assert_uint_eq(rig.frame.wall_ns, first_ns + index * SECOND_NS);
		ck_assert(index == 0 || forks() == 5);
		ck_assert(index < 9 || !next());
	}
	close_rig();
}

/* "1 2 3": numbers of the events of the frame, with the machine behind them where each row has one. */
static const char *events_of(bool together)
{
	const struct table *table = frame_table(&rig.frame, "sleep");
	static char text[256];
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%g%s", i > 0 ? " " : "",
					   table_number(table, row, "number"),
					   together ? table_text(table, row, "host") : "");
		ck_assert_uint_lt(length, sizeof(text));
	}
	return text;
}

/* Also those of the samples that are passed on the way. */
START_TEST(events_of_the_shown_machine_come_once)
{
	struct machine_plan first = one, second = other;

	first.events = second.events = true;
	for (unsigned together = 0; together < 2; together++) {
		open_rig(together);
		record(&first, "a");
		record(&second, "b");
		begin();
		ck_assert(next());
		ck_assert_str_eq(events_of(together), together ? "0one 0other" : "0");
		ck_assert(next());
		ck_assert_str_eq(events_of(together), together ? "1one 1other" : "1");
		ck_assert(next_at(4));
		ck_assert_str_eq(events_of(together),
				 together ? "2one 3one 4one 2other 3other 4other" : "2 3 4");
		close_rig();
	}
}

/* A member whose parts are given. */
struct given {
	struct member_part parts[3];
	size_t n_parts;
	double clock_offset_seconds;
};

static struct member_part *given_parts(void *state, size_t *n_parts)
{
	struct given *given = state;

	*n_parts = given->n_parts;
	return given->parts;
}

static void report_given(void *state, struct member_report *report)
{
	const struct given *given = state;

	report->clock_offset_seconds = given->clock_offset_seconds;
}

static void close_given(void *state)
{
	struct given *given = state;

	for (size_t i = 0; i < given->n_parts; i++)
		given->parts[i].source.close(given->parts[i].source.state);
}

static const struct member_kind given_kind = {
	.parts = given_parts,
	.report = report_given,
	.close = close_given,
};

static void add_part(struct given *given, const struct machine_plan *plan, unsigned serial)
{
	struct member_part *part = &given->parts[given->n_parts++];

	make_recording(plan, &part->source);
	part->serial = serial;
	part->n_frames = source_extent(&part->source, &part->first_ns, &part->last_ns);
	ck_assert_uint_eq(part->n_frames, plan->n_samples);
}

static struct member_plan reading_plan(void)
{
	return (struct member_plan){
		.schemas = topic_schemas(), .n_schemas = n_topics, .clock = &real_clock
	};
}

static double seconds_of(const struct frame *frame)
{
	return (double)(int64_t)(frame->wall_ns - START_NS) / 1e9;
}

static void note_taken(void *context, const struct frame *frame)
{
	size_t length = strlen(context);

	ck_assert_uint_lt(length, 400);
	snprintf((char *)context + length, 32, "%s%g", length ? " " : "", seconds_of(frame));
}

/*
 * The way of a member to a time: "1: 3 4" it has another frame, that of 4 s, and was given this one and
 * another on the way. Then it shows the sample of this time, or none, with this rate of forks.
 */
struct way {
	double seconds;
	const char *taken;
	double shown, rate;
	unsigned serial;   /* 0: whatever it is */
};

static void check_way(struct member *member, double seconds, const char *expected, double shown)
{
	char taken[512] = "";
	int got = member_go_to(member, START_NS + (uint64_t)(int64_t)(seconds * 1e9), note_taken, taken);
	const char *text = textf("%d: %s", got, taken);

	ck_assert_msg(strcmp(text, expected) == 0, "to %g: '%s', not '%s'", seconds, text, expected);
	ck_assert_int_eq(member_frame(member) == NULL, isnan(shown));
	ck_assert(isnan(shown) || seconds_of(member_frame(member)) == shown);
}

static void check_ways(struct member *member, const struct way *ways, size_t n)
{
	static bool wanted[1024];

	memset(wanted, true, sizeof(wanted));
	member_want(member, wanted);
	for (size_t i = 0; i < n; i++) {
		check_way(member, ways[i].seconds, ways[i].taken, ways[i].shown);
		ck_assert(ways[i].serial == 0 || member->serial == ways[i].serial);
		if (!isnan(ways[i].rate))
			ck_assert_double_eq_tol(frame_number(member_frame(member), "system", NULL,
							     "forks_per_second"), ways[i].rate, 1e-6);
	}
}

START_TEST(a_member_goes_from_part_to_part)
{
	const struct machine_plan first = { "one", 0, 1, 4, 1, 5 }, second = { "one", 10, 1, 4, 1, 7 },
				  third = { "one", 20, 1, 2, 1, 9 };
	static const struct way ways[] = {
		{ -1, "0: ", NAN, NAN },
		{ 0, "1: 0", 0, NAN },
		{ .5, "0: ", 0, NAN },
		{ 2, "1: 1 2", 2, 5 },
		{ 9.9, "1: 3", 3, 5 },
		{ 2, "1: 2", 2, 5 },
		{ 10, "1: 3 10", 10, NAN, .serial = 8 }, /* the end of the part before it, too */
		{ 11, "1: 11", 11, 7 },
		{ 1, "1: 1", 1, 5, .serial = 7 }, /* back */
		{ 21, "1: 21", 21, 9 },           /* two parts on */
		{ 12, "1: 12", 12, 7 },
	};
	const struct member_plan plan = reading_plan();
	struct given given = { .clock_offset_seconds = NAN };
	struct member member;

	add_part(&given, &first, 7);
	add_part(&given, &second, 8);
	add_part(&given, &third, 9);
	member_open(&member, "one", &given_kind, &given, &plan);
	check_ways(&member, ways, sizeof(ways) / sizeof(ways[0]));
	given.parts[2].n_frames = 0; /* nothing of it is known yet */
	check_way(&member, 21, "1: 13", 13);
	given.parts[2].n_frames = 1;
	check_way(&member, 20, "1: 20", 20);
	ck_assert_int_eq(member_clock_offset_ns(&member), 0);
	given.clock_offset_seconds = -2.5;
	ck_assert_int_eq(member_clock_offset_ns(&member), -2500000000);
	member_close(&member);
}

/* A connection through a script that is called ssh. */
static struct {
	char directory[SCRATCH_PATH_MAX];
	struct ssh_record record;
	struct ssh_plan ssh;
	struct member_plan reading;
	struct member member;
	unsigned serials;
	uint64_t now_ns; /* the time that the member is told */
	bool any;
	int epoll_fd;
} peer;

static void put_file(const char *directory, const char *name, const void *bytes, size_t length, mode_t mode)
{
	const char *path = textf("%s/%s", directory, name);
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
	close(fd);
}

/* What it does in the shell when it is started, in its directory. */
static void let_ssh(const char *directory, const char *commands)
{
	put_file(directory, "act", commands, strlen(commands), 0644);
}

static void make_ssh(char directory[SCRATCH_PATH_MAX])
{
	static const char script[] = "#!/bin/sh\nfor word; do case $word in web*) host=$word ;; esac; done\n"
				     "cd \"${0%/*}\" && . ./act\n";

	scratch_directory(directory, "ssh");
	put_file(directory, "ssh", script, sizeof(script) - 1, 0755);
	setenv("PATH", textf("%s:%s", directory, getenv("PATH")), 1);
}

static void open_peer(void)
{
	memset(&peer, 0, sizeof(peer));
	peer.record.delay_seconds = 1;
	peer.now_ns = real_mono_ns();
	peer.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	make_ssh(peer.directory);
	peer.reading = reading_plan();
	peer.ssh = (struct ssh_plan){ .record = &peer.record,
				      .variables = environ,
				      .epoll_fd = peer.epoll_fd,
				      .serials = &peer.serials };
	ssh_member_open(&peer.member, "web1", &peer.ssh, &peer.reading);
}

static bool has_child(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void close_peer(void)
{
	member_close(&peer.member);
	ck_assert(!has_child());
	close(peer.epoll_fd);
}

static struct member_report report_of(void)
{
	struct member_report report = { 0 };

	peer.member.kind->report(peer.member.state, &report);
	ck_assert(!report.ended);
	return report;
}

/* In trouble whose text begins so, or in none if NULL; does the last attempt count as failed? */
static void check_trouble(const char *trouble, bool failed)
{
	const struct member_report report = report_of();

	ck_assert_msg(trouble ? report.trouble && strncmp(report.trouble, trouble, strlen(trouble)) == 0
			      : !report.trouble,
		      "'%s', not '%s'", report.trouble ? report.trouble : "", trouble ? trouble : "");
	ck_assert_int_eq(report.failed, failed);
}

static const struct member_part *parts_of(size_t *n_parts)
{
	return peer.member.kind->parts(peer.member.state, n_parts);
}

static void pull(void)
{
	peer.any = peer.member.kind->pull(peer.member.state, peer.now_ns);
}

/* Nothing is started before this time, and then something is. */
static void check_start_in(uint64_t ns)
{
	let_ssh(peer.directory, "exec /bin/sleep 300");
	peer.now_ns += ns - 1;
	pull();
	ck_assert(!has_child());
	peer.now_ns++;
	pull();
	ck_assert(has_child());
}

static void wait_a_little(int epoll_fd)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, 1);
	usleep(200);
}

/* While its clock stands still, until its trouble has this in it; NULL: until there is none. */
static void pull_to_trouble(const char *trouble)
{
	const char *has = NULL;

	for (unsigned i = 0; i < 20000; i++) {
		pull();
		has = report_of().trouble;
		if (has && trouble ? strstr(has, trouble) != NULL : has == trouble)
			return;
		wait_a_little(peer.epoll_fd);
	}
	ck_abort_msg("'%s', not '%s'", has ? has : "", trouble ? trouble : "");
}

/* Until the newest of so many parts has so many samples. */
static void pull_to_samples(size_t n_parts, size_t n_frames)
{
	for (unsigned i = 0; i < 20000; i++) {
		size_t n;
		const struct member_part *parts;

		pull();
		parts = parts_of(&n);
		if (n == n_parts && parts[n - 1].n_frames == n_frames)
			return;
		wait_a_little(peer.epoll_fd);
	}
	ck_abort_msg("not %zu parts of which the last has %zu samples", n_parts, n_frames);
}

/* What was started has ended, and was waited for. */
static void pull_to_rest(void)
{
	for (unsigned i = 0; i < 20000 && has_child(); i++) {
		pull();
		wait_a_little(peer.epoll_fd);
	}
	ck_assert(!has_child());
}

/* The file "recording": so many samples a second apart, of which the first is that much before now. */
static size_t put_recording(const char *directory, unsigned n_samples, double ago)
{
	static const struct machine_plan plan = { "web1", 0, 1, 100, 3, 5 };
	struct recording_writer *writer = NULL;
	struct buffer bytes = { 0 };
	uint64_t now_ns = clock_wall_ns(&real_clock);
	struct frame frame;
	size_t length;

	frame_open(&frame, topic_schemas(), n_topics);
	for (unsigned i = 0; i < n_samples; i++) {
		fill_sample(&frame, &plan, i);
		frame.wall_ns = now_ns - (uint64_t)(int64_t)((ago - i) * 1e9);
		if (!writer)
			writer = recording_writer_open(&frame, true);
		recording_writer_add(writer, &frame, &bytes);
	}
	recording_writer_close(writer);
	frame_close(&frame);
	put_file(directory, "recording", bytes.bytes, bytes.length, 0644);
	length = bytes.length;
	buffer_free(&bytes);
	return length;
}

START_TEST(an_ended_connection_is_tried_again_ever_later)
{
	static const unsigned seconds[] = { 1, 2, 4, 8, 16, 30, 30 };
	unsigned n_before = n_descriptors();

	open_peer();
	for (unsigned i = 0; i < 7; i++) {
		let_ssh(peer.directory, textf("echo first >&2; echo refused %u >&2; exit 255", i));
		ck_assert_int_eq(report_of().failed, i > 0);
		pull_to_trouble(textf("no connection: refused %u", i));
		ck_assert(!has_child() && report_of().failed);
		let_ssh(peer.directory, "exec sleep 300"); /* it is not started yet */
		peer.now_ns += seconds[i] * SECOND_NS - 1;
		pull();
		ck_assert(!has_child());
		peer.now_ns++;
	}
	put_recording(peer.directory, 1, 0);
	let_ssh(peer.directory, "cat recording; exit 0");
	pull_to_samples(1, 1); /* it counts anew */
	pull_to_trouble("the connection has ended");
	ck_assert(!has_child() && report_of().failed);
	check_start_in(SECOND_NS);
	close_peer();
	ck_assert_uint_eq(n_descriptors(), n_before);
}

START_TEST(samples_of_the_last_connections_stay)
{
	unsigned n_before = n_descriptors();

	open_peer();
	for (unsigned i = 1; i <= 6; i++) {
		const struct member_part *parts;
		size_t n_parts;

		put_recording(peer.directory, i, 0);
		let_ssh(peer.directory, "cat recording");
		pull_to_samples(i < 4 ? i : 4, i);
		parts = parts_of(&n_parts);
		for (unsigned k = 0; k < n_parts; k++) {
			ck_assert_uint_eq(parts[k].serial, i - n_parts + 1 + k);
			ck_assert_uint_eq(parts[k].n_frames, parts[k].serial);
		}
		pull_to_rest();
		peer.now_ns += SECOND_NS;
	}
	close_peer();
	ck_assert_uint_eq(n_descriptors(), n_before);
}

/* It is asked to end, and killed two seconds later. */
START_TEST(a_connection_that_does_not_answer_is_ended)
{
	open_peer();
	let_ssh(peer.directory, "trap '' TERM; : >begun; sleep 300; exit 0");
	pull();
	peer.now_ns += 20 * SECOND_NS - 1;
	pull();
	check_trouble("connecting", false);
	for (unsigned i = 0; i < 20000 && access(textf("%s/begun", peer.directory), F_OK) < 0; i++)
		wait_a_little(peer.epoll_fd);
	peer.now_ns++;
	pull();
	check_trouble("no answer for 20 s", false);
	peer.now_ns += 2 * SECOND_NS - 1;
	for (unsigned i = 0; i < 10; i++) {
		pull();
		usleep(1000);
	}
	ck_assert(has_child());
	peer.now_ns++;
	pull_to_rest();
	check_trouble("no answer for 20 s", true); /* whatever its status is */
	close_peer();
}

/* The files "newer", a header of the next version, and "odd", whose description has no columns. */
static void put_strange_recordings(const char *directory)
{
	struct block_header header = { .kind = BLOCK_DESCRIPTION };
	struct block_builder builder;
	struct buffer bytes = { 0 }, raw = { 0 };

	recording_header_add(&bytes);
	buffer_text(&raw, "nothing");
	block_builder_open(&builder);
	block_add_section(&builder, SECTION_ORIGIN, &raw);
	block_finish(&builder, &header, NULL, &bytes);
	block_builder_close(&builder);
	put_file(directory, "odd", bytes.bytes, bytes.length, 0644);
	bytes.bytes[8]++;
	store_number(bytes.bytes + 12, block_sum(bytes.bytes, 12), 4);
	put_file(directory, "newer", bytes.bytes, RECORDING_HEADER_BYTES, 0644);
	buffer_free(&bytes);
	buffer_free(&raw);
}

START_TEST(what_comes_need_not_be_a_recording)
{
	static const struct {
		const char *act, *trouble;
	} cases[] = {
		{ "head -c 70000 /dev/zero; exec sleep 300", "what comes from there is no recording" },
		{ "head -c 65536 /dev/zero; echo gone >&2; exit 3", "panetop ended there: gone" },
		{ "head -c 8 recording; printf '\\377\\0\\0\\0\\0\\0\\0\\0'; exec sleep 300",
		  "the recording that comes from there is damaged" },
		{ "head -c 100 recording; exit 127", "panetop is not installed there" },
		{ "head -c $cut recording; exit 0", "the recording ends in the middle of a block" },
		{ "cat recording; head -c 2000000 /dev/urandom; exec sleep 300",
		  "what follows is not a recording; replay stops there" },
		{ "cat recording; exit 4", "the connection has ended" },
		{ "cat newer; exec sleep 300", "panetop there is newer" },
		{ "cat odd; exec sleep 300", "the description of its columns is damaged" },
		{ "kill -9 $$", "ssh was ended by signal 9" },
		{ "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 255", "no connection: xxxx" },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		unsigned n_before = n_descriptors();

		open_peer();
		let_ssh(peer.directory,
			textf("cut=%zu; %s", put_recording(peer.directory, 2, 0) - 1, cases[c].act));
		put_strange_recordings(peer.directory);
		pull_to_trouble(cases[c].trouble);
		if (strstr(cases[c].trouble, "xxxx")) /* the end of what it said */
			ck_assert_uint_eq(strlen(report_of().trouble), strlen("no connection: ") + 4096);
		pull_to_rest();
		check_trouble(cases[c].trouble, true);
		close_peer();
		ck_assert_uint_eq(n_descriptors(), n_before);
	}
}

START_TEST(ssh_need_not_be_there)
{
	open_peer();
	setenv("PATH", "/nowhere", 1);
	pull();
	check_trouble("ssh is not installed here", true);
	ck_assert(!has_child());
	setenv("PATH", peer.directory, 1);
	check_start_in(SECOND_NS);
	close_peer();
}

/* Another machine: what is sent comes through a pipe that its ssh reads. */
struct far {
	struct machine_plan plan;
	struct recording_writer *writer;
	struct frame frame;
	unsigned n_sent;
	int fd;
};

static void open_far(struct far *far, const char *directory, const struct machine_plan *plan)
{
	char path[SCRATCH_PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", directory, plan->host);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	*far = (struct far){ .plan = *plan, .fd = open(path, O_RDWR | O_CLOEXEC) };
	frame_open(&far->frame, topic_schemas(), n_topics);
}

/* A sample of now, by its clock, which is so much ahead. */
static void send_sample(struct far *far, double ahead)
{
	struct buffer bytes = { 0 };

	fill_sample(&far->frame, &far->plan, far->n_sent++);
	far->frame.wall_ns = clock_wall_ns(&real_clock) + (uint64_t)(int64_t)(ahead * 1e9);
	if (!far->writer)
		far->writer = recording_writer_open(&far->frame, true);
	recording_writer_add(far->writer, &far->frame, &bytes);
	ck_assert_int_eq(write(far->fd, bytes.bytes, bytes.length), (ssize_t)bytes.length);
	buffer_free(&bytes);
}

static void close_far(struct far *far)
{
	recording_writer_close(far->writer);
	frame_close(&far->frame);
	if (far->fd >= 0)
		close(far->fd);
}

/* Samples are never late: moments come when all machines have given one. */
static void open_far_rig(char directory[SCRATCH_PATH_MAX], const char *act)
{
	make_ssh(directory);
	let_ssh(directory, act);
	open_rig(false);
	rig.plan.record.delay_seconds = 1e6;
	rig.plan.variables = environ;
	fleet_add_ssh(rig.fleet, "web1");
	fleet_add_ssh(rig.fleet, "web2");
}

static void next_moment(void)
{
	int got = -EAGAIN;

	for (unsigned i = 0; i < 20000 && got == -EAGAIN; i++) {
		frame_clear(&rig.frame);
		got = rig.source.next(rig.source.state, &rig.frame);
		if (got == -EAGAIN)
			wait_a_little(rig.source.wait_fd(rig.source.state));
	}
	ck_assert_int_eq(got, 1);
}

static char failures[256];

static void note_failure(const char *name, const char *why)
{
	size_t length = strlen(failures);

	snprintf(failures + length, sizeof(failures) - length, "%s: %s\n", name, why);
}

/* The machines that come first are waited for no longer than five seconds, and this machine may be busy. */
static bool wait_for_all(void)
{
	bool good = false;

	for (unsigned i = 0; i < 20; i++) {
		good = fleet_wait(rig.fleet);
		*failures = '\0';
		fleet_report_failures(rig.fleet, note_failure);
		if (!strstr(failures, ": connecting"))
			break;
	}
	return good;
}

/* "web1 3 4 0": who is shown, the loads of both, the number of notices, and the trouble of the first. */
static const char *moment(void)
{
	const char *trouble = cell_text(&rig.frame, "host", "web1", "finding");

	return textf("%s %g %g %u%s%s", rig.frame.host, frame_number(&rig.frame, "host", "web1", "load1"),
		     frame_number(&rig.frame, "host", "web2", "load1"), rig.frame.n_notices,
		     trouble ? ": " : "", trouble ? trouble : "");
}

static void show_moment(size_t index)
{
	ck_assert_int_eq(rig.source.seek(rig.source.state, index), 0);
	next_moment();
}

#define GONE "panetop ended there: gone"

/* They come when each machine has given a sample; the newest one says which is gone, others what was then. */
START_TEST(moments_of_machines_that_send_and_go)
{
	static const struct {
		const char *shown;
		bool batch;
		const char *topic, *notice;
	} cases[] = {
		{ "web1", false, "source", "web1: this is " },
		{ "web1", true, "source", "web1: " GONE },
		{ "web2", false, "host", "web1: " GONE },
		{ "web2", true, "host", "web1: " GONE },
	};
	const struct machine_plan plans[] = { { "web1", 0, 1, 0, 3, 5 }, { "web2", 0, 1, 0, 4, 7 } };
	char directory[SCRATCH_PATH_MAX];
	struct far far[2];
	uint64_t first_ns, last_ns, begun_ns = clock_wall_ns(&real_clock);
	size_t n_frames;

	open_far_rig(directory, "cat $host; echo gone >&2; exit 2");
	for (unsigned i = 0; i < 2; i++) {
		open_far(&far[i], directory, &plans[i]);
		send_sample(&far[i], i * 50.);
	}
	ck_assert(wait_for_all());
	begin();
	ck_assert_int_ge(rig.source.wait_fd(rig.source.state), 0);
	ck_assert(!rig.source.extent(rig.source.state, &n_frames, &first_ns, &last_ns));
	ck_assert(n_frames == 1 && first_ns == last_ns);
	ck_assert(first_ns >= begun_ns && first_ns <= clock_wall_ns(&real_clock));
	next_moment();
	ck_assert_str_eq(moment(), "web1 3 4 0");
	ck_assert(rig.frame.mono_ns == SECOND_NS && rig.frame.wall_ns == first_ns);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_double_eq_tol(cell_f64(&rig.frame, "host", plans[i].host, "clock_offset_seconds"),
					50 * i, 25);
		ck_assert_double_eq_tol(cell_f64(&rig.frame, "host", plans[i].host, "age_seconds"), 0, 25);
	}
	send_sample(&far[0], 0);
	for (unsigned i = 0; i < 20; i++) {
		frame_clear(&rig.frame);
		ck_assert_int_eq(rig.source.next(rig.source.state, &rig.frame), -EAGAIN);
		ck_assert(rig.source.pull(rig.source.state));
		wait_a_little(rig.source.wait_fd(rig.source.state));
	}
	send_sample(&far[1], 50);
	next_moment();
	ck_assert(rig.frame.mono_ns == 2 * SECOND_NS && rig.source.position(rig.source.state) == 1);
	ck_assert_double_eq(forks(), 5);
	rig.source.extent(rig.source.state, &n_frames, &first_ns, &last_ns);
	ck_assert(n_frames == 2 && last_ns == rig.frame.wall_ns && last_ns > first_ns);
	close(far[0].fd);
	far[0].fd = -1;
	let_ssh(directory, "echo gone >&2; exit 2");
	*failures = '\0';
	for (unsigned i = 0; i < 20000 && !*failures; i++) {
		rig.source.pull(rig.source.state);
		fleet_report_failures(rig.fleet, note_failure);
		wait_a_little(rig.source.wait_fd(rig.source.state));
	}
	ck_assert_str_eq(failures, "web1: " GONE "\n");
	send_sample(&far[1], 50);
	next_moment();
	for (unsigned c = 0; c < 4; c++) {
		strcpy(rig.request.host, cases[c].shown);
		rig.request.batch = cases[c].batch;
		show_moment(2);
		ck_assert_str_eq(moment(), textf("%s 3 4 1: " GONE, cases[c].shown));
		ck_assert_str_eq(rig.frame.notices[0].topic, cases[c].topic);
		ck_assert_int_eq(strncmp(rig.frame.notices[0].text, cases[c].notice, strlen(cases[c].notice)),
				 0);
		ck_assert_ptr_nonnull(strstr(rig.frame.notices[0].text, GONE));
		show_moment(0); /* then nothing was wrong */
		ck_assert_str_eq(moment(), textf("%s 3 4 0", cases[c].shown));
	}
	for (unsigned i = 0; i < 2; i++)
		close_far(&far[i]);
	close_rig();
	ck_assert(!has_child());
}

START_TEST(a_fleet_waits_for_all_that_do_not_fail)
{
	static const struct {
		const char *act, *failures;
		bool good;
	} cases[] = {
		{ "echo no >&2; exit 255", "web1: no connection: no\nweb2: no connection: no\n", false },
		{ "[ $host = web2 ] && echo no >&2 && exit 255; cat recording; exec sleep 300",
		  "web2: no connection: no\n", true },
		{ "cat recording; exec sleep 300", "", true },
	};
	char directory[SCRATCH_PATH_MAX];

	for (unsigned c = 0; c < 3; c++) {
		open_far_rig(directory, cases[c].act);
		put_recording(directory, 1, 0);
		ck_assert_int_eq(wait_for_all(), cases[c].good);
		ck_assert_str_eq(failures, cases[c].failures);
		fleet_close(rig.fleet);
		frame_close(&rig.frame);
		labelled_close(rig.labelled);
	}
}
