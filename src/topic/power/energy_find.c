/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds energy domains: perf events first, then zones of powercap, chips of hwmon, batteries. */
#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/power.h"
#include "topic/power/energy_domain.h"

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
