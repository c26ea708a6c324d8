/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else a CPU did: the process list, the tables of interrupts, /proc/stat, cpufreq, thermal throttling.
 */
#include <config.h>

#include "topic/latency/cpu_context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/system.h"
#include "model/column.h"
#include "topic/cpu/frequencies.h"
#include "topic/cpu/interrupt_growth.h"
#include "topic/process/process_list.h"

#define NOTICEABLE_NS UINT64_C(500000) /* who used less in an interval is not worth a word */

/* Of one CPU. */
struct place {
	struct env_file *throttles;
	uint64_t throttled, throttled_before;
	const struct task *task; /* that used most of it in the last interval; NULL: none did */
	uint64_t task_ns;        /* what it used then */
};

struct bystanders {
	struct env *env;
	struct tasks *tasks;
	struct frequencies *frequencies;
	uint32_t own_pid;
	uint64_t own_ns, own_ns_before;
	const uint32_t *cpus;
	size_t n_cpus;
	struct place *places;
	struct interrupt_growth interrupts, softirqs;
	struct totals {
		uint64_t forks, switches, mono_ns;
	} now, before;
	uint64_t tick;
};

static struct env_file *throttle_file(struct env *env, uint32_t cpu)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count",
		 cpu);
	return env_file(env, path);
}

struct bystanders *bystanders_open(struct env *env, uint32_t own_pid, const uint32_t *cpus, size_t n_cpus)
{
	struct bystanders *bystanders = alloc_zeroed(1, sizeof(*bystanders));

	*bystanders = (struct bystanders){
		.env = env,
		.tasks = tasks_open(env),
		.frequencies = frequencies_open(env),
		.own_pid = own_pid,
		.cpus = cpus,
		.n_cpus = n_cpus,
		.places = alloc_zeroed(n_cpus, sizeof(*bystanders->places)),
		.now = { U64_UNKNOWN, U64_UNKNOWN, 0 },
		.tick = ENV_NEVER,
	};
	for (size_t i = 0; i < n_cpus; i++) {
		bystanders->places[i].throttles = throttle_file(env, cpus[i]);
		bystanders->places[i].throttled = U64_UNKNOWN;
	}
	interrupt_growth_open(&bystanders->interrupts, env, "proc/interrupts", cpus, n_cpus);
	interrupt_growth_open(&bystanders->softirqs, env, "proc/softirqs", cpus, n_cpus);
	return bystanders;
}

void bystanders_close(struct bystanders *bystanders)
{
	interrupt_growth_close(&bystanders->interrupts);
	interrupt_growth_close(&bystanders->softirqs);
	frequencies_close(bystanders->frequencies);
	tasks_close(bystanders->tasks);
	free(bystanders->places);
	free(bystanders);
}

static void update_totals(struct bystanders *bystanders)
{
	struct totals *now = &bystanders->now;
	struct stat_totals totals;
	struct span text;

	bystanders->before = *now;
	*now = (struct totals){ U64_UNKNOWN, U64_UNKNOWN, env_mono_ns() };
	if (env_read(bystanders->env, env_file(bystanders->env, "proc/stat"), &text) < 0)
		return;
	stat_totals_parse(text, &totals);
	now->forks = totals.forks;
	now->switches = totals.context_switches;
}

/* In the last interval. What panetop used is without its measuring threads. */
static uint64_t used_by(const struct bystanders *bystanders, const struct task *task)
{
	uint64_t measuring = bystanders->own_ns - bystanders->own_ns_before;

	if (task->used_ns == U64_UNKNOWN)
		return 0;
	if (task->pid != bystanders->own_pid)
		return task->used_ns;
	return task->used_ns > measuring ? task->used_ns - measuring : 0;
}

/* The CPU that a task ran on last is all that is known of where it ran. */
static void update_tasks(struct bystanders *bystanders)
{
	struct tasks *tasks = bystanders->tasks;

	for (size_t i = 0; i < bystanders->n_cpus; i++)
		bystanders->places[i].task = NULL;
	if (tasks_update(tasks) < 0)
		return;
	for (size_t t = 0; t < tasks->n_all; t++) {
		const struct task *task = tasks->all[t];
		uint64_t used_ns = used_by(bystanders, task);

		if (used_ns < NOTICEABLE_NS)
			continue;
		for (size_t i = 0; i < bystanders->n_cpus; i++) {
			struct place *place = &bystanders->places[i];

			if (bystanders->cpus[i] != task->stat.processor ||
			    (place->task && used_ns <= place->task_ns))
				continue;
			place->task = task;
			place->task_ns = used_ns;
		}
	}
}

static void update_throttles(struct bystanders *bystanders)
{
	for (size_t i = 0; i < bystanders->n_cpus; i++) {
		struct place *place = &bystanders->places[i];
		struct span text;

		place->throttled_before = place->throttled;
		if (env_read(bystanders->env, place->throttles, &text) < 0 ||
		    !span_u64(&text, &place->throttled))
			place->throttled = U64_UNKNOWN;
	}
}

void bystanders_update(struct bystanders *bystanders, uint64_t own_ns)
{
	if (bystanders->tick == bystanders->env->tick)
		return;
	bystanders->tick = bystanders->env->tick;
	bystanders->own_ns_before = bystanders->own_ns;
	bystanders->own_ns = own_ns;
	update_totals(bystanders);
	update_tasks(bystanders);
	update_throttles(bystanders);
	interrupt_growth_update(&bystanders->interrupts);
	interrupt_growth_update(&bystanders->softirqs);
}

static double per_second(uint64_t now, uint64_t before, double seconds)
{
	uint64_t grown = u64_less(now, before);

	return grown == U64_UNKNOWN || !(seconds > 0) ? NAN : (double)grown / seconds;
}

void bystanders_tell(struct bystanders *bystanders, size_t index, struct bystander *bystander)
{
	const struct place *place = &bystanders->places[index];
	const struct totals *now = &bystanders->now, *before = &bystanders->before;
	double seconds = before->mono_ns > 0 ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;

	*bystander = (struct bystander){
		.task_ratio = NAN,
		.hertz = frequencies_hertz(bystanders->frequencies, bystanders->cpus[index]),
		.forks_per_second = per_second(now->forks, before->forks, seconds),
		.switches_per_second = per_second(now->switches, before->switches, seconds),
		.throttles = u64_less(place->throttled, place->throttled_before),
	};
	if (place->task) {
		snprintf(bystander->task, sizeof(bystander->task), "%s %u", place->task->name,
			 place->task->pid);
		bystander->task_ratio = seconds > 0 ? (double)place->task_ns / 1e9 / seconds : NAN;
	}
	bystander->n_interrupts = interrupt_growth_tell(&bystanders->interrupts, index, bystander->interrupts,
							sizeof(bystander->interrupts));
	bystander->n_softirqs = interrupt_growth_tell(&bystanders->softirqs, index, bystander->softirqs,
						      sizeof(bystander->softirqs));
}
