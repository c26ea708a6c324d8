/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sensors of hwmon and all thermal zones, read once per tick for the topics that show them. */
#ifndef PANETOP_TOPIC_SENSOR_SENSORS_H
#define PANETOP_TOPIC_SENSOR_SENSORS_H

#include "sys/attribute.h"
#include "sys/listing.h"
#include "topic/sensor/sensors_library.h"
#include "topic/topic.h"

#define SENSOR_CHIPS "sys/class/hwmon"
#define THERMAL_ZONES "sys/class/thermal"

struct chip_values;
struct chip_limits;

struct trip_point {
	char does[32];
	double celsius, hysteresis_celsius; /* NaN: none */
};

/* A chip of hwmon, or a thermal zone. */
struct sensor_chip {
	char *path;   /* "sys/class/hwmon/hwmon2": for reading alone, its number changes from boot to boot */
	char *name;   /* as its driver calls it: "coretemp" */
	char *device; /* what it sits on, the same after every boot: "coretemp.0", "nvme@0000:01:00.0" */
	struct attribute runtime; /* whether the device sleeps; none where it never does */
	bool asleep;
	bool is_zone;
	size_t first, n_sensors; /* its sensors in the list */
	struct chip_values *values;
	struct chip_limits *limits;
	uint64_t limits_ns;       /* when they were asked for last; 0: never */
	struct trip_point *trips; /* of a zone */
	unsigned n_trips;
};

/* How a sensor is read. */
struct sensor_source {
	struct attribute input, fault;         /* where files are read; none otherwise */
	const sensors_chip_name *library_chip; /* where libsensors is asked */
	int items[N_SENSOR_ITEMS];             /* … by these numbers; -1: not there */
};

struct sensor {
	unsigned chip; /* index in chips */
	enum sensor_kind kind;
	uint64_t number;             /* of its kind on the chip */
	char *key;                   /* "coretemp.0/temp1" */
	char *label;                 /* as its driver, or sensors.conf, gives it; never NULL */
	struct sensor_source source; /* until the values of its chip take it */
	double low, high, critical;  /* NaN: none */
	double heard;                /* the last answer … */
	int error;                   /* … or -errno … */
	uint64_t read_ns, told_ns;   /* … and of when it is, see device_poll_age_ns(); of which the value is */
	double value;                /* as it counts in this tick; NaN: not known, and why says why */
	const char *why;             /* N_(); NULL */
	double age_seconds;          /* of the value: 0, or that of a chip that answers late; NaN */
	bool fresh;                  /* the value is another reading than that of the tick before */
	double minimum, maximum;     /* since start, or since they were reset; NaN */
	bool repeats;                /* a thermal zone shows the same */
};

struct sensors {
	struct env *env; /* borrowed */
	struct listing hwmon, thermal;
	bool changed; /* others are there than in the list */
	struct sensor_chip *chips;
	size_t n_chips;
	struct sensor *list; /* by chip */
	size_t n_sensors;
	struct sensors_library library;
	bool asked_library; /* whether it is there */
	bool use_library;
	const struct sensor *first;    /* of the rows of its kind; NULL: as listed */
	unsigned long findings;        /* how often the list was made anew */
	uint64_t tick;                 /* of the last listing */
	unsigned asked, wanted, usual; /* sets of kinds: in this tick so far, and wanted in the tick before */
};

/* Shared by all samplers of env; each that opens it closes it. */
struct sensors *sensors_open(struct env *env);
void sensors_close(struct sensors *sensors);

/* Looks once per tick which there are, and reads those of this kind. */
void sensors_read(struct sensors *sensors, enum sensor_kind kind);

/* Starts minima and maxima of this kind anew. */
void sensors_restart(struct sensors *sensors, enum sensor_kind kind);

/* For topics over sensors: open and close, a text that a frame keeps, and how a sensor is, translated. */
int sensors_topic_open(struct sample *sample);
void sensors_topic_close(struct sample *sample);
const char *sensor_text(struct frame *frame, const char *text);

/* A row of the tables of sensors, whose columns have names of their own for its fields. */
struct sensor_row {
	const char *key, *label;
	double value, minimum, maximum, low, high, critical;
	const char *chip, *state;
	double age_seconds;
};

#define SENSOR_COLUMN(field, name, ...) COLUMN_AS(struct sensor_row, field, name, __VA_ARGS__)

/* Columns that are the same in all these tables but for where they come from. */
#define SENSOR_LABEL(from)                                                                                   \
	SENSOR_COLUMN(label, "label", .kind = COLUMN_LABEL, .title = N_("label"), .width = 15, .rank = 1,    \
		      .help = N_("as the driver, or sensors.conf, names it"), .source = from)
#define SENSOR_CHIP(what, from)                                                                              \
	SENSOR_COLUMN(chip, "chip", .kind = COLUMN_LABEL, .title = N_("chip"), .width = 10, .rank = 3,       \
		      .help = what, .source = from)
#define SENSOR_STATE(what, from)                                                                             \
	SENSOR_COLUMN(state, "state", .kind = COLUMN_LABEL, .title = N_("state"), .width = 10, .rank = 2,    \
		      .words = true, .help = what, .source = from)
#define SENSOR_AGE                                                                                           \
	SENSOR_COLUMN(age_seconds, "age_seconds", .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,                \
		      .title = N_("age"), .width = 7, .rank = 4,                                             \
		      .help = N_("how long ago it was read: 0, unless it answers late"), .source = "panetop")

/* Reads the sensors of this kind and adds a row for each that is shown, the first one first. */
void sensors_fill(struct sensors *sensors, enum sensor_kind kind, struct frame *frame, struct table *table);

/* Is there a chip, or a thermal zone? 0, -ENODATA, or -errno. */
int sensors_test_chips(struct env *env);
int sensors_test_zones(struct env *env);

/* sensors_find.c: fills the empty lists with what is there, and gives them back. Nothing is read that wakes.
 */
void sensors_find(struct sensors *sensors);
void sensors_forget(struct sensors *sensors);

/*
 * sensors_values.c: what a helper reads of a chip, made when its sensors are known. Asked for a set of kinds,
 * what it heard goes to the sensors of the chip when it arrives.
 */
void chip_values_open(struct sensors *sensors, unsigned chip);
void chip_values_drop(struct chip_values *values, struct env *env);
void chip_values_ask(struct chip_values *values, unsigned kinds);
bool chip_values_answered(const struct chip_values *values); /* at any time, and is not being asked now */

/* sensors_limits.c: likewise limits, and the trip points of a zone, which hardly ever change. */
void chip_limits_open(struct sensors *sensors, unsigned chip);
void chip_limits_drop(struct chip_limits *limits);

/* Asks those that have to be, and waits for them as device_poll_wait() does. */
void sensors_limits_update(struct sensors *sensors);

/* -errno, or 0 and the value. May be used by a helper. */
int sensor_source_value(const struct sensor_source *source, const struct sensors_library *library,
			enum sensor_item item, double *value);

#endif
