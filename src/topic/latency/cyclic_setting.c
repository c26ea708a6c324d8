/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings about the measuring of latency. */
#include <config.h>

#include "topic/latency/cyclic_setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/cpu_list.h"

#define PRIORITY 80
#define PERIOD_NS UINT64_C(1000000)
#define SETTLE_NS UINT64_C(100000000) /* meanwhile panetop reads the machine for the first time */

const char *const cyclic_policies[N_CYCLIC_POLICIES] = {
	[CYCLIC_FIFO] = "fifo",
	[CYCLIC_RR] = "rr",
	[CYCLIC_DEADLINE] = "deadline",
	[CYCLIC_OTHER] = "other",
};

const char *const cyclic_methods[N_CYCLIC_METHODS] = {
	[CYCLIC_CLOCK_NS] = "clock_ns", [CYCLIC_POSIX_NS] = "posix_ns", [CYCLIC_ITIMER] = "itimer",
	[CYCLIC_POLL] = "poll",         [CYCLIC_TIMERFD] = "timerfd",
};

/* The index of a setting's value among names; 0 when it is none of them. */
static unsigned choice(const struct settings *settings, const char *name, const char *const *names,
		       unsigned n_names)
{
	const char *value = settings_get(settings, name);

	for (unsigned i = 0; value && i < n_names; i++)
		if (strcmp(value, names[i]) == 0)
			return i;
	return 0;
}

static uint64_t nanoseconds(const struct settings *settings, const char *name, uint64_t otherwise)
{
	const char *value = settings_get(settings, name);
	struct span span = span_text(value ? value : "");
	double seconds;

	return span_seconds(&span, &seconds) && seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5)
									     : otherwise;
}

static uint64_t number(const struct settings *settings, const char *name, uint64_t otherwise)
{
	const char *value = settings_get(settings, name);
	struct span span = span_text(value ? value : "");
	uint64_t parsed;

	return span_u64(&span, &parsed) ? parsed : otherwise;
}

void cyclic_setting_plan(const struct settings *settings, struct cyclic_plan *plan)
{
	*plan = (struct cyclic_plan){
		.policy = choice(settings, "latency.policy", cyclic_policies, N_CYCLIC_POLICIES),
		.priority = (int)number(settings, "latency.priority", PRIORITY),
		.method = choice(settings, "latency.method", cyclic_methods, N_CYCLIC_METHODS),
		.period_ns = nanoseconds(settings, "latency.period", PERIOD_NS),
		.slack_ns = nanoseconds(settings, "latency.slack", 1),
		.bucket_ns = nanoseconds(settings, "latency.bucket", 0),
		.settle_ns = SETTLE_NS,
		.duration_ns = nanoseconds(settings, "latency.duration", 0),
		.samples = number(settings, "latency.samples", 0),
		.n_phases = settings_get(settings, "latency.command") ? CYCLIC_PHASES : 1,
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

size_t cyclic_setting_cpus(const struct env *env, const struct settings *settings, uint32_t **cpus,
			   int **errors)
{
	const char *list = settings_get(settings, "latency.cpus");
	size_t n_cpus;

	*cpus = alloc_zeroed(CPU_LIST_MAX, sizeof(**cpus));
	n_cpus = read_list(span_text(list ? list : ""), *cpus);
	if (n_cpus == 0)
		n_cpus = cyclic_own_cpus(*cpus, CPU_LIST_MAX);
	if (n_cpus == 0)
		n_cpus = 1; /* CPU 0 is everywhere */
	*cpus = alloc_resize(*cpus, n_cpus, sizeof(**cpus));
	*errors = alloc_zeroed(n_cpus, sizeof(**errors));
	for (size_t i = 0; i < n_cpus; i++)
		(*errors)[i] = is_there(env, (*cpus)[i]) ? 0 : -ENODEV;
	return n_cpus;
}
