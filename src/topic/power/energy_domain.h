/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy counters and power meters of this machine as a tree of domains. */
#ifndef PANETOP_TOPIC_POWER_ENERGY_DOMAIN_H
#define PANETOP_TOPIC_POWER_ENERGY_DOMAIN_H

#include "model/statistics.h"
#include "sys/attribute.h"
#include "topic/power/power_supplies.h"
#include "topic/sensor/sensors.h"

#define POWERCAP "sys/class/powercap"
#define POWER_PMU "sys/bus/event_source/devices/power"
#define CORE_PMU POWER_PMU "_core"

#define ENERGY_NAME_BYTES 256

enum energy_source { ENERGY_PERF, ENERGY_POWERCAP, ENERGY_HWMON, ENERGY_BATTERY };

enum energy_part {
	ENERGY_PACKAGE,  /* a processor */
	ENERGY_DRAM,     /* its memory, which is not in the package */
	ENERGY_PLATFORM, /* psys: all of the machine, as its board measures it */
	ENERGY_METER,    /* a meter of the whole machine at its power supply */
	ENERGY_OF_BATTERY,
	ENERGY_IN_PARENT, /* also counted in its parent */
	ENERGY_OTHER,     /* of something else, such as a graphics card */
};

/* Joules are the counter plus wraps; those of a power meter are integrated from its watts. */
struct energy_domain {
	char *name;  /* "package-0/core" */
	char *place; /* "powercap intel-rapl:0:0" */
	char *key;   /* zone, sensor or battery */
	enum energy_source source;
	enum energy_part part;
	int parent;   /* index; -1: it has none */
	int fd;       /* of perf; -1 */
	double scale; /* joules per count of perf */
	struct attribute file;
	uint64_t range_uj;      /* the counter wraps here */
	double most_watts;      /* more is implausible */
	bool counted;           /* read before: the next four hold */
	uint64_t raw, total_uj; /* as read, and with wraps added */
	double joules;          /* NaN: not known now */
	uint64_t read_ns;
	double run_joules;       /* since the last sample; NaN: not known, or reset */
	double published_joules; /* joules of the last sample */
	uint64_t grown_uj;       /* in the whole run */
	double watts;            /* between the last two samples */
	bool in_total;           /* it is a part of the total of the last sample */
	int error;               /* -errno of the last read */
	struct statistics run;   /* of watts, by seconds */
};

/* What the total consists of. */
enum energy_total { TOTAL_NONE, TOTAL_PLATFORM, TOTAL_PACKAGES, TOTAL_METERS, TOTAL_BATTERIES };

/* Shared by all topics of env. */
struct energy {
	struct env *env; /* borrowed */
	struct listing zones;
	struct energy_domain *list;
	size_t count, capacity;
	struct power_supplies *supplies;
	struct sensors *sensors;
	unsigned long sensors_seen, supplies_seen; /* generations that the domains were made from */
	int perf_error;                            /* -errno of opening the first event */
	bool found;                                /* energy_find() was called */
	bool is_virtual;                           /* a guest, which no energy counter is for */
	uint64_t sample_ns;                        /* of the last update */
	struct clock_watch clocks;                 /* until then */
	enum energy_total total;
	double joules, watts; /* of the total; NaN */
	double before_joules; /* of the total, beside those of its present domains */
	const struct energy_domain *still; /* its counter has not grown while batteries deliver power; NULL */
	double delivered_watts;            /* by batteries */
	struct statistics run;
	struct energy_domain *maybe_wrapped; /* whose counter may have wrapped unnoticed; NULL */
	double unread_seconds;
};

/* By name; NULL when there is none. */
struct energy_domain *energy_domain_find(const struct energy *energy, const char *name);

/* Appends a domain; NULL when there are too many. */
struct energy_domain *energy_domain_add(struct energy *energy, const char *name, const char *key,
					enum energy_source source);
int energy_domain_index(const struct energy *energy, const struct energy_domain *domain); /* -1 of NULL */

/* Sets its place: "perf" + its key. */
void energy_domain_place(struct energy_domain *domain, const char *kind);
void energy_domain_free(struct energy_domain *domain, struct env *env);

/* energy_find.c: lists the domains of this machine, parents first; those that stay keep their counts. */
void energy_find(struct energy *energy);

/* energy_perf.c: adds the energy events of perf that can be opened. */
void energy_find_events(struct energy *energy);

#endif
