/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics whose counts come from programs in the kernel, in what tests/rows cannot say. */
#include "rig.h"

#include "model/rule.h"
#include "topic/trace/trace.h"

static struct rig rig;

#define SLICE_BYTES (40 * 65536) /* of the names of functions, in a sample */

/* What was counted until the name of a function was found is in no row. */
START_TEST(timers_whose_name_comes_late_begin_then)
{
	static char others[SLICE_BYTES + 64];
	static const char other[] = "ffffffff81000020 t other\n";

	for (size_t at = 0; at < SLICE_BYTES; at += strlen(other))
		memcpy(others + at, other, sizeof(other));
	rig_open(&rig, "readers", TOPICS("timer"));
	rig_script(&rig, "counted timer\n\tpid=7 function=0xffffffff81000010 count=300\n"
			 "\tpid=7 function=0xffffffff81000010 fired=1 count=50");
	rig_put(&rig, "proc/kallsyms", "%sffffffff81000010 t it_real_fn\n", others);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 0), "timer")->n_rows, 0);
	rig_script(&rig, "counted timer\n\tpid=7 function=0xffffffff81000010 count+=20\n"
			 "\tpid=7 function=0xffffffff81000010 fired=1 count+=1");
	check_row(rig_sample(&rig, 0), "timer", "pid=7 function=it_real_fn fired=1 armed=20 command=a) R (b");
	rig_close(&rig);
}

/* Requests that the kernel times itself need no program where they start. */
START_TEST(starts_of_requests_are_noted_where_they_are_needed)
{
	static const struct {
		const char *aims[2], *requests[2];
		unsigned reads; /* of the second one */
		bool added;
	} cases[] = {
		{ { "75000", "75000" }, { "64", "64" }, 9, false },
		{ { "75000", "0" }, { "64", "64" }, 9, true },
		{ { "0", "75000" }, { "64", "64" }, 9, true },
		{ { "75000", NULL }, { "64", "64" }, 9, true },
		{ { "1", "0" }, { "64", NULL }, 9, false },
		{ { NULL, "1" }, { NULL, "64" }, 9, false },
		{ { "75000", "0" }, { "64", "64" }, 0, false },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *use;

		rig_open(&rig, "readers", TOPICS("disk_latency"));
		rig_script(&rig, "counted disk_latency");
		rig_put(&rig, "proc/diskstats",
			"8 0 sda 9 0 1000 9 9 0 2000 9 0 9 9\n8 16 sdb %u 0 0 0 0 0 0 0 0 0 0\n",
			cases[i].reads);
		for (unsigned disk = 0; disk < 2; disk++) {
			const char *queue = textf("sys/block/sd%c/queue", "ab"[disk]);

			rig_make(&rig, queue);
			if (cases[i].aims[disk])
				rig_put(&rig, textf("%s/wbt_lat_usec", queue), "%s\n", cases[i].aims[disk]);
			if (cases[i].requests[disk])
				rig_put(&rig, textf("%s/nr_requests", queue), "%s\n",
					cases[i].requests[disk]);
		}
		rig_sample(&rig, 1);
		rig_sample(&rig, 1);
		use = strstr(script_use(&rig.script, "disk_latency"), "programs=");
		ck_assert_msg(strcmp(use, cases[i].added ? "programs=block_rq_complete,block_rq_issue"
							  : "programs=block_rq_complete") == 0,
			      "case %u: %s", i, use);
		rig_close(&rig);
	}
}

/* "seconds/waits" of a cause, or nothing. */
static const char *wait_sum(const struct frame *frame, const char *cause)
{
	const struct table *table = frame_table(frame, "waiting");

	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "cause"), cause) == 0)
			return textf("%g/%g", table_number(table, table_row(table, i), "seconds"),
				     table_number(table, table_row(table, i), "waits"));
	return "";
}

/* It was in no sum when these were read: threads know the last one, the rest is of the most frequent wait. */
START_TEST(waits_that_end_while_they_are_read_are_found)
{
	static const struct {
		unsigned waited_ms, counted_ms, last_ms;
		int before_ms;    /* that the last one ended before the sums were read */
		const char *sums; /* of sleep, lock and other */
	} cases[] = {
		{ 1000, 600, 300, 0, "0.3/1 0.7/2 " },
		{ 1000, 600, 300, 1, " 1/2 " },
		{ 1000, 600, 300, -1, "0.3/1 0.7/2 " },
		{ 1000, 600, 400, 0, "0.4/1 0.6/2 " },
		{ 1000, 600, 401, 0, "0.4/0 0.6/2 " },
		{ 1000, 100, 900, 0, "0.9/1 0.1/2 " }, /* which has the most then */
		{ 1000, 100, 800, 0, "0.9/1 0.1/2 " },
		{ 1000, 1000, 300, 0, " 1/2 " },
		{ 1000, 1200, 300, 0, " 1/2 " },
		{ 1000, 0, 300, 1, "  1/0" },
		{ 0, 0, 300, 1, "  " },
	};

	rig_open(&rig, "readers", TOPICS("waiting"));
	rig.request.batch = true;
	rig.request.mapped.pid = 7;
	rig_put(&rig, "proc/kallsyms", "ffffffff81000200 t hrtimer_nanosleep\n");
	rig_script(&rig, "stack 0 0xffffffff81000220");
	rig_script(&rig, "counted waiting");
	rig_script(&rig, "counted waiters thread=1 process=7 start=5s state=running last.pid=7 "
			 "last.state=sleep last.call=-1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		const char *sums;

		rig.request.mapped.is_set = false; /* begins again */
		ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "waiting")->n_rows, 0);
		rig.request.mapped.is_set = true;
		rig.clock.ns += 1000000000;
		rig_script(&rig, "counted waiters thread=1 since=now waiting=%ums last_ns=%ums",
			   cases[i].waited_ms, cases[i].last_ms);
		rig_script(&rig, "counted waiters thread=1 last_end=now-1s+%dms", 1000 - cases[i].before_ms);
		rig_script(&rig, "uncounted waiting");
		if (cases[i].counted_ms)
			rig_script(&rig,
				   "counted waiting pid=7 stack=1 state=lock call=futex count=2 sum=%ums",
				   cases[i].counted_ms);
		frame = rig_sample(&rig, 0);
		sums = textf("%s %s %s", wait_sum(frame, "sleep"), wait_sum(frame, "lock"),
			     wait_sum(frame, "other"));
		ck_assert_msg(strcmp(sums, cases[i].sums) == 0, "case %zu: wanted %s, came %s", i,
			      cases[i].sums, sums);
	}
	rig_close(&rig);
}

/* Without the rights to count it does not matter that the names cannot be read. */
START_TEST(tracepoints_that_cannot_be_listed)
{
	static const struct {
		const char *error;
		bool is_named;
	} cases[] = { { "0", true }, { "EACCES", true }, { "EPERM", false } };
	static struct trace_specs specs = { .n = 1 };
	char why[256];

	ck_assert(trace_spec_parse(&specs.list[0], "a:b", why, sizeof(why)));
	rig_open(&rig, "readers", TOPICS("trace"));
	rig.env.live = true;
	rig_make(&rig, "sys/kernel/tracing");
	rig_put(&rig, "sys/kernel/tracing/events", "no directory\n");
	rig.request.traces = &specs;
	for (unsigned i = 0; i < 3; i++) {
		const char *path;

		rig_script(&rig, "refused tracing %s", cases[i].error); /* what trace_test() tries */
		specs.epoch++;
		ck_assert(frame_table(rig_sample(&rig, 1), "trace")->failed);
		path = env_failed_path(&rig.env, -ENOTDIR);
		ck_assert_msg(cases[i].is_named == (path && strcmp(path, "sys/kernel/tracing/events") == 0),
			      "%s: %s", cases[i].error, path ? path : "none");
		env_forget_failures(&rig.env);
	}
	rig_close(&rig);
}

/* One that nothing starts measures the time of each of its runs, others that of one in 64. */
START_TEST(programs_show_what_they_cost)
{
	static const struct bpf_shape once = { .is_run = true };
	static const struct bpf_program programs[] = {
		{ .name = "counts", .tracepoint = "at_a_point", .does = &bpf_count },
		{ .name = "walks", .tracepoint = "bpf_iter", .does = &once },
		{ .name = "waits", .tracepoint = "never", .does = &bpf_count },
	};
	static const struct trace_plan plan = {
		.topic = "trace", .programs = programs, .n_programs = 3, .n_words = 1, .n_entries_max = 500
	};
	const struct frame *frame;
	struct trace_set set;

	rig_open(&rig, "readers", TOPICS("tracing"));
	rig_script(&rig, "counted trace w0={1..40} count=1");
	rig_script(&rig, "ran trace program=at_a_point runs=6400 timed_runs=100 timed_ns=50000");
	rig_script(&rig, "ran trace program=bpf_iter runs=2 lost=5 timed_runs=2 timed_ns=3000000");
	trace_open(&set, &rig.env, &rig.request, &plan);
	ck_assert(trace_read(&set));
	rig_sample(&rig, 0);
	rig_script(&rig, "ran trace program=at_a_point runs=12800 skipped=6 timed_runs=200 timed_ns=80000");
	rig_script(&rig, "ran trace program=bpf_iter runs=4 timed_runs=4 timed_ns=7000000");
	frame = rig_sample(&rig, 2);
	check_row(frame, "tracing",
		  "topic=trace program=counts tracepoint=at_a_point runs=12800 runs_per_second=3200 "
		  "mean_seconds=4e-07 used_seconds=0.00512 cpu_ratio=0.00096 entries=40 entries_max=500 "
		  "lost=6 lost_per_second=3");
	check_row(frame, "tracing",
		  "topic=trace program=walks tracepoint=bpf_iter runs=4 runs_per_second=1 "
		  "mean_seconds=0.00175 used_seconds=0.007 cpu_ratio=0.002 entries=40 entries_max=500 "
		  "lost=5 lost_per_second=0");
	check_row(frame, "tracing",
		  "topic=trace program=waits tracepoint=never runs=0 runs_per_second=0 entries=40 "
		  "entries_max=500 lost=0 lost_per_second=0");
	trace_close(&set);
	rig_close(&rig);
}
