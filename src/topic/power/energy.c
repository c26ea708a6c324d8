/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds energy domains, perf events first, then zones of powercap, chips of hwmon, batteries; reads them
 * through wraps and resets, and adds up the total without counting twice.
 */
#include <config.h>

#include "topic/power/energy.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/vector.h"
#include "kernel/perf_record.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "topic/cpu/proc_stat.h"

#define ENERGY_NAME_BYTES 256
#define DOMAINS_MAX 4096
#define MOST_WATTS 2000 /* of a domain without a limit of its own */

/* By name; NULL when there is none. */
static struct energy_domain *energy_domain_find(const struct energy *energy, const char *name)
{
	for (size_t i = 0; i < energy->count; i++)
		if (strcmp(energy->list[i].name, name) == 0)
			return &energy->list[i];
	return NULL;
}

static int energy_domain_index(const struct energy *energy, const struct energy_domain *domain)
{
	return domain ? (int)(domain - energy->list) : -1;
}

/* Appends a domain; NULL when there are too many. */
static struct energy_domain *energy_domain_add(struct energy *energy, const char *name, const char *key,
					       enum energy_source source)
{
	struct energy_domain *domain;

	if (energy->count == DOMAINS_MAX)
		return NULL;
	domain = VECTOR_ADD(energy->list, energy->count, energy->capacity);
	*domain = (struct energy_domain){
		.name = alloc_text(name),
		.key = alloc_text(key),
		.source = source,
		.part = ENERGY_OTHER,
		.parent = -1,
		.fd = -1,
		.range_uj = U64_UNKNOWN,
		.most_watts = MOST_WATTS,
		.joules = NAN,
		.run_joules = NAN,
		.published_joules = NAN,
		.watts = NAN,
	};
	return domain;
}

static void energy_domain_place(struct energy_domain *domain, const char *kind)
{
	char text[ENERGY_NAME_BYTES];

	snprintf(text, sizeof(text), "%s %s", kind, domain->key);
	domain->place = alloc_text(text);
}

static void energy_domain_free(struct energy_domain *domain, struct env *env)
{
	descriptor_close(domain->fd);
	attribute_close(&domain->file, env);
	free(domain->name);
	free(domain->place);
	free(domain->key);
}

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

/* Packages with PMU "power", single cores of AMD processors with "power_core", by their names in powercap. */
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
static void energy_find_events(struct energy *energy)
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

static long zone_text(struct energy *energy, const char *zone, const char *file, char *text, size_t room)
{
	char path[512];

	snprintf(path, sizeof(path), POWERCAP "/%.256s/%s", zone, file);
	return attribute_once(energy->env, path, text, room);
}

static double zone_number(struct energy *energy, const char *zone, const char *file)
{
	char text[64];
	struct span span;
	uint64_t number;

	if (zone_text(energy, zone, file, text, sizeof(text)) <= 0)
		return NAN;
	span = span_text(text);
	return span_u64(&span, &number) ? (double)number : NAN;
}

/* Twice the highest of its limits, as short peaks exceed them; NaN where it has none. */
static double most_watts(struct energy *energy, const char *zone)
{
	double most = 0;

	for (unsigned i = 0; i < 3; i++) {
		char file[64];

		snprintf(file, sizeof(file), "constraint_%u_max_power_uw", i);
		most = fmax(most, zone_number(energy, zone, file) / 1e6);
	}
	return most > 0 ? 2 * most : NAN;
}

static struct energy_domain *domain_of_zone(const struct energy *energy, struct span zone)
{
	for (size_t i = 0; i < energy->count; i++)
		if (energy->list[i].source == ENERGY_POWERCAP && span_is(zone, energy->list[i].key))
			return &energy->list[i];
	return NULL;
}

/* Reads the name of the parent from its own file, as the parent may be another kind of domain. */
static bool parent_name(struct energy *energy, struct span parent, char *name)
{
	char zone[ENERGY_NAME_BYTES], text[ATTRIBUTE_TEXT_MAX];

	snprintf(zone, sizeof(zone), "%.*s", (int)span_length(parent), parent.at);
	if (zone_text(energy, zone, "name", text, sizeof(text)) <= 0)
		return false;
	snprintf(name, ENERGY_NAME_BYTES, "%.200s", text);
	return true;
}

static enum energy_part part_of_zone(const struct powercap_zone *zone, const char *name)
{
	static const enum energy_part parts[] = {
		[POWERCAP_PACKAGE] = ENERGY_PACKAGE,
		[POWERCAP_DRAM] = ENERGY_DRAM,
		[POWERCAP_PLATFORM] = ENERGY_PLATFORM,
		[POWERCAP_OTHER] = ENERGY_OTHER,
	};
	enum energy_part part = parts[powercap_part(span_text(name))];

	if (span_length(zone->parent) > 0 && part != ENERGY_DRAM)
		return ENERGY_IN_PARENT;
	return powercap_rank(zone->control) < 3 ? part : ENERGY_OTHER;
}

/*
 * A second zone with this name and the same control type is another zone; with another control type it is
 * the same one.
 */
static bool make_name(struct energy *energy, const struct powercap_zone *zone, char *name)
{
	const struct energy_domain *twin = energy_domain_find(energy, name);
	char wanted[ENERGY_NAME_BYTES];
	struct powercap_zone of_twin;

	if (!twin)
		return true;
	if (twin->source != ENERGY_POWERCAP || !powercap_zone_parse(span_text(twin->key), &of_twin) ||
	    span_length(of_twin.control) != span_length(zone->control) ||
	    memcmp(of_twin.control.at, zone->control.at, span_length(zone->control)) != 0)
		return false;
	snprintf(wanted, sizeof(wanted), "%.200s", name);
	for (unsigned i = 2; energy_domain_find(energy, name); i++)
		snprintf(name, ENERGY_NAME_BYTES, "%.200s#%u", wanted, i);
	return true;
}

static void add_zone(struct energy *energy, const char *key, const struct powercap_zone *zone)
{
	char text[ATTRIBUTE_TEXT_MAX], parent[ENERGY_NAME_BYTES], name[ENERGY_NAME_BYTES], path[512];
	struct energy_domain *domain;
	double range, watts;

	snprintf(path, sizeof(path), POWERCAP "/%.256s/energy_uj", key);
	if (!env_exists(energy->env, path) || zone_text(energy, key, "name", text, sizeof(text)) <= 0)
		return;
	if (span_length(zone->parent) == 0)
		snprintf(name, sizeof(name), "%.200s", text);
	else if (parent_name(energy, zone->parent, parent))
		snprintf(name, sizeof(name), "%.120s/%.120s", parent, text);
	else
		return;
	if (!make_name(energy, zone, name))
		return;
	range = zone_number(energy, key, "max_energy_range_uj");
	watts = most_watts(energy, key);
	domain = energy_domain_add(energy, name, key, ENERGY_POWERCAP);
	if (!domain)
		return;
	energy_domain_place(domain, "powercap");
	attribute_open(&domain->file, path);
	domain->part = part_of_zone(zone, text);
	if (!isnan(watts))
		domain->most_watts = watts;
	domain->range_uj = isnan(range) ? U64_UNKNOWN : (uint64_t)range;
	if (span_length(zone->parent) > 0) {
		struct energy_domain *of_zone = domain_of_zone(energy, zone->parent);

		domain->parent =
			energy_domain_index(energy, of_zone ? of_zone : energy_domain_find(energy, parent));
	}
}

static void find_zones(struct energy *energy)
{
	struct powercap_zone zone;

	for (unsigned rank = 0; rank <= 3; rank++)
		for (size_t i = 0; i < energy->zones.n_names; i++)
			if (powercap_zone_parse(span_text(energy->zones.names[i]), &zone) &&
			    powercap_rank(zone.control) == rank)
				add_zone(energy, energy->zones.names[i], &zone);
}

/* Drivers and labels of meters for the whole machine. */
static bool is_meter(const char *chip, const char *label)
{
	static const struct {
		const char *chip, *label; /* label NULL: the only one */
	} meters[] = {
		{ "power_meter", NULL },
		{ "macsmc_hwmon", "Total System Power" },
		{ "corsairpsu", "power total" },
	};

	for (size_t i = 0; i < sizeof(meters) / sizeof(meters[0]); i++)
		if (strcmp(meters[i].chip, chip) == 0 &&
		    (!meters[i].label || strcmp(meters[i].label, label) == 0))
			return true;
	return false;
}

static bool is_supply(const struct energy *energy, const char *name)
{
	for (size_t i = 0; i < energy->supplies->count; i++)
		if (strcmp(energy->supplies->list[i].name, name) == 0)
			return true;
	return false;
}

/* amd_energy counts sockets: "Esocket0". */
static bool is_socket(const char *chip, const char *label, char *name)
{
	if (strcmp(chip, "amd_energy") != 0 || strncmp(label, "Esocket", 7) != 0 ||
	    !isdigit((unsigned char)label[7]))
		return false;
	snprintf(name, ENERGY_NAME_BYTES, "package-%.20s", label + 7);
	return true;
}

static void add_sensor(struct energy *energy, const struct sensor *sensor)
{
	const char *chip = energy->sensors->chips[sensor->chip].name;
	struct energy_domain *domain;
	char name[ENERGY_NAME_BYTES];
	bool socket = is_socket(chip, sensor->label, name);

	if (is_supply(energy, chip))
		return; /* a battery is also a chip */
	if (!socket)
		snprintf(name, sizeof(name), "%.250s", sensor->key);
	if (energy_domain_find(energy, name))
		return;
	domain = energy_domain_add(energy, name, sensor->key, ENERGY_HWMON);
	if (!domain)
		return;
	energy_domain_place(domain, "hwmon");
	domain->part = socket ? ENERGY_PACKAGE : is_meter(chip, sensor->label) ? ENERGY_METER : ENERGY_OTHER;
}

static void find_sensors(struct energy *energy)
{
	energy->sensors_seen = energy->sensors->generation;
	for (size_t i = 0; i < energy->sensors->n_sensors; i++) {
		const struct sensor *sensor = &energy->sensors->list[i];

		if (sensor->kind == SENSOR_POWER || sensor->kind == SENSOR_ENERGY)
			add_sensor(energy, sensor);
	}
}

static void find_batteries(struct energy *energy)
{
	energy->supplies_seen = energy->supplies->generation;
	for (size_t i = 0; i < energy->supplies->count; i++) {
		const struct battery *battery = &energy->supplies->list[i];
		struct energy_domain *domain;
		char name[ENERGY_NAME_BYTES];

		if (!battery->is_battery)
			continue;
		snprintf(name, sizeof(name), "battery/%.200s", battery->name);
		domain = energy_domain_add(energy, name, battery->name, ENERGY_BATTERY);
		if (!domain)
			return;
		energy_domain_place(domain, "battery");
		domain->part = ENERGY_OF_BATTERY;
	}
}

/* Copies the state of an old domain to the one that is read in the same way. */
static void keep_known(struct energy *energy, struct energy_domain *old, size_t n_old)
{
	for (size_t i = 0; i < energy->count; i++) {
		for (size_t k = 0; k < n_old; k++) {
			struct energy_domain *now = &energy->list[i], moved = *now;

			if (strcmp(now->name, old[k].name) != 0 || strcmp(now->place, old[k].place) != 0)
				continue;
			*now = old[k];
			now->name = moved.name;
			now->place = moved.place;
			now->key = moved.key;
			now->file = moved.file;
			now->fd = moved.fd;
			now->parent = moved.parent;
			if (moved.fd >= 0)
				now->counted = false; /* a new event counts from 0 */
		}
	}
}

void energy_find(struct energy *energy)
{
	struct energy_domain *old = energy->list;
	size_t n_old = energy->count;

	energy->list = NULL;
	energy->count = energy->capacity = 0;
	energy->maybe_wrapped = NULL;
	energy_find_events(energy);
	find_zones(energy);
	find_sensors(energy);
	find_batteries(energy);
	keep_known(energy, old, n_old);
	for (size_t i = 0; i < n_old; i++)
		energy_domain_free(&old[i], energy->env);
	free(old);
}

#define COVERS 0.9 /* a psys that counts less of the packages than this does not count the whole machine */

static bool is_virtual(struct env *env)
{
	char bytes[4096]; /* the first CPU is enough */
	long length = attribute_once(env, "proc/cpuinfo", bytes, sizeof(bytes));

	return cpuinfo_is_virtual(span_of(bytes, length > 0 ? (size_t)length : 0)) ||
	       env_exists(env, "proc/device-tree/hypervisor");
}

static int open_shared(void *state, const struct sample *sample)
{
	struct energy *energy = state;

	energy->env = sample->env;
	energy->zones.path = POWERCAP;
	energy->joules = energy->watts = NAN;
	energy->is_virtual = is_virtual(sample->env);
	return 0;
}

static void close_shared(void *state)
{
	struct energy *energy = state;

	for (size_t i = 0; i < energy->count; i++)
		energy_domain_free(&energy->list[i], energy->env);
	free(energy->list);
	listing_free(&energy->zones);
}

/* Growth since the last read in microjoules; U64_UNKNOWN: reset or new. */
static uint64_t grown_uj(struct energy *energy, struct energy_domain *domain, uint64_t raw, double seconds)
{
	struct energy_step step;

	if (!domain->counted)
		return U64_UNKNOWN;
	step = energy_step(domain->raw, raw, domain->range_uj, seconds, domain->most_watts);
	if (step.may_have_wrapped) {
		energy->maybe_wrapped = domain;
		energy->unread_seconds = seconds;
	}
	return step.grown_uj;
}

static void count(struct energy *energy, struct energy_domain *domain, uint64_t raw, uint64_t mono_ns)
{
	double seconds = (double)(mono_ns - domain->read_ns) / 1e9;
	uint64_t grown = grown_uj(energy, domain, raw, seconds);

	if (grown == U64_UNKNOWN) {
		domain->total_uj = raw; /* smaller than before, so no rate is derived */
		domain->run_joules = NAN;
	} else {
		domain->total_uj += grown;
		domain->grown_uj += grown;
		domain->run_joules += (double)grown / 1e6;
	}
	domain->joules = (double)domain->total_uj / 1e6;
	domain->raw = raw;
	domain->read_ns = mono_ns;
	domain->counted = true;
}

static int read_perf(struct energy *energy, struct energy_domain *domain, uint64_t mono_ns)
{
	char bytes[64];
	long length = perf_read(domain->fd, bytes, sizeof(bytes));
	struct perf_times times;
	uint64_t value;

	if (length < 0)
		return (int)length;
	if (!perf_read_parse(span_of(bytes, (size_t)length), &value, 1, &times))
		return -EBADMSG;
	count(energy, domain, (uint64_t)((double)value * domain->scale * 1e6), mono_ns);
	return 0;
}

/* Integrates watts over the time since the last reading. */
static int add_watts(struct energy_domain *domain, double watts, uint64_t mono_ns)
{
	double joules = watts * (double)(mono_ns - domain->read_ns) / 1e9;

	if (isnan(watts)) {
		domain->counted = false;
		return -ENODATA;
	}
	domain->joules = isnan(domain->joules) ? 0 : domain->joules + (domain->counted ? joules : 0);
	domain->run_joules = domain->counted ? domain->run_joules + joules : NAN;
	domain->read_ns = mono_ns;
	domain->counted = true;
	return 0;
}

static int read_battery(const struct energy *energy, struct energy_domain *domain, uint64_t mono_ns)
{
	for (size_t i = 0; i < energy->supplies->count; i++) {
		const struct battery *battery = &energy->supplies->list[i];

		if (strcmp(battery->name, domain->key) == 0)
			return add_watts(domain, battery->watts < 0 ? 0 : battery->watts, mono_ns);
	}
	return -ENODEV;
}

static int read_hwmon(struct energy *energy, struct energy_domain *domain, uint64_t mono_ns)
{
	for (size_t i = 0; i < energy->sensors->n_sensors; i++) {
		const struct sensor *sensor = &energy->sensors->list[i];

		if (strcmp(sensor->key, domain->key) != 0)
			continue;
		if (sensor->kind == SENSOR_POWER)
			return add_watts(domain, sensor->value, mono_ns);
		if (isnan(sensor->value) || !sensor->fresh)
			return -ENODATA; /* an old reading has no energy of this tick */
		count(energy, domain, (uint64_t)(sensor->value * 1e6),
		      mono_ns - (uint64_t)(sensor->age_seconds * 1e9));
		return 0;
	}
	return -ENODEV;
}

static int read_domain(struct energy *energy, struct energy_domain *domain, uint64_t mono_ns)
{
	uint64_t raw;
	int error;

	switch (domain->source) {
	case ENERGY_PERF:
		return read_perf(energy, domain, mono_ns);
	case ENERGY_POWERCAP:
		error = attribute_u64(&domain->file, energy->env, &raw);
		if (!error && raw == U64_UNKNOWN)
			error = -EBADMSG;
		if (!error)
			count(energy, domain, raw, mono_ns);
		return error;
	case ENERGY_HWMON:
		return read_hwmon(energy, domain, mono_ns);
	case ENERGY_BATTERY:
		return read_battery(energy, domain, mono_ns);
	}
	return -ENODEV;
}

/* A domain that cannot be read now is unknown now; later it continues from its last count. */
static void read_all(struct energy *energy, uint64_t mono_ns)
{
	for (size_t i = 0; i < energy->count; i++) {
		struct energy_domain *domain = &energy->list[i];

		domain->error = read_domain(energy, domain, mono_ns);
		if (!domain->error)
			continue;
		domain->joules = domain->run_joules = NAN;
	}
}

/* The first psys that counts the whole machine; NULL. That shows as soon as the packages have used energy. */
static const struct energy_domain *platform(const struct energy *energy)
{
	uint64_t packages = 0;

	for (size_t i = 0; i < energy->count; i++)
		if (energy->list[i].part == ENERGY_PACKAGE)
			packages += energy->list[i].grown_uj;
	for (size_t i = 0; i < energy->count; i++) {
		const struct energy_domain *domain = &energy->list[i];

		if (domain->part == ENERGY_PLATFORM && domain->counted && domain->raw > 0 &&
		    (double)domain->grown_uj >= COVERS * (double)packages)
			return domain;
	}
	return NULL;
}

static bool has_part(const struct energy *energy, enum energy_part part)
{
	for (size_t i = 0; i < energy->count; i++)
		if (energy->list[i].part == part && energy->list[i].counted)
			return true;
	return false;
}

/* Watts that batteries deliver; NaN: none discharges, or it is not known. */
static double delivered(const struct energy *energy)
{
	double watts = NAN;

	for (size_t i = 0; i < energy->supplies->count; i++) {
		const struct battery *battery = &energy->supplies->list[i];

		if (battery->is_battery && battery->flow == BATTERY_DISCHARGES && battery->watts > 0)
			watts = isnan(watts) ? battery->watts : watts + battery->watts;
	}
	return watts;
}

static bool any_discharges(const struct energy *energy)
{
	for (size_t i = 0; i < energy->supplies->count; i++) {
		const struct battery *battery = &energy->supplies->list[i];

		if (battery->is_battery && battery->flow == BATTERY_DISCHARGES)
			return true;
	}
	return false;
}

/* The first counter of a total of this kind if none of them has grown; NULL. */
static const struct energy_domain *standing_still(const struct energy *energy, enum energy_part part)
{
	const struct energy_domain *first = NULL;

	for (size_t i = 0; i < energy->count; i++) {
		const struct energy_domain *domain = &energy->list[i];

		if (domain->part != part || !domain->counted)
			continue;
		if (domain->grown_uj > 0)
			return NULL;
		first = first ? first : domain;
	}
	return first;
}

/*
 * A machine that runs on its battery uses energy: a counter that did not grow since the first sample does not
 * measure it.
 */
static const struct energy_domain *find_still(const struct energy *energy, const struct energy_domain *psys)
{
	if (energy->sample_ns == 0 || isnan(energy->delivered_watts))
		return NULL;
	if (psys)
		return psys->grown_uj == 0 ? psys : NULL;
	return standing_still(energy, ENERGY_PACKAGE);
}

static enum energy_total choose_total(const struct energy *energy, const struct energy_domain *psys)
{
	if (energy->still)
		return TOTAL_BATTERIES;
	if (psys)
		return TOTAL_PLATFORM;
	if (has_part(energy, ENERGY_PACKAGE))
		return TOTAL_PACKAGES;
	if (has_part(energy, ENERGY_METER))
		return TOTAL_METERS;
	/* on mains batteries do not show the total */
	return any_discharges(energy) ? TOTAL_BATTERIES : TOTAL_NONE;
}

static bool is_part(enum energy_total total, const struct energy_domain *domain,
		    const struct energy_domain *psys)
{
	switch (total) {
	case TOTAL_PLATFORM:
		return domain == psys;
	case TOTAL_PACKAGES:
		return domain->part == ENERGY_PACKAGE || domain->part == ENERGY_DRAM;
	case TOTAL_METERS:
		return domain->part == ENERGY_METER;
	case TOTAL_BATTERIES:
		return domain->part == ENERGY_OF_BATTERY;
	case TOTAL_NONE:
		break;
	}
	return false;
}

/* True: the total consists of other domains than before. */
static bool choose_parts(struct energy *energy)
{
	const struct energy_domain *psys = platform(energy);
	bool changed = false;

	energy->delivered_watts = delivered(energy);
	energy->still = find_still(energy, psys);
	energy->total = choose_total(energy, psys);
	for (size_t i = 0; i < energy->count; i++) {
		struct energy_domain *domain = &energy->list[i];
		bool in_total = is_part(energy->total, domain, psys);

		changed |= in_total != domain->in_total;
		domain->in_total = in_total;
	}
	return changed;
}

/*
 * Unknown if one part is, or if the parts changed, as a counter that begins to move may jump. Batteries that
 * replace a counter which stands still go on from it.
 */
static void add_up(struct energy *energy, double seconds, bool first)
{
	bool changed = choose_parts(energy) && !first;
	double joules = 0, run = 0;

	for (size_t i = 0; i < energy->count; i++) {
		const struct energy_domain *domain = &energy->list[i];

		if (!domain->in_total)
			continue;
		joules += domain->joules;
		run += domain->run_joules;
	}
	if (energy->total == TOTAL_NONE || (changed && !energy->still))
		joules = run = NAN;
	if (changed)
		energy->before_joules = energy->still ? energy->joules + run - joules : 0;
	if (isnan(energy->before_joules))
		energy->before_joules = 0;
	energy->joules = joules + energy->before_joules;
	energy->watts = first ? NAN : run / seconds;
	statistics_add(&energy->run, energy->watts, seconds);
}

static void refresh(struct energy *energy, const struct sample *sample)
{
	bool changed;

	listing_read(&energy->zones, energy->env, &changed);
	power_supplies_submit(energy->supplies, sample_mono_ns(sample));
	sensors_read(energy->sensors, SENSOR_POWER); /* also waits for batteries */
	sensors_read(energy->sensors, SENSOR_ENERGY);
	reader_update(&power_supply_reader, sample);
	if (changed || energy->sensors_seen != energy->sensors->generation ||
	    energy->supplies_seen != energy->supplies->generation || !energy->found)
		energy_find(energy);
}

static int update(void *state, const struct sample *sample)
{
	struct energy *energy = state;
	uint64_t mono_ns = sample_mono_ns(sample);
	double seconds = (double)(mono_ns - energy->sample_ns) / 1e9;
	bool first = energy->sample_ns == 0 || mono_ns <= energy->sample_ns;

	refresh(energy, sample);
	energy->found = true;
	/* a counter may have gone on, or begun again: its growth is not of the time awake */
	if (clock_watch_slept_ns(&energy->clocks, energy->env) > 0)
		for (size_t i = 0; i < energy->count; i++)
			energy->list[i].counted = false;
	read_all(energy, mono_ns);
	for (size_t i = 0; i < energy->count; i++) {
		struct energy_domain *domain = &energy->list[i];

		domain->watts = first ? NAN : domain->run_joules / seconds;
		statistics_add(&domain->run, domain->watts, seconds);
	}
	add_up(energy, seconds, first);
	for (size_t i = 0; i < energy->count; i++) {
		struct energy_domain *domain = &energy->list[i];

		/* a counter that was reset must not look as if it had grown */
		if (isnan(domain->run_joules) && domain->joules >= domain->published_joules)
			domain->joules = NAN;
		domain->published_joules = domain->joules;
		domain->run_joules = isnan(domain->joules) ? NAN : 0;
	}
	energy->sample_ns = mono_ns;
	return 0;
}

const struct reader energy_reader = {
	.name = "energy",
	.state_size = sizeof(struct energy),
	.reads = READINGS(READING_ON_DEMAND(struct energy, supplies, &power_supply_reader),
			  READING_ON_DEMAND(struct energy, sensors, &sensor_reader)),
	.open = open_shared,
	.update = update,
	.close = close_shared,
};

void energy_poll(struct energy *energy, uint64_t mono_ns)
{
	for (size_t i = 0; i < energy->count; i++) {
		struct energy_domain *domain = &energy->list[i];

		if (domain->source == ENERGY_POWERCAP && domain->counted)
			read_domain(energy, domain, mono_ns);
	}
}

void energy_restart(struct energy *energy)
{
	energy->run = (struct statistics){ 0 };
	for (size_t i = 0; i < energy->count; i++)
		energy->list[i].run = (struct statistics){ 0 };
}

void power_estimate_close(struct power_estimate *estimate)
{
	if (estimate->energy)
		reader_close(&energy_reader, estimate->energy->env);
	estimate->energy = NULL;
}

/* True: another calibration was in use before, and their joules cannot be compared. */
static bool follow_settings(struct power_estimate *estimate, const struct sample *sample)
{
	const struct power_fit *wanted = &sample->settings->fit;
	bool had_one = estimate->fit.cpus > 0;

	if (power_fit_is_same(wanted, &estimate->fit))
		return false;
	power_estimate_close(estimate);
	estimate->fit = *wanted;
	if (wanted->cpus > 0)
		estimate->energy = reader_open(&energy_reader, sample, NULL);
	return had_one;
}

void power_estimate_update(struct power_estimate *estimate, const struct sample *sample)
{
	bool changed = follow_settings(estimate, sample);

	if (estimate->energy)
		reader_update(&energy_reader, sample);
	estimate->known = estimate->energy && !changed && !isnan(estimate->energy->joules);
}

double power_estimate_counted(const struct power_estimate *estimate, const char *event, double count)
{
	if (!estimate->known)
		return NAN;
	for (int i = CALIBRATION_CYCLES; i <= CALIBRATION_INSTRUCTIONS; i++)
		if (strcmp(event, calibration_name((enum calibration_measure)i)) == 0)
			return estimate->fit.lines[i].slope * count;
	return NAN;
}
