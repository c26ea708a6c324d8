/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "voltage": every voltage of hwmon. */
#include <config.h>

#include "core/i18n.h"
#include "topic/sensors.h"
#include "topic/topic.h"

struct voltage_row {
	const char *input, *label;
	double volts, min_volts, max_volts, low_volts, high_volts;
	const char *chip, *state;
	double age_seconds;
};

#define VOLTS(field, heading, place, what, from)                                                             \
	COLUMN(struct voltage_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_VOLTS, .title = heading,        \
	       .width = 7, .rank = place, .help = what, .source = from)

static const struct column columns[] = {
	COLUMN(struct voltage_row, input, .kind = COLUMN_KEY, .title = N_("input"), .width = 20,
	       .help = N_("device and number of the input on it, the same after every boot"),
	       .source = "/" SENSOR_CHIPS),
	COLUMN(struct voltage_row, label, .kind = COLUMN_LABEL, .title = N_("label"), .width = 15, .rank = 1,
	       .help = N_("as the driver, or sensors.conf, names it"), .source = "libsensors, inN_label"),
	VOLTS(volts, N_("volts"), 0, N_("volts now, computed as sensors.conf says"), "libsensors, inN_input"),
	VOLTS(min_volts, N_("min"), 1, N_("the lowest since start, or since it was reset"), "smallest volts"),
	VOLTS(max_volts, N_("max"), 1, N_("the highest since start, or since it was reset"),
	      "greatest volts"),
	VOLTS(low_volts, N_("low"), 2, N_("below this the chip raises an alarm"), "inN_min"),
	VOLTS(high_volts, N_("high"), 2, N_("above this the chip raises an alarm"), "inN_max"),
	COLUMN(struct voltage_row, chip, .kind = COLUMN_LABEL, .title = N_("chip"), .width = 10, .rank = 3,
	       .help = N_("driver"), .source = "hwmonN/name"),
	COLUMN(struct voltage_row, state, .kind = COLUMN_LABEL, .title = N_("state"), .width = 10, .rank = 2,
	       .words = true,
	       .help = N_("ok; no reading; refused; impossible; slow: it keeps its reader waiting; asleep: "
			  "the device is not woken for this"),
	       .source = "device/power/runtime_status"),
	COLUMN(struct voltage_row, age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("age"), .width = 7, .rank = 4,
	       .help = N_("how long ago it was read: 0, unless it answers late"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "voltage",
	.help = N_("voltages, with their limits"),
	.row_size = sizeof(struct voltage_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static void fill(void *filled, const struct sensor *sensor, const struct sensor_texts *texts)
{
	struct voltage_row *row = filled;

	row->input = texts->key;
	row->label = texts->label;
	row->volts = sensor->value;
	row->min_volts = sensor->minimum;
	row->max_volts = sensor->maximum;
	row->low_volts = sensor->low;
	row->high_volts = sensor->high;
	row->chip = texts->chip;
	row->state = texts->state;
	row->age_seconds = sensor->age_seconds;
}

static int sample(struct sampler *sampler, struct env *env, struct frame *frame, struct table *table)
{
	(void)env;
	sensors_fill(sampler->state, SENSOR_VOLTAGE, frame, table, fill);
	return 0;
}

static void restart(struct sampler *sampler)
{
	sensors_restart(sampler->state, SENSOR_VOLTAGE);
}

const struct topic topic_voltage = {
	.schema = &schema,
	.sources = sources,
	.open = sensors_topic_open,
	.sample = sample,
	.restart = restart,
	.close = sensors_topic_close,
};
