/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of /sys about power and temperatures: batteries, zones, events, sensors. */
#ifndef PANETOP_KERNEL_POWER_H
#define PANETOP_KERNEL_POWER_H

#include "core/span.h"
#include "core/unknown.h"

/* sys/class/power_supply/NAME/uevent: the state of a battery or a mains plug. */
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

/* sys/class/powercap: names of zones, and the growth of energy counters that wrap. */

/* "intel-rapl:0:1" is zone 1 of zone 0 of the control type intel-rapl, also on AMD processors. */
struct powercap_zone {
	struct span control; /* "intel-rapl" */
	struct span parent;  /* "intel-rapl:0"; empty: a top-level zone */
};

/* False for other names, such as the control type itself. */
bool powercap_zone_parse(struct span name, struct powercap_zone *zone);

/*
 * Preference among control types with the same zones: the lowest is read. msr (0) is on every machine, tpmi
 * (1) is newer, mmio (2) is another way to the same counters; 3: not RAPL.
 */
unsigned powercap_rank(struct span control);

/* The part of the machine that a zone measures, by the zone's name. */
enum powercap_part {
	POWERCAP_PACKAGE,  /* "package-0", "package-1-die-0" */
	POWERCAP_DRAM,     /* not included in its package */
	POWERCAP_PLATFORM, /* "psys": the whole machine */
	POWERCAP_OTHER,    /* "core", "uncore": included in its package */
};
enum powercap_part powercap_part(struct span name);

/*
 * The growth of an energy counter in an interval. A smaller value means that it passed its maximum range_uj
 * once and wrapped to 0, or was reset: a growth that needs more than most_watts was a reset.
 */
struct energy_step {
	uint64_t grown_uj; /* U64_UNKNOWN: it was reset, or it wrapped and range_uj is unknown */
	bool wrapped;
	bool may_have_wrapped; /* unnoticed: at most_watts it could have passed range_uj */
};
struct energy_step energy_step(uint64_t before_uj, uint64_t now_uj, uint64_t range_uj, double seconds,
			       double most_watts);

/* sys/bus/event_source/devices/PMU/events: the config of an event, and the scale of its counts. */

/* "event=0x02": the number. False when there are other terms, or it is malformed. */
bool pmu_event_parse(struct span text, uint64_t *event);

/* "2.3283064365386962890625e-10": units per count. False unless it is a positive number. */
bool pmu_scale_parse(struct span text, double *scale);

/* sys/class/hwmon and sys/class/thermal: names of attributes, their units, and implausible values. */
enum sensor_kind {
	SENSOR_TEMPERATURE, /* °C */
	SENSOR_FAN,         /* revolutions per minute */
	SENSOR_VOLTAGE,     /* V */
	SENSOR_POWER,       /* W */
	SENSOR_ENERGY,      /* J since an unspecified moment */
	N_SENSOR_KINDS,
};

/* "temp12_input": kind, number and "input"; "average" of power also gives "input". */
bool hwmon_name_parse(struct span name, enum sensor_kind *kind, uint64_t *number, struct span *item);

/* The prefix of its attribute names: "temp". */
const char *hwmon_prefix(enum sensor_kind kind);

/* The value of an attribute of this kind, in the unit of the kind. */
double hwmon_value(enum sensor_kind kind, int64_t raw);

/* Turns implausible values into NaN: broken wiring reads as -128 or 255 °C. */
double sensor_plausible(enum sensor_kind kind, double value);

/* NaN: none. */
struct sensor_limits {
	double low, high, critical;
};

/* Drops defaults of chips: 0, a high limit below the low one, all bits. */
void sensor_limits_check(enum sensor_kind kind, struct sensor_limits *limits);

/* Is it what a chip reads where nothing is connected: 127 °C of eight bits with a sign, a fan at 65535? */
bool sensor_is_open(enum sensor_kind kind, double value, const struct sensor_limits *limits);

#endif
