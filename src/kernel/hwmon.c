/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the names and numbers of hwmon. */
#include <config.h>

#include "kernel/hwmon.h"

#include <math.h>

#define NUMBER_MAX 4096 /* highest sensor number accepted on a chip: rejects broken names */

static const struct {
	const char *prefix;
	double per_unit, least, most;
} kinds[N_SENSOR_KINDS] = {
	[SENSOR_TEMPERATURE] = { "temp", 1e3, -55, 200 }, [SENSOR_FAN] = { "fan", 1, 0, 100000 },
	[SENSOR_VOLTAGE] = { "in", 1e3, -1000, 1000 },    [SENSOR_POWER] = { "power", 1e6, 0, 1e6 },
	[SENSOR_ENERGY] = { "energy", 1e6, 0, 1e18 },
};

bool hwmon_name_parse(struct span name, enum sensor_kind *kind, uint64_t *number, struct span *item)
{
	for (int i = 0; i < N_SENSOR_KINDS; i++) {
		struct span rest = name, digits;
		uint64_t value;

		if (!span_starts(rest, kinds[i].prefix))
			continue;
		rest.at += span_length(span_text(kinds[i].prefix));
		if (!span_until(&rest, '_', &digits) || span_length(digits) == 0 || *digits.at == ' ' ||
		    !span_is_u64(digits, &value) || value > NUMBER_MAX)
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
	return kinds[kind].prefix;
}

double hwmon_value(enum sensor_kind kind, int64_t raw)
{
	return (double)raw / kinds[kind].per_unit;
}

double sensor_plausible(enum sensor_kind kind, double value)
{
	return value >= kinds[kind].least && value <= kinds[kind].most ? value : NAN;
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
