/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the events of a profile, on the CPU time of this program. */
#include "suite.h"

#include "core/alloc.h"
#include "kernel/perf_record.h"
#include "sys/perf_ring.h"
#include "topic/profile/profile_events.h"

#define BURN_NS UINT64_C(300000000)

static struct profile_events events;
static struct perf_ring *rings;
static struct env env;
static volatile unsigned sink;

static void open_events(unsigned rate)
{
	int error;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	error = profile_events_open(&events, &env, rate);
	if (error)
		skip_test("perf events: %s", strerror(-error));
	rings = alloc_zeroed(events.n_rings, sizeof(*rings));
	for (size_t i = 0; i < events.n_rings; i++)
		ck_assert_int_eq(perf_ring_open(&rings[i], events.rings[i], events.ring_bytes), 0);
	profile_events_join(&events);
	env.tick++;
	ck_assert_int_eq(profile_events_follow(&events, &(struct profile_look){ 0 }), 0);
}

static void close_events(void)
{
	for (size_t i = 0; i < events.n_rings; i++)
		perf_ring_close(&rings[i]);
	free(rings);
	profile_events_close(&events);
	env_close(&env);
}

/* Samples of this process in the rings, which are empty then. */
static unsigned count_own(void)
{
	struct profile_record record;
	struct buffer bytes = { 0 };
	unsigned n = 0;
	struct span rest;

	for (size_t i = 0; i < events.n_rings; i++)
		perf_ring_add(&rings[i], &bytes);
	rest = span_of(bytes.bytes, bytes.length);
	while (profile_record_next(&rest, &record))
		n += record.kind == PROFILE_RECORD_SAMPLE && record.pid == (uint32_t)getpid();
	ck_assert_uint_eq(span_length(rest), 0);
	buffer_free(&bytes);
	return n;
}

static unsigned samples_of_a_burn(void)
{
	uint64_t from, now;
	unsigned n = 0;

	count_own();
	ck_assert(clock_process_cpu_ns(&real_clock, (uint32_t)getpid(), &from));
	do {
		for (unsigned i = 0; i < 10000; i++)
			sink += i;
		n += count_own(); /* before the rings are full */
		clock_process_cpu_ns(&real_clock, (uint32_t)getpid(), &now);
	} while (now - from < BURN_NS);
	return n + count_own();
}

/* Nearly: 300 and 29. */
START_LIVE_TEST(a_rate_can_be_changed)
{
	unsigned fast, slow;

	open_events(997);
	fast = samples_of_a_burn();
	ck_assert_int_eq(profile_events_set_rate(&events, 97), 0);
	slow = samples_of_a_burn();
	ck_assert_msg(fast > 100 && slow > 5 && fast > 4 * slow && fast < 30 * slow, "%u and %u", fast, slow);
	close_events();
}

START_TEST(another_machine_has_none)
{
	ck_assert_int_eq(env_open(&env, fixture_root("linux-6.1", 0)), 0);
	ck_assert_int_eq(profile_events_open(&events, &env, 97), -ENOTSUP);
	profile_events_close(&events);
	env_close(&env);
}
