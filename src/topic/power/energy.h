/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy of all domains, read once per tick, and the total of the machine. */
#ifndef PANETOP_TOPIC_POWER_ENERGY_H
#define PANETOP_TOPIC_POWER_ENERGY_H

#include "kernel/power.h"
#include "model/statistics.h"
#include "sys/device_poll.h"
#include "topic/sensor/sensors.h"
#include "topic/sleep/sleep.h"

#define POWER_SUPPLIES "sys/class/power_supply"
#define BATTERY_STATUS_MAX 32

enum battery_flow { BATTERY_DISCHARGES, BATTERY_CHARGES, BATTERY_IDLE, BATTERY_UNKNOWN };

/* NaN: not known. */
struct battery {
	char *name; /* "BAT0" */
	struct device_attribute *uevent;
	uint64_t read_ns; /* time of the values below, see device_poll_age_ns(); 0: never */
	bool is_battery;
	char status[BATTERY_STATUS_MAX], model[64];
	enum battery_flow flow;
	double watts;    /* positive: delivered, negative: taken */
	const char *how; /* N_(): source of watts; NULL */
	double charge, health, joules, full_joules, volts;
	int64_t cycles;        /* SUPPLY_UNKNOWN */
	int64_t online;        /* of mains */
	enum battery_flow followed; /* flow of the next three */
	int64_t held;               /* last energy, else charge; SUPPLY_UNKNOWN */
	uint64_t changed_ns;        /* time of the last change; 0: none seen yet */
	double change_watts;        /* between the last two changes; NaN */
};

struct power_supplies {
	struct env *env; /* borrowed */
	struct listing listing;
	struct battery *list; /* all supplies, not only batteries */
	size_t count;
	unsigned long generation; /* grows when the list, or the kind of a supply, changes */
	uint64_t tick, mono_ns; /* of the last update */
	uint64_t asked_ns;      /* time of that by the clock of read_ns */
	struct clock_watch clocks; /* until then */
};

/* Its update waits for answers; supplies that answer late keep their values for a while. */
extern const struct reader power_supply_reader;

/* Starts to read them for the update of this tick, and does not wait; mono_ns is the current time. */
void power_supplies_submit(struct power_supplies *supplies, uint64_t mono_ns);

#define POWERCAP "sys/class/powercap"
#define POWER_PMU "sys/bus/event_source/devices/power"
#define CORE_PMU POWER_PMU "_core"

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

/* Lists the domains of this machine, parents first; those that stay keep their counts. */
void energy_find(struct energy *energy);

#define ENERGY_USES (PRIVILEGE_BIT(PRIVILEGE_PERF) | PRIVILEGE_BIT(PRIVILEGE_FILES))

/* Reads all domains and adds to the statistics; sample_ns is then its time. */
extern const struct reader energy_reader;

/* Between samples: reads counters that could wrap unnoticed. */
void energy_poll(struct energy *energy, uint64_t mono_ns);

/* Resets the statistics. */
void energy_restart(struct energy *energy);

struct power_estimate {
	struct energy *energy; /* NULL while there is no calibration */
	struct power_fit fit;
	bool known; /* there is a calibration and a measured total now */
};

void power_estimate_close(struct power_estimate *estimate);

/*
 * Call in each sample before CPU times are read: follows the calibration of the settings and samples the
 * energy. In the sample in which the calibration changes, nothing is known.
 */
void power_estimate_update(struct power_estimate *estimate, const struct sample *sample);

/* The energy of this CPU time; NaN: not known. */
static inline double power_estimate_joules(const struct power_estimate *estimate, double cpu_seconds)
{
	return estimate->known ? estimate->fit.lines[CALIBRATION_LOAD].slope * cpu_seconds : NAN;
}

/*
 * The energy of this count of cycles or instructions, if the calibration counted them; NaN for other events.
 */
double power_estimate_counted(const struct power_estimate *estimate, const char *event, double count);

/* Adds a row of topic "calibration" for each line of the fit that is known. */
void calibration_add_rows(struct table *table, const struct power_fit *fit);

#endif
