/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "fan": every fan of hwmon. */
#include <config.h>

#include "core/i18n.h"
#include "topic/sensors.h"
#include "topic/topic.h"

struct fan_row {
	const char *fan, *label;
	double rpm, min_rpm, max_rpm, low_rpm;
	const char *chip, *state;
	double age_seconds;
};

#define SPEED(field, heading, place, what, from)                                                             \
	COLUMN(struct fan_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_RPM, .title = heading, .width = 6,  \
	       .rank = place, .help = what, .source = from)

static const struct column columns[] = {
	COLUMN(struct fan_row, fan, .kind = COLUMN_KEY, .title = N_("fan"), .width = 20,
	       .help = N_("device and number of the fan on it, the same after every boot"),
	       .source = "/" SENSOR_CHIPS),
	COLUMN(struct fan_row, label, .kind = COLUMN_LABEL, .title = N_("label"), .width = 15, .rank = 1,
	       .help = N_("as the driver, or sensors.conf, names it"), .source = "libsensors, fanN_label"),
	SPEED(rpm, N_("rpm"), 0, N_("revolutions per minute now"), "libsensors, fanN_input"),
	SPEED(min_rpm, N_("min"), 1, N_("the slowest since start, or since it was reset"), "smallest rpm"),
	SPEED(max_rpm, N_("max"), 1, N_("the fastest since start, or since it was reset"), "greatest rpm"),
	SPEED(low_rpm, N_("limit"), 2, N_("below this the chip raises an alarm"), "fanN_min"),
	COLUMN(struct fan_row, chip, .kind = COLUMN_LABEL, .title = N_("chip"), .width = 10, .rank = 3,
	       .help = N_("driver"), .source = "hwmonN/name"),
	COLUMN(struct fan_row, state, .kind = COLUMN_LABEL, .title = N_("state"), .width = 10, .rank = 2,
	       .words = true,
	       .help = N_("ok; fault; no reading; refused; impossible; slow: it keeps its reader waiting; "
			  "asleep: the device is not woken for "
			  "this"),
	       .source = "fanN_fault, device/power/runtime_status"),
	COLUMN(struct fan_row, age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("age"), .width = 7, .rank = 4,
	       .help = N_("how long ago it was read: 0, unless it answers late"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "fan",
	.help = N_("fans and how fast they turn"),
	.row_size = sizeof(struct fan_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static void fill(void *filled, const struct sensor *sensor, const struct sensor_texts *texts)
{
	struct fan_row *row = filled;

	row->fan = texts->key;
	row->label = texts->label;
	row->rpm = sensor->value;
	row->min_rpm = sensor->minimum;
	row->max_rpm = sensor->maximum;
	row->low_rpm = sensor->low;
	row->chip = texts->chip;
	row->state = texts->state;
	row->age_seconds = sensor->age_seconds;
}

static int sample(struct sampler *sampler, struct env *env, struct frame *frame, struct table *table)
{
	(void)env;
	sensors_fill(sampler->state, SENSOR_FAN, frame, table, fill);
	return 0;
}

static void restart(struct sampler *sampler)
{
	sensors_restart(sampler->state, SENSOR_FAN);
}

const struct topic topic_fan = {
	.schema = &schema,
	.sources = sources,
	.open = sensors_topic_open,
	.sample = sample,
	.restart = restart,
	.close = sensors_topic_close,
};
