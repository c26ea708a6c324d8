/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads sensors, except those of suspended devices, and drops implausible numbers. */
#include <config.h>

#include "topic/sensor/sensors.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "sys/device_poll.h"

#define TRIPS_LAST_NS UINT64_C(60000000000) /* programs and the firmware can change trip points */

static int open_sensors(void *state, const struct sample *sample)
{
	struct sensors *sensors = state;

	sensors->env = sample->env;
	sensors->hwmon.path = SENSOR_CHIPS;
	sensors->thermal.path = THERMAL_ZONES;
	sensors->tick = ENV_NEVER;
	return 0;
}

static void open_pollers(struct sensors *sensors)
{
	for (unsigned i = 0; i < sensors->n_chips; i++) {
		chip_limits_open(sensors, i);
		chip_values_open(sensors, i);
	}
}

static void forget_all(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_chips; i++) {
		chip_values_drop(sensors->chips[i].values);
		chip_limits_drop(sensors->chips[i].limits);
	}
	sensors_free_lists(sensors);
}

static void close_sensors(void *state)
{
	struct sensors *sensors = state;

	forget_all(sensors);
	listing_free(&sensors->hwmon);
	listing_free(&sensors->thermal);
}

const struct reader sensor_reader = {
	.name = "sensors",
	.state_size = sizeof(struct sensors),
	.open = open_sensors,
	.close = close_sensors,
};

/* libsensors knows only the chips of this machine; it is loaded when there are any. */
static void choose_library(struct sensors *sensors)
{
	bool wanted = sensors->env->live && !sensors->env->no_libraries && sensors->hwmon.n_names > 0;

	if (!wanted || (sensors->asked_library && (!sensors->library || !sensors_library_restart())))
		sensors->library = NULL;
	else if (!sensors->asked_library)
		sensors->library = sensors_library_open();
	sensors->asked_library |= wanted;
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

static void rebuild_lists(struct sensors *sensors)
{
	struct sensors before = *sensors;

	sensors->generation++;
	sensors->list = NULL;
	sensors->chips = NULL;
	sensors->n_sensors = sensors->n_chips = 0;
	sensors->capacity = sensors->chips_capacity = 0;
	choose_library(sensors);
	sensors_find(sensors);
	open_pollers(sensors);
	keep_extremes(sensors, before.list, before.n_sensors);
	forget_all(&before);
}

static void list_sensors(struct sensors *sensors)
{
	bool chips_changed, zones_changed;

	sensors->tick = sensors->env->tick;
	listing_read(&sensors->hwmon, sensors->env, &chips_changed);
	listing_read(&sensors->thermal, sensors->env, &zones_changed);
	sensors->changed |= chips_changed || zones_changed;
	if (!sensors->changed)
		return;
	sensors->changed = false;
	rebuild_lists(sensors);
}

static void check_asleep(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_chips; i++) {
		struct sensor_chip *chip = &sensors->chips[i];
		char status[32];

		chip->asleep = chip->runtime.path &&
			       attribute_read(&chip->runtime, sensors->env, status, sizeof(status)) > 0 &&
			       strncmp(status, "suspend", 7) == 0;
	}
}

static const char *status_of_error(int error)
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

static void update_value(struct sensor *sensor, uint64_t age_ns)
{
	sensor->fresh = sensor->previous_ns != sensor->read_ns;
	sensor->previous_ns = sensor->read_ns;
	sensor->age_seconds = (double)age_ns / 1e9;
	if (sensor->error) {
		sensor->status = status_of_error(sensor->error);
		return;
	}
	sensor->value = sensor_plausible(sensor->kind, sensor->raw);
	if (sensor_is_open(sensor->kind, sensor->value, &sensor->limits))
		sensor->value = NAN;
	if (isnan(sensor->value))
		sensor->status = N_("impossible");
	else if (age_ns > 0)
		sensor->status = N_("slow");
	sensor->minimum = fmin(sensor->minimum, sensor->value);
	sensor->maximum = fmax(sensor->maximum, sensor->value);
}

static void update_sensor(struct sensors *sensors, struct sensor *sensor)
{
	uint64_t age_ns = device_poll_age_ns(sensors->env, sensor->read_ns);

	sensor->value = sensor->age_seconds = NAN;
	sensor->fresh = false;
	sensor->status = NULL;
	if (sensors->chips[sensor->chip].asleep)
		sensor->status = N_("asleep");
	else if (age_ns == U64_UNKNOWN)
		sensor->status = N_("slow");
	else
		update_value(sensor, age_ns);
}

/* A chip that has not answered yet gets no second helper. */
static bool limits_are_due(const struct sensor_chip *chip, uint64_t now_ns)
{
	return !chip->asleep && chip_values_answered(chip->values) &&
	       (chip->limits_ns == 0 || (chip->is_zone && now_ns - chip->limits_ns >= TRIPS_LAST_NS));
}

static void update_limits(struct sensors *sensors)
{
	uint64_t now_ns = env_mono_ns(sensors->env);
	bool any = false;

	for (size_t i = 0; i < sensors->n_chips; i++) {
		struct sensor_chip *chip = &sensors->chips[i];

		if (!limits_are_due(chip, now_ns))
			continue;
		any = true;
		chip->limits_ns = now_ns;
		chip_limits_submit(chip->limits);
	}
	if (any)
		device_poll_wait(sensors->env);
}

/* Reads all kinds that the last tick wanted at once: each wait costs time. */
static void read_chips(struct sensors *sensors, unsigned kinds)
{
	sensors->asked |= kinds;
	for (size_t i = 0; i < sensors->n_chips; i++)
		if (!sensors->chips[i].asleep)
			chip_values_submit(sensors->chips[i].values, kinds);
	device_poll_wait(sensors->env);
	update_limits(sensors);
}

static void begin_tick(struct sensors *sensors)
{
	if (sensors->tick == sensors->env->tick)
		return;
	device_poll_collect(sensors->env);
	list_sensors(sensors);
	check_asleep(sensors);
	sensors->usual = sensors->wanted;
	sensors->wanted = sensors->asked = 0;
}

void sensors_read(struct sensors *sensors, enum sensor_kind kind)
{
	unsigned bit = 1U << kind;

	begin_tick(sensors);
	if (sensors->wanted & bit)
		return;
	sensors->wanted |= bit;
	if (!(sensors->asked & bit))
		read_chips(sensors, sensors->usual | bit);
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (sensors->list[i].kind == kind && !sensors->list[i].duplicates_zone)
			update_sensor(sensors, &sensors->list[i]);
}

void sensors_restart(struct sensors *sensors, enum sensor_kind kind)
{
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (sensors->list[i].kind == kind)
			sensors->list[i].minimum = sensors->list[i].maximum = NAN;
}

const char *sensor_text(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
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
