/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads libsensors and maps its constants. */
#include <config.h>

#include "topic/sensor/sensors_library.h"

#include <errno.h>
#include <stddef.h>

#ifdef HAVE_SENSORS
#include <dlfcn.h>
#include <sensors/error.h>
#endif

const char sensors_library_group;

#ifdef HAVE_SENSORS
#define LIBRARY "libsensors.so.5"
#define NO_ITEM SENSORS_SUBFEATURE_UNKNOWN

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

bool sensors_library_open(struct sensors_library *library)
{
	void *opened = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	*library = (struct sensors_library){ .library = opened };
	if (!opened)
		return false;
	silence(opened);
	*(void **)&library->init = dlsym(opened, "sensors_init");
	*(void **)&library->cleanup = dlsym(opened, "sensors_cleanup");
	*(void **)&library->chips = dlsym(opened, "sensors_get_detected_chips");
	*(void **)&library->features = dlsym(opened, "sensors_get_features");
	*(void **)&library->subfeature = dlsym(opened, "sensors_get_subfeature");
	*(void **)&library->label = dlsym(opened, "sensors_get_label");
	*(void **)&library->value = dlsym(opened, "sensors_get_value");
	return library->init && library->cleanup && library->chips && library->features &&
	       library->subfeature && library->label && library->value && sensors_library_restart(library);
}

bool sensors_library_restart(struct sensors_library *library)
{
	if (library->started)
		library->cleanup();
	library->started = library->init(NULL) == 0;
	return library->started;
}

void sensors_library_close(struct sensors_library *library)
{
	if (library->started)
		library->cleanup();
	if (library->library)
		dlclose(library->library);
	*library = (struct sensors_library){ 0 };
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

static int item_number(const struct sensors_library *library, const sensors_chip_name *chip,
		       const sensors_feature *feature, enum sensor_kind kind, enum sensor_item item)
{
	const sensors_subfeature *found = NULL;

	if (items[kind][item] != NO_ITEM)
		found = library->subfeature(chip, feature, items[kind][item]);
	if (!found && kind == SENSOR_POWER && item == SENSOR_INPUT)
		found = library->subfeature(chip, feature, SENSORS_SUBFEATURE_POWER_AVERAGE);
	return found && found->flags & SENSORS_MODE_R ? found->number : -1;
}

void sensors_library_feature(const struct sensors_library *library, const sensors_chip_name *chip,
			     const sensors_feature *feature, enum sensor_kind kind,
			     struct library_feature *found)
{
	found->chip = chip;
	for (int i = 0; i < N_SENSOR_ITEMS; i++)
		found->items[i] = item_number(library, chip, feature, kind, (enum sensor_item)i);
}

/* The library reports less than the kernel does. */
int sensors_library_value(const struct sensors_library *library, const struct library_feature *feature,
			  enum sensor_item item, double *value)
{
	if (feature->items[item] < 0)
		return -ENODEV;
	switch (-library->value(feature->chip, feature->items[item], value)) {
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

bool sensors_library_open(struct sensors_library *library)
{
	*library = (struct sensors_library){ 0 };
	return false;
}

void sensors_library_close(struct sensors_library *library)
{
	(void)library;
}

bool sensors_library_restart(struct sensors_library *library)
{
	(void)library;
	return false;
}

bool sensors_library_kind(const sensors_feature *feature, enum sensor_kind *kind)
{
	(void)feature;
	(void)kind;
	return false;
}

void sensors_library_feature(const struct sensors_library *library, const sensors_chip_name *chip,
			     const sensors_feature *feature, enum sensor_kind kind,
			     struct library_feature *found)
{
	(void)library;
	(void)feature;
	(void)kind;
	found->chip = chip;
}

int sensors_library_value(const struct sensors_library *library, const struct library_feature *feature,
			  enum sensor_item item, double *value)
{
	(void)library;
	(void)feature;
	(void)item;
	(void)value;
	return -ENODEV;
}

#endif
