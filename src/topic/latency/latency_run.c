/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From settings and rights to the threads that measure, and their counters once per tick. */
#include <config.h>

#include "topic/latency/latency_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "topic/latency/cyclic_rights.h"
#include "topic/latency/cyclic_setting.h"

static const char run_key;

static void *make(struct env *env)
{
	struct cyclic_run *run = alloc_zeroed(1, sizeof(*run));

	run->env = env;
	run->tick = ENV_NEVER;
	run->awake_fd = -1;
	return run;
}

static void free_sums(struct cyclic_sums *sums)
{
	free(sums->linear);
}

static void end(void *state)
{
	struct cyclic_run *run = state;

	if (run->cyclic)
		cyclic_close(run->cyclic);
	if (run->awake_fd >= 0)
		close(run->awake_fd);
	free_sums(&run->all);
	for (size_t i = 0; run->sums && i < run->n_cpus; i++)
		free_sums(&run->sums[i]);
	for (unsigned p = 0; p < CYCLIC_PHASES; p++)
		free_sums(&run->phases[p]);
	free(run->scratch.linear);
	free(run->sums);
	free(run->cpus);
	free(run->errors);
	free(run);
}

static void open_sums(struct cyclic_sums *sums, const struct cyclic_plan *plan)
{
	if (plan->bucket_ns > 0)
		sums->linear = alloc_zeroed(1, sizeof(*sums->linear));
}

/* One way to measure: 0, or -errno when it cannot be had. */
static int attempt(struct cyclic_run *run, const struct cyclic_plan *plan)
{
	static const uint32_t any[] = { CYCLIC_ANY_CPU };
	bool pinned = plan->policy != CYCLIC_DEADLINE;
	int error, any_error = 0;

	for (size_t i = 0; i < run->n_cpus; i++)
		run->errors[i] = run->errors[i] == -ENODEV ? -ENODEV : 0;
	run->cyclic = cyclic_open(plan, pinned ? run->cpus : any, pinned ? run->n_cpus : 1,
				  pinned ? run->errors : &any_error, &error);
	if (!run->cyclic)
		return error;
	if (!pinned) {
		run->cpus[0] = CYCLIC_ANY_CPU;
		run->errors[0] = 0;
		run->n_cpus = 1;
	}
	run->plan = *plan;
	return 0;
}

/* As was asked for, or the next best that is allowed. */
static int start(struct cyclic_run *run, const struct cyclic_plan *asked)
{
	struct cyclic_plan plan = *asked;
	int error = attempt(run, &plan);
	unsigned step = 0;

	run->asked = asked->policy;
	run->asked_priority = asked->priority;
	if (error == -EPERM || error == -EBUSY)
		run->remedy = cyclic_rights_explain(run->env, asked, error, run->reason, sizeof(run->reason));
	while ((error == -EPERM || error == -EBUSY) && cyclic_rights_next(asked, step++, &plan))
		error = attempt(run, &plan);
	return error;
}

static int begin(struct cyclic_run *run, const struct settings *settings)
{
	struct cyclic_plan plan;
	int error;

	if (!run->env->live)
		return -ENOTSUP;
	cyclic_setting_plan(settings, &plan);
	run->n_cpus = cyclic_setting_cpus(run->env, settings, &run->cpus, &run->errors);
	if (settings_get(settings, "latency.cpu-dma-latency")) {
		run->awake_fd = cyclic_hold_awake();
		run->awake_error = run->awake_fd < 0 ? run->awake_fd : 0;
	}
	error = start(run, &plan);
	if (error)
		return error;
	run->cpus_ignored = settings_get(settings, "latency.cpus") && run->plan.policy == CYCLIC_DEADLINE;
	run->sums = alloc_zeroed(run->n_cpus, sizeof(*run->sums));
	open_sums(&run->all, &plan);
	for (size_t i = 0; i < run->n_cpus; i++)
		open_sums(&run->sums[i], &plan);
	for (unsigned p = 0; p < CYCLIC_PHASES; p++)
		open_sums(&run->phases[p], &plan);
	if (plan.bucket_ns > 0)
		run->scratch.linear = alloc_zeroed(1, sizeof(*run->scratch.linear));
	run->started_ns = cyclic_start_ns(run->cyclic);
	run->env->finished = false;
	return 0;
}

struct cyclic_run *cyclic_run_opened(const struct env *env)
{
	return env_shared_state(env, &run_key);
}

int cyclic_run_share(struct env *env, const struct settings *settings, struct cyclic_run **shared)
{
	bool first = !cyclic_run_opened(env);
	struct cyclic_run *run = env_share(env, &run_key, make, end);
	int error = first ? begin(run, settings) : 0;

	if (error) {
		env_note_failure(env, CYCLIC_CPUS_SOURCE, error);
		env_unshare(env, &run_key);
		return error;
	}
	*shared = run;
	return 0;
}

void cyclic_run_unshare(struct cyclic_run *run)
{
	env_unshare(run->env, &run_key);
}

int cyclic_run_open(struct sample *sample)
{
	struct cyclic_run *run;
	int error = cyclic_run_share(sample->env, sample->settings, &run);

	sample->state = error ? NULL : run;
	return error;
}

void cyclic_run_close(struct sample *sample)
{
	cyclic_run_unshare(sample->state);
}

static void clear(struct cyclic_sums *sums, uint64_t bucket_ns)
{
	histogram_clear(&sums->times, 0);
	if (sums->linear)
		histogram_clear(sums->linear, bucket_ns);
	sums->missed = sums->cpu_ns = 0;
}

static void add(struct cyclic_sums *sums, const struct cyclic_counts *counts)
{
	histogram_merge(&sums->times, &counts->times);
	if (sums->linear)
		histogram_merge(sums->linear, counts->linear);
	sums->missed += counts->missed;
}

/* Keeps the list of the worst in its order. */
static void keep_worst(struct cyclic_run *run, uint32_t cpu, const struct cyclic_late *late)
{
	unsigned at = run->n_worst;

	while (at > 0 && run->worst[at - 1].late.late_ns < late->late_ns)
		at--;
	if (at == CYCLIC_WORST)
		return;
	if (run->n_worst < CYCLIC_WORST)
		run->n_worst++;
	memmove(&run->worst[at + 1], &run->worst[at], (run->n_worst - 1 - at) * sizeof(run->worst[0]));
	run->worst[at] = (struct cyclic_run_late){ .cpu = cpu, .late = *late };
}

static void read_cpu(struct cyclic_run *run, size_t index)
{
	for (unsigned p = 0; p < run->plan.n_phases; p++) {
		if (!cyclic_read(run->cyclic, index, p, &run->scratch))
			continue;
		add(&run->sums[index], &run->scratch);
		add(&run->phases[p], &run->scratch);
		add(&run->all, &run->scratch);
		for (unsigned i = 0; i < run->scratch.n_worst; i++)
			keep_worst(run, run->cpus[index], &run->scratch.worst[i]);
	}
}

void cyclic_run_update(struct cyclic_run *run)
{
	uint64_t bucket_ns = run->plan.bucket_ns;

	if (run->tick == run->env->tick)
		return;
	run->tick = run->env->tick;
	run->env->finished = cyclic_has_ended(run->cyclic);
	run->mono_ns = env_mono_ns();
	run->n_worst = 0;
	clear(&run->all, bucket_ns);
	for (unsigned p = 0; p < run->plan.n_phases; p++)
		clear(&run->phases[p], bucket_ns);
	for (size_t i = 0; i < run->n_cpus; i++) {
		clear(&run->sums[i], bucket_ns);
		read_cpu(run, i);
		run->sums[i].cpu_ns = cyclic_cpu_ns(run->cyclic, i);
		run->all.cpu_ns += run->sums[i].cpu_ns;
	}
}

void cyclic_run_restart(struct cyclic_run *run)
{
	cyclic_restart(run->cyclic);
	run->started_ns = env_mono_ns();
}

static void tell_rights(const struct cyclic_run *run, struct frame *frame)
{
	bool has_priority = run->plan.policy == CYCLIC_FIFO || run->plan.policy == CYCLIC_RR;
	char priority[16] = "";

	if (*run->reason == '\0')
		return;
	if (has_priority)
		snprintf(priority, sizeof(priority), " %d", run->plan.priority);
	frame_notice(frame, "latency", run->remedy, _("%s is not allowed, it is measured with %s%s: %s"),
		     cyclic_policy_name(run->asked), cyclic_policy_name(run->plan.policy), priority,
		     run->reason);
}

/* The first that cannot be measured, and how many more. */
static void tell_missing(const struct cyclic_run *run, struct frame *frame)
{
	size_t first = run->n_cpus, missing = 0;

	for (size_t i = run->n_cpus; i-- > 0;) {
		if (!run->errors[i])
			continue;
		first = i;
		missing++;
	}
	if (missing == 1)
		frame_notice(frame, "latency", cyclic_rights_of_cpu(run->errors[first]),
			     _("CPU %u cannot be measured: %s"), run->cpus[first],
			     strerror(-run->errors[first]));
	else if (missing > 1)
		frame_notice(frame, "latency", cyclic_rights_of_cpu(run->errors[first]),
			     _("CPU %u and %zu more cannot be measured: %s"), run->cpus[first], missing - 1,
			     strerror(-run->errors[first]));
}

static void tell_away(const struct cyclic_run *run, struct frame *frame)
{
	for (size_t i = 0; i < run->n_cpus; i++)
		if (!run->errors[i] && cyclic_is_away(run->cyclic, i))
			frame_notice(frame, "latency", NULL,
				     _("CPU %u is gone; it is measured again when it is back"), run->cpus[i]);
}

void cyclic_run_tell(const struct cyclic_run *run, struct frame *frame)
{
	tell_rights(run, frame);
	tell_missing(run, frame);
	tell_away(run, frame);
	if (run->cpus_ignored)
		frame_notice(
			frame, "latency", _("take another policy"),
			_("threads of the policy deadline cannot be pinned: one is measured on any CPU"));
	if (run->awake_error)
		frame_notice(frame, "latency", cyclic_rights_of_awake(run->awake_error),
			     _("/dev/cpu_dma_latency: %s; idle states are not held off"),
			     strerror(-run->awake_error));
}

const char *cyclic_run_cpu(const struct cyclic_run *run, struct frame *frame, size_t index)
{
	if (index == CYCLIC_RUN_ALL)
		return "all";
	return run->cpus[index] == CYCLIC_ANY_CPU ? "any"
						  : arena_print(&frame->arena, "%u", run->cpus[index]);
}

const char *cyclic_policy_name(enum cyclic_policy policy)
{
	return cyclic_policies[policy];
}

const char *cyclic_method_name(enum cyclic_method method)
{
	return cyclic_methods[method];
}
