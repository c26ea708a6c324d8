/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of screen/kept_pace: what tables of the past may cost, and that they come in pairs. */
#include "suite.h"

#include "screen/subscriptions.h"

#define MS UINT64_C(1000000)
#define SECOND_NS (1000 * MS)
#define START_SECONDS 60 /* in which nothing is judged */

/* A sample of the pane takes without_ns of CPU time, and with_ns with the tables; first_ns more at first. */
struct run {
	uint64_t delay_ns, without_ns, with_ns, first_ns;
	uint64_t now_ns, cpu_ns;
	struct kept_pace pace;
	uint64_t rates_ns, apart_ns; /* the last sample with rates; the most between two */
	uint64_t extra_ns, n_samples, n_with, n_rests;
	enum kept_turn last;
};

static void take(struct run *run)
{
	enum kept_turn turn = kept_pace_next(&run->pace, run->now_ns, run->cpu_ns, run->delay_ns);
	uint64_t cost_ns = turn == KEPT_REST ? run->without_ns : run->with_ns;

	ck_assert_msg(turn != KEPT_RATES || run->last != KEPT_REST, "rates without a sample before");
	ck_assert_msg(turn == KEPT_RATES || run->last != KEPT_FIRST, "a first one, and no second one");
	if (turn != KEPT_REST && run->n_with++ == 0)
		cost_ns += run->first_ns;
	run->cpu_ns += cost_ns;
	run->extra_ns += turn == KEPT_REST ? 0 : run->with_ns - run->without_ns;
	run->n_rests += turn == KEPT_REST;
	run->n_samples++;
	if (turn == KEPT_RATES) {
		if (run->rates_ns > 0 && run->now_ns - run->rates_ns > run->apart_ns)
			run->apart_ns = run->now_ns - run->rates_ns;
		run->rates_ns = run->now_ns;
	}
	run->last = turn;
	run->now_ns += run->delay_ns;
}

static void go_on(struct run *run, unsigned seconds)
{
	uint64_t end_ns = run->now_ns + seconds * SECOND_NS;

	run->extra_ns = run->n_samples = run->n_rests = run->apart_ns = 0;
	while (run->now_ns < end_ns)
		take(run);
}

static struct run begin(double delay, double without_ms, double with_ms, double first_ms)
{
	struct run run = {
		.delay_ns = (uint64_t)(delay * 1e9),
		.without_ns = (uint64_t)(without_ms * 1e6),
		.with_ns = (uint64_t)(with_ms * 1e6),
		.first_ns = (uint64_t)(first_ms * 1e6),
		.now_ns = 1000 * SECOND_NS,
		.cpu_ns = 20 * MS,
	};

	go_on(&run, START_SECONDS);
	return run;
}

static double share(const struct run *run)
{
	return (double)run->extra_ns / (double)(run->n_samples * run->delay_ns);
}

START_TEST(what_costs_little_is_in_every_sample)
{
	struct run run = begin(1, 2, 4, 30);

	go_on(&run, 3600);
	ck_assert_uint_eq(run.n_rests, 0);
	ck_assert_uint_eq(run.apart_ns, SECOND_NS);
}

START_TEST(what_costs_more_keeps_its_share)
{
	static const double costs_ms[] = { 20, 23, 30, 39, 50, 60 };
	static const double panes_ms[] = { 3, 13, 60 };

	for (unsigned i = 0; i < sizeof(costs_ms) / sizeof(costs_ms[0]); i++) {
		for (unsigned p = 0; p < sizeof(panes_ms) / sizeof(panes_ms[0]); p++) {
			struct run run = begin(1, panes_ms[p], panes_ms[p] + costs_ms[i], 250);

			go_on(&run, 3600);
			ck_assert_msg(share(&run) <= 0.02, "%g ms: %g", costs_ms[i], share(&run));
			ck_assert_msg(share(&run) >= 0.009, "%g ms: only %g", costs_ms[i], share(&run));
			ck_assert_uint_le(run.apart_ns, 10 * SECOND_NS);
		}
	}
}

/* At least every tenth second; with a long delay in every sample. */
START_TEST(every_tenth_second_is_the_least)
{
	static const unsigned delays[] = { 1, 2, 3, 5, 10, 60 };

	for (unsigned i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		struct run run = begin(delays[i], 20, 420, 2000);

		go_on(&run, 3600);
		ck_assert_uint_le(run.apart_ns, (delays[i] < 10 ? 10 : delays[i]) * SECOND_NS);
		ck_assert_msg((run.n_rests > 0) == (delays[i] < 5), "%u s: %d rests", delays[i],
			      (int)run.n_rests);
	}
}

/* The pane costs more than the share, its tables little: only to measure that, a sample has none of them. */
START_TEST(a_costly_pane_is_not_blamed_on_them)
{
	struct run run = begin(1, 60, 65, 250);

	go_on(&run, 600);
	ck_assert_uint_le(run.n_rests, 30);
	ck_assert_uint_ge(run.n_rests, 25);
	run.with_ns = 100 * MS; /* they become dear: that is seen within a minute */
	go_on(&run, START_SECONDS + 10);
	go_on(&run, 600);
	ck_assert_msg(share(&run) <= 0.02, "%g", share(&run));
}

START_TEST(one_dear_sample_changes_little)
{
	struct run run = begin(1, 2, 4, 0);
	uint64_t usual_ns = run.with_ns;

	run.with_ns = 30 * MS;
	take(&run);
	run.with_ns = usual_ns;
	go_on(&run, 60);
	ck_assert_uint_le(run.n_rests, 2);
}
