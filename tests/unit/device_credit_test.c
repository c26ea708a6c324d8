/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of which devices are waited for, and how old a reading is: without helpers, so that a read ends at
 * once, and takes as long as the test says.
 */
#include "suite.h"

#include "core/alloc.h"
#include "core/unknown.h"
#include "sys/device_poll.h"

#define MS UINT64_C(1000000)

static struct still_clock now;

struct timed_poll {
	struct device_poll poll;
	uint64_t takes_ns;
	unsigned n_finished;
};

static unsigned n_freed;

static void read_timed(struct device_poll *poll)
{
	now.ns += ((const struct timed_poll *)poll)->takes_ns;
	poll->reads += 2;
}

static void finish_timed(struct device_poll *poll)
{
	((struct timed_poll *)poll)->n_finished++;
}

static void free_timed(struct device_poll *poll)
{
	n_freed++;
	free(poll);
}

static struct env env;

static struct timed_poll *open_timed(void)
{
	struct timed_poll *timed = alloc_zeroed(1, sizeof(*timed));
	char root[SCRATCH_PATH_MAX];

	scratch_directory(root, "devices");
	ck_assert_int_eq(env_open(&env, root), 0);
	now = still_clock_at(1000000 * MS);
	env.clock = &now.clock;
	timed->poll =
		(struct device_poll){ .read = read_timed, .finished = finish_timed, .free = free_timed };
	device_poll_open(&timed->poll, &env, "device");
	return timed;
}

static void close_timed(struct timed_poll *timed)
{
	device_poll_drop(&timed->poll);
	ck_assert_uint_eq(n_freed, 1);
	env_close(&env);
}

/* The credit after a read that takes this long in the next sample. */
static int credit_after(struct timed_poll *timed, uint64_t takes_ns)
{
	unsigned n_finished = timed->n_finished;

	env.tick++;
	timed->takes_ns = takes_ns;
	device_poll_submit(&timed->poll);
	ck_assert_uint_eq(timed->n_finished, n_finished + 1);
	ck_assert_uint_eq(timed->poll.took_ns, takes_ns);
	ck_assert(!timed->poll.in_flight && !timed->poll.awaited);
	return timed->poll.credit;
}

/* Two slow reads in a row use it up; from the lowest credit nine quick ones are needed. */
START_TEST(slow_reads_cost_credit)
{
	struct timed_poll *timed = open_timed();

	ck_assert_int_eq(timed->poll.credit, 8);
	ck_assert_int_eq(credit_after(timed, 10 * MS), 8);
	ck_assert_int_eq(credit_after(timed, 10 * MS + 1), 3);
	ck_assert_int_eq(credit_after(timed, 1), 4);
	ck_assert_int_eq(credit_after(timed, 11 * MS), -1);
	ck_assert_int_eq(credit_after(timed, 11 * MS), -6);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(credit_after(timed, 20 * MS), -8);
	for (int credit = -7; credit <= 8; credit++)
		ck_assert_int_eq(credit_after(timed, MS), credit);
	ck_assert_int_eq(credit_after(timed, MS), 8);
	close_timed(timed);
}

static uint64_t next_age_ns(uint64_t later_ns, uint64_t read_ns)
{
	env.tick++;
	now.ns += later_ns;
	return device_poll_age_ns(&env, read_ns);
}

/* However long a tick takes: what was read since the one before stands for the present. */
START_TEST(readings_have_an_age)
{
	struct timed_poll *timed = open_timed();
	uint64_t begun_ns = now.ns, read_ns;

	ck_assert_uint_eq(next_age_ns(1000 * MS, 0), U64_UNKNOWN);
	ck_assert_uint_eq(device_poll_age_ns(&env, now.ns), 0);
	now.ns += 5 * MS; /* within the tick */
	read_ns = now.ns;
	ck_assert_uint_eq(device_poll_age_ns(&env, read_ns), 0);
	ck_assert_uint_eq(device_poll_age_ns(&env, begun_ns), 1000 * MS);
	ck_assert_uint_eq(next_age_ns(20000 * MS, read_ns), 20000 * MS);
	ck_assert_uint_eq(device_poll_age_ns(&env, begun_ns + 1000 * MS), 20005 * MS);
	ck_assert_uint_eq(device_poll_age_ns(&env, begun_ns + 1000 * MS - 1), U64_UNKNOWN);
	ck_assert_uint_eq(next_age_ns(1000 * MS, read_ns), U64_UNKNOWN);
	read_ns = now.ns - 1;
	ck_assert_uint_eq(next_age_ns(1000 * MS, read_ns), 1000 * MS + 1);
	ck_assert_uint_eq(next_age_ns(9000 * MS - 1, read_ns), 10000 * MS);
	ck_assert_uint_eq(next_age_ns(1, read_ns), U64_UNKNOWN);
	close_timed(timed);
}
