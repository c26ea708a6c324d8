/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power supplies of the machine, read once per tick for all topics. Batteries are slow: an embedded
 * controller answers.
 */
#ifndef PANETOP_TOPIC_POWER_POWER_SUPPLIES_H
#define PANETOP_TOPIC_POWER_POWER_SUPPLIES_H

#include "kernel/battery.h"
#include "sys/device_poll.h"
#include "sys/listing.h"
#include "topic/topic.h"
#include "topic/reader.h"
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

/* Age of its values; NaN: there are none. */
double battery_age_seconds(const struct power_supplies *supplies, const struct battery *battery);

#endif
