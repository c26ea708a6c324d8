/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds sensors, chips of hwmon by libsensors or by their files, and thermal zones; reads them, except those
 * of suspended devices, and drops implausible numbers. Values and limits of a chip are read in helpers, as
 * buses are slow and devices hang.
 */
#include <config.h>

#include "topic/sensor/sensors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "sys/device_poll.h"

#define CHIPS_MAX 1024
#define SENSORS_MAX 8192

/* Whether this part of a path is an address on a bus: "0000:01:00.0", "0-0048", "coretemp.0". */
static bool is_address(struct span part)
{
	bool digit = false, mark = false;

	for (; part.at < part.end; part.at++) {
		digit |= *part.at >= '0' && *part.at <= '9';
		mark |= *part.at == ':' || *part.at == '.' || *part.at == '-';
	}
	return digit && mark;
}

/* The last address in a path without the hwmon at its end, or else its last part. */
static struct span device_of(struct span path)
{
	struct span rest = path, part, address = span_of(NULL, 0), last = span_of(NULL, 0);

	while (rest.at < rest.end) {
		if (!span_until(&rest, '/', &part)) {
			part = rest;
			rest.at = rest.end;
		}
		if (span_length(part) == 0 || span_is(part, "..") || span_starts(part, "hwmon"))
			continue;
		last = part;
		if (is_address(part))
			address = part;
	}
	return span_length(address) > 0 ? address : last;
}

static struct span read_link(const struct env *env, const char *path, const char *name, char *target)
{
	char link[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "%s%s", path, name);
	length = root_read_link(&env->root, link, target, PATH_MAX);
	return span_of(target, length > 0 ? (size_t)length : 0);
}

/* The device identifies a chip, as the number of the chip changes from boot to boot. */
static char *make_device(const struct env *env, const char *path, const char *name)
{
	char target[PATH_MAX], text[512];
	struct span device = device_of(read_link(env, path, "", target));

	if (span_length(device) == 0)
		device = device_of(read_link(env, path, "/device", target));
	if (span_length(device) == 0)
		snprintf(text, sizeof(text), "%s", name);
	else if (span_starts(device, name))
		snprintf(text, sizeof(text), "%.*s", (int)span_length(device), device.at);
	else
		snprintf(text, sizeof(text), "%s@%.*s", name, (int)span_length(device), device.at);
	return alloc_text(text);
}

/* Opens the runtime status of the device, or of its parent where the device cannot be suspended by itself. */
static void find_runtime(struct env *env, struct sensor_chip *chip)
{
	static const char *const places[] = { "device/power/runtime_status",
					      "device/device/power/runtime_status" };
	char path[PATH_MAX], status[32];

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", chip->path, places[i]);
		if (attribute_once(env, path, status, sizeof(status)) > 0 &&
		    strcmp(status, "unsupported") != 0) {
			attribute_open(&chip->runtime, path);
			return;
		}
	}
}

static struct sensor_chip *add_chip(struct sensors *sensors, const char *path, const char *name)
{
	struct sensor_chip *chip;

	if (sensors->n_chips == CHIPS_MAX)
		return NULL;
	chip = VECTOR_ADD(sensors->chips, sensors->n_chips, sensors->chips_capacity);
	*chip = (struct sensor_chip){ .path = alloc_text(path), .name = alloc_text(name) };
	chip->first = sensors->n_sensors;
	return chip;
}

static bool is_taken(const struct sensors *sensors, const char *key)
{
	for (size_t i = 0; i < sensors->n_sensors; i++)
		if (strcmp(sensors->list[i].key, key) == 0)
			return true;
	return false;
}

/* The wanted key, or the first free one of key#2, key#3 … */
static char *free_key(const struct sensors *sensors, const char *wanted)
{
	char key[600];

	snprintf(key, sizeof(key), "%s", wanted);
	for (unsigned i = 2; is_taken(sensors, key); i++)
		snprintf(key, sizeof(key), "%.500s#%u", wanted, i);
	return alloc_text(key);
}

static struct sensor *add_sensor(struct sensors *sensors, enum sensor_kind kind, uint64_t number,
				 const char *key, const char *label)
{
	struct sensor *sensor;

	if (sensors->n_sensors == SENSORS_MAX)
		return NULL;
	VECTOR_RESERVE(sensors->list, sensors->n_sensors + 1, sensors->capacity);
	sensor = &sensors->list[sensors->n_sensors];
	*sensor = (struct sensor){
		.chip = (unsigned)sensors->n_chips - 1,
		.kind = kind,
		.number = number,
		.key = free_key(sensors, key),
		.label = alloc_text(label),
		.source.feature.items = { -1, -1, -1, -1, -1 },
		.limits = { NAN, NAN, NAN },
		.value = NAN,
		.raw = NAN,
		.age_seconds = NAN,
		.minimum = NAN,
		.maximum = NAN,
	};
	sensors->n_sensors++;
	sensors->chips[sensor->chip].n_sensors++;
	return sensor;
}

static struct sensor *add_feature(struct sensors *sensors, enum sensor_kind kind, uint64_t number,
				  const char *label)
{
	const struct sensor_chip *chip = &sensors->chips[sensors->n_chips - 1];
	char key[600];

	snprintf(key, sizeof(key), "%.500s/%s%u", chip->device, hwmon_prefix(kind), (unsigned)number);
	return add_sensor(sensors, kind, number, key, label);
}

static void add_file(struct sensors *sensors, const char *file)
{
	const struct sensor_chip *chip = &sensors->chips[sensors->n_chips - 1];
	char name[64], label[ATTRIBUTE_TEXT_MAX], path[PATH_MAX];
	struct sensor *sensor;
	enum sensor_kind kind;
	uint64_t number;
	struct span item;

	if (!hwmon_name_parse(span_text(file), &kind, &number, &item) || !span_is(item, "input"))
		return;
	for (size_t i = sensors->n_sensors; i-- > 0 && sensors->list[i].chip == sensors->n_chips - 1;)
		if (sensors->list[i].kind == kind && sensors->list[i].number == number)
			return; /* power1_average beside power1_input */
	snprintf(name, sizeof(name), "%s%u_label", hwmon_prefix(kind), (unsigned)number);
	snprintf(path, sizeof(path), "%s/%s", chip->path, name);
	if (attribute_once(sensors->env, path, label, sizeof(label)) <= 0) /* its driver has it in memory */
		snprintf(label, sizeof(label), "%s%u", hwmon_prefix(kind), (unsigned)number);
	sensor = add_feature(sensors, kind, number, label);
	if (!sensor)
		return;
	snprintf(path, sizeof(path), "%s/%s", chip->path, file);
	sensor->source.input = helper_text(path);
	snprintf(path, sizeof(path), "%s/%s%u_fault", chip->path, hwmon_prefix(kind), (unsigned)number);
	if (env_exists(sensors->env, path))
		sensor->source.fault = helper_text(path);
}

/* Adds the files of a chip in the order temp1, temp2, temp10. */
static void add_files(struct sensors *sensors, const char *path)
{
	struct listing files = { .path = path };
	bool changed;

	listing_read(&files, sensors->env, &changed);
	for (size_t i = 0; i < files.n_names; i++)
		add_file(sensors, files.names[i]);
	listing_free(&files);
}

static void find_chips_by_files(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->hwmon.n_names; i++) {
		char path[PATH_MAX], name[ATTRIBUTE_TEXT_MAX];
		struct sensor_chip *chip;

		snprintf(path, sizeof(path), SENSOR_CHIPS "/%s/name", sensors->hwmon.names[i]);
		if (attribute_once(sensors->env, path, name, sizeof(name)) <= 0)
			continue;
		*strrchr(path, '/') = '\0';
		chip = add_chip(sensors, path, name);
		if (!chip)
			return;
		chip->device = make_device(sensors->env, path, name);
		find_runtime(sensors->env, chip);
		add_files(sensors, path);
	}
}

static void add_library_feature(struct sensors *sensors, const sensors_chip_name *library_chip,
				const sensors_feature *feature)
{
	struct sensor *sensor;
	enum sensor_kind kind;
	uint64_t number;
	char name[64], *label;
	struct span item;

	snprintf(name, sizeof(name), "%.32s_input", feature->name);
	if (!sensors_library_kind(feature, &kind) ||
	    !hwmon_name_parse(span_text(name), &kind, &number, &item))
		return;
	label = sensors->library->label(library_chip, feature);
	sensor = add_feature(sensors, kind, number, label ? label : feature->name);
	free(label);
	if (!sensor)
		return;
	sensors_library_feature(library_chip, feature, kind, &sensor->source.feature);
}

static void find_chips_by_library(struct sensors *sensors)
{
	const sensors_chip_name *library_chip;
	int next_chip = 0;

	while ((library_chip = sensors->library->chips(NULL, &next_chip))) {
		const char *path = library_chip->path + strspn(library_chip->path, "/");
		const sensors_feature *feature;
		struct sensor_chip *chip = add_chip(sensors, path, library_chip->prefix);
		int next_feature = 0;

		if (!chip)
			return;
		chip->device = make_device(sensors->env, path, library_chip->prefix);
		find_runtime(sensors->env, chip);
		while ((feature = sensors->library->features(library_chip, &next_feature)))
			add_library_feature(sensors, library_chip, feature);
	}
}

static bool same_name(const char *one, const char *other) /* hwmon allows no '-' */
{
	while (*one && (*one == *other || (*one == '-' && *other == '_') || (*one == '_' && *other == '-'))) {
		one++;
		other++;
	}
	return *one == *other;
}

/* The kernel also shows a thermal zone as a chip named after its type: each zone hides one such sensor. */
static void mark_duplicate(struct sensors *sensors, const char *type)
{
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		struct sensor *sensor = &sensors->list[i];
		const struct sensor_chip *chip = &sensors->chips[sensor->chip];

		if (chip->is_zone || sensor->duplicates_zone || sensor->kind != SENSOR_TEMPERATURE ||
		    !same_name(chip->name, type))
			continue;
		sensor->duplicates_zone = true;
		return;
	}
}

static void add_zone(struct sensors *sensors, const char *name)
{
	char path[PATH_MAX], type[ATTRIBUTE_TEXT_MAX];
	struct sensor_chip *chip;
	struct sensor *sensor;

	snprintf(path, sizeof(path), THERMAL_ZONES "/%s/type", name);
	if (attribute_once(sensors->env, path, type, sizeof(type)) <= 0)
		return;
	*strrchr(path, '/') = '\0';
	chip = add_chip(sensors, path, type);
	if (!chip)
		return;
	chip->device = alloc_text(type);
	chip->is_zone = true;
	mark_duplicate(sensors, type);
	sensor = add_sensor(sensors, SENSOR_TEMPERATURE, 0, type, type);
	if (!sensor)
		return;
	snprintf(path, sizeof(path), THERMAL_ZONES "/%s/temp", name);
	sensor->source.input = helper_text(path);
}

/* Fills the empty lists with the sensors of this machine. Wakes no device. */
static void sensors_find(struct sensors *sensors)
{
	if (sensors->library)
		find_chips_by_library(sensors);
	else
		find_chips_by_files(sensors);
	for (size_t i = 0; i < sensors->thermal.n_names; i++)
		if (strncmp(sensors->thermal.names[i], "thermal_zone", 12) == 0)
			add_zone(sensors, sensors->thermal.names[i]);
}

static void sensors_free_lists(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		free(sensors->list[i].key);
		free(sensors->list[i].label);
	}
	for (size_t i = 0; i < sensors->n_chips; i++) {
		struct sensor_chip *chip = &sensors->chips[i];

		attribute_close(&chip->runtime, sensors->env);
		free(chip->trips);
		free(chip->path);
		free(chip->name);
		free(chip->device);
	}
	free(sensors->list);
	free(sensors->chips);
	sensors->list = NULL;
	sensors->chips = NULL;
	sensors->n_sensors = sensors->n_chips = 0;
	sensors->capacity = sensors->chips_capacity = 0;
}

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
static void read_chip_values(struct device_poll *poll)
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

static void finished_values(struct device_poll *poll)
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

static void chip_values_open(struct sensors *sensors, unsigned number)
{
	struct sensor_chip *chip = &sensors->chips[number];
	struct chip_values *values =
		helper_alloc(sizeof(*values) + chip->n_sensors * sizeof(values->list[0]));

	values->poll = (struct device_poll){ .read = read_chip_values,
					     .finished = finished_values,
					     .free = free_values };
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

static void chip_values_submit(struct chip_values *values, unsigned kinds)
{
	if (values->poll.in_flight || !(values->kinds & kinds))
		return;
	for (size_t i = 0; i < values->count; i++) {
		struct sensor_reading *reading = &values->list[i];

		reading->wanted = !reading->duplicates_zone && kinds & 1U << reading->kind;
	}
	device_poll_submit(&values->poll);
}

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

static void read_chip_limits(struct device_poll *poll)
{
	struct chip_limits *limits = (struct chip_limits *)poll;

	if (limits->trips)
		read_trips(limits);
	for (size_t i = 0; !limits->trips && i < limits->count; i++)
		read_limit(limits, &limits->list[i]);
}

static void finished_limits(struct device_poll *poll)
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

static void chip_limits_open(struct sensors *sensors, unsigned number)
{
	struct sensor_chip *chip = &sensors->chips[number];
	struct chip_limits *limits =
		helper_alloc(sizeof(*limits) + chip->n_sensors * sizeof(limits->list[0]));
	char key[PATH_MAX];

	limits->poll = (struct device_poll){ .read = read_chip_limits,
					     .finished = finished_limits,
					     .free = free_limits };
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

static void forget_all(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_chips; i++) {
		device_poll_drop(&sensors->chips[i].values->poll);
		device_poll_drop(&sensors->chips[i].limits->poll);
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
	for (unsigned i = 0; i < sensors->n_chips; i++) {
		chip_limits_open(sensors, i);
		chip_values_open(sensors, i);
	}
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

static void update_limits(struct sensors *sensors)
{
	uint64_t now_ns = env_mono_ns(sensors->env);
	bool any = false;

	for (size_t i = 0; i < sensors->n_chips; i++) {
		struct sensor_chip *chip = &sensors->chips[i];

		/* one that has not answered yet gets no second helper */
		if (chip->asleep || chip->values->poll.in_flight || chip->values->poll.read_ns == 0 ||
		    !(chip->limits_ns == 0 || (chip->is_zone && now_ns - chip->limits_ns >= TRIPS_LAST_NS)))
			continue;
		any = true;
		chip->limits_ns = now_ns;
		device_poll_submit(&chip->limits->poll);
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
