/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of several machines as one source, and the row of each. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fleet/fleet.h"
#include "model/host.h"
#include "model/labelled.h"
#include "recording/past_file.h"
#include "recording/spool.h"
#include "suite.h"
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

static void record(struct fleet *fleet, const struct machine_plan *plan, const char *file)
{
	struct past_file *past = past_file_open(1e6, PAST_BYTES, topic_schemas(), n_topics);
	struct source source;
	struct frame frame;
	const char *why = NULL;
	int fd = spool_open();

	frame_open(&frame, topic_schemas(), n_topics);
	for (unsigned i = 0; i < plan->n_samples; i++) {
		double seconds = plan->begins + i * plan->step;

		frame_clear(&frame);
		frame.wall_ns = START_NS + (uint64_t)(seconds * 1e9);
		frame.mono_ns = SECOND_NS + (uint64_t)(i * plan->step * 1e9);
		frame.host = plan->host;
		add_row(&frame, "system");
		set(&frame, "system", "load1", plan->load);
		set(&frame, "system", "cpus", 2);
		set(&frame, "system", "forks", (double)plan->counted * i * plan->step);
		past_file_keep(past, &frame);
	}
	ck_assert_int_eq(past_file_save(past, fd), 0);
	past_file_close(past);
	frame_close(&frame);
	ck_assert_msg(open_replay(&source, fd, UINT64_MAX, topic_schemas(), n_topics, &why) == 0, "%s", why);
	fleet_add_recording(fleet, &source, file);
}

struct rig {
	struct sample_request request;
	struct fleet_plan plan;
	struct fleet *fleet;
	struct labelled *labelled;
	struct source source;
	struct frame frame;
};

static void open_rig(struct rig *rig, bool together)
{
	*rig = (struct rig){ 0 };
	rig->plan = (struct fleet_plan){
		.reading = { .schemas = topic_schemas(),
			     .n_schemas = n_topics,
			     .rules = finding_rules,
			     .n_rules = n_finding_rules },
		.request = &rig->request,
		.together = together,
	};
	rig->fleet = fleet_open(&rig->plan);
	rig->labelled = labelled_open(topic_schemas(), n_topics);
	frame_open(&rig->frame, together ? labelled_schemas(rig->labelled) : topic_schemas(), n_topics);
}

static void begin(struct rig *rig)
{
	ck_assert_int_eq(fleet_source(rig->fleet, &rig->source), 0);
	ck_assert_uint_eq(rig->source.position(rig->source.state), 0);
}

static bool next(struct rig *rig)
{
	int got;

	frame_clear(&rig->frame);
	got = rig->source.next(rig->source.state, &rig->frame);
	ck_assert_int_ge(got, 0);
	return got == 1;
}

static void close_rig(struct rig *rig)
{
	rig->source.close(rig->source.state);
	frame_close(&rig->frame);
	labelled_close(rig->labelled);
}

static double of_host(const struct rig *rig, const char *host, const char *column)
{
	return frame_number(&rig->frame, "host", host, column);
}

static const struct machine_plan one = { "one", 0, 1, 10, 1, 5 }, other = { "other", 0.25, 1, 10, 2, 7 };

START_TEST(each_moment_has_a_row_for_each_machine)
{
	unsigned n_moments = 0;
	struct rig rig;

	open_rig(&rig, false);
	record(rig.fleet, &one, "a");
	record(rig.fleet, &other, "b");
	begin(&rig);
	while (next(&rig)) {
		n_moments++;
		ck_assert_uint_eq(frame_table(&rig.frame, "host")->n_rows, 2);
		ck_assert_double_eq(of_host(&rig, "one", "load1"), 1);
		ck_assert_double_eq(of_host(&rig, "other", "load1"), 2);
		ck_assert_double_eq_tol(of_host(&rig, "one", "age_seconds"), 0.25, 1e-6);
		ck_assert_double_eq(of_host(&rig, "other", "age_seconds"), 0);
		ck_assert(isnan(of_host(&rig, "one", "clock_offset_seconds")));
	}
	ck_assert_uint_eq(n_moments, 10);
	close_rig(&rig);
}
END_TEST

START_TEST(the_request_says_whose_tables_are_shown)
{
	struct rig rig;
	unsigned boot;

	open_rig(&rig, false);
	record(rig.fleet, &one, "a");
	record(rig.fleet, &other, "b");
	begin(&rig);
	ck_assert(next(&rig) && next(&rig));
	ck_assert_str_eq(rig.frame.host, "one");
	ck_assert_double_eq_tol(frame_number(&rig.frame, "system", NULL, "forks_per_second"), 5, 1e-6);
	boot = rig.frame.boot;
	ck_assert_uint_gt(boot, 0); /* its clock is not that of this machine */
	strcpy(rig.request.host, "other");
	ck_assert(next(&rig));
	ck_assert(rig.frame.boot > 0 && rig.frame.boot != boot);
	ck_assert_str_eq(rig.frame.host, "other");
	ck_assert_double_eq_tol(frame_number(&rig.frame, "system", NULL, "forks_per_second"), 7, 1e-6);
	strcpy(rig.request.host, "nobody"); /* the first one */
	ck_assert(next(&rig));
	ck_assert_str_eq(rig.frame.host, "one");
	close_rig(&rig);
}
END_TEST

START_TEST(a_moment_is_the_same_whatever_was_read_before)
{
	struct rig rig;

	open_rig(&rig, false);
	record(rig.fleet, &one, "a");
	record(rig.fleet, &other, "b");
	begin(&rig);
	for (size_t index = 9; index > 0; index--) {
		ck_assert_int_eq(rig.source.seek(rig.source.state, index), 0);
		ck_assert(next(&rig));
		ck_assert_uint_eq(rig.source.position(rig.source.state), index);
		ck_assert_uint_eq(rig.source.find(rig.source.state, rig.frame.wall_ns), index);
		ck_assert_uint_eq(rig.frame.wall_ns, START_NS + index * SECOND_NS + SECOND_NS / 4);
		ck_assert_double_eq_tol(frame_number(&rig.frame, "system", NULL, "forks_per_second"), 5,
					1e-6);
	}
	close_rig(&rig);
}
END_TEST

START_TEST(before_its_first_sample_a_machine_is_unknown_and_behind_its_last_it_ages)
{
	const struct machine_plan late = { "late", 5, 1, 3, 3, 0 };
	struct rig rig;

	open_rig(&rig, false);
	record(rig.fleet, &one, "a");
	record(rig.fleet, &late, "b");
	begin(&rig);
	ck_assert(next(&rig));
	ck_assert(isnan(of_host(&rig, "late", "load1")));
	ck_assert(isnan(of_host(&rig, "late", "age_seconds")));
	ck_assert_int_eq(rig.source.seek(rig.source.state, 9), 0);
	ck_assert(next(&rig));
	ck_assert_double_eq(of_host(&rig, "late", "load1"), 3);
	ck_assert_double_eq_tol(of_host(&rig, "late", "age_seconds"), 2, 1e-6);
	close_rig(&rig);
}
END_TEST

START_TEST(together_each_sample_comes_once_and_says_of_whom_it_is)
{
	const struct machine_plan slow = { "slow", 0.5, 3, 4, 9, 2 };
	unsigned n_one = 0, n_slow = 0;
	struct rig rig;

	open_rig(&rig, true);
	record(rig.fleet, &one, "a");
	record(rig.fleet, &slow, "b");
	begin(&rig);
	while (next(&rig)) {
		const struct table *table = frame_table(&rig.frame, "system");

		ck_assert_uint_eq(frame_table(&rig.frame, "host")->n_rows, 2);
		for (size_t i = 0; table && i < table->n_rows; i++) {
			const void *row = table_row(table, i);
			bool first = strcmp(table_text(table, row, "host"), "one") == 0;
			double forks = table_number(table, row, "forks_per_second");

			*(first ? &n_one : &n_slow) += 1;
			ck_assert_double_eq(table_number(table, row, "load1"), first ? 1 : 9);
			ck_assert(isnan(forks) || fabs(forks - (first ? 5 : 2)) < 1e-6);
		}
	}
	ck_assert_uint_eq(n_one, 10);
	ck_assert_uint_eq(n_slow, 4);
	close_rig(&rig);
}
END_TEST

START_TEST(recordings_of_one_machine_have_the_names_of_their_files)
{
	struct rig rig;

	open_rig(&rig, false);
	record(rig.fleet, &one, "before.recording");
	record(rig.fleet, &one, "after.recording");
	begin(&rig);
	ck_assert(next(&rig));
	ck_assert_double_eq(of_host(&rig, "before.recording", "load1"), 1);
	ck_assert_double_eq(of_host(&rig, "after.recording", "load1"), 1);
	close_rig(&rig);
}
END_TEST

START_TEST(the_worst_machine_is_first)
{
	const struct host_state states[] = { { .name = "calm" },
					     { .name = "gone", .trouble = "no connection" },
					     { .name = "quiet" } };
	struct frame frame;
	struct table *table;

	frame_open(&frame, topic_schemas(), n_topics);
	for (unsigned i = 0; i < 3; i++)
		host_add(&frame, NULL, &states[i]);
	host_sort(&frame);
	table = frame_slot(&frame, "host");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "host"), "gone");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "severity"), "critical");
	ck_assert_str_eq(table_text(table, table_row(table, 0), "finding"), "no connection");
	ck_assert_str_eq(table_text(table, table_row(table, 1), "host"), "calm");
	ck_assert_str_eq(table_text(table, table_row(table, 2), "host"), "quiet");
	frame_close(&frame);
}
END_TEST
