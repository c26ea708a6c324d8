/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the sensors of a chip in a helper, as buses are slow and devices hang. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "sys/device_poll.h"
#include "topic/sensor/sensors.h"

#define NUMBER_TEXT_MAX 64

struct sensor_reading {
	struct sensor_source source; /* owned */
	enum sensor_kind kind;
	bool wanted;
	bool duplicates_zone; /* a thermal zone shows the same */
	long fault_length, input_length; /* of the files that were read, or -errno */
	int error;                       /* -errno */
	double value;
};

struct chip_values {
	struct device_poll poll;
	struct sensors *sensors; /* borrowed */
	unsigned chip;
	unsigned kinds; /* set of the kinds it has */
	char *path;          /* of the chip, owned; of helper_alloc() */
	unsigned generation; /* of the library */
	size_t count;
	struct sensor_reading list[];
};

static int number_of(const char *bytes, long length, int64_t *number)
{
	struct span text = span_of(bytes, length > 0 ? (size_t)length : 0);

	if (length < 0)
		return (int)length;
	return span_i64(&text, number) && text.at == text.end ? 0 : -EBADMSG;
}

static void read_files(struct chip_values *values, struct sensor_reading *reading)
{
	const struct root *root = values->poll.root;
	char bytes[NUMBER_TEXT_MAX];
	int64_t raw;

	if (reading->source.fault) {
		reading->fault_length = attribute_at(root, reading->source.fault, bytes, sizeof(bytes));
		values->poll.reads++;
		reading->error =
			number_of(bytes, reading->fault_length, &raw) == 0 && raw != 0 ? -EFAULT : 0;
		if (reading->error)
			return;
	}
	reading->input_length = attribute_at(root, reading->source.input, bytes, sizeof(bytes));
	values->poll.reads++;
	reading->error = number_of(bytes, reading->input_length, &raw);
	if (!reading->error)
		reading->value = hwmon_value(reading->kind, raw);
}

static void read_library(const struct chip_values *values, struct sensor_reading *reading)
{
	const struct library_feature *feature = &reading->source.feature;
	double fault;

	if (sensors_library_value(values->generation, values->path, feature, SENSOR_FAULT, &fault) == 0 &&
	    fault != 0)
		reading->error = -EFAULT;
	else
		reading->error = sensors_library_value(values->generation, values->path, feature,
						       SENSOR_INPUT, &reading->value);
}

/* Reads the fault first: in case of a fault, the input is 0 without an error. */
static void read_chip(struct device_poll *poll)
{
	struct chip_values *values = (struct chip_values *)poll;

	for (size_t i = 0; i < values->count; i++) {
		struct sensor_reading *reading = &values->list[i];

		reading->fault_length = reading->input_length = 0;
		if (reading->wanted && reading->source.feature.known)
			read_library(values, reading);
		else if (reading->wanted)
			read_files(values, reading);
	}
}

static void note_failure(struct env *env, const char *path, long length)
{
	if (length < 0)
		env_note_failure(env, path, (int)length);
}

static void finished(struct device_poll *poll)
{
	struct chip_values *values = (struct chip_values *)poll;
	struct sensors *sensors = values->sensors;
	struct sensor *first = &sensors->list[sensors->chips[values->chip].first];

	for (size_t i = 0; i < values->count; i++) {
		struct sensor_reading *reading = &values->list[i];

		if (!reading->wanted)
			continue;
		note_failure(sensors->env, reading->source.fault, reading->fault_length);
		note_failure(sensors->env, reading->source.input, reading->input_length);
		first[i].raw = reading->value;
		first[i].error = reading->error;
		first[i].read_ns = poll->read_ns;
	}
}

static void free_values(struct device_poll *poll)
{
	struct chip_values *values = (struct chip_values *)poll;

	for (size_t i = 0; i < values->count; i++) {
		helper_free(values->list[i].source.input);
		helper_free(values->list[i].source.fault);
	}
	helper_free(values->path);
	helper_free(values);
}

void chip_values_open(struct sensors *sensors, unsigned number)
{
	struct sensor_chip *chip = &sensors->chips[number];
	struct chip_values *values =
		helper_alloc(sizeof(*values) + chip->n_sensors * sizeof(values->list[0]));

	values->poll = (struct device_poll){ .read = read_chip, .finished = finished, .free = free_values };
	device_poll_open(&values->poll, sensors->env, chip->path);
	values->sensors = sensors;
	values->chip = number;
	values->path = helper_text(chip->path);
	values->generation = sensors_library_generation();
	values->count = chip->n_sensors;
	for (size_t i = 0; i < values->count; i++) {
		struct sensor *sensor = &sensors->list[chip->first + i];
		struct sensor_reading *reading = &values->list[i];

		*reading = (struct sensor_reading){ .source = sensor->source, .kind = sensor->kind };
		sensor->source = (struct sensor_source){ 0 };
		reading->duplicates_zone = sensor->duplicates_zone;
		if (!reading->duplicates_zone)
			values->kinds |= 1U << sensor->kind;
	}
	chip->values = values;
}

void chip_values_drop(struct chip_values *values)
{
	device_poll_drop(&values->poll);
}

void chip_values_submit(struct chip_values *values, unsigned kinds)
{
	if (values->poll.in_flight || !(values->kinds & kinds))
		return;
	for (size_t i = 0; i < values->count; i++) {
		struct sensor_reading *reading = &values->list[i];

		reading->wanted = !reading->duplicates_zone && kinds & 1U << reading->kind;
	}
	device_poll_submit(&values->poll);
}

bool chip_values_answered(const struct chip_values *values)
{
	return !values->poll.in_flight && values->poll.read_ns > 0;
}
