/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading of sensors: never one whose device sleeps, and never a number that cannot be true. */
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

static const char key;

static void *open_sensors(struct env *env)
{
	struct sensors *sensors = alloc_zeroed(1, sizeof(*sensors));

	sensors->env = env;
	sensors->hwmon.path = SENSOR_CHIPS;
	sensors->thermal.path = THERMAL_ZONES;
	sensors->tick = ENV_NEVER;
	return sensors;
}

static void close_sensors(void *state)
{
	struct sensors *sensors = state;

	sensors_forget(sensors);
	if (!device_poll_group_in_flight(sensors->env, &sensors_library_group))
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
	sensors_forget(&before);
}

static void list_sensors(struct sensors *sensors)
{
	bool chips_changed, zones_changed;

	sensors->tick = sensors->env->tick;
	listing_read(&sensors->hwmon, sensors->env, &chips_changed);
	listing_read(&sensors->thermal, sensors->env, &zones_changed);
	sensors->changed |= chips_changed || zones_changed;
	if (!sensors->changed || device_poll_group_in_flight(sensors->env, &sensors_library_group))
		return;
	sensors->changed = false;
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

int sensor_source_value(const struct sensor_source *source, const struct sensors_library *library,
			enum sensor_item item, double *value)
{
	if (source->items[item] < 0)
		return -ENODEV;
	return sensors_library_value(library, source->library_chip, source->items[item], value);
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

static void tell_value(struct sensor *sensor, uint64_t age_ns)
{
	sensor->fresh = sensor->told_ns != sensor->read_ns;
	sensor->told_ns = sensor->read_ns;
	sensor->age_seconds = (double)age_ns / 1e9;
	if (sensor->error) {
		sensor->why = reason(sensor->error);
		return;
	}
	sensor->value = sensor_plausible(sensor->kind, sensor->heard);
	if (isnan(sensor->value))
		sensor->why = N_("impossible");
	else if (age_ns > 0)
		sensor->why = N_("slow");
	sensor->minimum = fmin(sensor->minimum, sensor->value);
	sensor->maximum = fmax(sensor->maximum, sensor->value);
}

static void tell_sensor(struct sensors *sensors, struct sensor *sensor)
{
	uint64_t age_ns = device_poll_age_ns(sensors->env, sensor->read_ns);

	sensor->value = sensor->age_seconds = NAN;
	sensor->fresh = false;
	sensor->why = NULL;
	if (sensors->chips[sensor->chip].asleep)
		sensor->why = N_("asleep");
	else if (age_ns == U64_UNKNOWN)
		sensor->why = N_("slow");
	else
		tell_value(sensor, age_ns);
}

/* All kinds at once, if they were wanted in the tick before, as each wait costs something. */
static void ask_chips(struct sensors *sensors, unsigned kinds)
{
	sensors->asked |= kinds;
	for (size_t i = 0; i < sensors->n_chips; i++)
		if (!sensors->chips[i].asleep)
			chip_values_ask(sensors->chips[i].values, kinds);
	device_poll_wait(sensors->env);
	sensors_limits_update(sensors);
}

static void begin_tick(struct sensors *sensors)
{
	if (sensors->tick == sensors->env->tick)
		return;
	device_poll_collect(sensors->env);
	list_sensors(sensors);
	look_asleep(sensors);
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
		ask_chips(sensors, sensors->usual | bit);
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (sensors->list[i].kind == kind && !sensors->list[i].repeats)
			tell_sensor(sensors, &sensors->list[i]);
}

void sensors_restart(struct sensors *sensors, enum sensor_kind kind)
{
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (sensors->list[i].kind == kind)
			sensors->list[i].minimum = sensors->list[i].maximum = NAN;
}

int sensors_topic_open(struct sample *sample)
{
	sample->state = sensors_open(sample->env);
	return 0;
}

void sensors_topic_close(struct sample *sample)
{
	sensors_close(sample->state);
}

const char *sensor_text(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

static void add_row(const struct sensors *sensors, const struct sensor *sensor, struct frame *frame,
		    struct table *table)
{
	struct sensor_row *row = table_add(table);

	row->key = sensor_text(frame, sensor->key);
	row->label = sensor_text(frame, sensor->label);
	row->value = sensor->value;
	row->minimum = sensor->minimum;
	row->maximum = sensor->maximum;
	row->low = sensor->low;
	row->high = sensor->high;
	row->critical = sensor->critical;
	row->chip = sensor_text(frame, sensors->chips[sensor->chip].name);
	row->state = sensor->why ? sensor->why : N_("ok");
	row->age_seconds = sensor->age_seconds;
}

void sensors_fill(struct sensors *sensors, enum sensor_kind kind, struct frame *frame, struct table *table)
{
	sensors_read(sensors, kind);
	if (sensors->first && sensors->first->kind == kind)
		add_row(sensors, sensors->first, frame, table);
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		const struct sensor *sensor = &sensors->list[i];

		if (sensor->kind == kind && !sensor->repeats && sensor != sensors->first)
			add_row(sensors, sensor, frame, table);
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
