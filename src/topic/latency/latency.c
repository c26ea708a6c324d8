/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "latency": how late this machine wakes a thread up, per CPU and in all. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "topic/latency/latency_figures.h"
#include "topic/topic.h"

#define SETTING(field, heading, what, from, ...)                                                             \
	LATENCY_COLUMN(field, .kind = COLUMN_LABEL, .title = heading, .help = what, .source = from,          \
		       __VA_ARGS__)

#define OVER_MEASURED .rate_over = offsetof(struct latency_row, measured_seconds)

static const struct column columns[] = {
	LATENCY_COLUMN(cpu, .kind = COLUMN_KEY, .title = N_("CPU"), .width = 3,
		       .help = N_("where it is measured; all: together; any: the kernel chooses the CPU"),
		       .source = "sched_setaffinity(2)"),
	SETTING(policy, N_("policy"), N_("scheduling policy that it is measured with"), "sched_setattr(2)",
		.width = 8),
	SETTING(priority, N_("prio"), N_("real-time priority, 1 to 99; 0: it has none"), "sched_setattr(2)",
		.width = 4, .rank = 2),
	LATENCY_FIGURES,
	LATENCY_COLUMN(samples_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = N_("per s"),
		       .width = 6, .rank = 5, .rate_of = offsetof(struct latency_row, samples), OVER_MEASURED,
		       .help = N_("wake-ups that were measured in the last interval"),
		       .source = "growth of samples / growth of measured_seconds"),
	SETTING(asked, N_("instead of"), N_("policy that was asked for, where it is not allowed"), "--policy",
		.width = 10, .optional = true),
	SETTING(reason, N_("because"), N_("why it is not allowed"),
		"capabilities, RLIMIT_RTPRIO, control group", .width = 10, .optional = true),
	LATENCY_COLUMN(degraded, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("degraded"),
		       .width = 8, .hidden = true,
		       .help = N_("1: it is not measured with the policy that was asked for"),
		       .source = "panetop"),
	LATENCY_COLUMN(missed_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
		       .title = N_("missed/s"), .width = 8, .hidden = true,
		       .rate_of = offsetof(struct latency_row, missed), OVER_MEASURED,
		       .help = N_("periods that were missed in the last interval"),
		       .source = "growth of missed / growth of measured_seconds"),
	LATENCY_COLUMN(thread_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .title = N_("thread"),
		       .width = 8, .hidden = true, .help = N_("CPU time that the measuring itself took"),
		       .source = "CPU clock of the thread"),
	LATENCY_COLUMN(thread_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("thread%"),
		       .width = 7, .hidden = true, .rate_of = offsetof(struct latency_row, thread_seconds),
		       OVER_MEASURED,
		       .help = N_("share of a CPU that the measuring itself takes"),
		       .source = "growth of thread_seconds / growth of measured_seconds"),
	SETTING(method, N_("method"), N_("how the thread waits"), "--method", .width = 8, .hidden = true),
	SETTING(period_seconds, N_("period"), N_("time between planned wake-ups"), "--period", .width = 7,
		.unit = UNIT_SECONDS, .hidden = true),
	SETTING(slack_seconds, N_("slack"), N_("timer slack; threads of real-time policies have none"),
		"prctl(2) PR_SET_TIMERSLACK", .width = 7, .unit = UNIT_SECONDS, .hidden = true),
	SETTING(bucket_seconds, N_("bucket"),
		N_("width of the linear buckets; not known: they are log-linear"), "--bucket", .width = 7,
		.unit = UNIT_SECONDS, .hidden = true),
	SETTING(locked, N_("locked"),
		N_("memory that cannot be paged out: all; own: what the threads touch; no"),
		"mlockall(2), mlock(2)", .width = 6, .hidden = true, .words = true),
	SETTING(idle_states, N_("idle"), N_("idle states of the CPUs: as they are, or held off"),
		"/dev/cpu_dma_latency", .width = 8, .hidden = true, .words = true),
	LATENCY_COLUMN(measured_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("measured"),
		       .width = 8, .hidden = true,
		       .help = N_("time since the start, or since the last restart"),
		       .source = "CLOCK_MONOTONIC"),
};

static const struct schema schema = {
	.name = "latency",
	.help = N_("how late this machine wakes a thread up"),
	.row_size = sizeof(struct latency_row),
	.over_interval = true, /* of nothing before the first period */
	SCHEMA_COLUMNS(columns),
};

static int test_cpus(struct env *env)
{
	return env->live ? 0 : -ENOTSUP;
}

static int test_fifo(struct env *env)
{
	return env->live ? cyclic_try_policy(CYCLIC_FIFO, 1) : -ENOTSUP;
}

static int test_deadline(struct env *env)
{
	return env->live ? cyclic_try_policy(CYCLIC_DEADLINE, 0) : -ENOTSUP;
}

static int test_awake(struct env *env)
{
	int fd = env->live ? cyclic_hold_awake() : -ENOTSUP;

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

#define ONLY_HERE                                                                                            \
	{                                                                                                    \
		ENOTSUP, N_("latency is of the machine that panetop runs on: leave out --root")              \
	}

#define OTHER_CPUS                                                                                           \
	N_("name others: 'lscpu -e' lists those that are online, /proc/self/status those we may use")

static const struct source_spec sources[] = {
	{ .path = CYCLIC_CPUS_SOURCE,
	  .gives = N_("how late they wake a thread up"),
	  .test = test_cpus,
	  .remedies = { ONLY_HERE, { EINVAL, OTHER_CPUS }, { ENODEV, OTHER_CPUS } } },
	{ .path = "scheduling policy fifo",
	  .gives = N_("wake-ups before all ordinary tasks"),
	  .test = test_fifo,
	  .remedies = { ONLY_HERE,
			{ EPERM, N_("run it as root, give it the capability cap_sys_nice, or raise rtprio in "
				    "/etc/security/limits.conf") } } },
	{ .path = "scheduling policy deadline",
	  .gives = N_("where fifo is not allowed to a control group"),
	  .optional = true,
	  .test = test_deadline,
	  .remedies = { ONLY_HERE,
			{ EPERM, N_("run it as root, or give it the capability cap_sys_nice") },
			{ EBUSY, N_("other deadline tasks have all of the bandwidth") } } },
	{ .path = "/dev/cpu_dma_latency",
	  .gives = N_("for --cpu-dma-latency: idle states held off"),
	  .optional = true,
	  .test = test_awake,
	  .remedies = { ONLY_HERE,
			{ EACCES, N_("run it as root, or give it the capability cap_dac_override") } } },
	{ 0 },
};

static const char *lock_name(enum cyclic_lock lock)
{
	return lock == CYCLIC_LOCK_ALL ? N_("all") : lock == CYCLIC_LOCK_OWN ? N_("own") : N_("no");
}

static void set_policy(struct latency_row *row, const struct cyclic_run *run, struct frame *frame)
{
	const struct cyclic_plan *plan = &run->plan;
	bool realtime = plan->policy == CYCLIC_FIFO || plan->policy == CYCLIC_RR;

	row->policy = cyclic_policy_name(plan->policy);
	row->priority = realtime ? (uint64_t)plan->priority : 0;
	row->degraded = *run->reason != '\0';
	if (!row->degraded)
		return;
	if (run->asked == CYCLIC_DEADLINE)
		row->asked = cyclic_policy_name(run->asked);
	else
		row->asked = arena_print(&frame->arena, "%s %d", cyclic_policy_name(run->asked),
					 run->asked_priority);
	row->reason = arena_copy(&frame->arena, run->reason, strlen(run->reason));
}

static void add_row(struct table *table, const struct cyclic_run *run, struct frame *frame, size_t index)
{
	const struct cyclic_plan *plan = &run->plan;
	bool realtime = plan->policy != CYCLIC_OTHER;
	struct latency_row *row = table_add(table);

	row->cpu = cyclic_run_cpu(run, frame, index);
	set_policy(row, run, frame);
	row->method = cyclic_method_name(plan->method);
	row->period_seconds = (double)plan->period_ns / 1e9;
	row->slack_seconds = realtime ? 0 : (double)plan->slack_ns / 1e9;
	row->bucket_seconds = plan->bucket_ns > 0 ? (double)plan->bucket_ns / 1e9 : NAN;
	row->locked = lock_name(cyclic_locked(run->cyclic));
	row->idle_states = run->awake_fd >= 0 ? N_("held off") : N_("as they are");
	row->measured_seconds = fmax(0, ((double)run->mono_ns - (double)run->started_ns) / 1e9);
	if (plan->duration_ns > 0)
		row->measured_seconds = fmin(row->measured_seconds, (double)plan->duration_ns / 1e9);
	row->thread_seconds =
		(double)(index == CYCLIC_RUN_ALL ? run->all.cpu_ns : run->sums[index].cpu_ns) / 1e9;
	latency_row_fill(row, index == CYCLIC_RUN_ALL ? &run->all : &run->sums[index]);
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct cyclic_run *run = sample->state;

	cyclic_run_update(run);
	table->mono_ns = run->mono_ns;
	add_row(table, run, frame, CYCLIC_RUN_ALL);
	for (size_t i = 0; i < run->n_cpus; i++)
		if (!run->errors[i])
			add_row(table, run, frame, i);
	cyclic_run_tell(run, frame);
	return 0;
}

static int act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	struct cyclic_run *run = cyclic_run_opened(env);

	if (!run)
		return -ENOTSUP;
	if (!done)
		return 0;
	if (strcmp(action, "during") == 0)
		cyclic_set_phase(run->cyclic, 1);
	else if (strcmp(action, "after") == 0)
		cyclic_set_phase(run->cyclic, 2);
	else
		cyclic_run_restart(run);
	done(context, 0);
	return 0;
}

const struct topic topic_latency = {
	.schema = &schema,
	.sources = sources,
	.uses = CYCLIC_USES,
	CYCLIC_TOPIC,
	.open = cyclic_run_open,
	.sample = sample,
	.close = cyclic_run_close,
	.act = act,
	.acts_on_itself = true,
};
