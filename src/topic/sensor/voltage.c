/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "voltage": every voltage of hwmon. */
#include <config.h>

#include "core/i18n.h"
#include "topic/sensor/sensors.h"
#include "topic/topic.h"

#define VOLTS(field, name, heading, place, what, from)                                                       \
	SENSOR_COLUMN(field, name, .kind = COLUMN_GAUGE, .unit = UNIT_VOLTS, .title = heading, .width = 7,   \
		      .rank = place, .help = what, .source = from)

static const struct column columns[] = {
	SENSOR_COLUMN(key, "input", .kind = COLUMN_KEY, .title = N_("input"), .width = 20,
		      .help = N_("device and number of the input on it, the same after every boot"),
		      .source = "/" SENSOR_CHIPS),
	SENSOR_LABEL("libsensors, inN_label"),
	VOLTS(value, "volts", N_("volts"), 0, N_("volts now, computed as sensors.conf says"),
	      "libsensors, inN_input"),
	VOLTS(minimum, "min_volts", N_("min"), 1, N_("the lowest since start, or since it was reset"),
	      "smallest volts"),
	VOLTS(maximum, "max_volts", N_("max"), 1, N_("the highest since start, or since it was reset"),
	      "greatest volts"),
	VOLTS(low, "low_volts", N_("low"), 2, N_("below this the chip raises an alarm"), "inN_min"),
	VOLTS(high, "high_volts", N_("high"), 2, N_("above this the chip raises an alarm"), "inN_max"),
	SENSOR_CHIP(N_("driver"), "hwmonN/name"),
	SENSOR_STATE(N_("ok; no reading; refused; impossible; slow: it keeps its reader waiting; asleep: "
			"the device is not woken for this"),
		     "device/power/runtime_status"),
	SENSOR_AGE,
};

static const struct schema schema = {
	.name = "voltage",
	.help = N_("voltages, with their limits"),
	.row_size = sizeof(struct sensor_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static int sample(struct sample *sample)
{
	sensors_fill(sample->state, SENSOR_VOLTAGE, sample->frame, sample->table);
	return 0;
}

static void restart(struct sample *sample)
{
	sensors_restart(sample->state, SENSOR_VOLTAGE);
}

const struct topic topic_voltage = {
	.schema = &schema,
	.sources = sources,
	.open = sensors_topic_open,
	.sample = sample,
	.restart = restart,
	.close = sensors_topic_close,
};
