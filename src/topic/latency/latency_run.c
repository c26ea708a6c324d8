/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "latency", "latency_phase" and "latency_bucket": wake-up latency by CPU, by phase and as histogram.
 * Plans the measurement from settings and privileges, runs it, reads its counters once per tick.
 */
#include <config.h>

#include "topic/latency/latency_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/system.h"
#include "sys/descriptor.h"
#include "topic/cgroup.h"

#define SETTLE_NS UINT64_C(100000000) /* while panetop takes its first sample */

static uint64_t nanoseconds(double seconds)
{
	return (uint64_t)(seconds * 1e9 + 0.5);
}

void latency_run_plan(const struct topic_settings *settings, bool command, struct latency_plan *plan)
{
	*plan = (struct latency_plan){
		.policy = settings->latency.policy,
		.priority = (int)settings->latency.priority,
		.method = settings->latency.method,
		.period_ns = nanoseconds(settings->latency.period_seconds),
		.slack_ns = nanoseconds(settings->latency.slack_seconds),
		.bucket_ns = nanoseconds(settings->latency.bucket_seconds),
		.settle_ns = SETTLE_NS,
		.duration_ns = nanoseconds(settings->latency.duration_seconds),
		.samples = settings->latency.samples,
		.n_phases = command ? LATENCY_PHASES : 1,
	};
}

static bool is_there(const struct env *env, uint32_t cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u", cpu);
	return env_exists(env, path);
}

static size_t read_list(struct span list, uint32_t *cpus)
{
	bool *listed = alloc_zeroed(CPU_LIST_MAX, sizeof(*listed));
	uint32_t first, last;
	size_t n_cpus = 0;

	while (cpu_list_next(&list, &first, &last)) {
		for (uint32_t cpu = first; cpu <= last; cpu++) {
			if (!listed[cpu])
				cpus[n_cpus++] = cpu;
			listed[cpu] = true;
		}
	}
	free(listed);
	return n_cpus;
}

size_t latency_run_cpus(const struct env *env, const char *list, uint32_t **cpus, int **errors)
{
	size_t n_cpus;

	*cpus = alloc_zeroed(CPU_LIST_MAX, sizeof(**cpus));
	n_cpus = read_list(span_text(list ? list : ""), *cpus);
	if (n_cpus == 0)
		n_cpus = latency_probe_own_cpus(*cpus, CPU_LIST_MAX);
	if (n_cpus == 0)
		n_cpus = 1; /* every machine has CPU 0 */
	*cpus = alloc_resize(*cpus, n_cpus, sizeof(**cpus));
	*errors = alloc_zeroed(n_cpus, sizeof(**errors));
	for (size_t i = 0; i < n_cpus; i++)
		(*errors)[i] = is_there(env, (*cpus)[i]) ? 0 : -ENODEV;
	return n_cpus;
}

/* Has our control group no real-time runtime? That is the default of new groups with RT_GROUP_SCHED. */
static bool group_lacks_runtime(struct env *env, struct cgroup_place *place)
{
	struct span text;
	uint64_t runtime;

	return cgroup_own(env, "cpu", place) == 0 &&
	       cgroup_read(env, place, "cpu.rt_runtime_us", &text) == 0 && span_u64(&text, &runtime) &&
	       runtime == 0;
}

static bool is_realtime(enum latency_policy policy)
{
	return policy == LATENCY_FIFO || policy == LATENCY_RR;
}

const char *latency_run_refusal(struct env *env, const struct latency_plan *requested, int error,
				char *reason, size_t room)
{
	int limit = latency_probe_priority_limit();
	struct cgroup_place place;

	if (error == -EBUSY) {
		snprintf(reason, room, "%s", _("other deadline tasks use all of the bandwidth"));
		return _("end some deadline tasks");
	}
	if (!latency_probe_may_nice() && (limit < requested->priority || !is_realtime(requested->policy))) {
		snprintf(reason, room, _("no CAP_SYS_NICE, and RLIMIT_RTPRIO is %d"), limit);
		return remedy_for_user(N_("run it as root, give it the capability cap_sys_nice, or raise "
					  "rtprio in /etc/security/limits.conf"));
	}
	if (is_realtime(requested->policy) && group_lacks_runtime(env, &place)) {
		snprintf(reason, room, _("the control group /%.80s has no real-time runtime"), place.group);
		return _("set its cpu.rt_runtime_us, or start panetop in the parent group");
	}
	snprintf(reason, room, "%s", _("the kernel refuses it although the privileges suffice"));
	return _("not possible in a user namespace or in a control group without real-time runtime: start "
		 "panetop outside");
}

bool latency_run_fallback(const struct latency_plan *requested, int limit, unsigned step,
			  struct latency_plan *plan)
{
	*plan = *requested;
	if (step == 0 && limit > 0 && (limit < requested->priority || !is_realtime(requested->policy))) {
		plan->policy = is_realtime(requested->policy) ? requested->policy : LATENCY_FIFO;
		plan->priority = limit < requested->priority ? limit : requested->priority;
		return true;
	}
	if (step <= 1 && is_realtime(requested->policy)) {
		plan->policy = LATENCY_DEADLINE;
		return true;
	}
	plan->policy = LATENCY_OTHER;
	return step <= 2;
}

static const char *dma_latency_remedy(int error)
{
	if (error == -EACCES || error == -EPERM)
		return remedy_for_user(N_("run it as root, or give it the capability cap_dac_override"));
	return error == -ENOENT ? _("this kernel has no such device: omit the option") : NULL;
}

static const char *cpu_remedy(int error)
{
	if (error == -ENODEV || error == -EINVAL)
		return _("choose other CPUs: 'lscpu -e' lists online CPUs, /proc/self/status those that "
			 "panetop "
			 "may use");
	return NULL;
}

static void free_sums(struct latency_sums *sums)
{
	free(sums->linear);
}

static void end(void *state)
{
	struct latency_run *run = state;

	if (run->probe)
		latency_probe_close(run->probe);
	descriptor_close(run->awake_fd);
	free_sums(&run->all);
	for (size_t i = 0; run->sums && i < run->n_cpus; i++)
		free_sums(&run->sums[i]);
	for (unsigned p = 0; p < LATENCY_PHASES; p++)
		free_sums(&run->phases[p]);
	free(run->scratch.linear);
	free(run->sums);
	free(run->cpus);
	free(run->errors);
}

static void open_sums(struct latency_sums *sums, const struct latency_plan *plan)
{
	if (plan->bucket_ns > 0)
		sums->linear = alloc_zeroed(1, sizeof(*sums->linear));
}

/* Starts to measure with this plan: 0 or -errno. */
static int attempt(struct latency_run *run, const struct latency_plan *plan)
{
	static const uint32_t any[] = { LATENCY_ANY_CPU };
	bool pinned = plan->policy != LATENCY_DEADLINE;
	int error, any_error = 0;

	for (size_t i = 0; i < run->n_cpus; i++)
		run->errors[i] = run->errors[i] == -ENODEV ? -ENODEV : 0;
	run->probe = latency_probe_open(plan, pinned ? run->cpus : any, pinned ? run->n_cpus : 1,
				 pinned ? run->errors : &any_error, &error);
	if (!run->probe)
		return error;
	if (!pinned) {
		run->cpus[0] = LATENCY_ANY_CPU;
		run->errors[0] = 0;
		run->n_cpus = 1;
	}
	run->plan = *plan;
	return 0;
}

/* Tries the requested plan, then the fallbacks. */
static int start(struct latency_run *run, const struct latency_plan *requested)
{
	struct latency_plan plan = *requested;
	int error = attempt(run, &plan);
	unsigned step = 0;

	run->requested = requested->policy;
	run->requested_priority = requested->priority;
	if (error == -EPERM || error == -EBUSY)
		run->remedy =
			latency_run_refusal(run->env, requested, error, run->reason, sizeof(run->reason));
	while ((error == -EPERM || error == -EBUSY) &&
	       latency_run_fallback(requested, latency_probe_priority_limit(), step++, &plan))
		error = attempt(run, &plan);
	return error;
}

static int begin(struct latency_run *run, const struct sample *sample)
{
	const struct topic_settings *settings = sample->settings;
	struct latency_plan plan;
	int error;

	if (!run->env->live)
		return -ENOTSUP;
	latency_run_plan(settings, sample->request->command, &plan);
	plan.threads = run->env->own_threads;
	run->n_cpus = latency_run_cpus(run->env, settings->latency.cpus, &run->cpus, &run->errors);
	if (settings->latency.cpu_dma_latency) {
		run->awake_fd = latency_probe_hold_awake(run->env);
		run->awake_error = run->awake_fd < 0 ? run->awake_fd : 0;
	}
	error = start(run, &plan);
	if (error)
		return error;
	run->cpus_ignored = settings->latency.cpus && run->plan.policy == LATENCY_DEADLINE;
	run->sums = alloc_zeroed(run->n_cpus, sizeof(*run->sums));
	open_sums(&run->all, &plan);
	for (size_t i = 0; i < run->n_cpus; i++)
		open_sums(&run->sums[i], &plan);
	for (unsigned p = 0; p < LATENCY_PHASES; p++)
		open_sums(&run->phases[p], &plan);
	if (plan.bucket_ns > 0)
		run->scratch.linear = alloc_zeroed(1, sizeof(*run->scratch.linear));
	run->started_ns = env_mono_ns(run->env) + SETTLE_NS;
	run->env->finished = false;
	return 0;
}

static int open_run(void *state, const struct sample *sample)
{
	struct latency_run *run = state;
	int error;

	run->env = sample->env;
	run->awake_fd = -1;
	error = begin(run, sample);
	if (error) {
		env_note_failure(sample->env, LATENCY_RUN_CPUS, error);
		end(run);
	}
	return error;
}

static void clear(struct latency_sums *sums, uint64_t bucket_ns)
{
	histogram_clear(&sums->times, 0);
	if (sums->linear)
		histogram_clear(sums->linear, bucket_ns);
	sums->missed = sums->cpu_ns = 0;
}

static void add(struct latency_sums *sums, const struct latency_counts *counts)
{
	histogram_merge(&sums->times, &counts->times);
	if (sums->linear)
		histogram_merge(sums->linear, counts->linear);
	sums->missed += counts->missed;
}

/* Inserts an outlier into the sorted list. */
static void keep_worst(struct latency_run *run, uint32_t cpu, const struct latency_wakeup *late)
{
	unsigned at = run->n_worst;

	while (at > 0 && run->worst[at - 1].late.late_ns < late->late_ns)
		at--;
	if (at == LATENCY_WORST)
		return;
	if (run->n_worst < LATENCY_WORST)
		run->n_worst++;
	memmove(&run->worst[at + 1], &run->worst[at], (run->n_worst - 1 - at) * sizeof(run->worst[0]));
	run->worst[at] = (struct latency_outlier){ .cpu = cpu, .late = *late };
}

static void read_cpu(struct latency_run *run, size_t index)
{
	for (unsigned p = 0; p < run->plan.n_phases; p++) {
		if (!latency_probe_read(run->probe, index, p, &run->scratch))
			continue;
		add(&run->sums[index], &run->scratch);
		add(&run->phases[p], &run->scratch);
		add(&run->all, &run->scratch);
		for (unsigned i = 0; i < run->scratch.n_worst; i++)
			keep_worst(run, run->cpus[index], &run->scratch.worst[i]);
	}
}

static int update(void *state, const struct sample *sample)
{
	struct latency_run *run = state;
	uint64_t bucket_ns = run->plan.bucket_ns;

	(void)sample;
	run->env->finished = latency_probe_has_ended(run->probe);
	if (!run->stopped)
		run->mono_ns = env_mono_ns(sample->env);
	run->n_worst = 0;
	clear(&run->all, bucket_ns);
	for (unsigned p = 0; p < run->plan.n_phases; p++)
		clear(&run->phases[p], bucket_ns);
	for (size_t i = 0; i < run->n_cpus; i++) {
		clear(&run->sums[i], bucket_ns);
		read_cpu(run, i);
		run->sums[i].cpu_ns = latency_probe_cpu_ns(run->probe, i);
		run->all.cpu_ns += run->sums[i].cpu_ns;
	}
	return 0;
}

const struct reader latency_run_reader = {
	.name = "measured wake-ups",
	.state_size = sizeof(struct latency_run),
	.open = open_run,
	.update = update,
	.close = end,
};

void latency_run_restart(struct latency_run *run)
{
	latency_probe_restart(run->probe);
	run->started_ns = env_mono_ns(run->env);
}

void latency_run_stop(struct latency_run *run)
{
	latency_probe_stop(run->probe);
	descriptor_close(run->awake_fd);
	run->awake_fd = -1;
	if (!run->stopped)
		run->mono_ns = env_mono_ns(run->env);
	run->stopped = true;
}

static void notice_refusal(const struct latency_run *run, struct frame *frame)
{
	bool has_priority = run->plan.policy == LATENCY_FIFO || run->plan.policy == LATENCY_RR;
	char priority[16] = "";

	if (*run->reason == '\0')
		return;
	if (has_priority)
		snprintf(priority, sizeof(priority), " %d", run->plan.priority);
	frame_notice(frame, "latency", run->remedy, _("%s is not permitted, measuring with %s%s: %s"),
		     latency_policy_names[run->requested], latency_policy_names[run->plan.policy],
		     priority, run->reason);
}

/* Names the first CPU that cannot be measured and counts the others. */
static void notice_missing(const struct latency_run *run, struct frame *frame)
{
	size_t first = run->n_cpus, missing = 0;

	for (size_t i = run->n_cpus; i-- > 0;) {
		if (!run->errors[i])
			continue;
		first = i;
		missing++;
	}
	if (missing == 1)
		frame_notice(frame, "latency", cpu_remedy(run->errors[first]),
			     _("CPU %u cannot be measured: %s"), run->cpus[first],
			     strerror(-run->errors[first]));
	else if (missing > 1)
		frame_notice(frame, "latency", cpu_remedy(run->errors[first]),
			     _("CPU %u and %zu more cannot be measured: %s"), run->cpus[first], missing - 1,
			     strerror(-run->errors[first]));
}

static void notice_offline(const struct latency_run *run, struct frame *frame)
{
	for (size_t i = 0; i < run->n_cpus; i++)
		if (!run->errors[i] && latency_probe_is_away(run->probe, i))
			frame_notice(frame, "latency", NULL,
				     _("CPU %u is offline; measuring resumes when it is back"), run->cpus[i]);
}

void latency_run_notices(const struct latency_run *run, struct frame *frame)
{
	notice_refusal(run, frame);
	notice_missing(run, frame);
	notice_offline(run, frame);
	if (run->cpus_ignored)
		frame_notice(frame, "latency", _("choose another policy"),
			     _("deadline threads cannot be pinned: one thread runs on any CPU"));
	if (run->awake_error)
		frame_notice(frame, "latency", dma_latency_remedy(run->awake_error),
			     _("/dev/cpu_dma_latency: %s; idle states are not held off"),
			     strerror(-run->awake_error));
}

const char *latency_run_cpu_text(const struct latency_run *run, struct frame *frame, size_t index)
{
	if (index == LATENCY_RUN_ALL)
		return "all";
	return run->cpus[index] == LATENCY_ANY_CPU ? "any"
						  : arena_print(&frame->arena, "%u", run->cpus[index]);
}

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
#define LATENCY_COL(field, ...) COLUMN_OF(struct latency_row, field, __VA_ARGS__)

static const struct column columns[] = {
	LATENCY_COL(cpu, KEY, NONE, N_("CPU"), 3,
		    N_("CPU that is measured; all: together; any: the kernel chooses the CPU"),
		    "sched_setaffinity(2)"),
	SETTING(policy, N_("policy"), N_("scheduling policy of the measuring threads"), "sched_setattr(2)",
		.width = 8),
	SETTING(priority, N_("prio"), N_("real-time priority, 1 to 99; 0: none"), "sched_setattr(2)",
		.width = 4, .rank = 2),
	LATENCY_FIGURES,
	LATENCY_COL(samples_per_second, RATE, PER_SECOND, N_("per s"), 6,
		    N_("measured wake-ups in the last interval"),
		    "growth of samples / growth of measured_seconds", .rank = 5,
		    .rate_of = offsetof(struct latency_row, samples), OVER_MEASURED),
	SETTING(asked, N_("instead of"), N_("requested policy, if it is not permitted"), "--policy",
		.width = 10, .optional = true),
	SETTING(reason, N_("because"), N_("why it is not permitted"),
		"capabilities, RLIMIT_RTPRIO, control group", .width = 10, .optional = true),
	LATENCY_COL(degraded, GAUGE, COUNT, N_("degraded"), 8, N_("1: the requested policy is not permitted"),
		    "panetop", .hidden = true),
	LATENCY_COL(missed_per_second, RATE, PER_SECOND, N_("missed/s"), 8,
		    N_("missed periods in the last interval"),
		    "growth of missed / growth of measured_seconds", .hidden = true,
		    .rate_of = offsetof(struct latency_row, missed), OVER_MEASURED),
	LATENCY_COL(thread_seconds, COUNTER, SECONDS, N_("thread"), 8, N_("CPU time of the measuring thread"),
		    "CPU clock of the thread", .hidden = true),
	LATENCY_COL(thread_ratio, RATE, RATIO, N_("%thread"), 7,
		    N_("share of a CPU that the measuring thread uses"),
		    "growth of thread_seconds / growth of measured_seconds", .hidden = true,
		    .rate_of = offsetof(struct latency_row, thread_seconds), OVER_MEASURED),
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
	LATENCY_COL(cpus, GAUGE, COUNT, N_("CPUs"), 5, N_("CPUs that are measured"), "rows of this table",
		    .hidden = true),
	LATENCY_COL(measured_seconds, GAUGE, SECONDS, N_("measured"), 8,
		    N_("time since the start, or since the last restart"), "CLOCK_MONOTONIC", .hidden = true),
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
	row->reason = frame_text(frame, run->reason);
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
	enum latency_lock lock = latency_probe_locked(run->probe);
	struct latency_row *row = table_add(table);

	row->cpu = latency_run_cpu_text(run, frame, index);
	set_policy(row, run, frame);
	row->method = latency_method_names[plan->method];
	row->period_seconds = (double)plan->period_ns / 1e9;
	row->slack_seconds = realtime ? 0 : (double)plan->slack_ns / 1e9;
	row->bucket_seconds = plan->bucket_ns > 0 ? (double)plan->bucket_ns / 1e9 : NAN;
	row->locked = lock == LATENCY_LOCK_ALL ? N_("all") : lock == LATENCY_LOCK_OWN ? N_("own") : N_("no");
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
	.sources = SOURCES(
		{ .path = LATENCY_RUN_CPUS,
		  .gives = N_("wake-up latency"),
		  .test = test_cpus,
		  .remedies = { ONLY_HERE, { EINVAL, OTHER_CPUS }, { ENODEV, OTHER_CPUS } } },
		{ .path = "scheduling policy fifo",
		  .gives = N_("wake-ups before all normal tasks"),
		  .test = test_fifo,
		  .remedies = { ONLY_HERE,
				{ EPERM, N_("run it as root, give it the capability cap_sys_nice, or raise "
					    "rtprio in /etc/security/limits.conf") } } },
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
				{ EACCES, N_("run it as root, or give it the "
					     "capability cap_dac_override") } } }),
	.uses = LATENCY_RUN_USES,
	LATENCY_RUN_TOPIC,
	.reads = READING_ONE(&latency_run_reader),
	.sample = sample,
	.act = act,
	.acts_on_itself = true,
};

static const struct column phase_columns[] = {
	LATENCY_COL(phase, KEY, NONE, N_("phase"), 7, N_("before, during or after the command"), "panetop",
		    .words = true),
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

#define BUCKET_COL(field, ...) COLUMN_OF(struct bucket_row, field, __VA_ARGS__)

static const struct column bucket_columns[] = {
	BUCKET_COL(cpu, KEY, NONE, N_("CPU"), 3, N_("CPU that was measured; all: together"),
		   "sched_setaffinity(2)"),
	BUCKET_COL(from_seconds, KEY, SECONDS, N_("from"), 9, N_("lower limit of the bucket"), "panetop"),
	BUCKET_COL(to_seconds, BOUND, SECONDS, N_("to"), 9, N_("upper limit, exclusive; -: no limit"),
		   "panetop; equally wide with --bucket, else less than 1 % wide"),
	BUCKET_COL(samples, COUNTER, COUNT, N_("samples"), 9, N_("wake-ups with this latency"),
		   "counted by the measuring threads"),
	BUCKET_COL(samples_per_second, RATE, PER_SECOND, N_("per s"), 7,
		   N_("wake-ups with this latency in the last interval"), "growth of samples / time",
		   .rate_of = offsetof(struct bucket_row, samples)),
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
