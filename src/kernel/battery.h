/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/class/power_supply/NAME/uevent: the state of a battery or a mains plug. */
#ifndef PANETOP_KERNEL_BATTERY_H
#define PANETOP_KERNEL_BATTERY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define SUPPLY_UNKNOWN INT64_MIN
#define JOULES_PER_UWH 3.6e-3 /* also joules per µAh at one volt */

/* Numbers in millionths (µW, µWh, µA, µAh, µV); SUPPLY_UNKNOWN when missing. */
struct power_supply {
	struct span type;   /* "Battery", "Mains", "USB" */
	struct span scope;  /* "Device": the battery of a mouse, not of the machine */
	struct span status; /* "Discharging" … */
	struct span model;
	int64_t present, online;
	int64_t power_uw, current_ua, voltage_uv;
	int64_t energy_uwh, energy_full_uwh, energy_design_uwh;
	int64_t charge_uah, charge_full_uah, charge_design_uah;
	int64_t capacity_percent, cycles;
};

/* The spans point into text. A malformed number counts as missing. */
void power_supply_parse(struct span text, struct power_supply *supply);

/* Is it a battery that powers the machine? */
bool power_supply_is_battery(const struct power_supply *supply);

/* Watts, without the driver's sign: power, else current times voltage; NaN when neither is known. */
double power_supply_watts(const struct power_supply *supply);

/* Stored energy in joules: energy, else charge times voltage; NaN when neither is known. */
double power_supply_joules(const struct power_supply *supply);

/* Charge level relative to the current capacity, 0 to 1; NaN when unknown. */
double power_supply_charge(const struct power_supply *supply);

/* Current capacity relative to the capacity when new; NaN when unknown. */
double power_supply_health(const struct power_supply *supply);

#endif
