/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of programs in the kernel before any is loaded: in PID namespaces, of other machines, unwanted. */
#include "rig.h"

#include "topic/trace/trace.h"

static const struct sample_request usual = { 0 }, without_bpf = { .no_bpf = true };

/* On a machine that lists no CPUs, so that it goes no further than to count them. pids: as of its ns/pid. */
static int error_of(bool live, const struct sample_request *request, bool by_pid, const char *pids)
{
	const struct trace_plan plan = { .topic = "tracing", .by_pid = by_pid };
	static const char *const none[] = { NULL };
	struct trace_set set;
	struct rig rig;
	int error;

	rig_open(&rig, "empty", none);
	rig.env.live = live;
	rig.env.own_pid = 4711;
	rig.env.counting = NULL; /* as the kernel does */
	rig_make(&rig, "proc/4711/ns");
	ck_assert(!*pids || symlink(pids, textf("%s/proc/4711/ns/pid", rig.root)) == 0);
	trace_open(&set, &rig.env, request, &plan);
	for (unsigned map = 0; map < N_BPF_MAPS; map++)
		ck_assert_int_eq(set.maps[map], -1);
	ck_assert(!trace_read(&set));
	ck_assert_int_eq(trace_add(&set, NULL), set.error);
	ck_assert_uint_eq(trace_opened(&rig.env)->n, 0);
	error = set.error;
	trace_close(&set);
	rig_close(&rig);
	return error;
}

START_TEST(pids_of_another_namespace_count_nothing)
{
	static const char first[] = "pid:[4026531836]";

	ck_assert_int_eq(error_of(true, &usual, true, first), -ENOENT);
	ck_assert_int_eq(error_of(true, &usual, true, "pid:[4026532281]"), -EXDEV);
	ck_assert_int_eq(error_of(true, &usual, true, "pid:[40265318361]"), -EXDEV);
	ck_assert_int_eq(error_of(true, &usual, true, "pid:[402653183]"), -EXDEV);
	ck_assert_int_eq(error_of(true, &usual, true, ""), -EXDEV);
	ck_assert_int_eq(error_of(true, &usual, false, "pid:[4026532281]"), -ENOENT);
	ck_assert_int_eq(error_of(true, &usual, false, first), -ENOENT);
}

START_TEST(nothing_counts_where_it_is_not_wanted)
{
	ck_assert_int_eq(error_of(false, &usual, false, ""), -ENOTSUP);
	ck_assert_int_eq(error_of(true, &without_bpf, false, ""), -ENOTSUP);
}

/* Those whose rows are processes: elsewhere PIDs are looked up, and those not found are in a sum. */
START_TEST(plans_by_pid)
{
	static const struct trace_plan *const by_pid[] = {
		&trace_plan_process, &trace_plan_time_account, &trace_plan_time_account_of_one,
		&trace_plan_traffic, &trace_plan_timer,        &trace_plan_wakeup,
	};

	for (size_t i = 0; i < sizeof(by_pid) / sizeof(by_pid[0]); i++)
		ck_assert_msg(by_pid[i]->by_pid, "%s", by_pid[i]->topic);
	ck_assert(!trace_plan_interrupt.by_pid);
	ck_assert(!trace_plan_network_account.by_pid);
}
