/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans the measurement from settings and privileges, runs it, reads its counters once per tick. */
#include <config.h>

#include "topic/latency/latency_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "kernel/system.h"
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
	if (run->awake_fd >= 0)
		close(run->awake_fd);
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
	if (run->awake_fd >= 0)
		close(run->awake_fd);
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
