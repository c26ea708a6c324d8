/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batteries that feed the machine, asked once per tick for the topics that show them: behind each is an
 * embedded controller that may take its time. */
#ifndef PANETOP_TOPIC_POWER_POWER_SUPPLIES_H
#define PANETOP_TOPIC_POWER_POWER_SUPPLIES_H

#include "kernel/battery.h"
#include "sys/device_poll.h"
#include "sys/listing.h"

#define POWER_SUPPLIES "sys/class/power_supply"
#define BATTERY_STATUS_MAX 32

enum battery_flow { BATTERY_GIVES, BATTERY_TAKES, BATTERY_RESTS, BATTERY_UNCLEAR };

/* NaN in what is not known. */
struct battery {
	char *name; /* "BAT0" */
	struct device_attribute *uevent;
	uint64_t read_ns; /* see device_poll_age_ns(); what follows is of then. 0: it never answered */
	bool is_battery;
	char status[BATTERY_STATUS_MAX], model[64];
	enum battery_flow flow;
	double watts;    /* above 0: it gives, below: it takes */
	const char *how; /* N_(): where watts come from; NULL */
	double charge, health, joules, full_joules, volts;
	int64_t cycles;        /* SUPPLY_UNKNOWN */
	int64_t online;        /* of a plug */
	enum battery_flow followed; /* in which the next three are */
	int64_t held;               /* as told last: energy, else charge; SUPPLY_UNKNOWN */
	uint64_t changed_ns;        /* when it changed to that; 0: the first value, whose age is not known */
	double change_watts;        /* between the last two changes; NaN */
};

struct power_supplies {
	struct env *env; /* borrowed */
	struct listing listing;
	struct battery *list; /* every supply, also those that are none */
	size_t count;
	unsigned long generation; /* grows when the list, or the kind of a supply, changes */
	uint64_t tick, mono_ns; /* of the last update … */
	uint64_t asked_ns;      /* … and when that was by the clock that stamps answers */
	uint64_t slept_ns;      /* since boot, until then */
};

/* Shared by all samplers of env; each that opens it closes it. */
struct power_supplies *power_supplies_open(struct env *env);
void power_supplies_close(struct power_supplies *supplies);

/* Asks them, once per tick, and does not wait; mono_ns is now. */
void power_supplies_submit(struct power_supplies *supplies, uint64_t mono_ns);

/* Likewise, and waits for them. Those that are late are as they were, but not for ever. */
void power_supplies_update(struct power_supplies *supplies, uint64_t mono_ns);

/* How old what is known of it is; NaN when nothing is. */
double battery_age_seconds(const struct power_supplies *supplies, const struct battery *battery);

#endif
