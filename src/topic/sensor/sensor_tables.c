/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "temperature", "fan", "voltage", "trip_point" and "cooling": what sensors and thermal zones
 * measure, and the cooling devices of the kernel and their levels.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "sys/device_poll.h"
#include "topic/sensor/sensors.h"

struct sensor_row {
	const char *key, *label;
	double value, minimum, maximum, low, high, critical;
	const char *chip, *state;
	double age_seconds;
};

#define IN_CELSIUS UNIT_CELSIUS, 6
#define IN_RPM UNIT_RPM, 6
#define IN_VOLTS UNIT_VOLTS, 7

#define SENSOR(field, name, ...) COLUMN_AS(struct sensor_row, field, name, __VA_ARGS__)
#define NUMBER(field, name, heading, unit_and_width, importance, what, from)                                 \
	NUMBER_OF(field, name, heading, unit_and_width, importance, what, from)
#define NUMBER_OF(field, name, heading, of_unit, cells, importance, what, from)                              \
	SENSOR(field, name, .kind = COLUMN_GAUGE, .unit = of_unit, .title = heading, .width = cells,         \
	       .rank = importance, .help = what, .source = from)

/* Columns that differ only in where they come from. */
#define LABEL(from)                                                                                          \
	SENSOR(label, "label", .kind = COLUMN_LABEL, .title = N_("label"), .width = 15, .rank = 1,           \
	       .help = N_("name given by the driver or sensors.conf"), .source = from)
#define CHIP(what, from)                                                                                     \
	SENSOR(chip, "chip", .kind = COLUMN_LABEL, .title = N_("chip"), .width = 10, .rank = 3,              \
	       .help = what, .source = from)
#define STATE(what, from)                                                                                    \
	SENSOR(state, "state", .kind = COLUMN_LABEL, .title = N_("state"), .width = 10, .rank = 2,           \
	       .words = true, .help = what, .source = from)
#define AGE                                                                                                  \
	SENSOR(age_seconds, "age_seconds", .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("age"),   \
	       .width = 7, .rank = 4, .help = N_("age of the reading: 0 unless the device answers late"),    \
	       .source = "panetop")

#define STATES_WITH_FAULT                                                                                    \
	N_("ok; fault; no reading; refused; impossible; slow: reads block; asleep: the device is "           \
	   "suspended and is not woken to read it")
#define STATES                                                                                               \
	N_("ok; no reading; refused; impossible; slow: reads block; asleep: the device is suspended and is " \
	   "not woken to read it")

static const struct column temperature_columns[] = {
	SENSOR(key, "sensor", .kind = COLUMN_KEY, .title = N_("sensor"), .width = 20,
	       .help = N_("device and number of its sensor, the same after every boot"),
	       .source = "/sys/class/hwmon, /sys/class/thermal"),
	LABEL("libsensors, tempN_label; type of a thermal zone"),
	NUMBER(value, "celsius", N_("now"), IN_CELSIUS, 0, N_("temperature now, in degrees Celsius"),
	       "libsensors, tempN_input; thermal_zoneN/temp"),
	NUMBER(minimum, "min_celsius", N_("min"), IN_CELSIUS, 1, N_("lowest since start or reset"),
	       "smallest celsius"),
	NUMBER(maximum, "max_celsius", N_("max"), IN_CELSIUS, 1, N_("highest since start or reset"),
	       "greatest celsius"),
	NUMBER(high, "high_celsius", N_("high"), IN_CELSIUS, 2,
	       N_("limit above which the system cools or throttles"),
	       "tempN_max; trip point of type passive, else hot"),
	NUMBER(critical, "critical_celsius", N_("crit"), IN_CELSIUS, 2,
	       N_("limit at which the system shuts down"), "tempN_crit; trip point of type critical"),
	CHIP(N_("driver or thermal zone"), "hwmonN/name; thermal_zoneN/type"),
	STATE(STATES_WITH_FAULT, "tempN_fault, device/power/runtime_status"),
	AGE,
};

static const struct column fan_columns[] = {
	SENSOR(key, "fan", .kind = COLUMN_KEY, .title = N_("fan"), .width = 20,
	       .help = N_("device and number of its fan, the same after every boot"),
	       .source = "/" SENSOR_CHIPS),
	LABEL("libsensors, fanN_label"),
	NUMBER(value, "rpm", N_("rpm"), IN_RPM, 0, N_("revolutions per minute now"),
	       "libsensors, fanN_input"),
	NUMBER(minimum, "min_rpm", N_("min"), IN_RPM, 1, N_("lowest since start or reset"), "smallest rpm"),
	NUMBER(maximum, "max_rpm", N_("max"), IN_RPM, 1, N_("highest since start or reset"), "greatest rpm"),
	NUMBER(low, "low_rpm", N_("limit"), IN_RPM, 2, N_("the chip raises an alarm below this"), "fanN_min"),
	CHIP(N_("driver"), "hwmonN/name"),
	STATE(STATES_WITH_FAULT, "fanN_fault, device/power/runtime_status"),
	AGE,
};

static const struct column voltage_columns[] = {
	SENSOR(key, "input", .kind = COLUMN_KEY, .title = N_("input"), .width = 20,
	       .help = N_("device and number of its input, the same after every boot"),
	       .source = "/" SENSOR_CHIPS),
	LABEL("libsensors, inN_label"),
	NUMBER(value, "volts", N_("volts"), IN_VOLTS, 0, N_("volts now, computed as sensors.conf says"),
	       "libsensors, inN_input"),
	NUMBER(minimum, "min_volts", N_("min"), IN_VOLTS, 1, N_("lowest since start or reset"),
	       "smallest volts"),
	NUMBER(maximum, "max_volts", N_("max"), IN_VOLTS, 1, N_("highest since start or reset"),
	       "greatest volts"),
	NUMBER(low, "low_volts", N_("low"), IN_VOLTS, 2, N_("the chip raises an alarm below this"),
	       "inN_min"),
	NUMBER(high, "high_volts", N_("high"), IN_VOLTS, 2, N_("the chip raises an alarm above this"),
	       "inN_max"),
	CHIP(N_("driver"), "hwmonN/name"),
	STATE(STATES, "device/power/runtime_status"),
	AGE,
};

static void add_row(const struct sensors *sensors, const struct sensor *sensor, struct frame *frame,
		    struct table *table)
{
	struct sensor_row *row = table_add(table);

	row->key = frame_text(frame, sensor->key);
	row->label = frame_text(frame, sensor->label);
	row->value = sensor->value;
	row->minimum = sensor->minimum;
	row->maximum = sensor->maximum;
	row->low = sensor->limits.low;
	row->high = sensor->limits.high;
	row->critical = sensor->limits.critical;
	row->chip = frame_text(frame, sensors->chips[sensor->chip].name);
	row->state = sensor->status ? sensor->status : N_("ok");
	row->age_seconds = sensor->age_seconds;
}

/* How likely this is the sensor of the CPU: the lower the rank, the better. */
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

/* The sensor shown where there is room for only one, best that of the CPU; NULL: none. */
static const struct sensor *cpu_sensor(const struct sensors *sensors)
{
	const struct sensor *best = NULL;

	for (size_t i = 0; i < sensors->n_sensors; i++) {
		const struct sensor *sensor = &sensors->list[i];

		if (sensor->kind == SENSOR_TEMPERATURE && !sensor->duplicates_zone &&
		    (!best || cpu_rank(sensors, sensor) < cpu_rank(sensors, best)))
			best = sensor;
	}
	return best;
}

static enum sensor_kind kind_of(const struct topic *topic)
{
	if (topic == &topic_fan)
		return SENSOR_FAN;
	return topic == &topic_voltage ? SENSOR_VOLTAGE : SENSOR_TEMPERATURE;
}

static int sample_sensors(struct sample *sample)
{
	enum sensor_kind kind = kind_of(sample->topic);
	struct sensors *sensors = sample->state;
	const struct sensor *first;

	sensors_read(sensors, kind);
	first = kind == SENSOR_TEMPERATURE ? cpu_sensor(sensors) : NULL;
	if (first)
		add_row(sensors, first, sample->frame, sample->table);
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		const struct sensor *sensor = &sensors->list[i];

		if (sensor->kind == kind && !sensor->duplicates_zone && sensor != first)
			add_row(sensors, sensor, sample->frame, sample->table);
	}
	return 0;
}

static void restart_sensors(struct sample *sample)
{
	sensors_restart(sample->state, kind_of(sample->topic));
}

struct trip_row {
	const char *zone;
	uint64_t trip;
	const char *type;
	double celsius, hysteresis_celsius, headroom_celsius;
};

#define TRIP_COL(field, ...) COLUMN_OF(struct trip_row, field, __VA_ARGS__)

static const struct column trip_columns[] = {
	TRIP_COL(zone, KEY, NONE, N_("zone"), 16, N_("type of the thermal zone"),
		 "/sys/class/thermal/thermal_zoneN/type"),
	TRIP_COL(trip, KEY, NONE, N_("trip"), 4, N_("number of the trip point"), "trip_point_N_type"),
	TRIP_COL(type, LABEL, NONE, N_("type"), 9,
		 N_("active: starts fans; passive: throttles; hot: notifies; critical: shuts down"),
		 "trip_point_N_type"),
	TRIP_COL(celsius, GAUGE, CELSIUS, N_("at"), 6, N_("temperature of the trip point"),
		 "trip_point_N_temp"),
	TRIP_COL(hysteresis_celsius, GAUGE, CELSIUS, N_("hyst"), 6,
		 N_("hysteresis: how far the zone must cool below the trip point"), "trip_point_N_hyst",
		 .rank = 1),
	TRIP_COL(headroom_celsius, GAUGE, CELSIUS, N_("headroom"), 8,
		 N_("how far the zone is below the trip point; negative: above it"),
		 "trip_point_N_temp - temp", .rank = 1),
};

static void add_trips(const struct sensor_chip *chip, const struct sensor *sensor, struct frame *frame,
		      struct table *table)
{
	for (unsigned i = 0; i < chip->n_trips; i++) {
		const struct trip_point *trip = &chip->trips[i];
		struct trip_row *row = table_add(table);

		row->zone = frame_text(frame, sensor->key);
		row->trip = i;
		row->type = frame_text(frame, trip->type);
		row->celsius = trip->celsius;
		row->hysteresis_celsius = trip->hysteresis_celsius;
		row->headroom_celsius = row->celsius - sensor->value;
	}
}

static int sample_trips(struct sample *sample)
{
	struct sensors *sensors = sample->state;

	sensors_read(sensors, SENSOR_TEMPERATURE);
	for (size_t i = 0; i < sensors->n_sensors; i++)
		add_trips(&sensors->chips[sensors->list[i].chip], &sensors->list[i], sample->frame,
			  sample->table);
	return 0;
}

#define NO_SENSORS                                                                                           \
	N_("no sensors found (normal in a virtual machine); otherwise load the driver: sensors-detect")

static const struct source_spec temperature_sources[] = {
	{ .path = SENSOR_CHIPS,
	  .gives = N_("temperatures, fans, voltages and power of chips"),
	  .optional = true,
	  .test = sensors_test_chips,
	  .remedies = { { ENOENT, NO_SENSORS }, { ENODATA, NO_SENSORS } } },
	{ .path = THERMAL_ZONES,
	  .gives = N_("temperatures of thermal zones, and cooling devices"),
	  .optional = true,
	  .test = sensors_test_zones,
	  .remedies = { { ENOENT, NO_SENSORS }, { ENODATA, NO_SENSORS } } },
	{ 0 },
};

static const struct schema temperature_schema = {
	.name = "temperature",
	.is_public = true,
	.help = N_("temperatures and their limits"),
	.none = NO_SENSORS,
	SCHEMA_ROWS(struct sensor_row, temperature_columns),
};

static const struct schema fan_schema = {
	.name = "fan",
	.is_public = true,
	.help = N_("fan speeds"),
	.none = NO_SENSORS,
	SCHEMA_ROWS(struct sensor_row, fan_columns),
};

static const struct schema voltage_schema = {
	.name = "voltage",
	.is_public = true,
	.help = N_("voltages and their limits"),
	.none = NO_SENSORS,
	SCHEMA_ROWS(struct sensor_row, voltage_columns),
};

static const struct schema trip_schema = {
	.name = "trip_point",
	.is_public = true,
	.help = N_("trip points of the thermal zones"),
	.none = N_("no thermal zone has a trip point here (normal in a virtual machine)"),
	SCHEMA_ROWS(struct trip_row, trip_columns),
};

#define SENSOR_TOPIC(of_schema, of_sources, sample_it, restart_it)                                           \
	{                                                                                                    \
		.schema = &of_schema, .sources = of_sources, .reads = READING_ONE(&sensor_reader),         \
		.sample = sample_it, .restart = restart_it                                                   \
	}

const struct topic topic_temperature =
	SENSOR_TOPIC(temperature_schema, temperature_sources, sample_sensors, restart_sensors);
const struct topic topic_fan = SENSOR_TOPIC(fan_schema, no_source, sample_sensors, restart_sensors);
const struct topic topic_voltage = SENSOR_TOPIC(voltage_schema, no_source, sample_sensors, restart_sensors);
const struct topic topic_trip_point = SENSOR_TOPIC(trip_schema, no_source, sample_trips, NULL);

struct cooling_row {
	const char *device, *type;
	uint64_t level, max_level;
	double age_seconds;
};

#define NUMBER_TEXT_MAX 32
#define PLACE "/sys/class/thermal/cooling_deviceN/"
#define COOLING_COL(field, ...) COLUMN_OF(struct cooling_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COOLING_COL(device, KEY, NONE, N_("device"), 17, N_("name and number in the kernel"),
		    "/sys/class/thermal"),
	COOLING_COL(type, LABEL, NONE, N_("type"), 20,
		    N_("kind of device: a fan; Processor: the CPUs are throttled; intel_powerclamp ..."),
		    PLACE "type"),
	COOLING_COL(level, GAUGE, COUNT, N_("level"), 5, N_("current level; 0: not cooling"),
		    PLACE "cur_state"),
	COOLING_COL(max_level, GAUGE, COUNT, N_("max"), 5, N_("highest level"), PLACE "max_state"),
	COOLING_COL(age_seconds, GAUGE, SECONDS, N_("age"), 7,
		    N_("age of the reading: 0 unless the device answers late"), "panetop", .rank = 4),
};

static const struct schema schema = {
	.name = "cooling",
	.is_public = true,
	.help = N_("cooling devices and their levels"),
	.none = N_("no cooling devices here (normal in a virtual machine)"),
	SCHEMA_ROWS(struct cooling_row, columns),
};

struct device {
	char *name, *type;
	uint64_t level, most;
	uint64_t read_ns;            /* the level, see device_poll_age_ns() */
	struct device_attribute *level_text; /* slow for a fan: the firmware is asked */
};

struct state {
	struct env *env; /* borrowed */
	struct listing listed;
	struct device *devices;
	size_t count, capacity;
};

static void forget(struct state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		device_attribute_drop(state->devices[i].level_text);
		free(state->devices[i].name);
		free(state->devices[i].type);
	}
	free(state->devices);
	state->devices = NULL;
	state->count = state->capacity = 0;
}

static void finished(void *owner, size_t number, const struct device_attribute *attribute)
{
	struct device *device = &((struct state *)owner)->devices[number];
	struct span span = span_of(attribute->bytes, attribute->length > 0 ? (size_t)attribute->length : 0);

	device->read_ns = attribute->poll.read_ns;
	if (!span_u64(&span, &device->level) || span.at != span.end)
		device->level = U64_UNKNOWN;
}

static void add_device(struct state *state, const char *name)
{
	char path[512], type[ATTRIBUTE_TEXT_MAX];
	struct device *device;
	int length = snprintf(path, sizeof(path), THERMAL_ZONES "/%.256s/", name);

	strcpy(path + length, "type");
	if (attribute_once(state->env, path, type, sizeof(type)) < 0)
		return;
	device = VECTOR_ADD(state->devices, state->count, state->capacity);
	*device = (struct device){ .name = alloc_text(name), .type = alloc_text(type), .most = U64_UNKNOWN };
	strcpy(path + length, "max_state");
	attribute_once_u64(state->env, path, &device->most);
	strcpy(path + length, "cur_state");
	device->level_text = device_attribute_open(state->env, path, NUMBER_TEXT_MAX, finished, state,
						   state->count - 1);
}

static void add_row_cooling(const struct state *state, const struct device *device, struct frame *frame,
			    struct table *table)
{
	struct cooling_row *row = table_add(table);
	uint64_t age_ns = device_poll_age_ns(state->env, device->read_ns);

	row->device = frame_text(frame, device->name);
	row->type = frame_text(frame, device->type);
	row->max_level = device->most;
	if (age_ns == U64_UNKNOWN)
		return;
	row->level = device->level;
	row->age_seconds = (double)age_ns / 1e9;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	bool changed;

	listing_read(&state->listed, sample->env, &changed);
	if (changed)
		forget(state);
	for (size_t i = 0; changed && i < state->listed.n_names; i++)
		if (strncmp(state->listed.names[i], "cooling_device", 14) == 0)
			add_device(state, state->listed.names[i]);
	for (size_t i = 0; i < state->count; i++)
		device_attribute_submit(state->devices[i].level_text);
	device_poll_wait(sample->env);
	for (size_t i = 0; i < state->count; i++)
		add_row_cooling(state, &state->devices[i], sample->frame, sample->table);
	return 0;
}

static int open_cooling(struct sample *sample)
{
	struct state *state = sample->state;

	state->env = sample->env;
	state->listed.path = THERMAL_ZONES;
	return 0;
}

static void close_cooling(struct sample *sample)
{
	struct state *state = sample->state;

	forget(state);
	listing_free(&state->listed);
}

const struct topic topic_cooling = {
	.schema = &schema,
	.sources = no_source,
	.state_size = sizeof(struct state),
	.open = open_cooling,
	.sample = sample,
	.close = close_cooling,
};
