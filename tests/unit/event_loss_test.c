/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that losses are counted to the message: sources with a tiny buffer beside others with a large one. */
#include <config.h>

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"
#include "topic/event_connector.h"
#include "topic/event_perf.h"

#define CHILDREN 3000
#define TOLD (2 * CHILDREN) /* a fork and an exit of each */
#define TINY_BYTES ((size_t)8 * 1024)
#define LARGE_BYTES ((size_t)4 * 1024 * 1024)

static struct env env;

/* The large one is emptied now and then: others may start many more. */
static void make_children(struct event_connector *connector, struct event_perf *perf, struct raw_events *all)
{
	for (unsigned i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			_exit(0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		if (i % 50 == 0 && connector)
			event_connector_drain(connector, all);
		if (i % 50 == 0 && perf)
			event_perf_drain(perf, all, true);
	}
}

/* Of the children of this process. */
static uint64_t count_ours(const struct raw_events *events)
{
	uint64_t ours = 0;

	for (size_t i = 0; i < events->count; i++)
		ours += events->list[i].parent_pid == (uint32_t)getpid() &&
			(events->list[i].kind == EVENT_FORK || events->list[i].kind == EVENT_EXIT);
	return ours;
}

/*
 * Both were told the same of our children; what the tiny one lost of others is in the large one. Where nobody
 * else started a process meanwhile the loss is exactly what is missing.
 */
static void compare(struct raw_events *tiny, uint64_t tiny_lost, struct raw_events *large,
		    uint64_t large_lost)
{
	uint64_t ours = count_ours(tiny), others = large->count - count_ours(large);

	ck_assert_uint_eq(large_lost, 0);
	ck_assert_uint_eq(count_ours(large), TOLD);
	ck_assert_uint_gt(tiny_lost, TOLD / 2);
	ck_assert_uint_ge(ours + tiny_lost, TOLD);
	ck_assert_uint_le(ours + tiny_lost, TOLD + others);
	raw_events_free(tiny);
	raw_events_free(large);
}

START_TEST(the_connector_counts_its_losses)
{
	struct raw_events told = { 0 }, all = { 0 };
	struct event_connector *tiny, *large;
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	large = event_connector_open(&env, false, LARGE_BYTES, &error);
	tiny = large ? event_connector_open(&env, false, TINY_BYTES, &error) : NULL;
	if (tiny) {
		make_children(large, NULL, &all);
		event_connector_drain(tiny, &told);
		event_connector_drain(large, &all);
		ck_assert_uint_eq(event_connector_received(large), all.count);
		compare(&told, event_connector_lost(tiny), &all, event_connector_lost(large));
	} else {
		fprintf(stderr, "skipped: connector: %s\n", strerror(-error));
	}
	event_connector_close(tiny);
	event_connector_close(large);
	env_close(&env);
}
END_TEST

/* All that happens here happens on one CPU. */
static void stay_here(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((unsigned)sched_getcpu(), &cpus);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

START_TEST(the_rings_count_their_losses)
{
	struct raw_events told = { 0 }, all = { 0 };
	struct event_perf *tiny, *large;
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	stay_here();
	large = event_perf_open(&env, LARGE_BYTES, &error);
	tiny = large ? event_perf_open(&env, TINY_BYTES, &error) : NULL;
	if (tiny) {
		make_children(NULL, large, &all);
		event_perf_drain(tiny, &told, true);
		event_perf_drain(large, &all, true);
		ck_assert_uint_eq(event_perf_received(large), all.count);
		compare(&told, event_perf_lost(tiny), &all, event_perf_lost(large));
	} else {
		fprintf(stderr, "skipped: perf: %s\n", strerror(-error));
	}
	event_perf_close(tiny);
	event_perf_close(large);
	env_close(&env);
}
END_TEST

SUITE_MAIN("event loss", the_connector_counts_its_losses, the_rings_count_their_losses)
