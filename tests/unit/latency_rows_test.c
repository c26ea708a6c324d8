/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the topics of latency over wake-ups that the test gives, in the place of the threads that
 * measure: to the nanosecond, on any machine, without rights.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "sys/latency_probe.h"
#include "sys/latency_thread.h"
#include "topic/latency/latency_run.h"
#include "topic/reader.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define CPUS_MAX 4
#define TIMES_MAX 64

/* What a thread has counted. */
struct counted {
	uint64_t times_ns[LATENCY_PHASES][TIMES_MAX];
	unsigned n_times[LATENCY_PHASES];
	uint64_t missed, cpu_ns;
	bool is_away;
};

struct latency_probe {
	struct latency_plan plan;
	uint32_t cpus[CPUS_MAX];
	size_t n_cpus;
	struct counted threads[CPUS_MAX];
	bool ended, stopped;
	unsigned phase, n_restarts;
};

static struct latency_probe probe;
static const struct still_clock *now; /* of the rig */
static bool permitted[N_LATENCY_POLICIES]; /* others are refused */
static int cpu_error;                      /* of the CPU 2 */
static int awake_error;                    /* 0: idle states are held off */

struct latency_probe *latency_probe_open(const struct latency_plan *plan, const uint32_t *cpus, size_t n_cpus,
					 int *errors, int *error)
{
	*error = permitted[plan->policy] ? 0 : -EPERM;
	if (*error)
		return NULL;
	ck_assert_uint_le(n_cpus, CPUS_MAX);
	probe = (struct latency_probe){ .plan = *plan, .n_cpus = n_cpus };
	memcpy(probe.cpus, cpus, n_cpus * sizeof(*cpus));
	for (size_t i = 0; i < n_cpus; i++)
		if (cpus[i] == 2 && cpu_error)
			errors[i] = cpu_error;
	return &probe;
}

uint64_t latency_probe_start_ns(const struct latency_probe *of)
{
	(void)of;
	return now->ns + 100 * MS;
}

void latency_probe_stop(struct latency_probe *of)
{
	of->stopped = true;
}

void latency_probe_close(struct latency_probe *of)
{
	(void)of;
}

/* As the threads count: sums are exact. */
static void count(struct histogram *histogram, uint64_t width_ns, uint64_t ns)
{
	histogram->buckets[histogram_index(width_ns, ns)]++;
	histogram->count++;
	histogram->sum_ns += ns;
	histogram->squares += (double)ns * (double)ns;
	histogram->min_ns = ns < histogram->min_ns ? ns : histogram->min_ns;
	histogram->max_ns = ns > histogram->max_ns ? ns : histogram->max_ns;
}

bool latency_probe_read(const struct latency_probe *of, size_t index, unsigned phase,
			struct latency_counts *counts)
{
	const struct counted *thread = &of->threads[index];

	if (of->cpus[index] == 2 && cpu_error)
		return false;
	histogram_clear(&counts->times, 0);
	if (counts->linear)
		histogram_clear(counts->linear, of->plan.bucket_ns);
	counts->n_worst = 0;
	for (unsigned i = 0; i < thread->n_times[phase]; i++) {
		uint64_t ns = thread->times_ns[phase][i];

		count(&counts->times, 0, ns);
		if (counts->linear)
			count(counts->linear, of->plan.bucket_ns, ns);
		if (counts->n_worst < LATENCY_WORST)
			counts->worst[counts->n_worst++] =
				(struct latency_wakeup){ .woken_ns = 5000 + ns, .late_ns = ns };
	}
	counts->missed = phase == 0 ? thread->missed : 0;
	return true;
}

uint64_t latency_probe_cpu_ns(const struct latency_probe *of, size_t index)
{
	return of->threads[index].cpu_ns;
}

bool latency_probe_is_away(const struct latency_probe *of, size_t index)
{
	return of->threads[index].is_away;
}

bool latency_probe_has_ended(const struct latency_probe *of)
{
	return of->ended;
}

void latency_probe_restart(struct latency_probe *of)
{
	of->n_restarts++;
}

void latency_probe_set_phase(struct latency_probe *of, unsigned phase)
{
	of->phase = phase;
}

enum latency_lock latency_probe_locked(const struct latency_probe *of)
{
	return of->plan.policy == LATENCY_OTHER ? LATENCY_LOCK_NONE
	       : of->plan.n_phases > 1          ? LATENCY_LOCK_ALL
						: LATENCY_LOCK_OWN;
}

bool latency_probe_may_nice(void)
{
	return false;
}

int latency_probe_priority_limit(void)
{
	return 0;
}

size_t latency_probe_own_cpus(uint32_t *cpus, size_t room)
{
	ck_assert_uint_ge(room, 2);
	cpus[0] = 0;
	cpus[1] = 1;
	return 2;
}

int latency_probe_hold_awake(void)
{
	return awake_error ? awake_error : dup(STDERR_FILENO);
}

static enum latency_policy tried_policy;
static int tried_priority, policy_error;

int latency_thread_try_policy(enum latency_policy policy, int priority)
{
	tried_policy = policy;
	tried_priority = priority;
	return policy_error;
}

static void begin(struct rig *rig, const char *settings, bool command)
{
	static const char *const measured[] = { "latency", "latency_phase", "latency_bucket" };
	char text[256], *rest, *name;

	cpu_error = awake_error = 0;
	rig_open(rig, "readers", NULL);
	now = &rig->clock;
	rig->env.live = true;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rig_make(rig, textf("sys/devices/system/cpu/cpu%u", cpu));
	snprintf(text, sizeof(text), "%s", settings);
	for (rest = text; (name = strsep(&rest, ";")) && *name;) {
		char *value = strchr(name, '=');

		*value++ = '\0';
		ck_assert(settings_set(&rig->settings, name, value, 0));
	}
	if (command)
		rig->request.command = true;
	for (unsigned i = 0; i < 3; i++)
		rig_add(rig, measured[i]);
	rig_sample(rig, 0);
}

static const struct frame *sample_after(struct rig *rig, uint64_t seconds)
{
	return rig_sample(rig, (double)seconds);
}

static void give(unsigned thread, unsigned phase, const uint64_t *times_ns, unsigned n)
{
	struct counted *to = &probe.threads[thread];

	for (unsigned i = 0; i < n; i++)
		to->times_ns[phase][to->n_times[phase]++] = times_ns[i];
}

#define GIVE(thread, phase, ...)                                                                             \
	give(thread, phase, (const uint64_t[]){ __VA_ARGS__ },                                               \
	     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

START_TEST(figures_are_those_of_all_and_of_each_cpu)
{
	const struct frame *frame;
	struct rig rig;

	permitted[LATENCY_FIFO] = true;
	begin(&rig, "", false);
	ck_assert_int_eq(probe.plan.policy, LATENCY_FIFO);
	sample_after(&rig, 0);
	GIVE(0, 0, 10, 20, 30, 40);
	GIVE(1, 0, 100, 60);
	probe.threads[0].missed = 3;
	probe.threads[0].cpu_ns = 20 * MS;
	probe.threads[1].cpu_ns = 30 * MS;
	frame = sample_after(&rig, 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	check_row(frame, "latency",
		  "cpu=all policy=fifo priority=80 samples=6 missed=3 min_seconds=1e-08 "
		  "mean_seconds=4.333333333e-08 mode_seconds=1e-08 stddev_seconds=2.98142397e-08 "
		  "p25_seconds=2e-08 p50_seconds=3e-08 p75_seconds=6e-08 p90_seconds=1e-07 "
		  "p95_seconds=1e-07 p99_seconds=1e-07 p99_5_seconds=1e-07 p99_9_seconds=1e-07 "
		  "p99_99_seconds=1e-07 max_seconds=1e-07 samples_per_second=3.157894737 degraded=0 "
		  "missed_per_second=1.578947368 thread_seconds=0.05 thread_ratio=0.02631578947 "
		  "method=clock_ns period_seconds=0.001 slack_seconds=0 locked=own idle_states=as they are "
		  "cpus=2 measured_seconds=1.9");
	check_values(frame, "latency",
		     "cpu=1 samples=2 missed=0 mean_seconds=8e-08 p50_seconds=6e-08 p75_seconds=1e-07 "
		     "thread_seconds=0.03 "
		     "thread_ratio=0.01578947368");
	ck_assert_uint_eq(frame_table(frame, "latency")->n_rows, 3);
	ck_assert_uint_eq(frame_table(frame, "latency_phase")->n_rows, 0);
	check_row(frame, "latency_bucket",
		  "cpu=all from_seconds=1e-08 to_seconds=1.1e-08 samples=1 samples_per_second=0.5");
	check_row(frame, "latency_bucket",
		  "cpu=0 from_seconds=4e-08 to_seconds=4.1e-08 samples=1 samples_per_second=0.5");
	check_row(frame, "latency_bucket",
		  "cpu=1 from_seconds=1e-07 to_seconds=1.01e-07 samples=1 samples_per_second=0.5");
	ck_assert_uint_eq(frame_table(frame, "latency_bucket")->n_rows, 12);
	GIVE(0, 0, 10, 10);
	frame = sample_after(&rig, 2);
	check_row(frame, "latency_bucket",
		  "cpu=all from_seconds=1e-08 to_seconds=1.1e-08 samples=3 samples_per_second=1");
	ck_assert(!rig.env.finished);
	probe.ended = true;
	sample_after(&rig, 1);
	ck_assert(rig.env.finished);
	rig_close(&rig);
}

START_TEST(phases_are_those_of_a_command)
{
	const struct frame *frame;
	struct rig rig;

	permitted[LATENCY_RR] = true;
	begin(&rig, "latency.policy=rr;latency.priority=5;latency.bucket=100us;latency.duration=3", true);
	GIVE(0, 0, 50 * US);
	GIVE(0, 1, 150 * US, 250 * US);
	GIVE(1, 1, 250 * US);
	GIVE(1, 2, 500 * MS);
	frame = sample_after(&rig, 10);
	check_values(frame, "latency_phase",
		     "phase=before samples=1 missed=0 mean_seconds=5e-05 stddev_seconds=0 p50_seconds=5e-05 "
		     "p99_99_seconds=5e-05 max_seconds=5e-05");
	check_values(frame, "latency_phase", "phase=during samples=3 max_seconds=0.00025");
	check_values(frame, "latency_phase", "phase=after samples=1");
	check_values(
		frame, "latency",
		"cpu=all samples=5 priority=5 policy=rr locked=all bucket_seconds=0.0001 measured_seconds=3");
	check_values(frame, "latency", "cpu=0 samples=3");
	check_row(frame, "latency_bucket",
		  "cpu=all from_seconds=0.0002 to_seconds=0.0003 samples=2 samples_per_second=0.2");
	check_row(frame, "latency_bucket", /* and all longer ones */
		  "cpu=1 from_seconds=0.3807 samples=1 samples_per_second=0.1");
	ck_assert_uint_eq(frame_table(frame, "latency_bucket")->n_rows, 4 + 3 + 2);
	rig_close(&rig);
}

static int done_error;
static unsigned n_done;

static void note_done(void *context, int error)
{
	(void)context;
	done_error = error;
	n_done++;
}

static void act(struct rig *rig, const char *action, int error)
{
	ck_assert_int_eq(topic_find("latency")->act(&rig->env, action, note_done, NULL), error);
}

START_TEST(orders_reach_the_threads)
{
	struct rig rig;

	permitted[LATENCY_FIFO] = true;
	begin(&rig, "latency.cpu-dma-latency=yes", true);
	GIVE(0, 0, 10, 20);
	check_values(sample_after(&rig, 2), "latency", "cpu=all idle_states=held off");
	act(&rig, "during", 0);
	ck_assert_uint_eq(probe.phase, 1);
	act(&rig, "after", 0);
	ck_assert_uint_eq(probe.phase, 2);
	ck_assert_uint_eq(probe.n_restarts, 0);
	rig.clock.ns += 3000 * MS;
	act(&rig, "restart", 0);
	ck_assert_uint_eq(probe.n_restarts, 1);
	check_values(sample_after(&rig, 1), "latency", "cpu=all measured_seconds=1");
	ck_assert_int_eq(topic_find("latency")->act(&rig.env, "stop", NULL, NULL), 0); /* may it be? */
	ck_assert(!probe.stopped);
	rig.clock.ns += 1000 * MS;
	act(&rig, "stop", 0);
	ck_assert(probe.stopped && n_done == 4 && done_error == 0);
	check_values(sample_after(&rig, 7), "latency", "cpu=all measured_seconds=2 idle_states=as they are");
	act(&rig, "restart", -ESHUTDOWN);
	rig_close(&rig);
}

static const char *notice_of(const struct frame *frame, const char *part)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strstr(frame->notices[i].text, part))
			return frame->notices[i].text;
	return "";
}

START_TEST(what_is_refused_is_measured_otherwise)
{
	const struct frame *frame;
	struct rig rig;

	permitted[LATENCY_FIFO] = permitted[LATENCY_DEADLINE] = false;
	permitted[LATENCY_OTHER] = true;
	awake_error = 0;
	begin(&rig, "latency.cpus=0-2,9;latency.slack=7us", false);
	frame = sample_after(&rig, 1);
	ck_assert_str_eq(notice_of(frame, "fifo"),
			 "fifo is not permitted, measuring with other: no CAP_SYS_NICE, and RLIMIT_RTPRIO "
			 "is 0");
	ck_assert_str_eq(notice_of(frame, "cannot be measured"),
			 "CPU 9 cannot be measured: No such device");
	check_values(frame, "latency", "cpu=all policy=other priority=0 degraded=1 cpus=3 asked=fifo 80");
	check_values(frame, "latency", "cpu=0 locked=no slack_seconds=7e-06");
	ck_assert_uint_eq(frame_table(frame, "latency")->n_rows, 4);
	probe.threads[1].is_away = true;
	frame = sample_after(&rig, 1);
	ck_assert_str_eq(notice_of(frame, "offline"),
			 "CPU 1 is offline; measuring resumes when it is back");
	rig_close(&rig);
}

START_TEST(cpus_that_cannot_be_measured_are_counted)
{
	const struct frame *frame;
	struct rig rig;

	permitted[LATENCY_FIFO] = true;
	rig_open(&rig, "readers", NULL);
	now = &rig.clock;
	rig.env.live = true;
	rig_make(&rig, "sys/devices/system/cpu/cpu2");
	rig_make(&rig, "sys/devices/system/cpu/cpu3");
	ck_assert(settings_set(&rig.settings, "latency.cpus", "2-3,8,9", 0));
	ck_assert(settings_set(&rig.settings, "latency.cpu-dma-latency", "yes", 0));
	cpu_error = -EINVAL;
	awake_error = -EACCES;
	rig_add(&rig, "latency");
	rig_sample(&rig, 0);
	GIVE(0, 0, 10);
	GIVE(1, 0, 20, 30);
	frame = sample_after(&rig, 1);
	ck_assert_str_eq(notice_of(frame, "cannot be measured"),
			 "CPU 2 and 2 more cannot be measured: Invalid argument");
	ck_assert_str_eq(notice_of(frame, "dma"),
			 "/dev/cpu_dma_latency: Permission denied; idle states are not held off");
	ck_assert_uint_eq(frame_table(frame, "latency")->n_rows, 2);
	check_values(frame, "latency", "cpu=all samples=2");
	check_values(frame, "latency", "cpu=3 samples=2");
	rig_close(&rig);
}

START_TEST(a_deadline_runs_on_any_cpu)
{
	const struct frame *frame;
	struct rig rig;

	permitted[LATENCY_DEADLINE] = true;
	begin(&rig, "latency.policy=deadline;latency.cpus=1,3", false);
	ck_assert_uint_eq(probe.n_cpus, 1);
	ck_assert_uint_eq(probe.cpus[0], LATENCY_ANY_CPU);
	GIVE(0, 0, 10);
	frame = sample_after(&rig, 1);
	check_values(frame, "latency", "cpu=any samples=1 slack_seconds=0 priority=0 degraded=0");
	ck_assert_str_ne(notice_of(frame, "cannot be pinned"), "");
	rig_close(&rig);
}

/* Of all CPUs and phases the largest twenty, in their order; equals as they came. */
START_TEST(the_worst_are_sorted)
{
	const struct latency_run *run;
	struct rig rig;

	permitted[LATENCY_FIFO] = true;
	begin(&rig, "", false);
	sample_after(&rig, 0);
	GIVE(0, 0, 50, 10, 40, 20, 30);
	GIVE(1, 0, 25, 60, 5, 40);
	sample_after(&rig, 1);
	run = reader_state(&latency_run_reader, &rig.env);
	ck_assert_uint_eq(run->n_worst, 9);
	for (unsigned i = 0; i < 9; i++) {
		static const unsigned expected[][2] = { { 60, 1 }, { 50, 0 }, { 40, 0 }, { 40, 1 }, { 30, 0 },
							{ 25, 1 }, { 20, 0 }, { 10, 0 }, { 5, 1 } };

		ck_assert_uint_eq(run->worst[i].late.late_ns, expected[i][0]);
		ck_assert_uint_eq(run->worst[i].cpu, expected[i][1]);
	}
	for (uint64_t ns = 1; ns <= 20; ns++)
		GIVE(1, 0, 100 + ns);
	sample_after(&rig, 1);
	ck_assert_uint_eq(run->n_worst, LATENCY_WORST);
	ck_assert_uint_eq(run->worst[0].late.late_ns, 116); /* of the twenty of that CPU */
	rig_close(&rig);
}

/* What a probe tries: of a real-time policy the least priority, of a deadline none. */
START_TEST(what_measures_is_tried)
{
	const struct topic *topic = topic_find("latency");
	struct env env = { .live = true };
	int before = dup(STDERR_FILENO);

	close(before);
	for (unsigned i = 0; i < 2; i++) {
		policy_error = i ? -EBUSY : 0;
		awake_error = i ? -EACCES : 0;
		tried_policy = N_LATENCY_POLICIES;
		ck_assert_int_eq(topic->sources[0].test(&env), 0);
		ck_assert_int_eq(topic_source(topic, "scheduling policy fifo")->test(&env), policy_error);
		ck_assert(tried_policy == LATENCY_FIFO && tried_priority == 1);
		ck_assert_int_eq(topic_source(topic, "scheduling policy deadline")->test(&env), policy_error);
		ck_assert(tried_policy == LATENCY_DEADLINE && tried_priority == 0);
		ck_assert_int_eq(topic_source(topic, "/dev/cpu_dma_latency")->test(&env), awake_error);
		ck_assert_int_eq(dup(STDERR_FILENO), before); /* it is held no longer */
		close(before);
	}
	env.live = false;
	tried_policy = N_LATENCY_POLICIES;
	awake_error = 0;
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(topic->sources[i].test(&env), -ENOTSUP);
	ck_assert_int_eq(tried_policy, N_LATENCY_POLICIES);
	ck_assert_ptr_null(topic->sources[4].path);
	ck_assert_ptr_null(topic_find("latency_phase")->sources[0].path);
}

/* Its files in each of three turns. */
static void put_machine(struct rig *rig, unsigned turn)
{
	static const struct {
		unsigned pid, cpu, ticks[3];
		const char *name;
	} tasks[] = {
		{ 1, 3, { 0, 90, 0 }, "else" }, { 7, 1, { 0, 30, 0 }, "own" },
		{ 8, 1, { 0, 15, 0 }, "one" },  { 9, 1, { 0, 25, 0 }, "most" },
		{ 10, 1, { 0, 20, 6 }, "two" }, { 11, 0, { 0, 0, 0 }, "none" },
	};
	static unsigned used[6];

	for (unsigned i = 0; i < 6; i++) {
		used[i] += tasks[i].ticks[turn];
		rig_put(rig, textf("proc/%u/stat", tasks[i].pid),
			"%u (%s) S 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
			"17 %u 0\n",
			tasks[i].pid, tasks[i].name, used[i], tasks[i].cpu);
	}
	rig_put(rig, "proc/stat", "cpu  1 0 1 1 0 0 0 0 0 0\nctxt %u\nprocesses %u\n", 5000 + 1000 * turn,
		700 + 40 * turn);
	rig_put(rig, "proc/interrupts", "     CPU0 CPU1\n36: %u %u PCI one\n37: 5 %u PCI other\n", 10 + turn,
		20 + 7 * turn, 30 + 9 * turn);
	rig_put(rig, "proc/softirqs", "     CPU0 CPU1\nTIMER: %u %u\nRCU: 4 4\n", 10, 20 + 100 * turn);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		rig_put(rig, textf("sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count", cpu),
			"%u\n", 3 + (cpu == 1 ? 4 : 0) * turn);
}

/* What the machine did in the interval in which a wake-up was late stays with it. */
START_TEST(the_worst_have_what_the_machine_did)
{
	const struct frame *frame;
	struct rig rig;

	permitted[LATENCY_FIFO] = true;
	begin(&rig, "", false);
	rig.env.live = false; /* processes have no clocks here */
	rig.request.own_pid = 7;
	put_machine(&rig, 0);
	rig_add(&rig, "latency_worst");
	probe.threads[0].cpu_ns = 7 * MS;
	GIVE(0, 0, 40 * US);
	frame = sample_after(&rig, 2);
	check_values(frame, "latency_worst",
		     "latency_seconds=4e-05 cpu=0 task_ratio=? n_interrupts=? forks_per_second=? throttles=? "
		     "context_switches_per_second=?");
	GIVE(0, 0, 30 * US);
	GIVE(1, 0, 50 * US);
	probe.threads[1].cpu_ns = 60 * MS; /* of the 300 ms that this process used */
	put_machine(&rig, 1);
	frame = sample_after(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "latency_worst")->n_rows, 3);
	check_values(frame, "latency_worst",
		     "latency_seconds=5e-05 cpu=1 task=most 9 task_ratio=0.125 n_interrupts=16 "
		     "interrupts=other 9, one 7 n_softirqs=100 softirqs=TIMER 100 forks_per_second=20 "
		     "context_switches_per_second=500 throttles=4");
	check_values(frame, "latency_worst", "latency_seconds=4e-05 forks_per_second=?"); /* as it was */
	check_values(frame, "latency_worst",
		     "latency_seconds=3e-05 cpu=0 task=? n_interrupts=1 n_softirqs=0 throttles=0");
	GIVE(1, 0, 60 * US);
	put_machine(&rig, 2);
	frame = sample_after(&rig, 4);
	check_values(frame, "latency_worst",
		     "latency_seconds=6e-05 task=two 10 task_ratio=0.015 forks_per_second=10");
	check_values(frame, "latency_worst", "latency_seconds=5e-05 task=most 9 forks_per_second=20");
	GIVE(1, 0, 70 * US);
	rig_put(&rig, "proc/stat", "cpu  1 0 1 1 0 0 0 0 0 0\nprocesses 787\n");
	check_values(sample_after(&rig, 1), "latency_worst",
		     "latency_seconds=7e-05 forks_per_second=7 context_switches_per_second=?");
	rig_close(&rig);
}
