/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the process list, /proc/interrupts, /proc/softirqs, /proc/stat, cpufreq and thermal_throttle. */
#include <config.h>

#include "topic/latency/cpu_context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "model/column.h"
#include "topic/cpu/frequency.h"
#include "topic/cpu/interrupt_growth.h"
#include "topic/cpu/proc_stat.h"
#include "topic/process/process_list.h"

#define NOTICEABLE_NS UINT64_C(500000) /* processes that used less in an interval are ignored */

struct cpu_place {
	struct env_file *throttles;
	uint64_t throttled, throttled_before;
	const struct process *task; /* used most of this CPU in the last interval; NULL: none did */
	uint64_t task_ns;        /* CPU time of the task in that interval */
};

struct cpu_context {
	struct env *env;
	const struct process_list *tasks;
	struct frequencies *frequencies;
	uint32_t own_pid;
	uint64_t own_ns, own_ns_before;
	const uint32_t *cpus;
	size_t n_cpus;
	struct cpu_place *places;
	struct interrupt_growth interrupts, softirqs;
	struct totals {
		uint64_t forks, switches, mono_ns;
	} now, before;
};

static struct env_file *throttle_file(struct env *env, uint32_t cpu)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count",
		 cpu);
	return env_file(env, path);
}

struct cpu_context *cpu_context_open(const struct sample *sample, const struct process_list *tasks,
				     struct frequencies *frequencies, const uint32_t *cpus, size_t n_cpus)
{
	struct env *env = sample->env;
	struct cpu_context *context = alloc_zeroed(1, sizeof(*context));

	*context = (struct cpu_context){
		.env = env,
		.tasks = tasks,
		.frequencies = frequencies,
		.own_pid = sample->request->own_pid,
		.cpus = cpus,
		.n_cpus = n_cpus,
		.places = alloc_zeroed(n_cpus, sizeof(*context->places)),
		.now = { U64_UNKNOWN, U64_UNKNOWN, 0 },
	};
	for (size_t i = 0; i < n_cpus; i++) {
		context->places[i].throttles = throttle_file(env, cpus[i]);
		context->places[i].throttled = U64_UNKNOWN;
	}
	interrupt_growth_open(&context->interrupts, env, "proc/interrupts", cpus, n_cpus);
	interrupt_growth_open(&context->softirqs, env, "proc/softirqs", cpus, n_cpus);
	return context;
}

void cpu_context_close(struct cpu_context *context)
{
	interrupt_growth_close(&context->interrupts);
	interrupt_growth_close(&context->softirqs);
	free(context->places);
	free(context);
}

static void update_totals(struct cpu_context *context)
{
	struct totals *now = &context->now;
	const struct proc_stat *stat;

	context->before = *now;
	*now = (struct totals){ U64_UNKNOWN, U64_UNKNOWN, env_mono_ns(context->env) };
	if (proc_stat_read(context->env, &stat) < 0)
		return;
	now->forks = stat->totals.forks;
	now->switches = stat->totals.context_switches;
}

/* CPU time in the last interval; that of panetop excludes its measuring threads. */
static uint64_t used_by(const struct cpu_context *context, const struct process *task)
{
	uint64_t measuring = context->own_ns - context->own_ns_before;

	if (task->used_ns == U64_UNKNOWN)
		return 0;
	if (task->pid != context->own_pid)
		return task->used_ns;
	return task->used_ns > measuring ? task->used_ns - measuring : 0;
}

/* Of the CPUs that a process ran on only the last one is known. */
static void update_tasks(struct cpu_context *context, const struct sample *sample)
{
	const struct process_list *tasks = context->tasks;

	for (size_t i = 0; i < context->n_cpus; i++)
		context->places[i].task = NULL;
	if (reader_update(&process_reader, sample) < 0)
		return;
	for (size_t t = 0; t < tasks->n_all; t++) {
		const struct process *task = tasks->all[t];
		uint64_t used_ns = used_by(context, task);

		if (used_ns < NOTICEABLE_NS)
			continue;
		for (size_t i = 0; i < context->n_cpus; i++) {
			struct cpu_place *place = &context->places[i];

			if (context->cpus[i] != task->stat.processor ||
			    (place->task && used_ns <= place->task_ns))
				continue;
			place->task = task;
			place->task_ns = used_ns;
		}
	}
}

static void update_throttles(struct cpu_context *context)
{
	for (size_t i = 0; i < context->n_cpus; i++) {
		struct cpu_place *place = &context->places[i];
		struct span text;

		place->throttled_before = place->throttled;
		if (env_read(context->env, place->throttles, &text) < 0 ||
		    !span_u64(&text, &place->throttled))
			place->throttled = U64_UNKNOWN;
	}
}

void cpu_context_update(struct cpu_context *context, const struct sample *sample, uint64_t own_ns)
{
	context->own_ns_before = context->own_ns;
	context->own_ns = own_ns;
	update_totals(context);
	update_tasks(context, sample);
	update_throttles(context);
	interrupt_growth_update(&context->interrupts);
	interrupt_growth_update(&context->softirqs);
}

static double per_second(uint64_t now, uint64_t before, double seconds)
{
	uint64_t grown = u64_less(now, before);

	return grown == U64_UNKNOWN || !(seconds > 0) ? NAN : (double)grown / seconds;
}

void cpu_context_read(struct cpu_context *context, const struct sample *sample, size_t index,
		      struct cpu_activity *activity)
{
	const struct cpu_place *place = &context->places[index];
	const struct totals *now = &context->now, *before = &context->before;
	double seconds = before->mono_ns > 0 ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;

	*activity = (struct cpu_activity){
		.task_ratio = NAN,
		.hertz = frequency_hertz(context->frequencies, sample, context->cpus[index]),
		.forks_per_second = per_second(now->forks, before->forks, seconds),
		.switches_per_second = per_second(now->switches, before->switches, seconds),
		.throttles = u64_less(place->throttled, place->throttled_before),
	};
	if (place->task) {
		snprintf(activity->task, sizeof(activity->task), "%s %u", place->task->name,
			 place->task->pid);
		activity->task_ratio = seconds > 0 ? (double)place->task_ns / 1e9 / seconds : NAN;
	}
	activity->n_interrupts = interrupt_growth_text(&context->interrupts, index, activity->interrupts,
						       sizeof(activity->interrupts));
	activity->n_softirqs = interrupt_growth_text(&context->softirqs, index, activity->softirqs,
						     sizeof(activity->softirqs));
}
