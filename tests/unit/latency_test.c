/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of latency: histograms against sorted samples, the threads, the past of the pane, --assert. */
#include "suite.h"

#include <time.h>

#include "app/assertion.h"
#include "core/alloc.h"
#include "kernel/system.h"
#include "model/pipeline.h"
#include "pane/latency/latency.h"
#include "sys/latency_thread.h"
#include "topic/latency/latency_run.h"
#include "topic/topic.h"

#define SAMPLES 20000

static const double percents[] = { 0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100 };

static uint64_t random_state;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Times of all magnitudes up to beyond 60 s, small ones more often. */
static uint64_t random_time(void)
{
	return random_bits() >> (28 + random_bits() % 36);
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

static struct histogram *new_histogram(uint64_t width_ns)
{
	struct histogram *histogram = alloc_zeroed(1, sizeof(*histogram));

	histogram_clear(histogram, width_ns);
	return histogram;
}

/* Counters as the measuring threads have them, and what these count with. */
static struct live_counts lives[3];
static struct latency_plan counting = { .period_ns = 1000000 };

static void clear_all(void)
{
	for (size_t i = 0; i < 3; i++)
		live_clear(&lives[i]);
}

static void wake(size_t index, uint64_t ns)
{
	live_count(&lives[index], &counting, 1, ns);
}

/* What was counted there, to be freed; nothing is left. */
static struct histogram *take(size_t index)
{
	struct latency_counts *counts = alloc_zeroed(1, sizeof(*counts));
	struct histogram *times = new_histogram(0), *linear = new_histogram(counting.bucket_ns);

	counts->linear = linear;
	live_read(&lives[index], &counting, counts);
	live_clear(&lives[index]);
	*times = counts->times;
	free(counting.bucket_ns > 0 ? times : linear);
	free(counts);
	return counting.bucket_ns > 0 ? linear : times;
}

static uint64_t counted(const struct histogram *histogram)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += histogram->buckets[i];
	return sum;
}

START_TEST(buckets_follow_each_other_and_are_narrow)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t from = histogram_from_ns(0, i), to = histogram_to_ns(0, i);

		ck_assert_uint_lt(from, to);
		ck_assert_uint_eq(histogram_index(0, from), i);
		if (to <= HISTOGRAM_LONGEST_NS)
			ck_assert_uint_eq(histogram_index(0, to - 1), i);
		if (i > 0)
			ck_assert_uint_eq(from, histogram_to_ns(0, i - 1));
		ck_assert_double_le((double)(to - from - 1), (double)from * 0.01);
	}
	ck_assert_uint_ge(histogram_to_ns(0, HISTOGRAM_BUCKETS - 1), HISTOGRAM_LONGEST_NS);
	ck_assert_uint_eq(histogram_index(0, UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	ck_assert_uint_eq(histogram_index(1000, 999), 0);
	ck_assert_uint_eq(histogram_index(1000, 1000), 1);
	ck_assert_uint_eq(histogram_index(1, UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

/* The exact percentile of sorted samples: the first that so many do not exceed. */
static uint64_t exact(const uint64_t *sorted, size_t count, double percent)
{
	size_t rank = (size_t)ceil((double)count * percent / 100 - 1e-9);

	return sorted[rank > 0 ? rank - 1 : 0];
}

START_TEST(percentiles_are_those_of_sorted_samples)
{
	static uint64_t samples[SAMPLES];

	for (uint64_t seed = 1; seed <= 10; seed++) {
		size_t n_samples = seed == 1 ? 1 : seed == 2 ? 7 : SAMPLES;
		struct histogram *histogram;
		double sum = 0, before = 0;

		clear_all();
		random_state = seed * UINT64_C(0x9E3779B97F4A7C15);
		for (size_t i = 0; i < n_samples; i++) {
			samples[i] = random_time() % HISTOGRAM_LONGEST_NS;
			wake(0, samples[i]);
			sum += (double)samples[i];
		}
		histogram = take(0);
		qsort(samples, n_samples, sizeof(samples[0]), compare);
		for (size_t p = 0; p < sizeof(percents) / sizeof(percents[0]); p++) {
			double told = histogram_percentile(histogram, percents[p]);
			double truth = (double)exact(samples, n_samples, percents[p]);

			ck_assert_double_ge(told, truth);
			ck_assert_double_le(told, truth * 1.01);
			ck_assert_double_ge(told, before);
			before = told;
		}
		ck_assert_uint_eq(histogram->count, n_samples);
		ck_assert_uint_eq(counted(histogram), n_samples);
		ck_assert_uint_eq(histogram->min_ns, samples[0]);
		ck_assert_uint_eq(histogram->max_ns, samples[n_samples - 1]);
		ck_assert_double_eq_tol(histogram_mean(histogram), sum / (double)n_samples,
					1e-6 * sum / (double)n_samples);
		free(histogram);
	}
}

START_TEST(deviation_and_mode_are_those_of_the_samples)
{
	struct histogram *histogram;

	clear_all();
	histogram = take(0);
	ck_assert_double_nan(histogram_mean(histogram));
	ck_assert_double_nan(histogram_percentile(histogram, 50));
	ck_assert_double_nan(histogram_mode(histogram));
	ck_assert_double_nan(histogram_deviation(histogram));
	free(histogram);
	for (int i = 0; i < 1000; i++) {
		wake(0, 5000);
		wake(0, (uint64_t)(7000 + 10 * i));
	}
	histogram = take(0);
	ck_assert_double_eq_tol(histogram_mean(histogram), 8497.5, 1e-9);
	ck_assert_double_eq_tol(histogram_deviation(histogram), 4049.59, 0.01);
	ck_assert_double_eq_tol(histogram_mode(histogram), 5000, 50);
	free(histogram);
}

START_TEST(a_merge_is_the_union)
{
	struct histogram *one, *other, *both;

	clear_all();
	random_state = 42;
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t ns = random_time();

		wake(i % 3 ? 0 : 1, ns);
		wake(2, ns);
	}
	one = take(0);
	other = take(1);
	both = take(2);
	histogram_merge(one, other);
	ck_assert_double_eq_tol(one->squares, both->squares, both->squares * 1e-9);
	one->squares = both->squares;
	ck_assert_mem_eq(one, both, sizeof(*one));
	free(one);
	free(other);
	free(both);
}

START_TEST(linear_buckets_are_exact_and_end_in_one_for_the_rest)
{
	struct histogram *histogram;
	static live_u64 linear[HISTOGRAM_BUCKETS];

	lives[0].linear = linear;
	counting.bucket_ns = 1000;
	clear_all();
	wake(0, 0);
	wake(0, 999);
	wake(0, 1000);
	wake(0, UINT64_C(5000000000));
	histogram = take(0);
	lives[0].linear = NULL;
	counting.bucket_ns = 0;
	ck_assert_uint_eq(histogram->buckets[0], 2);
	ck_assert_uint_eq(histogram->buckets[1], 1);
	ck_assert_uint_eq(histogram->buckets[HISTOGRAM_BUCKETS - 1], 1);
	ck_assert_double_eq(histogram_percentile(histogram, 50), 999);
	ck_assert_double_eq(histogram_percentile(histogram, 100), 5e9);
	free(histogram);
}

/* What a bucket counts is taken to lie in its middle: 1499 and 3499 ns. */
START_TEST(buckets_add_up)
{
	struct histogram *histogram = new_histogram(1000);

	histogram_add_bucket(histogram, 1, 6);
	histogram_add_bucket(histogram, 3, 2);
	histogram_add_bucket(histogram, 3, 4);
	ck_assert_uint_eq(histogram->count, 12);
	ck_assert_uint_eq(histogram->sum_ns, 6 * 1499 + 6 * 3499);
	ck_assert_double_eq_tol(histogram_deviation(histogram), 1000, 1e-9);
	ck_assert(histogram->min_ns == 1000 && histogram->max_ns == 3999);
	ck_assert_double_eq(histogram_mode(histogram), 1499.5); /* the first of two that are as high */
	histogram_clear(histogram, 0);
	histogram_add_bucket(histogram, histogram_index(0, 1000), 10);
	histogram_add_bucket(histogram, histogram_index(0, 1000000),
			     100); /* but it is a thousand times as wide */
	ck_assert_double_le(histogram_mode(histogram), 1100);
	free(histogram);
}

/* The notice of a run over CPUs 3, 5 and 7, of which none can be measured, and its remedy. */
START_TEST(what_a_run_cannot_measure_is_said)
{
#define OTHER_CPUS                                                                                           \
	"choose other CPUs: 'lscpu -e' lists online CPUs, /proc/self/status those that panetop may use"
#define NOT_HELD_OFF "; idle states are not held off"
	const char *as_root = geteuid() == 0
				      ? "permission denied even for root: allow it in the container, service "
					"or security settings"
				      : "run it as root, or give it the capability cap_dac_override";
	const struct {
		struct latency_run run;
		int first_error;
		const char *text, *remedy;
	} cases[] = {
		{ { .n_cpus = 0 }, 0, NULL, NULL },
		{ { .n_cpus = 1 }, -EINVAL, "CPU 3 cannot be measured: Invalid argument", OTHER_CPUS },
		{ { .n_cpus = 3 }, -EINVAL, "CPU 3 and 2 more cannot be measured: Invalid argument",
		  OTHER_CPUS },
		{ { .n_cpus = 3 }, -ENODEV, "CPU 3 and 2 more cannot be measured: No such device",
		  OTHER_CPUS },
		{ { .n_cpus = 2 }, -EPERM, "CPU 3 and 1 more cannot be measured: Operation not permitted",
		  NULL },
		{ { .cpus_ignored = true }, 0,
		  "deadline threads cannot be pinned: one thread runs on any CPU",
		  "choose another policy" },
		{ { .awake_error = -EACCES }, 0, "/dev/cpu_dma_latency: Permission denied" NOT_HELD_OFF,
		  as_root },
		{ { .awake_error = -EPERM }, 0,
		  "/dev/cpu_dma_latency: Operation not permitted" NOT_HELD_OFF, as_root },
		{ { .awake_error = -ENOENT }, 0,
		  "/dev/cpu_dma_latency: No such file or directory" NOT_HELD_OFF,
		  "this kernel has no such device: omit the option" },
		{ { .awake_error = -EIO }, 0, "/dev/cpu_dma_latency: Input/output error" NOT_HELD_OFF, NULL },
		{ { .requested = LATENCY_DEADLINE, .reason = "no", .plan = { .policy = LATENCY_OTHER } }, 0,
		  "deadline is not permitted, measuring with other: no", NULL },
		{ { .requested = LATENCY_DEADLINE, .reason = "no",
		    .plan = { .policy = LATENCY_RR, .priority = 80 } }, 0,
		  "deadline is not permitted, measuring with rr 80: no", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t cpus[] = { 3, 5, 7 };
		int errors[] = { cases[i].first_error, -EPERM, -EPERM };
		struct latency_run run = cases[i].run;
		struct frame frame;

		run.cpus = cpus;
		run.errors = errors;
		frame_open(&frame, topic_schemas(), n_topics);
		latency_run_notices(&run, &frame);
		ck_assert_uint_eq(frame.n_notices, cases[i].text != NULL);
		ck_assert_pstr_eq(cases[i].text ? frame.notices[0].text : NULL, cases[i].text);
		ck_assert_pstr_eq(cases[i].text ? frame.notices[0].remedy : NULL, cases[i].remedy);
		frame_close(&frame);
	}
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* A plan that needs no right, on one CPU that we may use. */
static struct latency_plan plain_plan(uint32_t *cpu)
{
	static uint32_t cpus[CPU_LIST_MAX];
	struct latency_plan plan;

	latency_run_plan(usual_settings(), false, &plan);
	plan.policy = LATENCY_OTHER;
	plan.threads = &real_threads;
	ck_assert_uint_gt(latency_probe_own_cpus(cpus, CPU_LIST_MAX), 0);
	*cpu = cpus[0];
	return plan;
}

static struct latency_probe *start(const struct latency_plan *plan, uint32_t cpu)
{
	int own = 0, error;
	struct latency_probe *probe = latency_probe_open(plan, &cpu, 1, &own, &error);

	ck_assert_ptr_nonnull(probe);
	ck_assert_int_eq(own, 0);
	return probe;
}

static void await_end(struct latency_probe *probe)
{
	for (int i = 0; i < 500 && !latency_probe_has_ended(probe); i++)
		pause_ms(10);
	ck_assert(latency_probe_has_ended(probe));
}

/* Reads until it has counted so many, or, of 0, none. */
static void await_count(struct latency_probe *probe, unsigned phase, struct latency_counts *counts,
			uint64_t wanted)
{
	for (int i = 0; i < 500; i++) {
		latency_probe_read(probe, 0, phase, counts);
		if (wanted ? counts->times.count >= wanted : counts->times.count == 0)
			return;
		pause_ms(10);
	}
	ck_abort_msg("%u of %u", (unsigned)counts->times.count, (unsigned)wanted);
}

/* Samples and missed periods together are all periods: none is lost. */
START_TEST(every_method_counts_every_period)
{
	struct latency_counts *counts = alloc_zeroed(1, sizeof(*counts));
	uint32_t cpu;
	struct latency_plan plan = plain_plan(&cpu);
	int standard_input = fcntl(STDIN_FILENO, F_GETFD);

	plan.duration_ns = 100000000;
	counts->linear = new_histogram(0);
	plan.bucket_ns = 10000;
	for (int method = 0; method < N_LATENCY_METHODS; method++) {
		uint64_t count;
		struct latency_probe *probe;

		plan.method = (enum latency_method)method;
		probe = start(&plan, cpu);
		await_end(probe);
		ck_assert(latency_probe_read(probe, 0, 0, counts));
		count = counts->times.count;
		ck_assert_uint_ge(count + counts->missed, 100);
		ck_assert_uint_gt(count, 0);
		ck_assert(counted(&counts->times) == count && counted(counts->linear) == count);
		ck_assert_uint_eq(counts->n_worst, count < LATENCY_WORST ? count : LATENCY_WORST);
		latency_probe_close(probe);
		ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), standard_input); /* it closed its own alone */
	}
	free(counts->linear);
	free(counts);
}

/* The reader sees counters of one moment while the thread writes them as fast as it may. */
START_TEST(reading_does_not_tear_and_restarts_forget)
{
	struct latency_counts *counts = alloc_zeroed(1, sizeof(*counts));
	uint32_t cpu;
	struct latency_plan plan = plain_plan(&cpu);
	struct latency_probe *probe;
	uint64_t before = 0;

	plan.period_ns = 50000;
	probe = start(&plan, cpu);
	await_count(probe, 0, counts, 1);
	for (int i = 0; i < 200; i++) {
		latency_probe_read(probe, 0, 0, counts);
		ck_assert_uint_eq(counted(&counts->times), counts->times.count);
		ck_assert_uint_ge(counts->times.count, before);
		before = counts->times.count;
		pause_ms(1);
	}
	ck_assert_uint_gt(before, 0);
	latency_probe_restart(probe);
	for (int i = 0; i < 1000 && counts->times.count >= before; i++) {
		pause_ms(1);
		latency_probe_read(probe, 0, 0, counts);
	}
	ck_assert_uint_lt(counts->times.count, before);
	latency_probe_close(probe);
	free(counts);
}

START_TEST(a_stopped_thread_keeps_its_counts)
{
	struct latency_counts *counts = alloc_zeroed(1, sizeof(*counts));
	uint32_t cpu;
	struct latency_plan plan = plain_plan(&cpu);
	struct latency_probe *probe = start(&plan, cpu);
	uint64_t stopped;

	await_count(probe, 0, counts, 5);
	latency_probe_stop(probe);
	latency_probe_stop(probe);
	ck_assert(latency_probe_read(probe, 0, 0, counts));
	stopped = counts->times.count;
	ck_assert_uint_ge(stopped, 5);
	pause_ms(20);
	latency_probe_read(probe, 0, 0, counts);
	ck_assert_uint_eq(counts->times.count, stopped);
	ck_assert_uint_gt(latency_probe_cpu_ns(probe, 0), 0);
	latency_probe_close(probe);
	free(counts);
}

START_TEST(phases_are_counted_apart_and_an_ended_plan_starts_anew)
{
	struct latency_counts *counts = alloc_zeroed(1, sizeof(*counts));
	uint32_t cpu;
	struct latency_plan plan = plain_plan(&cpu);
	struct latency_probe *probe;

	plan.n_phases = LATENCY_PHASES;
	plan.samples = 5;
	plan.bucket_ns = 10000;
	counts->linear = new_histogram(0);
	probe = start(&plan, cpu);
	await_end(probe);
	await_count(probe, 0, counts, 5);
	latency_probe_set_phase(probe, 1);
	latency_probe_restart(probe);
	await_count(probe, 0, counts, 0);
	await_count(probe, 1, counts, 5);
	ck_assert_uint_eq(counts->times.count, 5);
	ck_assert_uint_eq(counted(counts->linear), 5);
	latency_probe_set_phase(probe, 2);
	latency_probe_restart(probe); /* of all phases */
	await_count(probe, 1, counts, 0);
	await_count(probe, 0, counts, 0);
	ck_assert_uint_eq(counted(counts->linear), 0);
	latency_probe_close(probe);
	free(counts->linear);
	free(counts);
}

START_TEST(a_cpu_that_is_not_there_is_an_error_of_its_own)
{
	uint32_t cpu, cpus[2];
	struct latency_plan plan = plain_plan(&cpu);
	int errors[2] = { 0, -ENODEV }, error;
	struct latency_probe *probe;

	cpus[0] = 60000;
	cpus[1] = 60001;
	ck_assert_ptr_null(latency_probe_open(&plan, cpus, 2, errors, &error));
	ck_assert_int_eq(errors[0], -EINVAL);
	ck_assert_int_lt(error, 0);
	errors[0] = errors[1] = 0;
	cpus[1] = cpu;
	probe = latency_probe_open(&plan, cpus, 2, errors, &error);
	ck_assert_ptr_nonnull(probe);
	ck_assert_int_eq(errors[0], -EINVAL);
	ck_assert_int_eq(errors[1], 0);
	latency_probe_close(probe);
}

/* What panetop does to start is no part of what it measures. */
START_TEST(nothing_is_measured_before_the_first_period)
{
	struct latency_counts *counts = alloc_zeroed(1, sizeof(*counts));
	uint64_t opened_ns = real_mono_ns();
	struct latency_probe *probe;
	uint32_t cpu;
	struct latency_plan plan = plain_plan(&cpu);

	plan.samples = 5;
	probe = start(&plan, cpu);
	await_end(probe);
	ck_assert(latency_probe_read(probe, 0, 0, counts));
	ck_assert_uint_eq(counts->n_worst, 5);
	for (unsigned i = 0; i < counts->n_worst; i++)
		ck_assert_uint_gt(counts->worst[i].woken_ns, opened_ns + plan.settle_ns);
	latency_probe_close(probe);
	free(counts);
}

static const char *plan_text(const struct settings *settings, bool command)
{
	struct latency_plan plan;

	latency_run_plan(&settings->topic, command, &plan);
	ck_assert_uint_gt(plan.settle_ns, 0);
	return textf("policy %d priority %d method %d, %u phases, period %u slack %u", (int)plan.policy,
		     plan.priority, (int)plan.method, plan.n_phases, (unsigned)plan.period_ns,
		     (unsigned)plan.slack_ns);
}

START_TEST(settings_become_a_plan)
{
	struct settings settings;
	struct env env;
	uint32_t *cpus;
	int *errors;

	settings_open(&settings);
	ck_assert_str_eq(
		plan_text(&settings, false),
		textf("policy %d priority 80 method 0, 1 phases, period 1000000 slack 1", LATENCY_FIFO));
	ck_assert(settings_set(&settings, "latency.policy", "other", 0));
	ck_assert(settings_set(&settings, "latency.period", "250us", 0));
	ck_assert(settings_set(&settings, "latency.slack", "5e-5", 0));
	ck_assert(settings_set(&settings, "latency.method", "timerfd", 0));
	ck_assert(settings_set(&settings, "latency.cpus", "1,0-1,60000", 0));
	ck_assert_str_eq(plan_text(&settings, true),
			 textf("policy %d priority 80 method %d, %d phases, period 250000 slack 50000",
			       LATENCY_OTHER, LATENCY_TIMERFD, LATENCY_PHASES));
	ck_assert_int_eq(env_open(&env, fixture_root("rt-group", 0)), 0);
	ck_assert_uint_eq(latency_run_cpus(&env, settings.topic.latency.cpus, &cpus, &errors), 3);
	ck_assert(cpus[0] == 1 && cpus[1] == 0);
	ck_assert_int_eq(errors[2], -ENODEV);
	free(cpus);
	free(errors);
	env_close(&env);
	settings_close(&settings);
}

/* What is tried after a refusal never goes round in circles, and ends with what everybody may do. */
START_TEST(the_next_best_ends_with_other)
{
	for (int policy = 0; policy < N_LATENCY_POLICIES; policy++) {
		struct latency_plan asked = { .policy = (enum latency_policy)policy, .priority = 80 },
				   plan = asked;
		unsigned step = 0;

		while (latency_run_fallback(&asked, 10, step, &plan))
			step++;
		ck_assert_uint_le(step, 4);
		ck_assert_int_eq(plan.policy, LATENCY_OTHER);
	}
}

/* First the highest priority that RLIMIT_RTPRIO permits, if it is another one, then a deadline, then none. */
START_TEST(the_next_best_is_the_highest_priority_that_is_permitted)
{
	static const struct {
		enum latency_policy policy;
		int limit;
		unsigned step;
		enum latency_policy next;
		int priority;
	} cases[] = {
		{ LATENCY_FIFO, 10, 0, LATENCY_FIFO, 10 },     { LATENCY_RR, 1, 0, LATENCY_RR, 1 },
		{ LATENCY_RR, 80, 0, LATENCY_DEADLINE, 80 },   { LATENCY_FIFO, 99, 0, LATENCY_DEADLINE, 80 },
		{ LATENCY_FIFO, 0, 0, LATENCY_DEADLINE, 80 },  { LATENCY_DEADLINE, 10, 0, LATENCY_FIFO, 10 },
		{ LATENCY_DEADLINE, 90, 0, LATENCY_FIFO, 80 }, { LATENCY_DEADLINE, 0, 0, LATENCY_OTHER, 80 },
		{ LATENCY_FIFO, 10, 1, LATENCY_DEADLINE, 80 }, { LATENCY_FIFO, 10, 2, LATENCY_OTHER, 80 },
		{ LATENCY_DEADLINE, 10, 1, LATENCY_OTHER, 80 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct latency_plan asked = { .policy = cases[i].policy, .priority = 80 }, plan;

		latency_run_fallback(&asked, cases[i].limit, cases[i].step, &plan);
		ck_assert_msg(plan.policy == cases[i].next && plan.priority == cases[i].priority,
			      "case %zu: %d, %d", i, (int)plan.policy, plan.priority);
	}
}

START_TEST(a_group_without_runtime_is_named)
{
	struct latency_plan asked = { .policy = LATENCY_FIFO, .priority = 80 };
	char reason[160];
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("rt-group", 0)), 0);
	ck_assert_ptr_nonnull(latency_run_refusal(&env, &asked, -EPERM, reason, sizeof(reason)));
	if (latency_probe_may_nice())
		ck_assert_ptr_nonnull(strstr(reason, "/jobs/batch"));
	else
		ck_assert_ptr_nonnull(strstr(reason, "RLIMIT_RTPRIO"));
	ck_assert_ptr_nonnull(latency_run_refusal(&env, &asked, -EBUSY, reason, sizeof(reason)));
	ck_assert_ptr_nonnull(strstr(reason, "bandwidth"));
	env_close(&env);
}

/* A frame with one bucket of one CPU. */
static void make_frame(struct frame *frame, unsigned second, uint64_t samples, double measured)
{
	struct table *buckets, *latency;
	void *row;

	frame_open(frame, topic_schemas(), n_topics);
	frame->mono_ns = (1000 + second) * UINT64_C(1000000000);
	latency = frame_slot(frame, "latency");
	buckets = frame_slot(frame, "latency_bucket");
	latency->present = buckets->present = true;
	latency->mono_ns = buckets->mono_ns = frame->mono_ns;
	row = table_add(latency);
	row_set_text(row, schema_find(latency->schema, "cpu"), "all");
	row_set_f64(row, schema_find(latency->schema, "measured_seconds"), measured);
	row_set_f64(row, schema_find(latency->schema, "p99_9_seconds"), 200e-6);
	row = table_add(buckets);
	row_set_text(row, schema_find(buckets->schema, "cpu"), "1");
	row_set_f64(row, schema_find(buckets->schema, "from_seconds"), 5024e-9);
	row_set_u64(row, schema_find(buckets->schema, "samples"), samples);
}

static uint64_t past_count(const struct bucket_past *past, uint16_t cpu, unsigned from, unsigned to)
{
	struct histogram *histogram = new_histogram(0);
	uint64_t count;

	past_sum(past, cpu, (1000 + from) * UINT64_C(1000000000), (1000 + to) * UINT64_C(1000000000),
		 histogram);
	count = histogram->count;
	if (count > 0)
		ck_assert_uint_eq(histogram->buckets[histogram_index(0, 5024)], count);
	free(histogram);
	return count;
}

START_TEST(the_past_is_made_of_differences_and_restarts)
{
	static const struct {
		unsigned second;
		uint64_t samples;
		double measured;
	} ticks[] = { { 0, 10, 0.1 }, { 1, 40, 1.1 }, { 2, 45, 2.1 }, { 3, 7, 0.5 }, { 4, 19, 1.5 } };
	struct bucket_past *past = alloc_zeroed(1, sizeof(*past));
	struct frame frames[5];

	for (unsigned i = 0; i < 5; i++) {
		make_frame(&frames[i], ticks[i].second, ticks[i].samples, ticks[i].measured);
		frame_derive(&frames[i], i > 0 ? &frames[i - 1] : NULL);
		if (i < 3)
			latency_past_add(past, &frames[i]);
	}
	ck_assert_uint_eq(past_count(past, PAST_ALL, 0, 2), 35);
	ck_assert_uint_eq(past_count(past, past_cpu("1"), 1, 2), 5);
	ck_assert_uint_eq(past_count(past, past_cpu("0"), 0, 2), 0);
	latency_past_add(past, &frames[1]); /* a step back in a recording */
	ck_assert_uint_eq(past_count(past, PAST_ALL, 0, 2), 30);
	latency_past_add(past, &frames[2]);
	ck_assert_uint_eq(past_count(past, PAST_ALL, 0, 2), 35);
	latency_past_add(past, &frames[3]); /* measured anew */
	latency_past_add(past, &frames[4]);
	ck_assert_uint_eq(past_count(past, PAST_ALL, 0, 4), 12);
	for (unsigned i = 0; i < 5; i++)
		frame_close(&frames[i]);
	free(past);
}

static const struct pane_assertion pane_assertion = {
	.topic = "latency",
	.row = "all",
	.phases = "latency_phase",
	.during = "during",
	.after = "after",
};
static const struct pane pane = { .name = "latency", .assertion = &pane_assertion };

static int judge(const char *text, const struct frame *frame)
{
	struct options options = { .assertion = text, .panes = { &pane }, .n_panes = 1 };
	bool *wanted = alloc_zeroed(n_topics, sizeof(*wanted));
	const struct run_plan run = { .wanted = wanted };
	struct assertion assertion;
	int status;

	memset(wanted, true, n_topics);
	status = assertion_open(&assertion, &options, &run);
	if (!status) {
		assertion_take(&assertion, frame);
		status = assertion_judge(&assertion);
	}
	assertion_close(&assertion);
	free(wanted);
	return status;
}

START_TEST(the_assertion_holds_breaks_or_is_refused)
{
	static const struct {
		const char *text;
		int status;
	} cases[] = {
		{ "p99_9_seconds < 201e-6", 0 },
		{ "p99_9_seconds<=200us", 0 },
		{ " p99_9_seconds > 0.1ms , p99_9_seconds < 1 ", 0 },
		{ "p99_9_seconds < 200us", 3 },
		{ "p99_9_seconds > 1ms", 3 },
		{ "max_seconds < 1", 3 }, /* not known */
		{ "p99_9_seconds < 1, p99_9_seconds < 1e-6", 3 },
		{ "p99_9_seconds == 1", 3 },
		{ "p99_9 < 1", 2 },
		{ "policy < 1", 2 },
		{ "p99_9_seconds", 2 },
		{ "p99_9_seconds < ", 2 },
		{ "p99_9_seconds < 1 x", 2 },
		{ "p99_9_seconds < 1,", 2 },
	};
	struct frame frame;

	make_frame(&frame, 0, 1, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(judge(cases[i].text, &frame) == cases[i].status, "%s", cases[i].text);
	frame_close(&frame);
}
