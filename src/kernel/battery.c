/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the uevent file of power supplies. */
#include <config.h>

#include "kernel/battery.h"

#include <math.h>
#include <stddef.h>

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "PRESENT", offsetof(struct power_supply, present) },
	{ "ONLINE", offsetof(struct power_supply, online) },
	{ "POWER_NOW", offsetof(struct power_supply, power_uw) },
	{ "CURRENT_NOW", offsetof(struct power_supply, current_ua) },
	{ "VOLTAGE_NOW", offsetof(struct power_supply, voltage_uv) },
	{ "ENERGY_NOW", offsetof(struct power_supply, energy_uwh) },
	{ "ENERGY_FULL", offsetof(struct power_supply, energy_full_uwh) },
	{ "ENERGY_FULL_DESIGN", offsetof(struct power_supply, energy_design_uwh) },
	{ "CHARGE_NOW", offsetof(struct power_supply, charge_uah) },
	{ "CHARGE_FULL", offsetof(struct power_supply, charge_full_uah) },
	{ "CHARGE_FULL_DESIGN", offsetof(struct power_supply, charge_design_uah) },
	{ "CAPACITY", offsetof(struct power_supply, capacity_percent) },
	{ "CYCLE_COUNT", offsetof(struct power_supply, cycles) },
};

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static int64_t *number_at(struct power_supply *supply, size_t index)
{
	return (int64_t *)((char *)supply + numbers[index].offset);
}

static void take_number(struct power_supply *supply, struct span name, struct span value)
{
	int64_t number;

	for (size_t i = 0; i < N_NUMBERS; i++)
		if (span_is(name, numbers[i].name) && span_i64(&value, &number) && value.at == value.end)
			*number_at(supply, i) = number;
}

void power_supply_parse(struct span text, struct power_supply *supply)
{
	struct span line, name;

	*supply = (struct power_supply){ .type = span_of(NULL, 0) };
	for (size_t i = 0; i < N_NUMBERS; i++)
		*number_at(supply, i) = SUPPLY_UNKNOWN;
	while (span_line(&text, &line)) {
		if (!span_until(&line, '=', &name) || !span_starts(name, "POWER_SUPPLY_"))
			continue;
		name.at += sizeof("POWER_SUPPLY_") - 1;
		if (span_is(name, "TYPE"))
			supply->type = line;
		else if (span_is(name, "SCOPE"))
			supply->scope = line;
		else if (span_is(name, "STATUS"))
			supply->status = line;
		else if (span_is(name, "MODEL_NAME"))
			supply->model = line;
		else
			take_number(supply, name, line);
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
