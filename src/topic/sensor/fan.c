/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "fan": every fan of hwmon. */
#include <config.h>

#include "core/i18n.h"
#include "topic/sensor/sensors.h"
#include "topic/topic.h"

#define SPEED(field, name, heading, place, what, from)                                                       \
	SENSOR_COLUMN(field, name, .kind = COLUMN_GAUGE, .unit = UNIT_RPM, .title = heading, .width = 6,     \
		      .rank = place, .help = what, .source = from)

static const struct column columns[] = {
	SENSOR_COLUMN(key, "fan", .kind = COLUMN_KEY, .title = N_("fan"), .width = 20,
		      .help = N_("device and number of the fan on it, the same after every boot"),
		      .source = "/" SENSOR_CHIPS),
	SENSOR_LABEL("libsensors, fanN_label"),
	SPEED(value, "rpm", N_("rpm"), 0, N_("revolutions per minute now"), "libsensors, fanN_input"),
	SPEED(minimum, "min_rpm", N_("min"), 1, N_("the slowest since start, or since it was reset"),
	      "smallest rpm"),
	SPEED(maximum, "max_rpm", N_("max"), 1, N_("the fastest since start, or since it was reset"),
	      "greatest rpm"),
	SPEED(low, "low_rpm", N_("limit"), 2, N_("below this the chip raises an alarm"), "fanN_min"),
	SENSOR_CHIP(N_("driver"), "hwmonN/name"),
	SENSOR_STATE(N_("ok; fault; no reading; refused; impossible; slow: it keeps its reader waiting; "
			"asleep: the device is not woken for this"),
		     "fanN_fault, device/power/runtime_status"),
	SENSOR_AGE,
};

static const struct schema schema = {
	.name = "fan",
	.help = N_("fans and how fast they turn"),
	.row_size = sizeof(struct sensor_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static int sample(struct sample *sample)
{
	sensors_fill(sample->state, SENSOR_FAN, sample->frame, sample->table);
	return 0;
}

static void restart(struct sample *sample)
{
	sensors_restart(sample->state, SENSOR_FAN);
}

const struct topic topic_fan = {
	.schema = &schema,
	.sources = sources,
	.open = sensors_topic_open,
	.sample = sample,
	.restart = restart,
	.close = sensors_topic_close,
};
