/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sensors of hwmon and all thermal zones, read once per tick for the topics that show them. */
#ifndef PANETOP_TOPIC_SENSORS_H
#define PANETOP_TOPIC_SENSORS_H

#include "core/attribute.h"
#include "core/listing.h"
#include "topic/sensors_library.h"
#include "topic/topic.h"

#define SENSOR_CHIPS "sys/class/hwmon"
#define THERMAL_ZONES "sys/class/thermal"
#define TRIP_POINTS_MAX 64

/* A chip of hwmon, or a thermal zone. */
struct sensor_chip {
	char *path;   /* "sys/class/hwmon/hwmon2": for reading alone, its number changes from boot to boot */
	char *name;   /* as its driver calls it: "coretemp" */
	char *device; /* what it sits on, the same after every boot: "coretemp.0", "nvme@0000:01:00.0" */
	struct attribute runtime; /* whether the device sleeps; none where it never does */
	bool asleep;
	bool is_zone;
	enum { CHIP_UNTRIED, CHIP_QUICK, CHIP_SLOW } pace; /* a slow one is read by a worker */
	unsigned strikes; /* readings that took too long, one after the other */
};

struct sensor {
	unsigned chip; /* index in chips */
	enum sensor_kind kind;
	uint64_t number;                       /* of its kind on the chip */
	char *key;                             /* "coretemp.0/temp1" */
	char *label;                           /* as its driver, or sensors.conf, gives it; never NULL */
	struct attribute input, fault;         /* where files are read; none otherwise */
	const sensors_chip_name *library_chip; /* where libsensors is asked */
	int items[N_SENSOR_ITEMS];             /* … by these numbers; -1: not there */
	bool limits_known;                     /* that is, they were asked for */
	double low, high, critical;            /* NaN: none */
	double value;                          /* of this tick; NaN: not known, and why says why */
	const char *why;                       /* N_(); NULL */
	double late_value;                     /* of a slow chip, as a worker read it; NaN: it has not */
	double minimum, maximum;               /* since start, or since they were reset; NaN */
	bool repeats;                          /* a thermal zone shows the same */
};

struct sensors {
	struct env *env; /* borrowed */
	struct listing hwmon, thermal;
	struct sensor_chip *chips;
	size_t n_chips;
	struct sensor *list; /* by chip */
	size_t n_sensors;
	struct sensors_library library;
	bool asked_library; /* whether it is there */
	bool use_library;
	const struct sensor *first;     /* of the rows of its kind; NULL: as listed */
	unsigned long findings;         /* how often the list was made anew */
	struct worker *worker;          /* owned: one that hangs stops no others; NULL: none */
	struct file_reader *slow;       /* owned */
	unsigned long slow_findings;    /* whose chips it was asked to try last */
	uint64_t tick;                  /* of the last listing */
	uint64_t ticks[N_SENSOR_KINDS]; /* when those of a kind were read last */
};

/* Shared by all samplers of env; each that opens it closes it. */
struct sensors *sensors_open(struct env *env);
void sensors_close(struct sensors *sensors);

/* Looks once per tick which there are, and reads those of this kind. */
void sensors_read(struct sensors *sensors, enum sensor_kind kind);

/* Starts minima and maxima of this kind anew. */
void sensors_restart(struct sensors *sensors, enum sensor_kind kind);

/* For topics over sensors: open and close, a text that a frame keeps, and how a sensor is, translated. */
int sensors_topic_open(struct sampler *sampler, struct env *env, const struct settings *settings);
void sensors_topic_close(struct sampler *sampler);
const char *sensor_text(struct frame *frame, const char *text);

/* How a sensor is called, and how it is; texts of the frame. */
struct sensor_texts {
	const char *key, *label, *chip, *state;
};

/* Reads the sensors of this kind and adds a row for each that is shown, the first one first. */
void sensors_fill(struct sensors *sensors, enum sensor_kind kind, struct frame *frame, struct table *table,
		  void (*fill)(void *row, const struct sensor *sensor, const struct sensor_texts *texts));

/* Is there a chip, or a thermal zone? 0, -ENODATA, or -errno. */
int sensors_test_chips(struct env *env);
int sensors_test_zones(struct env *env);

/* sensors_find.c: fills the empty lists with what is there, and gives them back. Nothing is read that wakes.
 */
void sensors_find(struct sensors *sensors);
void sensors_forget(struct sensors *sensors);

/*
 * sensors_slow.c: chips that keep their reader waiting are read by a worker, so that their values are those
 * of the tick before. Once per tick, before any is read.
 */
void sensors_slow_close(struct sensors *sensors);
void sensors_slow_update(struct sensors *sensors);

/* A reading of this chip, here, took so long. */
void sensors_slow_note(struct sensor_chip *chip, uint64_t took_ns);

/* The text of a file of a chip, which does not change: its length or -errno. */
long sensor_chip_text(const struct sensors *sensors, const struct sensor_chip *chip, const char *name,
		      char *bytes, size_t room);

/* A file of a chip as a value of this kind; NaN when it is not there or cannot be true. */
double sensor_chip_value(const struct sensors *sensors, const struct sensor_chip *chip, enum sensor_kind kind,
			 const char *name);

#endif
