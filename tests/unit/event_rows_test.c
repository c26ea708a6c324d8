/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the rows of events, over events that the test gives in the place of their sources. */
#include "rig.h"

#include "core/unknown.h"
#include "topic/event/event_reader.h"

#define TEXTS "\0make\0/usr/bin/make -j4 all\0bash\0cc1\0../x/cc1 a/b\0old\0bin/sh -c x/y\0"
enum { MAKE = 1, MAKE_ALL = 6, BASH = 28, CC1 = 33, CC1_ALL = 37, SH_ALL = 54 };

#define NO_USER .real_uid = UINT32_MAX, .effective_uid = UINT32_MAX
#define NO_TERMINAL .terminal = -1
#define GOES_ON .exit_code = UINT32_MAX, .duration_ns = U64_UNKNOWN

static const struct event events[] = {
	{ .kind = EVENT_EXIT, .number = 7, .wall_ns = 1000, .pid = 42, .tid = 43, .parent_pid = 1,
	  .real_uid = 1000, .effective_uid = 33, .exit_code = 3 << 8, .terminal = 136 << 8 | 5,
	  .duration_ns = 1500000000, .named = true, .comm = MAKE, .command = MAKE_ALL, .program_length = 13,
	  .parent = BASH },
	{ .kind = EVENT_EXIT, .number = 8, .wall_ns = 1001, .pid = 44, .tid = 44, NO_USER, NO_TERMINAL,
	  .exit_code = SIGKILL, .duration_ns = U64_UNKNOWN, .named = true, .comm = CC1, .command = CC1_ALL,
	  .program_length = 8, .parent = BASH },
	{ .kind = EVENT_FORK, .number = 9, .wall_ns = 1002, .pid = 45, .tid = 45, .parent_pid = 42, NO_USER,
	  NO_TERMINAL, GOES_ON, .named = true, .comm = MAKE, .command = MAKE_ALL, .program_length = 13 },
	{ .kind = EVENT_FORK, .number = 10, .wall_ns = 1003, .pid = 46, .tid = 46, .parent_pid = 42, NO_USER,
	  NO_TERMINAL, GOES_ON },
	{ .kind = EVENT_EXEC, .number = 11, .wall_ns = 1004, .pid = 46, .tid = 46, .parent_pid = 42, NO_USER,
	  NO_TERMINAL, GOES_ON, .named = true, .comm = MAKE, .command = SH_ALL, .program_length = 6,
	  .parent = MAKE },
};

static struct rig rig;
static struct event_handed *handed; /* of the reader, which has no sources */
static const struct frame *frame;   /* the last one */

static void open_topic(const char *topic)
{
	const char *const names[] = { topic, NULL };

	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	handed = reader_state(&process_event_reader, &rig.env);
	ck_assert_int_eq(handed->error, -ENOTSUP);
	handed->error = 0;
	handed->sources = (struct event_sources){ 0 };
}

/* The events that are next. */
static void give(size_t n_given)
{
	event_batch_empty(&handed->ready);
	for (size_t i = 0; i < n_given; i++)
		*VECTOR_ADD(handed->ready.list, handed->ready.count, handed->ready.capacity) = events[i];
	VECTOR_RESERVE(handed->ready.texts, sizeof(TEXTS), handed->ready.texts_capacity);
	memcpy(handed->ready.texts, TEXTS, sizeof(TEXTS));
	handed->ready.n_texts = sizeof(TEXTS);
}

/* The next frame, of sums over 2.5 s. */
static void sample(void)
{
	handed->start_ns = rig.clock.ns - UINT64_C(2500000000);
	frame = rig_sample(&rig, 0);
}

START_TEST(each_event_is_a_row)
{
	static const char *const rows[] = {
		"number=7 mark=t time=1000 event=exit pid=42 tid=43 ppid=1 uid=1000 euid=33 user=33 "
		"tty=pts/5 "
		"info=thread code 3 exit_code=3 duration_seconds=1.5 status=3 parent=bash name=make "
		"program=/usr/bin/make program_base=make command=/usr/bin/make -j4 all command_base=make "
		"-j4 all",
		"number=8 mark=! time=1001 event=exit pid=44 tid=44 info=SIGKILL signal=9 status=SIGKILL "
		"parent=bash name=cc1 program=../x/cc1 program_base=cc1 command=../x/cc1 a/b "
		"command_base=cc1 a/b",
		"number=9 mark=+ time=1002 event=fork pid=45 tid=45 ppid=42 info= status= name=make "
		"program=/usr/bin/make program_base=make command=/usr/bin/make -j4 all command_base=make "
		"-j4 all",
		"number=10 mark=+ time=1003 event=fork pid=46 tid=46 ppid=42 info= status=",
		/* a relative path that does not begin with a dot may be anything */
		"number=11 mark=> time=1004 event=exec pid=46 tid=46 ppid=42 info= status= parent=make "
		"name=make "
		"program=bin/sh program_base=bin/sh command=bin/sh -c x/y command_base=bin/sh -c x/y",
	};

	open_topic("event");
	ck_assert_uint_eq(handed->collectors, 1);
	for (unsigned round = 0; round < 2; round++) { /* the texts are those of the new batch */
		size_t n_given = round ? 1 : sizeof(events) / sizeof(events[0]);

		give(n_given);
		sample();
		ck_assert_uint_eq(frame_table(frame, "event")->n_rows, n_given);
		for (size_t i = 0; i < n_given; i++)
			check_row(frame, "event", rows[i]);
	}
	ck_assert_int_eq(rig.source.event_fd(rig.source.state),
			 event_reader_bell(reader_state(&process_event_reader, &rig.env)));
	rig_close(&rig);
}

/* --- Tables of sums, and of the sources. */

/* Sums are since 2.5 s. */
START_TEST(totals_of_each_command_are_a_row)
{
	static struct event_counts commands[EVENT_COMMANDS_MAX] = {
		{ .command = "make", .kinds = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 }, .failures = 3,
		  .lifetimes_ns = 4500000000, .n_lifetimes = 3 },
		{ .command = "all", .kinds = { [EVENT_SID] = 5 } },
		{ .command = "(others)", .kinds = { [EVENT_GID] = 10 } },
	};
	static struct event_statistics statistics = {
		.commands = commands,
		.n_commands = 3,
		.all = { .kinds = { [EVENT_FORK] = 25 } },
		.others = { .kinds = { [EVENT_EXEC] = 50 }, .lifetimes_ns = 1000000, .n_lifetimes = 1 },
	};

	open_topic("event_total");
	handed->statistics = &statistics;
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_total")->n_rows, 4);
#define NO_EVENTS(name, total, forks, users, sessions, mean)                                                 \
	"command=" name " total=" total " forks=" forks " execs=0 exits=0 failures=0 clones=0 core_dumps=0 " \
	"renames=0 ptraces=0 user_changes=" users " sessions=" sessions " mean_per_second=" mean
	check_row(frame, "event_total", NO_EVENTS("all", "25", "25", "0", "0", "10"));
	check_row(frame, "event_total",
		  "command=make total=1023 forks=1 execs=2 exits=4 failures=3 clones=32 core_dumps=8 "
		  "renames=16 ptraces=64 user_changes=384 sessions=512 mean_per_second=409.2 "
		  "mean_lifetime_seconds=1.5");
	check_row(frame, "event_total", NO_EVENTS("all (process name)", "5", "0", "0", "5", "2"));
	check_row(frame, "event_total", NO_EVENTS("(others) (process name)", "10", "0", "10", "0", "4"));
	for (size_t i = 3; i < EVENT_COMMANDS_MAX; i++)
		snprintf(commands[i].command, sizeof(commands[i].command), "c%zu", i);
	statistics.n_commands = EVENT_COMMANDS_MAX - 1;
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_total")->n_rows, EVENT_COMMANDS_MAX);
	statistics.n_commands = EVENT_COMMANDS_MAX;
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_total")->n_rows, EVENT_COMMANDS_MAX + 2);
	ck_assert_uint_eq(cell_u64(frame, "event_total", "(others)", "execs"), 50);
	ck_assert_uint_eq(cell_u64(frame, "event_total", "(others)", "total"), 50);
	ck_assert_double_eq(cell_f64(frame, "event_total", "(others)", "mean_per_second"), 20);
	ck_assert_double_eq(cell_f64(frame, "event_total", "(others)", "mean_lifetime_seconds"), 0.001);
	ck_assert_uint_eq(cell_u64(frame, "event_total", "c4095", "total"), 0);
	rig_close(&rig);
}

START_TEST(processes_that_fork_are_rows)
{
	static struct event_parent parents[] = {
		{ .pid = 7, .start_ticks = 500, .command = "make", .forks = 5, .resident_bytes = 4096,
		  .page_table_bytes = 512 },
		{ .pid = 8, .start_ticks = U64_UNKNOWN, .command = "sh", .forks = 10,
		  .resident_bytes = U64_UNKNOWN, .page_table_bytes = U64_UNKNOWN },
	};
	static const struct event_statistics statistics = { .parents = parents, .n_parents = 2 };

	open_topic("event_parent");
	handed->statistics = &statistics;
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_parent")->n_rows, 2);
	check_row(frame, "event_parent",
		  "pid=7 start_seconds=5 forks=5 mean_forks_per_second=2 resident_bytes=4096 "
		  "page_table_bytes=512 command=make");
	check_row(frame, "event_parent", "pid=8 forks=10 mean_forks_per_second=4 command=sh");
	rig_close(&rig);
}

/* From 1 ms on each has ten times the one before; a start that is not known has no bounds. */
START_TEST(life_times_are_rows_with_their_bounds)
{
	static struct event_statistics statistics = {
		.lifetimes = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 5 },
	};

	open_topic("event_lifetime");
	handed->statistics = &statistics;
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_lifetime")->n_rows, 10);
	check_row(frame, "event_lifetime", "from_seconds=0 to_seconds=0.001 exits=1 share_ratio=0.02");
	check_row(frame, "event_lifetime", "from_seconds=0.001 to_seconds=0.01 exits=2 share_ratio=0.04");
	check_row(frame, "event_lifetime", "from_seconds=0.01 to_seconds=0.1 exits=3 share_ratio=0.06");
	check_row(frame, "event_lifetime", "from_seconds=10000 to_seconds=100000 exits=9 share_ratio=0.18");
	check_row(frame, "event_lifetime", "from_seconds=100000 exits=5 share_ratio=0.1");
	statistics.lifetimes[10] = 50;
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_lifetime")->n_rows, 11);
	check_row(frame, "event_lifetime", "from_seconds=0 to_seconds=0.001 exits=1 share_ratio=0.01");
	check_row(frame, "event_lifetime", "exits=50 share_ratio=0.5");
	statistics = (struct event_statistics){ 0 };
	sample();
	ck_assert_uint_eq(frame_table(frame, "event_lifetime")->n_rows, 10);
	check_row(frame, "event_lifetime", "from_seconds=0 to_seconds=0.001 exits=0");
	rig_close(&rig);
}

START_TEST(sources_say_what_they_give_or_why_not)
{
	static const struct {
		int perf_error, connector_error;
		const char *perf, *connector;
	} cases[] = {
		{ 0, 0, "source=perf received=1 lost=2 state=read gives=fork exec comm clone",
		  "source=connector received=3 lost=4 state=read gives=exit core ptrace uid gid sid" },
		{ 0, -ETIMEDOUT, "source=perf received=1 lost=2 state=read gives=fork exec exit comm clone",
		  "source=connector state=Connection timed out gives=" },
		{ -EACCES, 0, "source=perf state=Permission denied gives=",
		  "source=connector received=3 lost=4 state=read gives=fork exec exit comm clone core ptrace "
		  "uid gid sid" },
	};

	open_topic("event_source");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		handed->sources = (struct event_sources){
			.perf_received = 1,      .perf_lost = 2,    .connector_received = 3,
			.connector_lost = 4,     .queue_received = 5, .queue_lost = 6,
			.unnamed = 7,            .perf_error = cases[i].perf_error,
			.connector_error = cases[i].connector_error,
		};
		sample();
		ck_assert_uint_eq(frame_table(frame, "event_source")->n_rows, 3);
		check_row(frame, "event_source", cases[i].perf);
		check_row(frame, "event_source", cases[i].connector);
		check_row(frame, "event_source",
			  "source=panetop received=5 lost=6 unnamed=7 state=read gives=");
	}
	rig_close(&rig);
}

#define NO_CODES "no exit codes, tracers, users and sessions: proc connector: "
#define NO_LINES "short-lived processes may lack their command line: perf events: "
#define NO_ARGUMENTS "short-lived processes may lack their arguments: sched:sched_process_exec: "

/* Each with what to do about it. */
START_TEST(what_events_lack_is_told)
{
	static const struct {
		struct event_sources sources;
		const char *text, *remedy; /* NULL: there is none; "": that of root is another */
		const char *other;
	} cases[] = {
		{ { 0 }, NULL, NULL, NULL },
		{ { .connector_error = -ECONNREFUSED }, NO_CODES "Connection refused", "container", NULL },
		{ { .connector_error = -EPERM }, NO_CODES "Operation not permitted", "", NULL },
		{ { .perf_error = -EACCES, .exec_error = -EACCES }, NO_LINES "Permission denied", "", NULL },
		{ { .exec_error = -ENOENT }, NO_ARGUMENTS "No such file or directory", "mount -t tracefs",
		  NULL },
		{ { .perf_error = -EPERM, .connector_error = -EPERM, .exec_error = -EPERM },
		  "no process events from perf: Operation not permitted", "", NULL },
		{ { .perf_error = -ENOTSUP, .connector_error = -ENOTSUP, .exec_error = -ENOTSUP }, NULL, NULL,
		  NULL },
		{ { .perf_lost = 1 }, "1 event was lost before it could be read", "--real-time", NULL },
		{ { .perf_lost = 1, .connector_lost = 1 }, "2 events were lost before they could be read",
		  "--real-time", NULL },
		{ { .queue_lost = 1 }, "1 event was lost: too many arrived between two samples", "delay",
		  NULL },
		{ { .queue_lost = 2, .connector_lost = 3 }, "3 events were lost before they could be read",
		  "--real-time", "2 events were lost: too many arrived between two samples" },
		{ { .real_time_error = -EPERM },
		  "the event reader does not run at real-time priority: Operation not permitted", "", NULL },
		{ { .stuck_pid = 42 }, "process 42 is stuck: reading its command line blocks, others wait",
		  NULL, NULL },
	};

	open_topic("event");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		handed->sources = cases[i].sources;
		sample();
		ck_assert_msg(frame->n_notices == (cases[i].other  ? 2
						   : cases[i].text ? 1
								   : 0),
			      "%zu: %u", i, frame->n_notices);
		if (!cases[i].text)
			continue;
		ck_assert_str_eq(frame->notices[0].text, cases[i].text);
		ck_assert_str_eq(frame->notices[0].topic, "event");
		ck_assert((frame->notices[0].remedy != NULL) == (cases[i].remedy != NULL));
		if (cases[i].remedy)
			ck_assert_msg(strstr(frame->notices[0].remedy, cases[i].remedy) != NULL, "%s",
				      frame->notices[0].remedy);
		if (cases[i].other)
			ck_assert_str_eq(frame->notices[1].text, cases[i].other);
	}
	handed->sources = (struct event_sources){ .stuck_pid = 42 };
	give(1);
	handed->error = -ENOTSUP; /* it is told also when nothing is read */
	sample();
	ck_assert_uint_eq(frame->n_notices, 2);
	ck_assert(frame_table(frame, "event")->failed);
	ck_assert_uint_eq(frame_table(frame, "event")->n_rows, 0);
	handed->error = 0;
	handed->sources = (struct event_sources){ 0 };
	rig.env.foreign_pids = true;
	sample();
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_ptr_eq(strstr(frame->notices[0].text, "processes are not looked up in /proc: "),
			 frame->notices[0].text);
	rig.env.foreign_pids = false;
	rig_close(&rig);
}
