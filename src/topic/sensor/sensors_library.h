/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsensors, loaded where there is something to sense: it knows labels, what to ignore, and how to compute.
 */
#ifndef PANETOP_TOPIC_SENSOR_SENSORS_LIBRARY_H
#define PANETOP_TOPIC_SENSOR_SENSORS_LIBRARY_H

#include <stdbool.h>
#include <stdio.h>

#include <sensors/sensors.h>

#include "kernel/hwmon.h"

/* What can be asked of a sensor. */
enum sensor_item {
	SENSOR_INPUT,
	SENSOR_FAULT, /* not 0: the input says nothing */
	SENSOR_LOW,
	SENSOR_HIGH,
	SENSOR_CRITICAL,
	N_SENSOR_ITEMS,
};

/* The functions of libsensors(3) that we call. The library speaks of the machine's own /sys alone. */
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

/*
 * Helpers read values from it, without changing it: it is neither restarted nor closed while a poll of
 * this group is in flight, see sys/device_poll.h.
 */
extern const char sensors_library_group;

/* False where the library is not installed, or will not start: *library can be closed all the same. */
bool sensors_library_open(struct sensors_library *library);
void sensors_library_close(struct sensors_library *library);

/* Looks for chips anew; what was got of it before is no longer valid. False when it will not. */
bool sensors_library_restart(struct sensors_library *library);

/* False for a feature of a kind that panetop does not show. */
bool sensors_library_kind(const sensors_feature *feature, enum sensor_kind *kind);

/* The number with which an item of a feature is read; -1 when it has none. */
int sensors_library_item(const struct sensors_library *library, const sensors_chip_name *chip,
			 const sensors_feature *feature, enum sensor_kind kind, enum sensor_item item);

/* 0, or -errno. */
int sensors_library_value(const struct sensors_library *library, const sensors_chip_name *chip, int number,
			  double *value);

#endif
