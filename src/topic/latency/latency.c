/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "latency", "latency_phase" and "latency_bucket": wake-up latency by CPU, by phase and as histogram.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "topic/latency/latency_run.h"
#include "topic/topic.h"

struct latency_row {
	const char *cpu, *phase; /* one of them is the key */
	const char *policy, *asked, *reason, *method, *locked, *idle_states;
	uint64_t priority, degraded, cpus;
	double thread_seconds, thread_ratio, period_seconds, slack_seconds, bucket_seconds, measured_seconds;
	uint64_t samples, missed;
	double samples_per_second, missed_per_second;
	double min_seconds, mean_seconds, mode_seconds, max_seconds, stddev_seconds;
	double p25_seconds, p50_seconds, p75_seconds, p90_seconds, p95_seconds, p99_seconds, p99_5_seconds;
	double p99_9_seconds, p99_99_seconds;
};

#define LATENCY_COLUMN(field, ...) COLUMN(struct latency_row, field, __VA_ARGS__)

#define LATENCY_TIME(field, heading, column_rank, hide, what, from)                                          \
	LATENCY_COLUMN(field##_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = heading,        \
		       .width = 7, .rank = (column_rank), .hidden = (hide), .help = what, .source = from)

#define LATENCY_PERCENTILE(field, number, column_rank, hide)                                                 \
	LATENCY_TIME(field, number, column_rank, hide, /* xgettext:no-c-format */                            \
		     N_("latency that this percentage of wake-ups did not exceed (rounded up by at most "    \
			"1 %)"),                                                                             \
		     "upper end of the bucket in which the samples reach this percentage")

/* The columns from samples to max. */
#define LATENCY_FIGURES                                                                                      \
	LATENCY_COLUMN(samples, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("samples"),          \
		       .width = 9, .help = N_("measured wake-ups"),                                          \
		       .source = "counted by the measuring threads"),                                        \
		LATENCY_COLUMN(missed, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("missed"),    \
			       .width = 6, .rank = 1,                                                        \
			       .help = N_("periods that passed during a late wake-up: they have no sample"), \
			       .source = "lateness / period, counted by the measuring threads"),             \
		LATENCY_TIME(min, N_("min"), 2, false, N_("lowest latency"), "exact"),                       \
		LATENCY_TIME(mean, N_("mean"), 2, false, N_("mean latency"), "exact"),                       \
		LATENCY_TIME(mode, N_("mode"), 6, true, N_("most frequent latency"),                         \
			     "middle of the bucket with most samples per nanosecond"),                       \
		LATENCY_TIME(stddev, N_("stddev"), 5, false, N_("standard deviation"),                       \
			     "from sums of squares"),                                                        \
		LATENCY_PERCENTILE(p25, "25%", 6, true), LATENCY_PERCENTILE(p50, "50%", 0, false),           \
		LATENCY_PERCENTILE(p75, "75%", 6, true), LATENCY_PERCENTILE(p90, "90%", 4, false),           \
		LATENCY_PERCENTILE(p95, "95%", 6, true), LATENCY_PERCENTILE(p99, "99%", 1, false),           \
		LATENCY_PERCENTILE(p99_5, "99.5%", 6, true), LATENCY_PERCENTILE(p99_9, "99.9%", 1, false),   \
		LATENCY_PERCENTILE(p99_99, "99.99%", 3, false),                                              \
		LATENCY_TIME(max, N_("max"), 0, false, N_("highest latency"), "exact")

#define SETTING(field, heading, what, from, ...)                                                             \
	LATENCY_COLUMN(field, .kind = COLUMN_LABEL, .title = heading, .help = what, .source = from,          \
		       __VA_ARGS__)

#define OVER_MEASURED .rate_over = offsetof(struct latency_row, measured_seconds)

static const struct column columns[] = {
	LATENCY_COLUMN(cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 3,
		       .help = N_("CPU that is measured; all: together; any: the kernel chooses the CPU"),
		       .source = "sched_setaffinity(2)"),
	SETTING(policy, N_("policy"), N_("scheduling policy of the measuring threads"), "sched_setattr(2)",
		.width = 8),
	SETTING(priority, N_("prio"), N_("real-time priority, 1 to 99; 0: none"), "sched_setattr(2)",
		.width = 4, .rank = 2),
	LATENCY_FIGURES,
	LATENCY_COLUMN(samples_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = N_("per s"),
		       .width = 6, .rank = 5, .rate_of = offsetof(struct latency_row, samples), OVER_MEASURED,
		       .help = N_("measured wake-ups in the last interval"),
		       .source = "growth of samples / growth of measured_seconds"),
	SETTING(asked, N_("instead of"), N_("requested policy, if it is not permitted"), "--policy",
		.width = 10, .optional = true),
	SETTING(reason, N_("because"), N_("why it is not permitted"),
		"capabilities, RLIMIT_RTPRIO, control group", .width = 10, .optional = true),
	LATENCY_COLUMN(degraded, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("degraded"),
		       .width = 8, .hidden = true, .help = N_("1: the requested policy is not permitted"),
		       .source = "panetop"),
	LATENCY_COLUMN(missed_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
		       .title = N_("missed/s"), .width = 8, .hidden = true,
		       .rate_of = offsetof(struct latency_row, missed), OVER_MEASURED,
		       .help = N_("missed periods in the last interval"),
		       .source = "growth of missed / growth of measured_seconds"),
	LATENCY_COLUMN(thread_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = N_("thread"),
		       .width = 8, .hidden = true, .help = N_("CPU time of the measuring thread"),
		       .source = "CPU clock of the thread"),
	LATENCY_COLUMN(thread_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("%thread"),
		       .width = 7, .hidden = true, .rate_of = offsetof(struct latency_row, thread_seconds),
		       OVER_MEASURED, .help = N_("share of a CPU that the measuring thread uses"),
		       .source = "growth of thread_seconds / growth of measured_seconds"),
	SETTING(method, N_("method"), N_("how the thread waits"), "--method", .width = 8, .hidden = true),
	SETTING(period_seconds, N_("period"), N_("time between planned wake-ups"), "--period", .width = 7,
		.unit = UNIT_SECONDS, .hidden = true),
	SETTING(slack_seconds, N_("slack"), N_("timer slack; none with a real-time policy"),
		"prctl(2) PR_SET_TIMERSLACK", .width = 7, .unit = UNIT_SECONDS, .hidden = true),
	SETTING(bucket_seconds, N_("bucket"), N_("width of linear buckets; unknown: buckets are log-linear"),
		"--bucket", .width = 7, .unit = UNIT_SECONDS, .hidden = true),
	SETTING(locked, N_("locked"), N_("memory locked into RAM: all; own: what the threads use; no"),
		"mlockall(2), mlock(2)", .width = 6, .hidden = true, .words = true),
	SETTING(idle_states, N_("idle"), N_("idle states of the CPUs: as they are, or held off"),
		"/dev/cpu_dma_latency", .width = 8, .hidden = true, .words = true),
	LATENCY_COLUMN(cpus, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("CPUs"), .width = 5,
		       .hidden = true, .help = N_("CPUs that are measured"), .source = "rows of this table"),
	LATENCY_COLUMN(measured_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("measured"),
		       .width = 8, .hidden = true,
		       .help = N_("time since the start, or since the last restart"),
		       .source = "CLOCK_MONOTONIC"),
};

static const struct schema schema = {
	.name = "latency",
	.is_public = true,
	.help = N_("wake-up latency of this machine"),
	.of_run = true,
	.sum_row = "all",
	.row_size = sizeof(struct latency_row),
	.over_interval = true, /* no samples before the first period */
	SCHEMA_COLUMNS(columns),
};

static int test_cpus(struct env *env)
{
	return env->live ? 0 : -ENOTSUP;
}

static int test_fifo(struct env *env)
{
	return env->live ? latency_thread_try_policy(env->own_threads, LATENCY_FIFO, 1) : -ENOTSUP;
}

static int test_deadline(struct env *env)
{
	return env->live ? latency_thread_try_policy(env->own_threads, LATENCY_DEADLINE, 0) : -ENOTSUP;
}

static int test_awake(struct env *env)
{
	int fd = env->live ? latency_probe_hold_awake(env) : -ENOTSUP;

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

#define ONLY_HERE { ENOTSUP, N_("latency is measured only on the running machine: omit --root") }

#define OTHER_CPUS                                                                                           \
	N_("choose other CPUs: 'lscpu -e' lists online CPUs, /proc/self/status those that panetop may use")

static const struct source_spec sources[] = {
	{ .path = LATENCY_RUN_CPUS,
	  .gives = N_("wake-up latency"),
	  .test = test_cpus,
	  .remedies = { ONLY_HERE, { EINVAL, OTHER_CPUS }, { ENODEV, OTHER_CPUS } } },
	{ .path = "scheduling policy fifo",
	  .gives = N_("wake-ups before all normal tasks"),
	  .test = test_fifo,
	  .remedies = { ONLY_HERE,
			{ EPERM, N_("run it as root, give it the capability cap_sys_nice, or raise rtprio in "
				    "/etc/security/limits.conf") } } },
	{ .path = "scheduling policy deadline",
	  .gives = N_("fallback where a control group may not use fifo"),
	  .optional = true,
	  .test = test_deadline,
	  .remedies = { ONLY_HERE,
			{ EPERM, N_("run it as root, or give it the capability cap_sys_nice") },
			{ EBUSY, N_("other deadline tasks use all of the bandwidth") } } },
	{ .path = "/dev/cpu_dma_latency",
	  .gives = N_("for --cpu-dma-latency: idle states held off"),
	  .optional = true,
	  .test = test_awake,
	  .remedies = { ONLY_HERE,
			{ EACCES, N_("run it as root, or give it the capability cap_dac_override") } } },
	{ 0 },
};

static double seconds(double ns)
{
	return ns / 1e9;
}

static void fill_figures(struct latency_row *row, const struct latency_sums *sums)
{
	const struct histogram *times = &sums->times;

	row->samples = times->count;
	row->missed = sums->missed;
	if (times->count == 0)
		return;
	row->min_seconds = seconds((double)times->min_ns);
	row->max_seconds = seconds((double)times->max_ns);
	row->mean_seconds = seconds(histogram_mean(times));
	row->mode_seconds = seconds(histogram_mode(times));
	row->stddev_seconds = seconds(histogram_deviation(times));
	row->p25_seconds = seconds(histogram_percentile(times, 25));
	row->p50_seconds = seconds(histogram_percentile(times, 50));
	row->p75_seconds = seconds(histogram_percentile(times, 75));
	row->p90_seconds = seconds(histogram_percentile(times, 90));
	row->p95_seconds = seconds(histogram_percentile(times, 95));
	row->p99_seconds = seconds(histogram_percentile(times, 99));
	row->p99_5_seconds = seconds(histogram_percentile(times, 99.5));
	row->p99_9_seconds = seconds(histogram_percentile(times, 99.9));
	row->p99_99_seconds = seconds(histogram_percentile(times, 99.99));
}

static const char *lock_name(enum latency_lock lock)
{
	return lock == LATENCY_LOCK_ALL ? N_("all") : lock == LATENCY_LOCK_OWN ? N_("own") : N_("no");
}

static void set_policy(struct latency_row *row, const struct latency_run *run, struct frame *frame)
{
	const struct latency_plan *plan = &run->plan;
	bool realtime = plan->policy == LATENCY_FIFO || plan->policy == LATENCY_RR;

	row->policy = latency_policy_names[plan->policy];
	row->priority = realtime ? (uint64_t)plan->priority : 0;
	row->degraded = *run->reason != '\0';
	if (!row->degraded)
		return;
	if (run->requested == LATENCY_DEADLINE)
		row->asked = latency_policy_names[run->requested];
	else
		row->asked = arena_print(&frame->arena, "%s %d", latency_policy_names[run->requested],
					 run->requested_priority);
	row->reason = arena_copy(&frame->arena, run->reason, strlen(run->reason));
}

static uint64_t count_measured(const struct latency_run *run)
{
	uint64_t count = 0;

	for (size_t i = 0; i < run->n_cpus; i++)
		count += run->errors[i] == 0;
	return count;
}

static void add_row(struct table *table, const struct latency_run *run, struct frame *frame, size_t index)
{
	const struct latency_plan *plan = &run->plan;
	bool realtime = plan->policy != LATENCY_OTHER;
	struct latency_row *row = table_add(table);

	row->cpu = latency_run_cpu_text(run, frame, index);
	set_policy(row, run, frame);
	row->method = latency_method_names[plan->method];
	row->period_seconds = (double)plan->period_ns / 1e9;
	row->slack_seconds = realtime ? 0 : (double)plan->slack_ns / 1e9;
	row->bucket_seconds = plan->bucket_ns > 0 ? (double)plan->bucket_ns / 1e9 : NAN;
	row->locked = lock_name(latency_probe_locked(run->probe));
	row->cpus = index == LATENCY_RUN_ALL ? count_measured(run) : U64_BLANK;
	row->idle_states = run->awake_fd >= 0 ? N_("held off") : N_("as they are");
	row->measured_seconds = fmax(0, ((double)run->mono_ns - (double)run->started_ns) / 1e9);
	if (plan->duration_ns > 0)
		row->measured_seconds = fmin(row->measured_seconds, (double)plan->duration_ns / 1e9);
	row->thread_seconds =
		(double)(index == LATENCY_RUN_ALL ? run->all.cpu_ns : run->sums[index].cpu_ns) / 1e9;
	fill_figures(row, index == LATENCY_RUN_ALL ? &run->all : &run->sums[index]);
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct latency_run *run = sample->state;

	table->mono_ns = run->mono_ns;
	add_row(table, run, frame, LATENCY_RUN_ALL);
	for (size_t i = 0; i < run->n_cpus; i++)
		if (!run->errors[i])
			add_row(table, run, frame, i);
	latency_run_notices(run, frame);
	return 0;
}

static int act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	struct latency_run *run = reader_state(&latency_run_reader, env);

	if (!run)
		return -ENOTSUP;
	if (run->stopped)
		return -ESHUTDOWN;
	if (!done)
		return 0;
	if (strcmp(action, "during") == 0)
		latency_probe_set_phase(run->probe, 1);
	else if (strcmp(action, "after") == 0)
		latency_probe_set_phase(run->probe, 2);
	else if (strcmp(action, "stop") == 0)
		latency_run_stop(run);
	else
		latency_run_restart(run);
	done(context, 0);
	return 0;
}

const struct topic topic_latency = {
	.schema = &schema,
	.sources = sources,
	.uses = LATENCY_RUN_USES,
	LATENCY_RUN_TOPIC,
	.reads = READING_ONE(&latency_run_reader),
	.sample = sample,
	.act = act,
	.acts_on_itself = true,
};

static const struct column phase_columns[] = {
	LATENCY_COLUMN(phase, .kind = COLUMN_KEY, .title = N_("phase"), .width = 7, .words = true,
		       .help = N_("before, during or after the command"), .source = "panetop"),
	LATENCY_FIGURES,
};

static const struct schema phase_schema = {
	.name = "latency_phase",
	.is_public = true,
	.help = N_("latency before, during and after a command"),
	.of_run = true,
	.row_size = sizeof(struct latency_row),
	.over_interval = true,
	SCHEMA_COLUMNS(phase_columns),
};

static const struct source_spec no_sources[] = { { 0 } };

static int sample_phases(struct sample *sample)
{
	static const char *const names[LATENCY_PHASES] = { N_("before"), N_("during"), N_("after") };
	struct latency_run *run = sample->state;

	sample->table->mono_ns = run->mono_ns;
	for (unsigned p = 0; run->plan.n_phases > 1 && p < run->plan.n_phases; p++) {
		struct latency_row *row = table_add(sample->table);

		row->phase = names[p];
		fill_figures(row, &run->phases[p]);
	}
	return 0;
}

const struct topic topic_latency_phase = {
	.schema = &phase_schema,
	.sources = no_sources,
	.uses = LATENCY_RUN_USES,
	LATENCY_RUN_TOPIC,
	.reads = READING_ONE(&latency_run_reader),
	.sample = sample_phases,
};

struct bucket_row {
	const char *cpu;
	double from_seconds, to_seconds, samples_per_second;
	uint64_t samples;
};

static const struct column bucket_columns[] = {
	COLUMN(struct bucket_row, cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 3,
	       .help = N_("CPU that was measured; all: together"), .source = "sched_setaffinity(2)"),
	COLUMN(struct bucket_row, from_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = N_("from"),
	       .width = 9, .help = N_("lower limit of the bucket"), .source = "panetop"),
	COLUMN(struct bucket_row, to_seconds, .kind = COLUMN_BOUND, .unit = UNIT_SECONDS, .title = N_("to"),
	       .width = 9, .help = N_("upper limit, exclusive; -: no limit"),
	       .source = "panetop; equally wide with --bucket, else less than 1 % wide"),
	COLUMN(struct bucket_row, samples, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("samples"),
	       .width = 9, .help = N_("wake-ups with this latency"),
	       .source = "counted by the measuring threads"),
	COLUMN(struct bucket_row, samples_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("per s"), .width = 7, .rate_of = offsetof(struct bucket_row, samples),
	       .help = N_("wake-ups with this latency in the last interval"),
	       .source = "growth of samples / time"),
};

static const struct schema bucket_schema = {
	.name = "latency_bucket",
	.is_public = true,
	.help = N_("histogram of wake-up latency"),
	.shape = SHAPE_HISTOGRAM,
	.from_zero = true,
	.of_run = true,
	.sparse = true,
	.sum_row = "all",
	.row_size = sizeof(struct bucket_row),
	.over_interval = true,
	SCHEMA_COLUMNS(bucket_columns),
};

static void add_buckets(struct table *table, const char *cpu, const struct latency_sums *sums)
{
	const struct histogram *times = sums->linear ? sums->linear : &sums->times;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		struct bucket_row *row;

		if (times->buckets[i] == 0)
			continue;
		row = table_add(table);
		row->cpu = cpu;
		row->from_seconds = (double)histogram_from_ns(times->width_ns, i) / 1e9;
		if (i + 1 < HISTOGRAM_BUCKETS) /* the last one has no upper limit */
			row->to_seconds = (double)histogram_to_ns(times->width_ns, i) / 1e9;
		row->samples = times->buckets[i];
	}
}

static int sample_buckets(struct sample *sample)
{
	struct table *table = sample->table;
	struct latency_run *run = sample->state;

	table->mono_ns = run->mono_ns;
	add_buckets(table, latency_run_cpu_text(run, sample->frame, LATENCY_RUN_ALL), &run->all);
	for (size_t i = 0; i < run->n_cpus; i++)
		add_buckets(table, latency_run_cpu_text(run, sample->frame, i), &run->sums[i]);
	return 0;
}

const struct topic topic_latency_bucket = {
	.schema = &bucket_schema,
	.sources = no_sources,
	.uses = LATENCY_RUN_USES,
	LATENCY_RUN_TOPIC,
	.reads = READING_ONE(&latency_run_reader),
	.sample = sample_buckets,
};
