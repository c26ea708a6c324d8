/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of power and heat mean, in sentences. */
#ifndef PANETOP_PANE_POWER_POWER_STORY_H
#define PANETOP_PANE_POWER_POWER_STORY_H

#include <stdbool.h>
#include <stddef.h>

/* NaN and NULL: not known. */
struct power_facts {
	double watts, mean_watts, min_watts, max_watts; /* of the machine; now, and over the run */
	double run_seconds;
	const char *no_watts, *no_heat; /* why the sample does not have any, translated; NULL: it may */
	bool refused;       /* watts are unknown for want of a privilege */
	const char *sensor; /* the one nearest to its limit */
	double celsius, high_celsius, critical_celsius;
	bool throttle_known;
	unsigned throttled; /* CPUs slowed down for heat in the last interval */
	double interval_seconds;
	const char *battery; /* that discharges */
	double charge_ratio;
	bool ascii;
};

enum power_level { POWER_UNKNOWN, POWER_OK, POWER_HIGH, POWER_BAD };

/* Writes the sentences; *word is the level for people, translated. */
enum power_level power_verdict(const struct power_facts *facts, const char **word, char *text, size_t room);

/* How a line of the graph follows the load. */
struct power_relation {
	enum { RELATION_WATTS, RELATION_CLOCK, RELATION_HEAT } kind;
	const char *label;
	double correlation; /* at the lag; NaN: none */
	double lag_seconds; /* above 0: behind the load */
};

/*
 * Writes what follows the load, a sentence per line; nothing where the load hardly changed (its range is a
 * ratio).
 */
void power_relations(const struct power_relation *relations, unsigned n_relations, double load_range,
		     char *text, size_t room);

#endif
