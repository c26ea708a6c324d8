/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys/class/hwmon and sys/class/thermal: names of attributes, their units, and implausible values. */
#ifndef PANETOP_KERNEL_HWMON_H
#define PANETOP_KERNEL_HWMON_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

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
