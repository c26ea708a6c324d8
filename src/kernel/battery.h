/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/class/power_supply/NAME/uevent: what a battery, or the plug, says of itself. */
#ifndef PANETOP_KERNEL_BATTERY_H
#define PANETOP_KERNEL_BATTERY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define SUPPLY_UNKNOWN INT64_MIN
#define JOULES_PER_UWH 3.6e-3 /* of energy; of a charge in uAh at one volt, too */

/* Numbers in millionths (µW, µWh, µA, µAh, µV); SUPPLY_UNKNOWN when not there. */
struct power_supply {
	struct span type;   /* "Battery", "Mains", "USB" */
	struct span scope;  /* "Device" is the battery of a mouse, which feeds nothing else */
	struct span status; /* "Discharging" … */
	struct span model;
	int64_t present, online;
	int64_t power_uw, current_ua, voltage_uv;
	int64_t energy_uwh, energy_full_uwh, energy_design_uwh;
	int64_t charge_uah, charge_full_uah, charge_design_uah;
	int64_t capacity_percent, cycles;
};

/* The spans are parts of text. A number that is none is as one that is not there. */
void power_supply_parse(struct span text, struct power_supply *supply);

/* A battery that feeds the machine. */
bool power_supply_is_battery(const struct power_supply *supply);

/*
 * Watts that flow in or out, whatever sign the driver gives them: power, else current times voltage. NaN
 * when neither is told.
 */
double power_supply_watts(const struct power_supply *supply);

/* What it holds, in joules: energy, else charge times voltage. NaN when neither is told. */
double power_supply_joules(const struct power_supply *supply);

/* What it holds of what it can hold now, 0 to 1; NaN when it is not told. */
double power_supply_charge(const struct power_supply *supply);

/* What it can hold now of what it could when it was new; NaN when it is not told. */
double power_supply_health(const struct power_supply *supply);

#endif
