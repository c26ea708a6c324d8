/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batteries that feed the machine, read once per tick for the topics that show them. */
#ifndef PANETOP_TOPIC_BATTERIES_H
#define PANETOP_TOPIC_BATTERIES_H

#include "core/attribute.h"
#include "core/listing.h"
#include "kernel/battery.h"

#define POWER_SUPPLIES "sys/class/power_supply"
#define BATTERY_STATUS_MAX 32

enum battery_flow { BATTERY_GIVES, BATTERY_TAKES, BATTERY_RESTS, BATTERY_UNCLEAR };

/* NaN in what is not known. */
struct battery {
	char *name; /* "BAT0" */
	struct attribute uevent;
	bool is_battery;
	char status[BATTERY_STATUS_MAX], model[64];
	enum battery_flow flow;
	double watts;    /* above 0: it gives, below: it takes */
	const char *how; /* N_(): where watts come from; NULL */
	double charge, health, joules, full_joules, volts;
	int64_t cycles;        /* SUPPLY_UNKNOWN */
	int64_t online;        /* of a plug */
	double changed_joules; /* as of the last change of what it holds; NaN: none was seen */
	uint64_t changed_ns;   /* when that was seen; 0: the first value, whose age is not known */
	double change_watts;   /* between the last two changes */
};

struct batteries {
	struct env *env; /* borrowed */
	struct listing supplies;
	struct battery *list; /* every supply, also those that are none */
	size_t count;
	unsigned long findings; /* how often the list was made anew */
	uint64_t tick;
};

/* Shared by all samplers of env; each that opens it closes it. */
struct batteries *batteries_open(struct env *env);
void batteries_close(struct batteries *batteries);

/* Reads them, once per tick; mono_ns is now. */
void batteries_update(struct batteries *batteries, uint64_t mono_ns);

#endif
