/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the limits of sensors and the trip points of thermal zones in a helper. */
#include <config.h>

#include <math.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "sys/device_poll.h"
#include "topic/sensor/sensors.h"

#define TRIP_POINTS_MAX 64

struct limit {
	struct library_feature feature;
	enum sensor_kind kind;
	uint64_t number;
	struct sensor_limits is;
};

struct chip_limits {
	struct device_poll poll;
	struct sensors *sensors; /* borrowed */
	unsigned chip;
	char *path;
	unsigned generation;      /* of the library */
	struct trip_point *trips; /* of a zone, room for all; else NULL */
	unsigned n_trips;
	size_t count;
	struct limit list[];
};

static long read_text(struct chip_limits *limits, const char *name, char *bytes, size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", limits->path, name);
	limits->poll.reads++;
	return attribute_at(limits->poll.root, path, bytes, room);
}

/* NaN: missing or implausible. */
static double read_value(struct chip_limits *limits, enum sensor_kind kind, const char *name)
{
	char text[64];
	struct span span;
	int64_t raw;

	if (read_text(limits, name, text, sizeof(text)) <= 0)
		return NAN;
	span = span_text(text);
	return span_i64(&span, &raw) ? sensor_plausible(kind, hwmon_value(kind, raw)) : NAN;
}

static double limit_of_file(struct chip_limits *limits, const struct limit *limit, const char *item)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%u_%s", hwmon_prefix(limit->kind), (unsigned)limit->number, item);
	return read_value(limits, limit->kind, name);
}

static double limit_of_library(const struct chip_limits *limits, const struct limit *limit,
			       enum sensor_item item)
{
	double value;
	int error = sensors_library_value(limits->generation, limits->path, &limit->feature, item, &value);

	return error ? NAN : sensor_plausible(limit->kind, value);
}

static void read_limit(struct chip_limits *limits, struct limit *limit)
{
	if (limit->feature.known) {
		limit->is.low = limit_of_library(limits, limit, SENSOR_LOW);
		limit->is.high = limit_of_library(limits, limit, SENSOR_HIGH);
		limit->is.critical = limit_of_library(limits, limit, SENSOR_CRITICAL);
	} else {
		limit->is.low = limit_of_file(limits, limit, "min");
		limit->is.high = limit_of_file(limits, limit, "max");
		limit->is.critical = limit_of_file(limits, limit, "crit");
	}
}

/* The lowest trip point of this type; NaN: none. */
static double lowest_trip(const struct chip_limits *limits, const char *type)
{
	double lowest = NAN;

	for (unsigned i = 0; i < limits->n_trips; i++)
		if (strcmp(limits->trips[i].type, type) == 0)
			lowest = fmin(lowest, limits->trips[i].celsius);
	return lowest;
}

static double trip_degrees(struct chip_limits *limits, unsigned trip, const char *item)
{
	char name[64];

	snprintf(name, sizeof(name), "trip_point_%u_%s", trip, item);
	return read_value(limits, SENSOR_TEMPERATURE, name);
}

static void read_trips(struct chip_limits *limits)
{
	limits->n_trips = 0;
	while (limits->n_trips < TRIP_POINTS_MAX) {
		struct trip_point *trip = &limits->trips[limits->n_trips];
		char name[64];

		snprintf(name, sizeof(name), "trip_point_%u_type", limits->n_trips);
		if (read_text(limits, name, trip->type, sizeof(trip->type)) <= 0)
			break;
		trip->celsius = trip_degrees(limits, limits->n_trips, "temp");
		if (trip->celsius == 0)
			trip->celsius = NAN; /* not set */
		trip->hysteresis_celsius = trip_degrees(limits, limits->n_trips, "hyst");
		limits->n_trips++;
	}
	for (size_t i = 0; i < limits->count; i++) {
		limits->list[i].is.low = NAN;
		limits->list[i].is.high = lowest_trip(limits, "passive");
		if (isnan(limits->list[i].is.high))
			limits->list[i].is.high = lowest_trip(limits, "hot");
		limits->list[i].is.critical = lowest_trip(limits, "critical");
	}
}

static void read_chip(struct device_poll *poll)
{
	struct chip_limits *limits = (struct chip_limits *)poll;

	if (limits->trips)
		read_trips(limits);
	for (size_t i = 0; !limits->trips && i < limits->count; i++)
		read_limit(limits, &limits->list[i]);
}

static void finished(struct device_poll *poll)
{
	const struct chip_limits *limits = (const struct chip_limits *)poll;
	struct sensor_chip *chip = &limits->sensors->chips[limits->chip];

	for (size_t i = 0; i < limits->count; i++) {
		struct sensor *sensor = &limits->sensors->list[chip->first + i];

		sensor->limits = limits->list[i].is;
		sensor_limits_check(sensor->kind, &sensor->limits);
	}
	chip->n_trips = limits->n_trips;
	if (chip->n_trips > 0)
		memcpy(chip->trips, limits->trips, chip->n_trips * sizeof(*chip->trips));
}

static void free_limits(struct device_poll *poll)
{
	struct chip_limits *limits = (struct chip_limits *)poll;

	helper_free(limits->path);
	helper_free(limits->trips);
	helper_free(limits);
}

void chip_limits_open(struct sensors *sensors, unsigned number)
{
	struct sensor_chip *chip = &sensors->chips[number];
	struct chip_limits *limits =
		helper_alloc(sizeof(*limits) + chip->n_sensors * sizeof(limits->list[0]));
	char key[PATH_MAX];

	limits->poll = (struct device_poll){ .read = read_chip, .finished = finished, .free = free_limits };
	snprintf(key, sizeof(key), "%s limits", chip->path);
	device_poll_open(&limits->poll, sensors->env, key);
	limits->sensors = sensors;
	limits->chip = number;
	limits->path = helper_text(chip->path);
	limits->generation = sensors_library_generation();
	if (chip->is_zone) {
		limits->trips = helper_alloc(TRIP_POINTS_MAX * sizeof(*limits->trips));
		chip->trips = alloc_zeroed(TRIP_POINTS_MAX, sizeof(*chip->trips));
	}
	limits->count = chip->n_sensors;
	for (size_t i = 0; i < limits->count; i++) {
		const struct sensor *sensor = &sensors->list[chip->first + i];

		limits->list[i] = (struct limit){
			.kind = sensor->kind,
			.number = sensor->number,
			.feature = sensor->source.feature,
		};
	}
	chip->limits = limits;
}

void chip_limits_drop(struct chip_limits *limits)
{
	device_poll_drop(&limits->poll);
}

void chip_limits_submit(struct chip_limits *limits)
{
	device_poll_submit(&limits->poll);
}
