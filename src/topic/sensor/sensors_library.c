/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads libsensors and maps its constants. */
#include <config.h>

#include "topic/sensor/sensors.h"

#include <errno.h>
#include <stddef.h>

#ifdef HAVE_SENSORS
#include <dlfcn.h>
#include <string.h>
#include <sensors/error.h>
#endif

#ifdef HAVE_SENSORS
#define LIBRARY "libsensors.so.5"
#define NO_ITEM SENSORS_SUBFEATURE_UNKNOWN

static struct sensors_library own;
static unsigned own_generation;

static void ignore_error(const char *error, int line)
{
	(void)error;
	(void)line;
}

static void ignore_file_error(const char *error, const char *file, int line)
{
	(void)file;
	ignore_error(error, line);
}

/* It would report errors of its configuration to standard error, across the screen. */
static void silence(void *library)
{
	void (**error)(const char *, int) =
		(void (**)(const char *, int))dlsym(library, "sensors_parse_error");
	void (**file_error)(const char *, const char *, int) =
		(void (**)(const char *, const char *, int))dlsym(library, "sensors_parse_error_wfn");

	if (error)
		*error = ignore_error;
	if (file_error)
		*file_error = ignore_file_error;
}

static bool load(void)
{
	void *opened = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	own.library = opened;
	if (!opened)
		return false;
	silence(opened);
	*(void **)&own.init = dlsym(opened, "sensors_init");
	*(void **)&own.cleanup = dlsym(opened, "sensors_cleanup");
	*(void **)&own.chips = dlsym(opened, "sensors_get_detected_chips");
	*(void **)&own.features = dlsym(opened, "sensors_get_features");
	*(void **)&own.subfeature = dlsym(opened, "sensors_get_subfeature");
	*(void **)&own.label = dlsym(opened, "sensors_get_label");
	*(void **)&own.value = dlsym(opened, "sensors_get_value");
	return own.init && own.cleanup && own.chips && own.features && own.subfeature && own.label &&
	       own.value;
}

const struct sensors_library *sensors_library_open(void)
{
	if (!own.library && !load())
		return NULL;
	return own.started || sensors_library_restart() ? &own : NULL;
}

bool sensors_library_restart(void)
{
	if (own.started)
		own.cleanup();
	own.started = own.init && own.init(NULL) == 0;
	own_generation++;
	return own.started;
}

unsigned sensors_library_generation(void)
{
	return own_generation;
}

bool sensors_library_kind(const sensors_feature *feature, enum sensor_kind *kind)
{
	static const sensors_feature_type types[N_SENSOR_KINDS] = {
		[SENSOR_TEMPERATURE] = SENSORS_FEATURE_TEMP, [SENSOR_FAN] = SENSORS_FEATURE_FAN,
		[SENSOR_VOLTAGE] = SENSORS_FEATURE_IN,       [SENSOR_POWER] = SENSORS_FEATURE_POWER,
		[SENSOR_ENERGY] = SENSORS_FEATURE_ENERGY,
	};

	for (int i = 0; i < N_SENSOR_KINDS; i++) {
		if (feature->type == types[i]) {
			*kind = (enum sensor_kind)i;
			return true;
		}
	}
	return false;
}

static const sensors_subfeature_type items[N_SENSOR_KINDS][N_SENSOR_ITEMS] = {
	[SENSOR_TEMPERATURE] = { SENSORS_SUBFEATURE_TEMP_INPUT, SENSORS_SUBFEATURE_TEMP_FAULT,
				 SENSORS_SUBFEATURE_TEMP_MIN, SENSORS_SUBFEATURE_TEMP_MAX,
				 SENSORS_SUBFEATURE_TEMP_CRIT },
	[SENSOR_FAN] = { SENSORS_SUBFEATURE_FAN_INPUT, SENSORS_SUBFEATURE_FAN_FAULT,
			 SENSORS_SUBFEATURE_FAN_MIN, SENSORS_SUBFEATURE_FAN_MAX, NO_ITEM },
	[SENSOR_VOLTAGE] = { SENSORS_SUBFEATURE_IN_INPUT, NO_ITEM, SENSORS_SUBFEATURE_IN_MIN,
			     SENSORS_SUBFEATURE_IN_MAX, SENSORS_SUBFEATURE_IN_CRIT },
	[SENSOR_POWER] = { SENSORS_SUBFEATURE_POWER_INPUT, NO_ITEM, NO_ITEM, SENSORS_SUBFEATURE_POWER_MAX,
			   SENSORS_SUBFEATURE_POWER_CRIT },
	[SENSOR_ENERGY] = { SENSORS_SUBFEATURE_ENERGY_INPUT, NO_ITEM, NO_ITEM, NO_ITEM, NO_ITEM },
};

static int item_number(const sensors_chip_name *chip, const sensors_feature *feature, enum sensor_kind kind,
		       enum sensor_item item)
{
	const sensors_subfeature *found = NULL;

	if (items[kind][item] != NO_ITEM)
		found = own.subfeature(chip, feature, items[kind][item]);
	if (!found && kind == SENSOR_POWER && item == SENSOR_INPUT)
		found = own.subfeature(chip, feature, SENSORS_SUBFEATURE_POWER_AVERAGE);
	return found && found->flags & SENSORS_MODE_R ? found->number : -1;
}

void sensors_library_feature(const sensors_chip_name *chip, const sensors_feature *feature,
			     enum sensor_kind kind, struct library_feature *found)
{
	found->known = true;
	for (int i = 0; i < N_SENSOR_ITEMS; i++)
		found->items[i] = item_number(chip, feature, kind, (enum sensor_item)i);
}

static const sensors_chip_name *find_chip(const char *path)
{
	const sensors_chip_name *chip;
	int next = 0;

	while ((chip = own.chips(NULL, &next)))
		if (strcmp(chip->path + strspn(chip->path, "/"), path) == 0)
			return chip;
	return NULL;
}

/* The library reports less than the kernel does. */
int sensors_library_value(unsigned generation, const char *path, const struct library_feature *feature,
			  enum sensor_item item, double *value)
{
	const sensors_chip_name *chip;

	bool is_new = !own.started;

	if (feature->items[item] < 0 || !sensors_library_open())
		return -ENODEV;
	if (own_generation != generation && !is_new)
		sensors_library_restart();
	own_generation = generation;
	chip = own.started ? find_chip(path) : NULL;
	switch (chip ? -own.value(chip, feature->items[item], value) : SENSORS_ERR_NO_ENTRY) {
	case 0:
		return 0;
	case SENSORS_ERR_ACCESS_R:
		return -EACCES;
	case SENSORS_ERR_NO_ENTRY:
	case SENSORS_ERR_KERNEL:
		return -ENODEV;
	default:
		return -EIO;
	}
}

#else

const struct sensors_library *sensors_library_open(void)
{
	return NULL;
}

bool sensors_library_restart(void)
{
	return false;
}

unsigned sensors_library_generation(void)
{
	return 0;
}

bool sensors_library_kind(const sensors_feature *feature, enum sensor_kind *kind)
{
	(void)feature;
	(void)kind;
	return false;
}

void sensors_library_feature(const sensors_chip_name *chip, const sensors_feature *feature,
			     enum sensor_kind kind, struct library_feature *found)
{
	(void)chip;
	(void)feature;
	(void)kind;
	(void)found;
}

int sensors_library_value(unsigned generation, const char *path, const struct library_feature *feature,
			  enum sensor_item item, double *value)
{
	(void)generation;
	(void)path;
	(void)feature;
	(void)item;
	(void)value;
	return -ENODEV;
}

#endif
