/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the topics of latency over wake-ups that the test counts, in the place of the threads that
 * measure: to the nanosecond, on any machine, without rights.
 */
#include "rig.h"

#include <linux/capability.h>
#include <sys/resource.h>

#include "sys/latency_thread.h"
#include "sys/privilege.h"
#include "topic/latency/latency_run.h"
#include "topic/reader.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define CPUS_MAX 4

/* A thread that was to begin. */
static struct begun {
	struct machine_thread thread; /* the first member */
	struct latency_thread *of;
	uint64_t cpu_ns;
	bool has_ended;
} threads[CPUS_MAX]; /* of the last measurement that began */

static unsigned n_threads;
static bool permitted[N_LATENCY_POLICIES];
static int refusal = -EPERM; /* of the others */
static int cpu_error;        /* of the CPU 2 */
static enum latency_policy tried_policy;
static int tried_priority;

static struct machine_thread *begin_thread(const struct machine_threads *of, const struct thread_work *work,
					   void *context)
{
	struct latency_thread *thread = context;

	(void)work;
	tried_policy = thread->plan->policy;
	tried_priority = thread->plan->priority;
	thread->error = !permitted[tried_policy] ? refusal : thread->cpu == 2 ? cpu_error : 0;
	live_store(&thread->stage, LATENCY_PREPARED);
	if (thread->offset_ns == 0)
		n_threads = 0;
	ck_assert_uint_lt(n_threads, CPUS_MAX);
	threads[n_threads] = (struct begun){ { of }, thread, 0, false };
	return &threads[n_threads++].thread;
}

static bool end_thread(struct machine_thread *thread, bool waits)
{
	ck_assert(waits);
	((struct begun *)thread)->has_ended = true;
	return true;
}

static uint64_t cpu_ns(const struct machine_thread *thread)
{
	return ((const struct begun *)thread)->cpu_ns;
}

static const struct machine_threads script = { .start = begin_thread, .end = end_thread, .cpu_ns = cpu_ns };

static const struct latency_plan *plan(void)
{
	return threads[0].of->plan;
}

static const struct latency_control *control(void)
{
	return threads[0].of->control;
}

/* What a user without rights has: no priority, no locked memory. */
static void give_up_rights(void)
{
	const struct rlimit none = { 0, 0 };
	struct privilege_sets sets;

	ck_assert_int_eq(setrlimit(RLIMIT_RTPRIO, &none), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	ck_assert_int_eq(privilege_read_sets(&sets), 0);
	sets.effective &= ~(UINT64_C(1) << CAP_SYS_NICE | UINT64_C(1) << CAP_IPC_LOCK);
	sets.permitted &= sets.effective;
	ck_assert_int_eq(privilege_write_sets(&sets), 0);
}

/* That of sanitizers locks nothing, and reports success. */
static const char *locked(void)
{
	return mlockall(MCL_CURRENT) == 0 ? "all" : "no";
}

/* A machine with these CPUs, on which idle states can be held off if it has the file for it. */
static void open_rig(struct rig *rig, const char *cpus, bool has_awake)
{
	static const char *const none[] = { NULL };

	give_up_rights();
	rig_open(rig, "readers", none);
	rig->env.live = true;
	rig->env.own_threads = &script;
	for (; *cpus; cpus++)
		rig_make(rig, textf("sys/devices/system/cpu/cpu%c", *cpus));
	rig_make(rig, "dev");
	if (has_awake)
		rig_put(rig, "dev/cpu_dma_latency", "\n");
}

static void begin(struct rig *rig, const char *settings, bool command)
{
	static const char *const measured[] = { "latency", "latency_phase", "latency_bucket" };
	char text[256], *rest, *name;

	open_rig(rig, "0123", true);
	ck_assert(settings_set(&rig->settings, "latency.cpus", "0-1", 0));
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
	const struct latency_thread *to = threads[thread].of;

	for (unsigned i = 0; i < n; i++)
		live_count(to->counts[phase], to->plan, 5000 + times_ns[i], times_ns[i]);
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
	ck_assert_int_eq(plan()->policy, LATENCY_FIFO);
	sample_after(&rig, 0);
	GIVE(0, 0, 10, 20, 30, 40);
	GIVE(1, 0, 100, 60);
	live_store(&threads[0].of->counts[0]->missed, 3);
	threads[0].cpu_ns = 20 * MS;
	threads[1].cpu_ns = 30 * MS;
	frame = sample_after(&rig, 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	check_row(
		frame, "latency",
		textf("cpu=all policy=fifo priority=80 samples=6 missed=3 min_seconds=1e-08 "
		      "mean_seconds=4.333333333e-08 mode_seconds=1e-08 stddev_seconds=2.98142397e-08 "
		      "p25_seconds=2e-08 p50_seconds=3e-08 p75_seconds=6e-08 p90_seconds=1e-07 "
		      "p95_seconds=1e-07 p99_seconds=1e-07 p99_5_seconds=1e-07 p99_9_seconds=1e-07 "
		      "p99_99_seconds=1e-07 max_seconds=1e-07 samples_per_second=3.157894737 degraded=0 "
		      "missed_per_second=1.578947368 thread_seconds=0.05 thread_ratio=0.02631578947 "
		      "method=clock_ns period_seconds=0.001 slack_seconds=0 locked=%s "
		      "idle_states=as they are cpus=2 measured_seconds=1.9",
		      locked()));
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
	for (unsigned i = 0; i < n_threads; i++)
		live_store(&threads[i].of->ended, 1);
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
	check_values(frame, "latency",
		     "cpu=all samples=5 priority=5 policy=rr bucket_seconds=0.0001 measured_seconds=3");
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
	ck_assert_uint_eq(live_load(&control()->phase), 1);
	act(&rig, "after", 0);
	ck_assert_uint_eq(live_load(&control()->phase), 2);
	ck_assert_uint_eq(live_load(&control()->restarts), 0);
	rig.clock.ns += 3000 * MS;
	act(&rig, "restart", 0);
	ck_assert_uint_eq(live_load(&control()->restarts), 1);
	check_values(sample_after(&rig, 1), "latency", "cpu=all measured_seconds=1");
	ck_assert_int_eq(topic_find("latency")->act(&rig.env, "stop", NULL, NULL), 0); /* may it be? */
	ck_assert(!threads[0].has_ended && !live_load(&control()->stop));
	rig.clock.ns += 1000 * MS;
	act(&rig, "stop", 0);
	ck_assert(threads[0].has_ended && threads[1].has_ended && live_load(&control()->stop));
	ck_assert(n_done == 4 && done_error == 0);
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
	begin(&rig, "latency.cpus=0-2,9;latency.slack=7us", false);
	frame = sample_after(&rig, 1);
	ck_assert_str_eq(notice_of(frame, "fifo"),
			 "fifo is not permitted, measuring with other: no CAP_SYS_NICE, and RLIMIT_RTPRIO "
			 "is 0");
	ck_assert_str_eq(notice_of(frame, "cannot be measured"),
			 "CPU 9 cannot be measured: No such device");
	check_values(frame, "latency", "cpu=all policy=other priority=0 degraded=1 cpus=3 asked=fifo 80");
	check_values(frame, "latency", "cpu=0 slack_seconds=7e-06");
	ck_assert_uint_eq(frame_table(frame, "latency")->n_rows, 4);
	live_store(&threads[1].of->away, 1);
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
	open_rig(&rig, "23", false);
	ck_assert(settings_set(&rig.settings, "latency.cpus", "2-3,8,9", 0));
	ck_assert(settings_set(&rig.settings, "latency.cpu-dma-latency", "yes", 0));
	cpu_error = -EINVAL;
	rig_add(&rig, "latency");
	rig_sample(&rig, 0);
	GIVE(0, 0, 10);
	GIVE(1, 0, 20, 30);
	frame = sample_after(&rig, 1);
	ck_assert_str_eq(notice_of(frame, "cannot be measured"),
			 "CPU 2 and 2 more cannot be measured: Invalid argument");
	ck_assert_str_eq(notice_of(frame, "dma"),
			 "/dev/cpu_dma_latency: No such file or directory; idle states are not held off");
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
	ck_assert_uint_eq(n_threads, 1);
	ck_assert_uint_eq(threads[0].of->cpu, LATENCY_ANY_CPU);
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
	ck_assert_uint_eq(run->worst[0].late.late_ns, 120);
	ck_assert_uint_eq(run->worst[LATENCY_WORST - 1].late.late_ns, 101);
	rig_close(&rig);
}

/* What a probe tries: of a real-time policy the least priority, of a deadline none. */
START_TEST(what_measures_is_tried)
{
	const struct topic *topic = topic_find("latency");
	struct rig rig;
	struct env *env = &rig.env;
	int before;

	open_rig(&rig, "", true);
	before = lowest_free_descriptor();
	for (unsigned i = 0; i < 2; i++) {
		int policy_error = i ? -EBUSY : 0;

		permitted[LATENCY_FIFO] = permitted[LATENCY_DEADLINE] = !i;
		refusal = policy_error;
		if (i)
			rig_remove(&rig, "dev/cpu_dma_latency");
		ck_assert_int_eq(topic->sources[0].test(env), 0);
		ck_assert_int_eq(topic_source(topic, "scheduling policy fifo")->test(env), policy_error);
		ck_assert(tried_policy == LATENCY_FIFO && tried_priority == 1);
		ck_assert_int_eq(topic_source(topic, "scheduling policy deadline")->test(env), policy_error);
		ck_assert(tried_policy == LATENCY_DEADLINE && tried_priority == 0);
		ck_assert_int_eq(topic_source(topic, "/dev/cpu_dma_latency")->test(env), i ? -ENOENT : 0);
		ck_assert_int_eq(lowest_free_descriptor(), before); /* it is held no longer */
	}
	env->live = false;
	tried_policy = N_LATENCY_POLICIES;
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(topic->sources[i].test(env), -ENOTSUP);
	ck_assert_int_eq(tried_policy, N_LATENCY_POLICIES);
	ck_assert_ptr_null(topic->sources[4].path);
	ck_assert_ptr_null(topic_find("latency_phase")->sources[0].path);
	rig_close(&rig);
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
	threads[0].cpu_ns = 7 * MS;
	GIVE(0, 0, 40 * US);
	frame = sample_after(&rig, 2);
	check_values(frame, "latency_worst",
		     "latency_seconds=4e-05 cpu=0 task_ratio=? n_interrupts=? forks_per_second=? throttles=? "
		     "context_switches_per_second=?");
	GIVE(0, 0, 30 * US);
	GIVE(1, 0, 50 * US);
	threads[1].cpu_ns = 60 * MS; /* of the 300 ms that this process used */
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
