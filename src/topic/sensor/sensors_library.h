/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsensors, loaded where there are chips: it knows labels, what to ignore, and how to compute values. */
#ifndef PANETOP_TOPIC_SENSOR_SENSORS_LIBRARY_H
#define PANETOP_TOPIC_SENSOR_SENSORS_LIBRARY_H

#include <stdbool.h>
#include <stdio.h>

#ifdef HAVE_SENSORS
#include <sensors/sensors.h>
#endif

#include "kernel/hwmon.h"

#ifndef HAVE_SENSORS /* no library is ever open: only what others name of it */
typedef struct {
	char *prefix, *path;
} sensors_chip_name;
typedef struct {
	char *name;
} sensors_feature;
typedef struct sensors_subfeature sensors_subfeature;
typedef int sensors_subfeature_type;
#endif

enum sensor_item {
	SENSOR_INPUT,
	SENSOR_FAULT, /* not 0: the input is not valid */
	SENSOR_LOW,
	SENSOR_HIGH,
	SENSOR_CRITICAL,
	N_SENSOR_ITEMS,
};

/* The functions of libsensors(3) that panetop calls. The library reads only /sys of this machine. */
struct sensors_library {
	void *library;
	bool started;
	int (*init)(FILE *input);
	void (*cleanup)(void);
	const sensors_chip_name *(*chips)(const sensors_chip_name *match, int *number);
	const sensors_feature *(*features)(const sensors_chip_name *chip, int *number);
	const sensors_subfeature *(*subfeature)(const sensors_chip_name *chip, const sensors_feature *feature,
						sensors_subfeature_type type);
	char *(*label)(const sensors_chip_name *chip, const sensors_feature *feature);
	int (*value)(const sensors_chip_name *chip, int subfeature, double *value);
};

/* Helper threads read values: no restart and no close while a poll of this group is in flight. */
extern const char sensors_library_group;

/* False where there is no library or it does not start; *library can then be closed all the same. */
bool sensors_library_open(struct sensors_library *library);
void sensors_library_close(struct sensors_library *library);

/* Looks for chips again, which invalidates all pointers into the library. False when that fails. */
bool sensors_library_restart(struct sensors_library *library);

/* False for a feature of a kind that panetop does not show. */
bool sensors_library_kind(const sensors_feature *feature, enum sensor_kind *kind);

/* A feature that panetop shows, as libsensors reads it. */
struct library_feature {
	const sensors_chip_name *chip; /* NULL: it is read from files */
	int items[N_SENSOR_ITEMS];     /* their numbers; -1: not there */
};

void sensors_library_feature(const struct sensors_library *library, const sensors_chip_name *chip,
			     const sensors_feature *feature, enum sensor_kind kind,
			     struct library_feature *found);

/* -errno, or 0 and the value. Helper threads may call this. */
int sensors_library_value(const struct sensors_library *library, const struct library_feature *feature,
			  enum sensor_item item, double *value);

#endif
