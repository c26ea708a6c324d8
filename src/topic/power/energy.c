/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads energy domains through wraps and resets, and adds up the total without counting twice. */
#include <config.h>

#include "topic/power/energy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/perf_record.h"
#include "kernel/power.h"
#include "kernel/system.h"
#include "sys/attribute.h"
#include "sys/perf_ring.h"

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

/* A counter that was reset must not look as if it had grown. */
static void publish(struct energy_domain *domain)
{
	if (isnan(domain->run_joules) && domain->joules >= domain->published_joules)
		domain->joules = NAN;
	domain->published_joules = domain->joules;
	domain->run_joules = isnan(domain->joules) ? NAN : 0;
}

/* A counter may have gone on, or begun again, while the machine slept: its growth is not of the time awake.
 */
static void forget_sleep(struct energy *energy)
{
	bool slept = clock_watch_slept_ns(&energy->clocks, energy->env) > 0;

	for (size_t i = 0; slept && i < energy->count; i++)
		energy->list[i].counted = false;
}

static int update(void *state, const struct sample *sample)
{
	struct energy *energy = state;
	uint64_t mono_ns = sample_mono_ns(sample);
	double seconds = (double)(mono_ns - energy->sample_ns) / 1e9;
	bool first = energy->sample_ns == 0 || mono_ns <= energy->sample_ns;

	refresh(energy, sample);
	energy->found = true;
	forget_sleep(energy);
	read_all(energy, mono_ns);
	for (size_t i = 0; i < energy->count; i++) {
		struct energy_domain *domain = &energy->list[i];

		domain->watts = first ? NAN : domain->run_joules / seconds;
		statistics_add(&domain->run, domain->watts, seconds);
	}
	add_up(energy, seconds, first);
	for (size_t i = 0; i < energy->count; i++)
		publish(&energy->list[i]);
	energy->sample_ns = mono_ns;
	return 0;
}

static const struct reading reads[] = {
	READING_ON_DEMAND(struct energy, supplies, &power_supply_reader),
	READING_ON_DEMAND(struct energy, sensors, &sensor_reader),
	{ 0 },
};

const struct reader energy_reader = {
	.name = "energy",
	.state_size = sizeof(struct energy),
	.reads = reads,
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
