/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsensors, loaded where there are chips: it knows labels, what to ignore, and how to compute values. */
#ifndef PANETOP_TOPIC_SENSOR_SENSORS_LIBRARY_H
#define PANETOP_TOPIC_SENSOR_SENSORS_LIBRARY_H

#include <stdbool.h>
#include <stdio.h>

#ifdef HAVE_SENSORS
#include <sensors/sensors.h>
#endif

#include "kernel/power.h"

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

/* The one library of this process, which lasts as long. NULL: there is none, or it does not start. */
const struct sensors_library *sensors_library_open(void);

/* Looks for chips again, which invalidates all pointers into the library. False when that fails. */
bool sensors_library_restart(void);

/* How often chips were looked for: numbers of features are those of one of these times. */
unsigned sensors_library_generation(void);

/* False for a feature of a kind that panetop does not show. */
bool sensors_library_kind(const sensors_feature *feature, enum sensor_kind *kind);

/* A feature that panetop shows, as libsensors reads it. */
struct library_feature {
	bool known;                /* false: it is read from files */
	int items[N_SENSOR_ITEMS]; /* their numbers; -1: not there */
};

void sensors_library_feature(const sensors_chip_name *chip, const sensors_feature *feature,
			     enum sensor_kind kind, struct library_feature *found);

/*
 * -errno, or 0 and the value. path: of the chip, from the root. For helpers, too: each has a library of its
 * own, which it brings up to this generation.
 */
int sensors_library_value(unsigned generation, const char *path, const struct library_feature *feature,
			  enum sensor_item item, double *value);

#endif
