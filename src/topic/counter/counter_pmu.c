/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading sys/bus/event_source/devices: once, when the counters are opened. */
#include <config.h>

#include "topic/counter/counter_pmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/cpu_list.h"
#include "sys/attribute.h"
#include "sys/listing.h"

#define DEVICES "sys/bus/event_source/devices"
#define TEXT_MAX 4096
#define PATH_MAX_BYTES 384

struct reading {
	struct counter_pmus *pmus;
	struct env *env;
};

/* False when there is no such attribute, or nothing in it. */
static bool read_attribute(struct env *env, const char *device, const char *name, char text[TEXT_MAX])
{
	char path[PATH_MAX_BYTES];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", device, name);
	return attribute_once(env, path, text, TEXT_MAX) > 0;
}

static void add_pmu(void *context, const char *name)
{
	const struct reading *reading = context;
	struct counter_pmus *pmus = reading->pmus;
	char path[PATH_MAX_BYTES], cpus[TEXT_MAX];
	struct counter_pmu *pmu;
	uint64_t type;
	bool has_cores;

	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	if (attribute_once_u64(reading->env, path, &type) < 0 || type > UINT32_MAX)
		return;
	has_cores = read_attribute(reading->env, name, "cpus", cpus);
	if (!has_cores && !read_attribute(reading->env, name, "cpumask", cpus))
		return;
	pmus->list = alloc_resize(pmus->list, pmus->count + 1, sizeof(*pmus->list));
	pmu = &pmus->list[pmus->count++];
	*pmu = (struct counter_pmu){
		.type = (uint32_t)type,
		.is_core = has_cores && strncmp(name, "cpu_", 4) == 0,
		.cpus = alloc_text(cpus),
	};
}

void counter_pmus_read(struct counter_pmus *pmus, struct env *env)
{
	*pmus = (struct counter_pmus){ 0 };
	listing_each_directory(env, DEVICES, add_pmu, &(struct reading){ .pmus = pmus, .env = env });
}

void counter_pmus_free(struct counter_pmus *pmus)
{
	for (size_t i = 0; i < pmus->count; i++)
		free(pmus->list[i].cpus);
	free(pmus->list);
	*pmus = (struct counter_pmus){ 0 };
}

bool counter_pmu_counts_on(const struct counter_pmus *pmus, uint32_t type, uint32_t cpu)
{
	for (size_t i = 0; i < pmus->count; i++)
		if (pmus->list[i].type == type)
			return cpu_list_has(span_text(pmus->list[i].cpus), cpu);
	return true;
}

uint32_t counter_pmu_of_core(const struct counter_pmus *pmus, uint32_t cpu)
{
	for (size_t i = 0; i < pmus->count; i++)
		if (pmus->list[i].is_core && cpu_list_has(span_text(pmus->list[i].cpus), cpu))
			return pmus->list[i].type;
	return 0;
}
