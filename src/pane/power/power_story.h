/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers of power and heat mean, in sentences. */
#ifndef PANETOP_PANE_POWER_POWER_STORY_H
#define PANETOP_PANE_POWER_POWER_STORY_H

#include "model/sentence.h"

enum power_level { POWER_UNKNOWN = -1, POWER_OK, POWER_HIGH, POWER_BAD };

/*
 * Facts are columns of the total in the table power, and:
 *   no_watts, no_heat        why the sample does not have any, translated
 *   sensor, celsius, high_celsius, critical_celsius   of the one nearest to its limit
 *   throttled, step_seconds  CPUs slowed down for heat in the last interval
 *   battery, charge_ratio    of the one that discharges
 *
 * Adds the level for people, and the sentences behind it.
 */
enum power_level power_word(struct buffer *out, const struct facts *facts);
void power_verdict(struct buffer *out, const struct facts *facts);

/* How a line of the graph follows the load. */
struct power_relation {
	const char *kind; /* "watts", "clock", "heat" */
	const char *label;
	double correlation; /* at the lag; NaN: none */
	double lag_seconds; /* above 0: behind the load */
	double load_range;  /* a ratio: a load that hardly changed shows nothing */
};

/* Adds what follows the load, a sentence per line. */
void power_relations(struct buffer *out, const struct power_relation *relations, unsigned n_relations);

#endif
