/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events: built-in sets, or by names that these, libpfm4 or tracefs know. */
#include <config.h>

#include "topic/counter/counter_machine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_PFM
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/system.h"
#include "sys/attribute.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

#define DEVICES "sys/bus/event_source/devices"
#define PMU_TEXT_MAX 4096
#define PMU_PATH_MAX 384

struct known_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#define NODE_READS(result) (PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 | (result) << 16)

static const struct known_event all_known[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },

	/* Loads from memory, and those of them from another NUMA node. */
	{ "node-loads", PERF_TYPE_HW_CACHE, NODE_READS(PERF_COUNT_HW_CACHE_RESULT_ACCESS) },
	{ "node-load-misses", PERF_TYPE_HW_CACHE, NODE_READS(PERF_COUNT_HW_CACHE_RESULT_MISS) },

	/* Counted per CPU it would be elapsed time, idle time included. */
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },

	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

/* An event is a share of its base, where both are counted; instructions are a rate per cycle. */
static const struct {
	const char *name, *base;
} bases[] = {
	{ "instructions", "cycles" },                   { "stalled-cycles-frontend", "cycles" },
	{ "stalled-cycles-backend", "cycles" },         { "cache-misses", "cache-references" },
	{ "branch-misses", "branches" },                { "branch-misses", "branch-instructions" },
	{ "L1-dcache-load-misses", "L1-dcache-loads" }, { "L1-icache-load-misses", "L1-icache-loads" },
	{ "LLC-load-misses", "LLC-loads" },             { "node-load-misses", "node-loads" },
	{ "dTLB-load-misses", "dTLB-loads" },           { "iTLB-load-misses", "iTLB-loads" },
	{ "branch-load-misses", "branch-loads" },       { "minor-faults", "page-faults" },
	{ "major-faults", "page-faults" },
};

static int find_event(const struct counter_events *events, struct span name)
{
	for (unsigned i = 0; i < events->count; i++)
		if (span_is(name, events->list[i].name))
			return (int)i;
	return -1;
}

static void relate(struct counter_events *events)
{
	for (size_t i = 0; i < LENGTH(bases); i++) {
		int event = find_event(events, span_text(bases[i].name));
		int base = find_event(events, span_text(bases[i].base));

		if (event < 0 || base < 0)
			continue;
		events->list[event].base = base;
		events->list[event].per_cycle = i == 0;
	}
}

/* The kernel counts these in software: any number of them at once. */
static bool is_software(const struct counter_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

/* All software events in one group, for a single read; others only with their base. */
static unsigned group_of(const struct counter_events *events, unsigned index)
{
	const struct counter_event *event = &events->list[index];

	if (event->why || !is_software(event))
		return event->base >= 0 ? (unsigned)event->base : index;
	for (unsigned i = 0; i < index; i++)
		if (!events->list[i].why && is_software(&events->list[i]))
			return i;
	return index;
}

static void group(struct counter_events *events)
{
	for (unsigned i = 0; i < events->count; i++) {
		struct counter_event *event = &events->list[i];

		event->group = group_of(events, i);
		event->is_clock = !event->why && event->attr.type == PERF_TYPE_SOFTWARE &&
				  event->attr.config == PERF_COUNT_SW_TASK_CLOCK;
	}
}

static struct counter_event *add_event(struct counter_events *events, struct span name)
{
	struct counter_event *event;

	if (events->count == COUNTER_EVENTS_MAX) {
		events->surplus++;
		return NULL;
	}
	event = &events->list[events->count++];
	*event = (struct counter_event){ .name = alloc_zeroed(span_length(name) + 1, 1), .base = -1 };
	span_copy(event->name, span_length(name) + 1, name);
	return event;
}

/* Guests of a virtual machine host are left out, because some CPUs cannot count with them. */
static void encode_known(struct counter_event *event, const struct known_event *known)
{
	event->attr.type = known->type;
	event->attr.config = known->config;
	event->attr.exclude_guest = known->type == PERF_TYPE_HARDWARE;
}

static const struct known_event *find_known(const char *name)
{
	for (size_t i = 0; i < LENGTH(all_known); i++)
		if (strcmp(all_known[i].name, name) == 0)
			return &all_known[i];
	return NULL;
}

/* From one of the table to another. */
static void add_known(struct counter_events *events, const char *first, const char *last)
{
	for (const struct known_event *known = find_known(first); known <= find_known(last); known++)
		encode_known(add_event(events, span_text(known->name)), known);
	relate(events);
	group(events);
}

void counter_events_hardware(struct counter_events *events)
{
	add_known(events, "cycles", "branch-misses");
}

void counter_events_software(struct counter_events *events)
{
	add_known(events, "page-faults", "migrations");
}

void counter_events_thread(struct counter_events *events)
{
	add_known(events, "task-clock", "migrations");
}

static bool is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= 'A' && text[i] <= 'Z') &&
		    !(text[i] >= '0' && text[i] <= '9') && text[i] != '_' && text[i] != '-')
			return false;
	return length > 0;
}

/* opened: tracefs is open; error: why it is not, or why the tracepoint was not read. */
static void explain_tracepoint(struct counter_event *event, bool opened, int error)
{
	event->why = _("there is no such event");
	event->unknown = opened && error == -ENOENT;
	if (error == -EACCES || error == -EPERM) {
		event->why = _("tracefs may not be read");
		event->remedy = remedy_for_user(
			N_("run it as root, or give it the capability cap_dac_read_search"));
	} else if (!opened) {
		event->why = _("tracefs is not mounted");
		event->remedy = _("mount it: mount -t tracefs tracefs /sys/kernel/tracing");
	}
}

/* "sched:sched_switch" */
static bool is_tracepoint(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && is_name(name, (size_t)(colon - name)) && is_name(colon + 1, strlen(colon + 1));
}

/*
 * libpfm4 knows tracepoints only where debugfs is mounted, but tracefs is separate since Linux 4.1. 0 or
 * -errno.
 */
static int encode_tracepoint(struct counter_event *event, int tracefs)
{
	const char *colon = strchr(event->name, ':');
	char bytes[32], path[512];
	struct span text;
	uint64_t id;
	long length;

	snprintf(path, sizeof(path), "events/%.*s/%s/id", (int)(colon - event->name), event->name, colon + 1);
	length = tracefs < 0 ? tracefs : tracefs_read(tracefs, path, bytes, sizeof(bytes));
	if (length < 0)
		return (int)length;
	text = span_of(bytes, (size_t)length);
	if (!span_u64(&text, &id))
		return -EBADMSG;
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	return 0;
}

#ifdef HAVE_PFM
#define LIBRARY "libpfm.so.4"

/*
 * The functions of pfmlib(3) in use; their texts last as long as the program. The library is loaded when
 * events are named: its tables of all processors take two megabytes.
 */
struct pfm {
	pfm_err_t (*initialize)(void);
	void (*terminate)(void);
	pfm_err_t (*encode)(const char *name, int levels, pfm_os_t os, void *arguments);
	const char *(*strerror)(int code);
	pfm_err_t (*pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
};

/* False where the library is not installed. */
static bool load_pfm(struct pfm *pfm)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	*pfm = (struct pfm){ 0 };
	if (!library)
		return false;
	*(void **)&pfm->initialize = dlsym(library, "pfm_initialize");
	*(void **)&pfm->terminate = dlsym(library, "pfm_terminate");
	*(void **)&pfm->encode = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm->strerror = dlsym(library, "pfm_strerror");
	*(void **)&pfm->pmu_info = dlsym(library, "pfm_get_pmu_info");
	return pfm->initialize && pfm->terminate && pfm->encode && pfm->strerror && pfm->pmu_info;
}

/* NULL, or why there is no library. */
static const char *start_pfm(struct pfm *pfm)
{
	int error;

	if (!load_pfm(pfm))
		return _("libpfm4 is not installed");
	error = pfm->initialize();
	return error == PFM_SUCCESS ? NULL : pfm->strerror(error);
}

static void stop_pfm(const struct pfm *pfm)
{
	pfm->terminate();
}

/* "skl::…" on another processor: libpfm4 knows the unit, but this machine does not have it. */
static bool is_of_absent_unit(const struct pfm *pfm, const char *name)
{
	const char *colons = strstr(name, "::");
	struct span unit = span_of(name, colons ? (size_t)(colons - name) : 0);
	pfm_pmu_t pmu;

	pfm_for_all_pmus(pmu) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (colons && pfm->pmu_info(pmu, &info) == PFM_SUCCESS && span_is(unit, info.name) &&
		    !info.is_present)
			return true;
	}
	return false;
}

static void explain_name(struct counter_event *event, const struct pfm *pfm, int error)
{
	if (error == PFM_ERR_NOTFOUND && is_of_absent_unit(pfm, event->name)) {
		event->why = _("this machine cannot count it");
		return;
	}
	event->why = error == PFM_ERR_NOTFOUND ? _("there is no such event") : pfm->strerror(error);
	event->unknown = error != PFM_ERR_NOTSUPP && error != PFM_ERR_NOMEM;
}

/* Without the settings of sampling. */
static int encode_by_library(struct counter_event *event, const struct pfm *pfm)
{
	pfm_perf_encode_arg_t encoding = { .attr = &event->attr, .size = sizeof(encoding) };
	int error = pfm->encode(event->name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoding);

	if (error == PFM_SUCCESS) {
		event->attr.sample_period = 0;
		event->attr.freq = 0;
		event->attr.precise_ip = 0;
	} else {
		memset(&event->attr, 0, sizeof(event->attr));
	}
	return error;
}

#else

#define PFM_SUCCESS 0
#define PFM_ERR_NOTFOUND (-4)

struct pfm {
	char none;
};

static const char *start_pfm(struct pfm *pfm)
{
	(void)pfm;
	return _("panetop was built without libpfm4");
}

static void stop_pfm(const struct pfm *pfm)
{
	(void)pfm;
}

static int encode_by_library(const struct counter_event *event, const struct pfm *pfm)
{
	(void)event;
	(void)pfm;
	return PFM_ERR_NOTFOUND;
}

static void explain_name(struct counter_event *event, const struct pfm *pfm, int error)
{
	(void)pfm;
	(void)error;
	event->why = _("there is no such event");
	event->unknown = true;
}

#endif

#define NOT_OPENED INT_MIN

/* What names are looked up in. */
struct lookup {
	struct env *env;
	struct pfm pfm;
	const char *broken; /* why there is no library, or NULL */
	int tracefs;        /* its directory, opened with the first tracepoint; NOT_OPENED; -errno */
};

/* Without the library, "cycles:u" may be an event or a tracepoint. */
static void find_tracepoint(struct counter_event *event, struct lookup *lookup)
{
	int error;

	if (lookup->tracefs == NOT_OPENED)
		lookup->tracefs = tracing_open(lookup->env);
	error = encode_tracepoint(event, lookup->tracefs);
	if (error == -ENOENT && lookup->broken && lookup->tracefs >= 0)
		event->why = lookup->broken;
	else if (error)
		explain_tracepoint(event, lookup->tracefs >= 0, error);
}

static void encode(struct counter_event *event, struct lookup *lookup)
{
	const struct known_event *known = find_known(event->name);
	int error = PFM_ERR_NOTFOUND;

	if (known)
		encode_known(event, known);
	else if (!lookup->broken)
		error = encode_by_library(event, &lookup->pfm);
	if (known || error == PFM_SUCCESS)
		return;
	if (error == PFM_ERR_NOTFOUND && is_tracepoint(event->name))
		find_tracepoint(event, lookup);
	else if (lookup->broken)
		event->why = lookup->broken;
	else
		explain_name(event, &lookup->pfm, error);
}

static void add_named(struct counter_events *events, struct lookup *lookup, struct span name)
{
	struct counter_event *event;

	if (span_length(name) == 0 || find_event(events, name) >= 0)
		return;
	event = add_event(events, name);
	if (event)
		encode(event, lookup);
}

void counter_events_named(struct counter_events *events, struct env *env, const char *names)
{
	struct span rest = span_text(names), name;
	struct lookup lookup = { .env = env, .tracefs = NOT_OPENED };

	lookup.broken = start_pfm(&lookup.pfm);
	while (span_until(&rest, ',', &name))
		add_named(events, &lookup, span_trimmed(name));
	add_named(events, &lookup, span_trimmed(rest));
	if (!lookup.broken)
		stop_pfm(&lookup.pfm);
	descriptor_close(lookup.tracefs);
	relate(events);
	group(events);
}

char *counter_events_unknown(struct env *env, const char *names, const char **why)
{
	struct counter_events events = { 0 };
	char *unknown = NULL;

	counter_events_named(&events, env, names);
	for (unsigned i = 0; i < events.count && !unknown; i++)
		if (events.list[i].unknown) {
			unknown = alloc_text(events.list[i].name);
			*why = events.list[i].why;
		}
	counter_events_free(&events);
	return unknown;
}

void counter_events_free(struct counter_events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		free(events->list[i].name);
	events->count = 0;
	events->surplus = 0;
}

struct reading {
	struct counter_pmus *pmus;
	struct env *env;
};

/* False when the attribute is missing or empty. */
static bool read_attribute(struct env *env, const char *device, const char *name, char text[PMU_TEXT_MAX])
{
	char path[PMU_PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", device, name);
	return attribute_once(env, path, text, PMU_TEXT_MAX) > 0;
}

static void add_pmu(void *context, const char *name)
{
	const struct reading *reading = context;
	struct counter_pmus *pmus = reading->pmus;
	char path[PMU_PATH_MAX], cpus[PMU_TEXT_MAX];
	uint64_t type;
	bool has_cores;

	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	if (attribute_once_u64(reading->env, path, &type) < 0 || type > UINT32_MAX)
		return;
	has_cores = read_attribute(reading->env, name, "cpus", cpus);
	if (!has_cores && !read_attribute(reading->env, name, "cpumask", cpus))
		return;
	*VECTOR_ADD(pmus->list, pmus->count, pmus->capacity) = (struct counter_pmu){
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
