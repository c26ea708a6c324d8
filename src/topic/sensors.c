/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading of sensors: never one whose device sleeps, and never a number that cannot be true. */
#include <config.h>

#include "topic/sensors.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"

static const char key;

static void *open_sensors(struct env *env)
{
	struct sensors *sensors = alloc_zeroed(1, sizeof(*sensors));

	sensors->env = env;
	sensors->hwmon.path = SENSOR_CHIPS;
	sensors->thermal.path = THERMAL_ZONES;
	sensors->tick = ENV_NEVER;
	for (int i = 0; i < N_SENSOR_KINDS; i++)
		sensors->ticks[i] = ENV_NEVER;
	return sensors;
}

static void close_sensors(void *state)
{
	struct sensors *sensors = state;

	sensors_slow_close(sensors);
	sensors_forget(sensors);
	sensors_library_close(&sensors->library);
	listing_free(&sensors->hwmon);
	listing_free(&sensors->thermal);
	free(sensors);
}

struct sensors *sensors_open(struct env *env)
{
	return env_share(env, &key, open_sensors, close_sensors);
}

void sensors_close(struct sensors *sensors)
{
	env_unshare(sensors->env, &key);
}

/* libsensors knows the machine's own chips alone, and is loaded when there are any. */
static void choose_library(struct sensors *sensors)
{
	if (!sensors->env->live || sensors->hwmon.n_names == 0)
		sensors->use_library = false;
	else if (sensors->asked_library)
		sensors->use_library = sensors->library.started && sensors_library_restart(&sensors->library);
	else
		sensors->use_library = sensors_library_open(&sensors->library);
	sensors->asked_library |= sensors->hwmon.n_names > 0 && sensors->env->live;
}

static void keep_extremes(struct sensors *sensors, const struct sensor *before, size_t n_before)
{
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		struct sensor *sensor = &sensors->list[i];

		for (size_t k = 0; k < n_before; k++) {
			if (strcmp(before[k].key, sensor->key) != 0)
				continue;
			sensor->minimum = before[k].minimum;
			sensor->maximum = before[k].maximum;
		}
	}
}

/* A device that hangs does so under another number, too. */
static void keep_pace(struct sensors *sensors, const struct sensors *before)
{
	for (size_t i = 0; i < sensors->n_chips; i++)
		for (size_t k = 0; k < before->n_chips; k++)
			if (strcmp(sensors->chips[i].device, before->chips[k].device) == 0)
				sensors->chips[i].pace = before->chips[k].pace;
}

static void find_anew(struct sensors *sensors)
{
	struct sensors before = *sensors;

	sensors->findings++;
	sensors->first = NULL;
	sensors->list = NULL;
	sensors->chips = NULL;
	sensors->n_sensors = sensors->n_chips = 0;
	choose_library(sensors);
	sensors_find(sensors);
	keep_extremes(sensors, before.list, before.n_sensors);
	keep_pace(sensors, &before);
	sensors_forget(&before);
}

static void list_sensors(struct sensors *sensors)
{
	bool chips_changed, zones_changed;

	if (sensors->tick == sensors->env->tick)
		return;
	sensors->tick = sensors->env->tick;
	listing_read(&sensors->hwmon, sensors->env, &chips_changed);
	listing_read(&sensors->thermal, sensors->env, &zones_changed);
	if (chips_changed || zones_changed)
		find_anew(sensors);
}

static void look_asleep(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_chips; i++) {
		struct sensor_chip *chip = &sensors->chips[i];
		char status[32];

		chip->asleep = chip->runtime.path &&
			       attribute_read(&chip->runtime, sensors->env, status, sizeof(status)) > 0 &&
			       strncmp(status, "suspend", 7) == 0;
	}
}

double sensor_chip_value(const struct sensors *sensors, const struct sensor_chip *chip, enum sensor_kind kind,
			 const char *name)
{
	char text[64];
	struct span span;
	int64_t raw;

	if (sensor_chip_text(sensors, chip, name, text, sizeof(text)) <= 0)
		return NAN;
	span = span_text(text);
	return span_i64(&span, &raw) ? sensor_plausible(kind, hwmon_value(kind, raw)) : NAN;
}

/* Of a zone the trip point of this type, the lowest of several; NaN when it has none. */
static double trip_point(const struct sensors *sensors, const struct sensor_chip *chip, const char *wanted)
{
	double lowest = NAN;

	for (unsigned i = 0; i < TRIP_POINTS_MAX; i++) {
		char name[64], type[32];
		double at;

		snprintf(name, sizeof(name), "trip_point_%u_type", i);
		if (sensor_chip_text(sensors, chip, name, type, sizeof(type)) <= 0)
			break;
		snprintf(name, sizeof(name), "trip_point_%u_temp", i);
		at = strcmp(type, wanted) == 0 ? sensor_chip_value(sensors, chip, SENSOR_TEMPERATURE, name)
					       : NAN;
		if (at > 0) /* 0 stands for one that is not set */
			lowest = fmin(lowest, at);
	}
	return lowest;
}

static double limit_of_library(const struct sensors *sensors, const struct sensor *sensor,
			       enum sensor_item item)
{
	double value;

	if (sensor->items[item] < 0 ||
	    sensors_library_value(&sensors->library, sensor->library_chip, sensor->items[item], &value) < 0)
		return NAN;
	return sensor_plausible(sensor->kind, value);
}

static double limit_of_file(const struct sensors *sensors, const struct sensor *sensor, const char *item)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%u_%s", hwmon_prefix(sensor->kind), (unsigned)sensor->number, item);
	return sensor_chip_value(sensors, &sensors->chips[sensor->chip], sensor->kind, name);
}

/* Once, and not before the device is awake. */
static void read_limits(const struct sensors *sensors, struct sensor *sensor)
{
	const struct sensor_chip *chip = &sensors->chips[sensor->chip];

	sensor->limits_known = true;
	if (chip->is_zone) {
		sensor->high = trip_point(sensors, chip, "passive");
		if (isnan(sensor->high))
			sensor->high = trip_point(sensors, chip, "hot");
		sensor->critical = trip_point(sensors, chip, "critical");
	} else if (sensor->library_chip) {
		sensor->low = limit_of_library(sensors, sensor, SENSOR_LOW);
		sensor->high = limit_of_library(sensors, sensor, SENSOR_HIGH);
		sensor->critical = limit_of_library(sensors, sensor, SENSOR_CRITICAL);
	} else {
		sensor->low = limit_of_file(sensors, sensor, "min");
		sensor->high = limit_of_file(sensors, sensor, "max");
		sensor->critical = limit_of_file(sensors, sensor, "crit");
	}
}

/* The fault comes first: with one the kernel says 0 without an error. */
static int read_value(struct sensors *sensors, struct sensor *sensor, double *value)
{
	double fault = 0;
	int64_t raw = 0;
	int error;

	if (sensor->library_chip) {
		if (sensor->items[SENSOR_FAULT] >= 0)
			sensors_library_value(&sensors->library, sensor->library_chip,
					      sensor->items[SENSOR_FAULT], &fault);
		if (fault != 0)
			return -EFAULT;
		return sensor->items[SENSOR_INPUT] < 0
			       ? -ENODEV
			       : sensors_library_value(&sensors->library, sensor->library_chip,
						       sensor->items[SENSOR_INPUT], value);
	}
	if (sensor->fault.path && attribute_i64(&sensor->fault, sensors->env, &raw) == 0 && raw != 0)
		return -EFAULT;
	error = attribute_i64(&sensor->input, sensors->env, &raw);
	*value = hwmon_value(sensor->kind, raw);
	return error;
}

static const char *reason(int error)
{
	switch (error) {
	case -EFAULT:
		return N_("fault");
	case -EACCES:
	case -EPERM:
		return N_("refused");
	default:
		return N_("no reading");
	}
}

/* 0 or -errno. */
static int read_here(struct sensors *sensors, struct sensor *sensor, double *value)
{
	uint64_t start_ns = env_mono_ns();
	int error = read_value(sensors, sensor, value);

	sensors_slow_note(&sensors->chips[sensor->chip], env_mono_ns() - start_ns);
	if (!error && !sensor->limits_known)
		read_limits(sensors, sensor);
	return error;
}

static void read_sensor(struct sensors *sensors, struct sensor *sensor)
{
	const struct sensor_chip *chip = &sensors->chips[sensor->chip];
	double value = sensor->late_value;
	int error = 0;

	sensor->value = NAN;
	sensor->why = chip->asleep                              ? N_("asleep")
		      : chip->pace == CHIP_SLOW && isnan(value) ? N_("slow")
								: NULL;
	if (sensor->why)
		return;
	if (chip->pace != CHIP_SLOW)
		error = read_here(sensors, sensor, &value);
	if (error) {
		sensor->why = reason(error);
		return;
	}
	sensor->value = sensor_plausible(sensor->kind, value);
	if (isnan(sensor->value))
		sensor->why = N_("impossible");
	sensor->minimum = fmin(sensor->minimum, sensor->value);
	sensor->maximum = fmax(sensor->maximum, sensor->value);
}

void sensors_read(struct sensors *sensors, enum sensor_kind kind)
{
	bool listed = sensors->tick == sensors->env->tick;

	list_sensors(sensors);
	if (!listed) {
		look_asleep(sensors);
		sensors_slow_update(sensors);
	}
	if (sensors->ticks[kind] == sensors->env->tick)
		return;
	sensors->ticks[kind] = sensors->env->tick;
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (sensors->list[i].kind == kind && !sensors->list[i].repeats)
			read_sensor(sensors, &sensors->list[i]);
}

void sensors_restart(struct sensors *sensors, enum sensor_kind kind)
{
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (sensors->list[i].kind == kind)
			sensors->list[i].minimum = sensors->list[i].maximum = NAN;
}

int sensors_topic_open(struct sampler *sampler, struct env *env, const struct settings *settings)
{
	(void)settings;
	sampler->state = sensors_open(env);
	return 0;
}

void sensors_topic_close(struct sampler *sampler)
{
	sensors_close(sampler->state);
}

const char *sensor_text(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

static void add_row(const struct sensors *sensors, const struct sensor *sensor, struct frame *frame,
		    struct table *table,
		    void (*fill)(void *row, const struct sensor *sensor, const struct sensor_texts *texts))
{
	const struct sensor_texts texts = {
		.key = sensor_text(frame, sensor->key),
		.label = sensor_text(frame, sensor->label),
		.chip = sensor_text(frame, sensors->chips[sensor->chip].name),
		.state = sensor->why ? sensor->why : N_("ok"),
	};

	fill(table_add(table), sensor, &texts);
}

void sensors_fill(struct sensors *sensors, enum sensor_kind kind, struct frame *frame, struct table *table,
		  void (*fill)(void *row, const struct sensor *sensor, const struct sensor_texts *texts))
{
	sensors_read(sensors, kind);
	if (sensors->first && sensors->first->kind == kind)
		add_row(sensors, sensors->first, frame, table, fill);
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		const struct sensor *sensor = &sensors->list[i];

		if (sensor->kind == kind && !sensor->repeats && sensor != sensors->first)
			add_row(sensors, sensor, frame, table, fill);
	}
}

static int test_directory(struct env *env, const char *path, const char *prefix)
{
	struct listing directory = { .path = path };
	bool changed;
	int error = listing_read(&directory, env, &changed), found = -ENODATA;

	for (size_t i = 0; i < directory.n_names; i++)
		if (strncmp(directory.names[i], prefix, strlen(prefix)) == 0)
			found = 0;
	listing_free(&directory);
	return error ? error : found;
}

int sensors_test_chips(struct env *env)
{
	return test_directory(env, SENSOR_CHIPS, "hwmon");
}

int sensors_test_zones(struct env *env)
{
	return test_directory(env, THERMAL_ZONES, "thermal_zone");
}
