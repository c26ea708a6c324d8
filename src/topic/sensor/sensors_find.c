/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds sensors: chips of hwmon, by libsensors or by their files, and thermal zones. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/helper.h"
#include "topic/sensor/sensors.h"

#define CHIPS_MAX 1024
#define SENSORS_MAX 8192

/* Reads a file of a chip that its driver answers from memory: the length or -errno. */
static long chip_text(const struct sensors *sensors, const struct sensor_chip *chip, const char *name,
		      char *bytes, size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", chip->path, name);
	return attribute_once(sensors->env, path, bytes, room);
}

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
	if (chip_text(sensors, chip, name, label, sizeof(label)) <= 0)
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

void sensors_find(struct sensors *sensors)
{
	if (sensors->library)
		find_chips_by_library(sensors);
	else
		find_chips_by_files(sensors);
	for (size_t i = 0; i < sensors->thermal.n_names; i++)
		if (strncmp(sensors->thermal.names[i], "thermal_zone", 12) == 0)
			add_zone(sensors, sensors->thermal.names[i]);
}

void sensors_free_lists(struct sensors *sensors)
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
