/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy events of perf: packages with PMU "power", single cores of AMD processors with "power_core". */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/power.h"
#include "kernel/system.h"
#include "sys/perf_ring.h"
#include "topic/cpu/online_cpus.h"
#include "topic/power/energy_domain.h"

/* "package-1", or "package-1-die-0" as powercap calls it where a package has several. */
static void package_name(struct env *env, uint32_t cpu, bool dies, char *name)
{
	long package = online_cpus_topology(env, cpu, "physical_package_id"),
	     die = online_cpus_topology(env, cpu, "die_id");

	if (dies && die >= 0)
		snprintf(name, ENERGY_NAME_BYTES, "package-%ld-die-%ld", package < 0 ? 0 : package, die);
	else
		snprintf(name, ENERGY_NAME_BYTES, "package-%ld", package < 0 ? 0 : package);
}

/* Events with their names in powercap. */
static const struct energy_event {
	const char *pmu, *event, *zone; /* zone NULL: the package itself */
	enum energy_part part;
	bool of_core;
} events[] = {
	{ POWER_PMU, "energy-psys", NULL, ENERGY_PLATFORM, false },
	{ POWER_PMU, "energy-pkg", NULL, ENERGY_PACKAGE, false },
	{ POWER_PMU, "energy-cores", "core", ENERGY_IN_PARENT, false },
	{ POWER_PMU, "energy-gpu", "uncore", ENERGY_IN_PARENT, false },
	{ POWER_PMU, "energy-ram", "dram", ENERGY_DRAM, false },
	{ CORE_PMU, "energy-core", "core", ENERGY_IN_PARENT, true }, /* since Linux 6.15 */
};

#define N_EVENTS (sizeof(events) / sizeof(events[0]))

/* Reads a file of its PMU, with a name of three parts. */
static long read_text(struct env *env, const struct energy_event *event, const char *directory,
		      const char *name, const char *suffix, char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s%s%s", event->pmu, directory, name, suffix);
	return attribute_once(env, path, text, ATTRIBUTE_TEXT_MAX);
}

/* Sets type, config and joules per count; false: no such event. */
static bool read_event(struct env *env, const struct energy_event *event, struct perf_event_attr *attr,
		       double *scale)
{
	char text[ATTRIBUTE_TEXT_MAX];
	uint64_t type, config;
	struct span span;

	if (read_text(env, event, "", "type", "", text) < 0)
		return false;
	span = span_text(text);
	if (!span_u64(&span, &type) || read_text(env, event, "events/", event->event, "", text) < 0 ||
	    !pmu_event_parse(span_text(text), &config))
		return false;
	attr->type = (uint32_t)type;
	attr->config = config;
	return read_text(env, event, "events/", event->event, ".scale", text) >= 0 &&
	       pmu_scale_parse(span_text(text), scale);
}

static void domain_name(struct env *env, const struct energy_event *event, uint32_t cpu, const char *package,
			char *name)
{
	long core = online_cpus_topology(env, cpu, "core_id");

	if (event->part == ENERGY_PLATFORM)
		snprintf(name, ENERGY_NAME_BYTES, "psys");
	else if (event->of_core)
		snprintf(name, ENERGY_NAME_BYTES, "%.200s/core-%ld", package, core < 0 ? (long)cpu : core);
	else if (event->zone)
		snprintf(name, ENERGY_NAME_BYTES, "%.200s/%s", package, event->zone);
	else
		snprintf(name, ENERGY_NAME_BYTES, "%s", package);
}

static void add_event(struct energy *energy, const struct energy_event *event, uint32_t cpu, bool dies,
		      const struct perf_event_attr *attr, double scale)
{
	char package[ENERGY_NAME_BYTES], name[ENERGY_NAME_BYTES], key[ENERGY_NAME_BYTES];
	struct energy_domain *domain;
	int fd;

	package_name(energy->env, cpu, dies, package);
	domain_name(energy->env, event, cpu, package, name);
	if (energy_domain_find(energy, name))
		return;
	fd = perf_open(energy->env->perf, attr, -1, (int)cpu, -1);
	if (fd < 0) {
		energy->perf_error = energy->perf_error ? energy->perf_error : fd;
		return;
	}
	snprintf(key, sizeof(key), "%s/%s/ CPU %u", strrchr(event->pmu, '/') + 1, event->event, cpu);
	domain = energy_domain_add(energy, name, key, ENERGY_PERF);
	if (!domain) {
		close(fd);
		return;
	}
	energy_domain_place(domain, "perf");
	domain->fd = fd;
	domain->scale = scale;
	domain->part = event->part;
	if (strcmp(name, package) != 0)
		domain->parent = energy_domain_index(energy, energy_domain_find(energy, package));
}

/* Whether packages have several dies: several CPUs of the mask are in one package. */
static bool has_dies(struct env *env, struct span cpus)
{
	uint32_t first, last;
	long package = -1;

	while (cpu_list_next(&cpus, &first, &last)) {
		for (uint32_t cpu = first; cpu <= last; cpu++) {
			long found = online_cpus_topology(env, cpu, "physical_package_id");

			if (found == package)
				return true;
			package = found;
		}
	}
	return false;
}

/* One CPU of each package, die or core. perf_event_open(2) works only for the live machine. */
void energy_find_events(struct energy *energy)
{
	struct env *env = energy->env;
	struct perf_event_attr attr = { .size = sizeof(attr), .read_format = PERF_READ_FORMAT };
	char cpus[ATTRIBUTE_TEXT_MAX];
	bool dies = false;

	for (const struct energy_event *event = events; env->live && event < events + N_EVENTS; event++) {
		uint32_t first, last;
		struct span rest;
		double scale;

		if (!read_event(env, event, &attr, &scale) ||
		    read_text(env, event, "", "cpumask", "", cpus) < 0)
			continue;
		if (!event->of_core)
			dies = has_dies(env, span_text(cpus));
		rest = span_text(cpus);
		while (cpu_list_next(&rest, &first, &last))
			for (uint32_t cpu = first; cpu <= last; cpu++)
				add_event(energy, event, cpu, dies, &attr, scale);
	}
}
