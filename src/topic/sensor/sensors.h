/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sensors of hwmon and all thermal zones, read once per tick for the topics that show them. */
#ifndef PANETOP_TOPIC_SENSOR_SENSORS_H
#define PANETOP_TOPIC_SENSOR_SENSORS_H

#include <stdio.h>

#ifdef HAVE_SENSORS
#include <sensors/sensors.h>
#endif

#include "kernel/power.h"
#include "sys/attribute.h"
#include "topic/reader.h"

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

/*
 * The functions of libsensors(3) that panetop calls: it is loaded where there are chips. The library reads
 * only /sys of this machine.
 */
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

#define SENSOR_CHIPS "sys/class/hwmon"
#define THERMAL_ZONES "sys/class/thermal"

struct trip_point {
	char type[32];
	double celsius, hysteresis_celsius; /* NaN: none */
};

/* A chip of hwmon, or a thermal zone. */
struct sensor_chip {
	char *path;   /* "sys/class/hwmon/hwmon2": only for reading, its number changes from boot to boot */
	char *name;   /* of its driver: "coretemp" */
	char *device; /* it belongs to, the same after every boot: "coretemp.0", "nvme@0000:01:00.0" */
	struct attribute runtime; /* whether the device is suspended; none where it never is */
	bool asleep;
	bool is_zone;
	size_t first, n_sensors; /* its sensors in the list */
	struct chip_values *values;
	struct chip_limits *limits;
	uint64_t limits_ns;       /* of the last request for them; 0: none yet */
	struct trip_point *trips; /* of a zone */
	unsigned n_trips;
};

/* How a sensor is read. */
struct sensor_source {
	char *input, *fault;            /* paths where files are read, of helper_alloc(); NULL: none */
	struct library_feature feature; /* where libsensors is used */
};

struct sensor {
	unsigned chip; /* index in chips */
	enum sensor_kind kind;
	uint64_t number;             /* of its kind on the chip */
	char *key;                   /* "coretemp.0/temp1" */
	char *label;                 /* from its driver or sensors.conf; never NULL */
	struct sensor_source source; /* until the values of its chip take it */
	struct sensor_limits limits;
	double raw;                /* the last reading … */
	int error;                   /* … or -errno … */
	uint64_t read_ns;            /* … and its time, see device_poll_age_ns() */
	uint64_t previous_ns;            /* read_ns of the value in the last tick */
	double value;                /* in this tick; NaN: not known, see status */
	const char *status;             /* N_(); NULL */
	double age_seconds;          /* of the value: 0 unless the chip answers late; NaN */
	bool fresh;                  /* the value is not the reading of the last tick */
	double minimum, maximum;     /* since start or reset; NaN */
	bool duplicates_zone;                /* a thermal zone shows the same */
};

struct sensors {
	struct env *env; /* borrowed */
	struct listing hwmon, thermal;
	bool changed; /* the list is out of date */
	struct sensor_chip *chips;
	size_t n_chips, chips_capacity;
	struct sensor *list; /* by chip */
	size_t n_sensors, capacity;
	const struct sensors_library *library; /* NULL: files are read */
	bool asked_library; /* whether it is there */
	unsigned long generation;        /* how often the list was rebuilt */
	uint64_t tick;                 /* of the last listing */
	unsigned asked, wanted, usual; /* sets of kinds: in this tick so far, and wanted in the last tick */
};

/* Listed and read as topics ask for them: not by an update. */
extern const struct reader sensor_reader;

/* Lists the sensors once per tick, and reads those of this kind. */
void sensors_read(struct sensors *sensors, enum sensor_kind kind);

/* Resets minima and maxima of this kind. */
void sensors_restart(struct sensors *sensors, enum sensor_kind kind);

/* Is there a chip, or a thermal zone? 0, -ENODATA, or -errno. */
int sensors_test_chips(struct env *env);
int sensors_test_zones(struct env *env);

#endif
