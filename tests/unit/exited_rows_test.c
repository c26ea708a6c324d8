/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many exits, of which tests/rows/exited.txt has few. */
#include "rig.h"

#include "topic/event/event_source.h"

static struct rig rig;

#define NAMES_MAX 512 /* that are told apart, with (others) */

static void open_exits(void)
{
	rig_open(&rig, "empty", TOPICS("exited"));
	rig_script(&rig, "exits");
	rig_sample(&rig, 0);
}

/* No name is lost: those that come when there are many already are counted together. */
START_TEST(many_names_have_a_row_of_others)
{
	const struct frame *frame;

	open_exits();
	for (unsigned i = 0; i < NAMES_MAX + 8; i++)
		rig_script(&rig, "exit pid=%u cpu=10ms name=name%u", 1000 + i, i);
	frame = rig_sample(&rig, 0.1);
	ck_assert_uint_eq(frame_table(frame, "exited")->n_rows, NAMES_MAX);
	ck_assert_uint_eq(cell_u64(frame, "exited", "name0", "exits"), 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "name510", "exits"), 1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "(others)", "exits"), 9);
	ck_assert_double_eq_tol(cell_f64(frame, "exited", "(others)", "cpu_seconds"), 0.09, 1e-6);
	rig_script(&rig, "exit\n\tpid=9000 cpu=20ms name=name3\n"
			 "\tpid=9001 cpu=20ms name=(others)\n" /* a process that calls itself so */
			 "\tpid=9002 cpu=20ms name=(no record)");
	frame = rig_sample(&rig, 0.1);
	ck_assert_uint_eq(cell_u64(frame, "exited", "name3", "exits"), 2);
	ck_assert_uint_eq(cell_u64(frame, "exited", "(others)", "exits"), 11);
	rig_close(&rig);
}

/* Counts of the last minute, by steps of a few seconds. */
START_TEST(exits_of_the_last_minute)
{
	open_exits();
	for (unsigned second = 1; second <= 200; second++) {
		const struct frame *frame;
		double recent;

		rig_script(&rig, "exit pid=%u cpu=10ms code=%u name=cc1", 1000 + second, second % 2);
		frame = rig_sample(&rig, 1);
		recent = cell_f64(frame, "exited", "cc1", "recent_seconds");
		ck_assert_uint_eq(cell_u64(frame, "exited", "cc1", "exits"), second);
		ck_assert_double_eq((double)cell_u64(frame, "exited", "cc1", "recent_exits"), recent);
		ck_assert_double_eq_tol((double)cell_u64(frame, "exited", "cc1", "recent_failures"),
					recent / 2, 0.51);
		if (second <= 60)
			ck_assert_double_eq(recent, second);
		else
			ck_assert(recent > 54 && recent <= 60);
	}
	rig_close(&rig);
}

/* The PID of the only row; 0: there is none. */
static uint64_t next_ended(void)
{
	const struct table *table = frame_table(rig_sample(&rig, 1), "ended");

	ck_assert_uint_le(table->n_rows, 1);
	return table->n_rows > 0 ? table_u64(table, table_row(table, 0), "pid") : 0;
}

/* It need not be the last one of its name: it has a row once, whenever its page is opened. */
START_TEST(the_selected_end_has_a_row)
{
	rig_open(&rig, "empty", TOPICS("ended"));
	rig_script(&rig, "exits");
	rig_sample(&rig, 0);
	rig_script(&rig, "exit\n\tpid=100 cpu=10ms name=cc1\n\tpid=101 cpu=10ms name=cc1");
	ck_assert_uint_eq(next_ended(), 101);
	rig.request.mapped = (struct process_choice){ .is_set = true, .pid = 100, .start_seconds = -1 };
	ck_assert_uint_eq(next_ended(), 100);
	ck_assert_uint_eq(next_ended(), 0);
	rig.request.mapped.pid = 4711; /* no record has it */
	ck_assert_uint_eq(next_ended(), 0);
	rig_close(&rig);
}

static void close_silent(struct event_source *source)
{
	(void)source;
}

static void drain_silent(struct event_source *source, struct raw_events *events, bool exits)
{
	(void)source;
	(void)events;
	(void)exits;
}

static unsigned no_descriptor(const struct event_source *source, int *fds, unsigned room)
{
	(void)source;
	(void)fds;
	(void)room;
	return 0;
}

static uint64_t none_lost(const struct event_source *source)
{
	(void)source;
	return 0;
}

static struct event_source *no_perf(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				    int *error)
{
	(void)env;
	(void)ring_bytes;
	(void)arguments;
	*error = -EACCES;
	return NULL;
}

static struct event_source *silent_connector(struct env *env, enum event_connector_kinds kinds, size_t bytes,
					     int *error)
{
	static struct event_source silent = { .close = close_silent,
					      .drain = drain_silent,
					      .descriptors = no_descriptor,
					      .lost = none_lost };

	(void)env;
	(void)kinds;
	(void)bytes;
	*error = 0;
	return &silent;
}

/* Then only how it ended is not known. */
START_TEST(events_alone_have_a_notice)
{
	static const struct event_sources_of sources = { no_perf, silent_connector };
	static const char *const wanted[] = {
		("exited: without exit records it is not known which exits failed, and CPU time is an "
		 "estimate"),
		"ended: without exit records it is not known how processes ended, and what they used",
		"failing: without exit records failing commands are unknown",
	};
	const struct frame *frame;

	rig_open(&rig, "empty", TOPICS("exited", "ended", "failing"));
	rig.env.live = true;
	rig.env.events = &sources;
	rig.request.no_bpf = true;
	rig_script(&rig, "exits refused=EPERM");
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame->n_notices, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct notice *notice = &frame->notices[i];

		ck_assert_str_eq(textf("%s: %s", notice->topic, notice->text), wanted[i]);
		ck_assert_ptr_nonnull(notice->remedy);
	}
	rig_close(&rig);
}

/* In the order of their ends, from the oldest one that is kept. */
START_TEST(last_ends_of_many_names_have_rows)
{
	const struct table *table;

	rig_open(&rig, "empty", TOPICS("ended"));
	rig_script(&rig, "exits");
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 1500; i++)
		rig_script(&rig, "exit pid=%u cpu=1ms name=name%u", 1000 + i, i % 400);
	table = frame_table(rig_sample(&rig, 1), "ended");
	ck_assert_uint_eq(table->n_rows, 400);
	for (unsigned i = 0; i < 400; i++)
		ck_assert_uint_eq(table_u64(table, table_row(table, i), "pid"), 2100 + i);
	ck_assert_uint_eq(next_ended(), 0);
	rig_close(&rig);
}
