/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "temperature": every thermal zone and every temperature of hwmon, that of the CPU first. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/sensor/sensors.h"
#include "topic/topic.h"

#define DEGREES(field, name, heading, place, what, from)                                                     \
	SENSOR_COLUMN(field, name, .kind = COLUMN_GAUGE, .unit = UNIT_CELSIUS, .title = heading, .width = 6, \
		      .rank = place, .help = what, .source = from)

static const struct column columns[] = {
	SENSOR_COLUMN(key, "sensor", .kind = COLUMN_KEY, .title = N_("sensor"), .width = 20,
		      .help = N_("device and number of the sensor on it, the same after every boot"),
		      .source = "/sys/class/hwmon, /sys/class/thermal"),
	SENSOR_LABEL("libsensors, tempN_label; type of a thermal zone"),
	DEGREES(value, "celsius", N_("now"), 0, N_("degrees Celsius now"),
		"libsensors, tempN_input; thermal_zoneN/temp"),
	DEGREES(minimum, "min_celsius", N_("min"), 1, N_("the lowest since start, or since it was reset"),
		"smallest celsius"),
	DEGREES(maximum, "max_celsius", N_("max"), 1, N_("the highest since start, or since it was reset"),
		"greatest celsius"),
	DEGREES(high, "high_celsius", N_("high"), 2, N_("limit above which something is done about it"),
		"tempN_max; trip point of type passive, else hot"),
	DEGREES(critical, "critical_celsius", N_("crit"), 2,
		N_("limit at which the machine is switched off"), "tempN_crit; trip point of type critical"),
	SENSOR_CHIP(N_("driver, or thermal zone"), "hwmonN/name; thermal_zoneN/type"),
	SENSOR_STATE(N_("ok; fault; no reading; refused; impossible; slow: it keeps its reader waiting; "
			"asleep: the device is not woken for this"),
		     "tempN_fault, device/power/runtime_status"),
	SENSOR_AGE,
};

static const struct schema schema = {
	.name = "temperature",
	.help = N_("temperatures, with their limits"),
	.row_size = sizeof(struct sensor_row),
	SCHEMA_COLUMNS(columns),
};

#define NONE                                                                                                 \
	N_("no sensor is told to Linux, as on most virtual machines; else load its driver: sensors-detect")

static const struct source_spec sources[] = {
	{ .path = SENSOR_CHIPS,
	  .gives = N_("temperatures, fans, voltages and power of chips"),
	  .optional = true,
	  .test = sensors_test_chips,
	  .remedies = { { ENOENT, NONE }, { ENODATA, NONE } } },
	{ .path = THERMAL_ZONES,
	  .gives = N_("temperatures of thermal zones, and what cools them"),
	  .optional = true,
	  .test = sensors_test_zones,
	  .remedies = { { ENOENT, NONE }, { ENODATA, NONE } } },
	{ 0 },
};

/* How likely a sensor is that of the CPU: its rank, the lower the better. */
static unsigned cpu_rank(const struct sensors *sensors, const struct sensor *sensor)
{
	static const struct {
		const char *chip, *label; /* label NULL: any */
	} known[] = {
		{ "x86_pkg_temp", NULL }, { "coretemp", "Package id 0" },
		{ "k10temp", "Tdie" },    { "k10temp", "Tctl" },
		{ "zenpower", "Tdie" },   { "cpu_thermal", NULL },
		{ "cpu-thermal", NULL },  { "coretemp", NULL },
		{ "k10temp", NULL },      { "soc_thermal", NULL },
		{ "acpitz", NULL },
	};
	const char *chip = sensors->chips[sensor->chip].name;
	unsigned rank = 0;

	while (rank < sizeof(known) / sizeof(known[0]) &&
	       (strcmp(known[rank].chip, chip) != 0 ||
		(known[rank].label && strcmp(known[rank].label, sensor->label) != 0)))
		rank++;
	return rank;
}

/* The sensor of the CPU comes first: it stands for all where there is room for one. */
static void put_first(struct sensors *sensors)
{
	const struct sensor *best = NULL;

	for (size_t i = 0; i < sensors->n_sensors; i++) {
		const struct sensor *sensor = &sensors->list[i];

		if (sensor->kind == SENSOR_TEMPERATURE && !sensor->repeats &&
		    (!best || cpu_rank(sensors, sensor) < cpu_rank(sensors, best)))
			best = sensor;
	}
	sensors->first = best;
}

static int sample(struct sample *sample)
{
	struct sensors *sensors = sample->state;

	sensors_read(sensors, SENSOR_TEMPERATURE);
	put_first(sensors);
	sensors_fill(sensors, SENSOR_TEMPERATURE, sample->frame, sample->table);
	return 0;
}

static void restart(struct sample *sample)
{
	sensors_restart(sample->state, SENSOR_TEMPERATURE);
}

const struct topic topic_temperature = {
	.schema = &schema,
	.sources = sources,
	.open = sensors_topic_open,
	.sample = sample,
	.restart = restart,
	.close = sensors_topic_close,
};
