/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel takes stolen time off the clocks of tasks only with CONFIG_PARAVIRT_TIME_ACCOUNTING, and without
 * no-steal-acc. The clock of the tasks of a CPU is in our own /proc/self/sched: where stolen time is taken
 * off, it falls behind CLOCK_MONOTONIC by the growth of steal.
 */
#include <config.h>

#include "topic/cpu/stolen_time.h"

#include <math.h>
#include <stdlib.h>

#include "core/vector.h"
#include "kernel/pid/pid_stat.h"
#include "sys/attribute.h"

#define STEAL_SECONDS 1.0  /* much more than the error of any of the clocks */
#define TOLERANCE 0.25     /* of that */
#define APART_SECONDS 1000 /* looks that are further apart differ by the drift of CLOCK_MONOTONIC, too */

struct stolen_look {
	uint64_t cpu, mono_ns;
	double clock, steal, interrupts; /* seconds */
};

/* U64_UNKNOWN on failure. */
static uint64_t own_cpu(struct env *env)
{
	char bytes[ATTRIBUTE_TEXT_MAX];
	long length = attribute_once(env, "proc/self/stat", bytes, sizeof(bytes));
	struct pid_stat stat;

	return length > 0 && pid_stat_parse(span_of(bytes, (size_t)length), &stat) ? stat.processor
										     : U64_UNKNOWN;
}

static const struct cpu_times *times_of(const struct proc_stat *stat, uint64_t cpu)
{
	for (size_t i = 0; i < stat->n_cpus; i++)
		if (stat->cpus[i].cpu == cpu)
			return &stat->cpus[i];
	return NULL;
}

/* False if the kernel does not show it, or this process changes to another CPU meanwhile. */
static bool look(struct stolen_look *now, struct env *env, const struct proc_stat *stat)
{
	const double hz = (double)env->ticks_per_second;
	const struct cpu_times *times;
	char bytes[ATTRIBUTE_TEXT_MAX];
	long length;

	now->cpu = own_cpu(env);
	times = times_of(stat, now->cpu);
	if (!times || times->steal == U64_UNKNOWN || times->softirq == U64_UNKNOWN)
		return false;
	length = attribute_once(env, "proc/self/sched", bytes, sizeof(bytes));
	if (length < 0 || !pid_sched_parse(span_of(bytes, (size_t)length), &now->clock))
		return false;
	now->steal = (double)times->steal / hz;
	now->interrupts = cpu_times_measures_interrupts(&stat->all)
				  ? (double)(times->irq + times->softirq) / hz
				  : 0;
	return own_cpu(env) == now->cpu;
}

/* Measured interrupts are taken off the clocks, too: with many of them nothing is decided. */
static enum stolen_verdict judge(const struct stolen_look *from, const struct stolen_look *now)
{
	double steal = now->steal - from->steal, interrupts = now->interrupts - from->interrupts;
	double passed = (double)(now->mono_ns - from->mono_ns) / 1e9;
	double behind = passed - (now->clock - from->clock);

	if (fabs(interrupts) > steal * TOLERANCE / 2 || passed > APART_SECONDS)
		return STOLEN_UNDECIDED;
	if (fabs(behind - steal) < steal * TOLERANCE)
		return STOLEN_APART;
	return fabs(behind) < steal * TOLERANCE ? STOLEN_IN_CLOCKS : STOLEN_UNDECIDED;
}

static struct stolen_look *last_look(struct stolen_time *stolen, const struct stolen_look *now)
{
	for (size_t i = 0; i < stolen->n_looks; i++)
		if (stolen->looks[i].cpu == now->cpu)
			return &stolen->looks[i];
	*VECTOR_ADD(stolen->looks, stolen->n_looks, stolen->capacity) = *now;
	return &stolen->looks[stolen->n_looks - 1];
}

enum stolen_verdict stolen_time_update(struct stolen_time *stolen, struct env *env, uint64_t mono_ns,
				       const struct proc_stat *stat)
{
	struct stolen_look now = { .mono_ns = mono_ns }, *last;

	if (stolen->verdict != STOLEN_UNDECIDED || stat->all.steal == U64_UNKNOWN ||
	    stat->all.steal < stolen->next_ticks || !look(&now, env, stat))
		return stolen->verdict;
	stolen->next_ticks = stat->all.steal + (uint64_t)(STEAL_SECONDS * (double)env->ticks_per_second);
	last = last_look(stolen, &now);
	if (now.steal - last->steal < STEAL_SECONDS && now.steal >= last->steal)
		return STOLEN_UNDECIDED;
	stolen->verdict = judge(last, &now);
	*last = now;
	return stolen->verdict;
}

void stolen_time_free(struct stolen_time *stolen)
{
	free(stolen->looks);
}
