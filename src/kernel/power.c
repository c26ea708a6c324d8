/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batteries, zones of powercap, events of energy and sensors: names, units, and implausible values. */
#include <config.h>

#include "kernel/power.h"

#include <math.h>
#include <string.h>

#define NUMBER(name, field) { name, offsetof(struct power_supply, field) }

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	NUMBER("PRESENT", present), NUMBER("ONLINE", online), NUMBER("POWER_NOW", power_uw),
	NUMBER("CURRENT_NOW", current_ua), NUMBER("VOLTAGE_NOW", voltage_uv),
	NUMBER("ENERGY_NOW", energy_uwh), NUMBER("ENERGY_FULL", energy_full_uwh),
	NUMBER("ENERGY_FULL_DESIGN", energy_design_uwh), NUMBER("CHARGE_NOW", charge_uah),
	NUMBER("CHARGE_FULL", charge_full_uah), NUMBER("CHARGE_FULL_DESIGN", charge_design_uah),
	NUMBER("CAPACITY", capacity_percent), NUMBER("CYCLE_COUNT", cycles),
};

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static int64_t *number_at(struct power_supply *supply, size_t index)
{
	return (int64_t *)((char *)supply + numbers[index].offset);
}

void power_supply_parse(struct span text, struct power_supply *supply)
{
	struct span line, name;
	int64_t number;

	*supply = (struct power_supply){ .type = span_of(NULL, 0) };
	for (size_t i = 0; i < N_NUMBERS; i++)
		*number_at(supply, i) = SUPPLY_UNKNOWN;
	while (span_line(&text, &line)) {
		if (!span_until(&line, '=', &name) || !span_take_start(&name, "POWER_SUPPLY_"))
			continue;
		if (span_is(name, "TYPE"))
			supply->type = line;
		else if (span_is(name, "SCOPE"))
			supply->scope = line;
		else if (span_is(name, "STATUS"))
			supply->status = line;
		else if (span_is(name, "MODEL_NAME"))
			supply->model = line;
		for (size_t i = 0; i < N_NUMBERS; i++)
			if (span_is(name, numbers[i].name) && span_i64(&line, &number) && line.at == line.end)
				*number_at(supply, i) = number;
	}
}

bool power_supply_is_battery(const struct power_supply *supply)
{
	return span_is(supply->type, "Battery") && !span_is(supply->scope, "Device") && supply->present != 0;
}

static double millionths(int64_t number)
{
	return number == SUPPLY_UNKNOWN ? NAN : fabs((double)number) / 1e6;
}

double power_supply_watts(const struct power_supply *supply)
{
	double watts = millionths(supply->power_uw);

	return isnan(watts) ? millionths(supply->current_ua) * millionths(supply->voltage_uv) : watts;
}

double power_supply_joules(const struct power_supply *supply)
{
	double joules = millionths(supply->energy_uwh) * 1e6 * JOULES_PER_UWH;

	return isnan(joules) ? millionths(supply->charge_uah) * 1e6 * JOULES_PER_UWH *
				       millionths(supply->voltage_uv)
			     : joules;
}

/* NaN when either is unknown, or whole is 0. */
static double share(int64_t part, int64_t whole)
{
	if (part == SUPPLY_UNKNOWN || whole == SUPPLY_UNKNOWN || part < 0 || whole <= 0)
		return NAN;
	return (double)part / (double)whole;
}

double power_supply_charge(const struct power_supply *supply)
{
	double charge = share(supply->energy_uwh, supply->energy_full_uwh);

	if (isnan(charge))
		charge = share(supply->charge_uah, supply->charge_full_uah);
	return isnan(charge) ? share(supply->capacity_percent, 100) : charge;
}

double power_supply_health(const struct power_supply *supply)
{
	double health = share(supply->energy_full_uwh, supply->energy_design_uwh);

	return isnan(health) ? share(supply->charge_full_uah, supply->charge_design_uah) : health;
}

static bool is_zone_number(struct span text)
{
	uint64_t number;

	return span_length(text) > 0 && *text.at != ' ' && *text.at != '\t' && span_u64(&text, &number) &&
	       text.at == text.end;
}

bool powercap_zone_parse(struct span name, struct powercap_zone *zone)
{
	struct span rest = name, part, control;
	const char *last;

	if (!span_until(&rest, ':', &control) || span_length(control) == 0)
		return false;
	last = rest.at - 1;
	for (struct span left = rest; span_until(&left, ':', &part); rest = left) {
		if (!is_zone_number(part))
			return false;
		last = left.at - 1;
	}
	if (!is_zone_number(rest))
		return false;
	zone->control = control;
	zone->parent =
		last > control.end ? (struct span){ name.at, last } : (struct span){ name.at, name.at };
	return true;
}

unsigned powercap_rank(struct span control)
{
	if (span_is(control, "intel-rapl"))
		return 0;
	if (span_is(control, "intel-rapl-tpmi"))
		return 1;
	return span_starts(control, "intel-rapl") ? 2 : 3;
}

enum powercap_part powercap_part(struct span name)
{
	if (span_starts(name, "package"))
		return POWERCAP_PACKAGE;
	if (span_is(name, "dram"))
		return POWERCAP_DRAM;
	return span_starts(name, "psys") ? POWERCAP_PLATFORM : POWERCAP_OTHER;
}

struct energy_step energy_step(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, double seconds,
			       double most_watts)
{
	double most_uj = most_watts * seconds * 1e6;
	bool has_range = range_uj != U64_UNKNOWN && range_uj > 0;
	struct energy_step step = { .may_have_wrapped = has_range && most_uj >= (double)range_uj };

	if (now_uj >= before_uj) {
		step.grown_uj = now_uj - before_uj;
		return step;
	}
	step.grown_uj = U64_UNKNOWN;
	if (!has_range || before_uj > range_uj)
		return step;
	step.wrapped = (double)(range_uj - before_uj) + (double)now_uj <= most_uj;
	if (step.wrapped)
		step.grown_uj = range_uj - before_uj + now_uj;
	return step;
}

bool pmu_event_parse(struct span text, uint64_t *event)
{
	struct span line, name;
	uint64_t number;

	if (!span_line(&text, &line) || !span_until(&line, '=', &name) || !span_is(name, "event") ||
	    !span_char(&line, '0') || !span_char(&line, 'x') || !span_hex(&line, &number) ||
	    line.at != line.end)
		return false;
	*event = number;
	return true;
}

bool pmu_scale_parse(struct span text, double *scale)
{
	struct span line;
	double number;

	if (!span_line(&text, &line) || !span_real(&line, &number) || line.at != line.end || !(number > 0))
		return false;
	*scale = number;
	return true;
}

#define NUMBER_MAX 4096 /* highest sensor number accepted on a chip: rejects broken names */

static const struct {
	const char *prefix;
	double per_unit, least, most;
} sensors[N_SENSOR_KINDS] = {
	[SENSOR_TEMPERATURE] = { "temp", 1e3, -55, 200 }, [SENSOR_FAN] = { "fan", 1, 0, 100000 },
	[SENSOR_VOLTAGE] = { "in", 1e3, -1000, 1000 },    [SENSOR_POWER] = { "power", 1e6, 0, 1e6 },
	[SENSOR_ENERGY] = { "energy", 1e6, 0, 1e18 },
};

bool hwmon_name_parse(struct span name, enum sensor_kind *kind, uint64_t *number, struct span *item)
{
	for (int i = 0; i < N_SENSOR_KINDS; i++) {
		struct span rest = name, digits;
		uint64_t value;

		if (!span_take_start(&rest, sensors[i].prefix) || !span_until(&rest, '_', &digits) ||
		    span_length(digits) == 0 || *digits.at == ' ' || !span_is_u64(digits, &value) ||
		    value > NUMBER_MAX)
			continue;
		*kind = (enum sensor_kind)i;
		*number = value;
		*item = i == SENSOR_POWER && span_is(rest, "average") ? span_text("input") : rest;
		return span_length(rest) > 0;
	}
	return false;
}

const char *hwmon_prefix(enum sensor_kind kind)
{
	return sensors[kind].prefix;
}

double hwmon_value(enum sensor_kind kind, int64_t raw)
{
	return (double)raw / sensors[kind].per_unit;
}

double sensor_plausible(enum sensor_kind kind, double value)
{
	return value >= sensors[kind].least && value <= sensors[kind].most ? value : NAN;
}

#define OPEN_CELSIUS 127
#define OPEN_RPM 65535

void sensor_limits_check(enum sensor_kind kind, struct sensor_limits *limits)
{
	if (limits->high <= limits->low)
		limits->low = limits->high = NAN;
	if (kind == SENSOR_TEMPERATURE) {
		limits->high = limits->high > 0 ? limits->high : NAN;
		limits->critical = limits->critical > 0 ? limits->critical : NAN;
	}
	if (kind == SENSOR_FAN && limits->low >= OPEN_RPM)
		limits->low = NAN;
}

bool sensor_is_open(enum sensor_kind kind, double value, const struct sensor_limits *limits)
{
	if (kind == SENSOR_FAN)
		return value == OPEN_RPM;
	return kind == SENSOR_TEMPERATURE && value >= OPEN_CELSIUS && value < OPEN_CELSIUS + 1 &&
	       !(fmax(limits->high, limits->critical) > OPEN_CELSIUS);
}
